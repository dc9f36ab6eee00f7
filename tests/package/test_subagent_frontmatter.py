"""The forgiving reader: what an author writes by hand means what the author means (SUB-01)."""

from __future__ import annotations

import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.package import SubAgentMeta
from studio_qt.package.subagents import read_prompt
from studio_qt.package.subagents.effective import effective_meta

pytestmark = pytest.mark.clause("SUB-01")


def meta(*lines: str) -> SubAgentMeta:
    """Read a file of these fields; a description is added where there is none."""
    head = (
        lines
        if any(line.startswith("description:") for line in lines)
        else ("description: x", *lines)
    )
    return read("\n".join(["---", *head, "---", "Body"]))


def read(text: str) -> SubAgentMeta:
    found, problems = effective_meta("m", read_prompt(text), "m.subagent.md")
    assert found is not None, problems
    return found


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Finds: a name", "Finds: a name"),
        ("Call this when: a name is needed: any.", "Call this when: a name is needed: any."),
        ("%%names%% are found", "%%names%% are found"),
        ("@marcus finds a name", "@marcus finds a name"),
        ("*always* call this", "*always* call this"),
        ("`code` is checked", "`code` is checked"),
        ("& co", "& co"),
        ("&anchor is no anchor", "&anchor is no anchor"),
        ("!important: call it", "!important: call it"),
        ("- a dash", "- a dash"),
        ("? a question", "? a question"),
        ("[draft] Finds a name", "[draft] Finds a name"),
        ("[a, b]", "[a, b]"),
        ("{name}", "{name}"),
        ("| a bar", "| a bar"),
        ("> 5 names", "> 5 names"),
        ("no", "no"),
        ("yes", "yes"),
        ("null", "null"),
        ("~", "~"),
        ("08", "08"),
        ("12:30", "12:30"),
        ("2024-01-01", "2024-01-01"),
        ("1e3", "1e3"),
        ("0x1F", "0x1F"),
        ("Finds a name # not for places", "Finds a name"),
        ("Finds C# code", "Finds C# code"),
        ("Finds the #1 name", "Finds the #1 name"),
        ("#1 for names # or so", "#1 for names"),
        ("https://example.org/#top", "https://example.org/#top"),
        ('"Finds: a name"', "Finds: a name"),
        ('"a \\"quoted\\" word" # comment', 'a "quoted" word'),
        ('"line\\nbreak \\u00e9"', "line\nbreak é"),
        ("'it''s'", "it's"),
        ("'it's fine'", "it's fine"),
        ('"He said "no""', 'He said "no"'),
        ('"Finds" a name', '"Finds" a name'),
        ('"open', '"open'),
        ("it's # a comment", "it's"),
        ("  \t Finds a name \t ", "Finds a name"),
        ("größe 世界 🎲", "größe 世界 🎲"),
        ("50% of names", "50% of names"),
        ("a\tb", "a\tb"),
    ],
)
def test_a_description_on_one_line_is_the_text_that_stands_there(written: str, meant: str) -> None:
    assert meta(f"description: {written}").description == meant


@pytest.mark.parametrize(
    ("lines", "meant"),
    [
        (["description: >", "  Finds a", "  name.", "", "  Twice."], "Finds a name.\nTwice."),
        (["description: |", "  Finds: a", "    name"], "Finds: a\n  name"),
        (["description: >-", "  a", "  b"], "a b"),
        (["description: | # comment", "  # text", "  b"], "# text\nb"),
        (["description: >", "  history: full", "  model: main"], "history: full model: main"),
        (["description: >", "Finds a", "name."], "Finds a name."),
        (["description: >", "\tFinds a", "\tname."], "Finds a name."),
        (["description: |", "   a", "  b", "     c"], "a\nb\n   c"),
        (["description: > Finds a", "  name."], "Finds a name."),
        (["description: Finds a", "  name: any", "  - or not"], "Finds a name: any - or not"),
        (["description:", "  Finds a name"], "Finds a name"),
        (["description:", '  "Finds: a', '  name"'], "Finds: a name"),
        (["description: Finds a", "name."], "Finds a name."),
        (["description: a", "", "  b"], "a\nb"),
        (["description: a", "  # no text", "  b"], "a b"),
        (["description: >", "  --- not a fence"], "--- not a fence"),
        (["description: |", "  a", "# history: full"], "a"),
        (["description: |", "\ta", "# history: full"], "a"),
        (["description: |", "a", "# history: full"], "a"),
    ],
)
def test_a_description_may_take_several_lines(lines: list[str], meant: str) -> None:
    assert meta(*lines).description == meant


