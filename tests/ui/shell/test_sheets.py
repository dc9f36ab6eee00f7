"""Sheets over each other: the uppermost has the keys, and none loses what is typed in it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QPushButton, QWidget

from studio_qt.ui.widgets.basics import text_button
from studio_qt.ui.widgets.sheet import MessageSheet, Sheet
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage
from tests.ui.shell.conftest import Bench

pytestmark = pytest.mark.qt_loop

ROUND = (
    *("generateSubAgent", "goToLine", "generateAgent", "conversationCommand", "newSubAgentForm"),
    *("palette", "conversationCommand", "goToLine", "exportAction", "configForm", "settings"),
    *("goToLine", "showKeys", "importAddress", "conversationModel", "newCharacter", "permissions"),
    *("conversationExport", "showWalls", "about", "generateSubAgent"),
)
"""Actions that open sheets; each is laid over the one before it."""

TYPED = "zq"


def text_of(field: QWidget | None) -> str | None:
    if isinstance(field, QLineEdit):
        return field.text()
    return field.toPlainText() if isinstance(field, QPlainTextEdit) else None


def open_sheets(stage: Stage) -> list[Sheet]:
    return [one for one in stage.window.children() if isinstance(one, Sheet) and one.is_open]


async def laid(stage: Stage, name: str, number: int) -> tuple[Sheet, QWidget]:
    """Open a sheet by its keys, or as the menu does, and return it and what has the keys in it."""
    action = stage.window.inside.desk.actions.find(name)
    assert action is not None
    of_window = action.shortcutContext() == Qt.ShortcutContext.WindowShortcut
    if action.shortcut().isEmpty() or not of_window:
        action.trigger()  # as the palette does
    else:
        QTest.keySequence(stage.window.focusWidget(), action.shortcut())
    await until(lambda: len(open_sheets(stage)) == number)
    top = open_sheets(stage)[-1]
    await until(lambda: top.focusWidget() is not None and top.focusWidget().hasFocus())
    return top, top.focusWidget()


async def test_what_is_laid_over_a_sheet_gives_it_the_keys_and_the_text_back(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await stage.window.pages.editors.open("config.json")
    wrong = []
    for below, above in pairwise(ROUND):
        stage.window.pages.editors.editor.setFocus()
        lower, field = await laid(stage, below, 1)
        if text_of(field) is not None and below != "palette":
            QTest.keyClicks(field, TYPED)
        typed = text_of(field)
        upper, keys = await laid(stage, above, 2)
        QTest.keyClick(keys, Qt.Key.Key_Escape)
        await until(lambda upper=upper: not upper.is_open)
        await stage.idle()
        if not field.hasFocus() or text_of(field) != typed or not lower.is_open:
            wrong.append((below, above, stage.window.focusWidget().objectName()))
        lower.done(0)
        await until(lambda lower=lower: not lower.is_open)
    assert wrong == []


@pytest.mark.parametrize(
    "name", ["goToLine", "conversationCommand", "importAddress", "exportAction", "newCharacter"]
)
async def test_the_keys_of_a_sheet_that_is_open_below_bring_it_up_with_its_text(
    stage_on: OpenStage, tmp_path: Path, name: str
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await stage.window.pages.editors.open("config.json")
    sheet, field = await laid(stage, name, 1)
    QTest.keyClicks(field, TYPED)
    typed = text_of(field)
    await laid(stage, "showKeys", 2)
    stage.window.inside.desk.actions.find(name).trigger()
    await until(lambda: open_sheets(stage)[-1] is sheet)
    assert field.hasFocus()
    assert text_of(field) == typed
    assert TYPED in str(typed)


class Note(Sheet):
    """A sheet with two fields."""

    def __init__(self, bench: Bench, title: str) -> None:
        super().__init__(bench.desk.theme, bench.window, title)
        self.first, self.second = QLineEdit(), QLineEdit()
        self.column.addWidget(self.first)
        self.column.addWidget(self.second)
        self.lay()
        self.second.setFocus()


@pytest.fixture
def below(bench: Bench) -> QLineEdit:
    field = QLineEdit()
    bench.put(field)
    bench.window.activateWindow()
    field.setFocus()
    return field


async def test_what_takes_the_keys_below_the_veil_has_them_when_the_sheet_goes(
    bench: Bench, below: QLineEdit
) -> None:
    button = bench.put(text_button("Elsewhere", "elsewhere"))
    sheet = Note(bench, "Note")
    button.setFocus()
    assert sheet.second.hasFocus()
    QTest.keyClick(sheet.second, Qt.Key.Key_Escape)
    assert button.hasFocus()


async def test_a_field_of_a_lower_sheet_does_not_take_the_keys(
    bench: Bench, below: QLineEdit
) -> None:
    lower, upper = Note(bench, "Lower"), Note(bench, "Upper")
    lower.first.setFocus()
    assert upper.second.hasFocus()
    upper.reject()
    assert lower.first.hasFocus()
    lower.reject()
    assert below.hasFocus()


async def test_a_sheet_that_goes_from_below_leaves_the_keys_where_they_are(
    bench: Bench, below: QLineEdit
) -> None:
    lower, upper = Note(bench, "Lower"), Note(bench, "Upper")
    lower.reject()
    assert upper.second.hasFocus()
    upper.reject()
    assert below.hasFocus()


async def test_a_field_that_is_gone_or_shut_leaves_the_keys_to_its_sheet(
    bench: Bench, below: QLineEdit
) -> None:
    lower, upper = Note(bench, "Lower"), Note(bench, "Upper")
    lower.second.setEnabled(False)
    upper.reject()
    assert lower.first.hasFocus()


async def test_a_twin_below_another_sheet_comes_up_with_its_keys(
    bench: Bench, below: QLineEdit
) -> None:
    first, upper, twin = Note(bench, "One"), Note(bench, "Other"), Note(bench, "One")
    assert not twin.is_open
    assert first.second.hasFocus()
    first.reject()
    assert upper.second.hasFocus()


async def test_what_lies_above_the_veil_may_have_the_keys(bench: Bench, below: QLineEdit) -> None:
    sheet = Note(bench, "Note")
    button = QPushButton("Undo", bench.window)
    button.show()
    button.setFocus()
    assert button.hasFocus()
    button.hide()
    assert sheet.second.hasFocus() or sheet.first.hasFocus()


async def test_a_sheet_that_is_laid_while_another_window_is_in_front_gives_the_keys_back(
    bench: Bench, below: QLineEdit
) -> None:
    other = QLineEdit()
    other.show()
    other.activateWindow()
    await until(other.isActiveWindow)
    sheet = MessageSheet(bench.desk.theme, bench.window, "Hm", "Read this.", name="message")
    sheet.lay()
    other.close()
    bench.window.activateWindow()
    await until(bench.window.isActiveWindow)
    sheet.reject()
    assert below.hasFocus()
