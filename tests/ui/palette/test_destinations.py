"""Where the palette leads in the real window, by keys alone: every kind of destination."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListView, QTreeWidget

from studio_qt.ui.palette.entries import Found
from studio_qt.ui.tester.page import ToolTesterPage
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop
CONTROL = Qt.KeyboardModifier.ControlModifier

MARCUS = {
    "id": "ada.marcus",
    "implementation": "studio.sub-agent",
    "promptFile": "marcus.subagent.md",
    "private-agents": ["studio.memory-store"],
}
FILES = {
    "context/lamp.txt": "one\ntwo\nthree\nfour\n",
    "agents/marcus.subagent.md": "---\ndescription: Knows the sea.\n---\nYou are Marcus.",
}


@pytest.fixture
async def stage(stage_on: OpenStage, tmp_path: Path) -> Stage:
    agents = ["test.roller", "studio.dice-roller", MARCUS]
    return await stage_on(write_package(tmp_path / "ada", FILES, agents=agents))


def chosen(stage: Stage) -> Found | None:
    """Return the row that Enter would take."""
    shown = stage.find("paletteList", QListView)
    assert isinstance(shown, QListView)
    row = shown.currentIndex().data(Qt.ItemDataRole.UserRole)
    return row if isinstance(row, Found) else None


def offered(stage: Stage, words: str) -> list[tuple[str, str]]:
    """Open the palette by its keys, type, and return kinds and texts of what it offers."""
    QTest.keyClick(stage.window.focusWidget(), Qt.Key.Key_P, CONTROL)
    field = stage.find("paletteInput", QLineEdit)
    assert field.hasFocus()
    QTest.keyClicks(field, words)
    model = stage.find("paletteList", QListView).model()  # type: ignore[attr-defined]
    rows = [model.index(at, 0).data(Qt.ItemDataRole.UserRole) for at in range(model.rowCount())]
    return [(row.kind, row.entry.text) for row in rows if isinstance(row, Found)]


def go(stage: Stage, kind: str, text: str, words: str) -> None:
    """Open the palette, type words, go down to a row and take it."""
    steps = len(offered(stage, words))
    field = stage.find("paletteInput", QLineEdit)
    while (row := chosen(stage)) is None or (row.kind, row.entry.text) != (kind, text):
        assert (steps := steps - 1) >= 0, f"no {kind} {text} for {words}"
        QTest.keyClick(field, Qt.Key.Key_Down)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert not stage.window.pages.palette.is_open


async def in_editor(stage: Stage, path: str) -> None:
    """Wait until a file is in front and has the keys."""
    editors = stage.window.pages.editors

    def has_keys() -> bool:
        there = editors.current_path == path and editors.editor is not None
        return there and editors.editor.hasFocus()

    await until(has_keys)


async def test_a_file_opens_with_the_keys_in_it(stage: Stage) -> None:
    go(stage, "files", "lamp.txt", "lamp")
    await in_editor(stage, "context/lamp.txt")


async def test_a_line_is_gone_to_in_the_file_in_front(stage: Stage) -> None:
    go(stage, "files", "lamp.txt", "lamp")
    await in_editor(stage, "context/lamp.txt")
    go(stage, "files", "Go to line 3, column 2", ":3:2")
    editor = stage.window.pages.editors.editor
    assert editor is not None
    await until(lambda: editor.place == (3, 2))
    assert editor.hasFocus()


@pytest.mark.parametrize(
    ("agent", "file"),
    [
        ("test.roller", "agents/test.roller.js"),
        ("ada.marcus", "agents/marcus.subagent.md"),
    ],
)
async def test_an_agent_leads_to_its_file(stage: Stage, agent: str, file: str) -> None:
    go(stage, "agents", agent, agent)
    await in_editor(stage, file)


async def test_agents_that_are_built_in_have_no_file_to_go_to(stage: Stage) -> None:
    found = offered(stage, "studio.")
    assert not [text for kind, text in found if kind == "agents"]
    assert ("stores", "Store of studio.dice-roller") in found


async def test_a_tool_leads_to_the_file_of_its_agent(stage: Stage) -> None:
    go(stage, "tools", "roll", "roll")
    await in_editor(stage, "agents/test.roller.js")


async def test_a_tool_of_a_built_in_is_shown_in_the_tester_whatever_is_searched_there(
    stage: Stage,
) -> None:
    player = stage.window.session.player
    assert player is not None
    (tool,) = next(one for one in player.agents() if one.id == "studio.dice-roller").tools
    tester = stage.window.pages.tester
    tester.list.search.setText("nothing has this name")
    go(stage, "tools", tool, tool)
    await until(tester.isVisible)
    assert tester.list.search.text() == ""
    assert tester.list.offer is not None
    assert (tester.list.offer.agent_id, tester.list.offer.name) == ("studio.dice-roller", tool)
    assert tester.isAncestorOf(QApplication.focusWidget())
    QTest.keySequence(QApplication.focusWidget(), "Ctrl+Return")
    await until(lambda: len(tester.recent) == 1 and tester.settled, 15)


async def test_tools_of_private_agents_are_not_among_those_of_the_character(stage: Stage) -> None:
    player = stage.window.session.player
    assert player is not None
    private = [one for one in player.agents() if one.owner == "ada.marcus"]
    (tool, *_) = private[0].tools
    assert ("tools", tool) not in offered(stage, tool)


async def test_a_store_is_shown_among_the_stores(stage: Stage) -> None:
    go(stage, "stores", "Store of test.roller", "store roller")
    stores = stage.window.pages.stores
    tree = stage.find("storeAgents", QTreeWidget)
    assert isinstance(tree, QTreeWidget)

    def shown() -> str:
        item = tree.currentItem()
        return item.data(0, Qt.ItemDataRole.UserRole).id if item is not None else ""

    await until(lambda: stores.isVisible() and shown() == "test.roller")
    assert stores.isAncestorOf(QApplication.focusWidget())


async def test_a_command_of_the_character_waits_for_its_words(stage: Stage) -> None:
    go(stage, "character", "@note", "@note")
    field = stage.find("commandInput", QLineEdit)
    assert isinstance(field, QLineEdit)
    await until(field.hasFocus)
    assert field.text() == "@note "
    QTest.keyClicks(field, "rain")
    QTest.keyClick(field, Qt.Key.Key_Return)
    await stage.shows("noted rain")


async def test_a_conversation_is_opened(stage: Stage) -> None:
    await stage.send("[[say one]]")
    player = stage.window.session.player
    assert player is not None
    first = player.conversation_id
    stage.window.inside.desk.actions.find("conversationNew").trigger()
    await until(lambda: player.conversation_id != first)
    await stage.idle()
    title = stage.window.chat.titles[first] or first
    go(stage, "conversations", title, title)
    await until(lambda: player.conversation_id == first)
    await stage.shows("one")


async def test_a_recent_project_is_opened_in_this_window(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    other = write_package(tmp_path / "grace", name="Grace")
    stage = await stage_on(write_package(tmp_path / "ada"))
    stage.window.pages.recents.note(other)
    go(stage, "projects", "grace", "grace")
    await until(lambda: stage.window.session.root == other and stage.window.settled, 20)


async def test_what_a_reload_brings_is_offered_at_the_next_opening(stage: Stage) -> None:
    assert not offered(stage, "fresh.agent")
    QTest.keyClick(stage.find("paletteInput", QLineEdit), Qt.Key.Key_Escape)
    root = stage.window.session.root
    assert root is not None
    (root / "context/fresh.agent.txt").write_text("new")
    await until(lambda: "context/fresh.agent.txt" in stage.window.pages.project.paths)
    assert ("files", "fresh.agent.txt") in offered(stage, "fresh.agent")


async def test_the_tester_is_gone_to_while_another_tool_is_filled_in(stage: Stage) -> None:
    """`show_tool` chooses by agent and name; what no agent has leaves the choice as it is."""
    workbench, tester = stage.window.inside.workbench, stage.window.pages.tester
    assert isinstance(tester, ToolTesterPage)
    workbench.show_large("tester")
    tester.show_tool("test.roller", "roll")
    tester.arguments.put({"sides": 12})
    tester.show_tool("test.roller", "nosuch")
    assert tester.list.offer is not None
    assert tester.list.offer.name == "roll"
    assert tester.arguments.args == {"sides": 12}
    tree = stage.find("testerTools", QTreeWidget)
    assert isinstance(tree, QTreeWidget)
    assert tree.currentItem().text(0) == "roll"
