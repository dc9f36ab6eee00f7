"""How rows of the tree look, and the field in which a name is typed in place."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHideEvent, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from studio_qt.files.names import split_name
from studio_qt.ui.project.arranging import GROUPS
from studio_qt.ui.project.items import Item
from studio_qt.ui.project.model import ItemRole, StateRole, UnsavedRole
from studio_qt.ui.theme.icons import make_pixmap
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.filekinds import KINDS

__all__ = ["Check", "NameField", "TreeDelegate"]

Index = QModelIndex | QPersistentModelIndex
Check = Callable[[str, str], str | None]
"""Takes a row's key and a name; returns what is wrong with the name, or None."""

_ROW = 26
_GAP = 5
"""Above a group."""
_MARGIN = 8
_STEP = 16
_ICON_AT = 32
_TEXT_AT = 54
_ENDING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_NUMBERED = {group.key: group for group in GROUPS}


class TreeDelegate(QStyledItemDelegate):
    """Paints plate, chevron, icon, name and marks. `check` judges names while they are typed.

    `naming_ended` comes when the field in place is gone.
    """

    naming_ended = Signal()

    def __init__(self, theme: Theme, view: QTreeView, check: Check) -> None:
        super().__init__(view)
        self._theme, self._view, self._check = theme, view, check
        self._pixmap = cache(make_pixmap)  # drawing one reads a file
        self.drop_key = ""
        self.closeEditor.connect(
            lambda *_: self.naming_ended.emit(), Qt.ConnectionType.QueuedConnection
        )

    def plus_rect(self, index: Index, row: QRect) -> QRect:
        """Return where a group's + is; an empty place where it has none."""
        group = _NUMBERED.get(_item(index).key)
        if group is None or not group.adds:
            return QRect()
        size = _ROW
        return QRect(row.right() - _MARGIN - size, row.bottom() - size + 1, size, size)

    # Qt

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics = self._view.fontMetrics()
        height = max(_ROW, metrics.height() + 9)
        item = _item(index)
        if item.kind == "group":
            return QSize(120, height + _GAP)
        if (
            item.kind == "store"
            and len(self._lines(item.name, metrics, self._name_width(index))) > 1
        ):
            return QSize(120, height + metrics.lineSpacing())
        return QSize(120, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item = _item(index)
        row = _rect(option)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if item.kind == "group":
            row.setTop(row.top() + _GAP)
        self._paint_plate(painter, option, row, index)
        if item.kind == "group":
            self._paint_group(painter, row, index, item)
        else:
            selected = _has(option, QStyle.StateFlag.State_Selected)
            self._paint_row(painter, row, index, item, selected=selected)
        painter.restore()

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        key = _item(index).key
        return NameField(parent, lambda name: self._check(key, name))

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        assert isinstance(editor, NameField)
        name = _item(index).path.rsplit("/", 1)[-1] if _item(index).path else _item(index).name
        editor.begin(_item(index).name if _item(index).key.startswith("draft:") else name)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, NameField)
        assert isinstance(editor, NameField)
        is_draft = _item(index).key.startswith("draft:")
        if editor.fault is None and (is_draft or editor.text() != editor.first):
            model.setData(index, editor.text(), Qt.ItemDataRole.EditRole)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        row = _rect(option)
        left = row.left() + _TEXT_AT + self._depth(index) * _STEP - 8
        editor.setGeometry(left, row.top(), row.right() - _MARGIN - left + 1, row.height())
        if isinstance(editor, NameField):
            editor.place_fault()

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Let Enter pass only with a name that can be. Tab is like Enter, and names no other row."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in _ENDING
            and isinstance(editor, NameField)
        ):
            if editor.fault is None:
                self.commitData.emit(editor)
                self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)
            return True
        return super().eventFilter(editor, event)

    # Painting

    def _paint_plate(
        self, painter: QPainter, option: QStyleOptionViewItem, row: QRect, index: Index
    ) -> None:
        plate = QRectF(row.adjusted(_MARGIN, 0, -_MARGIN, 0))
        token = ""
        if _item(index).key == self.drop_key:
            token = "violetbg"
        elif _has(option, QStyle.StateFlag.State_Selected):
            token = "sel"
        elif _has(option, QStyle.StateFlag.State_MouseOver):
            token = "hover"
        if token:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(token))
            painter.drawRoundedRect(plate, 4, 4)
        focused = self._view.hasFocus() and index == self._view.currentIndex()
        if focused or token == "violetbg":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("ring"), 2))
            painter.drawRoundedRect(plate.adjusted(1, 1, -1, -1), 4, 4)

    def _paint_group(self, painter: QPainter, row: QRect, index: Index, item: Item) -> None:
        self._paint_chevron(painter, row, row.left() + 10, index)
        left = row.left() + 28
        font = self._font(QFont.Weight.DemiBold)
        self._write(painter, row, left, item.name, "fg2", font)
        left += QFontMetrics(font).horizontalAdvance(item.name) + 7
        self._write(painter, row, left, f"{item.count:,}", "fg3", self._font(small=True))
        plus = self.plus_rect(index, row)
        if not plus.isEmpty():
            self._picture(painter, "plus", "fg2", plus.center().x() - 7, row, 15)

    def _paint_row(
        self, painter: QPainter, row: QRect, index: Index, item: Item, *, selected: bool
    ) -> None:
        shift = self._depth(index) * _STEP
        kind = KINDS[item.kind]
        state = str(index.data(StateRole) or "")
        if item.is_folder:
            self._paint_chevron(painter, row, row.left() + 15 + shift, index)
        icon = "folder-open" if item.is_folder and self._view.isExpanded(index) else kind.icon
        self._picture(painter, icon, kind.token, row.left() + _ICON_AT + shift, row, 16)
        right = self._paint_marks(painter, row, index, item, state)
        left = row.left() + _TEXT_AT + shift
        font = self._font(QFont.Weight.Medium if selected else QFont.Weight.Normal)
        token = "err" if state == "error" and item.is_file else "fg"
        if item.kind == "more":
            token = "accent2"
        metrics = QFontMetrics(font)
        room = max(20, right - left)
        lines = self._lines(item.name, metrics, room) if item.kind == "store" else [item.name]
        spacing = metrics.lineSpacing()
        top = row.top() + (row.height() - spacing * len(lines)) // 2
        for number, line in enumerate(lines):
            place = QRect(row.left(), top + number * spacing, row.width(), spacing)
            shown = metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, room)
            self._write(painter, place, left, shown, token, font)

    def _name_width(self, index: Index) -> int:
        """Return the room that a name has without marks."""
        left = _TEXT_AT + self._depth(index) * _STEP
        return self._view.viewport().width() - left - _MARGIN - 6

    @staticmethod
    def _lines(name: str, metrics: QFontMetrics, room: int) -> list[str]:
        """Break a long name once, after one of its dots: the ids of stores are made of parts."""
        if metrics.horizontalAdvance(name) <= room:
            return [name]
        for place in range(len(name) - 1, 0, -1):
            if name[place - 1] == "." and metrics.horizontalAdvance(name[:place]) <= room:
                return [name[:place], name[place:]]
        return [name]

    def _paint_marks(
        self, painter: QPainter, row: QRect, index: Index, item: Item, state: str
    ) -> int:
        """Paint what stands at the right; returns where that begins."""
        right = row.right() - _MARGIN - 6
        if index.data(UnsavedRole):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("warnfill"))
            painter.drawEllipse(QRectF(right - 9, row.center().y() - 3, 8, 8))
            right -= 16
        if state:
            icon, token = ("alert", "err") if state == "error" else ("warning", "warn")
            self._picture(painter, icon, token, right - 15, row, 15)
            right -= 21
        if item.apart:
            self._picture(painter, "eye-off", "fg3", right - 15, row, 14)
            right -= 21
        if item.mark and state != "error":
            font = self._font(small=True)
            width = QFontMetrics(font).horizontalAdvance(item.mark)
            self._write(painter, row, right - width, item.mark, "fg3", font)
            right -= width + 8
        return right

    def _paint_chevron(self, painter: QPainter, row: QRect, left: int, index: Index) -> None:
        expanded = self._view.isExpanded(index)
        icon = "chevron-down" if expanded else "chevron-right"
        self._picture(painter, icon, "fg3", left, row, 13)

    def _picture(
        self, painter: QPainter, icon: str, token: str, left: int, row: QRect, size: int
    ) -> None:
        device = painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        picture = self._pixmap(icon, self._theme.tokens[token], size, ratio)
        painter.drawPixmap(left, row.top() + (row.height() - size) // 2, picture)

    def _write(
        self, painter: QPainter, row: QRect, left: int, text: str, token: str, font: QFont
    ) -> None:
        painter.setFont(font)
        painter.setPen(QColor(self._theme.tokens[token]))
        place = QRect(left, row.top(), row.right() - left, row.height())
        painter.drawText(
            place, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text
        )

    def _font(self, weight: QFont.Weight = QFont.Weight.Normal, *, small: bool = False) -> QFont:
        font = QFont(self._view.font())
        font.setWeight(weight)
        if small:
            font.setPixelSize(max(10, font.pixelSize() - 2))
        return font

    def _depth(self, index: Index) -> int:
        depth = 0
        above = index.parent()
        while above.parent().isValid():
            above = above.parent()
            depth += 1
        return depth


class NameField(QLineEdit):
    """The field of a name, with the sentence that says why it cannot be, below it."""

    def __init__(self, parent: QWidget, check: Callable[[str], str | None]) -> None:
        super().__init__(parent)
        self.setObjectName("treeName")
        self.setAccessibleName("Name")
        self._judge = check
        self.first = ""
        self._says = QLabel(parent)
        self._says.setObjectName("treeNameFault")
        self._says.setWordWrap(True)
        self._says.hide()
        self.textChanged.connect(self._look)
        self.destroyed.connect(self._says.deleteLater)

    @property
    def fault(self) -> str | None:
        """What is wrong with the name as it stands."""
        return self._judge(self.text())

    def begin(self, name: str) -> None:
        """Show a name."""
        self.first = name
        self.setText(name)

    def select_stem(self) -> None:
        """Select the part that one changes; the view has selected everything."""
        self.setSelection(0, len(split_name(self.text())[0]))

    def place_fault(self) -> None:
        """Put the sentence below the field, or above it at the foot of the view."""
        parent = self.parentWidget()
        width = max(160, self.width())
        height = self._says.heightForWidth(width)
        below = self.geometry().bottom() + 3
        if parent is not None and below + height > parent.height():
            below = self.geometry().top() - height - 3
        self._says.setGeometry(self.x(), below, width, height)

    def hideEvent(self, event: QHideEvent) -> None:
        self._says.hide()
        super().hideEvent(event)

    def _look(self) -> None:
        fault = self.fault
        self.setProperty("fault", fault is not None)
        self.style().polish(self)
        self._says.setText(fault or "")
        self.setAccessibleDescription(fault or "")
        self._says.setVisible(fault is not None)
        if fault is not None:
            self._says.raise_()
            self.place_fault()


def _item(index: Index) -> Item:
    item = index.data(ItemRole)
    assert isinstance(item, Item)
    return item


def _is_group(index: Index) -> bool:
    return _item(index).kind == "group"


def _rect(option: QStyleOptionViewItem) -> QRect:
    return QRect(option.rect)


def _has(option: QStyleOptionViewItem, flag: QStyle.StateFlag) -> bool:
    return bool(option.state & flag)
