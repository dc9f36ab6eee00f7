"""What is offered at a place in each kind of file, and what is told about a word."""

from __future__ import annotations

import json

import pytest

from studio_qt.authoring.completing import ProjectFacts
from studio_qt.authoring.completing.facts import FileFacts
from studio_qt.authoring.completing.words import VALUE_HELP
from studio_qt.package.manifest import APIS, HOOKS, parse_manifest
from studio_qt.package.subagents.effective import effective_meta
from studio_qt.package.subagents.prompt import read_prompt
from studio_qt.package.subagents.scalars import list_items
from tests.authoring.places import FACTS, labels, offered, taken, told

SUB = "agents/marcus.subagent.md"
HEAD = "---\ndescription: Ask him.\n"


# Frontmatter


@pytest.mark.clause("STU-08")
def test_fields_that_are_not_there_are_offered_in_the_documents_order() -> None:
    found = labels(SUB, f"{HEAD}|\nmodel: main\n---\nBody")
    assert found[:4] == ["id", "params", "history", "contextFiles"]
    assert not {"description", "model"} & set(found)


@pytest.mark.parametrize(
    ("typed", "label", "text"),
    [
        ("hi|", "history", "history: |"),
        ("contextF|", "contextFiles", "contextFiles:\n  - |"),
        ("desc|ription: x", "description", "description|: x"),
        ("# mod|", "model", "# model: |"),
    ],
)
def test_a_field_comes_with_what_follows_it(typed: str, label: str, text: str) -> None:
    marked = f"---\n{typed}\n---\n"
    assert taken(SUB, marked, label) == f"---\n{text}\n---\n"


def test_the_list_of_fields_opens_with_the_first_letter_and_on_request_only_before() -> None:
    assert not any(item.eager for item in offered(SUB, f"{HEAD}|\n---\n"))
    assert all(item.eager for item in offered(SUB, f"{HEAD}mo|\n---\n"))
    assert labels(SUB, f"{HEAD}mo|\n---\n") == ["model"]


@pytest.mark.clause("STU-08")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("history: |", ["none", "recent:10", "recent:4", "recent:20", "full"]),
        ("history: re|", ["recent:10", "recent:4", "recent:20"]),
        ("model: |", ["worker", "main"]),
        ("debug: t|", ["true"]),
        ("id: |", ["marcus"]),
        ("description: |", []),
        ("model: main # |", []),
    ],
)
def test_values_are_offered_after_their_field(line: str, found: list[str]) -> None:
    assert labels(SUB, f"---\n{line}\n---\n") == found


@pytest.mark.clause("STU-08")
@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("contextFiles:\n  - |", "contextFiles:\n  - .tides.json|"),
        ("contextFiles:\n  - gray\n  - .ti|des.json", "contextFiles:\n  - gray\n  - .tides.json|"),
        ("contextFiles: [|]", "contextFiles: [.tides.json|]"),
        ("contextFiles: [graypoint.txt, .t|]", "contextFiles: [graypoint.txt, .tides.json|]"),
        ("contextFiles: [\n  .t|\n]", "contextFiles: [\n  .tides.json|\n]"),
        ('contextFiles: [".t|"]', 'contextFiles: [".tides.json"|]'),
        ("contextFiles: |", "contextFiles: .tides.json|"),
        ("contextFiles:\n  - '|", "contextFiles:\n  - '.tides.json'|"),
    ],
)
def test_context_files_are_completed_in_every_form_of_list(typed: str, text: str) -> None:
    assert taken(SUB, f"---\n{typed}\nmodel: main\n---\n", ".tides.json") == (
        f"---\n{text}\nmodel: main\n---\n"
    )


def test_a_context_file_is_offered_once_and_quoted_where_its_name_needs_that() -> None:
    marked = "---\ncontextFiles:\n  - .tides.json\n  - |\n  - graypoint.txt\n---\n"
    assert labels(SUB, marked) == ["the lamp, room.txt"]
    assert '- "the lamp, room.txt"|\n' in taken(SUB, marked, "the lamp, room.txt")
    assert labels(SUB, "---\nother:\n  - |\n---\n") == []


def test_nothing_of_the_frontmatter_is_offered_below_it() -> None:
    assert labels(SUB, f"{HEAD}---\nhist|") == []
    assert labels(SUB, "hist|") == []


# Macros


