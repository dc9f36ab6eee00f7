"""`CodeReader`: the code that is asked about, to read where the question stands."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QVBoxLayout, QWidget

from studio_qt.authoring.foreigncode import CodeFile
from studio_qt.authoring.permissions import shown_name
from studio_qt.ui.highlight.highlighter import Highlighter
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label

__all__ = ["CodeReader"]

_MOST = 400_000
"""Characters of a file that are shown."""
_LONGEST_LINE = 4_000
_MOST_FILES = 500


class CodeReader(QWidget):
    """Shows one of the files at a time: the very bytes that were looked at, read only."""

    def __init__(self, theme: Theme, files: Sequence[CodeFile]) -> None:
        super().__init__()
        self._files = files[:_MOST_FILES]
        self._theme = theme
        self._highlighter: Highlighter | None = None
        self.choice = QComboBox()
        self.choice.setObjectName("permissionFile")
        self.choice.setAccessibleName("File")
        self.choice.addItems([shown_name(file.path) for file in self._files])
        self.text = QPlainTextEdit()
        self.text.setObjectName("permissionCode")
        self.text.setAccessibleName("The code, read only")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.note = label("", "quiet", wrap=True, name="permissionCodeNote")
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(8)
        for widget in (self.choice, self.text, self.note):
            column.addWidget(widget)
        column.setStretch(1, 1)
        self.choice.currentIndexChanged.connect(self._show)
        theme.changed.connect(self._take_face)
        self._take_face()
        self._show(0)

    def close_reader(self) -> None:
        """Let go of the highlighter."""
        if self._highlighter is not None:
            self._highlighter.close()
            self._highlighter = None

    def _show(self, at: int) -> None:
        self.close_reader()
        if not 0 <= at < len(self._files):
            self.note.setText("There is no file.")
            return
        file = self._files[at]
        whole = file.content.decode("utf-8-sig", "replace").replace("\r\n", "\n")
        text, notes = _shown(whole)
        self.text.setPlainText(text)
        if not file.digest:
            notes.append("The file cannot be read.")
        if len(file.content) <= _MOST:
            self._highlighter = Highlighter(
                self.text.document(), file.language, self._theme, self.text
            )
        self.note.setText(" ".join(notes))
        self.note.setVisible(bool(notes))

    def _take_face(self) -> None:
        self.text.setFont(self._theme.mono(12))


def _shown(whole: str) -> tuple[str, list[str]]:
    """Return a text with what hides or turns letters written out, and what is said of it."""
    notes = []
    if len(whole) > _MOST:
        whole = whole[:_MOST]
        notes.append(f"The first {_MOST:,} characters are shown.")
    lines = whole.split("\n")
    if any(len(line) > _LONGEST_LINE for line in lines):
        pieces = [
            line[start : start + _LONGEST_LINE]
            for line in lines
            for start in range(0, max(len(line), 1), _LONGEST_LINE)
        ]
        lines = pieces
        notes.append("Long lines are broken.")
    safe = ["\t".join(_plain(part) for part in line.split("\t")) for line in lines]
    if safe != lines:
        notes.append("Characters that hide or turn letters are written out.")
    return "\n".join(safe), notes


def _plain(text: str) -> str:
    return text if text.isascii() and text.isprintable() else shown_name(text, len(text) * 12 + 9)
