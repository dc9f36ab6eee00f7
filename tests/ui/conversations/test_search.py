"""Searching all conversations: while one types, by keys, to the entry."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.support.qt import until
from tests.ui.conversations.conftest import Desktop, OpenDesktop, talk

pytestmark = pytest.mark.qt_loop


@pytest.fixture
def rope(project: Path) -> Path:
    """Rope in two of three conversations, and in a title."""
    talk(project, 1, "First visit", "Hello", "The ROPE is wet.", days=3)
    talk(project, 2, "Storm night", "A rope!", "Forty fathoms of rope, and rope again.")
    talk(project, 3, "Rope, refused", "No.")
    return project


async def search(desktop: Desktop, words: str) -> list[str]:
    """Type words, and return what is shown."""
    desktop.pane.search.field.clear()
    QTest.keyClicks(desktop.pane.search.field, words)
    await desktop.idle()
    model = desktop.pane.search.model
    return [str(model.data(model.index(row))) for row in range(model.rowCount())]


async def test_what_is_typed_is_found_in_every_conversation(
    desktop_on: OpenDesktop, rope: Path
) -> None:
    desktop = await desktop_on(rope)
    assert await search(desktop, "rope") == [
        "Storm night",
        "A rope!",
        "Forty fathoms of rope, and rope again.",
        "Rope, refused",
        "Rope, refused",
        "First visit",
        "The ROPE is wet.",
    ]
    assert desktop.pane.search.says == "4 entries in 3 conversations."
    assert desktop.pane.search.results.isVisible()


async def test_down_and_enter_go_to_the_entry_and_escape_comes_back(
    desktop_on: OpenDesktop, rope: Path
) -> None:
    desktop = await desktop_on(rope)
    await search(desktop, "rope")
    results = desktop.pane.search.results
    desktop.press(Qt.Key.Key_Down, desktop.pane.search.field)
    assert results.hasFocus()
    for _ in range(2):
        desktop.press(Qt.Key.Key_Down, results)
    desktop.press(Qt.Key.Key_Return, results)
    assert desktop.wanted == [("conversation_02", "e2")]
    desktop.press(Qt.Key.Key_Escape, results)
    assert desktop.pane.search.field.hasFocus()
    desktop.press(Qt.Key.Key_Escape, desktop.pane.search.field)
    await desktop.idle()
    assert desktop.view.isVisible()


async def test_a_click_on_a_find_or_a_heading_opens_what_it_is_about(
    desktop_on: OpenDesktop, rope: Path
) -> None:
    desktop = await desktop_on(rope)
    await search(desktop, "rope")
    results = desktop.pane.search.results

    def click(row: int) -> None:
        place = results.visualRect(results.model().index(row, 0)).center()
        QTest.mouseClick(results.viewport(), Qt.MouseButton.LeftButton, pos=place)

    click(6)
    assert desktop.wanted == [("conversation_01", "e2")]
    click(3)
    await until(lambda: desktop.player.conversation_id == "conversation_03")
    click(4)
    assert len(desktop.wanted) == 1


async def test_nothing_found_is_told_and_what_is_typed_meanwhile_wins(
    desktop_on: OpenDesktop, rope: Path
) -> None:
    desktop = await desktop_on(rope)
    assert await search(desktop, "no such words") == []
    assert desktop.pane.search.says == "Nothing found."
    QTest.keyClicks(desktop.pane.search.field, "x")
    desktop.press(Qt.Key.Key_Return, desktop.pane.search.field)
    assert await search(desktop, "wet") == ["First visit", "The ROPE is wet."]


async def test_logs_are_searched_with_a_click(desktop_on: OpenDesktop, rope: Path) -> None:
    path = talk(rope, 4, "Logs", "Hi")
    text = path.read_text(encoding="utf-8")
    entry = '{"role": "log", "agentId": "a", "content": "a herring", "id": "e9"}'
    path.write_text(text.replace("]}", f", {entry}]}}"), encoding="utf-8")
    desktop = await desktop_on(rope)
    assert await search(desktop, "herring") == []
    desktop.click("conversationsLogs")
    await desktop.idle()
    assert desktop.pane.search.says == "1 entry in 1 conversation."


async def test_more_than_can_be_shown_is_told(desktop_on: OpenDesktop, rope: Path) -> None:
    talk(rope, 5, "Many", *(f"herring {number}" for number in range(700)))
    desktop = await desktop_on(rope)
    assert len(await search(desktop, "herring")) == 501
    assert desktop.pane.search.says == "The first 500 are shown; add a word to find fewer."


async def test_the_key_for_the_search_shows_the_page(desktop_on: OpenDesktop, rope: Path) -> None:
    desktop = await desktop_on(rope)
    shown: list[bool] = []
    desktop.pane.shown.connect(lambda: shown.append(True))
    action = desktop.actions.find("conversationSearch")
    assert action is not None
    action.trigger()
    assert shown == [True]
    assert desktop.pane.search.field.hasFocus()


async def test_another_character_takes_nothing_along(desktop_on: OpenDesktop, rope: Path) -> None:
    desktop = await desktop_on(rope)
    await search(desktop, "rope")
    desktop.pane.show_player(None)
    assert desktop.pane.search.model.rowCount() == 0
    assert desktop.pane.search.field.text() == ""


async def test_what_is_deleted_is_found_no_more(desktop_on: OpenDesktop, rope: Path) -> None:
    desktop = await desktop_on(rope)
    await search(desktop, "wet")
    await desktop.player.delete_conversation("conversation_01")
    await until(lambda: desktop.pane.search.says == "Nothing found." and desktop.pane.settled)
