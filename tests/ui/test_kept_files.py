"""Whatever lies where the program keeps things for itself, it starts and plays."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from studio_qt.settings import home_folder
from studio_qt.ui.curtain import Curtain
from studio_qt.ui.keeping import project_memory
from studio_qt.ui.keptfile import read_kept
from studio_qt.ui.state import WindowState, load_state
from tests.support.qt import until
from tests.support.window import write_package
from tests.ui.conftest import OpenStage

Ruin = Callable[[Path], object]


def as_folder(place: Path) -> None:
    place.mkdir()
    (place / "x").write_text("x")


def as_huge(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(1 << 40)


RUINS: dict[str, Ruin] = {
    "noise": lambda place: place.write_bytes(bytes(range(256))),
    "folder": as_folder,
    "deep": lambda place: place.write_bytes(b"[" * 200_000),
    "huge": as_huge,
    "empty": lambda place: place.write_bytes(b""),
    "list": lambda place: place.write_bytes(b"[1, null]"),
    "kinds": lambda place: place.write_bytes(
        b'{"version": "x", "path": [], "geometry": 5, "panes": {"a": []}, "project": "\\u0000",'
        b' "window": [], "tabs": {"tabs": [{"path": "../x"}], "zoom": 1e400}, "draft": 5,'
        b' "versions": [5], "projects": [{"path": "/\\u0000", "opened": "2020-01-01"}],'
        b' "closed": 5, "opened": 5, "lately": 5, "text": 5}'
    ),
}
ruined = pytest.mark.parametrize("ruin", RUINS.values(), ids=RUINS)


@ruined
def test_what_is_no_file_of_ours_is_an_error_that_is_expected(ruin: Ruin, tmp_path: Path) -> None:
    ruin(tmp_path / "kept.json")
    with contextlib.suppress(OSError, ValueError):
        read_kept(tmp_path / "kept.json")
    with pytest.raises(FileNotFoundError):
        read_kept(tmp_path / "none.json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes among its files")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "kept.json")
    with pytest.raises(ValueError, match="not a file"):
        read_kept(tmp_path / "kept.json")


@ruined
@pytest.mark.usefixtures("qapp")
def test_the_first_paint_needs_no_file_that_can_be_read(ruin: Ruin, tmp_path: Path) -> None:
    for name in ("settings.json", "window.json"):
        ruin(tmp_path / name)
    Curtain("", tmp_path).deleteLater()
    assert isinstance(load_state(tmp_path), WindowState)


@ruined
@pytest.mark.qt_loop
async def test_a_project_opens_on_damaged_memories(
    ruin: Ruin, stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada")
    memory = project_memory(folder)
    places = [home_folder() / name for name in ("settings.json", "window.json", "recents.json")]
    places += [home_folder() / "palette.json", home_folder() / "profiles.json"]
    places += [memory / "session.json", memory / "tree.json"]
    places += [memory / "history/files/x.json", memory / "unsaved/x.unsaved"]
    for place in places:
        place.parent.mkdir(parents=True, exist_ok=True)
        ruin(place)
    stage = await stage_on(folder)
    await stage.window.pages.editors.open("instructions.txt")
    editor = stage.window.pages.editors.editor
    assert editor is not None
    editor.insertPlainText("More. ")
    stage.window.pages.editors.save()
    await until(lambda: (folder / "instructions.txt").read_text() == "More. Be Ada.")