@pytest.mark.clause("STU-08", "SUB-05")
def test_macros_are_offered_in_the_body_with_the_stores_of_grants() -> None:
    assert labels(SUB, f"{HEAD}---\nKnow %%|") == [
        "%%CONTEXT%%",
        "%%HISTORY%%",
        "%%CHARACTER_INSTRUCTIONS%%",
        "%%STORE:studio.memory-store%%",
        "%%STORE:keeper.maps%%",
    ]
    assert labels(SUB, f"{HEAD}---\n%%STO|") == labels(SUB, f"{HEAD}---\n%%|")[3:]
    assert labels("agents/namer.subagent.md", f"{HEAD}---\n%%STO|") == []


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("a %%CON|", "a %%CONTEXT%%| "),
        ("%%HISTORY%% %%C|%%", "%%HISTORY%% %%CONTEXT%%| "),
        ("%%STORE:x|%%", "%%CONTEXT%%| "),
        ("100%%|", "100%%CONTEXT%%| "),
    ],
)
def test_a_macro_takes_the_place_of_what_is_there_of_it(line: str, text: str) -> None:
    marked = f"{HEAD}---\n{line} "
    if "STORE" in line:  # another macro is not what is typed
        assert labels(SUB, marked) == []
    else:
        assert taken(SUB, marked, "%%CONTEXT%%") == f"{HEAD}---\n{text}"


def test_no_macro_is_offered_behind_a_whole_one_nor_within_a_word() -> None:
    assert not any(item.eager for item in offered(SUB, f"{HEAD}---\n%%CONTEXT%%|"))
    assert labels(SUB, f"{HEAD}---\nwor|d") == []


def test_the_system_prompt_has_its_one_macro_and_other_texts_have_none() -> None:
    assert labels("system-prompt.txt", "%%|") == ["%%CHARACTER_INSTRUCTIONS%%"]
    assert labels("instructions.txt", "%%|") == []


# Manifests

BLOCKS = {
    "a.js": ("/**\n * @agent a\n * ", "\n */\n"),
    "a.ts": ("/**\n * @agent a\n * ", "\n */\n"),
    "a.py": ('"""\n@agent a\n', '\n"""\n'),
    "a.lua": ("--[[\n@agent a\n", "\n]]\n"),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_tags_are_offered_in_the_manifest_of_every_language(name: str) -> None:
    opened, closed = BLOCKS[name]
    found = labels(f"agents/{name}", f"{opened}@|{closed}")
    assert found[:3] == ["@version", "@description", "@tool"]
    assert ("@lib" in found) == (name in ("a.js", "a.ts"))
    assert "@agent" not in found
    assert labels(f"agents/{name}", f"{opened}x{closed}@|") == []
    assert labels(f"agents/lib/{name}", f"{opened}@|{closed}") == []


def test_a_tool_is_followed_by_its_description_and_parameters_first() -> None:
    block = "/**\n * @agent a\n * @tool roll\n * @|\n */"
    assert labels("agents/a.js", block)[0] == "@tool-description"
    block = "/**\n * @agent a\n * @tool roll\n * @tool-description x\n * @|\n */"
    assert labels("agents/a.js", block)[0] == "@tool-params"
    assert '@tool-params {"type": "object", "properties": {|}' in taken(
        "agents/a.js", block, "@tool-params"
    )


@pytest.mark.parametrize(
    ("tag", "found"),
    [
        ("api", ["studio.history", "studio.context", "studio.model", "studio.grants"]),
        ("hook", ["conversationStart", "beforeResponse", "afterResponse", "afterToolCall"]),
        ("lib", ["dice", "weighted-choice"]),
        ("preload", ["true", "false"]),
        ("agent", ["a"]),
    ],
)
def test_the_values_of_a_tag_are_offered(tag: str, found: list[str]) -> None:
    assert labels("agents/a.js", f"/**\n * @{tag} |\n */")[:4] == found


def test_a_namespace_is_offered_once_and_a_command_is_answered_by_a_function_of_the_file() -> None:
    block = "/**\n * @api studio.model\n * @api |\n */"
    assert "studio.model" not in labels("agents/a.js", block)
    code = "/**\n * @command @roll |\n */\nexport function roll() {}\nexport function onLoad() {}"
    assert labels("agents/a.js", code) == ["roll"]


# The bridge


@pytest.mark.clause("BR-10", "STU-08")
@pytest.mark.parametrize("name", ["a.js", "a.ts", "a.py", "a.lua"])
def test_the_bridge_has_the_same_members_in_every_language(name: str) -> None:
    path = f"agents/{name}"
    assert labels(path, "studio.|") == [
        *("toast", "log", "callModel", "history", "context", "grants", "web"),
    ]
    assert labels(path, "  x = studio.history.se|") == ["search"]
    assert labels(path, "if studio.context.|") == ["readFile"]
    assert labels(path, "studio.nothing.|") == []
    assert labels(path, "my.studio.|") == []
    assert labels(path, "studio.|", quoted=True) == []
    assert "conversationLength" in labels(path, "context.|")
    assert labels(path, "context['ag|", quoted=True) == ["agentId"]


def test_optional_chains_are_followed() -> None:
    assert labels("agents/a.js", "studio?.web?.f|") == ["fetch"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("agents/a.js", "export async function onAfterResponse(e, store, bridge, ctx) {\n  "),
        ("agents/a.ts", "export function onAfterResponse(e: object, s: S, bridge: B, ctx: C) {\n "),
        ("agents/a.js", "export const onAfterResponse = async (e, s, bridge, ctx) => {\n  "),
        ("agents/a.py", "async def on_after_response(e, store, bridge, ctx=None):\n    "),
        ("agents/a.lua", "function on_after_response(e, store, bridge, ctx)\n  "),
    ],
)
def test_a_handlers_own_names_of_its_parameters_count(path: str, code: str) -> None:
    assert labels(path, f"{code}e.resp|") == ["responseText"]
    assert labels(path, f"{code}bridge.lo|") == ["log"]
    assert labels(path, f"{code}ctx.char|") == ["characterName"]


