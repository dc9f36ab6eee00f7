"""`ProjectTree`: the view of the project's files, with its mouse, keys and drops."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QWidget

from studio_qt.ui.project.delegate import Check, TreeDelegate
from studio_qt.ui.project.items import Item
from studio_qt.ui.project.model import PATHS_FORMAT, ProjectModel
from studio_qt.ui.project.namefield import NameField
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.viewports import give_viewport

__all__ = ["ProjectTree"]


class ProjectTree(QTreeView):
    """The tree. `opened` carries an item that Enter or a double click opens.

    `plus_pressed` carries a group's key and a place on the screen, `menu_wanted` a place on the
    screen, `dropped` the relative paths of the tree's own rows, the folder and whether to copy;
    `dropped_files` foreign files and the folder.
    """

    opened = Signal(object)
    more_wanted = Signal(object)
    plus_pressed = Signal(str, QPoint)
    menu_wanted = Signal(QPoint)
    dropped = Signal(list, str, bool)
    dropped_files = Signal(list, str)

    def __init__(
        self, theme: Theme, model: ProjectModel, check: Check, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._files = model
        self._pressed = QModelIndex()
        self._held = self._missed = False
        self.setObjectName("projectTree")
        self.setAccessibleName("Files of the project")
        self.setAccessibleDescription("Enter opens a file, F2 renames it, Delete moves it away.")
        give_viewport(self)
        self.setModel(model)
        self.rows = TreeDelegate(theme, self, check)
        self.setItemDelegate(self.rows)
        model.filled.connect(self._on_filled)
        self._set_up()

    def items(self) -> list[Item]:
        """Return the selected files and folders, top down; what is inside a selected one is not."""
        chosen = [
            item
            for index in sorted(self.selectedIndexes(), key=lambda one: self.visualRect(one).top())
            if (item := self._files.item(index)) is not None and (item.is_file or item.is_folder)
        ]
        folders = [f"{item.path}/" for item in chosen if item.is_folder]
        return [item for item in chosen if not item.path.startswith(tuple(folders))]

    def current(self) -> Item | None:
        """Return the current row's item."""
        return self._files.item(self.currentIndex())

    def hold(self, *, on: bool) -> None:
        """Lay nothing out and paint nothing while many rows change; then once what is to be."""
        if on != self._held:
            self._held = on
            self.viewport().setUpdatesEnabled(not on)
            if not on and self._missed:  # not where rows only look different
                self._missed = False
                self.scheduleDelayedItemsLayout()

    def name(self, index: QModelIndex) -> None:
        """Let the name of a row be typed in place."""
        self.setCurrentIndex(index)
        self.scrollTo(index)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.edit(index)
        field = self.findChild(NameField)
        if field is not None:
            field.select_stem()

    def toggle(self, index: QModelIndex) -> None:
        """Open what is closed and close what is open."""
        self.setExpanded(index, not self.isExpanded(index))

    # Qt

    def doItemsLayout(self) -> None:
        if self._held:
            self._missed = True
        else:
            self._files.set_heights(*self.rows.heights())
            self._break_names()
            super().doItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.current()
        entered = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if entered and item is not None and self.state() != QAbstractItemView.State.EditingState:
            self._activate(item)
            event.accept()
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Let the keyboard begin at a row that can be seen."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.scrollTo(self.currentIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        self._pressed = self.indexAt(place)
        if event.button() == Qt.MouseButton.LeftButton and self._pressed.isValid():
            plus = self.rows.plus_rect(self._pressed, self._row(self._pressed))
            item = self._files.item(self._pressed)
            if plus.contains(place) and item is not None:
                self._pressed = QModelIndex()
                self.plus_pressed.emit(item.key, self.viewport().mapToGlobal(plus.bottomLeft()))
                event.accept()
                return
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index, self._pressed = self._pressed, QModelIndex()
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.button() != Qt.MouseButton.LeftButton or not plain or not index.isValid():
            return
        if index != self.indexAt(event.position().toPoint()):
            return
        item = self._files.item(index)
        if item is not None and not item.is_file:
            self._activate(item)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        item = self._files.item(self.indexAt(event.position().toPoint()))
        if item is not None and item.is_file and event.button() == Qt.MouseButton.LeftButton:
            self._activate(item)
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            place = self.visualRect(self.currentIndex()).bottomLeft() + QPoint(40, 0)
        else:
            place = event.pos()
            self._choose_at(place)
        self.menu_wanted.emit(self.viewport().mapToGlobal(place))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)  # scrolls and unfolds
        if not event.mimeData().hasUrls():
            event.ignore()
            return
        self._show_target(self._target(event.position().toPoint()))
        copy = self._is_copy(event)
        event.setDropAction(Qt.DropAction.CopyAction if copy else Qt.DropAction.MoveAction)
        event.accept()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._show_target(None)

    def dropEvent(self, event: QDropEvent) -> None:
        target = self._target(event.position().toPoint())
        folder = self.folder_of(target)
        self._show_target(None)
        copy = self._is_copy(event)
        own = self._own_paths(event)
        if own is not None:
            self.dropped.emit(own, folder, copy)
        else:
            local = [
                Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()
            ]
            self.dropped_files.emit(local, folder)
        event.setDropAction(Qt.DropAction.CopyAction)  # the rows move when the files have
        event.accept()
        self.setState(QAbstractItemView.State.NoState)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width() and self._break_names():
            self.scheduleDelayedItemsLayout()

    def folder_of(self, item: Item | None) -> str:
        """Return the folder that a new file beside or in this row goes to."""
        if item is None:
            return ""
        return item.path.rpartition("/")[0] if item.is_file else item.path

    # Helpers

    def _on_filled(self) -> None:
        self._break_names()

    def _break_names(self) -> bool:
        """Look which names take two lines in this width; returns whether that is news."""
        files, rows = self._files, self.rows
        return files.set_tall(
            {key: rows.takes_two_lines(files.index_of(key)) for key in files.stores}
        )

    def _set_up(self) -> None:
        self.setHeaderHidden(True)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(False)
        self.setAutoExpandDelay(700)
        self.setTabKeyNavigation(False)

    def _activate(self, item: Item) -> None:
        if item.is_file:
            self.opened.emit(item)
        elif item.kind == "more":
            self.more_wanted.emit(item)
        else:
            self.toggle(self._files.index_of(item.key))

    def _row(self, index: QModelIndex) -> QRect:
        rect = self.visualRect(index)
        return QRect(0, rect.top(), self.viewport().width(), rect.height())

    def _choose_at(self, place: QPoint) -> None:
        index = self.indexAt(place)
        if not index.isValid():
            self.clearSelection()
        elif not self.selectionModel().isSelected(index):
            self.setCurrentIndex(index)

    def _target(self, place: QPoint) -> Item | None:
        """Return the row that takes what is dropped: a folder or group, a file for its folder."""
        return self._files.item(self.indexAt(place))

    def _show_target(self, item: Item | None) -> None:
        key = ""
        if item is not None:
            index = self._files.index_of(item.key)
            above = self._files.item(index.parent())
            key = above.key if item.is_file and above is not None else item.key
        if key != self.rows.drop_key:
            self.rows.drop_key = key
            self.viewport().update()

    def _own_paths(self, event: QDropEvent) -> list[str] | None:
        """Return the paths of a drag of the same project, None for a foreign one."""
        data = event.mimeData()
        if not data.hasFormat(PATHS_FORMAT):
            return None
        paths = bytes(data.data(PATHS_FORMAT).data()).decode().splitlines()
        mine = self._files.mime_of(paths).urls()
        return paths if mine == data.urls() else None

    def _is_copy(self, event: QDropEvent) -> bool:
        held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        return bool(held) or self._own_paths(event) is None
