"""`Words`: a line of words in several looks, wrapped, and never read as anything but letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QPainter,
    QPaintEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio_qt.ui.theme.theme import Theme

__all__ = ["Part", "Words", "joined"]

_LEAST = 120
_BREAK = "\u2028"
"""Ends a line inside of a paragraph."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of letters: the colour's token, whether it is strong, and in the face of code."""

    text: str
    token: str = "fg2"
    strong: bool = False
    mono: bool = False


def joined(lines: Iterable[Sequence[Part]]) -> list[Part]:
    """Return lines as one run of parts: a widget each would cost much."""
    parts: list[Part] = []
    for line in lines:
        if parts:
            parts.append(Part(_BREAK))
        parts += line
    return parts


class Words(QWidget):
    """Shows parts one after the other; names of a package stand in it letter by letter.

    A label would have to take rich text for that, and a name could then draw itself.
    """

    def __init__(
        self, theme: Theme, parts: Sequence[Part], *, name: str = "", size: int = 12
    ) -> None:
        super().__init__()
        self._theme, self._parts, self._size = theme, tuple(parts), size
        self._layout = QTextLayout()
        self._width = -1
        self.setObjectName(name)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.show_parts(parts)
        theme.changed.connect(self._on_theme)

    @property
    def text(self) -> str:
        """What stands there."""
        return "".join(part.text for part in self._parts)

    def show_parts(self, parts: Sequence[Part]) -> None:
        """Show other words."""
        self._parts = tuple(parts)
        self.setAccessibleName(self.text.replace(_BREAK, ". "))
        self._on_theme()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._lay(max(width, 1))

    def sizeHint(self) -> QSize:
        width = self.width() if self.width() > _LEAST else _LEAST * 3
        return QSize(width, self._lay(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST, self._theme.scaled(self._size) + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        self._lay(self.width())
        painter = QPainter(self)
        self._layout.draw(painter, QPointF(0, 0))

    def _on_theme(self) -> None:
        self._set()
        self._width = -1
        self.updateGeometry()
        self.update()

    def _lay(self, width: int) -> int:
        """Break the words into lines of a width; returns their height."""
        if width != self._width:
            self._width = width
            self._break(width)
        return round(self._layout.boundingRect().height()) + 2

    def _set(self) -> None:
        """Take the letters with their looks, which costs more than breaking them into lines."""
        layout = self._layout
        layout.clearLayout()
        layout.setText(self.text)
        layout.setFont(self._theme.font(self._size))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        layout.setTextOption(option)
        layout.setFormats(self._formats())
        layout.setCacheEnabled(True)

    def _break(self, width: int) -> None:
        layout = self._layout
        layout.beginLayout()
        top = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, top))
            top += line.height() + 3
        layout.endLayout()

    def _formats(self) -> list[QTextLayout.FormatRange]:
        ranges = []
        start = 0
        for part in self._parts:
            weight = QFont.Weight.DemiBold if part.strong else QFont.Weight.Normal
            face = self._theme.mono if part.mono else self._theme.font
            look = QTextCharFormat()
            look.setFont(face(self._size, weight))
            look.setForeground(self._theme.colour(part.token))
            one = QTextLayout.FormatRange()
            one.start = start
            one.length = len(part.text.encode("utf-16-le")) // 2
            one.format = look
            start += len(part.text.encode("utf-16-le")) // 2
            ranges.append(one)
        return ranges