@pytest.mark.parametrize(
    ("path", "code", "found"),
    [
        ("agents/a.js", "const page = await studio.web.fetch(url);\npage.ti|", ["title"]),
        ("agents/a.py", "page = await studio.web.fetch(url)\nprint(page.st|", ["status"]),
        ("agents/a.lua", "local page = studio.web.fetch(url):await()\nreturn page.tex|", ["text"]),
        ("agents/a.js", "for (const turn of await studio.history.search(q)) turn.ro|", ["role"]),
        ("agents/a.py", "t = await studio.history.range(0, 9)\nfor x in t:\n  x.co|", ["content"]),
        ("agents/a.lua", "for _, t in ipairs(studio.history.search(q):await()) do t.|",
         ["role", "content", "index"]),
        ("agents/a.js", "export function onAfterResponse(event) {\n"
         "  for (const call of event.toolCalls) call.na|", ["name"]),
        ("agents/a.js", "const x = other.thing(1);\nx.|", []),
        ("agents/a.js", "const text = await studio.callModel('', []);\ntext.|", []),
    ],
)  # fmt: skip
def test_what_the_bridge_gave_is_known_in_the_variable_that_holds_it(
    path: str, code: str, found: list[str]
) -> None:
    assert labels(path, code) == found


@pytest.mark.parametrize(
    ("path", "code", "label", "more"),
    [
        ("agents/a.js", "function onLo|", "onLoad", "(store, studio, context)|"),
        ("agents/a.py", "def on_to|", "on_tool_call", "(tool_name, args, store, studio, context)|"),
        ("agents/a.lua", "function on_lo|()", "on_load", "|()"),
    ],
)
def test_handlers_are_offered_under_the_name_that_is_called(
    path: str, code: str, label: str, more: str
) -> None:
    assert taken(path, code, label) == f"{code.split(maxsplit=1)[0]} {label}{more}"


def test_lua_awaits_what_the_bridge_gives() -> None:
    assert taken("agents/a.lua", "local t = studio.history.search(q):|", "await") == (
        "local t = studio.history.search(q):await()|"
    )


@pytest.mark.clause("BR-09")
@pytest.mark.parametrize("name", BLOCKS)
def test_taking_a_method_declares_its_namespace_where_that_is_missing(name: str) -> None:
    opened, closed = BLOCKS[name]
    star = " * " if name in ("a.js", "a.ts") else ""
    text = taken(f"agents/{name}", f"{opened}x{closed}studio.history.|", "search")
    assert f"@agent a\n{star}@api studio.history\n{star}x" in text
    assert text.endswith("studio.history.search|")
    again = text.replace("search|", "|", 1)
    assert taken(f"agents/{name}", again, "range") == again.replace("|", "range|")


