"""How the window is filled and taken apart: what has the keys comes first, each turn does little.

Times differ from machine to machine; these are their causes.
"""

from __future__ import annotations

import asyncio
import builtins
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QSplitterHandle, QWidget
from shiboken6 import Shiboken

from studio_qt.ui import importing
from studio_qt.ui.furnishing import Furnishing
from studio_qt.ui.highlight.loading import Grammars
from studio_qt.ui.importing import (
    beside_a_window,
    import_directly,
    no_collections,
    plain_imports,
    room_for_types,
)
from studio_qt.ui.pages import Pages
from studio_qt.ui.theme.dressing import Dressing
from studio_qt.ui.theme.resting import LOOKS, Rest
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

qt_loop = pytest.mark.qt_loop

MOST_MADE = 200
"""Widgets that one step, or one turn, may make or take away; each costs about 0.1 ms."""


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """The later pages, and with them the character, wait until this is set."""
    event, furnish = asyncio.Event(), Pages.furnish

    async def wait(pages: Pages) -> None:
        await event.wait()
        await furnish(pages)

    monkeypatch.setattr(Pages, "furnish", wait)
    return event


async def _first_pages(project: Path) -> Stage:
    """Show the window as it was left, up to where it takes keys."""
    stage = Stage(project)
    window = stage.window
    window.show()
    await until(lambda: window.centralWidget().objectName() == "interior")
    await until(lambda: window.pages.project.tree.isVisible() and bool(window.pages.project.paths))
    return stage


@qt_loop
async def test_keys_of_the_first_moment_are_there_when_all_is_made(
    tmp_path: Path, held: asyncio.Event
) -> None:
    stage = await _first_pages(write_package(tmp_path / "ada"))
    pages = stage.window.pages
    await pages.editors.open("instructions.txt")
    editor = pages.editors.editor
    assert editor is not None
    QTest.keyClicks(editor, "So ")
    QTest.keyClicks(stage.input, "Good day")
    QTest.keyClick(pages.project.tree, Qt.Key.Key_Down)
    row, place = pages.project.tree.currentIndex().data(), editor.textCursor().position()
    editor.setFocus()
    held.set()
    await until(lambda: stage.window.settled)
    assert pages.editors.editor is editor
    assert (editor.toPlainText(), editor.textCursor().position()) == ("So Be Ada.", place)
    assert stage.window.chat.draft == "Good day"
    assert pages.project.tree.currentIndex().data() == row
    assert stage.window.focusWidget() is editor
    editor.undo()
    await stage.close()


@qt_loop
async def test_a_window_that_closes_at_once_keeps_what_was_typed_and_what_was_there(
    tmp_path: Path, held: asyncio.Event
) -> None:
    held.set()
    first = await Stage(write_package(tmp_path / "ada")).open()
    await first.window.pages.editors.open("intro.txt")
    first.type("Dear")
    await first.close()
    second = Stage(tmp_path / "ada")
    second.window.show()
    await until(lambda: second.window.centralWidget().objectName() == "interior")
    assert second.window.chat.draft == ""  # not back yet
    second.type("Ada")
    await second.close()
    third = await Stage(tmp_path / "ada").open()
    assert third.window.chat.draft == "Dear\nAda"
    assert third.window.pages.editors.paths == ["intro.txt"]
    await third.close()


@qt_loop
async def test_the_field_waits_for_nothing_else_of_the_chat(
    tmp_path: Path, held: asyncio.Event
) -> None:
    stage = await _first_pages(write_package(tmp_path / "ada"))
    chat = stage.window.chat
    assert stage.input.isVisible()
    assert chat.findChild(QWidget, "chatView") is None
    assert stage.window.findChild(QWidget, "statusLine") is None
    held.set()
    await until(lambda: stage.window.settled)
    assert chat.findChild(QWidget, "chatView") is chat.transcript
    await stage.close()


@qt_loop
async def test_the_panes_stand_where_they_will_stand(tmp_path: Path, held: asyncio.Event) -> None:
    stage = await _first_pages(write_package(tmp_path / "ada"))
    pages = stage.window.pages

    def places() -> list[tuple[QPoint, int, int]]:
        shown = (pages.project.tree, pages.editors, stage.input)
        return [(w.mapTo(stage.window, QPoint()), w.width(), w.height()) for w in shown]

    await asyncio.sleep(0.05)  # laid out
    before = places()[:2]
    held.set()
    await until(lambda: stage.window.settled)
    assert places()[1] == before[1]
    assert places()[0][0] == before[0][0]
    await stage.close()


@qt_loop
async def test_the_panes_of_a_project_are_there_at_once(
    tmp_path: Path, held: asyncio.Event
) -> None:
    stage = Stage(write_package(tmp_path / "ada"))
    stage.window.show()
    await until(lambda: stage.window.centralWidget().objectName() == "interior")
    assert not stage.window.inside.workbench.side.isHidden()  # or all is laid out twice
    held.set()
    await until(lambda: stage.window.settled)
    await stage.close()


