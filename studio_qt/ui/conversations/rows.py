"""How rows of the list look, and how a title is typed in place."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from studio_qt.ui.conversations.listing import Listed
from studio_qt.ui.conversations.model import CurrentRole, ListedRole, WhenRole
from studio_qt.ui.conversations.sheets import LONGEST_TITLE
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.rowpainting import MARGIN, Index, RowDelegate

__all__ = ["ConversationRows"]

_ICON_AT = 16
_TEXT_AT = 40
_STEP = 16
_HOVERED = QStyle.StateFlag.State_MouseOver.value
_PLATES = QStyle.StateFlag.State_Selected.value | _HOVERED
_ENDING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


class ConversationRows(RowDelegate):
    """Paints icon, title and time; with `counts` also how many entries there are.

    `naming_ended` comes when the field in place is gone.
    """

    naming_ended = Signal()

    def __init__(self, theme: Theme, view: QTreeView, *, counts: bool) -> None:
        super().__init__(theme, view)
        self._counts = counts
        self.closeEditor.connect(
            lambda *_: self.naming_ended.emit(), Qt.ConnectionType.QueuedConnection
        )

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(120, self.row_height)

    def copy_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> bool:
        """Copy a row at rest; the foot's selected one is, where the keys are elsewhere."""
        focused = self._view.hasFocus()
        marks = _PLATES if self._counts or focused else _HOVERED
        if option.state.value & marks or (focused and index == self._view.currentIndex()):
            return False
        key = (index.data(ListedRole), index.data(CurrentRole), index.data(WhenRole))
        paint = partial(self.paint_row, option=option, index=index)
        self.pictures.draw(painter, option.rect, key, "bg1", paint)
        return True

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        one = index.data(ListedRole)
        if not isinstance(one, Listed):
            return
        row = QRect(option.rect)
        shown = QStyleOptionViewItem(option)
        if not self._counts and not self._view.hasFocus():
            shown.state &= ~QStyle.StateFlag.State_Selected  # the foot tells of the open one alone
        self.paint_plate(painter, shown, row, index)
        current = bool(index.data(CurrentRole))
        left = row.left() + one.depth * _STEP
        token = "accent2" if current else "fg3"
        icon = "warning" if not one.readable else "fork" if one.origin else "chat"
        size = 13 if one.origin else 15
        self.paint_icon(
            painter, icon, token if one.readable else "warn", left + _ICON_AT, row, size
        )
        right = self._paint_end(painter, row, str(index.data(WhenRole) or ""), "fg2")
        if self._counts and one.readable:
            right = self._paint_end(painter, row, f"{one.messages:,}", "fg3", right)
        font = self.face(QFont.Weight.DemiBold if current else QFont.Weight.Normal)
        place = QRect(row)
        place.setLeft(left + _TEXT_AT)
        place.setRight(right)
        name = QFontMetrics(font).elidedText(one.name, Qt.TextElideMode.ElideRight, place.width())
        self.write(painter, place, name, "fg" if one.readable else "fg3", font)

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, _index: Index
    ) -> QWidget:
        field = QLineEdit(parent)
        field.setObjectName("conversationTitle")
        field.setAccessibleName("Title of the conversation")
        field.setAccessibleDescription("Enter keeps the title; an empty one is the first message.")
        field.setMaxLength(LONGEST_TITLE)
        return field

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        one = index.data(ListedRole)
        if isinstance(editor, QLineEdit) and isinstance(one, Listed) and not editor.isModified():
            editor.setText(one.name)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QLineEdit) and editor.isModified():
            model.setData(index, editor.text(), Qt.ItemDataRole.EditRole)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        row, one = QRect(option.rect), index.data(ListedRole)
        depth = one.depth if isinstance(one, Listed) else 0
        left = row.left() + _TEXT_AT + depth * _STEP - 8
        editor.setGeometry(left, row.top(), row.right() - MARGIN - left + 1, row.height())

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Let Tab end the naming as Enter does, and go to no other row."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in _ENDING
            and isinstance(editor, QLineEdit)
        ):
            self.commitData.emit(editor)
            self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)
            return True
        return super().eventFilter(editor, event)

    def _paint_end(
        self, painter: QPainter, row: QRect, text: str, token: str, right: int | None = None
    ) -> int:
        """Write a small text at the right; returns where what is before it must end."""
        edge = row.right() - MARGIN - 8 if right is None else right
        if not text:
            return edge
        font = self.face(small=True)
        width = QFontMetrics(font).horizontalAdvance(text)
        self.write(
            painter, QRect(edge - width, row.top(), width + 2, row.height()), text, token, font
        )
        return edge - width - 10
