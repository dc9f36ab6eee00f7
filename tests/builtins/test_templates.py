"""What ships is whole: templates load without a problem, manifests say what the model needs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from studio_qt.package import CharacterPackage, Tool, load_package, register
from studio_qt.resources import resource_path

TEMPLATES = ("blank", "confidant", "lantern-keeper", "lorekeeper", "name-finder")
BUILT_INS = ("studio.memory-store", "studio.history-search", "studio.dice-roller")


def _template(name: str) -> CharacterPackage:
    return load_package(resource_path(f"templates/{name}"))


def _tools() -> dict[str, Tool]:
    return {tool.name: tool for agent in _template("lantern-keeper").agents for tool in agent.tools}


@pytest.mark.clause("PKG-02", "PKG-05", "MAN-02")
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_has_no_problem_at_all(name: str) -> None:
    package = _template(name)
    assert package.problems == ()
    assert register(package.agents).problems == ()


@pytest.mark.clause("PKG-07")
def test_the_keeper_offers_its_tools_in_load_order() -> None:
    assert list(_tools()) == [
        "write_log",
        "read_log",
        "tend_lamp",
        "watch_sea",
        "count_boats",
        "sound_horn",
        "send_signal",
        "read_signal",
        "read_omens",
        "store_memory",
        "recall_memory",
        "forget_memory",
        "roll_dice",
        "search_history",
        "read_history",
        "wrecks",
        "tides",
        "logbook_1911",
    ]


@pytest.mark.clause("LANG-01", "PKG-04")
def test_the_keeper_has_an_agent_of_its_own_in_each_language() -> None:
    agents = _template("lantern-keeper").agents
    own = {agent.language: agent.id for agent in agents if agent.file.startswith("agents/keeper.")}
    assert own == {
        "javascript": "keeper.lantern-log",
        "lua": "keeper.boats",
        "typescript": "keeper.signals",
        "python": "keeper.omens",
    }


@pytest.mark.clause("MAN-02")
def test_every_tool_and_parameter_is_described_for_a_model() -> None:
    for name, tool in _tools().items():
        assert "Call this" in tool.description, name
        assert len(tool.description) < 500, name
        properties = tool.parameters.get("properties", {})
        assert isinstance(properties, dict)
        for parameter, schema in properties.items():
            assert isinstance(schema, dict)
            assert str(schema.get("description", "")).endswith("."), f"{name}.{parameter}"


@pytest.mark.clause("HOOK-00", "MAN-02")
def test_agents_with_a_state_preload_it_and_prune_it() -> None:
    manifests = {agent.id: agent.manifest for agent in _template("lantern-keeper").agents}
    own = [name for name in manifests if name.startswith("keeper.") and manifests[name].hooks]
    assert len(own) == 4
    for name in ("studio.memory-store", "studio.dice-roller", *own):
        assert manifests[name].preload
        assert "afterUserEdit" in manifests[name].hooks
    assert not manifests["studio.history-search"].preload
    assert manifests["keeper.wrecks"].apis == {"studio.context"}


@pytest.mark.parametrize("name", BUILT_INS)
def test_every_agent_is_named_like_its_file_and_has_a_version(name: str) -> None:
    manifests = {agent.id: agent.manifest for agent in _template("lantern-keeper").agents}
    assert manifests[name].agent == name
    assert re.fullmatch(r"\d+\.\d+\.\d+", manifests[name].version or "")


@pytest.mark.parametrize("name", TEMPLATES)
def test_shipped_texts_are_clean(name: str) -> None:
    for path in sorted(resource_path(f"templates/{name}").rglob("*")):
        if path.is_file():
            _check(path)


def _check(path: Path) -> None:
    data = path.read_bytes()
    text = data.decode("utf-8")
    assert b"\r" not in data, path
    assert not re.search(r"[ \t]+$", text, re.MULTILINE), path
    assert text.endswith("\n"), path
    assert not text.endswith("\n\n"), path
    if path.suffix == ".json":
        json.loads(text)


@pytest.mark.clause("SYS-01", "SYS-04")
def test_the_keepers_texts_are_all_there_and_its_data_stays_out_of_the_prompt() -> None:
    root = resource_path("templates/lantern-keeper")
    system = (root / "system-prompt.txt").read_text(encoding="utf-8")
    assert system.count("%%CHARACTER_INSTRUCTIONS%%") == 1
    for tool in re.findall(r"\b(?:[a-z]+_[a-z0-9]+)\b", system):
        assert tool in _tools(), tool
    names = {path.name for path in (root / "context").iterdir()}
    assert {".wrecks.json", ".tides.json", ".logbook-1911.txt"} < names
