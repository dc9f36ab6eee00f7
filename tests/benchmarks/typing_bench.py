"""How long a key press takes in a large file: from the key to the frame that shows it.

`bench` types into a plain `QPlainTextEdit`, or into what a factory makes. Run alone, it prints
the figures of a plain editor with a highlighter.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))  # the checkout

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from studio_qt.ui.highlight import Highlighter
from studio_qt.ui.theme.fonts import mono_font
from studio_qt.ui.theme.theme import Theme

__all__ = ["Factory", "bench", "plain_editor", "source", "typed_keys"]

Factory = Callable[[str, Theme], tuple[QPlainTextEdit, Callable[[], bool]]]
"""Makes the editor for a text, and a function that says whether all its colours are there."""

_KEYS = "const x = call(a, 'b');\n  return `${x}`;\n/* y */ {[()]}\n\b\b\b\b"


class _Painted(QObject):
    """Notes that the watched viewport has been painted."""

    def __init__(self) -> None:
        super().__init__()
        self.done = False

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.done = True
        return False


def source(lines: int = 5000) -> str:
    """Return JavaScript of so many lines."""
    block = (
        "/** Says what the tide does.\n * @param {number} hour the hour, of 24\n */\n"
        "export async function tide{n}(hour, store) {\n"
        "  const height = Math.sin(hour / 12 * Math.PI) * {n}; // metres\n"
        "  if (height > 3) return `The tide is high: ${height.toFixed(1)} m.`;\n"
        "  store.tides = [...(store.tides ?? []), { hour, height, name: 'ebb' }];\n"
        "  return null;\n}\n\n"
    )
    text = "".join(block.replace("{n}", str(number)) for number in range(lines // 10 + 1))
    return "\n".join(text.split("\n")[:lines])


def plain_editor(text: str, theme: Theme) -> tuple[QPlainTextEdit, Callable[[], bool]]:
    """Make an editor with nothing but a highlighter."""
    editor = QPlainTextEdit()
    editor.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    editor.document().setDefaultFont(mono_font(13))
    editor.setPlainText(text)
    highlighter = Highlighter(editor.document(), "javascript", theme, editor)
    return editor, lambda: highlighter.settled


def bench(
    make: Factory = plain_editor, *, keys: int = 300, lines: int = 5000, prefix: str = "typing"
) -> dict[str, float]:
    """Type into the middle of a file; return median and 95th percentile in ms a key press.

    Letters, line breaks, brackets, quotes and deletions, at one place and then at another; an
    unclosed quote or comment turns thousands of lines over. Between two keys the event loop runs
    for 20 ms: somebody types fast, and what a key set off may still be going on at the next.
    """
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme = Theme("dark")
    theme.apply()
    editor, settled = make(source(lines), theme)
    editor.resize(900, 800)
    editor.show()
    while not settled():
        app.processEvents()
    painted = _Painted()
    editor.viewport().installEventFilter(painted)
    times = [_press(editor, painted, key) for key in _keys(editor, keys)]
    editor.close()
    editor.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    times.sort()
    return {
        f"{prefix}_key_median_ms": 1000 * statistics.median(times),
        f"{prefix}_key_p95_ms": 1000 * times[int(len(times) * 0.95)],
        f"{prefix}_key_worst_ms": 1000 * times[-1],
    }


def _keys(editor: QPlainTextEdit, count: int) -> list[str]:
    """Put the cursor into the middle and return what is typed."""
    cursor = QTextCursor(editor.document().findBlockByNumber(editor.blockCount() // 2))
    editor.setTextCursor(cursor)
    editor.centerCursor()
    return typed_keys(count)


def typed_keys(count: int) -> list[str]:
    """Return so many keys as somebody types them into code; "\\b" deletes."""
    dice = random.Random(1)
    words = [dice.choice((_KEYS, "let tide = 'high';\n", '"', "`", "/*", "*/", "(", "}\n", "\b"))]
    while sum(map(len, words)) < count:
        words.append(dice.choice((_KEYS, "hour", "\n", '"', "`", "/*", "*/", "[", ")", "\b\b")))
    return list("".join(words)[:count])


def _press(editor: QPlainTextEdit, painted: _Painted, key: str) -> float:
    """Press one key; return the seconds until the frame that shows it has been painted."""
    special = {"\n": Qt.Key.Key_Return, "\b": Qt.Key.Key_Backspace}
    painted.done = False
    started = time.perf_counter()
    if key in special:
        QTest.keyClick(editor, special[key])
    else:
        QTest.keyClicks(editor, key)
    while not painted.done:
        QCoreApplication.processEvents()
    taken = time.perf_counter() - started
    until = time.perf_counter() + 0.02
    while time.perf_counter() < until:
        QCoreApplication.processEvents()
    return taken


def main() -> None:
    """Print the figures of a plain editor, without and with a highlighter."""
    for name, value in bench().items():
        print(f"{name:36} {value:10.3f}")


if __name__ == "__main__":
    main()