# config.json


def config(agents: str) -> str:
    return '{\n  "name": "Ada",\n  "agents": [' + agents + "]\n}\n"


@pytest.mark.clause("STU-08")
def test_agents_are_offered_by_the_names_that_an_entry_takes() -> None:
    assert labels("config.json", config('"|"')) == [
        "marcus.subagent.md",
        "namer.subagent.md",
        "keeper.maps",
        "studio.memory-store",
    ]
    assert labels("config.json", config('"keeper.maps", "ma|", "marcus.subagent.md"')) == []
    assert taken("config.json", config('"stu|"'), "studio.memory-store") == config(
        '"studio.memory-store|"'
    )
    assert taken("config.json", config('"stu|'), "studio.memory-store") == config(
        '"studio.memory-store"|'
    )


ENTRY = '{ "id": "x", "implementation": "studio.sub-agent", %s }'


@pytest.mark.clause("STU-08", "SUB-04")
@pytest.mark.parametrize(
    ("field", "found"),
    [
        ('"promptFile": "|"', ["marcus.subagent.md", "namer.subagent.md"]),
        ('"history": "|"', ["none", "recent:10", "recent:4", "recent:20", "full"]),
        ('"debug": |', ["true", "false"]),
        ('"contextFiles": [".tides.json", "|"]', ["graypoint.txt", "the lamp, room.txt"]),
        ('"shared-agents": ["keeper.maps", "|"]', ["studio.memory-store"]),
        ('"private-agents": ["|"]', ["keeper.maps", "studio.memory-store"]),
        ('"private-agents": [{"implementation": "stu|"}]', ["studio.memory-store"]),
        ('"private-agents": [{"contextFile": "ti|"}]', [".tides.json"]),
    ],
)
def test_the_fields_of_an_entry_have_their_values(field: str, found: list[str]) -> None:
    assert labels("config.json", config(ENTRY % field)) == found


def test_keys_are_offered_by_what_the_entry_is_and_begin_their_value() -> None:
    found = labels("config.json", config(ENTRY % '"|"'))
    assert found[0] == "promptFile"
    assert "implementation" not in found
    assert labels("config.json", config('{ "|" }'))[:2] == ["id", "implementation"]
    marked = config(ENTRY % '"shared|"')
    assert '"shared-agents": ["|"] }' in taken("config.json", marked, "shared-agents")
    marked = config(ENTRY % '"maxT|": 5')
    assert '"maxTokens|": 5 }' in taken("config.json", marked, "maxTokens")


def test_keys_of_the_whole_and_of_mappings_are_offered_with_the_files_of_the_project() -> None:
    assert labels("config.json", '{ "|" }')[0] == "name"
    assert labels("config.json", '{ "fileMappings": { "Intro|" } }') == ["Introduction"]
    marked = '{ "fileMappings": { "Introduction": "|" } }'
    assert labels("config.json", marked) == ["instructions.txt", "texts/intro.txt"]
    assert labels("other.json", '{ "|" }') == []


# Hover


@pytest.mark.clause("STU-08")
@pytest.mark.parametrize(
    ("path", "marked", "head", "words"),
    [
        (SUB, "---\nhis|tory: none\n---\n", "history", "How much of the conversation"),
        (SUB, "---\nhistory: rec|ent:7\n---\n", "recent:7", "last 7 messages"),
        (SUB, "---\nmodel: main|\n---\n", "main", "conversation"),
        (SUB, "---\ncontextFiles: [.tid|es.json]\n---\n", ".tides.json", "4.2 KB"),
        (SUB, "---\n---\nx %%CON|TEXT%%\n", "%%CONTEXT%%", "contextFiles"),
        (SUB, "---\n---\n%%STORE:keeper|.maps%%", "%%STORE:keeper.maps%%", "Knows the coast"),
        ("agents/a.js", "/**\n * @pre|load true\n */", "@preload", "onLoad"),
        ("agents/a.js", "/**\n * @api studio.we|b\n */", "studio.web", "public pages"),
        ("agents/a.py", "x = await studio.history.sea|rch(q)", "search", "gives a list of Turn"),
        ("agents/a.lua", "studio.history.sea|rch(q)", "search", "):await()` gives"),
        ("agents/a.js", "st|udio.log(1)", "studio", "The bridge"),
        ("agents/a.py", "def on_lo|ad(store):", "on_load", "@preload"),
        ("agents/a.lua", "x = context.inv|okedBy", "invokedBy", "Who calls"),
        ("config.json", '{ "agents": ["keeper.m|aps"] }', "keeper.maps", "show_map"),
        ("config.json", '{ "age|nts": [] }', "agents", "can do"),
    ],
)
def test_a_word_is_explained_from_the_same_source(
    path: str, marked: str, head: str, words: str
) -> None:
    found = told(path, marked)
    assert found is not None
    assert found.head.startswith(head)
    assert words in found.text


