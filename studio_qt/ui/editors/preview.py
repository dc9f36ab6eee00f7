"""What a tab shows for a file that is not edited here: a picture, or what the file is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from studio_qt.ui.editors.pictures import Picture, weight_text
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bars import EmptyState
from studio_qt.ui.widgets.basics import IconButton, label

__all__ = ["PicturePage", "refusal"]

_SQUARE = 8


class PicturePage(QWidget):
    """A picture, as large as fits or pixel for pixel, with its size and weight.

    `outside_wanted`: the user wants another program.
    """

    outside_wanted = Signal()

    def __init__(self, theme: Theme, name: str, picture: Picture) -> None:
        super().__init__()
        self.setObjectName("picturePage")
        self.canvas = _Canvas(theme, picture)
        self.canvas.setAccessibleName(f"Picture {name}")
        self._fit = IconButton(theme, "expand", "Fit the window", name="pictureFit")
        self._whole = IconButton(theme, "image", "Show at 100 %", name="pictureWhole")
        self._outside = IconButton(
            theme, "external", "Open in another program", name="pictureOutside"
        )
        for button in (self._fit, self._whole):
            button.setCheckable(True)
        self._scale = label("", "quiet", name="pictureScale")
        size = f"{picture.size.width():,} × {picture.size.height():,} pixels"
        self.words = f"{picture.kind} · {size} · {weight_text(picture.weight)}"
        self._build()
        self.show_fitted(fitted=True)

    def show_fitted(self, *, fitted: bool) -> None:
        """Fit the picture into the page, or show each of its pixels."""
        self.canvas.fitted = fitted
        self._fit.setChecked(fitted)
        self._whole.setChecked(not fitted)
        self._area.setWidgetResizable(fitted)
        if not fitted:
            self.canvas.resize(self.canvas.sizeHint())
        self.canvas.update()
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell()

    def _tell(self) -> None:
        self._scale.setText(f"{round(self.canvas.scale * 100)} %")

    def _build(self) -> None:
        self._area = QScrollArea()
        self._area.setObjectName("pictureArea")
        self._area.setAccessibleName("Picture")
        self._area.setWidget(self.canvas)
        row = QHBoxLayout()
        row.setContentsMargins(20, 0, 12, 6)
        row.setSpacing(4)
        row.addWidget(label(self.words, "second", name="pictureWords"))
        row.addStretch(1)
        row.addWidget(self._scale)
        for button in (self._fit, self._whole, self._outside):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self._area, 1)
        self._fit.clicked.connect(lambda: self.show_fitted(fitted=True))
        self._whole.clicked.connect(lambda: self.show_fitted(fitted=False))
        self._outside.clicked.connect(self.outside_wanted)


class _Canvas(QWidget):
    """Paints the picture on squares, which show through where it is transparent."""

    def __init__(self, theme: Theme, picture: Picture) -> None:
        super().__init__()
        self._theme = theme
        self._pixmap = QPixmap.fromImage(picture.image)
        self._size = picture.size
        self.fitted = True
        theme.changed.connect(self.update)

    @property
    def scale(self) -> float:
        """How large the picture is shown; 1 is pixel for pixel."""
        if not self.fitted or self._size.isEmpty():
            return 1.0
        room = self.size() - QSize(40, 40)
        wide, high = room.width() / self._size.width(), room.height() / self._size.height()
        return max(0.01, min(1.0, wide, high))

    def sizeHint(self) -> QSize:
        return self._size + QSize(40, 40)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        size = (self._size.toSizeF() * self.scale).toSize()
        left, top = (self.width() - size.width()) / 2, (self.height() - size.height()) / 2
        place = QRectF(max(20.0, left), max(20.0, top), size.width(), size.height())
        self._paint_squares(painter, place)
        painter.drawPixmap(place, self._pixmap, QRectF(self._pixmap.rect()))

    def _paint_squares(self, painter: QPainter, place: QRectF) -> None:
        """Draw one small pattern as a brush, so that it costs nothing for large pictures."""
        pattern = QPixmap(2 * _SQUARE, 2 * _SQUARE)
        pattern.fill(self._theme.colour("bg3"))
        inner = QPainter(pattern)
        for x, y in ((0, 0), (_SQUARE, _SQUARE)):
            inner.fillRect(x, y, _SQUARE, _SQUARE, self._theme.colour("code"))
        inner.end()
        painter.drawTiledPixmap(place, pattern)


def refusal(theme: Theme, reason: str, *, outside: bool) -> EmptyState:
    """Return a page that says why a file is not shown; `wanted` is for another program."""
    button = "Open in another program" if outside else ""
    title = "This file cannot be edited here"
    return EmptyState(theme, "file", title, reason, button, name="refusal")
