"""`CompletionList`: the completions at a place, beside the text; the keys stay in the editor."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from studio_qt.authoring.completing import Completion, spans_of
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.announcing import announce
from studio_qt.ui.widgets.keyhints import KeyHints

__all__ = ["CompletionList"]

Index = QModelIndex | QPersistentModelIndex

_ROW, _MOST_ROWS = 26, 9
_LEAST, _WIDEST = 260, 440
_MEASURED = 20
"""How many of the longest rows are measured; there may be thousands."""
_MARGIN, _EDGE, _GAP, _ICON = 5, 9, 9, 14
_LOOKS = {
    "agent": ("bolt", "accent2"),
    "field": ("tag", "key"),
    "file": ("file-text", "key"),
    "handler": ("bolt", "kw"),
    "library": ("package", "st"),
    "macro": ("braces", "macro"),
    "method": ("code", "fn"),
    "property": ("list", "key"),
    "tag": ("at", "kw"),
    "value": ("dot", "nu"),
}
_ITEM = Qt.ItemDataRole.UserRole + 1


class _Model(QAbstractListModel):
    """The completions as rows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.items: Sequence[Completion] = ()

    def take(self, items: Sequence[Completion]) -> None:
        """Show others."""
        self.beginResetModel()
        self.items = items
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        item = self.items[index.row()]
        if role == _ITEM:
            return item
        if role == Qt.ItemDataRole.DisplayRole:
            return item.label
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{item.label}, {item.kind}. {item.detail}".strip()
        return None


class CompletionList(QFrame):
    """Shows completions; the first is current. `taken`: one was clicked, `moved`: another is."""

    taken = Signal(object)
    moved = Signal()

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(over)
        self._theme = theme
        self.setObjectName("completionList")
        self.setProperty("role", "popup")
        self.setAccessibleName("Completions")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._model = _Model(self)
        self._view = QListView()
        self._delegate = _Rows(theme, self._view)
        self._hints = KeyHints((("Tab", "takes it"), ("↑↓", "choose")), (("Esc", "closes"),))
        self._build()
        theme.changed.connect(self._fit)
        self.hide()

    @property
    def items(self) -> Sequence[Completion]:
        """What is listed."""
        return self._model.items

    @property
    def current(self) -> Completion | None:
        """The completion that Tab takes."""
        row = self._view.currentIndex().row()
        return self.items[row] if 0 <= row < len(self.items) else None

    @property
    def lead(self) -> int:
        """Where the names begin, from the left edge."""
        return 1 + _MARGIN + _EDGE + self._theme.scaled(_ICON) + _GAP

    def fill(self, items: Sequence[Completion], typed: str) -> None:
        """List others; `typed` is what they were found by."""
        self._delegate.typed = typed
        self._model.take(items)
        self._view.setCurrentIndex(self._model.index(0))
        self._fit()

    def step(self, by: int, *, around: bool = True) -> None:
        """Go down by rows, or up; from the last on to the first where `around`."""
        count = len(self.items)
        row = self._view.currentIndex().row() + by
        row = row % count if around else max(0, min(row, count - 1))
        self._view.setCurrentIndex(self._model.index(row))
        self._view.scrollTo(self._model.index(row))
        self.tell()
        self.moved.emit()

    def tell(self) -> None:
        """Have the current completion read out."""
        if (item := self.current) is not None:
            row = self._view.currentIndex().row() + 1
            words = f"{item.label}, {item.detail}" if item.detail else item.label
            announce(self, f"{words}. {row} of {len(self.items)}.")

    # Helpers

    def _fit(self) -> None:
        theme = self._theme
        if not self.items:
            return
        label, detail = QFontMetrics(theme.mono(13)), QFontMetrics(theme.font(12))
        wide = max(
            label.horizontalAdvance(item.label) + detail.horizontalAdvance(item.detail)
            for item in nlargest(_MEASURED, self.items, key=_letters)
        )
        wide += 2 * (_MARGIN + _EDGE) + theme.scaled(_ICON) + 3 * _GAP
        rows = min(_MOST_ROWS, len(self.items))
        scroll = 12 if len(self.items) > rows else 0
        width = max(theme.scaled(_LEAST), min(theme.scaled(_WIDEST), wide + scroll))
        self._view.setFixedHeight(rows * self._delegate.height + 2)
        self.resize(width, self._column.totalMinimumSize().height())

    def _build(self) -> None:
        view = self._view
        view.setObjectName("completionRows")
        view.setAccessibleName("Completions")
        view.setProperty("ledBy", "codeEditor")
        view.setModel(self._model)
        view.setItemDelegate(self._delegate)
        view.setUniformItemSizes(True)
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        view.clicked.connect(self._on_click)
        self._hints.setContentsMargins(_EDGE, 0, _EDGE, 0)
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(1, _MARGIN, 1, 7)
        column.setSpacing(6)
        column.addWidget(view)
        column.addWidget(self._hints)

    def _on_click(self, index: QModelIndex) -> None:
        self.taken.emit(self.items[index.row()])


