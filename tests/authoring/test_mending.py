"""Every kind of fault is mended: the real loader finds it, and finds it no more afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.authoring.completing.facts import FileFacts, ProjectFacts, read_facts
from studio_qt.authoring.mending import KINDS, Mend, file_mends, mends
from studio_qt.authoring.mending.punctuation import repaired
from studio_qt.errors import Fault, Problem
from studio_qt.files.folder import FolderSource
from studio_qt.package import load_package
from tests.support.packages import build

CODE = "/**\n * @agent t.own\n * @tool roll\n */\nexport function onToolCall() { return 1; }\n"
PROMPT = "---\ndescription: Ask him.\n---\nBody\n"
SUB = {"id": "t.sub", "implementation": "studio.sub-agent", "promptFile": "sub.subagent.md"}
FILES = {
    "agents/t.own.js": CODE,
    "agents/sub.subagent.md": PROMPT,
    "context/.tides.json": "{}",
    "instructions.txt": "Be.",
}


@dataclass
class Package:
    """A package on the disk, its problems, and what mends them."""

    root: Path
    problems: tuple[Problem, ...] = field(default=())

    def load(self) -> tuple[Problem, ...]:
        self.problems = load_package(self.root).problems
        return self.problems

    def read(self, path: str) -> str | None:
        place = self.root / path
        return place.read_bytes().decode() if place.is_file() else None

    def mends(self, problem: Problem) -> list[Mend]:
        paths = [path for path in self.root.rglob("*") if path.is_file()]
        names = [FileFacts(path.relative_to(self.root).as_posix()) for path in paths]
        return mends(problem, self.read, read_facts(FolderSource(self.root), names))

    def apply(self, mend: Mend) -> None:
        for path, text in mend.changes.items():
            assert mend.seen[path] == self.read(path)
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())


def package(
    tmp_path: Path, files: Mapping[str, str], agents: list[object], **config: object
) -> Package:
    agents = agents or ["t.own", SUB]
    whole = json.dumps({"name": "Ada", "agents": agents, **config}, indent=2)
    build(tmp_path / "p", {**FILES, "config.json": whole, **files})
    made = Package(tmp_path / "p")
    made.load()
    return made


def field_of(line: str) -> dict[str, str]:
    return {"agents/sub.subagent.md": f"---\ndescription: Ask.\n{line}\nmodel: main # mine\n---\nx"}


def sub(**fields: object) -> list[object]:
    return ["t.own", {**SUB, **fields}]


def tagged(line: str, ending: str = "js") -> dict[str, str]:
    return {"agents/t.own.js": CODE.replace(" * @tool", f" * {line}\n * @tool")}


CASES: list[tuple[str, dict[str, str], list[object], str, str]] = [
    ("field-unknown", field_of("histroy: full"), [], "Write history", "history: full"),
    ("field-unknown", field_of("max_tokens: 5"), [], "Write maxTokens", "maxTokens: 5"),
    ("field-unknown", field_of("histroy: full"), [], "Take histroy out", ""),
    ("field-value", field_of("maxTokens: 9999 # big"), [], "Write 8192", "maxTokens: 8192 # big"),
    ("field-value", field_of("history: recent"), [], "Write recent:10", "history: recent:10"),
    ("field-value", field_of("history: all"), [], "Write full", "history: full"),
    ("field-value", field_of("temperature: 3"), [], "Write 2", "temperature: 2"),
    ("field-value", field_of("debug: maybe"), [], "Write true", "debug: true"),
    ("field-value", field_of("debug: maybe"), [], "Take debug out (false counts)", ""),
    ("field-value", field_of("maxRounds: many"), [], "Take maxRounds out (5 counts)", ""),
    ("field-value", {}, sub(maxRounds=99), "Write 10", '"maxRounds": 10'),
    ("field-value", {}, sub(model="gpt"), "Write main", '"model": "main"'),
    ("field-value", {}, sub(history=5), "Take history out (none counts)", ""),
    ("field-grants", field_of("shared-agents: [t.own]"), [], "Move shared-agents to config.json",
     '"shared-agents"'),
    ("field-grants", field_of("shared-agents:\n  - t.own"), ["t.own", "sub.subagent.md"],
     "Move shared-agents to config.json", '"id": "sub"'),
    ("field-grants", field_of("private-agents: [x]"), [], "Take private-agents out", ""),
    ("description-missing", {"agents/sub.subagent.md": "---\nmodel: main\n---\nx"}, [],
     "Begin a description", "description: Says"),
    ("description-missing", {"agents/sub.subagent.md": "---\ndescription:\n---\nx"}, [],
     "Begin a description", "description: Says"),
    ("frontmatter-missing", {"agents/sub.subagent.md": "Be him.\n"}, [],
     "Begin the file with a frontmatter", "---\nBe him.\n"),
    ("frontmatter-open", {"agents/sub.subagent.md": "---\ndescription: >\n  Ask.\n\nBe him.\n"}, [],
     "Close the frontmatter with ---", "  Ask.\n---\n\nBe him."),
    ("frontmatter-open", {"agents/sub.subagent.md": "---\ndescription: Ask."}, [],
     "Close the frontmatter with ---", "description: Ask.\n---\n"),
    ("context-file-missing", field_of("contextFiles: [.tide.json]"), [],
     "Write “.tides.json”", "[.tides.json]"),
    ("context-file-missing", field_of("contextFiles:\n  - .tides.json\n  - sea.txt"), [],
     "Take “sea.txt” out of the list", "  - .tides.json\n"),
    ("context-file-missing", field_of("contextFiles: [sea.txt]"), [], "Make context/sea.txt", ""),
    ("context-file-missing", {}, sub(contextFiles=["tides.json"]), "Write “.tides.json”",
     ".tides.json"),
    ("context-file-missing", {}, sub(contextFiles=["a.json"]), "Take “a.json” out of the list",
     '"contextFiles": []'),
    ("prompt-missing", {}, ["subs.subagent.md"], "Write “sub.subagent.md”", "sub.subagent.md"),
    ("prompt-missing", {}, sub(promptFile="new.subagent.md"), "Make agents/new.subagent.md", ""),
    ("prompt-missing", {}, sub(promptFile="sub"), "Write “sub.subagent.md”", "sub.subagent.md"),
    ("prompt-missing", {}, ["new.subagent.md", "t.own"],
     "Take “new.subagent.md” out of config.json", '"agents": [\n    "t.own"\n  ]'),
    ("agent-missing", {}, ["t.owm"], "Write “t.own”", '"t.own"'),
    ("agent-missing", {}, ["t.own.js"], "Write “t.own”", '"t.own"'),
    ("agent-missing", {}, ["t.new"], "Make agents/t.new.py (Python)", ""),
    ("agent-missing", {}, ["t.new.lua"], "Make agents/t.new.lua (Lua)", '"t.new"'),
    ("agent-missing", {}, ["studio.nothing"], "Take “studio.nothing” out of config.json", "[]"),
    ("agent-missing", {}, [{"id": "x", "implementation": "studio.agentdb"}],
     "Write “studio.agent-db”", '"implementation": "studio.agent-db"'),
    ("agent-missing", {}, sub(**{"private-agents": ["t.none"]}),
     "Take “t.none” out of config.json", '"sub.subagent.md"\n    }'),
    ("agent-twice", {}, ["t.own", "t.own"], "Take the second entry out", '"t.own"\n  ]'),
    ("agent-twice", {}, ["t.own", {"id": "T.own", "implementation": "studio.agent-db"}],
     "Call the second one “T.own-2”", '"id": "T.own-2"'),
    ("agent-name", {"agents/t.own.js": CODE.replace("t.own", "t.won")}, [],
     "Write @agent t.own", "@agent t.own"),
    ("manifest-missing", {"agents/t.own.js": "export const x = 1;\n"}, [],
     "Begin the file with a manifest", "/**\n * @agent t.own\n */\n\nexport"),
    ("agent-tag-missing", {"agents/t.own.js": "/** Rolls dice. */\n"}, [],
     "Write @agent t.own", "/**\n * @agent t.own\n"),
    ("grant-unknown", {}, sub(**{"shared-agents": ["t.owm"]}), "Write “t.own”", '"t.own"\n      ]'),
    ("grant-unknown", {}, [{**SUB, "shared-agents": ["t.own"]}], "Add “t.own” to the agents",
     '},\n    "t.own"'),
    ("grant-unknown", {}, sub(**{"shared-agents": ["x", "t.own"]}), "Take “x” out of the grants",
     '"t.own"\n      ]'),
    ("grant-refused", {}, sub(**{"shared-agents": ["t.sub"]}), "Take “t.sub” out of the grants",
     '"sub.subagent.md"\n    }'),
    ("grant-refused", {}, sub(**{"shared-agents": ["t.own", "t.own"]}),
     "Take “t.own” out of the grants", '"t.own"\n      ]'),
    ("tag-unknown", tagged("@prelaod true"), [], "Write @preload", "@preload true"),
    ("tag-unknown", tagged("@Preload true"), [], "Take @Preload out", ""),
    ("api-unknown", tagged("@api history"), [], "Write @api studio.history", "@api studio.history"),
    ("api-unknown", tagged("@api studio.files"), [], "Take @api studio.files out", ""),
    ("hook-unknown", tagged("@hook onAfterResponse"), [], "Write @hook afterResponse",
     "@hook afterResponse"),
    ("lib-missing", tagged("@lib weighted-choice.js"), [], "Write @lib weighted-choice",
     "@lib weighted-choice\n"),
    ("lib-missing", tagged("@lib nothing"), [], "Take @lib nothing out", ""),
    ("lib-module", {**tagged("@lib m"), "agents/lib/m.js": "export const x = 1;"}, [],
     "Take @lib m out of agents/t.own.js", ""),
    ("lib-unused", {"agents/t.py.py": '"""\n@agent t.py\n@lib m\n"""\n'}, ["t.py"],
     "Take @lib out", ""),
    ("tool-name", {"agents/t.own.js": CODE.replace("roll\n", "roll.it\n") + 'x === "roll.it"'}, [],
     "Call it roll_it", 'x === "roll_it"'),
    ("text-missing", {"instructions.txt": ""}, [], "Begin the text", "You are Ada."),
]  # fmt: skip


@pytest.mark.clause("STU-08")
@pytest.mark.parametrize(
    ("kind", "files", "agents", "title", "words"), CASES, ids=[f"{c[0]}-{c[3]}" for c in CASES]
)
def test_a_mend_takes_its_problem_away_and_brings_no_error(
    tmp_path: Path, kind: str, files: dict[str, str], agents: list[object], title: str, words: str
) -> None:
    made = package(tmp_path, files, agents)
    problem = next(one for one in made.problems if one.fault and one.fault.kind == kind)
    errors = {one for one in made.problems if one.severity == "error"}
    offered = made.mends(problem)
    mend = next((one for one in offered if one.title == title), None)
    assert mend is not None, [one.title for one in offered]
    made.apply(mend)
    assert any(words in text for text in mend.changes.values()), mend.changes
    assert problem not in made.load()
    assert {one for one in made.problems if one.severity == "error"} <= errors, made.problems


@pytest.mark.parametrize(
    "title", ["Write “texts/intro.txt”", "Make intor.txt", "Take the mapping out"]
)
def test_a_mapping_to_nothing_is_mended(tmp_path: Path, title: str) -> None:
    mapped = {"Introduction": "intor.txt"}
    made = package(tmp_path, {"texts/intro.txt": "Hi"}, [], fileMappings=mapped)
    problem = next(one for one in made.problems if one.fault)
    made.apply(next(one for one in made.mends(problem) if one.title == title))
    assert made.load() == ()


@pytest.mark.parametrize("title", ["Write “Instructions”", "Take “instruction” out"])
def test_an_unknown_mapping_is_mended(tmp_path: Path, title: str) -> None:
    mapped = {"instruction": "instructions.txt"}
    made = package(tmp_path, {}, [], fileMappings=mapped)
    (problem,) = made.problems
    made.apply(next(one for one in made.mends(problem) if one.title == title))
    assert made.load() == ()


STUBS = {
    "t.a.js": ("/**\n * @agent t.a\n */\n", "export function onLoad(store, studio, context) {"),
    "t.a.ts": ("/**\n * @agent t.a\n */\n", "export function onLoad(store: any, studio: any,"),
    "t.a.py": ('"""\n@agent t.a\n"""\n', "def on_load(store, studio, context):\n    return None"),
    "t.a.lua": ("--[[\n@agent t.a\n]]\n", "function on_load(store, studio, context)\n"),
}


@pytest.mark.parametrize("name", STUBS)
def test_a_function_that_is_promised_is_begun_in_the_language_of_the_file(
    tmp_path: Path, name: str
) -> None:
    code, words = STUBS[name]
    made = package(tmp_path, {f"agents/{name}": code}, ["t.a"])
    fault = Fault("handler-missing", ("onLoad",))
    (mend,) = made.mends(Problem("error", f"agents/{name}", 1, "", fault))
    assert mend.changes[f"agents/{name}"].startswith(code.rstrip())
    assert words in mend.changes[f"agents/{name}"]


def test_a_text_that_has_changed_since_is_not_mended_any_more(tmp_path: Path) -> None:
    made = package(tmp_path, field_of("histroy: full"), sub(**{"shared-agents": ["x"]}))
    problems = [one for one in made.problems if one.fault]
    assert len(problems) == 2
    (made.root / "agents/sub.subagent.md").write_text("---\nother: 1\n---\n", encoding="utf-8")
    (made.root / "config.json").write_text('{"agents": ["x"]}', encoding="utf-8")
    assert [mend.title for one in problems for mend in made.mends(one)] == []


@pytest.mark.parametrize(
    "prompt", ["---\nhistory: none\n---\nx", "---\ndescription: Ask.\nmodel: main\n"]
)
@pytest.mark.parametrize("since", ["", "text", "description: x\n"])
def test_a_frontmatter_that_is_gone_by_now_is_left_alone(
    tmp_path: Path, prompt: str, since: str
) -> None:
    made = package(tmp_path, {"agents/sub.subagent.md": prompt}, [])
    problems = [one for one in made.problems if one.fault]
    assert problems
    (made.root / "agents/sub.subagent.md").write_text(since, encoding="utf-8")
    assert [made.mends(one) for one in problems] == [[] for _ in problems]


def test_what_is_mended_keeps_line_ends_marks_and_all_other_letters(tmp_path: Path) -> None:
    text = "\ufeff---\r\ndescription: Ask.\r\nhistroy: full  # all\r\nother: [1]\r\n---\r\nBody\r\n"
    made = package(tmp_path, {"agents/sub.subagent.md": text}, [])
    problem = next(one for one in made.problems if one.fault)
    mend = made.mends(problem)[0]
    assert mend.changes["agents/sub.subagent.md"] == text.replace("histroy", "history")


def test_every_kind_that_is_reported_has_a_way_and_every_way_a_test() -> None:
    tested = {kind for kind, *_ in CASES}
    tested |= {"mapping-unknown", "mapping-missing", "handler-missing", "config-broken"}
    assert tested == KINDS
    root = Path(__file__).parents[2] / "studio_qt"
    code = "".join(path.read_text(encoding="utf-8") for path in root.rglob("*.py"))
    for kind in KINDS:
        assert f'Fault("{kind}"' in code or f'kind="{kind}"' in code, kind


@pytest.mark.clause("PKG-10", "STU-08")
@pytest.mark.parametrize(
    ("broken", "whole", "title"),
    [
        ('{"a": [1, 2,],}', '{"a": [1, 2]}', "Take the comma out that is too many"),
        ('{"a": 1,, "b": 2}', '{"a": 1, "b": 2}', "Take the comma out that is too many"),
        ('{\n  "a": "x"\n  "b": 2\n}', '{\n  "a": "x",\n  "b": 2\n}', "Put the missing comma in"),
        ('{"a": ["a" {"b": 1}]}', '{"a": ["a", {"b": 1}]}', "Put the missing comma in"),
        ('{"a" 1}', '{"a": 1}', "Put the missing colon in"),
        ('{"a": 1} // all', '{"a": 1} ', "Take the comments out"),
        ("{'a': 'it\\'s'}", '{"a": "it\'s"}', "Put the words in quotes"),
        ("{a: True}", '{"a": true}', "Put the words in quotes"),
        ('{"a": ["x"', '{"a": ["x"]}', "Close the brackets that are open"),
        ('{"a": ["x",\n', '{"a": ["x"]}\n', "Mend the punctuation"),
    ],
)
def test_punctuation_of_a_config_is_mended_and_nothing_else_changed(
    broken: str, whole: str, title: str
) -> None:
    problem = Problem("error", "config.json", 1, "", Fault("config-broken"))
    (mend,) = mends(problem, lambda _path: broken, ProjectFacts())
    assert mend.changes["config.json"] == whole
    assert mend.title == title


@pytest.mark.parametrize(
    "text", ['{"a": "x', "{]}", '{"a":: 1}', "", '{"a": 1}', "{{}}", "\x00", "[1,]"]
)
def test_what_nobody_can_read_is_left_alone(text: str) -> None:
    problem = Problem("error", "config.json", 1, "", Fault("config-broken"))
    assert mends(problem, lambda _path: text, ProjectFacts()) == []


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))  # fmt: skip
def test_what_is_json_already_is_read_as_it_is(value: object) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    assert repaired(text) == (text, frozenset())


@pytest.mark.clause("STU-07")
def test_an_agent_that_is_not_listed_can_be_listed(tmp_path: Path) -> None:
    made = package(tmp_path, {"agents/t.new.js": CODE.replace("t.own", "t.new")}, [])
    (mend,) = file_mends("agents/t.new.js", made.read)
    assert mend.title == "List t.new in config.json"
    made.apply(mend)
    assert [agent.id for agent in load_package(made.root).agents][-1] == "t.new"
    assert file_mends("agents/t.new.js", made.read) == []
    assert file_mends("context/.tides.json", made.read) == []
