"""The tutorial and the page of built-in agents, held against what the program does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from studio_qt.package import CharacterPackage, load_package
from studio_qt.resources import resource_path, resource_text
from studio_qt.sandbox import AgentCode, SandboxHost

from .stage import LIMITS, Stage

_FILE = re.compile(r"^`([^`\n]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def tutorial(tmp_path: Path) -> CharacterPackage:
    """The project that a reader of the tutorial has in the end."""
    for path in sorted(resource_path("templates/blank").rglob("*")):
        if path.is_file():
            _write(
                tmp_path, str(path.relative_to(resource_path("templates/blank"))), path.read_text()
            )
    for name, text in _FILE.findall(resource_text("handbook/first-character.md")):
        _write(tmp_path, name, text)
    return load_package(tmp_path)


def _write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")


@pytest.mark.clause("PKG-02", "PKG-05", "PKG-07")
def test_the_character_of_the_tutorial_loads_without_a_problem(tutorial: CharacterPackage) -> None:
    assert tutorial.problems == ()
    assert [agent.id for agent in tutorial.agents] == [
        "studio.memory-store",
        "ada.departures",
        "ada.station-clock",
    ]


@pytest.mark.clause("EXP-01", "EXP-02", "EXP-03", "HOOK-03")
async def test_the_clock_of_the_tutorial_runs(
    tutorial: CharacterPackage, host: SandboxHost
) -> None:
    spec = tutorial.agents[-1]
    code = AgentCode(spec.id, "javascript", spec.file, spec.source)
    stage = Stage(await host.load(code, LIMITS))
    assert await stage.preload() == "## The station clock\nThe train leaves in 60 minutes."
    await stage.hook("onAfterResponse", {})
    assert await stage.tool("look_at_clock", {}) == "The train leaves in 56 minutes."
    assert await stage.command("setClock", "soon") == "Say how many minutes are left."
    assert await stage.command("setClock", "0") is None
    assert stage.logs == ["The train has left."]


def test_every_tool_and_command_of_the_built_ins_is_described() -> None:
    page = resource_text("handbook/built-in-agents.md")
    for path in sorted(resource_path("agents").glob("*.js")):
        source = path.read_text(encoding="utf-8")
        for tag, name in re.findall(r"^ \* @(agent|tool|command) (\S+)", source, re.MULTILINE):
            assert f"`{name}" in page or (tag, name) == ("tool", "look_up"), name


def test_every_example_of_the_page_is_json() -> None:
    for example in re.findall(
        r"```json\n(.*?)```", resource_text("handbook/built-in-agents.md"), re.S
    ):
        json.loads(example)