@pytest.mark.parametrize(
    ("line", "name", "meant"),
    [
        ("history: recent:10", "history_text", "recent:10"),
        ("history: recent: 10", "history_text", "recent:10"),
        ("history: recent 10 # turns", "history_text", "recent:10"),
        ('history: "recent:10"', "history_text", "recent:10"),
        ("history:full", "history_text", "full"),
        ("history: None", "history_text", "none"),
        ("history:", "history_text", "none"),
        ("history: ~", "history_text", "none"),
        ("maxTokens: 400", "max_tokens", 400),
        ("maxTokens:\t400\t# short", "max_tokens", 400),
        ("maxTokens: 0400", "max_tokens", 400),
        ("maxTokens: '400'", "max_tokens", 400),
        ("maxTokens: 1_000", "max_tokens", 1000),
        ("maxTokens: 400.0", "max_tokens", 400),
        ("maxTokens : 400", "max_tokens", 400),
        ('"maxTokens": 400', "max_tokens", 400),
        ("  maxTokens: 400", "max_tokens", 400),
        ("maxRounds: 08", "max_rounds", 8),
        ("temperature: .2", "temperature", 0.2),
        ("temperature: 1", "temperature", 1.0),
        ("temperature: 2e-1", "temperature", 0.2),
        ("temperature: null", "temperature", None),
        ("topP: 0.9 # most", "top_p", 0.9),
        ("debug: yes", "debug", True),
        ("debug: True", "debug", True),
        ("debug: off", "debug", False),
        ("model: Main", "model", "main"),
        ("model: worker # cheap", "model", "worker"),
    ],
)
def test_a_field_is_read_as_its_type(line: str, name: str, meant: object) -> None:
    assert getattr(meta(line), name) == meant


@pytest.mark.parametrize(
    "lines",
    [
        ["contextFiles: [a.txt, .b c.json, '@x, y.txt']"],
        ["contextFiles: [a.txt, .b c.json, '@x, y.txt'"],
        ["contextFiles: [a.txt,", "  .b c.json, # comment", "  '@x, y.txt'", "]"],
        ["contextFiles: [", "  a.txt,", "  .b c.json,", '  "@x, y.txt",', "]"],
        ["contextFiles:", "  - a.txt", "  - .b c.json # comment", '  - "@x, y.txt"'],
        ["contextFiles:", "- a.txt", "- .b c.json", "", "# comment", "- @x, y.txt"],
        ["contextFiles:", "\t- a.txt", "\t- .b c.json", "\t- @x, y.txt"],
        ["contextFiles:", "    - a.txt", "  - .b c.json", "   -", "  - '@x, y.txt'"],
    ],
)
def test_a_list_is_read_in_every_form(lines: list[str]) -> None:
    assert meta(*lines, "history: full").context_files == ("a.txt", ".b c.json", "@x, y.txt")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (".lore.txt", (".lore.txt",)),
        ("a.txt, b.txt", ("a.txt", "b.txt")),
        ("'a, b.txt'", ("a, b.txt",)),
        ("[no, 08, 12:30, *.txt]", ("no", "08", "12:30", "*.txt")),
        ("[@home.txt, `x`.txt]", ("@home.txt", "`x`.txt")),
        ("[]", ()),
        ("", ()),
    ],
)
def test_names_in_a_list_are_texts(written: str, meant: tuple[str, ...]) -> None:
    assert meta(f"contextFiles: {written}").context_files == meant


SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Name: the person's name", "minLength": 1},
        "kind": {"enum": ["yes", "no", "08"]},
    },
    "required": ["name"],
}


@pytest.mark.parametrize(
    "lines",
    [
        [
            'params: {"type":"object","properties":{"name":{"type":"string",',
            '  "description":"Name: the person\'s name","minLength":1},',
            '  "kind":{"enum":["yes","no","08"]}},"required":["name"]}',
        ],
        [
            "params:",
            "  type: object",
            "  properties:",
            "    name:",
            "      type: string # comment",
            "      description: Name: the person's name",
            "      minLength: 1",
            "    kind:",
            "      enum: [yes, no, 08]",
            "  required:",
            "  - name",
        ],
        [
            "params: {type: object, properties: {name: {type: string,",
            '  description: "Name: the person\'s name", minLength: 1},',
            "  kind: {enum: [yes, no, '08']}}, required: [name]}",
        ],
        [
            "params: |",
            '  {"type":"object","properties":{"name":{"type":"string",',
            '  "description":"Name: the person\'s name","minLength":1},',
            '  "kind":{"enum":["yes","no","08"]}},"required":["name"]}',
        ],
        [
            "params:",
            "\ttype: object",
            "\tproperties:",
            "\t\tname:",
            "\t\t\ttype: string",
            "\t\t\tdescription: >-",
            "\t\t\t\tName: the person's",
            "\t\t\t\tname",
            "\t\t\tminLength: 1",
            "\t\tkind:",
            "\t\t\tenum:",
            "\t\t\t\t- yes",
            "\t\t\t\t- no",
            "\t\t\t\t- 08",
            "\trequired: [name]",
        ],
    ],
)
def test_a_schema_is_read_from_json_and_from_nested_lines(lines: list[str]) -> None:
    found = meta(*lines, "debug: true")
    assert found.params == SCHEMA and found.custom_params and found.debug


@pytest.mark.parametrize(
    "value",
    [
        "&a {type: object, properties: &b {x: *b}}",
        "{type: object, properties: *x}",
        "!!python/object:os.system {type: object}",
        '{type: object, x: !!python/name:os.system ""}',
        "{type: object, properties: {" + "a: {" * 200 + "}" * 202,
        "[" * 30_000,
        "{type: object",
        '{"type": "object", "$ref": "https://example.org/x.json"}',
    ],
)
def test_nothing_that_runs_or_grows_is_taken_from_a_schema(value: str) -> None:
    started = time.process_time()
    text = f"---\ndescription: x\nparams: {value}\n---\n"
    found, problems = effective_meta("m", read_prompt(text), "m.subagent.md")
    assert found is None
    assert [(problem.severity, problem.line) for problem in problems][-1] == ("error", 3)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "text",
    [
        "{break}{head}{break}{body}",
        "\ufeff---{break}description: d{break}history: full{break}---{break}{body}",
        "{break}{break}---  {break}description: d  {break}history: full\t{break}--- {break}{body}",
    ],
)
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_mark_line_breaks_and_trailing_blanks_do_not_matter(text: str, line_break: str) -> None:
    body = "One\n---\nTwo: %%CONTEXT%%\n"
    head = "---\ndescription: d\nhistory: full\n---"
    whole = text.replace("{head}", head.replace("\n", line_break))
    whole = whole.replace("{body}", body).replace("{break}", line_break)
    assert (read(whole).description, read(whole).history) == ("d", "full")
    prompt = read_prompt(whole.replace(body, body.replace("\n", line_break)))
    assert prompt.body == body.replace("\n", line_break)
    assert prompt.prompt == body


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_last_line_break_may_be_missing(end: str) -> None:
    prompt = read_prompt("---\ndescription: d\n---" + end)
    assert (prompt.body, prompt.head) == ("", "---\ndescription: d\n---" + end)
    assert read("---\ndescription: d\n---" + end).description == "d"


