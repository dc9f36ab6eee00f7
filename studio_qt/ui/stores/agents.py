"""`AgentList`: whose stores there are; private instances below their sub-agent, grants as links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)

from studio_qt.engine.roster import LoadedAgent
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.filekinds import KINDS, kind_of
from studio_qt.ui.widgets.rowpainting import MARGIN, Index, RowDelegate

__all__ = ["AgentList", "AgentRow", "rows_of"]

_ROLE = int(Qt.ItemDataRole.UserRole)
_LEAST_NAME = 90
"""Pixels that a name needs before something stands at its right."""


@dataclass(frozen=True, slots=True)
class AgentRow:
    """A row: an agent with a store, or a link from a sub-agent to the row of a shared one.

    `name` is what is shown. `size` counts the characters of the store, 2 for an empty one.
    """

    id: str
    name: str
    icon: str
    token: str
    owner: str = ""
    is_link: bool = False
    is_sub_agent: bool = False
    has_default: bool = False
    size: int = 0

    @property
    def words(self) -> str:
        """What stands at the right."""
        if self.is_link:
            return "shared"
        if self.size > 2:
            return size_words(self.size)
        return "sub-agent" if self.is_sub_agent else "empty"

    @property
    def spoken(self) -> str:
        """What assistive technology says."""
        kind = "shared, goes to its one row" if self.is_link else "private" if self.owner else ""
        default = "has a default" if self.has_default else ""
        return ", ".join(filter(None, (self.name, kind, self.words, default)))


def rows_of(
    agents: Iterable[LoadedAgent], size: Callable[[str], int], has_default: Callable[[str], bool]
) -> list[AgentRow]:
    """Return the rows in load order; below each sub-agent its private ones, then its links."""
    known = list(agents)
    rows: list[AgentRow] = []
    for agent in known:
        if agent.owner is not None:
            continue
        rows.append(_row(agent, size, has_default))
        for other in known:
            if other.owner == agent.id:
                rows.append(_row(other, size, has_default, owner=agent.id))
        for shared in agent.shared:
            rows.append(AgentRow(shared, shared, "chain", "accent2", agent.id, is_link=True))
    return rows


def size_words(size: int) -> str:
    """Say how large a text is."""
    if size < 1_000_000:
        return f"{max(size / 1000, 0.1):.1f} KB"
    return f"{size / 1_000_000:.1f} MB"


def _row(
    agent: LoadedAgent,
    size: Callable[[str], int],
    has_default: Callable[[str], bool],
    *,
    owner: str = "",
) -> AgentRow:
    kind = KINDS[kind_of(agent.file.removeprefix("studio:"))]
    icon, token = ("lock", "fg2") if owner else (kind.icon, kind.token)
    if agent.file.startswith("studio:") and not owner:
        icon, token = "database", "fg2"
    if agent.is_sub_agent:
        icon, token = "sub-agent", "accent2"
    name = agent.id.removeprefix(f"{owner}.") if owner else agent.id
    return AgentRow(
        agent.id,
        name,
        icon,
        token,
        owner,
        is_sub_agent=agent.is_sub_agent,
        has_default=has_default(agent.id),
        size=size(agent.id),
    )


class AgentList(QTreeWidget):
    """The list. `chosen` carries the id of an agent whose store is to be shown."""

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._rows: Sequence[AgentRow] = ()
        self._words = ""
        self.setObjectName("storeAgents")
        self.setAccessibleName("Agents with a store")
        self.setAccessibleDescription("Enter goes to the store.")
        self.setHeaderHidden(True)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(_Delegate(theme, self))
        self.currentItemChanged.connect(lambda item, _before: self._tell(item))

    @property
    def rows(self) -> Sequence[AgentRow]:
        """All rows, shown or filtered out."""
        return self._rows

    def show_rows(self, rows: Sequence[AgentRow]) -> None:
        """Show agents; the chosen one stays chosen, rows stay folded."""
        if [_shape(row) for row in rows] == [_shape(row) for row in self._rows]:
            self._rows = rows
            for item, row in zip(self._items(), rows, strict=True):
                item.setData(0, _ROLE, row)
                item.setData(0, Qt.ItemDataRole.AccessibleTextRole, row.spoken)
            return
        current = self._current()
        folded = {
            row.id for row in self._rows if (it := self._item(row.id)) and not it.isExpanded()
        }
        self._rows = rows
        blocked = self.blockSignals(True)
        self.clear()
        above: QTreeWidgetItem | None = None
        for row in rows:
            if row.owner and above is not None:
                item = QTreeWidgetItem(above, [row.name])
            else:
                item = above = QTreeWidgetItem(self, [row.name])
            item.setData(0, _ROLE, row)
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, row.spoken)
        for item in self._items():
            item.setExpanded(_row_of(item).id not in folded)
        if current is not None and (again := self._item(current.id)) is not None:
            self.setCurrentItem(again)
        self.blockSignals(blocked)
        self.filter(self._words)

    def filter(self, words: str) -> None:
        """Show the rows whose name has the words, with what they lie in."""
        self._words = words
        wanted = words.casefold()
        for item in self._items():
            row = _row_of(item)
            names = [row.id, *(_row_of(one).id for one in _below(item))]
            above = item.parent()
            if above is not None:
                names.append(_row_of(above).id)
            item.setHidden(not any(wanted in name.casefold() for name in names))

    def choose(self, agent_id: str) -> bool:
        """Go to the row of an agent; False where there is none."""
        item = self._item(agent_id)
        if item is None:
            return False
        if (above := item.parent()) is not None:
            above.setExpanded(True)
        self.setCurrentItem(item)
        return True

    # Qt

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if (item := self.currentItem()) is not None:
            self.scrollToItem(item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            row = _row_of(item)
            if row.is_link:
                self.choose(row.id)
            else:
                self.chosen.emit(row.id)
            return
        super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        item = self.itemAt(event.position().toPoint())
        if item is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if item.childCount() and event.position().x() < 30:
            item.setExpanded(not item.isExpanded())
        elif _row_of(item).is_link:
            self.choose(_row_of(item).id)

    # Helpers

    def _tell(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and not _row_of(item).is_link:
            self.chosen.emit(_row_of(item).id)

    def _items(self) -> list[QTreeWidgetItem]:
        found: list[QTreeWidgetItem] = []
        for at in range(self.topLevelItemCount()):
            top = self.topLevelItem(at)
            assert top is not None
            found.append(top)
            found += _below(top)
        return found

    def _item(self, agent_id: str) -> QTreeWidgetItem | None:
        """Return the one row of an agent; links are not that."""
        items = (item for item in self._items() if not _row_of(item).is_link)
        return next((item for item in items if _row_of(item).id == agent_id), None)

    def _current(self) -> AgentRow | None:
        item = self.currentItem()
        return _row_of(item) if item is not None else None


class _Delegate(RowDelegate):
    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(120, self.row_height)

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        told = index.data(_ROLE)
        assert isinstance(told, AgentRow)
        row = QRect(option.rect)
        self.paint_plate(painter, option, row, index)
        left = row.left() + 14 + (22 if told.owner else 0)
        if index.model().rowCount(index):
            self.paint_chevron(painter, row, left, index)
        self.paint_icon(painter, told.icon, told.token, left + 20, row, 15)
        small = self.face(small=True)
        right = row.right() - MARGIN - 8
        font = self.face(QFont.Weight.Normal)
        font.setItalic(told.is_link)
        width = QFontMetrics(small).horizontalAdvance(told.words)
        wide = QFontMetrics(font).horizontalAdvance(told.name) + left + 42
        if right - width - 8 >= min(wide, left + 42 + _LEAST_NAME):
            place = QRect(right - width, row.top(), width + 2, row.height())
            self.write(painter, place, told.words, "fg2", small)
            right -= width + 8
        if (
            told.has_default
            and wide + QFontMetrics(small).horizontalAdvance("default") + 20 < right
        ):
            right = self._pill(painter, row, right, small)
        quiet = not told.is_link and told.size <= 2 and not told.is_sub_agent
        token = "accent2" if told.is_link else "fg2" if quiet else "fg"
        left += 42
        cut = QFontMetrics(font).elidedText(told.name, Qt.TextElideMode.ElideMiddle, right - left)
        self.write(painter, QRect(left, row.top(), right - left, row.height()), cut, token, font)

    def _pill(self, painter: QPainter, row: QRect, right: int, font: QFont) -> int:
        """Paint that a default is shipped; returns where it begins."""
        width = QFontMetrics(font).horizontalAdvance("default") + 12
        box = QRect(right - width, row.center().y() - 8, width, 18)
        self.paint_box(painter, QRectF(box), "violetbg", 9)
        self.write(painter, box.adjusted(6, 0, 0, 0), "default", "accent2", font)
        return right - width - 8


def _below(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    found = (item.child(at) for at in range(item.childCount()))
    return [child for child in found if child is not None]


def _row_of(item: QTreeWidgetItem) -> AgentRow:
    row = item.data(0, _ROLE)
    assert isinstance(row, AgentRow)
    return row


def _shape(row: AgentRow) -> tuple[str, str, bool]:
    return row.id, row.owner, row.is_link