@qt_loop
async def test_what_is_told_at_the_start_is_shown_when_it_can_be(
    tmp_path: Path, held: asyncio.Event
) -> None:
    stage = await _first_pages(write_package(tmp_path / "ada"))
    stage.window.pages.tell("The settings cannot be read.", "error")
    held.set()
    await until(lambda: stage.window.settled)
    assert "The settings cannot be read." in stage.window.pages.toasts.texts
    await stage.close()


@qt_loop
async def test_views_that_take_keys_have_viewports_of_python(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await stage.window.pages.editors.open("instructions.txt")
    editor, tree = stage.window.pages.editors.editor, stage.window.pages.project.tree
    assert editor is not None
    assert Shiboken.createdByPython(editor.viewport())
    assert Shiboken.createdByPython(tree.viewport())
    assert editor.viewport().cursor().shape() is Qt.CursorShape.IBeamCursor
    assert tree.viewport().acceptDrops()


@qt_loop
async def test_no_step_makes_more_than_a_turn_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[str, int] = {}
    steps = Furnishing.steps

    def counted(furnishing: Furnishing) -> object:
        for step in steps(furnishing):
            before = len(stage.window.findChildren(QWidget))
            yield step
            made[step.__name__] = len(stage.window.findChildren(QWidget)) - before

    monkeypatch.setattr(Furnishing, "steps", counted)
    stage = Stage(write_package(tmp_path / "ada"))
    await stage.open()
    assert len(made) > 10
    assert max(made.values()) <= MOST_MADE
    await stage.close()


@qt_loop
async def test_what_is_hidden_is_dressed_when_it_is_shown(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dressing, "_dress_hidden", lambda _dressing: None)  # no rest
    stage = await stage_on(write_package(tmp_path / "ada"))
    window = stage.window
    part, menu = stage.find("testerOutcome"), window.findChild(QMenu, "viewMenu")
    assert not part.styleSheet()
    window.inside.workbench.show_large("tester")
    assert part.styleSheet()
    assert menu is not None
    assert not menu.styleSheet()
    menu.aboutToShow.emit()
    assert menu.styleSheet() == part.styleSheet()
    assert not any(one.styleSheet() for one in window.findChildren(QSplitterHandle))


@qt_loop
async def test_a_window_that_rests_dresses_what_is_hidden_one_part_in_a_turn(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    step = Dressing._dress_hidden

    def noted(dressing: Dressing) -> bool:
        before = {one for one in dressing.parts() if one.styleSheet()}
        more = step(dressing)
        done.append(len({one for one in dressing.parts() if one.styleSheet()} - before))
        return more

    monkeypatch.setattr(Dressing, "_dress_hidden", noted)
    stage = await stage_on(write_package(tmp_path / "ada"))
    dressing = stage.window.findChild(Dressing, "dressing")
    assert dressing is not None
    await until(lambda: dressing.rested, 20)
    assert set(done) == {0, 1}
    assert all(stage.find(name).styleSheet() for name in ("storeHead", "testerOutcome"))


@qt_loop
async def test_nothing_that_is_hidden_is_dressed_while_keys_come(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[Dressing] = []

    def noted(dressing: Dressing) -> bool:
        steps.append(dressing)
        return True  # there is always more to do

    monkeypatch.setattr(Dressing, "_dress_hidden", noted)
    stage = await stage_on(write_package(tmp_path / "ada"))
    rest, handle = stage.window.findChild(Rest), stage.window.windowHandle()
    assert rest is not None
    await until(lambda: bool(steps), 20)
    for _ in range(LOOKS):
        steps.clear()
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):  # QTest would run the loop here
            key = QKeyEvent(kind, Qt.Key.Key_Shift, Qt.KeyboardModifier.NoModifier)
            QCoreApplication.sendEvent(handle, key)
        rest.look()
        assert steps == []
    await until(lambda: bool(steps), 20)
    stage.window.tasks.start(asyncio.Event().wait(), name="something that is under way")
    steps.clear()
    for _ in range(2 * LOOKS):
        rest.look()
    assert steps == []


@qt_loop
async def test_the_start_page_is_dressed_before_its_show_and_in_two_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dressed: list[bool] = []
    show = Pages.show_start

    def noted(pages: Pages) -> None:
        parts = (
            pages.start.findChild(QWidget, f"start{name}") for name in ("Scroll", "SideScroll")
        )
        dressed.extend(part is not None and bool(part.styleSheet()) for part in parts)
        show(pages)

    monkeypatch.setattr(Pages, "show_start", noted)
    stage = await Stage(None).open()
    assert dressed == [True, True]
    await stage.close()


@qt_loop
async def test_a_window_that_closes_dresses_nothing_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await Stage(write_package(tmp_path / "ada")).open()
    dressed: list[QWidget] = []
    rest = stage.window.findChild(Rest)
    dressing = stage.window.findChild(Dressing, "dressing")
    assert dressing is not None
    assert rest is not None
    leave = stage.window.pages.close

    async def left() -> None:
        assert not rest.wanted
        monkeypatch.setattr(Dressing, "dress", lambda _dressing, part: dressed.append(part))
        stage.window.theme.choose("light")
        await leave()

    monkeypatch.setattr(stage.window.pages, "close", left)
    await stage.shut()
    assert (dressed, dressing.parts(), dressing.settled) == ([], [], True)
    stage.take_apart()


@qt_loop
async def test_a_window_is_taken_apart_in_small_pieces(tmp_path: Path) -> None:
    stage = await Stage(write_package(tmp_path / "ada")).open()
    window, left = stage.window, []
    closed = asyncio.Event()
    window.closed.connect(closed.set)
    everything = len(window.findChildren(QWidget))
    window.close()
    while not closed.is_set():
        left.append(len(window.findChildren(QWidget)))
        await asyncio.sleep(0)
    left.append(len(window.findChildren(QWidget)))
    assert max(a - b for a, b in pairwise(left)) <= MOST_MADE
    assert left[-1] < min(MOST_MADE, everything / 4)
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


_UNTIL_KEYS = """
import asyncio, os, sys
from pathlib import Path
from PySide6 import QtWidgets
from qasync import QEventLoop
from studio_qt.ui import create_window
from studio_qt.ui.application import StudioApplication
from studio_qt.ui.pages import Pages

async def stop(pages):
    made = isinstance(vars(QtWidgets).get("QStyle"), type)
    app.setStyleSheet("")
    print(made, pages.project.tree.isVisible(), app.style().objectName(), flush=True)
    os._exit(0)

Pages.furnish = stop
app = StudioApplication([])
with QEventLoop(app) as loop:
    window = create_window(Path(sys.argv[1]))
    window.show()
    loop.run_forever()
"""


def test_no_key_waits_for_the_classes_of_all_that_styles_can_do(tmp_path: Path) -> None:
    project = write_package(tmp_path / "ada")
    words = [sys.executable, "-c", _UNTIL_KEYS, str(project)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["False", "True", "fusion"]


def test_imports_are_those_of_python_for_a_while_and_then_as_before() -> None:
    hooked = builtins.__import__
    with plain_imports():
        assert builtins.__import__ is not hooked
        with plain_imports():
            pass
        import_directly("studio_qt.ui.widgets.viewports")
    assert builtins.__import__ is hooked
    known = sys.modules["shibokensupport.feature"].pyside_feature_dict
    assert known["studio_qt.ui.widgets.viewports"] == 0  # Qt's own names, whoever calls


@qt_loop
async def test_threads_give_way_to_a_window_quickly_also_when_they_have_imported() -> None:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(0.005)
    try:
        stage = await Stage(None).open()
        await stage.close()
        assert sys.getswitchinterval() < 0.0002  # modules were imported on threads until now
        with beside_a_window():
            assert sys.getswitchinterval() < 0.0002
        assert sys.getswitchinterval() < 0.0002
    finally:
        sys.setswitchinterval(usual)


def test_python_waits_at_its_end_for_what_is_imported_for_colours() -> None:
    grammars = Grammars()
    grammars.load()
    threads = [one for one in threading.enumerate() if one.name == "grammars"]
    assert not any(one.daemon for one in threads)
    for one in threads:
        one.join()
    assert grammars.ready


@qt_loop
async def test_no_thread_makes_classes_before_there_is_room_for_them(
    stage_on: OpenStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, bool]] = []

    def note(name: str, work: Callable[..., object]) -> Callable[..., object]:
        def noted(*given: object) -> object:
            done.append((name, threading.current_thread() is threading.main_thread()))
            return work(*given)

        return noted

    for name in ("room_for_types", "import_directly"):
        monkeypatch.setattr(f"studio_qt.ui.window.{name}", note(name, getattr(importing, name)))
    await stage_on(None)
    assert done[:2] == [("room_for_types", True), ("import_directly", False)]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there is no table from 3.12 on")
def test_the_room_for_classes_is_free_when_threads_make_them() -> None:
    room_for_types.__wrapped__()
    kinds, pending = set(), [Shiboken.Object]
    while pending:
        kind = pending.pop()
        kinds.add(kind)
        pending += type.__subclasses__(kind)
    assert not [kind for kind in kinds if kind.__name__ == "Room"]
    assert len(kinds) < 1000  # those of tests included


def test_garbage_is_collected_as_before_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    import gc

    states: list[bool] = []
    monkeypatch.setattr(gc, "isenabled", lambda: True)
    monkeypatch.setattr(gc, "enable", lambda: states.append(True))
    monkeypatch.setattr(gc, "disable", lambda: states.append(False))
    with no_collections():
        pass
    assert states == [False, True]
