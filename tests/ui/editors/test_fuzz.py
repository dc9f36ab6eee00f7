"""Random editing: nothing breaks, undo leads back, and marks stay where the text is."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import Qt

from studio_qt.ui.editors.reckoning import changed_lines
from tests.support.qt import until
from tests.ui.editors.conftest import ALT, CONTROL, SHIFT, Bench

pytestmark = pytest.mark.qt_loop

NONE = Qt.KeyboardModifier.NoModifier
KEYS = (
    *((key, NONE) for key in (Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Backspace)),
    *((key, NONE) for key in (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_Down)),
    *((key, SHIFT) for key in (Qt.Key.Key_Home, Qt.Key.Key_Up, Qt.Key.Key_Down)),
    (Qt.Key.Key_Backtab, SHIFT),
    *((key, CONTROL) for key in (Qt.Key.Key_Slash, Qt.Key.Key_D, Qt.Key.Key_Z)),
    *((key, ALT) for key in (Qt.Key.Key_Up, Qt.Key.Key_Down)),
    (Qt.Key.Key_K, CONTROL | SHIFT),
)
TEXT = "function a(b) {\n  // 😀 sea\n\tif (b) {\n    return [sea];\n  }\n}\n\nsea 😀😀 sea\n" * 3


@pytest.mark.parametrize("seed", range(3))
async def test_random_keys_can_be_undone_and_marks_follow(bench: Bench, seed: int) -> None:
    dice = random.Random(seed)
    editor = await bench.open("a.js", TEXT)
    for _ in range(150):
        if dice.random() < 0.4:
            bench.type(dice.choice(["x", "}", "(", " ", '"', "sea"]))
        elif dice.random() < 0.1:
            editor.select(*sorted(dice.choices(range(len(bench.text) + 1), k=2)))
        else:
            bench.press(*dice.choice(KEYS))
        editor.viewport().grab()
    now = bench.documents.find("a.js").plain
    body = bench.page.current.body
    await until(lambda: body.reckoner.idle)
    changed = {
        line
        for change in changed_lines(TEXT.split("\n"), now.split("\n"))
        for line in range(change.first, change.end)
    }
    lines = range(editor.blockCount())
    assert {line for line in lines if editor.marks.change_at(line) == "changed"} == changed
    for _ in range(1000):
        if not editor.document().isUndoAvailable():
            break
        bench.press(Qt.Key.Key_Z, CONTROL)
    assert bench.documents.find("a.js").plain == TEXT
