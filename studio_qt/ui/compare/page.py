"""`ComparePage`: two texts side by side, what differs in them, and what to do about it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextDocument
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextDocumentLayout,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from studio_qt.ui.actions import Place
from studio_qt.ui.compare.overview import Overview
from studio_qt.ui.compare.pane import ComparePane, Side
from studio_qt.ui.compare.rows import Comparison, columns, compare_texts
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.plain import fill_slowly
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton, label, text_button
from studio_qt.ui.widgets.inputs import Pill

__all__ = ["Choice", "ComparePage"]

_HEAD = 400
"""Pixels that the head needs beside its choices."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A button of a comparison: its name, its words, and whether it is the one to press."""

    name: str
    text: str
    primary: bool = False


class ComparePage(QWidget):
    """Shows two texts with aligned lines; they scroll together.

    `chosen` carries the name of a `Choice` that was pressed, `closed` follows the cross and Escape.
    One of them has the actions of the window; others are made without (`acts`).
    """

    chosen = Signal(str)
    closed = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None, *, acts: bool = True) -> None:
        super().__init__(parent)
        self._desk = desk
        self._acts = acts
        self._comparison = Comparison((), (), 0, 0)
        self._at = -1
        self._turn = 0
        self._shown = 0
        self._texts: tuple[QTextDocument, ...] = ()
        self.setObjectName("comparePage")
        self.setAccessibleName("Comparison")
        self._title = ElidedLabel("", "title")
        self._removed = Pill("", "err", "compareRemoved")
        self._added = Pill("", "ok", "compareAdded")
        self._count = label("", "second", name="compareCount")
        self._buttons = QHBoxLayout()
        self._bar = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self.left = ComparePane(desk.theme, "left", "compareLeft")
        self.right = ComparePane(desk.theme, "right", "compareRight")
        self._heads: dict[Side, QLabel] = {}
        self._overview = Overview(desk.theme)
        theme = desk.theme
        self._back = IconButton(theme, "chevron-up", "Previous difference", name="comparePrevious")
        self._on = IconButton(theme, "chevron-down", "Next difference", name="compareNext")
        self._close = IconButton(theme, "close", "Close the comparison", name="compareClose")
        self._build()
        self._connect()
        self._take_face()

    @property
    def settled(self) -> bool:
        """Whether what was asked for last is shown."""
        return self._shown == self._turn

    @property
    def comparison(self) -> Comparison:
        """What is shown."""
        return self._comparison

    @property
    def current(self) -> int:
        """Which difference is looked at, counted from 0; -1 for none."""
        return self._at

    def show_texts(
        self,
        title: str,
        left_title: str,
        left: str,
        right_title: str,
        right: str,
        choices: Sequence[Choice] = (),
    ) -> None:
        """Compare two texts and show them, the older one at the left.

        The comparison runs on another thread; a later call overtakes an earlier one.
        """
        self._turn += 1
        self._title.set_whole(title)
        self._heads["left"].setText(left_title)
        self._heads["right"].setText(right_title)
        self.left.setAccessibleName(left_title)
        self.right.setAccessibleName(right_title)
        self._count.setText("Comparing…")
        for part in (self._removed, self._added):
            part.hide()
        self._show_choices(choices)
        self._desk.tasks.start(self._compare(self._turn, left, right), name="compare")

    def go(self, step: int) -> None:
        """Go to the next (1) or the previous (-1) difference; at the end it begins anew."""
        if changes := self._comparison.changes:
            start = -1 if step > 0 else 0
            self._look_at(((self._at if self._at >= 0 else start) + step) % len(changes))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_head()
        self._fit_bars()

    async def _compare(self, turn: int, left: str, right: str) -> None:
        found = await asyncio.to_thread(compare_texts, left, right)
        sides = await asyncio.to_thread(columns, found)
        if not isValid(self):
            return  # it stood in a dialog that was closed meanwhile
        documents = []
        for side in sides:
            document = QTextDocument(self)
            document.setDocumentLayout(QPlainTextDocumentLayout(document))
            await fill_slowly(document, side.text)
            if not isValid(self):
                return
            documents.append(document)
        if turn != self._turn:
            for document in documents:
                document.deleteLater()
            return
        before, self._texts = self._texts, tuple(documents)
        for pane, side, document in zip((self.left, self.right), sides, documents, strict=True):
            pane.show_column(side, document)
            await asyncio.sleep(0)  # each takes some milliseconds
            if not isValid(self):
                return
        for document in before:
            document.deleteLater()
        if turn == self._turn:
            self._show(found)

    def _show(self, found: Comparison) -> None:
        self._comparison, self._at = found, -1
        self._overview.show_comparison(found)
        self._removed.setText(f"−{found.removed:,}")
        self._removed.setAccessibleName(f"{found.removed:,} lines are only at the left")
        self._added.setText(f"+{found.added:,}")
        self._added.setAccessibleName(f"{found.added:,} lines are only at the right")
        for part in (self._removed, self._added):
            part.setVisible(bool(found.changes))
        for button in (self._back, self._on):
            button.setEnabled(bool(found.changes))
        self._fit_bars()
        self._shown = self._turn
        self._tell_place()
        if found.changes:
            self._look_at(0)

    def _look_at(self, index: int) -> None:
        self._at = index
        rows = self._comparison.changes[index]
        for pane in (self.left, self.right):
            pane.show_current(rows)
        visible = self.left.viewport().height() // max(1, self.left.fontMetrics().lineSpacing())
        room = max(2, (visible - len(rows)) // 3)
        self.left.verticalScrollBar().setValue(rows.start - room)
        for pane in (self.left, self.right):
            cursor = pane.textCursor()
            cursor.setPosition(pane.document().findBlockByNumber(rows.start).position())
            value = pane.verticalScrollBar().value()
            pane.setTextCursor(cursor)
            pane.verticalScrollBar().setValue(value)
        self._tell_place()

    def _tell_place(self) -> None:
        count = len(self._comparison.changes)
        if not count:
            self._count.setText("The two texts are the same.")
        elif self._at < 0:
            self._count.setText(f"{count} differences" if count > 1 else "1 difference")
        else:
            self._count.setText(f"{self._at + 1} of {count}")

    def _show_choices(self, choices: Sequence[Choice]) -> None:
        while (item := self._buttons.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for choice in choices:
            kind = "primary" if choice.primary else "plain"
            name = f"compare{choice.name[:1].upper()}{choice.name[1:]}"
            button = text_button(choice.text, name, kind)
            button.clicked.connect(partial(self.chosen.emit, choice.name))
            self._buttons.addWidget(button)
        self._order()
        self._fit_head()

    def _order(self) -> None:
        """Let Tab go through the head from left to right, then through the texts."""
        items = [self._buttons.itemAt(at) for at in range(self._buttons.count())]
        made = [item.widget() for item in items if item is not None]
        chain = [self._back, self._on, *filter(None, made), self._close, self.left, self.right]
        for before, after in pairwise(chain):
            QWidget.setTabOrder(before, after)

    def _fit_head(self) -> None:
        """Stand the choices below the title where there is no room beside it."""
        asked = self._buttons.sizeHint().width()
        narrow = asked > 0 and self.width() < asked + self._desk.theme.scaled(_HEAD)
        way = QBoxLayout.Direction
        self._bar.setDirection(way.TopToBottom if narrow else way.LeftToRight)

    def _fit_bars(self) -> None:
        """Let both sides scroll sideways as far as the longest line of both asks for."""
        panes = self.left, self.right
        room = min(pane.viewport().width() for pane in panes)
        more = max(0, max(pane.longest for pane in panes) - room)
        policy = Qt.ScrollBarPolicy
        for pane in panes:
            pane.setHorizontalScrollBarPolicy(
                policy.ScrollBarAlwaysOn if more else policy.ScrollBarAlwaysOff
            )
            if pane.horizontalScrollBar().maximum() != more:
                pane.horizontalScrollBar().setMaximum(more)

    def _take_face(self) -> None:
        chosen = self._desk.preferences.window
        for pane in (self.left, self.right):
            pane.set_face(chosen.editor_face, chosen.editor_size, chosen.tab_width)
        self._fit_bars()

    def _connect(self) -> None:
        self._close.clicked.connect(self.closed)
        self._back.clicked.connect(partial(self.go, -1))
        self._on.clicked.connect(partial(self.go, 1))
        self._desk.preferences.changed.connect(self._take_face)
        left, right = self.left, self.right
        for one, other in ((left, right), (right, left)):
            one.verticalScrollBar().valueChanged.connect(other.verticalScrollBar().setValue)
            one.horizontalScrollBar().valueChanged.connect(other.horizontalScrollBar().setValue)
            one.horizontalScrollBar().rangeChanged.connect(self._fit_bars)
        self._overview.row_wanted.connect(left.verticalScrollBar().setValue)
        if self._acts:
            self._add_actions()

    def _add_actions(self) -> None:
        add, place = self._desk.actions.add, Place("Edit", 6)
        add(
            "nextDifference",
            "Next &difference",
            partial(self.go, 1),
            place=place,
            keys="F7",
            owner=self,
        )
        add(
            "previousDifference",
            "Pre&vious difference",
            partial(self.go, -1),
            place=place,
            keys="Shift+F7",
            owner=self,
        )

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head())
        panes = QHBoxLayout()
        panes.setContentsMargins(20, 16, 12, 20)
        panes.setSpacing(12)
        panes.addWidget(self._framed("left", self.left), 1)
        panes.addWidget(self._framed("right", self.right), 1)
        panes.addWidget(self._overview)
        column.addLayout(panes, 1)

    def _head(self) -> QWidget:
        head = QFrame()
        head.setObjectName("compareHead")
        outer = QHBoxLayout(head)
        outer.setContentsMargins(20, 10, 12, 10)
        outer.setSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._title, 1)
        row.addWidget(self._removed)
        row.addWidget(self._added)
        row.addSpacing(8)
        row.addWidget(self._count)
        row.addWidget(self._back)
        row.addWidget(self._on)
        self._buttons.setSpacing(8)
        self._bar.setSpacing(8)
        self._bar.addLayout(row, 1)
        self._bar.addLayout(self._buttons)
        outer.addLayout(self._bar, 1)
        outer.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        return head

    def _framed(self, side: Side, pane: ComparePane) -> QFrame:
        frame = QFrame()
        frame.setObjectName("compareFrame")
        column = QVBoxLayout(frame)
        column.setContentsMargins(2, 0, 2, 2)  # room for the ring
        column.setSpacing(0)
        head = label("", "section", name=f"compare{side.capitalize()}Title")
        head.setContentsMargins(14, 10, 16, 10)
        self._heads[side] = head
        column.addWidget(head)
        column.addWidget(pane, 1)

        def ring(focused: bool) -> None:  # noqa: FBT001 - a slot
            frame.setProperty("ring", focused)
            frame.style().polish(frame)

        pane.focused.connect(ring)
        return frame
