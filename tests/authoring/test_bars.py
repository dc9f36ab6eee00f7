"""Which bars a file of `agents/` has above its editor (STU-07)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio_qt.authoring.bars import Bar, bars_of, read_entries, shadows_of
from studio_qt.files import FolderSource, OverlaySource

PROMPT = "---\ndescription: A pilot.\nhistory: none\nmodel: worker\n---\nYou are Marcus.\n"
MARCUS = "agents/marcus.subagent.md"


def bars(folder: Path, path: str, config: object, **buffers: str) -> dict[str, Bar]:
    """Return the bars of a file by their kind, with this text of config.json."""
    text = config if isinstance(config, str) else json.dumps(config, indent=2)
    (folder / "agents").mkdir(exist_ok=True)
    (folder / "agents" / "keeper.maps.js").write_text("/** @agent keeper.maps */")
    (folder / MARCUS).write_text(PROMPT, encoding="utf-8")
    source = OverlaySource({"config.json": text, **buffers}, FolderSource(folder))
    return {bar.kind: bar for bar in bars_of(source, read_entries(source), path)}


@pytest.mark.clause("STU-07")
@pytest.mark.parametrize("path", ["agents/keeper.maps.js", MARCUS])
def test_a_file_that_config_does_not_list_can_be_enabled(tmp_path: Path, path: str) -> None:
    found = bars(tmp_path, path, {"agents": []})
    assert found["registration"].action == "enable"
    assert "not listed in config.json" in found["registration"].text


@pytest.mark.clause("STU-07")
@pytest.mark.parametrize(
    "entry",
    [
        "keeper.maps",
        {"id": "x", "implementation": "keeper.maps"},
        {"id": "x", "implementation": "studio.sub-agent", "private-agents": ["keeper.maps"]},
    ],
)
def test_a_file_in_use_has_no_bar(tmp_path: Path, entry: object) -> None:
    assert bars(tmp_path, "agents/keeper.maps.js", {"agents": [entry]}) == {}


def test_an_agent_behind_another_of_its_name_is_told_which_one_runs(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "keeper.maps.lua").write_text("--[[ @agent keeper.maps ]]")
    found = bars(tmp_path, "agents/keeper.maps.lua", {"agents": ["keeper.maps"]})
    assert "agents/keeper.maps.js" in found["registration"].text
    assert found["registration"].action == ""


@pytest.mark.clause("STU-07")
def test_overridden_fields_are_named_with_their_instance_and_entry(tmp_path: Path) -> None:
    entry = {
        "id": "eve.marcus",
        "implementation": "studio.sub-agent",
        "promptFile": "marcus.subagent.md",
        "history": "recent:10",
        "model": "main",
        "private-agents": [],
    }
    found = bars(tmp_path, MARCUS, {"agents": [entry]})
    assert "registration" not in found
    bar = found["shadowed"]
    assert "eve.marcus overrides history and model in config.json" in bar.text
    assert bar.line == 7  # where "history" stands
    source = OverlaySource({"config.json": json.dumps({"agents": [entry]})}, FolderSource(tmp_path))
    entries = read_entries(source)
    assert entries is not None
    shadows = shadows_of(source, entries, MARCUS)
    assert [(one.field, one.line, one.value) for one in shadows] == [
        ("history", 3, "recent:10"),
        ("model", 4, "main"),
    ]


def test_two_instances_of_one_file_are_both_named(tmp_path: Path) -> None:
    base = {"implementation": "studio.sub-agent", "promptFile": "marcus.subagent.md"}
    agents = [{"id": "one", **base, "model": "main"}, {"id": "two", **base, "topP": 0.5}]
    text = bars(tmp_path, MARCUS, {"agents": agents})["shadowed"].text
    assert "one overrides model" in text
    assert "two overrides topP" in text


@pytest.mark.parametrize("config", ["{ half", "[]", '{"agents": 3}', '{"agents": [3, null, {}]}'])
def test_an_odd_config_breaks_nothing(tmp_path: Path, config: str) -> None:
    found = bars(tmp_path, MARCUS, config)
    assert "shadowed" not in found
    assert ("registration" in found) == config.startswith('{"')


@pytest.mark.clause("STU-07")
def test_unsaved_text_of_config_counts(tmp_path: Path) -> None:
    folder = tmp_path
    (folder / "config.json").write_text('{"agents": []}', encoding="utf-8")
    assert bars(folder, MARCUS, {"agents": ["marcus.subagent.md"]}) == {}


@pytest.mark.clause("STU-07")
def test_code_that_may_not_run_leads_to_the_question(tmp_path: Path) -> None:
    source = FolderSource(tmp_path)
    (bar,) = bars_of(source, None, "agents/a.js", {"agents/a.js"}, waiting=True)
    assert (bar.kind, bar.action) == ("trust", "review")
    (changed,) = bars_of(source, None, "agents/a.js", {"agents/a.js"})
    assert "changed outside" in changed.text
    assert bars_of(source, None, "agents/b.js", {"agents/a.js"}) == ()
