"""How rows of the tree look, and how a name is typed in place."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTreeView, QWidget

from studio_qt.ui.project.arranging import GROUPS, SUB_AGENTS
from studio_qt.ui.project.items import Item
from studio_qt.ui.project.model import ProjectModel
from studio_qt.ui.project.namefield import NameField
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.filekinds import KINDS
from studio_qt.ui.widgets.rowpainting import MARGIN, ROW, Index, RowDelegate

__all__ = ["Check", "TreeDelegate"]

Check = Callable[[str, str], str | None]
"""Takes a row's key and a name; returns what is wrong with the name, or None."""

_GAP = 5
"""Above a group."""
_STEP = 16
_ICON_AT = 32
_TEXT_AT = 54
_EDGE = MARGIN + 6
"""From the right of a row to its marks."""

_COUNT_AT, _COUNT_ROOM = 28, 60
_GROUND = "bg1"
"""On what the rows lie."""

_ENDING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_NUMBERED = {group.key: group for group in GROUPS}


class TreeDelegate(RowDelegate):
    """Paints plate, chevron, icon, name and marks. `check` judges names while they are typed.

    `naming_ended` comes when the field in place is gone. `drop_key` is the row that a drag is over.
    """

    naming_ended = Signal()

    def __init__(self, theme: Theme, view: QTreeView, check: Check) -> None:
        super().__init__(theme, view)
        self._check = check
        self.drop_key = ""
        self.closeEditor.connect(
            lambda *_: self.naming_ended.emit(), Qt.ConnectionType.QueuedConnection
        )

    def plus_rect(self, index: Index, row: QRect) -> QRect:
        """Return where a group's + is; an empty place where it has none."""
        group = _NUMBERED.get(_item(index).key)
        if group is None or not group.adds:
            return QRect()
        return QRect(row.right() - MARGIN - ROW, row.bottom() - ROW + 1, ROW, ROW)

    def heights(self) -> tuple[int, int, int]:
        """Return how high plain rows, groups and rows with two lines are; Qt asks the model."""
        height = self.row_height
        return height, height + _GAP, height + self._view.fontMetrics().lineSpacing()

    def takes_two_lines(self, index: Index) -> bool:
        """Return whether the name of a store is to be broken."""
        metrics = self._view.fontMetrics()
        return len(_lines(_item(index).name, metrics, self._name_width(index))) > 1

    # Qt

    def copy_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> bool:
        """Copy both ends of a row at rest; what is between them is the same at all widths."""
        item = _item(index)
        if item.key == self.drop_key or not self.is_at_rest(option, index):
            return False
        row = _row_of(option, item)
        if item.kind == "group":
            return self._copy_group(painter, row, index, item)
        return self._copy_file(painter, row, index, item)

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item = _item(index)
        row = _row_of(option, item)
        self.paint_plate(painter, option, row, index, target=item.key == self.drop_key)
        if item.kind == "group":
            self._paint_group(painter, row, index, item)
        else:
            self._paint_file(painter, row, index, item, selected=self.is_selected(index))

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        key = _item(index).key
        return NameField(parent, lambda name: self._check(key, name))

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        assert isinstance(editor, NameField)
        name = _item(index).path.rsplit("/", 1)[-1] if _item(index).path else _item(index).name
        editor.begin(_item(index).name if _item(index).key.startswith("draft:") else name)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, NameField)
        is_draft = _item(index).key.startswith("draft:")
        if editor.fault is None and (is_draft or editor.text() != editor.first):
            model.setData(index, editor.text(), Qt.ItemDataRole.EditRole)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        row = QRect(option.rect)
        left = row.left() + _TEXT_AT + _model(index).depth(index) * _STEP - 8
        editor.setGeometry(left, row.top(), row.right() - MARGIN - left + 1, row.height())
        if isinstance(editor, NameField):
            editor.place_fault()

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Let Enter pass only with a name that can be; Tab is as Enter, and names no other row."""
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

    def _copy_group(self, painter: QPainter, row: QRect, index: Index, item: Item) -> bool:
        opened = self._view.isExpanded(index)
        width = self.advance(item.name, QFont.Weight.DemiBold) + _COUNT_AT + _COUNT_ROOM
        place = QRect(row.left() + 8, row.top(), width, row.height())
        self.pictures.draw(
            painter, place, (item.name, item.count, opened), _GROUND,
            lambda drawn: self._paint_title(drawn, row, index, item),
        )  # fmt: skip
        plus = self.plus_rect(index, row)
        if not plus.isEmpty() and item.key != SUB_AGENTS:
            self._paint_plus(painter, row, plus)
        return True

    def _copy_file(self, painter: QPainter, row: QRect, index: Index, item: Item) -> bool:
        model = _model(index)
        shift, (state, unsaved) = model.depth(index) * _STEP, model.marks(item)
        edge, marks = row.right() - _EDGE, self._marks_room(item, state, unsaved=unsaved)
        left, width = row.left() + _TEXT_AT + shift, self.advance(item.name)
        if width > edge - marks - left + 1:
            return False  # it ends in …, or has two lines
        opened = item.is_folder and self._view.isExpanded(index)
        is_broken = state == "error" and item.is_file
        self.pictures.draw(
            painter,
            QRect(left - _TEXT_AT + 10, row.top(), _TEXT_AT - 10 + width + 3, row.height()),
            (item.name, item.kind, opened, is_broken),
            _GROUND,
            lambda drawn: self._paint_file(drawn, row, index, item, selected=False),
        )
        if marks:
            self.pictures.draw(
                painter,
                QRect(edge - marks, row.top(), marks + 2, row.height()),
                (item.mark, item.apart, state, unsaved),
                _GROUND,
                lambda drawn: self._paint_marks(drawn, row, item, state, unsaved=unsaved),
            )
        return True

    def _paint_group(self, painter: QPainter, row: QRect, index: Index, item: Item) -> None:
        self._paint_title(painter, row, index, item)
        plus = self.plus_rect(index, row)
        if not plus.isEmpty() and item.key != SUB_AGENTS:  # which has a button there
            self._paint_plus(painter, row, plus)

    def _paint_title(self, painter: QPainter, row: QRect, index: Index, item: Item) -> None:
        self.paint_chevron(painter, row, row.left() + 10, index)
        font = self.face(QFont.Weight.DemiBold)
        place = row.adjusted(28, 0, 0, 0)
        self.write(painter, place, item.name, "fg2", font)
        place.setLeft(place.left() + self.advance(item.name, QFont.Weight.DemiBold) + 7)
        self.write(painter, place, f"{item.count:,}", "fg3", self.face(small=True))

    def _paint_plus(self, painter: QPainter, row: QRect, plus: QRect) -> None:
        self.paint_icon(painter, "plus", "fg2", plus.center().x() - 7, row, 15)

    def _paint_file(
        self, painter: QPainter, row: QRect, index: Index, item: Item, *, selected: bool
    ) -> None:
        shift = _model(index).depth(index) * _STEP
        kind = KINDS[item.kind]
        icon = kind.icon
        if item.is_folder:
            self.paint_chevron(painter, row, row.left() + 15 + shift, index)
            icon = "folder-open" if self._view.isExpanded(index) else icon
        self.paint_icon(painter, icon, kind.token, row.left() + _ICON_AT + shift, row, 16)
        state, unsaved = _model(index).marks(item)
        right = self._paint_marks(painter, row, item, state, unsaved=unsaved)
        token = "err" if state == "error" and item.is_file else "fg"
        weight = QFont.Weight.Medium if selected else QFont.Weight.Normal
        place = QRect(row)
        place.setLeft(row.left() + _TEXT_AT + shift)
        place.setRight(max(place.left() + 20, right))
        self._paint_name(painter, place, item, "accent2" if item.kind == "more" else token, weight)

    def _paint_name(
        self, painter: QPainter, place: QRect, item: Item, token: str, weight: QFont.Weight
    ) -> None:
        font, room = self.face(weight), place.width()
        if self.advance(item.name, weight) <= room:
            self.write(painter, place.adjusted(0, 0, 2, 0), item.name, token, font)
            return
        metrics = QFontMetrics(font)
        lines = _lines(item.name, metrics, room) if item.kind == "store" else [item.name]
        spacing = metrics.lineSpacing()
        top = place.top() + (place.height() - spacing * len(lines)) // 2
        for number, line in enumerate(lines):
            shown = metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, room)
            at = QRect(place.left(), top + number * spacing, room + 2, spacing)
            self.write(painter, at, shown, token, font)

    def _paint_marks(
        self, painter: QPainter, row: QRect, item: Item, state: str, *, unsaved: bool
    ) -> int:
        """Paint what stands at the right; returns where that begins."""
        right = row.right() - _EDGE
        if unsaved:
            self.paint_dot(painter, row, right - 9)
            right -= 16
        if state:
            icon, token = ("alert", "err") if state == "error" else ("warning", "warn")
            self.paint_icon(painter, icon, token, right - 15, row, 15)
            right -= 21
        if item.apart:
            self.paint_icon(painter, "eye-off", "fg3", right - 15, row, 14)
            right -= 21
        if item.mark and state != "error":
            font = self.face(small=True)
            width = self.advance(item.mark, small=True)
            place = QRect(right - width, row.top(), width + 2, row.height())
            self.write(painter, place, item.mark, "fg3", font)
            right -= width + 8
        return right

    # Helpers

    def _marks_room(self, item: Item, state: str, *, unsaved: bool) -> int:
        """Return how wide is what `_paint_marks` paints."""
        room = 16 * unsaved + 21 * bool(state) + 21 * item.apart
        if item.mark and state != "error":
            room += self.advance(item.mark, small=True) + 8
        return room

    def _name_width(self, index: Index) -> int:
        """Return the room that a name has without marks."""
        left = _TEXT_AT + _model(index).depth(index) * _STEP
        return self._view.viewport().width() - left - MARGIN - 6


def _row_of(option: QStyleOptionViewItem, item: Item) -> QRect:
    """Return the place of a row; a group has a gap above."""
    row = QRect(option.rect)
    if item.kind == "group":
        row.setTop(row.top() + _GAP)
    return row


def _model(index: Index) -> ProjectModel:
    model = index.model()
    assert isinstance(model, ProjectModel)
    return model


def _item(index: Index) -> Item:
    """Return the item of a row."""
    item = _model(index).item(index)
    assert item is not None
    return item


def _lines(name: str, metrics: QFontMetrics, room: int) -> list[str]:
    """Break a long name once, after one of its dots: the ids of stores are made of parts."""
    if metrics.horizontalAdvance(name) <= room:
        return [name]
    for place in range(len(name) - 1, 0, -1):
        if name[place - 1] == "." and metrics.horizontalAdvance(name[:place]) <= room:
            return [name[:place], name[place:]]
    return [name]