class _Rows(QStyledItemDelegate):
    """Draws a completion in one line: kind, name with the typed letters, a few words."""

    def __init__(self, theme: Theme, view: QListView) -> None:
        super().__init__(view)
        self._theme = theme
        self.typed = ""

    @property
    def height(self) -> int:
        """The height of a row."""
        return max(_ROW, QFontMetrics(self._theme.mono(13)).height() + 8)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(_LEAST, self.height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item = index.data(_ITEM)
        if not isinstance(item, Completion):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row: QRect = option.rect.adjusted(_MARGIN, 0, -_MARGIN, 0)
        self._plate(painter, option, row)
        self._paint(painter, row.adjusted(_EDGE, 0, -_EDGE, 0), item)
        painter.restore()

    def _plate(self, painter: QPainter, option: QStyleOptionViewItem, row: QRect) -> None:
        token = ""
        if option.state & QStyle.StateFlag.State_Selected:
            token = "sel"
        elif option.state & QStyle.StateFlag.State_MouseOver:
            token = "hover"
        if token:
            outlined = token == "sel" and self._theme.tokens.high_contrast
            painter.setPen(self._theme.colour("accent2") if outlined else Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(token))
            painter.drawRoundedRect(QRectF(row), 4, 4)

    def _paint(self, painter: QPainter, row: QRect, item: Completion) -> None:
        theme = self._theme
        icon, token = _LOOKS[item.kind]
        size = theme.scaled(_ICON)
        theme.icon(icon, token, size).paint(
            painter, QRect(row.left(), row.top(), size, row.height())
        )
        left = row.left() + size + _GAP
        width = self._name(painter, QRect(left, row.top(), row.right() - left, row.height()), item)
        room = row.right() - left - width - 2 * _GAP
        if item.detail and room > 30:
            face = theme.font(12)
            shown = QFontMetrics(face).elidedText(item.detail, Qt.TextElideMode.ElideRight, room)
            painter.setFont(face)
            painter.setPen(theme.colour("fg2"))
            place = QRect(row.right() - room, row.top(), room, row.height())
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(place, right, shown)

    def _name(self, painter: QPainter, place: QRect, item: Completion) -> int:
        """Write the name, its typed letters in another colour; returns how wide it is."""
        theme = self._theme
        face = theme.mono(13)
        strong = theme.mono(13, QFont.Weight.DemiBold)
        metrics = QFontMetrics(face)
        label = metrics.elidedText(item.label, Qt.TextElideMode.ElideMiddle, place.width())
        spans = spans_of(self.typed, item.label) if label == item.label else ()
        marked = {at for start, end in spans for at in range(start, end)}
        left, start = place.left(), 0
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        while start < len(label):
            is_marked = start in marked
            end = start
            while end < len(label) and (end in marked) == is_marked:
                end += 1
            font = strong if is_marked else face
            painter.setFont(font)
            painter.setPen(theme.colour("accent2" if is_marked else "fg"))
            wide = QFontMetrics(font).horizontalAdvance(label[start:end])
            painter.drawText(
                QRect(left, place.top(), wide + 2, place.height()), middle, label[start:end]
            )
            left, start = left + wide, end
        return left - place.left()


def _letters(item: Completion) -> int:
    """Return how many letters a row has."""
    return len(item.label) + len(item.detail)
