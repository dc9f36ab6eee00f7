"""Files that the system hands to the running program, as macOS does after a double click."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from studio_qt.settings import home_folder
from studio_qt.ui.keeping import project_memory
from studio_qt.ui.state import WindowState, save_state
from tests.authoring.test_cards import FORMS
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage
from tests.ui.incoming.parcels import FILES, packed, said, sheet_of

pytestmark = pytest.mark.clause("STU-11")
qt_loop = pytest.mark.qt_loop

PLAIN = {**FILES, "config.json": json.dumps({"name": "Kay"})}

PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFileOpenEvent
import studio_qt.ui.app as app, studio_qt.ui.window as window

named, *words = sys.argv[1:]
waiting = [Path(word) for word in words]
expected = len(waiting) + bool(named)
names = []
def hand_next():
    event = QFileOpenEvent(str(waiting.pop(0)))
    QCoreApplication.postEvent(QCoreApplication.instance(), event)

made = app._application
def with_a_file():
    one = made()
    hand_next()
    return one
app._application = with_a_file

settled = window.StudioWindow._on_settled
def opened(self):
    settled(self)
    names.append(self.session.place.name)
    if len(names) == expected:
        self.close()
    elif waiting:
        hand_next()
window.StudioWindow._on_settled = opened
app.run(Path(named) if named else None, None)
print(*names)
"""


def opened(first: str, *handed: Path) -> list[str]:
    """Run the program, hand it files, the first before its window is made; what it opened."""
    words = [sys.executable, "-c", PROGRAM, first, *map(str, handed)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.split()


def test_at_the_start_it_comes_in_the_place_of_what_was_open_last(tmp_path: Path) -> None:
    ada, zipped = write_package(tmp_path / "ada"), packed(tmp_path / "kay.zip", PLAIN)
    assert opened(str(ada), zipped) == ["ada", "kay.zip"]  # named, and then handed over
    assert opened("", ada) == ["ada"]
    assert opened("", zipped, ada) == ["kay.zip", "ada"]  # and not ada, which was open last


TYPING = """
import asyncio
def opened(self):
    settled(self)
    names.append(self.session.place.name)
    if len(names) == 1:
        asyncio.get_event_loop().create_task(write(self))
    else:
        print(self.session.place.name, self.inside.documents.unsaved)
        self.close()
async def write(self):
    document = await self.inside.documents.open("intro.txt")
    document.text.setPlainText("It is late.")
    hand_next()
"""


def test_an_event_of_the_system_leaves_unsaved_text_where_it_comes_back(tmp_path: Path) -> None:
    ada, zipped = write_package(tmp_path / "ada"), packed(tmp_path / "kay.zip", PLAIN)
    before = (ada / "intro.txt").read_text()
    program = PROGRAM.replace(
        "window.StudioWindow._on_settled = opened",
        f"""{TYPING}
window.StudioWindow._on_settled = opened
app._application = made""",
    )
    words = [sys.executable, "-c", program, str(ada), str(zipped)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == ["kay.zip ()", "ada kay.zip"]
    assert (ada / "intro.txt").read_text() == before
    kept = [one.read_text() for one in (project_memory(ada) / "unsaved").glob("*.unsaved")]
    assert [one.partition("\n")[2] for one in kept] == ["It is late."]


async def unsaved(stage: Stage) -> None:
    """Write something into a file of the project, and save nothing."""
    stage.window.pages.open_file("intro.txt")
    await until(lambda: bool(stage.all("codeEditor")))
    (editor,) = stage.all("codeEditor")
    assert isinstance(editor, QPlainTextEdit)
    editor.moveCursor(QTextCursor.MoveOperation.End)
    stage.type(" It is late.", editor)


async def goes_to(stage: Stage, place: Path) -> None:
    await until(lambda: stage.window.session.place == place and stage.window.settled, 20)


@qt_loop
async def test_unsaved_text_is_kept_and_comes_back_with_its_project(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    project, zipped = write_package(tmp_path / "ada"), packed(tmp_path / "kay.zip", PLAIN)
    stage = await stage_on(project)
    await unsaved(stage)
    stage.window.open_handed(zipped)
    await goes_to(stage, zipped)
    assert "It is late." not in (project / "intro.txt").read_text()
    stage.window.open_handed(project)
    await goes_to(stage, project)
    await until(lambda: stage.window.inside.documents.unsaved == ("intro.txt",))


@qt_loop
async def test_it_waits_until_no_sheet_asks_and_cards_come_one_after_another(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    cards = [tmp_path / "hanne.png", tmp_path / "hanne.charx"]
    for place, form in zip(cards, ("tEXt", "charx"), strict=True):
        place.write_bytes(FORMS[form][1])
    stage = await stage_on(write_package(tmp_path / "ada"))
    zipped = packed(tmp_path / "kay.zip", PLAIN)
    for place in (*cards, zipped):
        stage.window.open_handed(place)
    for place in cards:
        await until(lambda place=place: f"from {place.name}" in said_by(stage))
        assert stage.window.session.place == tmp_path / "ada"
        stage.press(Qt.Key.Key_Escape, stage.find("importCancel"))
    await goes_to(stage, zipped)


def said_by(stage: Stage) -> str:
    receiving = stage.window.pages.receiving
    return said(stage) if receiving.importing and sheet_of(stage).isVisible() else ""


@qt_loop
async def test_what_is_open_already_goes_on_and_what_is_gone_is_told(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    zipped = packed(tmp_path / "kay.zip", PLAIN)
    stage = await stage_on(zipped)
    player = stage.window.session.player
    stage.window.pages.receiving.show_library()
    await until(lambda: stage.window.inside.shown is stage.window.pages.receiving.library)
    stage.window.open_handed(zipped)
    await until(stage.window.chat.isVisible)
    stage.window.open_handed(tmp_path / "gone.zip")
    await until(lambda: any("gone.zip" in one for one in stage.window.pages.toasts.texts))
    assert stage.window.session.player is player


@qt_loop
async def test_a_window_that_is_closed_meanwhile_leaves_it(tmp_path: Path) -> None:
    stage = Stage(write_package(tmp_path / "ada"))
    stage.window.show()
    stage.window.open_handed(packed(tmp_path / "kay.zip", PLAIN))
    await stage.close()
    assert not stage.window.tasks.names


@qt_loop
@pytest.mark.parametrize("name", ["a" * 300, "a" * 300 + ".zip"])
async def test_what_cannot_be_looked_at_is_told_and_the_window_opens_all_the_same(
    stage_on: OpenStage, tmp_path: Path, name: str
) -> None:
    place = tmp_path / name
    save_state(home_folder(), WindowState(project=str(place)))
    stage = await stage_on(None)  # where it was closed last
    assert stage.window.session.place is None
    stage.window.open_handed(place)
    await until(lambda: any("not there any more" in one for one in stage.window.pages.toasts.texts))
    stage.window.open_project(place)
    await until(lambda: bool(stage.all("openingTitle")))
