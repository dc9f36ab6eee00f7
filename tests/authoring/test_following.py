"""Renames and deletions that follow through config.json, prompts, defaults and stores."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from studio_qt.authoring.following import Following, follow
from studio_qt.authoring.references import prompt_contexts
from studio_qt.errors import PackageError
from studio_qt.files import FolderSource
from studio_qt.package.subagents.prompt import read_prompt
from studio_qt.package.subagents.scalars import list_items

MARCUS = """---
description: Knows the sea.   # ask him
contextFiles:  # whole
  - .tides.json
  - ".wrecks old.txt"   # long
# model: main
---
%%STORE:maps%% %%STORE:k.maps%% %%STORE:diary%% %%STORE:studio.memory-store%%
maps and k.maps stay words.
"""
ANN = "---\r\ndescription: A.\r\ncontextFiles: [.tides.json]\r\n---\r\nAnn."
CONFIG = """{
  "name": "K",
  "agents": [
    "k.maps", {"id": "k.two", "implementation": "k.maps"},
    { "id": "k.marcus", "implementation": "studio.sub-agent", "promptFile": "marcus.subagent.md",
      "shared-agents": ["k.maps", "k.two"], "mine": 1.50,
      "private-agents": ["k.maps", "studio.memory-store",
        {"id": "diary", "implementation": "studio.context-access", "contextFile": ".tides.json"}] },
    "ann.subagent.md"
  ]
}
"""
FILES = {
    "config.json": CONFIG,
    "agents/k.maps.js": "/**\n * @agent k.maps\n * @version 1\n */\nconst k = '@agent k.maps';\n",
    "agents/marcus.subagent.md": MARCUS,
    "agents/ann.subagent.md": ANN,
    "context/.tides.json": "{}",
    "context/.wrecks old.txt": "w",
    "k.maps.agent.json": "{}",
    "k.marcus.k.maps.agent.json": "{}",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
    return tmp_path


def done(root: Path, changes: dict[str, str | None]) -> tuple[Following, dict[str, str]]:
    """Return what follows, and the texts after it."""
    found = follow(FolderSource(root), changes)
    was = {new: old for old, new in changes.items() if new is not None}
    texts = {path: FILES[was.get(path, path)] for path in found.edits}
    return found, {path: edit(texts[path]) for path, edit in found.edits.items()}


def test_a_renamed_agent_is_followed_by_entries_grants_manifest_macros_and_stores(
    root: Path,
) -> None:
    found, texts = done(root, {"agents/k.maps.js": "agents/k.charts.js"})
    config = texts["config.json"]
    assert config == CONFIG.replace('"k.maps"', '"k.charts"')
    assert '"mine": 1.50' in config
    assert texts["agents/k.charts.js"].startswith("/**\n * @agent k.charts\n")
    assert "'@agent k.maps'" in texts["agents/k.charts.js"]
    body = texts["agents/marcus.subagent.md"].partition("---\n%%")[2]
    assert body.startswith("STORE:charts%% %%STORE:k.charts%% %%STORE:diary%%")
    assert "maps and k.maps stay words." in body
    assert found.stores == {"k.maps": "k.charts", "k.marcus.k.maps": "k.marcus.k.charts"}
    assert found.files == {
        "k.maps.agent.json": "k.charts.agent.json",
        "k.marcus.k.maps.agent.json": "k.marcus.k.charts.agent.json",
    }
    assert found.left == ()


def test_a_renamed_prompt_file_changes_the_id_only_where_the_file_gives_it(root: Path) -> None:
    changes: dict[str, str | None] = {
        "agents/ann.subagent.md": "agents/eve.subagent.md",
        "agents/marcus.subagent.md": "agents/pilot.subagent.md",
    }
    found, texts = done(root, changes)
    assert '"eve.subagent.md"' in texts["config.json"]
    assert '"id": "k.marcus"' in texts["config.json"]
    assert '"promptFile": "pilot.subagent.md"' in texts["config.json"]
    assert found.stores == {"ann": "eve"}


def test_a_renamed_context_file_is_followed_in_prompts_and_entries_and_nothing_else(
    root: Path,
) -> None:
    found, texts = done(root, {"context/.tides.json": "context/deep/tides 2.json"})
    marcus = texts["agents/marcus.subagent.md"]
    assert marcus == MARCUS.replace(".tides.json", "deep/tides 2.json")
    assert texts["agents/ann.subagent.md"].startswith("---\r\ndescription: A.\r\ncontextFiles")
    assert "deep/tides 2.json" in texts["agents/ann.subagent.md"]
    assert texts["config.json"] == CONFIG.replace(".tides.json", "deep/tides 2.json")
    assert not found.stores


def test_a_folder_of_context_files_is_followed_too(root: Path) -> None:
    (root / "context/sea").mkdir()
    text = "---\ndescription: A.\ncontextFiles: [sea/a.txt, .tides.json]\n---\nA."
    (root / "agents/ann.subagent.md").write_text(text)
    found = follow(FolderSource(root), {"context/sea": "context/ocean"})
    assert found.edits["agents/ann.subagent.md"](text) == text.replace("sea/a", "ocean/a")


def test_what_was_deleted_is_taken_out_of_entries_grants_lists_and_stores(root: Path) -> None:
    found, texts = done(root, {"agents/k.maps.js": None, "context/.tides.json": None})
    agents = json.loads(texts["config.json"])["agents"]
    assert [one if isinstance(one, str) else one["id"] for one in agents] == [
        "k.marcus",
        "ann.subagent.md",
    ]
    assert agents[0]["shared-agents"] == []
    assert [one for one in agents[0]["private-agents"] if isinstance(one, str)] == [
        "studio.memory-store"
    ]
    marcus = texts["agents/marcus.subagent.md"]
    assert "  - .wrecks old.txt\n# model: main" in marcus
    assert ".tides.json" not in marcus
    assert "contextFiles" not in texts["agents/ann.subagent.md"]
    assert found.stores == {"k.maps": None, "k.two": None, "k.marcus.k.maps": None}
    assert found.files == {"k.maps.agent.json": None, "k.marcus.k.maps.agent.json": None}


def test_an_agent_that_leaves_its_folder_is_told_and_stays_listed(root: Path) -> None:
    found, texts = done(root, {"agents/k.maps.js": "old/k.maps.js"})
    assert texts == {}
    assert found.left == (
        "config.json still lists “k.maps”; old/k.maps.js is no agent's file any more.",
    )


def test_a_copy_of_a_built_in_that_is_deleted_leaves_the_built_in_listed(root: Path) -> None:
    (root / "agents/studio.memory-store.js").write_text("/** @agent studio.memory-store */")
    found, texts = done(root, {"agents/studio.memory-store.js": None})
    assert (dict(found.edits), dict(found.stores), texts) == ({}, {}, {})


def test_a_second_file_of_the_same_name_that_is_not_used_changes_nothing(root: Path) -> None:
    (root / "agents/k.maps.lua").write_text("--[[ @agent k.maps ]]")
    found, _ = done(root, {"agents/k.maps.lua": "agents/k.other.lua"})
    assert (dict(found.edits), dict(found.stores)) == ({}, {})


def test_mapped_texts_and_folders_follow(root: Path) -> None:
    config = '{"fileMappings": {"Introduction": "texts/a.txt", "ContextDirectory": "ctx/"}}'
    (root / "config.json").write_text(config)
    found = follow(FolderSource(root), {"texts": "words", "ctx": "lore"})
    assert json.loads(found.edits["config.json"](config)) == {
        "fileMappings": {"Introduction": "words/a.txt", "ContextDirectory": "lore/"}
    }


@pytest.mark.clause("PKG-03")
@pytest.mark.parametrize(
    ("old", "new", "mapping"),
    [
        ("intro.txt", "texts/hello.md", {"Introduction": "texts/hello.md"}),
        ("instructions.txt", "Ada.txt", {"Instructions": "Ada.txt"}),
        ("context", "world lore", {"ContextDirectory": "world lore"}),
    ],
)
def test_a_text_that_leaves_its_usual_name_gets_a_mapping_and_loses_it_on_coming_back(
    root: Path, old: str, new: str, mapping: dict[str, str]
) -> None:
    found, texts = done(root, {old: new})
    changed = texts["config.json"]
    assert json.loads(changed) == json.loads(CONFIG) | {"fileMappings": mapping}
    assert set(found.edits) == {"config.json"}
    assert found.left == ()
    (root / "config.json").write_text(changed)
    back = follow(FolderSource(root), {new: old})
    assert back.edits["config.json"](changed) == CONFIG


@pytest.mark.clause("PKG-03")
def test_other_mappings_and_unusual_ones_stay_as_they_are(root: Path) -> None:
    config = '{"fileMappings": {"Introduction": "intro.txt", "System Prompt": null, "mine": 1}}'
    (root / "config.json").write_text(config)
    found = follow(FolderSource(root), {"system-prompt.txt": "prompt.txt"})
    assert json.loads(found.edits["config.json"](config))["fileMappings"] == {
        "Introduction": "intro.txt",
        "System Prompt": "prompt.txt",
        "mine": 1,
    }


@pytest.mark.parametrize("new", ["context/b.txt", "context/deep/a.txt", "context/.a.txt"])
def test_a_context_file_that_nobody_names_needs_no_mapping_under_another_name(
    root: Path, new: str
) -> None:
    (root / "context/a.txt").write_text("a")
    found = follow(FolderSource(root), {"context/a.txt": new})
    assert not found.edits
    assert found.left == ()


def test_a_text_that_is_deleted_gets_no_mapping(root: Path) -> None:
    assert not follow(FolderSource(root), {"instructions.txt": None}).edits


def test_a_default_whose_new_name_is_taken_stays_and_says_so(root: Path) -> None:
    (root / "k.charts.agent.json").write_text("{}")
    found, _ = done(root, {"agents/k.maps.js": "agents/k.charts.js"})
    assert "k.maps.agent.json" not in found.files
    assert found.left == (
        "k.maps.agent.json keeps its name: there is a k.charts.agent.json already.",
    )


def test_a_config_that_is_no_json_is_an_error_that_names_the_line(root: Path) -> None:
    (root / "config.json").write_text("{\n oops")
    with pytest.raises(PackageError, match="line 2"):
        follow(FolderSource(root), {"agents/k.maps.js": None})


def test_an_agent_of_which_another_file_is_left_stays_listed(root: Path) -> None:
    (root / "agents/k.maps.lua").write_text("--[[ @agent k.maps ]]")
    found, _ = done(root, {"agents/k.maps.js": None})
    assert (dict(found.edits), dict(found.stores)) == ({}, {})


@pytest.mark.parametrize("bad", ["../a", "/a", "C:a", "a\\b", "con", "../a.subagent.md", "a\0"])
def test_an_entry_that_cannot_be_a_file_keeps_no_other_from_following(
    tmp_path: Path, bad: str
) -> None:
    config = json.dumps({"agents": [bad, "k"]})
    (tmp_path / "agents").mkdir()
    (tmp_path / "config.json").write_text(config)
    (tmp_path / "agents/k.js").write_text("/** @agent k */")
    found = follow(FolderSource(tmp_path), {"agents/k.js": "agents/l.js"})
    assert json.loads(found.edits["config.json"](config)) == {"agents": [bad, "l"]}


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_may_be_composed_otherwise_on_the_disk(tmp_path: Path, form: Any) -> None:
    disk = unicodedata.normalize(form, "é")
    said = unicodedata.normalize("NFC" if form == "NFD" else "NFD", "é")
    prompt = f"---\ndescription: d\ncontextFiles: [{said}.txt]\n---\nx"
    config = json.dumps({"agents": [said]})
    for path, text in {
        "config.json": config,
        f"agents/{disk}.js": f"/** @agent {said} */",
        f"context/{disk}.txt": "x",
        "agents/p.subagent.md": prompt,
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    source = FolderSource(tmp_path)
    agent = follow(source, {f"agents/{disk}.js": "agents/b.js"})
    assert json.loads(agent.edits["config.json"](config)) == {"agents": ["b"]}
    world = follow(source, {f"context/{disk}.txt": "context/y.txt"})
    assert world.edits["agents/p.subagent.md"](prompt) == prompt.replace(f"{said}.txt", "y.txt")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("new", ["b.txt", "it's [x], #1: b.txt", None])
def test_marks_that_end_no_line_of_a_prompt_move_no_field(end: str, new: str | None) -> None:
    lines = ["---", "description: x\u2028y\x85z\x0bw", "contextFiles: [a.txt]", "---", "Body.\x0c"]
    changed = prompt_contexts({"a.txt": new})(end.join(lines))
    prompt = read_prompt(changed)
    assert prompt.fields["description"].lines == ("x\u2028y\x85z\x0bw",)
    assert prompt.body == "Body.\x0c"
    found = prompt.fields.get("contextFiles")
    assert (list_items(found.lines) if found else []) == ([new] if new else [])


@pytest.mark.parametrize("form", ["- a.txt # a", "- 'a.txt'", '- "a.txt"'])
def test_a_name_with_signs_of_lists_is_quoted_whatever_the_list_was_like(form: str) -> None:
    text = f"---\ncontextFiles:\n  {form}\n---\n"
    changed = prompt_contexts({"a.txt": "it's #1.txt"})(text)
    assert changed == '---\ncontextFiles:\n  - "it\'s #1.txt"\n---\n'
