"""`HelpCard`: sentences about a word, and the problems of its line, beside the text."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio_qt.errors import Problem
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.announcing import announce
from studio_qt.ui.widgets.basics import IconView, label

__all__ = ["HelpCard", "place_near"]

_WIDEST = 400
_LEAST = 120
_EDGE = 8
_GAP = 4
_JOINED = "\u2060"
"""Keeps a line from ending there."""
_CODE = re.compile(r"`([^`]+)`")
_LOOKS = {"error": ("alert", "err"), "warning": ("warning", "warn")}
_MOST_PROBLEMS = 4


class HelpCard(QFrame):
    """Lies over the window and never takes the keys.

    `text` has paragraphs between blank lines, and code between backticks.
    """

    def __init__(self, theme: Theme, over: QWidget, name: str = "helpCard") -> None:
        super().__init__(over)
        self._theme = theme
        self._rows: list[QWidget] = []
        self._plain = ""
        self._said: tuple[str, str, tuple[Problem, ...], str] = ("", "", (), "")
        self.setObjectName(name)
        self.setProperty("role", "popup")
        self.setAccessibleName("Help")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 10, 12, 10)
        self._column.setSpacing(6)
        self._head = label("", "", name=f"{name}Head", wrap=True)
        self._words = QLabel()
        self._words.setObjectName(f"{name}Text")
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._words.setWordWrap(True)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self._foot = label("", "quiet", name=f"{name}Foot", wrap=True)
        for part in (self._head, self._words, self._foot):
            self._column.addWidget(part)
        theme.changed.connect(self._dress)
        self.hide()

    @property
    def spoken(self) -> str:
        """All that it says."""
        parts = [row.accessibleName() for row in self._rows]
        parts += [self._head.text(), self._plain, self._foot.text()]
        return "\n".join(part for part in parts if part)

    def fill(
        self, head: str, text: str, *, problems: Sequence[Problem] = (), foot: str = ""
    ) -> None:
        """Take other words; the size follows."""
        self._said = (head, text, tuple(problems), foot)
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._problem(one) for one in problems[:_MOST_PROBLEMS]]
        for number, row in enumerate(self._rows):
            self._column.insertWidget(number, row)
        self._plain = text.replace("`", "")
        self._head.setFont(self._theme.mono(12))
        self._head.setText(head)
        self._words.setText(self._html(text))
        self._foot.setText(foot)
        for part, said in ((self._head, head), (self._words, text), (self._foot, foot)):
            part.setVisible(bool(said))
        self.setAccessibleDescription(self.spoken)
        self._fit()

    def tell(self) -> None:
        """Have it read out."""
        announce(self, self.spoken)

    # Helpers

    def _dress(self) -> None:
        """Write the words anew, in the colours of another theme."""
        head, text, problems, foot = self._said
        self.fill(head, text, problems=problems, foot=foot)

    def _fit(self) -> None:
        widest = self._theme.scaled(_WIDEST)
        document = QTextDocument()
        document.setDefaultFont(self._words.font())
        document.setHtml(self._words.text())
        document.setTextWidth(widest)
        head = self._head.fontMetrics().horizontalAdvance(self._head.text())
        said = [self._foot.fontMetrics().horizontalAdvance(self._foot.text())]
        said += [
            30 + row.fontMetrics().horizontalAdvance(row.accessibleName()) for row in self._rows
        ]
        wide = max(math.ceil(document.idealWidth()), head, *said) + 4
        inner = max(_LEAST, min(widest, wide))
        for part in (self._head, self._words, self._foot):
            part.setFixedWidth(inner)
        self._column.activate()
        self.resize(inner + 24, max(1, self._column.totalHeightForWidth(inner + 24)))

    def _problem(self, problem: Problem) -> QWidget:
        row = QWidget(self)
        row.setAccessibleName(problem.message)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        icon = IconView(self._theme, *_LOOKS[problem.severity], 14)
        line.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(label(problem.message, "", wrap=True, name="helpProblem"), 1)
        return row

    def _html(self, text: str) -> str:
        paragraphs: list[str] = []
        mono = self._theme.mono(12).families()[0]
        style = f"color: {self._theme.tokens['key']}; font-family: '{html.escape(mono)}'"
        for paragraph in text.split("\n\n"):
            said = html.escape(paragraph, quote=False).replace("\n", "<br>")
            said = said.replace("%%", f"%{_JOINED}%")
            said = _CODE.sub(rf'<span style="{style}">\1</span>', said)
            margin = 0 if not paragraphs else 6
            paragraphs.append(f'<p style="margin:{margin}px 0 0 0">{said}</p>')
        return "".join(paragraphs)


def place_near(line: QRect, size: QRect, room: QRect) -> QPoint:
    """Return where something of a size stands below a place, or above where that is too low."""
    top = line.bottom() + _GAP
    if top + size.height() > room.bottom() - _EDGE:
        above = line.top() - _GAP - size.height()
        top = above if above >= room.top() else max(room.top(), room.bottom() - size.height())
    left = min(line.left(), room.right() - _EDGE - size.width())
    return QPoint(max(room.left() + _EDGE, left), top)
