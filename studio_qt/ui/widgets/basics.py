"""Labels, buttons and plates in the tones of the theme."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from studio_qt.ui.theme.fonts import interface_font
from studio_qt.ui.theme.icons import make_pixmap
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.tips import plain_tip

__all__ = [
    "Avatar",
    "ElidedLabel",
    "IconButton",
    "IconView",
    "Separator",
    "give_icon",
    "initials",
    "label",
    "paint_initials",
    "text_button",
]

_ICON_GAP = 4
"""Pixels between icon and words, beside the four that Qt gives."""
_ARTICLES = ("the", "a", "an")
_GRADIENTS = {"character": ("#5b4bd0", "#b4688f"), "user": ("#17695e", "#3aa387")}


def label(text: str = "", role: str = "", *, wrap: bool = False, name: str = "") -> QLabel:
    """Return a label; `role` names its look in the stylesheet ("second", "quiet", "title", …)."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("role", role)
    made.setWordWrap(wrap)
    if name:
        made.setObjectName(name)
    return made


def text_button(text: str, name: str, kind: str = "plain") -> QPushButton:
    """Return a button of 28 px; `kind` is "plain", "primary", "warn" or "link"."""
    button = QPushButton(text)
    button.setObjectName(name)
    button.setAccessibleName(text)
    button.setProperty("kind", kind)
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    return button


def give_icon(
    theme: Theme, button: QAbstractButton, icon: str, token: str = "fg2", size: int = 15
) -> None:
    """Put one of our icons before a button's words, in place of another; it follows the theme."""
    for earlier in button.findChildren(_Dresser):
        earlier.deleteLater()
    _Dresser(theme, button, icon, token, size)


class _Dresser(QObject):
    """Lives with its button, so that the theme forgets it with the button."""

    def __init__(
        self, theme: Theme, button: QAbstractButton, icon: str, token: str, size: int
    ) -> None:
        super().__init__(button)
        self._theme, self._button = theme, button
        self._icon, self._token, self._size = icon, token, size
        theme.resized.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        pixels = self._theme.scaled(self._size)
        room = _ICON_GAP if self._button.text() else 0
        self._button.setIconSize(QSize(pixels + room, pixels))
        self._button.setIcon(self._theme.living_icon(self._icon, self._token, pixels, room))


class IconButton(QToolButton):
    """A button with one of our icons; follows the theme. The tip is its accessible name."""

    def __init__(
        self,
        theme: Theme,
        icon: str,
        tip: str,
        *,
        name: str,
        token: str = "fg2",
        size: int = 16,
        kind: str = "icon",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._icon, self._token, self._size = theme, icon, token, size
        self.setObjectName(name)
        self.setProperty("kind", kind)
        self.setAccessibleName(tip)
        self.setToolTip(plain_tip(tip))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._dress()
        theme.resized.connect(self._dress)

    def set_icon(self, icon: str, token: str | None = None) -> None:
        """Take another icon, and another colour where `token` is given."""
        self._icon, self._token = icon, token or self._token
        self._dress()

    def _dress(self) -> None:
        pixels = self._theme.scaled(self._size)
        self.setIconSize(QSize(pixels, pixels))
        self.setIcon(self._theme.living_icon(self._icon, self._token, pixels))


class IconView(QWidget):
    """An icon that only shows something."""

    def __init__(
        self, theme: Theme, icon: str, token: str = "fg2", size: int = 14, *, turning: bool = False
    ) -> None:
        super().__init__()
        self._theme, self._icon, self._token = theme, icon, token
        self._turning, self._angle = turning, 0.0
        self._size = size
        self._fit()
        theme.changed.connect(self._fit)

    def set_icon(self, icon: str, token: str, *, turning: bool = False) -> None:
        """Show another icon."""
        self._icon, self._token, self._turning, self._angle = icon, token, turning, 0.0
        self.update()

    def turn(self) -> None:
        """Turn a little further, where the icon turns."""
        if self._turning:
            self._angle = (self._angle + 30.0) % 360.0
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        width = self.width()
        colour = self._theme.tokens[self._token]
        picture = make_pixmap(self._icon, colour, width, self.devicePixelRatioF())
        if not self._angle and width % 2 == 0:
            painter.drawPixmap(0, 0, picture)
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        middle = width / 2
        painter.translate(middle, middle)
        painter.rotate(self._angle)
        painter.drawPixmap(round(-middle), round(-middle), picture)

    def _fit(self) -> None:
        pixels = self._theme.scaled(self._size)
        self.setFixedSize(pixels, pixels)
        self.update()


def initials(name: str) -> str:
    """Return the one or two letters of a name in the place of its picture.

    They are those of the first and the last word; an article before them does not count.
    """
    words = [word for word in name.split() if word[:1].isalnum()]
    if len(words) > 1 and words[0].casefold() in _ARTICLES:
        words = words[1:]
    return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper() or "?"


def paint_initials(painter: QPainter, place: QRect, letters: str, kind: str = "character") -> None:
    """Paint letters on a rounded plate in a square place."""
    from PySide6.QtGui import QLinearGradient  # it brings hundreds of names

    first, second = _GRADIENTS[kind]
    size = place.width()
    gradient = QLinearGradient(QPointF(place.topLeft()), QPointF(place.bottomRight()))
    gradient.setColorAt(0, QColor(first))
    gradient.setColorAt(1, QColor(second))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(gradient)
    painter.drawRoundedRect(QRectF(place), size * 0.22, size * 0.22)
    painter.setPen(QPen(QColor("#ffffff")))
    painter.setFont(interface_font(round(size * 0.4), QFont.Weight.DemiBold))
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, letters)


class Avatar(QWidget):
    """The initials of a name on a rounded plate."""

    def __init__(self, name: str, kind: str = "character", size: int = 28) -> None:
        super().__init__()
        self._kind = kind
        self._initials = ""
        self._drawn: QPixmap | None = None
        self.setFixedSize(size, size)
        self.set_name(name)

    def set_name(self, name: str) -> None:
        """Show the initials of another name."""
        self._initials = initials(name)
        self.draw_anew()

    def draw_anew(self) -> None:
        """Forget the picture, since something else is to be drawn."""
        self._drawn = None
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Copy what was drawn once: a chat has many of them in sight."""
        ratio = self.devicePixelRatioF()
        size = self.size() * ratio
        if self._drawn is None or self._drawn.size() != size:
            self._drawn = QPixmap(size)
            self._drawn.setDevicePixelRatio(ratio)
            self._drawn.fill(Qt.GlobalColor.transparent)
            with QPainter(self._drawn) as painter:
                self.draw(painter)
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, self._drawn)

    def draw(self, painter: QPainter) -> None:
        """Draw plate and initials."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_initials(painter, self.rect(), self._initials, self._kind)


class ElidedLabel(QLabel):
    """One line of text that ends in … where it is too long; the whole text is its tip."""

    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._whole = ""
        self.set_whole(text)

    def set_whole(self, text: str) -> None:
        """Show another text; line breaks become blanks."""
        self._whole = " ".join(text.split())
        self.setAccessibleName(self._whole)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        metrics = QFontMetrics(self.font())
        shown = metrics.elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        self.setText(shown)
        self.setToolTip(plain_tip(self._whole if shown != self._whole else ""))


class Separator(QWidget):
    """A hairline across."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(1)
        self.setProperty("role", "separator")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
