"""The page of agent stores in the real window: edited by keys and mouse, never lost (STU-04)."""

from __future__ import annotations

import asyncio
import json
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from studio_qt.ui.stores.model import LEFT, RIGHT
from tests.support.qt import until
from tests.support.window import Stage
from tests.ui.conftest import OpenStage
from tests.ui.stores.conftest import OpenShelf
from tests.ui.stores.shelf import MEMORY, Shelf, write_stores

pytestmark = [
    pytest.mark.qt_loop,
    pytest.mark.qt_log_ignore("This plugin does not support"),  # a menu without a display
]
DEFAULT = {"memories": [{"text": "The lamp."}], "count": 1}
SHIPPED = {f"{MEMORY}.agent.json": json.dumps(DEFAULT, indent=2)}


# Whose stores there are


@pytest.mark.clause("STU-04")
async def test_private_stores_lie_below_their_sub_agent_and_grants_are_links(
    shelf_on: OpenShelf,
) -> None:
    shelf = await shelf_on()
    rows = [(row.name, row.owner, row.icon, row.is_link) for row in shelf.page.list.rows]
    assert rows == [
        ("test.memory", "", "code", False),
        ("test.marcus", "", "sub-agent", False),
        ("studio.dice-roller", "test.marcus", "lock", False),
        ("test.memory", "test.marcus", "chain", True),
    ]


