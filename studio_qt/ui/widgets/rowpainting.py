"""`RowDelegate`: what painted rows of trees have in common: plate, focus ring, icons, words."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTreeView

from studio_qt.ui.theme.icons import make_pixmap
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.pointing import Pointing
from studio_qt.ui.widgets.rowpictures import RowPictures

__all__ = ["MARGIN", "ROW", "Index", "RowDelegate"]

Index = QModelIndex | QPersistentModelIndex

ROW = 26
"""The least height of a row."""

_MEASURED = 5000
"""Texts whose width is remembered."""

_ONE_LINE = int(
    (Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft).value
    | Qt.TextFlag.TextSingleLine.value
)

_ANTIALIASING = QPainter.RenderHint.Antialiasing

MARGIN = 8
"""Between the edges of the view and the plate of a row."""


class RowDelegate(QStyledItemDelegate):
    """A delegate with the painting that rows share; subclasses override `paint_row`."""

    def __init__(self, theme: Theme, view: QTreeView) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view
        self._face = QFont()
        self._is_painting = False
        self._pointing = Pointing(view.viewport(), self)
        self.pictures = RowPictures(theme, self)
        self._faces: dict[tuple[QFont.Weight, bool], QFont] = {}
        self._advances: dict[tuple[str, QFont.Weight, bool], int] = {}
        theme.changed.connect(view.viewport().update)

    @property
    def row_height(self) -> int:
        """The height of a row with one line in the view's face."""
        return max(ROW, self._view.fontMetrics().height() + 9)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if option.font != self._face:
            self._take_face(QFont(option.font))
        self._is_painting = True
        try:
            if not self.copy_row(painter, option, index):
                painter.save()
                painter.setRenderHint(_ANTIALIASING)
                self.paint_row(painter, option, index)
                painter.restore()
        finally:
            self._is_painting = False

    def copy_row(
        self,
        painter: QPainter,  # noqa: ARG002 - for those that have pictures
        option: QStyleOptionViewItem,  # noqa: ARG002
        index: Index,  # noqa: ARG002
    ) -> bool:
        """Copy a row from `pictures`; False where it is to be painted."""
        return False

    def is_at_rest(self, option: QStyleOptionViewItem, index: Index) -> bool:
        """Whether a row has no plate and no ring."""
        if self.is_selected(index) or self.is_hovered(option):
            return False
        return not (self._view.hasFocus() and index == self._view.currentIndex())

    def is_selected(self, index: Index) -> bool:
        """Whether a row is selected, which its option tells as well, but see `is_hovered`."""
        return self._view.selectionModel().isSelected(index)

    def is_hovered(self, option: QStyleOptionViewItem) -> bool:
        """Whether the pointer, or a drag, is over a row.

        Who asks an option for its state makes PySide read all that styles can do, which the start
        would wait for; no row is hovered before a pointer comes.
        """
        return self._pointing.came and bool(option.state.value & _hovered())

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row; the painter is restored afterwards."""
        raise NotImplementedError

    def paint_plate(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        row: QRect,
        index: Index,
        *,
        target: bool = False,
    ) -> None:
        """Paint the plate of a selected or hovered row, and the ring of the current one.

        A `target` of a drag has both.
        """
        plate = QRectF(row.adjusted(MARGIN, 0, -MARGIN, 0))
        token = ""
        if target:
            token = "violetbg"
        elif self.is_selected(index):
            token = "sel"
        elif self.is_hovered(option):
            token = "hover"
        if token:
            self.paint_box(painter, plate, token)
        if target or (self._view.hasFocus() and index == self._view.currentIndex()):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("ring"), 2))
            painter.drawRoundedRect(plate.adjusted(1, 1, -1, -1), 4, 4)

    def paint_box(self, painter: QPainter, place: QRectF, token: str, radius: int = 4) -> None:
        """Fill a rounded box."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour(token))
        painter.drawRoundedRect(place, radius, radius)

    def paint_dot(self, painter: QPainter, row: QRect, left: int) -> None:
        """Paint the dot of unsaved text, 8 px wide."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("warnfill"))
        painter.drawEllipse(QRectF(left, row.center().y() - 3, 8, 8))

    def paint_icon(
        self, painter: QPainter, icon: str, token: str, left: int, row: QRect, size: int
    ) -> None:
        """Paint an icon in the middle of a row's height."""
        device = painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        picture = make_pixmap(icon, self._theme.tokens[token], size, ratio)
        painter.drawPixmap(left, row.top() + (row.height() - size) // 2, picture)

    def paint_chevron(self, painter: QPainter, row: QRect, left: int, index: Index) -> None:
        """Paint the arrow that tells whether a row is open."""
        icon = "chevron-down" if self._view.isExpanded(index) else "chevron-right"
        self.paint_icon(painter, icon, "fg3", left, row, 13)

    def write(self, painter: QPainter, place: QRect, text: str, token: str, font: QFont) -> None:
        """Write one line, from the left, in the middle of the height."""
        painter.setFont(font)
        painter.setPen(self._theme.colour(token))
        painter.drawText(place, _ONE_LINE, text)

    def face(self, weight: QFont.Weight = QFont.Weight.Normal, *, small: bool = False) -> QFont:
        """Return the view's face; `small` is two pixels smaller. Take a copy to change it."""
        faces = self._faces_now()
        made = faces.get((weight, small))
        if made is None:
            made = QFont(self._face)
            made.setWeight(weight)
            if small:
                made.setPixelSize(max(10, made.pixelSize() - 2))
            faces[weight, small] = made
        return made

    def advance(
        self, text: str, weight: QFont.Weight = QFont.Weight.Normal, *, small: bool = False
    ) -> int:
        """Return how wide a text is in a face of `face`; each is measured once."""
        self._faces_now()
        key = (text, weight, small)
        if (width := self._advances.get(key)) is None:
            if len(self._advances) >= _MEASURED:
                self._advances.clear()
            width = QFontMetrics(self.face(weight, small=small)).horizontalAdvance(text)
            self._advances[key] = width
        return width

    def _faces_now(self) -> dict[tuple[QFont.Weight, bool], QFont]:
        """Return what was made of the view's face, nothing where that is another one by now."""
        if not self._is_painting and (font := self._view.font()) != self._face:
            self._take_face(font)
        return self._faces

    def _take_face(self, font: QFont) -> None:
        self._face = font
        self._faces.clear()
        self._advances.clear()
        self.pictures.clear()


@cache
def _hovered() -> int:
    """Return the flag of hovered rows as a number: with flags themselves it takes far longer."""
    from PySide6.QtWidgets import QStyle

    return int(QStyle.StateFlag.State_MouseOver.value)
