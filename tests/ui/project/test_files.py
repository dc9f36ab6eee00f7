"""What is done to files in the tree, and how it is taken back."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMenu

from studio_qt.errors import StorageError
from studio_qt.ui.keeping import project_memory
from studio_qt.ui.project.namefield import NameField
from tests.support.qt import until
from tests.ui.project.conftest import Bench, OpenBench

pytestmark = pytest.mark.qt_loop


def _drafts(bench: Bench) -> list[str]:
    return [key for key in list(bench.page.tree.model().keys()) if key.startswith("draft:")]


def _agents(bench: Bench) -> object:
    return json.loads((bench.root / "config.json").read_text())["agents"]


async def _undo(bench: Bench) -> None:
    bench.page.tree.setFocus()
    bench.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    await bench.settled()


async def test_a_new_file_is_named_in_place_and_opened(bench: Bench) -> None:
    bench.choose("notes/plan.md")
    await bench.run("newFile")
    assert bench.field.text() == "new-file.txt"
    assert bench.field.selectedText() == "new-file"
    await bench.type_name("ideas")
    assert (bench.root / "notes/ideas.txt").read_text() == ""
    assert bench.opened == ["notes/ideas.txt"]
    assert bench.page.tree.current().path == "notes/ideas.txt"
    assert not _drafts(bench)


async def test_escape_gives_a_new_file_up(bench: Bench) -> None:
    before = bench.disk()
    await bench.run("newFolder")
    QTest.keyClick(bench.field, Qt.Key.Key_Escape)
    await bench.settled()
    await until(
        lambda: not any(key.startswith("draft:") for key in list(bench.page.tree.model().keys()))
    )
    assert bench.disk() == before


async def test_a_new_folder_is_shown_though_it_is_empty(bench: Bench) -> None:
    bench.choose("notes")
    await bench.run("newFolder")
    await bench.type_name("old")
    assert (bench.root / "notes/old").is_dir()
    assert bench.names("notes") == ["old", "plan.md"]


@pytest.mark.parametrize("name", ["con", "a:b", "LAMP.txt", "", "x."])
async def test_a_name_that_cannot_be_is_told_while_typing(bench: Bench, name: str) -> None:
    await bench.run("newContextFile")
    field = bench.field
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, name)
    says = bench.find("treeNameFault")
    assert isinstance(says, QLabel)
    assert says.isVisible()
    assert says.text() == field.accessibleDescription() != ""
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert bench.field is field
    QTest.keyClick(field, Qt.Key.Key_Escape)
    await bench.settled()
    assert bench.has("context/lamp.txt")


@pytest.mark.parametrize(
    ("kind", "ending"),
    [
        ("newAgentJavascript", "js"),
        ("newAgentTypescript", "ts"),
        ("newAgentPython", "py"),
        ("newAgentLua", "lua"),
    ],
)
@pytest.mark.clause("PKG-12")
async def test_a_new_agent_is_listed_in_the_config(bench: Bench, kind: str, ending: str) -> None:
    await bench.run(kind)
    await bench.type_name("ada.boats")
    assert "@agent ada.boats" in (bench.root / f"agents/ada.boats.{ending}").read_text()
    text = (bench.root / "config.json").read_text()
    assert text.startswith('{\n  "name": "Ada",\n  "agents": ["ada.dice", "ada.boats"]')
    await _undo(bench)
    assert _agents(bench) == ["ada.dice"]
    assert not (bench.root / f"agents/ada.boats.{ending}").exists()


async def test_an_agent_of_a_name_in_another_language_is_refused(bench: Bench) -> None:
    await bench.run("newAgentLua")
    bench.field.selectAll()
    QTest.keyClicks(bench.field, "ada.dice")
    assert "ada.dice.js" in (bench.field.fault or "")
    for name in ("studio.mine", "a b", "a..b"):
        bench.field.setText(name)
        assert bench.field.fault


async def test_an_open_config_is_changed_in_its_editor_as_one_step(bench: Bench) -> None:
    document = await bench.documents.open("config.json")
    before = document.plain
    await bench.run("newSubAgent")
    await bench.type_name("pilot")
    assert json.loads(document.plain)["agents"] == ["ada.dice", "pilot.subagent.md"]
    assert not document.modified
    document.text.undo()
    assert document.plain == before


async def test_unsaved_text_of_the_config_stays_unsaved_and_gets_the_entry(bench: Bench) -> None:
    document = await bench.documents.open("config.json")
    document.text.setPlainText(document.plain.replace('"Ada"', '"Ada Byron"'))
    await bench.run("newAgentJavascript")
    await bench.type_name("ada.boats")
    assert json.loads(document.plain)["agents"] == ["ada.dice", "ada.boats"]
    assert document.modified
    assert _agents(bench) == ["ada.dice"]


async def test_a_config_that_cannot_be_read_is_told_and_the_agent_is_there(bench: Bench) -> None:
    (bench.root / "config.json").write_text("{ broken")
    await bench.run("newAgentJavascript")
    await bench.type_name("ada.boats")
    assert (bench.root / "agents/ada.boats.js").exists()
    assert "not listed" in bench.notices[-1]
    assert (bench.root / "config.json").read_text() == "{ broken"


async def test_renaming_in_place_tells_and_open_documents_follow(bench: Bench) -> None:
    document = await bench.documents.open("intro.txt")
    document.text.setPlainText("Unsaved.")
    bench.choose("intro.txt")
    bench.press(Qt.Key.Key_F2)
    assert bench.field.selectedText() == "intro"
    await bench.type_name("hello.txt")
    assert bench.moved == [("intro.txt", "hello.txt")]
    assert document.path == "hello.txt"
    assert document.plain == "Unsaved."
    await _undo(bench)
    assert document.path == "intro.txt"
    assert "hello.txt" not in bench.disk()


@pytest.mark.clause("STU-01")
async def test_a_renamed_agent_keeps_its_entry(bench: Bench) -> None:
    bench.choose("agents/ada.dice.js")
    bench.press(Qt.Key.Key_F2)
    await bench.type_name("ada.bones.js")
    assert _agents(bench) == ["ada.bones"]
    await _undo(bench)
    assert _agents(bench) == ["ada.dice"]


@pytest.mark.clause("PKG-02")
async def test_file_mappings_follow_what_is_renamed(bench_on: OpenBench) -> None:
    mappings = {"Instructions": "texts/who.txt", "ContextDirectory": "lore/"}
    config = json.dumps({"fileMappings": mappings})
    bench = await bench_on({"config.json": config, "texts/who.txt": "x", "lore/a.txt": "y"})
    bench.choose("texts/who.txt")
    bench.press(Qt.Key.Key_F2)
    assert bench.field.text() == "who.txt"
    await bench.type_name("ada.txt")
    bench.page.files.rename("lore", "world")
    await bench.settled()
    written = json.loads((bench.root / "config.json").read_text())["fileMappings"]
    assert written == {"Instructions": "texts/ada.txt", "ContextDirectory": "world/"}
    assert bench.names("group:context") == ["a.txt"]
    await _undo(bench)
    await _undo(bench)
    assert json.loads((bench.root / "config.json").read_text())["fileMappings"] == mappings


async def test_a_renamed_folder_takes_its_open_documents_along(bench: Bench) -> None:
    document = await bench.documents.open("notes/plan.md")
    bench.click("notes")
    bench.press(Qt.Key.Key_F2)
    await bench.type_name("papers")
    assert document.path == "papers/plan.md"
    assert bench.page.tree.isExpanded(bench.page.tree.model().index_of("papers"))


async def test_the_case_of_a_name_can_be_changed(bench: Bench) -> None:
    bench.choose("notes/plan.md")
    bench.press(Qt.Key.Key_F2)
    await bench.type_name("Plan.md")
    assert "notes/Plan.md" in bench.disk()


async def test_delete_goes_to_the_trash_and_undo_brings_it_back(bench: Bench) -> None:
    bench.choose("notes")
    bench.press(Qt.Key.Key_Delete)
    await bench.settled()
    assert bench.trash.paths == ["notes"]
    assert bench.removed == ["notes"]
    assert not bench.has("notes/plan.md")
    await _undo(bench)
    assert (bench.root / "notes/plan.md").read_text() == "# Plan"
    assert bench.has("notes/plan.md")


async def test_several_files_are_deleted_and_come_back_as_one_step(bench: Bench) -> None:
    bench.choose("intro.txt")
    bench.click("instructions.txt", Qt.KeyboardModifier.ControlModifier)
    bench.press(Qt.Key.Key_Delete)
    await bench.settled()
    assert sorted(bench.trash.paths) == ["instructions.txt", "intro.txt"]
    await _undo(bench)
    assert {"intro.txt", "instructions.txt"} <= bench.disk()


async def test_where_the_trash_fails_deleting_for_good_is_asked_for(bench: Bench) -> None:
    bench.trash.fails = "intro.txt cannot be moved to the trash: there is none."
    bench.choose("intro.txt")
    bench.press(Qt.Key.Key_Delete)
    await until(lambda: _sheet(bench))
    bench.button("deleteForGoodClose")
    await bench.settled()
    assert "intro.txt" in bench.disk()
    bench.press(Qt.Key.Key_Delete)
    await until(lambda: _sheet(bench))
    bench.button("deleteForGoodConfirm")
    await bench.settled()
    assert "intro.txt" not in bench.disk()
    await _undo(bench)
    assert (bench.root / "intro.txt").read_text() == "Hello."


def _sheet(bench: Bench) -> bool:
    from PySide6.QtCore import QCoreApplication, QEvent

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    found = bench.window.findChild(object, "deleteForGood")
    return found is not None and found.isVisible()


async def test_undo_brings_back_beside_what_came_meanwhile(bench: Bench) -> None:
    bench.choose("intro.txt")
    bench.press(Qt.Key.Key_Delete)
    await bench.settled()
    (bench.root / "intro.txt").write_text("New one.")
    await _undo(bench)
    assert (bench.root / "intro.txt").read_text() == "New one."
    assert (bench.root / "intro-copy.txt").read_text() == "Hello."
    assert any("back as intro-copy.txt" in notice for notice in bench.notices)


async def test_an_undo_that_failed_can_be_tried_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: object) -> None:
        raise StorageError("intro.txt cannot be copied: the disk is full.")

    bench.choose("intro.txt")
    bench.press(Qt.Key.Key_Delete)
    await bench.settled()
    with monkeypatch.context() as patch:
        patch.setattr("studio_qt.files.operations.put_back", fail)
        await _undo(bench)
    assert "the disk is full" in bench.notices[-1]
    await _undo(bench)
    assert (bench.root / "intro.txt").read_text() == "Hello."


async def test_a_copy_that_fails_after_making_room_can_be_undone(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: object) -> None:
        raise StorageError("intro.txt cannot be copied: the disk is full.")

    (tmp_path / "intro.txt").write_text("Other.")
    with monkeypatch.context() as patch:
        patch.setattr("studio_qt.files.operations.copy_in", fail)
        bench.page.files.copy([tmp_path / "intro.txt"], "")
        await until(lambda: bench.window.findChild(object, "conflictReplace") is not None)
        bench.button("conflictReplace")
        await bench.settled()
    assert "the disk is full" in bench.notices[-1]
    await _undo(bench)
    assert (bench.root / "intro.txt").read_text() == "Hello."


async def test_tab_ends_a_name_and_names_no_other_row(bench: Bench) -> None:
    bench.choose("intro.txt")
    bench.press(Qt.Key.Key_F2)
    bench.field.setText("hello.txt")
    QTest.keyClick(bench.field, Qt.Key.Key_Tab)
    await bench.settled()
    assert bench.moved == [("intro.txt", "hello.txt")]
    assert not [one for one in bench.page.tree.findChildren(NameField) if one.isVisible()]


async def test_without_a_match_a_new_file_can_still_be_made(bench: Bench) -> None:
    await bench.filter("zzz")
    await bench.run("newContextFile")
    await until(lambda: bool(bench.page.tree.findChildren(NameField)))
    await bench.type_name("harbour")
    assert "context/harbour.txt" in bench.disk()


async def test_the_shelf_of_old_sessions_is_cleared(bench: Bench) -> None:
    shelf = project_memory(bench.root) / "removed"
    for name, age in (("old", 8), ("young", 1)):
        (shelf / name).mkdir(parents=True)
        then = time.time() - age * 24 * 3600
        os.utime(shelf / name, (then, then))
    bench.page.show_project(bench.root, "Ada")
    await bench.settled()
    assert [one.name for one in shelf.iterdir()] == ["young"]


async def test_undo_of_a_new_file_that_was_written_into_uses_the_trash(bench: Bench) -> None:
    await bench.run("newContextFile")
    await bench.type_name("harbour")
    (bench.root / "context/harbour.txt").write_text("Mine.")
    await _undo(bench)
    assert bench.trash.paths == ["context/harbour.txt"]
    assert bench.removed == ["context/harbour.txt"]


async def test_duplicates_get_a_name_of_their_own(bench: Bench) -> None:
    bench.choose("agents/marcus.subagent.md")
    bench.press(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    await bench.settled()
    assert "agents/marcus-copy.subagent.md" in bench.disk()
    await _undo(bench)
    assert "agents/marcus-copy.subagent.md" not in bench.disk()


async def test_copy_and_paste_copies_into_the_folder(bench: Bench) -> None:
    bench.choose("intro.txt")
    bench.press(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    urls = QGuiApplication.clipboard().mimeData().urls()
    assert [url.toLocalFile() for url in urls] == [(bench.root / "intro.txt").as_posix()]
    bench.choose("notes")
    bench.press(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    await bench.settled()
    assert (bench.root / "notes/intro.txt").read_text() == "Hello."


@pytest.mark.qt_log_ignore("This plugin does not support")
async def test_the_menu_key_offers_what_can_be_done(bench: Bench) -> None:
    from PySide6.QtGui import QContextMenuEvent
    from PySide6.QtWidgets import QApplication

    bench.choose("intro.txt")
    tree = bench.page.tree
    place = bench.place("intro.txt")
    on_screen = tree.viewport().mapToGlobal(place)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, on_screen)
    QApplication.sendEvent(tree.viewport(), event)
    menu = bench.find("projectMenu")
    assert isinstance(menu, QMenu)
    assert {"renameFile", "deleteFile"} <= {action.objectName() for action in menu.actions()}
    menu.close()


async def test_a_plus_makes_a_new_file_in_its_group(bench: Bench) -> None:
    tree = bench.page.tree
    index = tree.model().index_of("group:context")
    place = tree.rows.plus_rect(index, tree.visualRect(index)).center()
    QTest.mouseClick(
        tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
    )
    await bench.type_name("pilot")
    assert "context/pilot.txt" in bench.disk()


@pytest.mark.clause("STU-06")
async def test_the_plus_of_sub_agents_is_a_button_that_asks_for_the_form(bench: Bench) -> None:
    asked: list[bool] = []
    bench.page.sub_agent_wanted.connect(lambda: asked.append(True))
    button = bench.find("subAgentNew")
    await until(button.isVisible)
    tree = bench.page.tree
    row = tree.visualRect(tree.model().index_of("group:subagents"))
    assert row.top() <= button.geometry().center().y() <= row.bottom()
    bench.button("subAgentNew")
    assert asked == [True]


async def test_a_new_file_under_a_filter_shows_everything_first(bench: Bench) -> None:
    await bench.filter("intro")
    await bench.run("newContextFile")
    await until(lambda: bool(bench.page.tree.findChildren(type(bench.field))))
    await bench.type_name("harbour")
    assert "context/harbour.txt" in bench.disk()
