"""Tabs: opening, saving, closing, coming back, dropping."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextDocumentLayout, QPlainTextEdit
from shiboken6 import isValid

from studio_qt.errors import Problem
from studio_qt.ui.documents.document import Document
from studio_qt.ui.editors.view import EditorView
from tests.support.qt import until
from tests.ui.editors.conftest import CONTROL, SHIFT, Bench, Outside

pytestmark = pytest.mark.qt_loop


async def test_without_a_tab_the_page_says_what_to_do(bench: Bench) -> None:
    assert bench.shows("editorsEmpty")
    await bench.open("notes.md")
    assert not bench.shows("editorsEmpty")
    bench.press(Qt.Key.Key_W, CONTROL)
    await bench.idle()
    assert bench.shows("editorsEmpty")


@pytest.mark.clause("STU-01")
async def test_a_file_has_one_tab_and_opens_at_a_place(bench: Bench) -> None:
    await bench.open("notes.md")
    await bench.page.open("instructions.txt", 2, 5)
    await bench.page.open("notes.md")
    assert bench.page.paths == ["notes.md", "instructions.txt"]
    await bench.page.open("instructions.txt", 2, 3)
    assert bench.page.current_path == "instructions.txt"
    assert bench.editor.place == (2, 3)
    assert bench.editor.hasFocus()


async def test_a_place_behind_the_end_is_the_end(bench: Bench) -> None:
    await bench.page.open("instructions.txt", 99, 99)
    assert bench.editor.place == (3, 1)


async def test_another_tab_leaves_those_that_are_there_as_they_are(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each name that is written lays out all tabs: 200 of them would stop the window."""
    named: list[str] = []
    tabs = bench.page.tabs
    write = tabs.setTabToolTip
    monkeypatch.setattr(tabs, "setTabToolTip", lambda at, tip: (named.append(tip), write(at, tip)))
    paths = ["agents/omens.py", "config.json", "instructions.txt", "notes.md"]
    for path in paths:
        await bench.open(path)
    assert sorted(named) == paths


async def test_tabs_come_back_one_by_one_and_not_into_another_project(
    bench: Bench, tmp_path: Path
) -> None:
    paths = ["notes.md", "instructions.txt", "agents/omens.py", "config.json"]
    state = {"tabs": [{"path": path} for path in paths], "current": "config.json"}
    coming = asyncio.ensure_future(bench.page.restore(state))
    async with asyncio.timeout(5):
        while not bench.page.paths:
            await asyncio.sleep(0)  # `until` looks too seldom to see one alone
    assert len(bench.page.paths) < len(paths)
    assert bench.page.tab_state() == state, "a close now would forget the others"
    (tmp_path / "other").mkdir()
    bench.documents._root = tmp_path / "other"
    await coming
    bench.documents._root = bench.root
    assert len(bench.page.paths) < len(paths)


async def test_unsaved_text_shows_at_the_tab_until_it_is_saved(bench: Bench) -> None:
    await bench.open("instructions.txt")
    bar = bench.page.tabs.tabBar()
    bench.type("x")
    assert bar.accessibleTabName(0) == "instructions.txt, not saved"
    bench.press(Qt.Key.Key_S, CONTROL)
    await until(lambda: bar.accessibleTabName(0) == "instructions.txt")
    assert bench.read("instructions.txt").startswith("xBe")


async def test_save_all_saves_all(bench: Bench) -> None:
    for path in ("instructions.txt", "notes.md"):
        await bench.open(path)
        bench.type("x")
    bench.press(Qt.Key.Key_S, CONTROL | SHIFT)
    await bench.idle()
    assert bench.read("instructions.txt").startswith("x")
    assert bench.read("notes.md").startswith("x")


@pytest.mark.parametrize(
    ("answer", "on_disk", "open_still"),
    [("closeSave", "xBe", False), ("closeDiscard", "Be", False), ("closeCancel", "Be", True)],
)
async def test_closing_asks_about_unsaved_text(
    bench: Bench, answer: str, on_disk: str, open_still: bool
) -> None:
    await bench.open("instructions.txt")
    bench.type("x")
    bench.press(Qt.Key.Key_W, CONTROL)
    assert "instructions.txt has changes" in bench.find("closeText").text()
    bench.click(answer)
    await bench.idle()
    assert bench.read("instructions.txt").startswith(on_disk)
    assert (bench.page.paths == ["instructions.txt"]) is open_still
    assert (bench.documents.find("instructions.txt") is not None) is open_still


