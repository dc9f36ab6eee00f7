from __future__ import annotations

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from studio_qt.package.manifest import parse_manifest
from studio_qt.package.model import Language, Manifest

LANGUAGES: list[Language] = ["javascript", "typescript", "python", "lua"]
TAGS = """
@agent my.keeper
@version 1.2
@description Keeps things,
  even across lines.

Prose that is nothing.
@tool open_door
@tool-description Call this when a door
  is opened.
@tool-params {"type": "object",
  "properties": {"which": {"type": "string"}},
  "required": ["which"]}
@tool wait
@command @keep keepIt
@command @drop dropIt
@preload true
@api studio.history
@api studio.model
@lib dice
@lib words
@hook afterResponse
@hook conversationStart
@debug true
@unknown tag
"""


def wrap(tags: str, language: Language, star: str = "") -> str:
    first, *others = tags.splitlines()
    body = "\n".join([first, *(f"{star}{line}" for line in others)])
    if language == "python":
        return f'"""{body}"""\nimport os\n'
    if language == "lua":
        return f"--[[{body}]]\nlocal x = 1\n"
    return f"/**{body} */\nexport const x = 1;\n"


def manifest(tags: str, language: Language = "javascript", star: str = "") -> Manifest:
    return parse_manifest(wrap(tags, language, star), language, "f")[0]


def problems(tags: str, language: Language = "javascript") -> list[str]:
    return [str(found) for found in parse_manifest(wrap(tags, language), language, "f")[1]]


@pytest.mark.clause("MAN-01", "MAN-02", "MAN-03")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("star", ["", " * ", "*", "\t*\t"])
def test_every_tag_is_read_alike_in_every_language(language: Language, star: str) -> None:
    found, faults = parse_manifest(wrap(TAGS, language, star), language, "f")
    assert faults == ()
    assert (found.agent, found.version) == ("my.keeper", "1.2")
    assert found.description == "Keeps things, even across lines."
    door, wait = found.tools
    assert (door.name, door.line) == ("open_door", 8)
    assert door.description == "Call this when a door is opened."
    assert door.parameters == {
        "type": "object",
        "properties": {"which": {"type": "string"}},
        "required": ["which"],
    }
    assert wait.parameters == {"type": "object", "properties": {}}
    assert [(c.name, c.handler, c.line) for c in found.commands] == [
        ("@keep", "keepIt", 15),
        ("@drop", "dropIt", 16),
    ]
    assert found.preload and found.debug
    assert found.apis == {"studio.history", "studio.model"}
    assert found.libs == ("dice", "words")
    assert found.hooks == {"afterResponse", "conversationStart"}


@pytest.mark.clause("MAN-02")
def test_a_manifest_with_an_id_alone_has_the_defaults() -> None:
    assert manifest("@agent a") == Manifest("a")


@pytest.mark.clause("MAN-01")
def test_a_block_on_one_line_is_read() -> None:
    assert parse_manifest("/** @agent one.line */", "javascript", "f")[0].agent == "one.line"
    assert parse_manifest('"@agent one.line"', "python", "f")[0].agent == "one.line"


@pytest.mark.clause("MAN-03")
@pytest.mark.parametrize(
    ("value", "line", "words"),
    [
        ('{"type": "object",\n"properties": {]}', 4, "is not JSON"),
        ('{"type": "object"', 3, "is not JSON"),
        ("\n\n", 3, "is empty"),
        ('{"type": "object"} trailing', 3, "follows after its end"),
        ('{"type": "object"\n}}', 4, "follows after its end"),
        ('{"type": "nothing"}', 3, '"type" has to be "object"'),
        ('{"type": "object", "properties": {"a": {"type": "strng"}}}', 3, "properties.a.type"),
        ('{"type": "object", "required": "a"}', 3, "required"),
        ("[1]", 3, "must be a JSON object"),
        ("true", 3, "must be a JSON object"),
        ('{"properties": {"a": NaN}}', 3, "NaN"),
    ],
)
def test_a_bad_schema_names_tool_and_line_and_only_that_tool_is_not_offered(
    value: str, line: int, words: str
) -> None:
    tags = f"\n@tool bad\n@tool-params {value}\n@tool good\n@agent a.b"
    found = manifest(tags)
    assert [tool.name for tool in found.tools] == ["good"]
    assert found.declared == ("bad", "good")
    [problem] = problems(tags)
    assert problem.startswith(f'error: f, line {line}: the tool "bad" is not offered')
    assert words in problem


