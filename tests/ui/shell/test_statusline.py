"""The line at the foot of the window."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from studio_qt.ui.chat.about import REHEARSAL
from studio_qt.ui.statusline import StatusLine
from tests.support.qt import until
from tests.ui.shell.conftest import Bench

pytestmark = pytest.mark.qt_loop


@dataclass(frozen=True)
class Status:
    place: str = "Ln 19, Col 15"
    language_name: str = "Sub-agent Markdown"
    format: str = "UTF-8 · LF"
    indentation: str = "Spaces: 2"
    weight: str = "214 tokens"


def shown(line: StatusLine) -> list[str]:
    widgets = [one for kind in (QPushButton, QLabel) for one in line.findChildren(kind)]
    texts = [one for one in widgets if one.isVisible() and one.text()]
    return [one.text() for one in sorted(texts, key=lambda one: one.x())]


async def test_it_says_who_answers_and_where(bench: Bench) -> None:
    line = StatusLine(bench.desk.theme)
    bench.put(line)
    line.show_player(REHEARSAL, Path.home() / "ada")
    assert shown(line) == ["Rehearsal: built in, offline, no key", str(Path("~") / "ada")]
    line.show_player("", None)
    assert shown(line) == []


async def test_a_connection_has_its_models_and_can_be_changed(bench: Bench) -> None:
    line = StatusLine(bench.desk.theme)
    bench.put(line)
    wanted: list[int] = []
    line.connection_wanted.connect(lambda: wanted.append(1))
    line.show_connection("LM Studio", "qwen3-32b", "qwen3-4b")
    assert shown(line) == ["LM Studio", "main qwen3-32b · worker qwen3-4b"]
    button = line.findChild(QPushButton, "statusModel")
    assert button.accessibleName() == "Who answers: LM Studio"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert wanted == [1, 1]
    line.show_connection("LM Studio", state="failed")
    assert "does not answer" in button.toolTip()


async def test_an_editor_takes_the_right_side(bench: Bench) -> None:
    line = StatusLine(bench.desk.theme)
    bench.put(line)
    line.show_player("m", Path("/x"))
    line.show_editor(Status())
    assert shown(line) == [
        "m",
        "214 tokens",
        "Ln 19, Col 15",
        "Sub-agent Markdown",
        "UTF-8 · LF",
        "Spaces: 2",
    ]
    line.show_editor(Status(weight=""))
    assert "214 tokens" not in shown(line)
    line.show_editor(None)
    assert shown(line) == ["m", str(Path("/x"))]


async def test_a_click_on_the_line_asks_for_another(bench: Bench) -> None:
    line = StatusLine(bench.desk.theme)
    bench.put(line)
    wanted: list[int] = []
    line.line_wanted.connect(lambda: wanted.append(1))
    line.show_editor(Status())
    QTest.mouseClick(line.findChild(QPushButton, "statusLineColumn"), Qt.MouseButton.LeftButton)
    assert wanted == [1]


async def test_a_hint_stands_where_no_project_is_open(bench: Bench) -> None:
    line = StatusLine(bench.desk.theme)
    bench.put(line)
    line.show_hint("Drop a folder or a zip here.", "What is new")
    assert shown(line) == ["Drop a folder or a zip here.", "What is new"]
    line.show_hint("")
    line.show_player("m", None)
    assert shown(line) == ["m"]


async def test_every_part_has_a_name(bench: Bench) -> None:
    line = StatusLine(bench.desk.theme)
    bench.put(line)
    line.show_player("m", None)
    line.show_editor(Status())
    for part in (*line.findChildren(QPushButton), *line.findChildren(QLabel)):
        if part.isVisible() and part.text():
            assert part.accessibleName(), part.objectName()
    assert line.findChild(QWidget, "statusLineColumn").accessibleName().endswith("Ln 19, Col 15")


async def test_a_narrow_line_leaves_out_the_least_needed(bench: Bench) -> None:
    line = StatusLine(bench.desk.theme)
    bench.put(line)
    line.show_player("m", None)
    line.show_editor(Status())
    bench.window.resize(700, 300)
    await until(lambda: line.width() == 700)
    assert shown(line) == ["m", "214 tokens", "Ln 19, Col 15", "Sub-agent Markdown"]
    bench.window.resize(1000, 300)
    await until(lambda: line.width() == 1000)
    assert "Spaces: 2" in shown(line)
