"""The bars above editors: not listed, overridden, from elsewhere (STU-07)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage
from tests.ui.trust.test_asking import asked, edit, elsewhere, press

pytestmark = pytest.mark.qt_loop

MARCUS = "agents/marcus.subagent.md"
PROMPT = "---\ndescription: A pilot.\nhistory: none\nmodel: worker\n---\nYou are Marcus.\n"
MAPS = "/**\n * @agent keeper.maps\n * @tool find_route\n */\nexport function onToolCall() {}\n"


def character(folder: Path, *agents: object) -> Path:
    """Make a character with a sub-agent and an agent that config.json does not list by itself."""
    files = {
        MARCUS: PROMPT,
        "agents/keeper.maps.js": MAPS,
        "config.json": json.dumps({"name": "Ada", "agents": agents}, indent=2),
    }
    return write_package(folder, files)


def texts(stage: Stage) -> list[str]:
    """Return what the bars say that are shown."""
    return [bar.accessibleName() for bar in stage.all("noticeBar")]


async def says(stage: Stage, words: str) -> None:
    """Wait until exactly one bar is shown, which has these words."""
    await until(lambda: len(texts(stage)) == 1 and words in texts(stage)[0])


def act(stage: Stage) -> None:
    """Press the button of the only bar."""
    (button,) = stage.all("noticeAction")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.clause("STU-07")
@pytest.mark.parametrize(
    ("path", "entry"),
    [(MARCUS, "marcus.subagent.md"), ("agents/keeper.maps.js", "keeper.maps")],
)
async def test_a_file_that_is_not_listed_is_enabled_by_one_click_and_back_by_another(
    stage_on: OpenStage, tmp_path: Path, path: str, entry: str
) -> None:
    folder = character(tmp_path / "ada", "test.roller")
    stage = await stage_on(folder)
    await edit(stage, path)
    await says(stage, "not listed in config.json")
    before = (folder / "config.json").read_text(encoding="utf-8")
    act(stage)
    await until(lambda: texts(stage) == [])
    assert json.loads((folder / "config.json").read_text())["agents"] == ["test.roller", entry]
    player = stage.window.session.player
    assert player is not None
    await until(lambda: len(player.agents()) == 2)
    (undo,) = stage.all("toastAction")
    QTest.mouseClick(undo, Qt.MouseButton.LeftButton)
    await says(stage, "not listed")
    assert (folder / "config.json").read_text(encoding="utf-8") == before


@pytest.mark.clause("STU-07", "STU-01")
async def test_typing_in_config_updates_the_bars_and_enabling_is_a_step_of_its_undo(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(character(tmp_path / "ada", "test.roller"))
    config = await edit(stage, "config.json")
    await edit(stage, MARCUS)
    await says(stage, "not listed")
    cursor = config.document().find('"test.roller"')
    cursor.setPosition(cursor.selectionEnd())
    cursor.insertText(', "marcus.subagent.md"')
    await until(lambda: texts(stage) == [])
    config.undo()
    await says(stage, "not listed")
    act(stage)
    await until(lambda: texts(stage) == [])
    assert "marcus.subagent.md" in config.toPlainText()
    config.undo()
    await says(stage, "not listed")


@pytest.mark.clause("STU-07")
async def test_overridden_fields_are_named_and_lead_to_their_entry(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    entry = {
        "id": "eve.marcus",
        "implementation": "studio.sub-agent",
        "promptFile": "marcus.subagent.md",
        "history": "recent:10",
        "model": "main",
    }
    folder = character(tmp_path / "ada", "test.roller", entry)
    stage = await stage_on(folder)
    editor = await edit(stage, MARCUS)
    await says(stage, "eve.marcus overrides history and model in config.json")
    marks = editor.marks
    await until(lambda: bool(marks.shadowed))
    assert marks.shadowed == {2: "recent:10 for eve.marcus", 3: "main for eve.marcus"}
    act(stage)
    editors = stage.window.pages.editors
    await until(lambda: editors.current_path == "config.json" and editors.editor is not None)
    config = editors.editor
    assert config is not None
    await until(lambda: '"history": "recent:10"' in config.textCursor().block().text())


async def test_a_bar_that_is_sent_away_comes_back_with_other_words_only(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    entry = {
        "id": "eve.marcus",
        "implementation": "studio.sub-agent",
        "promptFile": "marcus.subagent.md",
        "model": "main",
    }
    folder = character(tmp_path / "ada", entry)
    stage = await stage_on(folder)
    await edit(stage, MARCUS)
    await says(stage, "overrides model")
    (close,) = stage.all("noticeClose")
    QTest.mouseClick(close, Qt.MouseButton.LeftButton)
    assert texts(stage) == []
    noticing = stage.window.pages.noticing
    noticing.look()
    await until(lambda: noticing.settled)
    assert texts(stage) == []
    text = json.dumps({"name": "Ada", "agents": [entry | {"topP": 0.5}]})
    (folder / "config.json").write_text(text, encoding="utf-8")
    await says(stage, "overrides model and topP")


async def test_a_broken_config_is_not_written_to_and_says_why(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = character(tmp_path / "ada", "test.roller")
    stage = await stage_on(folder)
    config = await edit(stage, "config.json")
    await edit(stage, MARCUS)
    await says(stage, "not listed")
    config.moveCursor(QTextCursor.MoveOperation.End)
    config.insertPlainText("{")
    act(stage)
    await until(lambda: any("Mend it first" in one.accessibleName() for one in toasts(stage)))
    assert config.toPlainText().endswith("{")


def toasts(stage: Stage) -> list[QWidget]:
    """Return the notices over the chat."""
    return stage.all("toast")


@pytest.mark.clause("STU-07", "SUB-14")
async def test_code_from_elsewhere_says_so_above_its_editor_and_leads_to_the_question(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(elsewhere(tmp_path / "ada"), elsewhere=True)
    press(await asked(stage), "permissionOpen")
    await edit(stage, "agents/test.roller.js")
    await says(stage, "came from elsewhere")
    act(stage)
    press(await asked(stage), "permissionTrust")
    await until(lambda: texts(stage) == [])
