"""`RequestList`: the requests of a conversation by turn, the newest first, above them the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from studio_qt.engine.requests import SentRequest
from studio_qt.ui.inspector.wording import request_line, request_title
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["RequestList"]

Index = QModelIndex | QPersistentModelIndex
_EntryRole = Qt.ItemDataRole.UserRole + 1
_ROW, _HEAD = 46, 30
_TOP = 4
_ICONS = {"failed": ("alert", "err"), "stopped": ("stopped", "warn"), "sent": ("clock", "info")}


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row: a heading, or a request."""

    title: str
    line: str = ""
    about: SentRequest | None = None


class _Entries(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.entries: list[_Entry] = []

    def put(self, entries: list[_Entry]) -> None:
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.entries)

    def flags(self, index: Index) -> Qt.ItemFlag:
        entry = self.entries[index.row()]
        enabled = Qt.ItemFlag.ItemIsEnabled
        return enabled | Qt.ItemFlag.ItemIsSelectable if entry.about else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        entry = self.entries[index.row()]
        if role == _EntryRole:
            return entry
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole and entry.about:
            return f"{entry.title}, {entry.line}, {entry.about.tokens} tokens"
        if role == Qt.ItemDataRole.ToolTipRole and entry.about:
            return plain_tip(f"{entry.title}\n{entry.line}\n{entry.about.model}")
        return None


class RequestList(QListView):
    """`chosen` carries the number of a request, 0 for the next one."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._entries = _Entries(self)
        self.setObjectName("inspectorRequests")
        self.setAccessibleName("Requests")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setModel(self._entries)
        self.setItemDelegate(_Painter(theme, self))
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._on_current)
        theme.changed.connect(self.viewport().update)

    @property
    def number(self) -> int:
        """The number of the request that is chosen; 0 for the next one."""
        entry = self.currentIndex().data(_EntryRole)
        return entry.about.number if isinstance(entry, _Entry) and entry.about else 0

    @property
    def titles(self) -> list[str]:
        """What is listed, from the top."""
        return [entry.title for entry in self._entries.entries]

    def show_requests(self, following: SentRequest | None, sent: Sequence[SentRequest]) -> None:
        """List these; the chosen one stays chosen, and the next one is when it is gone."""
        number = self.number
        entries = [] if following is None else [_entry(following, None)]
        turn = None
        for about in reversed(sent):
            if about.turn != turn:
                turn = about.turn
                entries.append(_Entry(f"Turn {turn}" if turn else "Before the first turn"))
            entries.append(_entry(about, _next_round(about, sent)))
        if entries == self._entries.entries:
            return
        where = self.verticalScrollBar().value()
        self.selectionModel().blockSignals(True)
        self._entries.put(entries)
        self.selectionModel().blockSignals(False)
        self.verticalScrollBar().setValue(where)
        self.choose(number)

    def choose(self, number: int) -> None:
        """Choose a request by its number; the first row where there is no such one."""
        rows = [at for at, one in enumerate(self._entries.entries) if one.about]
        wanted = [at for at in rows if self._number(at) == number]
        for at in (*wanted, *rows)[:1]:
            self.setCurrentIndex(self._entries.index(at))
            if at < _TOP:
                self.scrollToTop()

    def _number(self, at: int) -> int:
        about = self._entries.entries[at].about
        return about.number if about else -1

    def _on_current(self, index: QModelIndex) -> None:
        entry = index.data(_EntryRole)
        if isinstance(entry, _Entry) and entry.about is not None:
            self.chosen.emit(entry.about.number)


class _Painter(QStyledItemDelegate):
    def __init__(self, theme: Theme, view: RequestList) -> None:
        super().__init__(view)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        entry = index.data(_EntryRole)
        request = isinstance(entry, _Entry) and entry.about is not None
        return QSize(120, self._theme.scaled(_ROW if request else _HEAD))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry = index.data(_EntryRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(entry, _Entry) and entry.about is not None:
            self._paint_request(painter, option, entry, entry.about)
        elif isinstance(entry, _Entry):
            font = self._theme.font(11, QFont.Weight.DemiBold)
            font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0.8)
            painter.setFont(font)
            painter.setPen(self._theme.colour("fg2"))
            place = QRect(option.rect).adjusted(16, 6, -8, 0)
            painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), entry.title.upper())
        painter.restore()

    def _paint_request(
        self, painter: QPainter, option: QStyleOptionViewItem, entry: _Entry, about: SentRequest
    ) -> None:
        theme, rect = self._theme, QRect(option.rect)
        self._paint_plate(painter, option, QRectF(rect).adjusted(8, 1, -8, -1))
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        left = rect.left() + 18 + (16 if about.agent_id else 0)
        plain = ("sub-agent" if about.agent_id else "prompt", "accent2" if chosen else "fg3")
        icon, token = _ICONS.get(about.state, plain)
        pixels = theme.scaled(15)
        place = QRect(left, rect.center().y() - pixels // 2, pixels, pixels)
        theme.icon(icon, token, pixels).paint(painter, place)
        left += pixels + 10
        tokens, mono = f"{about.tokens:,}", theme.mono(12)
        width = QFontMetrics(mono).horizontalAdvance(tokens)
        right = rect.right() - 18
        painter.setFont(mono)
        painter.setPen(theme.colour("fg2"))
        middle = int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
        painter.drawText(QRect(right - width, rect.top(), width + 2, rect.height()), middle, tokens)
        room = right - width - 10 - left
        half = (rect.height() - 10) // 2
        weight = QFont.Weight.DemiBold if chosen else QFont.Weight.Normal
        for at, (text, font, ink) in enumerate(
            ((entry.title, theme.font(13, weight), "fg"), (entry.line, theme.font(12), "fg2"))
        ):
            words = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.setFont(font)
            painter.setPen(theme.colour(ink))
            line = QRect(left, rect.top() + 5 + at * half, room, half)
            painter.drawText(line, middle, words)

    def _paint_plate(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRectF) -> None:
        state = QStyle.StateFlag
        token = ""
        if option.state & state.State_Selected:
            token = "sel"
        elif option.state & state.State_MouseOver:
            token = "hover"
        if token:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(token))
            painter.drawRoundedRect(rect, 6, 6)
        if option.state & state.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("ring"), 2))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 5, 5)


def _entry(about: SentRequest, following: SentRequest | None) -> _Entry:
    return _Entry(request_title(about), request_line(about, following), about)


def _next_round(about: SentRequest, sent: Sequence[SentRequest]) -> SentRequest | None:
    """Return the request that went on where this one ended."""
    for other in sent:
        same = (other.turn, other.agent_id) == (about.turn, about.agent_id)
        if same and other.number > about.number:
            return other if other.round == about.round + 1 else None
    return None
