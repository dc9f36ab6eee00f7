"""Scaffolds: each new file loads without a problem, and its code runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from studio_qt import CharacterPlayer
from studio_qt.package import load_package
from studio_qt.sandbox import AgentCode, SandboxHost
from studio_qt.ui.project.scaffolds import SCAFFOLDS, Scaffold
from tests.support.sandbox import ROOMY, Guest

AGENTS = [name for name, scaffold in SCAFFOLDS.items() if scaffold.is_agent]
_OFF = re.compile(r"^(\s*\*?\s*)# (?=@|[A-Za-z]+:)", re.MULTILINE)


def _package(root: Path, scaffold: Scaffold, stem: str, text: str) -> Path:
    name = scaffold.file_name(stem)
    (root / "agents").mkdir(parents=True)
    (root / "instructions.txt").write_text("Be.")
    (root / "agents" / name).write_text(text)
    (root / "config.json").write_text(json.dumps({"agents": [scaffold.entry(name)]}))
    return root


@pytest.mark.parametrize("kind", [*AGENTS, "newSubAgent"])
def test_each_scaffold_loads_without_a_problem(kind: str, tmp_path: Path) -> None:
    scaffold = SCAFFOLDS[kind]
    text = scaffold.text(scaffold.file_name("my.night-watch"))
    package = load_package(_package(tmp_path, scaffold, "my.night-watch", text))
    assert package.problems == ()
    agent = package.agents[0]
    assert agent.id == "my.night-watch"
    assert [tool.name for tool in agent.tools] == ["night_watch"]


@pytest.mark.clause("SUB-01")
@pytest.mark.parametrize("kind", [*AGENTS, "newSubAgent"])
def test_each_line_that_is_switched_off_is_valid_when_switched_on(
    kind: str, tmp_path: Path
) -> None:
    scaffold = SCAFFOLDS[kind]
    text = scaffold.text(scaffold.file_name("my.agent"))
    lines = list(_OFF.finditer(text))
    assert len(lines) >= 6
    for number, line in enumerate(lines):
        switched = text[: line.start()] + line[1] + text[line.end() :]
        package = load_package(_package(tmp_path / str(number), scaffold, "my.agent", switched))
        assert package.problems == (), line[0]
    everything = load_package(
        _package(tmp_path / "all", scaffold, "my.agent", _OFF.sub(r"\1", text))
    )
    assert everything.problems == ()


@pytest.mark.parametrize("kind", AGENTS)
async def test_the_code_of_each_scaffold_runs(kind: str, tmp_path: Path) -> None:
    scaffold = SCAFFOLDS[kind]
    text = _OFF.sub(r"\1", scaffold.text(scaffold.file_name("my.agent")))
    agent = load_package(_package(tmp_path, scaffold, "my.agent", text)).agents[0]
    code = AgentCode(agent.id, agent.language, agent.file, text, namespaces=agent.manifest.apis)
    async with SandboxHost() as host:
        guest = Guest(await host.load(code, ROOMY))
        called = await guest.call("onToolCall", "agent", {"text": "rope"})
        assert called.value == "Noted. There are 1 notes now."
        assert json.loads(guest.store) == {"notes": ["rope"]}
        assert (await guest.call("onLoad")).value == "Noted so far: rope"
        await guest.call("onAfterResponse", {})
        assert json.loads(guest.store)["responses"] == 1
        handler = agent.manifest.commands[0].handler
        assert (await guest.call(handler, " ")).value == "Write what is to be noted."
        assert (await guest.call(handler, "lamp")).value is None
        assert json.loads(guest.store)["notes"] == ["rope", "lamp"]


@pytest.mark.clause("STU-06")
@pytest.mark.parametrize("kind", [*AGENTS, "newSubAgent"])
@pytest.mark.parametrize("everything", [False, True])
async def test_each_scaffold_plays_with_rehearsal(
    kind: str, everything: bool, tmp_path: Path
) -> None:
    scaffold = SCAFFOLDS[kind]
    text = scaffold.text(scaffold.file_name("my.night-watch"))
    text = _OFF.sub(r"\1", text) if everything else text
    root = _package(tmp_path, scaffold, "my.night-watch", text)
    given = '{"request": "Who is there?"}' if kind == "newSubAgent" else '{"text": "rope"}'
    results: list[str] = []
    async with CharacterPlayer(root) as player:
        player.on("toolCall", lambda call: results.append(call["result"]))
        await player.send(f"[[call night_watch {given}]] [[say Done.]]")
        assert [one.id for one in player.agents()] == ["my.night-watch"]
        assert player.problems() == []
    assert len(results) == 1
    assert results[0].startswith("Noted." if scaffold.is_agent else ""), results
    assert results[0].strip()
    assert "could not" not in results[0]


@pytest.mark.parametrize("stem", ["a", "über.lampe", "x.42", "a_b.c-d", "ns.-"])
def test_any_name_that_is_allowed_makes_a_valid_agent(stem: str, tmp_path: Path) -> None:
    scaffold = SCAFFOLDS["newAgentJavascript"]
    assert scaffold.fault(stem, ()) is None
    package = load_package(_package(tmp_path, scaffold, stem, scaffold.text(f"{stem}.js")))
    assert [problem for problem in package.problems if problem.severity == "error"] == []


@pytest.mark.parametrize(
    ("kind", "typed", "name"),
    [
        ("newFile", "plan", "plan.txt"),
        ("newFile", "plan.md", "plan.md"),
        ("newFile", ".env", ".env.txt"),
        ("newContextFile", "tides.json", "tides.json"),
        ("newSubAgent", "pilot", "pilot.subagent.md"),
        ("newAgentLua", "a.b", "a.b.lua"),
        ("newAgentLua", "a.b.LUA", "a.b.LUA"),
        ("newFolder", "old", "old"),
    ],
)
def test_the_ending_is_added_where_it_lacks(kind: str, typed: str, name: str) -> None:
    assert SCAFFOLDS[kind].file_name(typed) == name
