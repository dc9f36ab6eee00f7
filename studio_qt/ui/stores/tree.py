"""`StoreView`: one side of a store as a tree, edited by keys, mouse and drag."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QMimeData, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDrag,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QTreeView

from studio_qt.ui.stores.delegate import StoreRows
from studio_qt.ui.stores.model import LEFT, Index, StoreModel
from studio_qt.ui.stores.pairing import Missing
from studio_qt.ui.stores.values import Path
from studio_qt.ui.theme.theme import Theme

__all__ = ["StoreView"]

_MIME = "application/x-character-studio-store-row"


class StoreView(QTreeView):
    """Shows a column of a `StoreModel`; edits are the owner's.

    `focused` comes when it gets the keyboard, `typing_changed` when a field opens or closes.
    `menu_wanted` carries the place, in global coordinates, `activated_row` a row that Enter or a
    double click chose, `dropped` the path of what was dragged, the holder it goes to, and the
    place there.
    """

    focused = Signal()
    typing_changed = Signal()
    menu_wanted = Signal(QPoint)
    activated_row = Signal(QModelIndex)
    dropped = Signal(object, object, int)

    def __init__(self, theme: Theme, model: StoreModel, side: int, name: str, words: str) -> None:
        super().__init__()
        self._theme, self._store, self.side = theme, model, side
        self._pressed: QPoint | None = None
        self._target: tuple[Path, int] | None = None
        self._line = QRect()
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setAccessibleDescription(
            "Enter edits a value, Shift and F2 a name, Insert adds, Delete removes."
        )
        self.setModel(model)
        self.setColumnHidden(1 - side, True)
        self.rows = StoreRows(theme, self, model, side)
        self.setItemDelegate(self.rows)
        self.rows.closeEditor.connect(lambda *_: self.typing_changed.emit())
        self.setHeaderHidden(True)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def is_typing(self) -> bool:
        """Whether a field is open in a row."""
        return self.state() == QAbstractItemView.State.EditingState

    @property
    def current_path(self) -> Path | None:
        """Where the current row's value is on this side; None without one."""
        index = self.currentIndex()
        return self._store.path(index, self.side) if index.isValid() else None

    def select_path(self, path: Path) -> None:
        """Go to a row, opening what it lies in."""
        index = self._store.index_of(path, self.side)
        if index.isValid():
            self.open_to(index)
            self.setCurrentIndex(index)
            self.scrollTo(index)

    def open_to(self, index: QModelIndex) -> None:
        """Open what a row lies in."""
        above = self._store.parent(index)
        while above.isValid():
            self.expand(above)
            above = self._store.parent(above)

    def toggle(self, index: QModelIndex) -> None:
        """Open or close a row."""
        first = index.siblingAtColumn(LEFT)
        self.setExpanded(first, not self.isExpanded(first))

    def edit_value(self) -> None:
        """Let the current value be typed over."""
        self._edit(names=False)

    def edit_name(self) -> None:
        """Let the name of the current field be typed over."""
        self._edit(names=True)

    # Qt

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self._store.rowCount():
            self.setCurrentIndex(self._store.index(0, self.side))
        self.focused.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and plain:
            if index.isValid() and not self.is_typing:
                self.activated_row.emit(index)
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        index = self.indexAt(place)
        self._pressed = place if event.button() == Qt.MouseButton.LeftButton else None
        row = self.visualRect(index)
        if index.isValid() and self.rows.chevron_rect(index, row).contains(place):
            self._pressed = None
            self.setCurrentIndex(index)
            self.toggle(index)
            event.accept()
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        held = bool(event.buttons() & Qt.MouseButton.LeftButton)
        if held and self._pressed is not None and not self.is_typing:
            far = (place - self._pressed).manhattanLength() >= QApplication.startDragDistance()
            index = self.indexAt(self._pressed)
            if far and index.isValid() and self._store.editable[self.side]:
                self._pressed = None
                self._drag(index)
            return
        super().mouseMoveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.button() == Qt.MouseButton.LeftButton:
            self.activated_row.emit(index)
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            rect = self.visualRect(self.currentIndex())
            place = self.viewport().mapToGlobal(rect.bottomLeft() + QPoint(40, 0))
        else:
            place = event.globalPos()
        self.menu_wanted.emit(place)
        event.accept()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.source() is self and event.mimeData().hasFormat(_MIME):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._aim(event.position().toPoint())
        if self._target is not None and event.source() is self:
            event.acceptProposedAction()
        else:
            event.ignore()
        self.viewport().update()

    def dropEvent(self, event: QDropEvent) -> None:
        self._aim(event.position().toPoint())
        target, self._target = self._target, None
        source = self.current_path
        self.viewport().update()
        if target is not None and source and event.source() is self:
            event.acceptProposedAction()
            self.dropped.emit(source, target[0], target[1])

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._target is not None:
            painter = QPainter(self.viewport())
            painter.setPen(QPen(self._theme.colour("ring"), 2))
            painter.drawLine(self._line.bottomLeft(), self._line.bottomRight())

    # Helpers

    def _edit(self, *, names: bool) -> None:
        index = self.currentIndex()
        if not index.isValid() or not self._store.flags(index) & Qt.ItemFlag.ItemIsEditable:
            return
        if names and not isinstance(self._store.node(index).key(self.side), str):
            return
        self.rows.renaming = names
        try:
            self.edit(index)
        finally:
            self.rows.renaming = False
        self.typing_changed.emit()

    def _drag(self, index: QModelIndex) -> None:
        path = self._store.path(index, self.side)
        if not path:
            return
        self.setCurrentIndex(index)
        data = QMimeData()
        data.setData(_MIME, QByteArray(b"row"))
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.MoveAction)
        self._target = None
        self.viewport().update()

    def _aim(self, place: QPoint) -> None:
        """Find the gap between rows that is nearest; a value goes among its siblings alone."""
        self._target = None
        source, index = self.current_path, self.indexAt(place)
        if not source or not index.isValid():
            return
        rect = self.visualRect(index)
        below = place.y() > rect.center().y()
        target = self._store.path(index, self.side)
        if target and target[:-1] == source[:-1] and target != source:
            row = self._position(index) + (1 if below else 0)
            row -= 1 if self._position_of(source) < row else 0
            self._target = (source[:-1], row)
            self._line = rect if below else rect.translated(0, -rect.height())

    def _position(self, index: Index) -> int:
        path = self._store.path(index, self.side)
        return self._position_of(path) if path else 0

    def _position_of(self, path: Path) -> int:
        holder = self._holder(path)
        if isinstance(holder, dict):
            return list(holder).index(str(path[-1]))
        return int(path[-1])

    def _holder(self, path: Path) -> object:
        value: object = self._store.value(self.side)
        for key in path[:-1]:
            if isinstance(value, dict):
                value = value[str(key)]
            elif isinstance(value, list):
                value = value[int(key)]
        return None if isinstance(value, Missing) else value

    def _dress(self) -> None:
        self.setFont(self._theme.mono(12))