@pytest.mark.clause("MAN-03")
@pytest.mark.parametrize("language", LANGUAGES)
def test_prose_may_follow_a_schema_after_a_blank_line(language: Language) -> None:
    tags = '\n@agent a\n@tool t\n@tool-params {"type": "object",\n "title": "@x"}\n\nAnd {so} on.'
    found, faults = parse_manifest(wrap(tags, language, " * "), language, "f")
    assert faults == () and found.tools[0].parameters == {"type": "object", "title": "@x"}


@pytest.mark.clause("MAN-04")
def test_an_unknown_hook_is_a_warning_and_an_unknown_tag_nothing() -> None:
    tags = "\n@agent a\n@hook onTuesday\n@hook afterToolCall\n@author me\n@hook"
    assert manifest(tags).hooks == {"afterToolCall"}
    first, second = problems(tags)
    assert first.startswith('warning: f, line 3: @hook "onTuesday" is no event')
    assert second.startswith("warning: f, line 6")


@pytest.mark.clause("BR-09")
def test_an_unknown_namespace_is_a_warning_and_the_free_ones_are_not() -> None:
    tags = "\n@agent a\n@api studio.files\n@api studio.toast\n@api studio.log\n@api studio.web"
    assert manifest(tags).apis == {"studio.web"}
    [problem] = problems(tags)
    assert problem.startswith('warning: f, line 3: @api "studio.files" is unknown')


@pytest.mark.clause("MAN-04", "PKG-10")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_block_without_agent_is_an_error(language: Language) -> None:
    tags = "\n@tool x\n@agent\n"
    assert manifest(tags, language).agent is None
    [problem] = problems(tags, language)
    assert problem.startswith("error: f, line 1: has no @agent line")


@pytest.mark.clause("MAN-04", "PKG-10")
@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "javascript"),
        ("// @agent x\n/* @agent x */", "javascript"),
        ("/** @agent x", "javascript"),
        ("const s = '/** @agent x */';", "javascript"),
        ("x = 1\n'@agent x'", "python"),
        ("--[==[ @agent x ]==]", "lua"),
    ],
)
def test_a_file_without_a_block_is_an_error(text: str, language: Language) -> None:
    found, faults = parse_manifest(text, language, "f")
    assert found == Manifest(None)
    assert [(fault.severity, fault.line) for fault in faults] == [("error", 1)]


@pytest.mark.parametrize(
    ("name", "offered", "severities"),
    [
        ("roll_dice-2", True, []),
        ("würfeln", True, ["warning"]),
        ("roll.dice", False, ["error"]),
        ("x" * 65, False, ["error"]),
        ("", False, ["error"]),
    ],
)
def test_a_name_that_servers_refuse_is_not_offered(
    name: str, offered: bool, severities: list[str]
) -> None:
    text = wrap(f"\n@agent a\n@tool {name}\n", "javascript")
    found, faults = parse_manifest(text, "javascript", "f")
    assert bool(found.tools) is offered
    assert [fault.severity for fault in faults] == severities


def test_the_first_of_two_equal_tools_or_commands_counts() -> None:
    tags = (
        "\n@agent a\n@tool t\n@tool-description one\n@tool t\n@tool-description two"
        "\n@command @c first\n@command @c second"
    )
    found = manifest(tags)
    assert [tool.description for tool in found.tools] == ["one"]
    assert [command.handler for command in found.commands] == ["first"]
    assert [line.split(":")[1] for line in problems(tags)] == [" f, line 5", " f, line 8"]


@pytest.mark.parametrize("line", ["@command", "@command @x", "@command @ handler"])
def test_a_command_without_name_or_handler_is_a_problem(line: str) -> None:
    assert manifest(f"@agent a\n{line}").commands == ()
    assert "@command needs a name and the function" in problems(f"@agent a\n{line}")[0]