def test_every_field_knows_its_line_and_so_does_the_body() -> None:
    prompt = read_prompt("\n---\n# note\ndescription: >\n  a\n\nid: x\n---\nBody")
    assert {name: field.line for name, field in prompt.fields.items()} == {
        "description": 4,
        "id": 7,
    }
    assert prompt.body_line == 9


def test_a_field_given_twice_counts_last_and_is_told() -> None:
    prompt = read_prompt("---\ndescription: a\nhistory: full\ndescription: b\n---\n")
    assert read("---\ndescription: a\ndescription: b\n---").description == "b"
    assert [(note.line, note.fatal) for note in prompt.notes] == [(4, False)]


def test_a_field_that_slipped_a_blank_is_still_a_field() -> None:
    found = meta("description: x", " history: full", "   model: main", "maxTokens: 9")
    assert (found.history, found.model, found.max_tokens) == ("full", "main", 9)


def test_a_line_that_begins_no_field_is_told() -> None:
    prompt = read_prompt("---\nhello\ndescription: a\nmore\n---\n")
    assert [note.line for note in prompt.notes] == [2, 4]


def test_each_commented_line_of_a_scaffold_can_be_used() -> None:
    optional = [
        "history: none # none, recent:N, full",
        "maxTokens: 400",
        "contextFiles: [.a.txt]",
        "model: main",
        "temperature: 0.2",
    ]
    commented = meta("description: x", *(f"# {line}" for line in optional))
    used = meta("description: x", *optional)
    assert commented.max_tokens == 1024
    assert (used.max_tokens, used.model, used.temperature) == (400, "main", 0.2)


PLAIN = st.text(st.characters(codec="utf-8"), max_size=200)
WOBBLE = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "description: ",
                "params:",
                "contextFiles: [",
                "  - ",
                "- ",
                "|",
                ">",
                "'",
                '"',
                "{",
                "}",
                "]",
                ": ",
                "#",
                "\t",
                "\n",
                "\r\n",
                "---\n",
                "&a ",
                "*a",
                "!!int ",
                "<<: ",
                "? ",
                "\\x",
                "08",
            ]
        ),
        PLAIN,
    ),
    max_size=30,
).map("".join)


@given(WOBBLE)
def test_the_reader_never_raises_and_loses_nothing(text: str) -> None:
    whole = f"---\n{text}\n---\nBody"
    for candidate in (text, whole):
        prompt = read_prompt(candidate)
        assert prompt.head + prompt.body == candidate
        effective_meta("m", prompt, "m.subagent.md")


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=300))
def test_what_yaml_writes_is_read_as_yaml_reads_it(text: str) -> None:
    described = text.strip() or "x"
    written = yaml.safe_dump({"description": described, "maxTokens": 5}, allow_unicode=True)
    found, _ = effective_meta("m", read_prompt(f"---\n{written}---\n"), "m.subagent.md")
    assert found is not None
    assert (found.description, found.max_tokens) == (described, 5)


@pytest.mark.parametrize(
    "line",
    [
        "description: " + " " * 30_000,
        "description: x" + " " * 30_000 + "y",
        "description: " + "#" * 30_000,
        "description: " + " #1" * 10_000,
        'description: "' + "\\" * 30_000,
        "contextFiles: [" + '"' * 30_000,
        "contextFiles: [" + "'," * 15_000,
        "contextFiles: " + "," * 30_000,
        "params: " + "{" * 30_000,
        "params:\n" + "  - " * 7_500,
        "params:\n  a" + " " * 30_000,
        "params:\n" + "\n".join(" " * n + "a:" for n in range(1, 300)),
        "params: {" + "a: b, " * 5_000 + "}",
        "x" * 30_000 + ":",
        "\n".join("a: b" for _ in range(6_000)),
        "description: >\n" + "\n".join("  a" for _ in range(6_000)),
    ],
)
def test_no_frontmatter_takes_long_to_read(line: str) -> None:
    started = time.process_time()
    effective_meta("m", read_prompt(f"---\ndescription: x\n{line}\n---\n"), "m.subagent.md")
    assert time.process_time() - started < 3
