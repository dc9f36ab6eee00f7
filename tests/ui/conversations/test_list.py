"""The list of conversations: forks, opening, naming, deleting and undo, by mouse and keys."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from studio_qt.jsontext import JsonObject
from studio_qt.ui.conversations.listing import arrange, when_words
from studio_qt.ui.conversations.model import ListedRole
from tests.support.qt import until
from tests.ui.conversations.conftest import OpenDesktop, talk

pytestmark = pytest.mark.qt_loop


def write_four(project: Path) -> None:
    """A fork of the second, which a later fork comes from, and an old one."""
    talk(project, 1, "First visit", "Hello", days=3)
    talk(project, 2, "Storm night", "The rope", "Forty fathoms.")
    talk(project, 3, "Rope refused", "No", parent=["conversation_02", 4], parentEntry="e1")
    talk(project, 4, "Rope burned", "Fire", parent=["conversation_03", 4], parentEntry="e1")


# Order


async def test_forks_stand_below_what_they_came_from(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    assert desktop.names == ["Storm night", "  Rope refused", "    Rope burned", "First visit"]
    assert desktop.player.conversation_id == "conversation_02"
    tip = desktop.view.model().index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "Forked from Storm night." in tip
    assert "conversation_03, 1 entry." in tip


def one(number: int, updated: str, origin: int | None = None) -> JsonObject:
    known: JsonObject | None = (
        None if origin is None else {"conversation": f"conversation_{origin:02}"}
    )
    return {"id": f"conversation_{number:02}", "updated": updated, "origin": known}


def test_a_family_stands_where_its_latest_change_is() -> None:
    told = [one(1, "2026-01-01"), one(2, "2026-01-05"), one(3, "2026-01-09", 1)]
    assert [(row.id[-2:], row.depth) for row in arrange(told)] == [("01", 0), ("03", 1), ("02", 0)]


def test_a_ring_of_origins_and_one_that_is_gone_are_listed_once() -> None:
    told = [one(1, "a", 2), one(2, "b", 1), one(3, "c", 3), one(4, "d", 99), one(5, "e", 1)]
    rows = arrange(told)
    assert sorted(row.id[-2:] for row in rows) == ["01", "02", "03", "04", "05"]


def test_a_chain_of_a_thousand_forks_is_no_deeper_than_the_pane() -> None:
    told: list[JsonObject] = [
        one(1, "a"),
        *(one(number, "a", number - 1) for number in range(2, 1_001)),
    ]
    rows = arrange(told)
    assert len(rows) == 1_000
    assert max(row.depth for row in rows) == 12


@pytest.mark.parametrize(
    ("updated", "words"),
    [
        ("2026-11-14T20:43:00Z", "21:43"),
        ("2026-11-13T23:30:00Z", "00:30"),
        ("2026-11-13T22:00:00Z", "Fri"),
        ("2026-11-08T12:00:00Z", "Sun"),
        ("2026-11-07T12:00:00Z", "7 Nov"),
        ("2025-11-14T12:00:00Z", "Nov 2025"),
        ("2026-11-20T12:00:00Z", "20 Nov"),
        ("no time", ""),
        ("", ""),
    ],
)
def test_a_time_is_as_short_as_it_can_be(updated: str, words: str) -> None:
    now = datetime(2026, 11, 14, 22, 0, tzinfo=timezone(timedelta(hours=1)))
    assert when_words(updated, now) == words


# Opening


async def test_enter_and_a_double_click_open_and_the_open_one_is_marked(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    desktop.click_row(3)
    assert desktop.player.conversation_id == "conversation_02"
    desktop.press(Qt.Key.Key_Return)
    await until(lambda: desktop.player.conversation_id == "conversation_01")
    await desktop.idle()
    tip = desktop.view.model().index(3, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "This conversation is open." in tip
    desktop.double_click_row(1, desktop.pane.foot.list)
    await until(lambda: desktop.player.conversation_id == "conversation_03")


async def test_the_plus_begins_a_conversation_that_is_listed(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    desktop.click("conversationsFootNew")
    await until(lambda: "conversation_05" in desktop.names and desktop.pane.settled)
    assert desktop.player.conversation_id == "conversation_05"


async def test_a_second_press_takes_the_empty_conversation_that_is_there(
    desktop_on: OpenDesktop, project: Path
) -> None:
    talk(project, 1, "", "Hello")
    desktop = await desktop_on(project)
    for _ in range(2):
        desktop.click("conversationsNew")
    await until(lambda: "conversation_02" in desktop.names and desktop.pane.settled)
    desktop.click("conversationsFootNew")
    await until(lambda: desktop.pane.settled)
    assert len(desktop.pane.rows) == 2
    assert desktop.player.conversation_id == "conversation_02"


async def test_the_list_follows_what_is_said_elsewhere(
    desktop_on: OpenDesktop, project: Path
) -> None:
    talk(project, 1, "", "Hello")
    desktop = await desktop_on(project)
    await desktop.player.new_conversation()
    await desktop.player.send("[[say Aye.]] Can I cross?")
    await until(lambda: "[[say Aye.]] Can I cross?" in desktop.names)
    made = await desktop.player.fork(1)
    await until(lambda: len(desktop.pane.rows) == 3)
    row = next(row for row in desktop.pane.rows if row.id == made)
    assert (row.depth, row.entry) == (1, "e2")
    await desktop.player.rename_conversation(made, "Crossing")
    await until(lambda: "  Crossing" in desktop.names)


async def test_a_file_that_is_no_conversation_is_told_and_stays(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    bad = project / "conversations/conversation_09.json"
    bad.write_text("{ nothing", encoding="utf-8")
    desktop = await desktop_on(project)
    row = next(at for at, name in enumerate(desktop.names) if name.strip() == "conversation_09")
    desktop.click_row(row)
    desktop.press(Qt.Key.Key_Return)
    await until(lambda: "no conversation that can be read" in "".join(desktop.notices))
    assert bad.read_text(encoding="utf-8") == "{ nothing"


# Naming


async def test_a_title_is_typed_in_place(desktop_on: OpenDesktop, project: Path) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    desktop.click_row(3)
    desktop.press(Qt.Key.Key_F2)
    assert desktop.field.text() == "First visit"
    assert desktop.field.hasFocus()
    QTest.keyClicks(desktop.field, "The harbour")
    desktop.press(Qt.Key.Key_Return, desktop.field)
    await until(lambda: "The harbour" in desktop.names)
    assert desktop.player.conversation_id == "conversation_02"
    kept = json.loads((project / "conversations/conversation_01.json").read_text("utf-8"))
    assert kept["title"] == "The harbour"


async def test_escape_leaves_a_title_as_it_was(desktop_on: OpenDesktop, project: Path) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    desktop.click_row(0)
    desktop.press(Qt.Key.Key_F2)
    QTest.keyClicks(desktop.field, "Nothing")
    desktop.press(Qt.Key.Key_Escape, desktop.field)
    await desktop.idle()
    assert "Nothing" not in desktop.names
    assert desktop.view.hasFocus()


async def test_what_is_typed_survives_a_change_of_the_list(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    desktop.click_row(3)
    desktop.press(Qt.Key.Key_F2)
    QTest.keyClicks(desktop.field, "Half")
    await desktop.player.new_conversation()
    await desktop.idle()
    assert desktop.field.text() == "Half"
    QTest.keyClicks(desktop.field, " a title")
    desktop.press(Qt.Key.Key_Tab, desktop.field)
    await until(lambda: "Half a title" in desktop.names and "conversation_05" in desktop.names)


async def test_the_keys_of_the_list_edit_text_while_a_title_is_typed(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    desktop.click_row(0)
    desktop.press(Qt.Key.Key_F2)
    desktop.field.setCursorPosition(0)
    desktop.press(Qt.Key.Key_Delete, desktop.field)
    assert desktop.field.text() == "torm night"
    desktop.press(Qt.Key.Key_Z, desktop.field, control=True)
    assert desktop.field.text() == "Storm night"
    desktop.press(Qt.Key.Key_Escape, desktop.field)
    await desktop.idle()
    assert len(desktop.pane.rows) == 4


# Deleting


async def test_delete_moves_all_files_to_the_trash_and_control_z_brings_them_back(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    (project / "conversations/conversation_01.t.x.agent.json").write_text("{}", encoding="utf-8")
    desktop = await desktop_on(project)
    desktop.click_row(3)
    desktop.press(Qt.Key.Key_Delete)
    await until(lambda: len(desktop.pane.rows) == 3 and desktop.pane.settled)
    assert desktop.bin.names == {"conversation_01.json", "conversation_01.t.x.agent.json"}
    assert desktop.notices == ["“First visit” is in the trash."]
    assert desktop.view.chosen == "conversation_04"
    desktop.press(Qt.Key.Key_Z, control=True)
    await until(lambda: "First visit" in desktop.names)
    assert (project / "conversations/conversation_01.t.x.agent.json").exists()
    assert not list((project / "conversations").glob("*removing*"))


async def test_keys_pressed_twice_delete_once_and_what_is_back_can_be_deleted_again(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    desktop.click_row(3)
    for _ in range(3):
        desktop.press(Qt.Key.Key_Delete)
    await until(lambda: len(desktop.pane.rows) == 3 and desktop.pane.settled)
    desktop.press(Qt.Key.Key_Z, control=True)
    await until(lambda: len(desktop.pane.rows) == 4 and desktop.pane.settled)
    desktop.click_row(desktop.names.index("First visit"))
    desktop.press(Qt.Key.Key_Delete)
    await until(lambda: "First visit" not in desktop.names and desktop.pane.settled)
    gone, back = "“First visit” is in the trash.", "“First visit” is back."
    assert desktop.notices == [gone, back, gone]


async def test_the_toast_takes_back_what_it_tells_of_and_only_once(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    for title in ("First visit", "    Rope burned"):
        desktop.click_row(desktop.names.index(title))
        desktop.press(Qt.Key.Key_Delete)
        await until(lambda gone=title: gone not in desktop.names and desktop.pane.settled)  # type: ignore[misc]
    desktop.undos[0]()
    await until(lambda: "First visit" in desktop.names)
    assert "    Rope burned" not in desktop.names
    desktop.undos[0]()
    desktop.press(Qt.Key.Key_Z, control=True)
    await until(lambda: "    Rope burned" in desktop.names and desktop.pane.settled)
    assert not desktop.enabled("conversationBringBack")


async def test_deleting_the_open_one_goes_to_another_and_undo_comes_back_to_it(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    desktop.click_row(0)
    desktop.press(Qt.Key.Key_Delete)
    await until(lambda: "Storm night" not in desktop.names and desktop.pane.settled)
    assert desktop.player.conversation_id == "conversation_03"
    desktop.press(Qt.Key.Key_Z, control=True)
    await until(lambda: desktop.player.conversation_id == "conversation_02")
    assert [entry["content"] for entry in desktop.player.get_conversation()] == [
        "The rope",
        "Forty fathoms.",
    ]


async def test_where_there_is_no_trash_it_is_asked_before_anything_goes_for_good(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    desktop.bin.refuses = True
    desktop.click_row(3)
    desktop.press(Qt.Key.Key_Delete)
    await until(lambda: desktop.shown("deleteConversation"))
    desktop.press(Qt.Key.Key_Escape, desktop.sheet("deleteConversation"))
    await desktop.idle()
    assert len(desktop.pane.rows) == 4
    desktop.press(Qt.Key.Key_Delete)
    await until(lambda: desktop.shown("deleteConversation"))
    desktop.click("deleteConversationConfirm")
    await until(lambda: len(desktop.pane.rows) == 3 and desktop.pane.settled)
    desktop.press(Qt.Key.Key_Z, control=True)
    await until(lambda: "First visit" in desktop.names)


async def test_a_deletion_that_fails_is_told_with_its_reason(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    (project / "conversations/conversation_01.json").unlink()
    desktop.click_row(3)
    desktop.press(Qt.Key.Key_Delete)
    await until(lambda: "There is no conversation conversation_01" in "".join(desktop.notices))


# Around it


@pytest.mark.qt_log_ignore("This plugin does not support")  # a menu without a display
async def test_the_menu_offers_what_can_be_done_with_the_row_under_the_mouse(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    view = desktop.pane.foot.list
    place = view.visualRect(view.model().index(1, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    view.menu_wanted.emit(view.viewport().mapToGlobal(place))
    menu = desktop.find("conversationsMenu", QMenu)
    assert isinstance(menu, QMenu)
    words = [action.objectName() for action in menu.actions() if not action.isSeparator()]
    assert words[:4] == [
        "conversationOpen",
        "conversationRename",
        "conversationDelete",
        "conversationExport",
    ]
    menu.actions()[0].trigger()
    await until(lambda: desktop.player.conversation_id == "conversation_03")
    menu.close()


async def test_without_a_character_the_page_says_what_to_do(
    desktop_on: OpenDesktop, project: Path
) -> None:
    write_four(project)
    desktop = await desktop_on(project)
    desktop.pane.show_player(None)
    assert desktop.find("conversationsEmpty").isVisible()
    assert not desktop.enabled("conversationDelete")
    desktop.pane.show_player(desktop.player)
    await desktop.idle()
    assert desktop.view.isVisible()


async def test_five_hundred_conversations_are_listed_without_a_stall(
    desktop_on: OpenDesktop, project: Path
) -> None:
    for number in range(1, 501):
        origin = [f"conversation_{number - 1:02}", 3] if number % 5 else None
        talk(project, number, f"Talk {number}", *["A herring." * 40] * 20, parent=origin)
    desktop = await desktop_on(project)
    assert len(desktop.pane.rows) == 500
    longest = 0.0
    loop = asyncio.get_running_loop()

    async def beat() -> None:
        nonlocal longest
        while True:
            before = loop.time()
            await asyncio.sleep(0.002)
            longest = max(longest, loop.time() - before)

    task = asyncio.create_task(beat())
    for number in (3, 400):
        await desktop.player.rename_conversation(f"conversation_{number:02}", f"New {number}")
        await until(lambda it=number: f"New {it}" in {r.name for r in desktop.pane.rows})  # type: ignore[misc]
    desktop.press(Qt.Key.Key_End)
    await desktop.idle()
    task.cancel()
    assert desktop.view.currentIndex().row() == 499
    assert desktop.view.currentIndex().data(ListedRole).id == desktop.view.chosen
    assert longest < 0.4