async def test_escape_keeps_the_tab(bench: Bench) -> None:
    await bench.open("instructions.txt")
    bench.type("x")
    bench.press(Qt.Key.Key_W, CONTROL)
    bench.press(Qt.Key.Key_Escape, field=bench.find("closeSave"))
    assert not bench.shows("closeSheet")
    assert bench.text.startswith("x")
    assert bench.editor.hasFocus()


async def test_a_tab_that_cannot_be_saved_stays(bench: Bench) -> None:
    await bench.open("instructions.txt")
    bench.type("x")
    bench.write("instructions.txt", "foreign\n")
    bench.press(Qt.Key.Key_W, CONTROL)
    bench.click("closeSave")
    await bench.idle()
    assert bench.page.paths == ["instructions.txt"]
    assert bench.read("instructions.txt") == "foreign\n"
    assert bench.notices[-1][1] == "error"


async def test_what_was_discarded_comes_back_with_the_tab(bench: Bench) -> None:
    await bench.open("notes.md")
    await bench.open("instructions.txt")
    bench.place(2, 4)
    bench.type("xyz")
    bench.click_tab(1, Qt.MouseButton.MiddleButton)
    bench.click("closeDiscard")
    await bench.idle()
    assert bench.documents.unsaved == ()
    bench.press(Qt.Key.Key_T, CONTROL | SHIFT)
    await bench.idle()
    assert bench.page.paths == ["notes.md", "instructions.txt"]
    assert bench.text == "Be Ada.\nShexyz counts.\n"
    assert bench.editor.place == (2, 7)
    assert bench.documents.unsaved == ("instructions.txt",)
    bench.press(Qt.Key.Key_Z, CONTROL)
    assert bench.text == "Be Ada.\nShe counts.\n"


async def test_tabs_come_back_in_the_order_in_which_they_went(bench: Bench) -> None:
    for path in ("notes.md", "instructions.txt", "config.json"):
        await bench.open(path)
    for _ in range(3):
        bench.page.close_current()
        await bench.idle()
    for _ in range(4):
        bench.page.reopen()
        await bench.idle()
    assert sorted(bench.page.paths) == ["config.json", "instructions.txt", "notes.md"]


async def test_the_cross_closes_its_own_tab(bench: Bench) -> None:
    await bench.open("notes.md")
    await bench.open("instructions.txt")
    QTest.mouseClick(bench.cross(0), Qt.MouseButton.LeftButton)
    await bench.idle()
    assert bench.page.paths == ["instructions.txt"]


async def test_closing_others_asks_once_for_all(bench: Bench) -> None:
    for path in ("notes.md", "instructions.txt", "config.json"):
        await bench.open(path)
        bench.type("x")
    bench.page.close_others(bench.page.current)
    assert "notes.md, instructions.txt" in bench.find("closeText").text()
    bench.click("closeSave")
    await bench.idle()
    assert bench.page.paths == ["config.json"]
    assert bench.read("notes.md").startswith("x")


async def test_keys_go_through_the_tabs(bench: Bench) -> None:
    for path in ("notes.md", "instructions.txt", "config.json"):
        await bench.open(path)
    seen = []
    for key, held in (
        (Qt.Key.Key_Tab, CONTROL),
        (Qt.Key.Key_PageDown, CONTROL),
        (Qt.Key.Key_PageUp, CONTROL),
        (Qt.Key.Key_Backtab, CONTROL | SHIFT),
    ):
        bench.press(key, held)
        seen.append(bench.page.current_path)
    assert seen == ["notes.md", "instructions.txt", "notes.md", "config.json"]
    assert bench.editor.hasFocus()


