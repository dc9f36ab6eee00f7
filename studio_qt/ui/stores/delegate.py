"""How rows of a store look, and how a value or a name is typed in place."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QLineEdit,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from studio_qt.ui.stores.fields import LineField, TextField, ValueField
from studio_qt.ui.stores.model import Index, Node, StoreModel
from studio_qt.ui.stores.pairing import Missing, Sign
from studio_qt.ui.stores.values import Kind, count_words, kind_of, scalar_of, short_text
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.rowpainting import Index as RowIndex
from studio_qt.ui.widgets.rowpainting import RowDelegate

__all__ = ["StoreRows"]

_SIGN_AT = 8
_FIRST = 24
_ROOMY = 240
"""Pixels of a row in which the kind of the value has room."""

_STEP = 16
_GAP = 10
_LONG = 80
"""Characters from which on a text gets several lines to be typed in."""

_LINES = 6
_TONES: dict[Kind, str] = {
    "text": "st",
    "number": "nu",
    "yes/no": "kw",
    "nothing": "fg3",
    "list": "fg3",
    "object": "fg3",
}
_PLATES: dict[Sign, tuple[str, str]] = {
    "": ("", ""),
    "+": ("greenbg", "ok"),
    "−": ("redbg", "err"),
    "±": ("amberbg", "warn"),
}
"""Plate and sign of a row."""


class StoreRows(RowDelegate):
    """Paints one side of a `StoreModel`. `renaming`: the next field is for the key."""

    def __init__(self, theme: Theme, view: QTreeView, model: StoreModel, side: int) -> None:
        super().__init__(theme, view)
        self._model, self._side = model, side
        self._width = cache(_advance)
        self.renaming = False
        self.hits: frozenset[int] = frozenset()

    def value_left(self, index: Index) -> int:
        """Return where a row's value begins, from the left edge of the view."""
        node = self._model.node(index)
        key = self._model.label(node, self._side)
        return self.key_left(node) + self._width(key, _named(self._key_face())) + _GAP

    def key_left(self, node: Node) -> int:
        """Return where a row's key begins."""
        return _FIRST + node.depth * _STEP + 18

    def chevron_rect(self, index: Index, row: QRect) -> QRect:
        """Return where a press opens or closes the row."""
        left = row.left() + self.key_left(self._model.node(index)) - 20
        return QRect(left, row.top(), 20, row.height())

    # Qt

    def sizeHint(self, _option: QStyleOptionViewItem, _index: RowIndex) -> QSize:
        return QSize(120, self.row_height)

    @property
    def row_height(self) -> int:
        """The height of a row."""
        return max(24, self._view.fontMetrics().height() + 8)

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: RowIndex) -> None:
        node = self._model.node(index)
        row = QRect(option.rect)
        row.setLeft(0)
        sign = self._model.sign(node)
        value = node.value(self._side)
        if isinstance(value, Missing):
            self._paint_missing(painter, row)
            self._paint_focus(painter, option, row, index)
            return
        plate, tone = _PLATES[sign]
        if plate:
            painter.fillRect(row, self._theme.colour(plate))
        self._paint_focus(painter, option, row, index)
        if sign:
            place = QRect(_SIGN_AT, row.top(), _FIRST, row.height())
            self.write(painter, place, sign, tone, self._key_face())
        self._paint_guides(painter, row, node)
        self._paint_words(painter, row, index, node)

    # Painting

    def _paint_focus(
        self, painter: QPainter, option: QStyleOptionViewItem, row: QRect, index: Index
    ) -> None:
        box = QRectF(row.adjusted(2, 0, -2, 0))
        if self.is_selected(index):
            self.paint_box(painter, box, "sel")
        elif self.is_hovered(option) and not _PLATES[self._model.sign(self._model.node(index))][0]:
            self.paint_box(painter, box, "hover")
        if self._view.hasFocus() and index == self._view.currentIndex():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("ring"), 2))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 4, 4)

    def _paint_missing(self, painter: QPainter, row: QRect) -> None:
        """Hatch the place of what only the other side has."""
        painter.fillRect(row, self._theme.colour("code"))
        colour = QColor(self._theme.colour("line"))
        painter.save()
        painter.setClipRect(row)
        painter.setPen(QPen(colour, 1))
        height = row.height()
        first = row.left() - (row.top() + height) % 12
        for left in range(first - height, row.right() + 12, 12):
            painter.drawLine(left, row.bottom() + 1, left + height, row.top())
        painter.restore()

    def _paint_guides(self, painter: QPainter, row: QRect, node: Node) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(self._theme.colour("line2"), 1))
        for depth in range(node.depth):
            left = _FIRST + depth * _STEP + 6
            painter.drawLine(left, row.top(), left, row.bottom())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)

    def _paint_words(self, painter: QPainter, row: QRect, index: Index, node: Node) -> None:
        value = node.value(self._side)
        if isinstance(value, Missing):
            return
        left = self.key_left(node)
        first = index.siblingAtColumn(0) if hasattr(index, "siblingAtColumn") else index
        if self._model.hasChildren(first):
            self.paint_chevron(painter, row, left - 17, first)
        kind = kind_of(value)
        words = "" if node.pair is None or row.width() < _ROOMY else kind
        small = self.face(small=True)
        width = QFontMetrics(small).horizontalAdvance(words)
        end = row.right() - 12 - width
        self.write(painter, QRect(end, row.top(), width + 4, row.height()), words, "fg2", small)
        font = self._key_face()
        key = self._model.label(node, self._side)
        tone = "fg3" if node.pair is None or isinstance(node.key(self._side), int) else "key"
        self._write_cut(painter, QRect(left, row.top(), end - left - 8, row.height()), key, tone)
        left += QFontMetrics(font).horizontalAdvance(key) + _GAP
        place = QRect(left, row.top(), max(0, end - left - 12), row.height())
        if node.pair is not None and place.width() > 8:
            told = short_text(value) or ("(empty)" if isinstance(value, str) else "")
            tone = "fg3" if value in ("", [], {}) else _TONES[kind]
            self._write_cut(painter, place, count_words(value) or told, tone)

    def _write_cut(self, painter: QPainter, place: QRect, text: str, token: str) -> None:
        font = self._key_face()
        cut = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        self.write(painter, place, cut, token, font)

    def _key_face(self) -> QFont:
        return self._view.font()

    # Typing

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, index: RowIndex
    ) -> QWidget:
        node = self._model.node(index)
        name = self._model.label(node, self._side)
        if self.renaming:
            holder = node.parent.value(self._side) if node.parent is not None else None

            def judge(text: str) -> str | None:
                taken = isinstance(holder, dict) and text in holder and text != name
                return f"There is a field {text} already." if taken else None

            return self._dressed(LineField(parent, f"Name of {name}", judge))
        value = node.value(self._side)
        if isinstance(value, str) and (len(value) > _LONG or "\n" in value):
            field = TextField(parent, f"Value of {name}")
            field.done.connect(lambda: self._finish(field))
            return self._dressed(field)
        kind = kind_of(None if isinstance(value, Missing) else value)
        return self._dressed(LineField(parent, f"Value of {name}", lambda text: _fault(kind, text)))

    def setEditorData(self, editor: QWidget, index: RowIndex) -> None:
        if isinstance(editor, (LineField, TextField)) and not editor.property("begun"):
            editor.setProperty("begun", True)
            node = self._model.node(index)
            label = self._model.label(node, self._side)
            editor.begin(label if self.renaming else str(index.data(Qt.ItemDataRole.EditRole)))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: RowIndex) -> None:
        if not isinstance(editor, (LineField, TextField)) or editor.fault is not None:
            return
        if editor.property("names"):
            self._model.rename(index, editor.words)
        elif editor.words != str(index.data(Qt.ItemDataRole.EditRole)):
            model.setData(index, editor.words, Qt.ItemDataRole.EditRole)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: RowIndex
    ) -> None:
        row = QRect(option.rect)
        names = bool(editor.property("names"))
        left = self.key_left(self._model.node(index)) if names else self.value_left(index)
        left = min(left, max(0, self._view.viewport().width() - 140)) - 7
        height = row.height()
        if isinstance(editor, TextField):
            height = min(self._view.viewport().height(), row.height() * _LINES)
        top = min(row.top(), max(0, self._view.viewport().height() - height))
        editor.setGeometry(left, top, self._view.viewport().width() - left - 8, height)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Let Enter pass only with what can be; Tab is as Enter."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            ends = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)
            if ends and isinstance(editor, LineField):
                if editor.fault is None:
                    self._finish(editor)
                return True
        return super().eventFilter(editor, event)

    def _finish(self, editor: ValueField) -> None:
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QAbstractItemDelegate.EndEditHint.NoHint)

    def _dressed(self, field: ValueField) -> QWidget:
        field.setFont(self._view.font())
        field.setProperty("names", self.renaming)
        if isinstance(field, QLineEdit):
            field.setTextMargins(0, 0, 0, 0)
        return field


def _fault(kind: Kind, text: str) -> str | None:
    try:
        scalar_of(kind, text)
    except ValueError as error:
        return str(error)
    return None


def _named(font: QFont) -> str:
    return font.toString()


def _advance(text: str, face: str) -> int:
    font = QFont()
    font.fromString(face)
    return QFontMetrics(font).horizontalAdvance(text)
