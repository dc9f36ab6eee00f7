"""`Timeline`: the changes of a store as marks over the turns, with a knob that chooses one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QToolTip

from studio_qt.engine.store_history import StoreChange
from studio_qt.ui.stores.telling import change_words, sign_of_change, turn_tip, turn_words
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["Timeline"]

_TONES = {"+": "okfill", "−": "err", "±": "warnfill"}
_EDGE = 20
"""Pixels at both ends of the line, for a number and the knob."""

_TURN = 44
"""Pixels that a turn has at least; turns that have no room are reached by the keys."""

_BARS, _LINE, _KNOB = 20, 3, 6
_PAGE = 10
_AT_TOP = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)


class Timeline(QAbstractSlider):
    """A slider whose values are the changes, the oldest first; the last value is now.

    The keys go from change to change, a press goes to the last change at that turn or before it.
    """

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._changes: Sequence[StoreChange] = ()
        self._turns: dict[int, list[StoreChange]] = {}
        self._last = self._first = 0
        self.setObjectName(name)
        self.setAccessibleName("Changes of this store, turn by turn")
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setPageStep(_PAGE)
        self.valueChanged.connect(self._on_value)
        theme.changed.connect(self._dress)
        self._dress()
        self.show_changes((), 0)

    @property
    def changes(self) -> Sequence[StoreChange]:
        """What is shown, the oldest first."""
        return self._changes

    @property
    def change(self) -> StoreChange | None:
        """The change at the knob; None is now."""
        at = self.value()
        return self._changes[at] if at < len(self._changes) else None

    @property
    def turn(self) -> int:
        """The turn at the knob."""
        return self._last if self.change is None else self.change.turn

    @property
    def last_turn(self) -> int:
        """The last turn of the conversation."""
        return self._last

    def show_changes(self, changes: Sequence[StoreChange], last_turn: int) -> None:
        """Show changes, the oldest first; the knob stays at its change, or at now."""
        line = self.change.line if self.change is not None else -1
        self._changes = changes
        turns = defaultdict(list)
        for change in changes:
            turns[change.turn].append(change)
        self._turns = dict(turns)
        self._last = max([last_turn, *turns])
        place = next((at for at, one in enumerate(changes) if one.line == line), len(changes))
        blocked = self.blockSignals(True)
        self.setRange(0, len(changes))
        self.setValue(place)
        self.blockSignals(blocked)
        self.setEnabled(bool(changes))
        if line >= 0 and place == len(changes):
            self.valueChanged.emit(place)  # what was chosen is gone
        self._on_value()

    def choose(self, change: StoreChange | None) -> None:
        """Go to a change that is shown; None is now."""
        known = change is not None and change in self._changes
        self.setValue(self._changes.index(change) if change and known else len(self._changes))

    def place_of(self, turn: int) -> QPointF:
        """Return where a turn is on the line; turns that are not in view are beyond its ends."""
        left, right = self._ends()
        share = (turn - self._first) / max(1, self._shown() - 1)
        return QPointF(left + share * (right - left), self._middle())

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(400, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bring_into_view()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._go_to(event.position().x())
            event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go_to(event.position().x())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            turn = self._turn_at(event.pos().x())
            tip = turn_tip(turn, self._turns.get(turn, ()))
            QToolTip.showText(event.globalPos(), plain_tip(tip), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        turns = range(self._first, self._first + self._shown())
        self._paint_line(painter)
        for turn in turns:
            if changes := self._turns.get(turn):
                self._paint_bar(painter, turn, changes)
        self._paint_numbers(painter, turns)
        if self.isEnabled():
            self._paint_knob(painter)
        painter.end()

    # Painting

    def _paint_line(self, painter: QPainter) -> None:
        (left, right), middle, thick = self._ends(), self._middle(), self._theme.scaled(_LINE)
        knob = min(max(self.place_of(self.turn).x(), left), right)
        painter.setPen(Qt.PenStyle.NoPen)
        for start, end, token in ((left, right, "line2"), (left, knob, "accent")):
            if token == "line2" or self.isEnabled():
                painter.setBrush(self._theme.colour(token))
                box = QRectF(start, middle - thick / 2, end - start, thick)
                painter.drawRoundedRect(box, thick / 2, thick / 2)

    def _paint_bar(self, painter: QPainter, turn: int, changes: Sequence[StoreChange]) -> None:
        scaled, place = self._theme.scaled, self.place_of(turn)
        signs = {sign_of_change(change) for change in changes}
        extent = sum(change.inserted + change.removed for change in changes)
        height = scaled(5 + min(13, round(3.2 * math.log10(1 + extent))))
        wide = scaled(5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour(_TONES[signs.pop() if len(signs) == 1 else "±"]))
        bottom = place.y() - scaled(_KNOB) - 1
        painter.drawRoundedRect(QRectF(place.x() - wide / 2, bottom - height, wide, height), 1, 1)

    def _paint_numbers(self, painter: QPainter, turns: range) -> None:
        top = round(self._middle()) + self._theme.scaled(_KNOB) + 3
        for turn in turns:
            chosen = turn == self.turn and self.isEnabled()
            font = self._theme.font(11, QFont.Weight.DemiBold if chosen else QFont.Weight.Normal)
            painter.setFont(font)
            painter.setPen(self._theme.colour("fg" if chosen else "fg3"))
            words, place = f"{turn:,}" if turn else "start", self.place_of(turn)
            wide = QFontMetrics(font).horizontalAdvance(words)
            left = min(max(0.0, place.x() - wide / 2), self.width() - wide)
            box = QRectF(left, top, wide + 2, self.height() - top)
            painter.drawText(
                box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop), words
            )

    def _paint_knob(self, painter: QPainter) -> None:
        place, size = self.place_of(self.turn), self._theme.scaled(_KNOB)
        painter.setBrush(self._theme.colour("bg1"))
        painter.setPen(QPen(self._theme.colour("accent2"), 2))
        painter.drawEllipse(place, size - 1, size - 1)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("ring"), 2))
            painter.drawEllipse(place, size + 3, size + 3)

    # Places

    def _ends(self) -> tuple[float, float]:
        edge = self._theme.scaled(_EDGE)
        return float(edge), float(max(edge + 1, self.width() - edge))

    def _middle(self) -> float:
        scaled = self._theme.scaled
        return float(scaled(_BARS) + scaled(_KNOB) + 1)

    def _height(self) -> int:
        number = QFontMetrics(self._theme.font(11)).height()
        return round(self._middle()) + self._theme.scaled(_KNOB) + 4 + number

    def _shown(self) -> int:
        """Return how many turns have room; the beginning is one."""
        left, right = self._ends()
        room = 1 + int((right - left) // self._theme.scaled(_TURN))
        return max(2, min(room, self._last + 1))

    def _turn_at(self, x: float) -> int:
        left, right = self._ends()
        share = (x - left) / (right - left) * (self._shown() - 1)
        return min(max(0, self._first + round(share)), max(self._last, 1))

    def _go_to(self, x: float) -> None:
        """Go to the last change of a turn, or what the store was then; the end is now."""
        turn = self._turn_at(x)
        before = [at for at, change in enumerate(self._changes) if change.turn <= turn]
        last = bool(before) and before[-1] == len(self._changes) - 1
        if last and turn >= self._last and self._changes[-1].turn < turn:
            self.setValue(len(self._changes))
        elif before:
            self.setValue(before[-1])

    def _bring_into_view(self) -> None:
        shown = self._shown()
        most = max(0, self._last + 1 - shown)
        first = min(self._first, most) if self.change is not None else most
        if self.turn < first or self.turn >= first + shown:
            first = self.turn - shown // 2
        self._first = min(max(0, first), most)
        self.update()

    def _on_value(self) -> None:
        change = self.change
        words = "now" if change is None else f"{turn_words(change)}, {change_words(change)}"
        self.setAccessibleDescription(words)
        self._bring_into_view()

    def _dress(self) -> None:
        self.setFixedHeight(self._height())
        self.update()