@pytest.mark.qt_log_ignore("This plugin does not support")
async def test_a_tab_has_a_menu_for_mouse_and_keys(bench: Bench) -> None:
    await bench.open("agents/roller.js")
    heard: list[str] = []
    bench.page.compare_wanted.connect(lambda path: heard.append(f"compare {path}"))
    bench.page.history_wanted.connect(lambda path: heard.append(f"history {path}"))
    bench.page.reveal_wanted.connect(lambda path: heard.append(f"reveal {path}"))
    bench.page.tabs.tabBar().setFocus()
    bench.press(Qt.Key.Key_Menu, field=bench.page.tabs.tabBar())
    menu = bench.find("tabMenu", QMenu)
    for name in ("tabMenuCompare", "tabMenuHistory", "tabMenuReveal", "tabMenuCopyPath"):
        next(one for one in menu.actions() if one.objectName() == name).trigger()
    menu.close()
    assert heard == [f"{what} agents/roller.js" for what in ("compare", "history", "reveal")]
    assert QGuiApplication.clipboard().text() == "agents/roller.js"


async def test_the_folder_and_another_program_can_be_asked_for(bench: Bench) -> None:
    await bench.open("agents/roller.js")
    outside = Outside()
    bench.page.show_in_folder(bench.page.current)
    bench.page.open_outside(bench.page.current)
    outside.close()
    assert outside.opened == [str(bench.root / "agents"), str(bench.root / "agents/roller.js")]


async def test_two_files_of_one_name_show_their_folders(bench: Bench) -> None:
    await bench.open("a/one.md", "1")
    assert bench.page.tabs.tabText(0) == "one.md"
    await bench.open("b/one.md", "2")
    assert [bench.page.tabs.tabText(at) for at in (0, 1)] == ["one.md – a", "one.md – b"]


async def test_tabs_follow_a_renamed_folder(bench: Bench) -> None:
    await bench.open("agents/roller.js")
    bench.type("x")
    (bench.root / "agents").rename(bench.root / "tools")
    bench.documents.moved("agents", "tools")
    bench.page.moved("agents", "tools")
    assert bench.page.paths == ["tools/roller.js"]
    bench.press(Qt.Key.Key_S, CONTROL)
    await bench.idle()
    assert bench.read("tools/roller.js").startswith("xfunction")


async def test_a_renamed_file_gets_the_language_of_its_new_name(bench: Bench) -> None:
    await bench.open("notes.md")
    bench.documents.moved("notes.md", "notes.py")
    await until(lambda: bench.status is not None and bench.status.language == "python")


async def test_what_is_removed_closes_but_for_unsaved_text(bench: Bench) -> None:
    await bench.open("agents/omens.py")
    await bench.open("agents/roller.js")
    bench.type("x")
    for name in ("omens.py", "roller.js"):
        (bench.root / "agents" / name).unlink()
    await bench.documents.files_changed(frozenset({"agents"}))
    bench.page.removed("agents")
    await bench.idle()
    assert bench.page.paths == ["agents/roller.js"]
    assert "not on the disk any more" in bench.find("noticeText").text()


async def test_tabs_are_remembered_with_places(bench: Bench) -> None:
    for path in ("notes.md", "instructions.txt", "agents/roller.js"):
        await bench.open(path)
    bench.place(3, 4)
    bench.page.looking.zoom_by(2)
    await bench.page.open("instructions.txt", 2, 2)
    state = json.loads(json.dumps(bench.page.tab_state()))
    await bench.documents.set_project(None)
    assert bench.page.paths == []
    await bench.documents.set_project(bench.root)
    (bench.root / "notes.md").unlink()
    await bench.page.restore(state)
    assert bench.page.paths == ["instructions.txt", "agents/roller.js"]
    assert bench.editor.place == (2, 2)
    assert [doc.path for doc in bench.documents.documents] == ["instructions.txt"]
    bench.click_tab(1)
    await bench.idle()
    assert bench.editor.place == (3, 4)
    assert bench.page.tab_state()["zoom"] == 2


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"tabs": 3},
        {"tabs": [3, {"path": 1}], "current": []},
        {"tabs": [{"path": "notes.md", "position": "x"}], "zoom": "x"},
    ],
)
async def test_a_state_that_is_broken_breaks_nothing(bench: Bench, state: dict) -> None:
    await bench.page.restore(state)
    assert bench.page.paths in ([], ["notes.md"])


async def test_unsaved_text_of_last_time_has_its_tab_again(bench: Bench) -> None:
    await bench.open("instructions.txt")
    bench.type("x")
    await bench.documents.set_project(None)
    assert bench.page.paths == []
    await bench.documents.set_project(bench.root)
    await bench.page.restore({})
    assert bench.page.paths == ["instructions.txt"]
    await bench.idle()
    assert bench.text.startswith("xBe")


