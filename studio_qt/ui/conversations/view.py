"""`ConversationList`: a view of the list, with its mouse and keys."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QWidget

from studio_qt.ui.conversations.model import ConversationModel, ListedRole
from studio_qt.ui.conversations.rows import ConversationRows
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.flatlist import lay_flat

__all__ = ["ConversationList"]


class ConversationList(QTreeView):
    """Conversations, forks below what they came from.

    `opened` carries the id of one that Enter or a double click opens; `menu_wanted` a place on the
    screen; `naming_ended` comes when no title is being typed any more.
    """

    opened = Signal(str)
    menu_wanted = Signal(QPoint)
    naming_ended = Signal()

    def __init__(
        self,
        theme: Theme,
        model: ConversationModel,
        name: str,
        *,
        counts: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._listed = model
        self._kept = "", -1, 0
        self.setObjectName(name)
        self.setAccessibleName("Conversations")
        self.setAccessibleDescription(
            "Enter opens a conversation, F2 renames it, Delete moves it to the trash."
        )
        self.setProperty("role", "painted")
        self.setModel(model)
        self._rows = ConversationRows(theme, self, counts=counts)
        self._rows.naming_ended.connect(self.naming_ended)
        self.setItemDelegate(self._rows)
        self._set_up()
        model.modelAboutToBeReset.connect(self._note)
        model.modelReset.connect(self._choose_again)

    @property
    def chosen(self) -> str:
        """The id of the current row, "" for none."""
        one = self.currentIndex().data(ListedRole)
        return one.id if one is not None else ""

    @property
    def naming(self) -> bool:
        """Whether a title is being typed."""
        return self.state() == QAbstractItemView.State.EditingState

    def choose(self, conversation: str) -> None:
        """Go to a row, where it is there."""
        index = self._listed.index_of(conversation)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)

    def name(self, conversation: str) -> None:
        """Let the title of a conversation be typed in place."""
        index = self._listed.index_of(conversation)
        if index.isValid():
            self.choose(conversation)
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.edit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen:
            self.opened.emit(self.chosen)
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self.opened.emit(index.data(ListedRole).id)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the row under the mouse, or the current one."""
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            rect = self.visualRect(self.currentIndex())
            place = self.viewport().mapToGlobal(rect.bottomLeft() + QPoint(24, 0))
        else:
            index = self.indexAt(self.viewport().mapFromGlobal(place))
            self.setCurrentIndex(index)
        self.menu_wanted.emit(place)

    def _set_up(self) -> None:
        lay_flat(self)
        self.setExpandsOnDoubleClick(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)

    def _note(self) -> None:
        self._kept = self.chosen, self.currentIndex().row(), self.verticalScrollBar().value()

    def _choose_again(self) -> None:
        """Keep what is chosen; where it is gone, its neighbour."""
        chosen, row, scrolled = self._kept
        index = self._listed.index_of(chosen)
        if not index.isValid() and row >= 0:
            index = self._listed.index(min(row, self._listed.rowCount() - 1))
        if index.isValid():
            self.setCurrentIndex(index)
        self.verticalScrollBar().setValue(scrolled)
