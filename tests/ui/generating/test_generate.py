"""Generate in the window: from a name and a wish to a file of the character (STU-09)."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio_qt.authoring.inventory import Inventory
from studio_qt.files.source import Source
from studio_qt.ui.generating import generates
from studio_qt.ui.generating.change import ChangeSheet
from studio_qt.ui.generating.sheet import GenerateSheet
from tests.authoring.test_generating_code import CODE, answer
from tests.support.model_server import DONE, ModelServer, Wait, chunk, failure, sse, text
from tests.support.qt import until
from tests.support.window import write_package
from tests.ui.conftest import OpenStage
from tests.ui.generating.bed import Bed, make_character

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-09")]

GOOD = """---
description: Knows every tide. Ask whenever anyone sails.
contextFiles: [lore.txt]
maxTokens: 300
---
You are the tide keeper.
"""


@pytest_asyncio.fixture
async def bed(stage_on: OpenStage, model: ModelServer, tmp_path: Path) -> Bed:
    return Bed(await stage_on(make_character(tmp_path / "ada"), model.base_url))


async def test_from_the_group_of_sub_agents_to_the_builder_and_a_tool_that_plays(
    bed: Bed, model: ModelServer, tmp_path: Path
) -> None:
    tree = bed.pages.project.tree
    button = next(
        one for one in bed.stage.all("generateButton") if tree.viewport().isAncestorOf(one)
    )
    bed.press(button)
    sheet = await bed.sheet(GenerateSheet)
    bed.fill(sheet, "tides", "Knows when the tide turns.")
    model.script(text(GOOD))
    bed.ctrl_enter(sheet.wish)
    builder = bed.pages.building.builder
    await until(lambda: builder.is_open, 10)
    assert bed.sheets(GenerateSheet) == []
    assert builder.sheet.form.name == "tides"
    assert builder.sheet.form.context_files == ("lore.txt",)
    bed.stage.click("builderSave")
    player = bed.window.session.player
    await until(lambda: "tides" in {agent.id for agent in player.agents()}, 10)
    assert "tide keeper" in (tmp_path / "ada/agents/tides.subagent.md").read_text()


async def test_the_request_has_names_and_never_a_line_of_a_file(
    bed: Bed, model: ModelServer
) -> None:
    await bed.open("context/lore.txt")
    QTest.keyClicks(bed.pages.editors.editor, "unsaved-secret ")
    sheet = await bed.dialog()
    bed.fill(sheet, "tides", "Knows tides.")
    model.script(text(GOOD))
    bed.press(sheet.run_button)
    await until(lambda: bed.pages.building.builder.is_open, 10)
    sent = model.last.data.decode()
    for name in ("lore.txt", "marcus", "test.roller", "roll", "Knows tides."):
        assert name in sent
    for content in ("cursed", "unsaved-secret", "Marcus.", "secretly", "Be Ada", "Rolls dice"):
        assert content not in sent


async def test_the_button_is_in_the_group_before_the_first_sub_agent(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    bed = Bed(await stage_on(write_package(tmp_path / "ada")))
    await until(lambda: bool(bed.stage.all("generateButton")), 10)
    button = bed.stage.all("generateButton")[0]
    plus = bed.stage.find("subAgentNew")
    assert button.geometry().right() < plus.geometry().left() + 1
    assert button.geometry().top() == plus.geometry().top()
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    await bed.sheet(GenerateSheet)


async def test_who_writes_is_the_worker_model(
    stage_on: OpenStage, model: ModelServer, tmp_path: Path
) -> None:
    bed = Bed(await stage_on(make_character(tmp_path / "ada"), model.base_url))
    await bed.window.session.player.configure(worker_model="small-worker")
    sheet = await bed.dialog()
    await until(lambda: "small-worker writes it" in bed.stage.find("generateWriter").text())
    bed.fill(sheet, "tides", "Knows tides.")
    model.script(text(GOOD))
    bed.press(sheet.run_button)
    await until(lambda: bed.pages.building.builder.is_open, 10)
    assert model.last.body["model"] == "small-worker"
    assert bed.window.session.player.usage()["agentTokensThisConversation"] == 0


async def test_a_refused_key_is_told_and_what_was_typed_stays_for_another_try(
    bed: Bed, model: ModelServer
) -> None:
    sheet = await bed.dialog()
    bed.fill(sheet, "tides", "Knows tides.")
    model.script(failure(401, {"error": {"message": "no such key"}}))
    bed.press(sheet.run_button)
    await until(lambda: "401" in sheet.trouble.text, 10)
    assert sheet.name.text() == "tides"
    assert sheet.wish.toPlainText() == "Knows tides."
    assert sheet.run_button.text() == "Try again"
    model.script(text(GOOD))
    bed.press(sheet.run_button)
    await until(lambda: bed.pages.building.builder.is_open, 10)


async def test_an_answer_that_cannot_be_used_is_refused_with_the_reason(
    bed: Bed, model: ModelServer
) -> None:
    sheet = await bed.dialog()
    bed.fill(sheet, "tides", "Knows tides.")
    model.script(text("I'm sorry, I can't."), text("I'm sorry, I can't."))
    bed.press(sheet.run_button)
    await until(lambda: "will not write this" in sheet.trouble.text, 10)
    assert sheet.is_open


async def test_what_comes_is_seen_and_escape_stops_first_and_closes_then(
    bed: Bed, model: ModelServer
) -> None:
    held = threading.Event()
    sheet = await bed.dialog()
    bed.fill(sheet, "tides", "Knows tides.")
    model.script(sse(chunk({"content": "---\ndescr"}), Wait(held), DONE))
    bed.press(sheet.run_button)
    await until(lambda: "descr" in sheet.writing.text.toPlainText(), 10)
    assert "tokens" in sheet.writing.words
    assert sheet.stop_button.text() == "Stop"
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    await until(lambda: not sheet.writing.busy, 10)
    assert await model.last.wait_dropped()
    assert "Stopped" in sheet.trouble.text
    assert sheet.wish.toPlainText() == "Knows tides."
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert bed.sheets(GenerateSheet) == []
    held.set()
    again = await bed.dialog()
    assert (again.name.text(), again.wish.toPlainText()) == ("tides", "Knows tides.")


async def test_closing_the_window_ends_what_is_being_written(bed: Bed, model: ModelServer) -> None:
    held = threading.Event()
    sheet = await bed.dialog()
    bed.fill(sheet, "tides", "Knows tides.")
    model.script(sse(chunk({"content": "---\n"}), Wait(held), DONE))
    bed.press(sheet.run_button)
    await until(lambda: bool(sheet.writing.text.toPlainText()), 10)
    held.set()


async def test_another_project_closes_the_dialog(
    bed: Bed, model: ModelServer, tmp_path: Path
) -> None:
    held = threading.Event()
    sheet = await bed.dialog()
    bed.fill(sheet, "tides", "Knows tides.")
    model.script(sse(chunk({"content": "---\n"}), Wait(held), DONE))
    bed.press(sheet.run_button)
    await until(lambda: bool(sheet.writing.text.toPlainText()), 10)
    await bed.window.session.open(make_character(tmp_path / "other"))
    assert bed.sheets(GenerateSheet) == []
    assert await model.last.wait_dropped()
    held.set()


async def test_a_dialog_that_is_still_being_read_does_not_open_over_another_project(
    bed: Bed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, held = threading.Event(), threading.Event()
    read = generates.read_inventory

    def slowly(source: Source) -> Inventory:
        begun.set()
        held.wait(10)
        return read(source)

    monkeypatch.setattr(generates, "read_inventory", slowly)
    bed.trigger("generateSubAgent")
    await until(begun.is_set, 10)
    await bed.window.session.open(make_character(tmp_path / "other"))
    held.set()
    await until(lambda: "generate" not in bed.window.tasks.names, 10)
    assert bed.sheets(GenerateSheet) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "Give it a name."),
        ("marcus", "There is"),
        ("studio.x", "kept for built-in"),
        ("a/b", "file name"),
    ],
)
async def test_a_name_that_cannot_be_is_told_beside_the_field(
    bed: Bed, name: str, said: str
) -> None:
    sheet = await bed.dialog()
    bed.fill(sheet, name, "Knows tides.")
    bed.press(sheet.run_button)
    assert said in sheet.name.accessibleDescription()
    assert not sheet.writing.busy


async def test_what_the_author_should_know_is_said_before_the_builder_opens(
    bed: Bed, model: ModelServer
) -> None:
    sheet = await bed.dialog()
    bed.fill(sheet, "tides", "Knows tides.")
    model.script(text(GOOD.replace("maxTokens: 300", "private-agents: [studio.memory-store]")))
    bed.press(sheet.run_button)
    await until(lambda: "studio.memory-store" in sheet.trouble.text, 10)
    assert not bed.pages.building.builder.is_open
    bed.press(sheet.run_button)
    await until(lambda: bed.pages.building.builder.is_open, 10)


async def test_without_a_model_a_draft_of_the_own_words_opens_in_the_builder(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    bed = Bed(await stage_on(make_character(tmp_path / "ada")))
    sheet = await bed.dialog()
    assert "No language model is connected" in sheet.trouble.text
    assert sheet.run_button.text() == "Make a draft"
    bed.fill(sheet, "lore-keeper", "Knows the lore.")
    bed.press(sheet.run_button)
    builder = bed.pages.building.builder
    await until(lambda: builder.is_open, 10)
    assert "Knows the lore." in builder.sheet.form.body
    assert builder.sheet.form.context_files == ("lore.txt",)


async def test_without_a_model_a_text_leads_to_the_connections(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    bed = Bed(await stage_on(make_character(tmp_path / "ada")))
    asked: list[str] = []
    bed.pages.helping.generating.settings_wanted.connect(lambda: asked.append("settings"))
    await bed.open("instructions.txt")
    sheet = await bed.dialog("generateHere")
    assert not sheet.run_button.isVisible()
    assert "needs a language model" in sheet.trouble.text
    bed.press(bed.stage.find("generateTroubleSettings"))
    assert asked == ["settings"]
    assert bed.sheets(GenerateSheet) == []
    await until(lambda: bed.window.findChild(object, "settingsDialog") is not None, 10)


async def test_an_agent_in_code_joins_the_character_and_can_be_taken_back(
    bed: Bed, model: ModelServer, tmp_path: Path
) -> None:
    sheet = await bed.dialog("generateAgent")
    bed.fill(sheet, "my.counter", "Counts.")
    model.script(text(answer(CODE["javascript"])))
    bed.press(sheet.run_button)
    made = await bed.made()
    assert [one.result for one in made.agent.examples] == ["Now 2", "Now 3"]
    config = tmp_path / "ada/config.json"
    before = config.read_text()
    assert "my.counter" not in before
    bed.press(made.add_button)
    player = bed.window.session.player
    await until(lambda: "my.counter" in {agent.id for agent in player.agents()}, 10)
    assert json.loads(config.read_text())["agents"][-1] == "my.counter"
    assert bed.pages.editors.current_path == "agents/my.counter.js"
    assert bed.pages.editors.paths == ["agents/my.counter.js"]
    await until(lambda: len(bed.pages.tester.recent) == 2, 10)
    assert bed.pages.tester.recent[0].call.args == {"by": 2}
    assert "was added" in bed.toasts
    undo = next(b for b in bed.stage.all("toastAction") if b.text() == "Undo")
    bed.press(undo)
    await until(lambda: config.read_text() == before, 10)
    await until(lambda: not (tmp_path / "ada/agents/my.counter.js").exists(), 10)


async def test_a_text_is_laid_beside_the_old_one_and_taken_as_one_step(
    bed: Bed, model: ModelServer
) -> None:
    document = await bed.open("instructions.txt")
    bed.press(bed.button("generateButton"))
    sheet = await bed.sheet(GenerateSheet)
    assert "Generate the instructions" in sheet.windowTitle()
    bed.fill(sheet, "", "She counts the waves.")
    model.script(text("<text>You are Ada, who counts the waves.</text>"))
    bed.ctrl_enter(sheet.wish)
    change = await bed.compared()
    assert document.plain == "Be Ada."
    bed.press(change.accept_button)
    await until(lambda: "waves" in document.plain, 10)
    assert bed.sheets(ChangeSheet) == []
    bed.pages.editors.editor.undo()
    assert document.plain == "Be Ada."


async def test_a_zip_is_only_played(
    stage_on: OpenStage, tmp_path: Path, model: ModelServer
) -> None:
    make_character(tmp_path / "ada")
    archive = shutil.make_archive(str(tmp_path / "ada"), "zip", tmp_path / "ada")
    bed = Bed(await stage_on(Path(archive), model.base_url))
    action = bed.stage.window.inside.desk.actions.find("generateSubAgent")
    assert action is not None
    assert not action.isEnabled()
    assert bed.sheets(GenerateSheet) == []
