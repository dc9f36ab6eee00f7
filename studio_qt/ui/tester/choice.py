"""`CallList`: what can be called, by agent, and the last calls below it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio_qt.engine.offers import Offer
from studio_qt.ui.tester.recent import Made
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label
from studio_qt.ui.widgets.inputs import SearchField
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["CallList"]

_OfferRole = Qt.ItemDataRole.UserRole + 1
_ENDS = {"ok": ("check", "ok"), "error": ("alert", "err"), "stopped": ("stopped", "warn")}


class CallList(QWidget):
    """`chosen` carries an `Offer`, `taken` the `Made` call that is to be filled in again.

    `repeat_wanted` carries one that is to be made again at once (Enter, double click).
    """

    chosen = Signal(object)
    taken = Signal(object)
    repeat_wanted = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._offers: Sequence[Offer] = ()
        self._made: Sequence[Made] = ()
        self.search = SearchField(theme, "Find a tool or command", "testerSearch")
        self.tree = _Tree()
        self.recent = _Recent()
        self._empty = label(
            "Calls that you make are listed here, to be made again.", "second", wrap=True
        )
        self._build()
        self.search.textChanged.connect(lambda _text: self._fill())
        self.search.down_wanted.connect(self.tree.setFocus)
        self.tree.currentItemChanged.connect(self._on_current)
        self.recent.itemClicked.connect(lambda item: self._tell(item, self.taken))
        self.recent.repeat.connect(lambda item: self._tell(item, self.repeat_wanted))
        theme.changed.connect(self._redraw)

    @property
    def offer(self) -> Offer | None:
        """What is chosen."""
        item = self.tree.currentItem()
        found = item.data(0, _OfferRole) if item is not None else None
        return found if isinstance(found, Offer) else None

    def show_offers(self, offers: Sequence[Offer]) -> None:
        """List these; the chosen one stays chosen."""
        if list(offers) != list(self._offers):
            self._offers = offers
            self._fill()

    def choose(self, kind: str, agent_id: str, name: str) -> bool:
        """Choose by name; whether there is such a one."""
        for item in self._leaves():
            offer = item.data(0, _OfferRole)
            if (offer.kind, offer.agent_id, offer.name) == (kind, agent_id, name):
                self.tree.setCurrentItem(item)
                return True
        return False

    def show_recent(self, made: Sequence[Made]) -> None:
        """List calls, the newest first."""
        self._made = made
        self.recent.clear()
        for one in made:
            item = QListWidgetItem(one.call.words[:200])
            icon, token = _ENDS.get(one.ending, _ENDS["ok"])
            item.setIcon(self._theme.icon(icon, token, self._theme.scaled(14)))
            clock = time.strftime("%H:%M:%S", time.localtime(one.when))
            tip = f"{one.call.agent_id}, {clock}, {one.seconds * 1000:.0f} ms"
            item.setToolTip(plain_tip(tip))
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, f"{one.call.words[:200]}, {one.ending}, {tip}"
            )
            self.recent.addItem(item)
        self.recent.setVisible(bool(made))
        self._empty.setVisible(not made)

    def _build(self) -> None:
        for view, name, words in (
            (self.tree, "testerTools", "Tools and commands by agent"),
            (self.recent, "testerRecent", "The last calls"),
        ):
            view.setObjectName(name)
            view.setAccessibleName(words)
            view.setFrameShape(QFrame.Shape.NoFrame)
            view.setIconSize(QSize(14, 14))
            view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.setHeaderHidden(True)
        self.tree.setIndentation(14)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 8)
        column.setSpacing(8)
        column.addWidget(label("Tools and commands", "name"))
        column.addWidget(self.search)
        column.addWidget(self.tree, 3)
        column.addWidget(label("Last calls", "name"))
        column.addWidget(self._empty)
        column.addWidget(self.recent, 2)
        self.show_recent(())

    def _fill(self) -> None:
        kept, wanted = self.offer, self.search.text().casefold()
        self.tree.blockSignals(True)
        self.tree.clear()
        groups: dict[str, QTreeWidgetItem] = {}
        for offer in self._offers:
            words = f"{offer.name} {offer.agent_id} {offer.description}".casefold()
            if wanted not in words:
                continue
            if offer.agent_id not in groups:
                groups[offer.agent_id] = self._group(offer.agent_id)
            groups[offer.agent_id].addChild(self._leaf(offer))
        self.tree.addTopLevelItems(list(groups.values()))
        self.tree.expandAll()
        self.tree.blockSignals(False)
        if kept is None or not self.choose(kept.kind, kept.agent_id, kept.name):
            first = next(self._leaves(), None)
            if first is not None:
                self.tree.setCurrentItem(first)
        self._on_current()

    def _group(self, agent_id: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([agent_id])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        item.setToolTip(0, plain_tip(agent_id))
        return item

    def _leaf(self, offer: Offer) -> QTreeWidgetItem:
        item = QTreeWidgetItem([offer.name])
        item.setData(0, _OfferRole, offer)
        item.setToolTip(0, plain_tip(offer.refused or offer.name))
        spoken = f"{offer.kind} {offer.name} of {offer.agent_id}"
        if offer.refused:
            spoken += ", cannot be called by hand"
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, spoken)
        self._draw(item, offer)
        return item

    def _draw(self, item: QTreeWidgetItem, offer: Offer) -> None:
        icon, token = ("bolt", "warn") if offer.kind == "tool" else ("at", "accent2")
        if offer.refused:
            icon, token = "lock", "fg3"
            item.setForeground(0, self._theme.colour("fg3"))
        item.setIcon(0, self._theme.icon(icon, token, self._theme.scaled(14)))

    def _redraw(self) -> None:
        for item in self._leaves():
            self._draw(item, item.data(0, _OfferRole))
        self.show_recent(self._made)

    def _leaves(self) -> Iterator[QTreeWidgetItem]:
        for at in range(self.tree.topLevelItemCount()):
            group = self.tree.topLevelItem(at)
            for row in range(group.childCount() if group is not None else 0):
                leaf = group.child(row) if group is not None else None
                if leaf is not None:
                    yield leaf

    def _on_current(self) -> None:
        self.chosen.emit(self.offer)

    def _tell(self, item: QListWidgetItem, signal: SignalInstance) -> None:
        at = self.recent.row(item)
        if 0 <= at < len(self._made):
            signal.emit(self._made[at])


class _Tree(QTreeWidget):
    """Keeps its current row in sight."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.scrollTo(self.currentIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scrollTo(self.currentIndex())


class _Recent(QListWidget):
    """`repeat` carries the item that is to be done again."""

    repeat = Signal(QListWidgetItem)

    def __init__(self) -> None:
        super().__init__()
        self.itemDoubleClicked.connect(self.repeat)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self.repeat.emit(item)
        else:
            super().keyPressEvent(event)
