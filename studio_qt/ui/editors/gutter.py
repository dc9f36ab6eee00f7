"""`Gutter`: line numbers and what each line has: a problem, unsaved text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio_qt.errors import Problem
from studio_qt.ui.editors.marks import Marks
from studio_qt.ui.editors.painting import Row
from studio_qt.ui.theme.icons import make_pixmap
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.rowpictures import RowPictures

__all__ = ["Gutter"]

_LEFT, _GAP, _BAR, _RIGHT = 24, 9, 3, 9
_ICON = 12
_NUMBERS = _LEFT - 4
_GROUND = "bg2"
_AT_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LOOKS = {"error": ("alert", "err"), "warning": ("warning", "warn")}

Rows = Callable[[QRectF], Iterator[Row]]


class Gutter(QWidget):
    """Left of the text; as wide as the longest number needs.

    `rows` yields the lines of the document that are on the screen. In the line with the cursor a
    bulb stands for a problem that can be mended; a click on such a line's sign is `mend_wanted`,
    which carries the line, counted from 0.
    """

    mend_wanted = Signal(int)

    def __init__(self, theme: Theme, marks: Marks, rows: Rows, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._marks, self._rows = theme, marks, rows
        self._current = 0
        self._digits = 2
        self._pictures = RowPictures(theme, self)
        self.setAccessibleName("Line numbers")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # nothing is painted below it

    def fit(self, lines: int) -> int:
        """Make room for the numbers up to `lines`; returns the width in pixels."""
        self._digits = max(2, len(str(lines)))
        numbers = self._digits * QFontMetricsF(self.font()).horizontalAdvance("0")
        return round(_LEFT + numbers + _GAP + _BAR + _RIGHT)

    def set_current(self, line: int) -> None:
        """Take the line that has the cursor, counted from 0."""
        self._current = line

    def sizeHint(self) -> QSize:
        return QSize(self.width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.colour(_GROUND))
        painter.setFont(self.font())
        problems: dict[int, list[Problem]] = {}
        for mark in self._marks.problems:
            problems.setdefault(mark.line, []).append(mark.problem)
        for row in self._rows(QRectF(event.rect())):
            number = row.block.blockNumber()
            self._paint_row(painter, row, number, problems.get(number, ()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        if place.x() <= _LEFT and event.button() == Qt.MouseButton.LeftButton:
            for row in self._rows(QRectF(0, place.y(), 1, 1)):
                if self._marks.problems_at(row.block.blockNumber()):
                    self.mend_wanted.emit(row.block.blockNumber())
                    return
        super().mousePressEvent(event)

    def _paint_row(
        self, painter: QPainter, row: Row, number: int, problems: Sequence[Problem]
    ) -> None:
        layout = row.block.layout()
        height = layout.lineAt(0).height() if layout.lineCount() else row.height
        token = "fg" if number == self._current else "fg3"
        if problems:
            first = next((one for one in problems if one.severity == "error"), problems[0])
            icon, token = _LOOKS[first.severity]
            if number == self._current and any(one.fault is not None for one in problems):
                icon = "bulb"
            picture = make_pixmap(icon, self._theme.tokens[token], _ICON, self.devicePixelRatioF())
            painter.drawPixmap(6, round(row.top + (height - _ICON) / 2), picture)
        if row.top == int(row.top) and height == int(height):
            place = QRect(_NUMBERS, int(row.top), self._number_end - _NUMBERS, int(height))
            self._pictures.draw(
                painter, place, (number, token), _GROUND,
                lambda drawn: self._paint_number(drawn, QRectF(place), number, token),
            )  # fmt: skip
        else:
            place_f = QRectF(0, row.top, self._number_end, height)
            self._paint_number(painter, place_f, number, token)
        self._paint_bar(painter, row, number)

    def _paint_number(self, painter: QPainter, place: QRectF, number: int, token: str) -> None:
        painter.setFont(self.font())
        painter.setPen(self._theme.colour(token))
        painter.drawText(place, _AT_RIGHT, str(number + 1))

    @property
    def _number_end(self) -> int:
        return self.width() - _RIGHT - _BAR - _GAP

    def _paint_bar(self, painter: QPainter, row: Row, number: int) -> None:
        left = self.width() - _RIGHT - _BAR
        match self._marks.change_at(number):
            case "changed":
                bar = QRectF(left, row.top, _BAR, row.height)
            case "gone":
                bar = QRectF(left, row.top - 1, _BAR + 5, 2)
            case _:
                return
        painter.fillRect(bar, self._theme.colour("okfill"))

    def set_face(self, font: QFont) -> None:
        """Take the face of the editor."""
        self.setFont(font)
        self._pictures.clear()
        self.update()
