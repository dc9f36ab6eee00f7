"""`ChoiceCard`: one of several things to choose from, with an icon, a name and a line below."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, IconView, label
from studio_qt.ui.widgets.dot import Dot

__all__ = ["ChoiceCard"]

_FITTED = (
    QEvent.Type.LayoutRequest,
    QEvent.Type.StyleChange,
    QEvent.Type.FontChange,
    QEvent.Type.Show,  # its words may have had their look when it was hidden
)
_STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Right: 1,
}


class ChoiceCard(QPushButton):
    """A card with a radio mark; put cards of one choice into an exclusive QButtonGroup.

    `step_wanted` carries -1 or 1 when an arrow asks for the card before or after this one.
    """

    step_wanted = Signal(int)

    def __init__(self, theme: Theme, name: str, *, icon: str = "", radio: bool = True) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setProperty("kind", "card")
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._title = label("", "name")
        self._pill = label("", "pill")
        self._line = ElidedLabel("", "second")
        self._mark = _Mark(theme, self) if radio else None
        self._dot = None if radio else Dot(theme)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 9, 12, 10)
        row.setSpacing(0)
        for widget in (self._mark, self._dot):
            if widget is not None:
                row.addWidget(widget)
                row.addSpacing(20 if icon else 12)
        if icon:
            row.addWidget(IconView(theme, icon, "fg2", 16))
            row.addSpacing(12)
        row.addLayout(self._words(), 1)
        for child in self.findChildren(QWidget):
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.show_words("", "")

    @property
    def title(self) -> str:
        """The name that is shown."""
        return self._title.text()

    def show_words(self, title: str, line: str, pill: str = "", pill_role: str = "pill") -> None:
        """Show a name, the line below it, and a pill beside it where there is one."""
        self._title.setText(title)
        self._line.set_whole(line)
        self._pill.setText(pill)
        self._pill.setProperty("role", pill_role)
        self._pill.style().polish(self._pill)
        self._pill.setVisible(bool(pill))
        self.setAccessibleName(title)
        self.setAccessibleDescription(". ".join(filter(None, (pill, line))))
        self._hold_height()

    def show_light(self, token: str) -> None:
        """Colour the dot of a card without a radio mark; the words below say what it means."""
        if self._dot is not None:
            self._dot.show_token(token)

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.sizeHint() if layout is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Fit the height when the words have another one, as when they get their look later."""
        if event.type() in _FITTED:
            self._hold_height()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go to the neighbours, Enter and Space choose."""
        key = Qt.Key(event.key())
        if key in _STEPS:
            self.step_wanted.emit(_STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def _hold_height(self) -> None:
        """Never be lower than the words: the stylesheet sets a least height of its own."""
        if self.layout() is not None:
            self.setMinimumHeight(self.sizeHint().height())

    def _words(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(1)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self._title)
        top.addWidget(self._pill)
        top.addStretch(1)
        column.addLayout(top)
        column.addWidget(self._line)
        return column


class _Mark(QWidget):
    """The ring of a radio button, filled when its card is checked."""

    def __init__(self, theme: Theme, card: QPushButton) -> None:
        super().__init__()
        self._theme, self._card = theme, card
        self.setFixedSize(18, 18)
        card.toggled.connect(lambda _on: self.update())
        theme.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on = self._card.isChecked()
        ring = self._theme.colour("btn" if on else "ctl")
        painter.setPen(QPen(ring, 1.2))
        painter.setBrush(ring if on else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QRectF(1.5, 1.5, 15, 15))
        if on:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("onaccent"))
            painter.drawEllipse(QRectF(5.5, 5.5, 7, 7))