def test_what_nobody_knows_is_not_explained() -> None:
    assert told(SUB, "---\nwea|ther: x\n---\n") is None
    assert told("agents/a.js", "const x| = 1") is None
    assert told("instructions.txt", "hist|ory") is None


# How it is found


def test_letters_find_names_by_their_beginnings_and_better_ones_come_first() -> None:
    assert labels(SUB, "---\nmt|\n---\n") == ["maxTokens"]
    assert labels(SUB, "---\nmax|\n---\n") == ["maxTokens", "maxRounds"]
    assert labels("config.json", config('"memo|"')) == ["studio.memory-store"]


@pytest.mark.parametrize("path", [SUB, "config.json", "agents/a.js", "agents/a.py", "agents/a.lua"])
def test_no_text_at_all_makes_it_fail(path: str) -> None:
    text = '---\n{"a": [ "\\ @tool %%STORE: studio. context["x \'\'\' --[[ /** - [\n--- ]}"'
    for at in range(len(text) + 1):
        for whole in (True, False):
            labels(path, f"{text[:at]}|{text[at:]}", whole=whole)
            told(path, f"{text[:at]}|{text[at:]}", whole=whole)


def test_nothing_is_known_of_an_empty_project_and_nothing_fails() -> None:
    assert labels("config.json", config('"|"'), ProjectFacts()) == []
    assert FACTS.find("nobody") is None


# What is offered is right


@pytest.mark.clause("SUB-02", "STU-08")
@pytest.mark.parametrize("field", VALUE_HELP)
def test_every_value_that_is_offered_is_one_that_the_field_takes(field: str) -> None:
    for item in offered(SUB, f"---\n{field}: |\n---\n"):
        prompt = read_prompt(f"---\ndescription: x\n{field}: {item.insert}\n---\n")
        assert effective_meta("x", prompt, SUB)[1] == (), item.insert


@pytest.mark.clause("MAN-02", "MAN-04")
def test_a_manifest_of_everything_that_is_offered_has_no_fault() -> None:
    lines = ["@agent a"]
    for tag in ("api", "hook", "preload", "debug"):
        found = labels("agents/a.js", f"/**\n * @{tag} |\n */")
        lines += [f"@{tag} {value}" for value in found]
    text = "/**\n" + "".join(f" * {line}\n" for line in lines) + " */"
    manifest, problems = parse_manifest(text, "javascript", "agents/a.js")
    assert problems == ()
    assert manifest.apis == APIS
    assert manifest.hooks == HOOKS


ODD = (
    'He said "hi".txt',
    "it's.txt",
    "a, b.txt",
    "#1.txt",
    "back\\slash.txt",
    "- x.txt",
    "日本.txt",
)


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize(
    "typed", ["\n  - |", " [|]", " [graypoint.txt, |]", '\n  - "|', "\n  - '|"]
)
def test_any_name_of_a_file_is_read_as_that_name(name: str, typed: str) -> None:
    facts = ProjectFacts(context_files=(FileFacts(name),))
    text = taken(SUB, f"---\ncontextFiles:{typed}\n---\n", name, facts).replace("|", "", 1)
    field = read_prompt(text).fields["contextFiles"]
    assert list_items(field.lines)[-1] == name


@pytest.mark.parametrize("name", ODD)
def test_any_name_of_a_file_is_written_as_json(name: str) -> None:
    facts = ProjectFacts(context_files=(FileFacts(name),))
    for typed in ('"|"', "|", '"|'):
        text = taken("config.json", config(ENTRY % f'"contextFile": {typed}'), name, facts)
        assert json.loads(text.replace("|", "", 1))["agents"][0]["contextFile"] == name