@pytest.mark.clause("STU-04")
async def test_a_link_leads_to_the_one_row_of_that_store(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on()
    shelf.page.show_agent("test.marcus")
    await shelf.settle()
    listed = shelf.page.list
    below = listed.topLevelItem(1)
    link = below.child(1)
    QTest.mouseClick(
        listed.viewport(),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        listed.visualItemRect(link).center(),
    )
    await shelf.settle()
    assert listed.currentItem() is listed.topLevelItem(0)
    assert shelf.detail.agent_id == MEMORY


async def test_the_filter_leaves_what_has_the_words(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on()
    QTest.keyClicks(shelf.page.filter, "dice")
    listed = shelf.page.list
    assert listed.topLevelItem(0).isHidden()
    assert not listed.topLevelItem(1).isHidden()


# Editing the tree


@pytest.mark.clause("STU-04")
async def test_a_value_that_is_typed_over_is_in_the_store_and_undo_takes_it_back(
    shelf_on: OpenShelf,
) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.at("count")
    shelf.press("F2")
    await shelf.write("7")
    assert shelf.store["count"] == 7
    shelf.press("Ctrl+Z")
    await shelf.settle()
    assert shelf.store["count"] == 1
    shelf.press("Ctrl+Shift+Z")
    await shelf.settle()
    assert shelf.store["count"] == 7


async def test_what_is_no_number_keeps_the_field_open_and_says_why(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.at("count")
    shelf.press("Return")
    await shelf.write("seven")
    (field,) = shelf.stage.all("storeField")
    assert "Write a number" in field.accessibleDescription()
    assert shelf.store["count"] == 1
    QTest.keyClick(field, Qt.Key.Key_Escape)
    await until(lambda: not shelf.tree.is_typing)


async def test_values_are_added_named_moved_and_removed_by_keys(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.at("memories", 0, "text")
    shelf.press("Ins")
    await shelf.write("weight")
    shelf.press("F2")
    await shelf.write("heavy")
    assert shelf.store["memories"] == [{"text": "The lamp.", "weight": "heavy"}]
    shelf.press("Alt+Up")
    await shelf.settle()
    assert list(shelf.store["memories"][0]) == ["weight", "text"]
    shelf.press("Shift+F2")
    await shelf.write("mood")
    assert shelf.store["memories"][0]["mood"] == "heavy"
    shelf.press("Del")
    await shelf.settle()
    assert shelf.store["memories"] == [{"text": "The lamp."}]


async def test_a_name_that_is_taken_is_refused_in_its_field(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.at("count")
    shelf.press("Shift+F2")
    await shelf.write("memories")
    (field,) = shelf.stage.all("storeField")
    assert "already" in field.accessibleDescription()
    assert set(shelf.store) == {"memories", "count"}
    QTest.keyClick(field, Qt.Key.Key_Escape)
    await until(lambda: not shelf.tree.is_typing)


async def test_a_subtree_is_copied_as_json_and_pasted_under_its_name(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.at("memories")
    shelf.press("Ctrl+C")
    assert json.loads(QApplication.clipboard().text()) == DEFAULT["memories"]
    shelf.at("count")
    shelf.press("Ctrl+V")
    await shelf.settle()
    assert shelf.store["memories2"] == DEFAULT["memories"]
    QApplication.clipboard().setText("no json {")
    shelf.press("Ctrl+V")
    await shelf.settle()
    assert len(shelf.store) == 3
    QApplication.clipboard().clear()


async def test_the_type_is_changed_by_the_menu_and_yes_and_no_by_enter(
    shelf_on: OpenShelf,
) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.at("count")
    shelf.press("Ctrl+T")
    menu = shelf.stage.find("storeTypes", QMenu)
    next(one for one in menu.actions() if one.objectName() == "storeTypeYesno").trigger()
    menu.close()
    await shelf.settle()
    assert shelf.store["count"] is True
    shelf.press("Return")
    await shelf.settle()
    assert shelf.store["count"] is False


async def test_long_texts_are_typed_on_several_lines(shelf_on: OpenShelf) -> None:
    text = "First line.\nSecond line."
    shelf = await shelf_on({f"{MEMORY}.agent.json": json.dumps({"text": text})})
    shelf.at("text")
    shelf.press("F2")
    (field,) = shelf.stage.all("storeField")
    assert field.toPlainText() == text
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    await shelf.write("Third.", over=False)
    assert shelf.store["text"] == f"{text}\nThird."


async def test_rows_open_and_close_on_both_sides_alike(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    live, shipped = shelf.detail.panes.views
    index = live.model().index(0, LEFT)
    assert live.isExpanded(index)
    spot = live.rows.chevron_rect(index, live.visualRect(index)).center()
    QTest.mouseClick(
        live.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot
    )
    assert not live.isExpanded(index)
    assert not shipped.isExpanded(index)
    shelf.press("Right", shipped)
    assert live.isExpanded(index)
    assert live.visualRect(index).y() == shipped.visualRect(index.siblingAtColumn(RIGHT)).y()


async def test_words_are_found_and_gone_to(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.at("count")
    shelf.press("Ctrl+F")
    QTest.keyClicks(shelf.detail.head.field, "LAMP")
    await until(lambda: shelf.detail.finding.hits == 1)
    assert shelf.tree.current_path == ("memories", 0, "text")


# Raw text


@pytest.mark.clause("STU-04")
async def test_the_text_and_the_tree_are_in_step(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.click("storeModesRaw")
    assert json.loads(shelf.editor.toPlainText()) == DEFAULT
    shelf.editor.selectAll()
    QTest.keyClicks(shelf.editor, '{"hope": 3}')
    await until(lambda: shelf.store == {"hope": 3})
    await shelf.settle()
    assert "hope  3" in shelf.shown
    shelf.click("storeModesTree")
    shelf.at("hope")
    shelf.press("F2")
    await shelf.write("4")
    assert json.loads(shelf.editor.toPlainText()) == {"hope": 4}


@pytest.mark.clause("STU-04")
async def test_texts_of_any_length_are_coloured_and_have_no_buttons_of_the_tree(
    shelf_on: OpenShelf,
) -> None:
    shelf = await shelf_on(SHIPPED)
    assert shelf.stage.all("storeLiveAdd")
    shelf.click("storeModesRaw")
    for side in ("Live", "Default"):
        shown = [
            name for name in ("Add", "Remove", "Undo") if shelf.stage.all(f"store{side}{name}")
        ]
        assert shown == ["Undo"]
    for raw in shelf.detail.panes.raws:
        block = raw.editor.document().findBlockByNumber(1)
        await until(lambda block=block: bool(block.layout().formats()))
    shelf.click("storeModesTree")
    assert shelf.stage.all("storeLiveAdd")


@pytest.mark.clause("STU-04")
async def test_text_that_is_no_store_changes_nothing_and_names_the_line(
    shelf_on: OpenShelf,
) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.click("storeModesRaw")
    shelf.editor.selectAll()
    QTest.keyClicks(shelf.editor, '{"a": 1,')
    QTest.keyClick(shelf.editor, Qt.Key.Key_Return)
    QTest.keyClicks(shelf.editor, '"b" 2}')
    own = shelf.detail.panes.raws[LEFT]
    await until(lambda: bool(own.fault))
    told = shelf.stage.find("storeEditorFault")
    assert told.text().startswith("Line 2, column 5")
    assert shelf.editor.extraSelections()[0].cursor.blockNumber() == 1
    assert shelf.store == DEFAULT
    assert shelf.editor.toPlainText() == '{"a": 1,\n"b" 2}'


# Two at once


@pytest.mark.clause("STU-04")
async def test_an_agents_change_is_shown_at_once_where_nothing_is_being_edited(
    shelf_on: OpenShelf,
) -> None:
    shelf = await shelf_on(SHIPPED)
    await shelf.remember("rope")
    assert "count  2" in shelf.shown
    assert "1  2 fields" in shelf.shown


@pytest.mark.parametrize("mine", [True, False])
@pytest.mark.clause("STU-04")
async def test_a_store_that_changes_under_an_edit_is_offered_and_nothing_is_lost(
    shelf_on: OpenShelf, mine: bool
) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.at("count")
    shelf.press("F2")
    await shelf.player.call_tool("remember", {"text": "rope"})
    await until(lambda: shelf.detail.live.state == "conflict")
    await shelf.write("70")
    assert shelf.store["count"] == 2
    assert shelf.detail.bar.isVisible()
    button = shelf.bar_button("noticeAction" if mine else "noticeLink")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    await shelf.settle()
    assert shelf.store["count"] == (70 if mine else 2)
    assert len(shelf.store["memories"]) == (1 if mine else 2)
    assert not shelf.detail.bar.isVisible()
    if not mine:
        shelf.press("Ctrl+Z")
        await shelf.settle()
        assert shelf.store == {**DEFAULT, "count": 70}


async def test_an_edit_waits_for_the_call_that_runs_and_says_so(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.at("count")
    shelf.press("F2")
    running = asyncio.ensure_future(shelf.player.call_tool("dawdle", {}))
    await asyncio.sleep(0.05)
    field = next(one for one in shelf.stage.all("storeField"))
    shelf.press("Ctrl+A", field)
    QTest.keyClicks(field, "5")
    QTest.keyClick(field, Qt.Key.Key_Return)
    await until(lambda: shelf.detail.live.state == "waiting")
    assert "running call" in shelf.stage.find("storeLiveState").accessibleName()
    await running
    await until(lambda: shelf.detail.live.state == "conflict")
    QTest.mouseClick(shelf.bar_button("noticeAction"), Qt.MouseButton.LeftButton)
    await shelf.settle()
    assert shelf.store["count"] == 5


# Default


@pytest.mark.clause("STU-04", "PERS-03")
async def test_set_default_opens_the_snapshot_without_call_ids_to_be_pruned_and_saved(
    shelf_on: OpenShelf,
) -> None:
    shelf = await shelf_on()
    await shelf.remember("rope")
    await shelf.remember("noise")
    shelf.click("setDefault")
    await shelf.settle()
    path = f"{MEMORY}.agent.json"
    documents = shelf.stage.window.session.documents
    assert documents.unsaved == (path,)
    assert shelf.shipped is None
    shipped = shelf.stage.find("storeTreeDefault")
    shelf.at("memories", 1, tree=shipped)
    shelf.press("Del", shipped)
    await shelf.settle()
    shelf.press("Ctrl+S", shipped)
    await until(lambda: shelf.shipped is not None)
    assert shelf.shipped == {"memories": [{"text": "rope"}], "count": 2}
    assert len(shelf.store["memories"]) == 2
    assert shelf.store["memories"][0]["toolCallId"] == 1


@pytest.mark.clause("STU-01", "STU-04")
async def test_a_default_is_a_document_that_plays_before_it_is_saved(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    shipped = shelf.stage.find("storeTreeDefault")
    shelf.at("count", tree=shipped)
    shelf.press("F2", shipped)
    await shelf.write("40")
    assert shelf.shipped == DEFAULT
    await shelf.player.new_conversation()
    await until(lambda: shelf.store["count"] == 40)
    shelf.press("Ctrl+Z", shipped)
    await until(lambda: not shelf.detail.shipped.modified)
    assert shelf.store["count"] in (1, 40)


async def test_the_default_follows_its_file(shelf_on: OpenShelf, tmp_path: Path) -> None:
    shelf = await shelf_on(SHIPPED)
    (tmp_path / "ada" / f"{MEMORY}.agent.json").write_text('{"count": 99}')
    await until(lambda: shelf.detail.shipped.value == {"count": 99}, 10)


async def test_a_default_that_is_no_json_is_shown_as_text_with_its_line(
    shelf_on: OpenShelf,
) -> None:
    shelf = await shelf_on({f"{MEMORY}.agent.json": '{\n"a": }'})
    editor = shelf.stage.find("storeEditorDefault")
    assert editor.isVisible()
    assert editor.toPlainText() == '{\n"a": }'
    assert shelf.stage.find("storeEditorDefaultFault").text().startswith("Line 2")


async def test_a_value_is_copied_to_the_other_side(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    await shelf.remember("rope")
    shelf.at("memories", 1)
    shelf.press("Ctrl+R")
    await shelf.settle()
    value = shelf.detail.shipped.value
    assert [memory["text"] for memory in value["memories"]] == ["The lamp.", "rope"]


@pytest.mark.clause("STU-04")
async def test_a_reset_asks_first_and_undo_takes_it_back(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    await shelf.remember("rope")
    before = shelf.store
    shelf.click("storeReset")
    assert shelf.store == before
    shelf.click("storeResetSheetConfirm")
    await until(lambda: shelf.store == DEFAULT)
    await shelf.settle()
    assert (await shelf.player.store_history(MEMORY))[-1].kind == "reset"
    shelf.at("count")
    shelf.press("Ctrl+Z")
    await shelf.settle()
    assert shelf.store == before


# The past


@pytest.mark.clause("STU-04")
async def test_a_moment_is_looked_at_compared_and_restored(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    await shelf.remember("rope")
    await shelf.remember("noise")
    past = shelf.detail.past
    await until(lambda: len(past.changes) == 3)
    QTest.mouseClick(
        past.line,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        past.line.place_of(1).toPoint(),
    )
    await until(lambda: shelf.page.settled and len(past.details) == 2)
    assert past.change.tool_call_id == 1
    assert "remember #1" in past.line.accessibleDescription()
    assert [(row.sign, row.path) for row in past.details] == [
        ("+", ("memories", 1)),
        ("±", ("count",)),
    ]
    assert not shelf.detail.panes.model.editable[LEFT]
    assert "count  2" in shelf.shown
    live, right = shelf.detail.panes.panes
    assert (live.foot.text(), live.state.text()) == ("", "")
    assert right.foot.text() == "0.1 KB"
    assert right.state.text().startswith("Saved")
    shelf.click("storeRestore")
    await until(lambda: shelf.store["count"] == 2)
    await shelf.settle()
    assert shelf.detail.panes.model.editable[LEFT]
    assert past.change is None
    shelf.at("count")
    shelf.press("Ctrl+Z")
    await until(lambda: shelf.store["count"] == 3)


@pytest.mark.clause("STU-04")
async def test_a_change_whose_message_has_gone_says_so_when_that_is_asked_for(
    shelf_on: OpenShelf,
) -> None:
    shelf = await shelf_on(SHIPPED)
    await shelf.remember("rope")
    await shelf.remember("fog")
    await until(lambda: len(shelf.detail.past.changes) == 3)
    await shelf.player.truncate(4, "now")
    shelf.click("storeShowInChat")
    toasts = shelf.stage.window.pages.toasts
    await until(lambda: any("not in the conversation any more" in one for one in toasts.texts))


@pytest.mark.clause("STU-04")
async def test_keys_go_from_change_to_change_and_the_end_is_now(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    await shelf.remember("rope")
    await shelf.remember("noise")
    past = shelf.detail.past
    await until(lambda: len(past.changes) == 3 and len(past.details) == 2)
    assert shelf.detail.moments.moment is None, "the last change is told of, and now is shown"
    past.line.setFocus()
    shelf.press("Left", past.line)
    await until(lambda: shelf.detail.moments.moment is not None and shelf.page.settled)
    assert shelf.detail.moments.moment.value["count"] == 3
    shelf.press("Home", past.line)
    await until(lambda: past.change.kind == "created" and shelf.page.settled)
    assert shelf.detail.moments.moment.value == DEFAULT
    assert not shelf.stage.find("storeBefore").isEnabled()
    assert not shelf.stage.find("storeFork").isEnabled() or past.line.turn > 0
    shelf.press("End", past.line)
    await until(lambda: shelf.detail.moments.moment is None and shelf.page.settled)
    assert shelf.detail.panes.model.editable[LEFT]


@pytest.mark.clause("STU-04", "PERS-05")
async def test_a_conversation_is_forked_with_the_stores_of_the_turn_at_the_knob(
    shelf_on: OpenShelf,
) -> None:
    shelf = await shelf_on(SHIPPED)
    await shelf.remember("rope")
    await shelf.remember("noise")
    past = shelf.detail.past
    await until(lambda: len(past.changes) == 3 and shelf.page.settled)
    past.choose(past.changes[1])
    await shelf.settle()
    known = {said["id"] for said in await shelf.player.list_conversations()}
    shelf.click("storeFork")
    await shelf.settle()
    made = {said["id"] for said in await shelf.player.list_conversations()} - known
    await shelf.player.load_conversation(made.pop())
    assert [memory["text"] for memory in shelf.store["memories"]] == ["The lamp.", "rope"]
    assert {entry.get("turn", 0) for entry in shelf.player.get_conversation()} == {1}


# What cannot be written


@pytest.mark.clause("STU-04")
async def test_the_default_of_a_zip_is_read_only_and_says_why(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_stores(tmp_path / "ada", SHIPPED)
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        for path in folder.rglob("*"):
            archive.write(path, path.relative_to(folder))
    shelf = Shelf(await stage_on(tmp_path / "ada.zip"))
    shelf.stage.window.inside.workbench.show_large("stores")
    shelf.page.show_agent(MEMORY)
    await shelf.settle()
    assert shelf.page.isVisible()
    assert shelf.detail.shipped.value == DEFAULT
    assert not shelf.stage.find("setDefault").isEnabled()
    assert "zip" in shelf.detail.shipped.reason
    assert not shelf.detail.panes.model.editable[RIGHT]
    shelf.at("count")
    shelf.press("F2")
    await shelf.write("8")
    assert shelf.store["count"] == 8


async def test_the_agent_that_was_asked_for_stays_however_often_the_list_is_read(
    shelf_on: OpenShelf,
) -> None:
    shelf = await shelf_on(SHIPPED)
    page, shown = shelf.page, []
    page.show_player(shelf.player)
    page.detail.live.changed.connect(lambda: shown.append(page.detail.live.agent_id))
    page.show_agent("test.marcus")
    page.refresh()
    page.refresh()
    await shelf.settle()
    assert page.detail.agent_id == page.detail.live.agent_id == "test.marcus"
    assert MEMORY not in shown


async def test_the_page_follows_to_another_conversation(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    await shelf.remember("rope")
    await shelf.player.new_conversation()
    await until(lambda: shelf.detail.live.value == DEFAULT)
    assert shelf.stage.find("storeLive").isVisible()


async def test_the_cross_brings_the_editors_back(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on()
    shelf.click("storeClose")
    assert not shelf.page.isVisible()
    assert shelf.stage.find("projectTree").isVisible()


async def test_the_menu_of_a_row_has_what_can_be_done(shelf_on: OpenShelf) -> None:
    shelf = await shelf_on(SHIPPED)
    shelf.at("count")
    shelf.tree.menu_wanted.emit(shelf.tree.mapToGlobal(QPoint(10, 10)))
    menu = shelf.stage.find("storeMenu", QMenu)
    names = [one.objectName() for one in menu.actions() if one.objectName()]
    assert {"storeEdit", "storeRename", "storeType", "storeRemove"} <= set(names)
    menu.close()


@pytest.mark.clause("STU-01", "STU-04")
async def test_a_snapshot_that_is_not_saved_is_there_after_a_restart(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    shelf = await Shelf(await Stage(write_stores(tmp_path / "ada")).open()).open()
    await shelf.remember("rope")
    shelf.click("setDefault")
    await shelf.settle()
    await shelf.stage.close()
    again = await Shelf(await stage_on(tmp_path / "ada")).open()
    assert again.detail.shipped.modified
    assert again.detail.shipped.value == {"memories": [{"text": "rope"}], "count": 1}
    assert again.shipped is None
    await again.stage.window.session.documents.save_all()
    assert again.shipped == again.detail.shipped.value
