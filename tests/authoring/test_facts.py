"""What completions know of a project, read from its files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio_qt.authoring.completing import complete
from studio_qt.authoring.completing.facts import FileFacts, ProjectFacts, read_facts
from studio_qt.engine.grants import find_granted_store
from studio_qt.files.folder import FolderSource
from studio_qt.package import load_package
from tests.support.packages import build

CODE = "/**\n * @agent t.own\n * @description Rolls.\n * @tool roll\n */\n"
PROMPT = "---\ndescription: Ask him.\n---\nBody"
ENTRY = {
    "id": "t.marcus",
    "implementation": "studio.sub-agent",
    "promptFile": "marcus.subagent.md",
    "shared-agents": ["t.own"],
    "private-agents": ["studio.memory-store"],
}
FILES: dict[str, str | bytes] = {
    "agents/t.own.js": CODE,
    "agents/t.other.lua": "--[[\n@agent t.other\n@tool look\n]]",
    "agents/marcus.subagent.md": PROMPT,
    "agents/namer.subagent.md": PROMPT,
    "agents/lib/dice.min.js": "",
    "world/.tides.json": "{}",
    "world/deep/map.txt": "x",
    "instructions.txt": "Be.",
}


def facts_of(root: Path, last: ProjectFacts | None = None) -> ProjectFacts:
    paths = [path for path in root.rglob("*") if path.is_file()]
    files = [FileFacts(path.relative_to(root).as_posix(), path.stat().st_size) for path in paths]
    return read_facts(FolderSource(root), files, last)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    mapped = {"ContextDirectory": "world"}
    return build(tmp_path / "p", FILES, agents=["t.own", ENTRY], fileMappings=mapped)


@pytest.mark.clause("STU-08")
def test_names_come_from_the_list_the_files_and_the_program(root: Path) -> None:
    facts = facts_of(root)
    assert [agent.id for agent in facts.agents] == ["t.own", "t.marcus"]
    names = [one.id for one in facts.implementations]
    assert {"studio.memory-store", "t.own", "t.other"} <= {*names}
    assert facts.prompts == ("marcus.subagent.md", "namer.subagent.md")
    assert facts.context_files == (FileFacts("deep/map.txt", 1), FileFacts(".tides.json", 2))
    assert facts.libraries["dice"] == "agents/lib/dice.min.js"
    other = facts.find("t.other")
    assert other is not None
    assert other.tools == ("look",)


@pytest.mark.clause("SUB-04", "STU-08")
def test_a_prompt_file_knows_the_grants_of_what_it_makes(root: Path) -> None:
    (marcus,) = facts_of(root).of_prompt("agents/marcus.subagent.md")
    assert [(one.id, one.short) for one in marcus.granted] == [
        ("t.marcus.studio.memory-store", "studio.memory-store"),
        ("t.own", ""),
    ]


def test_while_the_config_is_being_written_what_was_known_of_it_stays(root: Path) -> None:
    facts = facts_of(root)
    (root / "config.json").write_text('{ "agents": [ "', encoding="utf-8")
    (root / "world" / "new.txt").write_text("new", encoding="utf-8")
    later = facts_of(root, facts)
    assert later.agents == facts.agents
    assert FileFacts("new.txt", 3) in later.context_files
    assert facts_of(root).agents == ()
    (root / "config.json").write_text(json.dumps({"agents": []}), encoding="utf-8")
    assert facts_of(root, facts).agents == ()


@pytest.mark.clause("SUB-05", "BR-07", "STU-08")
def test_every_store_that_is_offered_is_one_that_is_found(root: Path) -> None:
    package = load_package(root)
    facts = facts_of(root)
    sub_agent = package.agents[1]
    assert sub_agent.sub_agent is not None
    loaded = {one.id: one for one in (*package.agents, *sub_agent.sub_agent.private)}
    offered = complete("agents/marcus.subagent.md", "---\n---\n%%STORE:", 17, facts)
    references = [item.label.removeprefix("%%STORE:").removesuffix("%%") for item in offered]
    assert references == ["studio.memory-store", "t.own"]
    found = [find_granted_store(sub_agent, loaded, reference) for reference in references]
    assert found == ["t.marcus.studio.memory-store", "t.own"]