async def test_a_text_that_others_change_gets_a_tab(bench: Bench) -> None:
    document = await bench.documents.open("notes.md")
    assert bench.page.paths == []
    QTextCursor(document.text).insertText("x")
    assert bench.page.paths == ["notes.md"]
    await bench.idle()
    assert bench.text.startswith("x# Notes")


def drop(bench: Bench, *files: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    place = QPointF(200, 10)
    enter = QDragEnterEvent(place.toPoint(), copy, data, left, none)
    QApplication.sendEvent(bench.page, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(bench.page, QDropEvent(place, copy, data, left, none))


async def test_files_of_the_project_open_where_they_are_dropped(
    bench: Bench, tmp_path: Path
) -> None:
    foreign = tmp_path / "far.txt"
    foreign.write_text("far")
    wanted: list[list[str]] = []
    bench.page.import_wanted.connect(wanted.append)
    drop(bench, bench.root / "notes.md", foreign, bench.root / "agents")
    await bench.idle()
    assert bench.page.paths == ["notes.md"]
    assert wanted == [[str(foreign)]]


async def test_a_file_that_is_dropped_on_an_editor_opens_and_is_not_written_in(
    bench: Bench,
) -> None:
    editor = await bench.open("instructions.txt")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(bench.root / "notes.md"))])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    drop_event = QDropEvent(QPointF(50, 50), copy, data, left, none)
    enter = QDragEnterEvent(QPointF(50, 50).toPoint(), copy, data, left, none)
    QApplication.sendEvent(editor.viewport(), enter)
    QApplication.sendEvent(editor.viewport(), drop_event)
    await bench.idle()
    assert bench.page.paths == ["instructions.txt", "notes.md"]
    assert editor.toPlainText() == "Be Ada.\nShe counts.\n"


async def test_the_status_tells_of_the_editor_in_front(bench: Bench) -> None:
    await bench.open("a.py", "if a:\r\n    b = '😀x'\r\n")
    await until(lambda: bench.status is not None and bench.status.tokens is not None)
    bench.place(2, 12)
    await until(lambda: bench.status.line == 2)
    status = bench.status
    assert status.place == "Ln 2, Col 12"
    assert status.format == "UTF-8 · CRLF"
    assert (status.language_name, status.indentation) == ("Python", "Spaces: 4")
    assert status.weight == f"{status.tokens} tokens"
    bench.editor.selectAll()
    await until(lambda: bench.status.selected == 19)
    bench.page.close_current()
    await until(lambda: bench.status is None)


async def test_all_actions_have_keys_that_do_not_clash(bench: Bench) -> None:
    assert bench.actions.clashes() == []


async def test_problems_wait_for_the_tab_of_their_file(bench: Bench) -> None:
    bench.page.show_problems([Problem("error", "agents/roller.js", 3, "Broken here.")])
    editor = await bench.open("agents/roller.js")
    assert [mark.line for mark in editor.marks.problems] == [2]


async def test_restored_tabs_keep_their_order_and_are_read_when_they_are_shown(
    bench: Bench,
) -> None:
    paths = ["notes.md", "config.json", "instructions.txt", "agents/omens.py"]
    await bench.open("config.json")
    bench.type("x")
    await bench.documents.set_project(None)
    await bench.documents.set_project(bench.root)
    state = {"tabs": [{"path": path} for path in paths], "current": "instructions.txt"}
    await bench.page.restore(state)
    await bench.idle()
    assert bench.page.paths == paths
    assert bench.page.current_path == "instructions.txt"
    opened = {document.path for document in bench.documents.documents}
    assert opened == {"config.json", "instructions.txt"}


