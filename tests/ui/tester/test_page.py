"""The tool tester in the real window: forms, results, store changes, repeats (Step 5, item 5)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QListWidget, QPlainTextEdit, QTreeWidget, QWidget

from studio_qt.ui.tester.page import ToolTesterPage
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier

SCHEMA = {
    "type": "object",
    "required": ["sides", "kind"],
    "properties": {
        "sides": {"type": "integer", "minimum": 2, "maximum": 20, "description": "How many sides."},
        "kind": {"enum": ["fair", "loaded"]},
        "note": {"type": "string", "default": "by hand"},
        "loud": {"type": "boolean"},
        "dice": {"type": "array", "items": {"type": "object", "required": ["n"],
                 "properties": {"n": {"type": "integer"}}}},
        "free": {},
    },
}  # fmt: skip
DICE = f"""/**
 * @agent t.dice
 * @tool roll
 * @tool-description Rolls.
 * @tool-params {json.dumps(SCHEMA)}
 * @tool spin
 * @tool-description Never ends.
 * @tool-params {{"type": "object"}}
 * @tool break
 * @tool-description Fails.
 * @tool-params {{"type": "object"}}
 * @command @say say
 */
export function onToolCall(name, args, store, studio) {{
  if (name === "spin") for (;;) {{}}
  if (name === "break") throw new Error("the die is cracked");
  store.rolls = (store.rolls || 0) + 1;
  studio.toast("rolled once more");
  studio.log("roll " + store.rolls);
  return JSON.stringify({{got: args}});
}}
export function say(line, store) {{
  if (!line) return "Say something.";
  store.said = line;
}}
"""
MARCUS = {
    "id": "t.marcus",
    "implementation": "studio.sub-agent",
    "promptFile": "marcus.subagent.md",
    "private-agents": ["t.dice"],
}


def dice(folder: Path) -> Path:
    return write_package(folder, {"agents/t.dice.js": DICE}, agents=["t.dice", "test.roller"])


async def opened(stage: Stage, name: str = "roll") -> ToolTesterPage:
    """Open the tester by its keys and click on a tool."""
    QTest.keyClick(stage.input, Qt.Key.Key_Y, CONTROL | SHIFT)
    page = stage.find("toolTester", ToolTesterPage)
    assert isinstance(page, ToolTesterPage)
    tree = stage.find("testerTools", QTreeWidget)
    assert isinstance(tree, QTreeWidget)
    (item, *_) = tree.findItems(name, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    tree.scrollToItem(item)
    place = tree.visualItemRect(item).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert page.list.offer is not None
    assert page.list.offer.name == name
    return page


async def done(page: ToolTesterPage, count: int = 1) -> None:
    await until(lambda: len(page.recent) >= count and page.settled, 15)


def field(page: ToolTesterPage, path: str) -> QWidget:
    found = page.findChild(QWidget, f"testerField.{path}")
    assert found is not None, path
    return found


def type_into(widget: QWidget, words: str) -> None:
    widget.setFocus()
    widget.selectAll()  # type: ignore[attr-defined]
    QTest.keyClicks(widget, words)


async def test_a_tool_is_run_with_what_the_form_holds(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(dice(tmp_path / "ada"))
    page = await opened(stage)
    type_into(field(page, "sides"), "12")
    kind = field(page, "kind")
    assert isinstance(kind, QComboBox)
    QTest.keyClick(kind, Qt.Key.Key_Down)
    stage.click("testerRun")
    await done(page)
    report = page.outcome.report
    assert json.loads(report.result) == {"got": {"sides": 12, "kind": "loaded"}}
    assert report.ending == "ok"
    assert report.seconds > 0
    effects = page.outcome.effects.toPlainText()
    assert '"rolls": 1' in effects
    assert "Toast · rolled once more" in effects
    assert "In the chat · roll 1" in effects
    assert [line for line in page.outcome.effects.laid.kinds if line in ("add", "del")]
    player = stage.window.session.player
    assert player is not None
    assert player.store("t.dice") == {"rolls": 1}


async def test_ctrl_enter_runs_from_any_field(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(dice(tmp_path / "ada"))
    page = await opened(stage)
    page.arguments._field.add("note")
    note = field(page, "note")
    assert isinstance(note, QPlainTextEdit)
    assert note.toPlainText() == "by hand"
    QTest.keyClick(note, Qt.Key.Key_Return)
    QTest.keyClicks(note, "two lines")
    stage.window.activateWindow()
    note.setFocus()
    QTest.keyClick(note, Qt.Key.Key_Return, CONTROL)
    await done(page)
    assert "\n" in json.loads(page.outcome.report.result)["got"]["note"]


async def test_optional_fields_lists_and_objects_are_added_and_taken_out(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(dice(tmp_path / "ada"))
    page = await opened(stage)
    form = page.arguments._field
    assert form.missing == ["note", "loud", "dice", "free"]
    for name in ("loud", "dice", "free"):
        form.add(name)
    loud = field(page, "loud")
    loud.setFocus()
    QTest.keyClick(loud, Qt.Key.Key_Space)
    for _ in range(2):
        await until(field(page, "dice").isVisible)
        stage.click("testerAdd.dice")
    await until(field(page, "dice.1.n").isVisible)
    type_into(field(page, "dice.1.n"), "-7")
    type_into(field(page, "free"), '{"any": [null]}')
    assert page.arguments.args == {
        "sides": 2, "kind": "fair", "loud": True, "dice": [{"n": 0}, {"n": -7}],
        "free": {"any": [None]},
    }  # fmt: skip
    await until(stage.find("testerRemove.dice.0").isVisible)
    stage.click("testerRemove.dice.0")
    stage.click("testerRemove.free")
    assert page.arguments.args["dice"] == [{"n": -7}]
    assert "free" not in page.arguments.args


async def test_form_and_json_stay_in_step(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(dice(tmp_path / "ada"))
    page = await opened(stage)
    type_into(field(page, "sides"), "9")
    stage.click("testerViewJson")
    raw = field(page, "json")
    assert isinstance(raw, QPlainTextEdit)
    assert json.loads(raw.toPlainText()) == {"sides": 9, "kind": "fair"}
    raw.setPlainText('{"sides": 4, "kind": "loaded", "extra": 1}')
    stage.click("testerViewForm")
    assert field(page, "sides").text() == "4"  # type: ignore[attr-defined]
    assert page.arguments.args == {"sides": 4, "kind": "loaded", "extra": 1}


async def test_json_that_is_none_or_does_not_fit_stays_and_says_why(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(dice(tmp_path / "ada"))
    page = await opened(stage)
    stage.click("testerViewJson")
    raw = field(page, "json")
    assert isinstance(raw, QPlainTextEdit)
    for text, reason in (('{"sides": }', "line 1"), ('{"sides": "many"}', "another type")):
        raw.setPlainText(text)
        stage.click("testerViewForm")
        assert raw.isVisible()
        assert raw.toPlainText() == text
        assert reason in page.arguments._raw.accessibleDescription()
    raw.setPlainText("[1]")
    stage.click("testerRun")
    assert "object" in stage.find("testerFault", QLabel).text()
    assert page.recent == ()


async def test_arguments_that_do_not_fit_are_refused_as_a_model_is_told(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(dice(tmp_path / "ada"))
    page = await opened(stage)
    type_into(field(page, "sides"), "99")
    assert "at most 20" in field(page, "sides").accessibleDescription()
    stage.click("testerRun")
    await done(page)
    assert page.outcome.report.ending == "error"
    assert page.outcome.report.result.startswith("Error: roll was not run.")
    assert "No store changed." in page.outcome.effects.toPlainText()


async def test_a_tool_that_fails_tells_what_a_model_would_get(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(dice(tmp_path / "ada"))
    page = await opened(stage, "break")
    stage.click("testerRun")
    await done(page)
    assert page.outcome.report.ending == "error"
    assert "the die is cracked" in page.outcome.result.toPlainText()


async def test_a_call_that_never_ends_is_stopped(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(dice(tmp_path / "ada"))
    page = await opened(stage, "spin")
    player, begun = stage.window.session.player, []
    assert player is not None
    player.on("toolStart", begun.append)
    stage.click("testerRun")
    await until(lambda: bool(begun))
    stage.click("testerStop")
    await done(page)
    assert page.outcome.report.ending == "stopped"
    assert page.outcome.report.seconds < 5
    page.list.choose("tool", "t.dice", "roll")
    stage.click("testerRun")
    await done(page, 2)
    assert page.outcome.report.ending == "ok"


async def test_a_command_is_run_with_its_line(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(dice(tmp_path / "ada"))
    page = await opened(stage, "@say")
    stage.click("testerRun")
    await done(page)
    assert (page.outcome.report.ending, page.outcome.report.result) == ("error", "Say something.")
    type_into(field(page, "line"), "good night")
    stage.click("testerRun")
    await done(page, 2)
    assert page.outcome.report.ending == "ok"
    assert '"said": "good night"' in page.outcome.effects.toPlainText()


async def test_a_private_instance_says_why_it_cannot_be_called(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    files = {
        "agents/t.dice.js": DICE,
        "agents/marcus.subagent.md": "---\ndescription: Ask Marcus.\n---\nYou are Marcus.",
    }
    stage = await stage_on(write_package(tmp_path / "ada", files, agents=[MARCUS]))
    page = await opened(stage)
    assert "t.marcus alone" in stage.find("testerRefused", QLabel).text()
    assert not stage.find("testerRun").isEnabled()
    QTest.keyClick(page.list.tree, Qt.Key.Key_Return, CONTROL)
    assert page.recent == ()


async def test_unsaved_code_is_what_is_tested(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    editors = stage.window.pages.editors
    await editors.open("agents/test.roller.js")
    await until(lambda: editors.editor is not None)
    editor = editors.editor
    found = editor.document().find("You rolled")
    cursor = QTextCursor(found)
    cursor.insertText("You threw")
    page = await opened(stage)
    stage.click("testerRun")
    await done(page)
    assert page.outcome.report.result == "You threw 6"


async def test_a_call_that_is_stopped_while_it_waits_for_code_leaves_that_code_loading(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    editors, player = stage.window.pages.editors, stage.window.session.player
    assert player is not None
    gate, begun, load = asyncio.Event(), [], player.reload

    async def slowly() -> None:
        begun.append("reload")
        await gate.wait()
        await load()

    player.reload = slowly  # type: ignore[method-assign]
    await editors.open("agents/test.roller.js")
    await until(lambda: editors.editor is not None)
    QTextCursor(editors.editor.document().find("You rolled")).insertText("You threw")
    page = await opened(stage)
    stage.click("testerRun")
    await until(lambda: bool(begun))
    stage.click("testerStop")
    await done(page)
    assert page.outcome.report.ending == "stopped"
    gate.set()
    stage.click("testerRun")
    await done(page, 2)
    assert page.outcome.report.result == "You threw 6"
    assert begun == ["reload"]


async def test_the_last_calls_come_back_and_are_repeated(tmp_path: Path) -> None:
    folder = dice(tmp_path / "ada")
    first = await Stage(folder).open()
    page = await opened(first)
    type_into(field(page, "sides"), "7")
    first.click("testerRun")
    await done(page)
    await first.close()
    assert "tester.json" not in [path.name for path in folder.rglob("*")]
    second = await Stage(folder).open()
    page = await opened(second, "break")
    await until(lambda: len(page.recent) == 1)
    recent = second.find("testerRecent", QListWidget)
    assert isinstance(recent, QListWidget)
    recent.setCurrentRow(0)
    QTest.keyClick(recent, Qt.Key.Key_Return)
    await done(page, 2)
    assert json.loads(page.outcome.report.result)["got"]["sides"] == 7
    await second.close()


async def test_only_the_last_fifty_calls_are_kept(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    page = await opened(stage)
    for count in range(1, 53):
        page.run()
        await until(lambda: page.settled)
        assert len(page.recent) == min(count, 50)


async def test_a_json_result_is_shown_with_its_levels_and_copied(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(dice(tmp_path / "ada"))
    page = await opened(stage)
    stage.click("testerRun")
    await done(page)
    stage.click("testerResultViewJson")
    await until(lambda: page.settled)
    assert page.outcome.result.toPlainText().count("\n") > 3
    stage.click("testerCopy")
    assert json.loads(QGuiApplication.clipboard().text())["got"]["sides"] == 2


async def test_a_reload_keeps_what_is_filled_in(stage_on: OpenStage, tmp_path: Path) -> None:
    folder = dice(tmp_path / "ada")
    stage = await stage_on(folder)
    page = await opened(stage)
    type_into(field(page, "sides"), "13")
    (folder / "agents" / "t.dice.js").write_text(DICE.replace("Rolls.", "Rolls well."))
    await until(
        lambda: page.list.offer is not None and page.list.offer.description == "Rolls well."
    )
    assert page.arguments.args["sides"] == 13


async def test_the_list_is_searched(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(dice(tmp_path / "ada"))
    page = await opened(stage)
    QTest.keyClicks(page.list.search, "never ends")
    assert page.list.offer is not None
    assert page.list.offer.name == "spin"
