"""The letters of the menus."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyle

from tests.support.window import write_package
from tests.ui.conftest import OpenStage

HINT = QStyle.StyleHint.SH_UnderlineShortcut


@pytest.mark.qt_loop
async def test_letters_of_menus_are_underlined_while_alt_is_held(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    bar, field = stage.window.inside.bar, stage.input

    def underlined() -> bool:
        return bool(bar.style().styleHint(HINT, None, bar))

    assert not underlined()
    QTest.keyPress(field, Qt.Key.Key_Alt)
    assert underlined()
    QTest.keyRelease(field, Qt.Key.Key_Alt)
    assert not underlined() or bar.hasFocus()
