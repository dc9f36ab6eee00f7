"""Any project, its zip, and the project that the zip becomes: the same requests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio_qt import CharacterPlayer
from studio_qt.authoring.exporting import build_package, plan_export, write_zip
from studio_qt.authoring.importing import unpack
from studio_qt.authoring.incoming import open_file
from studio_qt.package import load_package
from tests.support.packages import agent

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)
NAMES = st.sampled_from(["intro.txt", "texts/hello.md", "a b/ü.txt", "deep/er/x.txt"])
CONTEXT = st.dictionaries(
    st.sampled_from(["one.txt", "two.md", ".hidden.json", "sub/three.txt", "zwölf.txt"]),
    WORDS,
    max_size=4,
)
NOTES = agent(
    "t.notes",
    "export const onLoad = (store) => `Notes: ${store.n ?? 0}`;\n"
    "export const onToolCall = (name, args, store) => `${(store.n = (store.n ?? 0) + 1)}`;",
    tools=["note"],
    tags="@preload true",
)
AGENTS: dict[str, tuple[Any, dict[str, str]]] = {
    "t.notes": ("t.notes", {"agents/t.notes.js": NOTES, "t.notes.agent.json": '{"n": 7}'}),
    "memory": ("studio.memory-store", {}),
    "helper": (
        "helper.subagent.md",
        {"agents/helper.subagent.md": "---\ndescription: Helps.\n---\nHelp."},
    ),
    "lookup": (
        {"id": "t.look", "implementation": "studio.context-access", "contextFile": ".hidden.json"},
        {},
    ),
}


@st.composite
def projects(draw: st.DrawFn) -> dict[str, str]:
    """Return the files of a project."""
    agents = draw(st.lists(st.sampled_from(sorted(AGENTS)), unique=True))
    folder = draw(st.sampled_from(["context", "lore/inside"]))
    intro = draw(NAMES)
    files = {f"{folder}/{name}": text for name, text in draw(CONTEXT).items()}
    files |= {"instructions.txt": draw(WORDS), intro: draw(WORDS)}
    if draw(st.booleans()):
        files["system-prompt.txt"] = f"{draw(WORDS)} %%CHARACTER_INSTRUCTIONS%%"
    for name in agents:
        files |= AGENTS[name][1]
    config = {
        "name": draw(WORDS),
        "mine": draw(st.integers()),
        "agents": [AGENTS[name][0] for name in agents],
        "fileMappings": {"Introduction": intro, "ContextDirectory": folder},
    }
    return {**files, "config.json": json.dumps(config, ensure_ascii=False)}


async def request(place: Path, data: Path) -> dict[str, Any]:
    async with CharacterPlayer(place, base_url="rehearsal:", data_dir=data) as player:
        await player.send("Hello")
        return dict(await player.prepare_request("And then?"))


@pytest.mark.clause("STU-11")
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(files=projects())
async def test_a_project_its_zip_and_the_project_of_the_zip_ask_the_same(
    files: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("trip")
    project, packed, back = root / "project", root / "packed.zip", root / "back"
    for path, text in files.items():
        place = project / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
    built = await build_package(plan_export(load_package(project)))
    write_zip(packed, built.files)
    unpack(open_file(packed), back)
    asked = [await request(one, root / f"data-{one.stem}") for one in (project, packed, back)]
    assert asked[0] == asked[1] == asked[2]
    again = await build_package(plan_export(load_package(back)))
    assert again.files == built.files
