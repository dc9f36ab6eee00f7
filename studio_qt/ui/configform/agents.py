"""`AgentRows`: the entries of `agents` in their order, which a drag or a key changes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QDropEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QTreeWidget, QTreeWidgetItem

from studio_qt.authoring.configform import ListedAgent
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.filekinds import KINDS, kind_of
from studio_qt.ui.widgets.rowpainting import MARGIN, Index, RowDelegate

__all__ = ["AgentRows", "kind_words", "name_words"]

_AGENT = Qt.ItemDataRole.UserRole
_ICON_AT, _TEXT_AT = 16, 40
_WORDS = {
    "builtin": "built-in",
    "code": "code",
    "subagent": "sub-agent",
    "lookup": "looks into a file",
    "instance": "instance",
    "unknown": "no entry",
}


def name_words(agent: ListedAgent) -> str:
    """Return what a row is called."""
    return agent.id or f"Entry {agent.position + 1}"


def kind_words(agent: ListedAgent) -> str:
    """Return what a row says at its right."""
    if agent.kind == "lookup":
        return agent.context_file or "no file yet"
    if agent.kind == "instance":
        return f"of {agent.file}"
    if agent.kind == "subagent" and agent.shared + agent.private:
        return f"sub-agent, {agent.shared + agent.private} grants"
    return _WORDS[agent.kind]


class AgentRows(QTreeWidget):
    """`moved` carries an entry and its new place, `removed` an entry, `chosen` comes for another.

    Alt+Up and Alt+Down move the entry, Delete takes it out.
    """

    moved = Signal(object, int)
    removed = Signal(object)
    chosen = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("configAgents")
        self.setAccessibleName("Agents in their order")
        self.setAccessibleDescription("Alt+Up and Alt+Down move an agent, Delete takes it out.")
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_Rows(theme, self))
        self.currentItemChanged.connect(lambda *_: self.chosen.emit())

    @property
    def agent(self) -> ListedAgent | None:
        """The entry that is chosen."""
        item = self.currentItem()
        found = item.data(0, _AGENT) if item is not None else None
        return found if isinstance(found, ListedAgent) else None

    def show_agents(self, agents: Sequence[ListedAgent]) -> None:
        """Show these; the choice stays with the entry of the same id, else in its place."""
        before = self.agent
        self.blockSignals(True)
        while self.topLevelItemCount() > len(agents):
            self.takeTopLevelItem(self.topLevelItemCount() - 1)
        for agent in agents[: self.topLevelItemCount()]:
            item = self.topLevelItem(agent.position)
            if item is not None and item.data(0, _AGENT) != agent:
                _fill(item, agent)
        self.addTopLevelItems([_row(one) for one in agents[self.topLevelItemCount() :]])
        self.blockSignals(False)
        self._choose_like(before, agents)
        self.chosen.emit()

    def choose(self, agent_id: str) -> None:
        """Choose the entry of an id."""
        for item in map(self.topLevelItem, range(self.topLevelItemCount())):
            found = item.data(0, _AGENT) if item is not None else None
            if item is not None and isinstance(found, ListedAgent) and found.id == agent_id:
                self.setCurrentItem(item)

    def move_current(self, by: int) -> None:
        """Move the chosen entry up or down."""
        agent = self.agent
        if agent is not None and 0 <= agent.position + by < self.topLevelItemCount():
            self.moved.emit(agent, agent.position + by)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scrollTo(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if alt and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.move_current(-1 if event.key() == Qt.Key.Key_Up else 1)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.agent is not None:
            self.removed.emit(self.agent)
        else:
            super().keyPressEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Tell where the entry went; the rows follow when the text has changed."""
        agent = self.agent
        target = self.indexAt(event.position().toPoint())
        to = target.row() if target.isValid() else self.topLevelItemCount()
        below = QAbstractItemView.DropIndicatorPosition.BelowItem
        if target.isValid() and self.dropIndicatorPosition() == below:
            to += 1
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()
        if agent is not None:
            to -= to > agent.position
            if to != agent.position:
                self.moved.emit(agent, to)

    def _choose_like(self, before: ListedAgent | None, agents: Sequence[ListedAgent]) -> None:
        if not agents:
            return
        same = [one.position for one in agents if before is not None and one.id == before.id]
        place = before.position if before is not None else 0
        item = self.topLevelItem(same[0] if same else min(place, len(agents) - 1))
        if item is not None:
            self.setCurrentItem(item)


class _Rows(RowDelegate):
    """Paints icon, id, and what the entry is."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(120, self.row_height + 2)

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        agent = index.data(_AGENT)
        if not isinstance(agent, ListedAgent):
            return
        row = QRect(option.rect)
        self.paint_plate(painter, option, row, index)
        icon, token = _look_of(agent)
        self.paint_icon(painter, icon, token, row.left() + _ICON_AT, row, 15)
        words, small = kind_words(agent), self.face(small=True)
        wide = min(QFontMetrics(small).horizontalAdvance(words) + 4, row.width() // 2)
        end = QRect(row)
        end.setLeft(row.right() - MARGIN - 8 - wide)
        shown = QFontMetrics(small).elidedText(words, Qt.TextElideMode.ElideMiddle, wide)
        self.write(painter, end, shown, "warn" if agent.kind == "unknown" else "fg2", small)
        place = QRect(row)
        place.setLeft(row.left() + _TEXT_AT)
        place.setRight(end.left() - 8)
        font = self.face(QFont.Weight.Medium)
        name = name_words(agent)
        name = QFontMetrics(font).elidedText(name, Qt.TextElideMode.ElideRight, place.width())
        self.write(painter, place, name, "fg", font)


def _row(agent: ListedAgent) -> QTreeWidgetItem:
    item = QTreeWidgetItem()
    flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
    item.setFlags(flags | Qt.ItemFlag.ItemIsDragEnabled)
    _fill(item, agent)
    return item


def _fill(item: QTreeWidgetItem, agent: ListedAgent) -> None:
    item.setText(0, name_words(agent))
    item.setData(0, _AGENT, agent)
    words = f"{name_words(agent)}, {kind_words(agent)}"
    item.setData(0, Qt.ItemDataRole.AccessibleTextRole, words)


def _look_of(agent: ListedAgent) -> tuple[str, str]:
    """Return the icon of an entry and its colour."""
    if agent.kind == "subagent":
        return KINDS["subagent"].icon, KINDS["subagent"].token
    if agent.kind == "lookup":
        return KINDS[kind_of(agent.context_file)].icon, "warn"
    if agent.kind == "unknown":
        return "warning", "warn"
    return ("package", "accent2") if agent.kind == "builtin" else ("code", "info")