async def test_of_restored_tabs_the_current_one_alone_is_shown_and_made_ready_before(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each that is shown is dressed, and has its path made: the first one was for nobody."""
    ready: list[tuple[str, bool]] = []
    furnish = EditorView.furnish
    monkeypatch.setattr(
        EditorView,
        "furnish",
        lambda view: (ready.append((view.path, view.isVisible())), furnish(view)),
    )
    state = {"tabs": [{"path": path} for path in ("notes.md", "config.json")]}
    await bench.page.restore({**state, "current": "config.json"})
    assert ready[0] == ("config.json", False)
    assert {path for path, _ in ready} == {"config.json"}
    assert bench.page.tabs.isVisible()


async def test_closing_asks_once(bench: Bench) -> None:
    await bench.open("notes.md")
    bench.type("x")
    bench.page.close_current()
    bench.page.close_current()
    bench.click("closeCancel")
    assert not bench.shows("closeSheet")
    assert bench.page.paths == ["notes.md"]


async def test_a_discarded_text_whose_file_is_gone_is_told_where_it_is(bench: Bench) -> None:
    await bench.open("notes.md")
    bench.type("x")
    bench.page.close_current()
    bench.click("closeDiscard")
    await bench.idle()
    (bench.root / "notes.md").unlink()
    bench.page.reopen()
    await bench.idle()
    assert "local history" in bench.notices[-1][0]
    (version, *_) = bench.documents.history.versions("notes.md")
    assert (await bench.documents.history.text(version)).startswith("x# Notes")


async def test_the_status_goes_on_while_keys_come_fast(bench: Bench) -> None:
    await bench.open("instructions.txt")
    await until(lambda: bench.status is not None)
    for _ in range(60):
        bench.type("x")
        await asyncio.sleep(0.005)
    assert bench.status.column > 20


async def test_a_tab_that_is_reopened_while_it_closes_stays(bench: Bench) -> None:
    for path in ("notes.md", "instructions.txt"):
        await bench.open(path)
    bench.type("x")
    bench.page.close_current()
    bench.click("closeDiscard")
    await until(lambda: bench.page.paths == ["notes.md"])
    bench.page.reopen()
    await bench.idle()
    assert bench.page.paths == ["notes.md", "instructions.txt"]
    assert bench.text.startswith("xBe Ada")
    assert bench.documents.find("instructions.txt") is bench.page.current.document


async def test_a_tab_may_be_closed_twice_at_once(bench: Bench) -> None:
    await bench.open("notes.md")
    await bench.open("instructions.txt")
    bench.page.close_current()
    bench.page.close_current()
    await bench.idle()
    assert bench.page.paths == ["notes.md"]


async def test_the_text_of_a_closed_tab_takes_no_memory(bench: Bench) -> None:
    await bench.open("notes.md")
    text = bench.documents.find("notes.md").text
    bench.type("x")
    bench.page.close_current()
    bench.click("closeSave")
    await bench.idle()
    await until(lambda: not isValid(text))
    assert bench.read("notes.md").startswith("x")


async def test_a_text_that_another_page_shows_outlives_its_tab(bench: Bench) -> None:
    """It ended under the other editor, and the program with it."""
    await bench.open("notes.md")
    document = bench.documents.find("notes.md")
    assert document is not None
    text = document.text
    other = QPlainTextEdit(bench.window)
    other.setDocument(text)
    bench.page.close_current()
    await until(lambda: "close" not in bench.tasks.names)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert isValid(text)
    assert other.toPlainText().startswith("# Notes")
    nothing = QTextDocument(other)
    nothing.setDocumentLayout(QPlainTextDocumentLayout(nothing))
    other.setDocument(nothing)
    await until(lambda: not isValid(text))


async def test_an_editor_is_made_in_one_turn_and_shown_in_another(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns, now = [], [0]
    make, show = EditorView._make_body, EditorView._show_body

    async def count() -> None:
        while True:
            await asyncio.sleep(0)
            now[0] += 1

    def made(view: EditorView, document: Document) -> None:
        turns.append(now[0])
        make(view, document)

    def shown(view: EditorView) -> None:
        turns.append(now[0])
        show(view)

    monkeypatch.setattr(EditorView, "_make_body", made)
    monkeypatch.setattr(EditorView, "_show_body", shown)
    counting = asyncio.ensure_future(count())
    await bench.open("a.md", "The sea.\n")
    counting.cancel()
    assert turns[0] < turns[1]


async def test_a_tab_that_is_closed_before_its_editor_is_shown_leaves_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = EditorView._make_body

    def made(view: EditorView, document: Document) -> None:
        make(view, document)
        asyncio.get_running_loop().call_soon(bench.page.remove_tab, view)

    monkeypatch.setattr(EditorView, "_make_body", made)
    bench.write("a.md", "The sea.\n")
    await bench.page.open("a.md")
    await bench.idle()
    assert bench.page.paths == []
    assert bench.failures == []
