"""`MarkPainter`: draws what `Marks` has under and over the text of an editor."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QTextCursor

from studio_qt.ui.editors.indents import leading
from studio_qt.ui.editors.marks import Marks
from studio_qt.ui.editors.painting import Row, boxes, draw_box, draw_wave
from studio_qt.ui.theme.theme import Theme

__all__ = ["MarkPainter"]

_NOTE_GAP, _NOTE_WIDEST = 24.0, 2_000.0
_SEVERITIES = {"error": "err", "warning": "warn"}


class MarkPainter:
    """`rows` are the lines to be painted; `cursor` is that of the editor."""

    def __init__(self, theme: Theme, marks: Marks) -> None:
        self._theme, self._marks = theme, marks

    def paint_under(self, painter: QPainter, rows: Iterable[Row]) -> None:
        """Draw plates behind matches and brackets."""
        fill, line = self._theme.colour("amberbg"), self._theme.colour("warnfill")
        for row in rows:
            for start, end in self._marks.matches_in(row.block):
                for box in boxes(row, start, end):
                    draw_box(painter, box, fill, line)
            if self._marks.brackets is not None:
                self._paint_brackets(painter, row, self._marks.brackets)

    def paint_over(
        self, painter: QPainter, rows: Iterable[Row], cursor: QTextCursor, *, focused: bool
    ) -> None:
        """Draw waves below problems and words, and a ring around the match that is selected.

        Overridden lines are struck out, and what counts instead stands beside them.
        """
        shadowed = self._marks.shadowed
        problems = {mark.line: mark.problem for mark in reversed(self._marks.problems)}
        for row in rows:
            text = row.block.text()
            if (note := shadowed.get(row.block.blockNumber())) is not None:
                self._paint_shadowed(painter, row, text, note)
            if (problem := problems.get(row.block.blockNumber())) is not None and text.strip():
                colour = self._theme.colour(_SEVERITIES[problem.severity])
                for box in boxes(row, len(leading(text)), row.block.length() - 1):
                    draw_wave(painter, box, colour)
            self._paint_spelling(painter, row, text, cursor, focused=focused)
            if self._marks.matches and cursor.hasSelection():
                self._paint_current(painter, row, cursor)

    def _paint_shadowed(self, painter: QPainter, row: Row, text: str, note: str) -> None:
        """Strike a line out, and write behind it what counts instead."""
        found = list(boxes(row, len(leading(text)), row.block.length() - 1))
        painter.setPen(QPen(self._theme.colour("fg2"), 1.2))
        for box in found:
            middle = box.top() + box.height() * 0.55
            painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))
        if found and note:
            last = found[-1]
            painter.setPen(self._theme.colour("warn"))
            painter.setFont(self._theme.font(12))
            left = last.right() + _NOTE_GAP
            place = QRectF(left, last.top(), _NOTE_WIDEST, last.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, f"‹  {note}")

    def _paint_current(self, painter: QPainter, row: Row, cursor: QTextCursor) -> None:
        at = row.block.position()
        chosen = cursor.selectionStart() - at, cursor.selectionEnd() - at
        if chosen in self._marks.matches_in(row.block):
            for box in boxes(row, *chosen):
                draw_box(painter, box, None, self._theme.colour("accent2"), 2)

    def _paint_brackets(self, painter: QPainter, row: Row, pair: tuple[int, int | None]) -> None:
        first, second = pair
        colour = self._theme.colour("err" if second is None else "accent2")
        fill = self._theme.colour("violetbg") if second is not None else None
        for place in (first, second):
            if place is not None and row.block.contains(place):
                at = place - row.block.position()
                for box in boxes(row, at, at + 1):
                    draw_box(painter, box, fill, colour)

    def _paint_spelling(
        self, painter: QPainter, row: Row, text: str, cursor: QTextCursor, *, focused: bool
    ) -> None:
        """Underline misspelt words, but not the one that is being written."""
        typing = cursor.position() - row.block.position()
        for start, end in self._marks.wrong_words.get(text, ()):
            if typing != end or not focused:
                for box in boxes(row, start, end):
                    draw_wave(painter, box, self._theme.colour("info"))
