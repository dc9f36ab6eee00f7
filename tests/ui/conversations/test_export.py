"""Exporting a conversation, and choosing who answers in it, in sheets over the window."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget

from studio_qt.engine.exporting import read_json
from studio_qt.ui.conversations.exportsheet import ExportSheet, file_name
from studio_qt.ui.conversations.modelsheet import ModelSheet
from tests.support.fixtures import model
from tests.support.model_server import ModelServer
from tests.support.qt import until
from tests.ui.conversations.conftest import Desktop, OpenDesktop, talk

__all__ = ["model"]

pytestmark = pytest.mark.qt_loop


@pytest.fixture
def storm(project: Path) -> Path:
    """Two conversations, the second of which is the later one."""
    talk(project, 1, "First visit", "Hello", days=3)
    talk(project, 2, "Storm: night?", "The rope", "Forty fathoms.")
    return project


async def open_sheet(desktop: Desktop, place: Path) -> ExportSheet:
    """Open the sheet by its key, and write a place into it."""
    QTest.keyClick(
        desktop.view,
        Qt.Key.Key_E,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier,
    )
    sheet = desktop.sheet("conversationExport")
    assert isinstance(sheet, ExportSheet)
    field = desktop.find("conversationExportPath", QLineEdit)
    assert isinstance(field, QLineEdit)
    assert Path(field.text()).name == "Storm night.md"
    field.selectAll()
    QTest.keyClicks(field, str(place))
    return sheet


async def written(sheet: ExportSheet) -> None:
    await until(lambda: not sheet.busy and sheet.run_button.text() == "Show in folder")


async def test_the_open_conversation_is_written_where_it_was_said(
    desktop_on: OpenDesktop, storm: Path, tmp_path: Path
) -> None:
    desktop = await desktop_on(storm)
    sheet = await open_sheet(desktop, tmp_path / "storm.md")
    desktop.click("conversationExportRun")
    await written(sheet)
    text = (tmp_path / "storm.md").read_text(encoding="utf-8")
    assert text.startswith("# Storm: night?\n\nAda · conversation\\_02 · ")
    assert "Forty fathoms." in text
    assert any("Written: storm.md" in one.text() for one in sheet.findChildren(QLabel))


@pytest.mark.parametrize(("kind", "suffix"), [("Html", ".html"), ("Json", ".json")])
async def test_another_format_has_its_own_suffix(
    desktop_on: OpenDesktop, storm: Path, tmp_path: Path, kind: str, suffix: str
) -> None:
    desktop = await desktop_on(storm)
    sheet = await open_sheet(desktop, tmp_path / "storm.md")
    desktop.click(f"conversationFormat{kind}")
    desktop.press(Qt.Key.Key_Return, sheet.run_button)
    await written(sheet)
    made = tmp_path / f"storm{suffix}"
    text = made.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.glob("storm.*")] == [made.name]
    if kind == "Json":
        assert [entry["content"] for entry in read_json(text)] == ["The rope", "Forty fathoms."]
    else:
        assert text.startswith("<!DOCTYPE html>")


async def test_what_is_there_is_replaced_only_after_a_second_yes(
    desktop_on: OpenDesktop, storm: Path, tmp_path: Path
) -> None:
    place = tmp_path / "storm.md"
    place.write_text("mine", encoding="utf-8")
    desktop = await desktop_on(storm)
    sheet = await open_sheet(desktop, place)
    desktop.click("conversationExportRun")
    await until(lambda: sheet.run_button.text() == "Replace")
    assert place.read_text(encoding="utf-8") == "mine"
    desktop.click("conversationExportRun")
    await written(sheet)
    assert "Forty fathoms." in place.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("place", "words"),
    [("storm.md", "whole path"), ("{tmp}", "is a folder"), ("{tmp}/no/storm.md", "no folder")],
)
async def test_a_place_that_cannot_be_is_told_at_its_field(
    desktop_on: OpenDesktop, storm: Path, tmp_path: Path, place: str, words: str
) -> None:
    desktop = await desktop_on(storm)
    sheet = await open_sheet(desktop, Path(place.replace("{tmp}", str(tmp_path))))
    desktop.click("conversationExportRun")
    await until(lambda: not sheet.busy and words in sheet.place.accessibleDescription())
    assert sheet.run_button.isEnabled()


async def test_logs_tools_and_what_was_put_aside_are_asked_for(
    desktop_on: OpenDesktop, project: Path, tmp_path: Path
) -> None:
    path = talk(project, 2, "Storm: night?", "The rope", "Aye.")
    value = json.loads(path.read_text(encoding="utf-8"))
    value["messages"] += [
        {"role": "log", "agentId": "a", "content": "a log"},
        {"role": "assistant", "content": "put aside", "rejected": True},
        {"role": "tool", "content": "a result", "inner": [{"toolName": "peek", "result": "x"}]},
    ]
    path.write_text(json.dumps(value), encoding="utf-8")
    desktop = await desktop_on(project)
    sheet = await open_sheet(desktop, tmp_path / "storm.md")
    words = {"Logs": "a log", "Tools": "a result", "Inner": "peek", "Alternatives": "put aside"}
    assert not sheet.boxes["inner"].isEnabled()
    sheet.run()
    await written(sheet)
    text = (tmp_path / "storm.md").read_text(encoding="utf-8")
    assert [word for word in words.values() if word in text] == []
    for name in words:
        desktop.click(f"conversationExport{name}")
    assert sheet.run_button.text() == "Export"
    sheet.run()
    await until(lambda: sheet.run_button.text() == "Replace")
    sheet.run()
    await written(sheet)
    text = (tmp_path / "storm.md").read_text(encoding="utf-8")
    assert [word for word in words.values() if word not in text] == []


async def test_the_user_has_the_name_that_the_settings_give(
    desktop_on: OpenDesktop, storm: Path, tmp_path: Path
) -> None:
    desktop = await desktop_on(storm)
    desktop.preferences.change_player(persona_name="Grace")
    sheet = await open_sheet(desktop, tmp_path / "storm.md")
    sheet.run()
    await written(sheet)
    assert "### **Grace** · " in (tmp_path / "storm.md").read_text(encoding="utf-8")


async def test_show_in_folder_shows_what_was_written(
    desktop_on: OpenDesktop, storm: Path, tmp_path: Path
) -> None:
    desktop = await desktop_on(storm)
    sheet = await open_sheet(desktop, tmp_path / "storm.md")
    shown: list[Path] = []
    sheet._show_folder = shown.append
    desktop.click("conversationExportRun")
    await written(sheet)
    desktop.click("conversationExportRun")
    assert shown == [tmp_path / "storm.md"]


async def test_the_row_that_is_chosen_is_exported_not_the_open_one(
    desktop_on: OpenDesktop, storm: Path
) -> None:
    desktop = await desktop_on(storm)
    desktop.click_row(1)
    desktop.pane.export()
    assert any(
        "First visit" in one.text()
        for one in desktop.sheet("conversationExport").findChildren(QLabel)
    )


async def test_closing_a_sheet_gives_the_focus_back(desktop_on: OpenDesktop, storm: Path) -> None:
    desktop = await desktop_on(storm)
    desktop.click_row(1)
    desktop.pane.export()
    sheet = desktop.sheet("conversationExport")
    assert not desktop.view.hasFocus()
    desktop.press(Qt.Key.Key_Escape, sheet)
    assert desktop.view.hasFocus()


async def test_closing_while_it_is_written_leaves_nothing_behind(
    desktop_on: OpenDesktop, storm: Path, tmp_path: Path
) -> None:
    talk(storm, 2, "Storm: night?", *(f"line {number}" for number in range(5_000)))
    desktop = await desktop_on(storm)
    sheet = await open_sheet(desktop, tmp_path / "storm.md")
    desktop.click("conversationExportRun")
    assert sheet.busy
    sheet.reject()
    await until(lambda: "export conversation" not in desktop.tasks.names)
    assert list(tmp_path.glob("*storm.md*")) == []


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Storm: night? <1>", "Storm night 1"),
        ("../../etc/passwd", "etc passwd"),
        (" . ", "Conversation"),
        ("CON", "Conversation CON"),
        ("x" * 300, "x" * 80),
        ("🌊" * 300, "🌊" * 50),
        ("Störm\tnight\x00", "Störm night"),
    ],
)
def test_a_title_becomes_a_name_that_every_system_takes(title: str, name: str) -> None:
    assert file_name(title) == name


# Who answers


async def choose(desktop: Desktop) -> ModelSheet:
    """Open the sheet by its key and wait for what the endpoint says."""
    QTest.keyClick(
        desktop.view,
        Qt.Key.Key_M,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier,
    )
    sheet = desktop.sheet("conversationModels")
    assert isinstance(sheet, ModelSheet)
    await until(lambda: "offered models" not in desktop.tasks.names)
    return sheet


def listed(sheet: ModelSheet) -> list[str]:
    return [sheet.list.item(row).text() for row in range(sheet.list.count())]


async def test_a_model_is_chosen_by_typing_and_enter(
    desktop_on: OpenDesktop, storm: Path, model: ModelServer
) -> None:
    model.models = ["small", "large", "huge"]
    desktop = await desktop_on(storm, base_url=model.base_url, model="small")
    another: list[bool] = []
    desktop.pane.another.connect(lambda: another.append(True))
    sheet = await choose(desktop)
    assert listed(sheet) == ["As everywhere: what the settings say", "small", "large", "huge"]
    QTest.keyClicks(sheet.field, "lar")
    desktop.press(Qt.Key.Key_Return, sheet.field)
    await until(lambda: desktop.player.main_model == "large")
    await until(lambda: bool(another))
    assert desktop.player.character.model_label == "large"
    row = next(row for row in desktop.pane.rows if row.id == "conversation_02")
    assert row.model == "large"
    sheet = await choose(desktop)
    chosen = sheet.list.currentItem()
    assert chosen is not None
    assert chosen.text() == "large"
    desktop.press(Qt.Key.Key_Home, sheet.list)
    desktop.click("conversationModelsUse")
    await until(lambda: desktop.player.main_model is None)


async def test_an_endpoint_that_does_not_answer_is_told_in_the_sheet(
    desktop_on: OpenDesktop, storm: Path
) -> None:
    desktop = await desktop_on(storm, base_url="http://127.0.0.1:9/v1", model="small")
    sheet = await choose(desktop)
    text = desktop.find("conversationModelsText", QLabel)
    assert isinstance(text, QLabel)
    await until(lambda: "127.0.0.1" in text.text())
    assert isinstance(sheet.list, QListWidget)
    assert sheet.list.count() == 1


async def test_with_rehearsal_the_settings_are_one_click_away(
    desktop_on: OpenDesktop, storm: Path
) -> None:
    desktop = await desktop_on(storm)
    wanted: list[bool] = []
    desktop.pane.settings_wanted.connect(lambda: wanted.append(True))
    sheet = await choose(desktop)
    assert listed(sheet) == ["As everywhere: what the settings say"]
    desktop.click("conversationModelsSettings")
    assert wanted == [True]
    assert not sheet.is_open