@pytest.mark.clause("MAN-02")
@pytest.mark.parametrize(
    ("value", "flag", "count"),
    [("true", True, 0), ("TRUE", True, 0), ("", True, 0), ("false", False, 0), ("yes", False, 1)],
)
def test_a_flag_is_true_or_false_and_anything_else_a_warning(
    value: str, flag: bool, count: int
) -> None:
    tags = f"@agent a\n@preload {value}\n@debug {value}"
    found = manifest(tags)
    assert (found.preload, found.debug) == (flag, flag)
    assert len(problems(tags)) == 2 * count


def test_a_description_or_schema_before_any_tool_is_a_warning() -> None:
    tags = '@agent a\n@tool-description lost\n@tool-params {"type": "object"}'
    assert all("stands before any @tool" in line for line in problems(tags))
    assert len(problems(tags)) == 2


@pytest.mark.clause("PKG-11", "MAN-03")
@pytest.mark.parametrize("language", LANGUAGES)
def test_crlf_and_other_scripts_are_kept_and_lines_stay_right(language: Language) -> None:
    tags = TAGS.replace("Keeps things", "Hütet 世界").replace("\n", "\r\n")
    text = {"python": f'"""{tags}"""', "lua": f"--[[{tags}]]"}.get(language, f"/**{tags}*/")
    found, faults = parse_manifest(text, language, "f")
    assert faults == () and found.description.startswith("Hütet 世界")
    assert found.tools[0].line == 8 and found.tools[0].parameters["required"] == ["which"]


@pytest.mark.clause("MAN-01", "MAN-03")
@pytest.mark.parametrize("prefix", ["", "r", "u", "R", "U"])
@pytest.mark.parametrize("pattern", [r"^\\d+$", r"^\\\\d+$"])
def test_backslashes_in_a_python_schema_are_taken_as_the_author_meant(
    prefix: str, pattern: str
) -> None:
    """An ordinary string needs them doubled once more, which authors forget."""
    schema = f'{{"type": "object", "properties": {{"n": {{"pattern": "{pattern}"}}}}}}'
    text = f'{prefix}"""@agent a\n@tool t\n@tool-params {schema}\n"""'
    found, faults = parse_manifest(text, "python", "f")
    assert faults == ()
    doubled = prefix in ("r", "R") and pattern == r"^\\\\d+$"
    assert found.tools[0].parameters == {
        "type": "object",
        "properties": {"n": {"pattern": r"^\\d+$" if doubled else r"^\d+$"}},
    }


NAMES = st.text(alphabet="abcdefghij_", min_size=1, max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=20)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=8)


@pytest.mark.clause("MAN-03")
@settings(max_examples=50)
@given(
    schema=st.dictionaries(NAMES, VALUES, max_size=4),
    indent=st.sampled_from([None, 1, 4]),
    language=st.sampled_from(LANGUAGES),
)
def test_any_schema_comes_back_as_it_was_written(
    schema: dict[str, object], indent: int | None, language: Language
) -> None:
    written = {"type": "object", "properties": {}, "x-data": schema}
    text = json.dumps(written, indent=indent)
    source = wrap(f"\n@agent a\n@tool t\n@tool-params {text}\n", language, " * ")
    if language == "python":
        source = "r" + source
    assume(not any(end in text for end in ("]]", "*/", '"""')))
    found, faults = parse_manifest(source, language, "f")
    assert faults == () and found.tools[0].parameters == written


@pytest.mark.clause("MAN-01")
@given(
    text=st.text(alphabet="/*`'\"\\{}$[]-=()#\n @agentru;", max_size=80),
    language=st.sampled_from(LANGUAGES),
)
def test_whatever_stands_in_a_file_it_is_read_without_failing(
    text: str, language: Language
) -> None:
    found, faults = parse_manifest(text, language, "f")
    assert (found.agent is None) == any("@agent" in fault.message for fault in faults)
    assert all(1 <= (fault.line or 0) <= text.count("\n") + 1 for fault in faults)
