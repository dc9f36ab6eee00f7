"""The agent log in the real window: what it lists, filters, copies and opens (STU-05)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio_qt.engine.storage import AgentLogLine
from studio_qt.ui.agentlog.lines import details_text, row_of
from studio_qt.ui.agentlog.model import KEPT, LogModel
from studio_qt.ui.agentlog.page import AgentLogPage
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

qt_loop = pytest.mark.qt_loop

LOGGED = """/**
 * @agent test.logged
 * @debug true
 * @tool roll
 * @tool-description Rolls dice.
 * @tool-params {"type": "object", "properties": {"sides": {"type": "integer"}}}
 * @command @note note
 * @hook afterResponse
 */
export function onToolCall(name, args, store, studio) {
  if (args.sides === 0) throw new Error("no sides");
  const lines = args.sides > 100 ? args.sides : 0;
  for (let line = 0; line < lines; line++) console.log("line " + line);
  return "You rolled " + args.sides;
}
export function note(line, store) { store.note = line; }
export function onAfterResponse() {}
"""
QUIET = LOGGED.replace("test.logged", "test.quiet").replace(" * @debug true\n", "")
QUIET = QUIET.replace("@tool roll", "@tool flip").replace("@note", "@memo")

OpenLog = Callable[[], Awaitable[tuple[Stage, AgentLogPage]]]


@pytest_asyncio.fixture
async def open_log(stage_on: OpenStage, tmp_path: Path) -> OpenLog:
    async def open_it() -> tuple[Stage, AgentLogPage]:
        files = {"agents/test.logged.js": LOGGED, "agents/test.quiet.js": QUIET}
        stage = await stage_on(
            write_package(tmp_path / "ada", files, agents=["test.logged", "test.quiet"])
        )
        QTest.keySequence(stage.input, QKeySequence("Ctrl+Alt+L"))
        page = stage.find("agentLog")
        assert isinstance(page, AgentLogPage)
        assert page.isVisible()
        await until(lambda: page.settled)
        return stage, page

    return open_it


async def listed(page: AgentLogPage, count: int) -> list[tuple[str, str, str]]:
    """Wait for so many lines; return agent, kind and text of each."""
    await until(lambda: len(page.rows) >= count and page.settled)
    return [(row.agent, row.kind, row.what) for row in page.rows]


@qt_loop
@pytest.mark.clause("STU-05")
async def test_each_call_and_command_of_a_debug_agent_is_listed_as_it_happens(
    open_log: OpenLog,
) -> None:
    stage, page = await open_log()
    assert stage.find("agentLogEmpty").isVisible()
    player = stage.window.session.player
    await player.send('[[call roll {"sides": 6}]] [[say Six.]]')
    await player.command("@note buy rope")
    await player.call_tool("flip", {"sides": 2})
    assert await listed(page, 3) == [
        ("test.logged", "tool", 'roll {"sides":6} #1 → You rolled 6'),
        ("test.logged", "hook", "onAfterResponse"),
        ("test.logged", "command", "note buy rope"),
    ]
    assert all(row.time and row.duration for row in page.rows)


@qt_loop
@pytest.mark.clause("STU-05")
async def test_what_fails_is_listed_for_every_agent(open_log: OpenLog) -> None:
    stage, page = await open_log()
    await stage.window.session.player.send('[[call flip {"sides": 0}]] [[say Oh.]]')
    rows = await listed(page, 2)
    ((_, kind, what),) = [row for row in rows if row[0] == "test.quiet"]
    assert kind == "error"
    assert "no sides" in what


@qt_loop
@pytest.mark.clause("STU-05")
async def test_the_log_of_a_conversation_is_there_again(open_log: OpenLog, tmp_path: Path) -> None:
    stage, page = await open_log()
    player = stage.window.session.player
    await player.send('[[call roll {"sides": 6}]] [[say Six.]]')
    first = await listed(page, 2)
    before = player.conversation_id
    await player.new_conversation()
    await until(lambda: not page.rows and page.settled)
    await player.load_conversation(before)
    assert await listed(page, 2) == first


@qt_loop
@pytest.mark.clause("STU-05")
async def test_lines_are_filtered_by_agent_and_words(open_log: OpenLog) -> None:
    stage, page = await open_log()
    player = stage.window.session.player
    await player.send('[[call roll {"sides": 6}]] [[say Six.]]')
    await player.send('[[call flip {"sides": 0}]] [[say Oh.]]')
    await listed(page, 4)
    page.agent.setCurrentText("test.quiet")
    assert [row.kind for row in page.rows] == ["error"]
    page.agent.setCurrentIndex(0)
    QTest.keyClicks(page.filter, "ROLLED")
    assert [row.kind for row in page.rows] == ["tool"]
    await player.command("@note late")
    await until(lambda: page.settled)
    assert len(page.rows) == 1
    QTest.keyClick(page.filter, Qt.Key.Key_Escape)
    assert len(page.rows) == 5


@qt_loop
async def test_lines_are_copied_one_or_all(open_log: OpenLog) -> None:
    stage, page = await open_log()
    player = stage.window.session.player
    for word in ("one", "two", "three"):
        await player.command(f"@note {word}")
    await listed(page, 3)
    page.table.setFocus()
    page.table.selectRow(1)
    QTest.keySequence(page.table, QKeySequence("Ctrl+C"))
    assert QApplication.clipboard().text().count("\n") == 0
    assert "note two" in QApplication.clipboard().text()
    stage.click("agentLogCopyButton")
    assert QApplication.clipboard().text().count("note ") == 3
    QApplication.clipboard().clear()


@qt_loop
@pytest.mark.clause("STU-05")
async def test_a_double_click_opens_everything_and_leads_to_the_chat(open_log: OpenLog) -> None:
    stage, page = await open_log()
    await stage.window.session.player.send('[[call roll {"sides": 6}]] [[say Six.]]')
    await listed(page, 2)
    heard: list[str] = []
    page.entry_wanted.connect(heard.append)
    rect = page.table.visualRect(page.table.model().index(0, 3))
    QTest.mouseClick(
        page.table.viewport(),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        rect.center(),
    )
    QTest.mouseDClick(
        page.table.viewport(),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        rect.center(),
    )
    assert '"sides": 6' in page.details.toPlainText()
    assert page.details.isVisible()
    stage.click("agentLogShow")
    entries = stage.window.session.player.get_conversation()
    assert heard == [entry["id"] for entry in entries if entry["role"] == "tool"]
    page.details.setFocus()
    QTest.keyClick(page.details, Qt.Key.Key_Escape)
    assert not page.details.isVisible()


@qt_loop
async def test_a_flood_comes_in_few_batches_and_the_end_stays_in_sight(open_log: OpenLog) -> None:
    stage, page = await open_log()
    inserted: list[int] = []
    page.table.model().rowsInserted.connect(lambda _above, first, last: inserted.append(first))
    await stage.window.session.player.call_tool("roll", {"sides": 500})
    await listed(page, 500)
    assert len(inserted) <= 5
    assert page.table.at_end
    page.table.verticalScrollBar().setValue(0)
    await stage.window.session.player.command("@note more")
    await until(lambda: page.settled)
    assert page.table.verticalScrollBar().value() == 0


# Lines and rows alone


def line(kind: str, message: str = "", **details: object) -> AgentLogLine:
    return AgentLogLine("a.marcus", kind, message, details, "2026-11-14T21:43:08.250Z")


def test_a_sub_agents_rounds_and_cost_are_told() -> None:
    asked = row_of(line("round", "round 1", tools=["recall", "roll"], tokens=4212, ms=1790.0))
    assert (asked.kind, asked.what) == ("round 1", "asks for recall, roll")
    assert (asked.tokens, asked.duration) == ("4,212", "1.79 s")
    last = row_of(line("round", "round 2", tools=[], tokens=4398, finishReason="stop", ms=9.4))
    assert (last.what, last.duration) == ("answers, finished by itself", "9 ms")
    done = row_of(
        line("sub-agent", "m, 1 tool rounds", tokens=8610, promptTokens=2536, unmetered=True)
    )
    assert done.kind == "done"
    assert "2,536 tokens in" in done.what
    assert "not metered" in done.what
    granted = row_of(line("granted", "roll", args={"n": 1}, result="4", toolCallId=7, ms=2.0))
    assert (granted.what, granted.call) == ('roll {"n":1} #7 → 4', 7)


@pytest.mark.parametrize(
    "details", [{}, {"args": None}, {"args": "x"}, {"args": [1]}, {"ms": "soon", "tokens": "many"}]
)
def test_a_line_of_another_form_is_shown_as_it_is(details: dict[str, object]) -> None:
    for kind in ("call", "error", "round", "granted", "sub-agent", "console", "else"):
        row = row_of(AgentLogLine("", kind, "words", details, "no time"))
        assert row.agent == "engine"
        assert "words" in f"{row.kind} {row.what}"
        assert "words" in details_text(row.line)


def test_long_lines_are_cut_and_breaks_are_blanks() -> None:
    row = row_of(line("console", "a\nb " + "x" * 100_000))
    assert row.what.startswith("a b x")
    assert len(row.what) < 2_000


def test_the_oldest_lines_go(qapp: object) -> None:
    model = LogModel()
    for start in range(0, KEPT + 1_000, 500):
        model.add([row_of(line("console", str(n))) for n in range(start, start + 500)])
    assert model.count == KEPT
    assert model.rows[0].what == "1000"
    model.filter("", "5999")
    model.add([row_of(line("console", "x")) for _ in range(KEPT)])
    assert len(model.rows) == 0


@qt_loop
@pytest.mark.clause("STU-05")
async def test_what_an_agent_did_keeps_its_room_in_a_narrow_table(open_log: OpenLog) -> None:
    stage, page = await open_log()
    await stage.window.session.player.command("@note buy rope")
    await listed(page, 1)
    table = page.table
    for width, hidden in ((800, []), (560, [4, 5]), (360, [2, 4, 5])):
        table.resize(width, 200)
        assert [column for column in range(6) if table.isColumnHidden(column)] == hidden
        assert table.columnWidth(3) >= 90
