"""Bars and lines of a page: notices, headings in capitals, meters, and what an empty place says."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, IconView, label, text_button

__all__ = ["EmptyState", "Meter", "NoticeBar", "SectionTitle"]

_TONES = {
    "warn": ("warning", "warn"),
    "err": ("alert", "err"),
    "info": ("info", "info"),
    "ok": ("check", "ok"),
}

_EDGE = 20
_ICON_ROOM = 88
"""Pixels that an icon and the gaps of an empty place take."""


class NoticeBar(QFrame):
    """A sentence across a page, with what can be done about it; hidden until it has something.

    `action_wanted` and `link_wanted` are its button and its second, quieter one; `closed` comes
    when the user sends it away.
    """

    action_wanted = Signal()
    link_wanted = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("noticeBar")
        self._icon = IconView(theme, "warning", "warn", 16)
        self._label = label("", "", wrap=True, name="noticeText")
        self._action = text_button("", "noticeAction", "tone")
        self._link = text_button("", "noticeLink", "link")
        self._close = IconButton(
            theme, "close", "Dismiss the notice", name="noticeClose", size=13, kind="tiny"
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(10)
        row.addWidget(self._icon)
        row.addWidget(self._label, 1)
        for button in (self._link, self._action, self._close):
            row.addWidget(button)
        self._action.clicked.connect(self.action_wanted)
        self._link.clicked.connect(self.link_wanted)
        self._close.clicked.connect(self._on_close)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._label.text()

    def show_notice(
        self,
        text: str,
        *,
        tone: str = "warn",
        action: str = "",
        link: str = "",
        closable: bool = True,
    ) -> None:
        """Say something; `tone` is "warn", "err", "info" or "ok", an empty word has no button."""
        self._icon.set_icon(*_TONES[tone])
        self.setProperty("tone", tone)
        self.setAccessibleName(text)
        self._label.setText(text)
        for button, words in ((self._action, action), (self._link, link)):
            button.setText(words)
            button.setAccessibleName(words)
            button.setVisible(bool(words))
        self._close.setVisible(closable)
        for part in (self, self._action, self._link):
            part.style().polish(part)
        self.show()

    def _on_close(self) -> None:
        self.hide()
        self.closed.emit()


class SectionTitle(QWidget):
    """A heading in capitals; `side` takes what stands at its right."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = label("", "caps")
        self.side = QHBoxLayout()
        self.side.setSpacing(4)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._label)
        row.addStretch(1)
        row.addLayout(self.side)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Take another heading; it is written in capitals, and read out as it is."""
        self._label.setText(text.upper())
        self._label.setAccessibleName(text)


class Meter(QWidget):
    """How full something is: words, a bar of 4 px, and the count.

    `fraction` is drawn from 0 to 1; from `warn_at` on the bar has the colour of a warning, over 1
    that of an error.
    """

    def __init__(self, theme: Theme, title: str, name: str, *, warn_at: float = 0.8) -> None:
        super().__init__()
        self.setObjectName(name)
        self._title_text, self._warn_at = title, warn_at
        self._bar = _Bar(theme)
        self._value = label("", "second")
        words = label(title, "second")
        for each in (words, self._value):
            each.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(words)
        row.addWidget(self._bar)
        row.addWidget(self._value)
        self.show_value(0.0, "")

    @property
    def tone(self) -> str:
        """The token of the bar's colour."""
        return self._bar.tone

    def show_value(self, fraction: float, words: str) -> None:
        """Show how full it is, and the count in words ("8.6k of 32k")."""
        tone = "okfill" if fraction < self._warn_at else "warnfill" if fraction <= 1 else "err"
        self._bar.show_fraction(fraction, tone)
        self._value.setText(words)
        self.setAccessibleName(f"{self._title_text}: {words}" if words else self._title_text)


class _Bar(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._fraction = 0.0
        self.tone = "okfill"
        self.setMinimumWidth(24)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(80, 4)

    def show_fraction(self, fraction: float, tone: str) -> None:
        self._fraction, self.tone = min(1.0, max(0.0, fraction)), tone
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(0, (self.height() - 4) / 2, self.width(), 4)
        painter.setBrush(self._theme.colour("bg3"))
        painter.drawRoundedRect(whole, 2, 2)
        if self._fraction > 0:
            whole.setWidth(max(4.0, whole.width() * self._fraction))
            painter.setBrush(self._theme.colour(self.tone))
            painter.drawRoundedRect(whole, 2, 2)


class EmptyState(QWidget):
    """What an empty place says: an icon, a title, a sentence, and a button that goes on.

    Without `button` there is none; `wanted` is its click.
    """

    wanted = Signal()

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, button: str = "", *, name: str
    ) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._icon = IconView(theme, icon, "fg3", 32)
        self._title = label("", "name", wrap=True)
        self._text = label("", "second", wrap=True)
        self._button = text_button(button, f"{name}Button")
        self._button.clicked.connect(self.wanted)
        if not button:  # else it would be a window of its own until it has its place
            self._button.hide()
        self._build()
        self.show_text(title, text)

    def show_text(self, title: str, text: str) -> None:
        """Say something else."""
        self._title.setText(title)
        self._text.setText(text)
        self.setAccessibleDescription(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the icon where the words need its room."""
        super().resizeEvent(event)
        width = event.size().width() - 2 * _EDGE
        words = sum(each.heightForWidth(width) for each in (self._title, self._text))
        if not self._button.isHidden():
            words += self._button.sizeHint().height() + 8
        self._icon.setVisible(event.size().height() >= words + _ICON_ROOM)

    def _build(self) -> None:
        inside = QVBoxLayout()
        inside.setSpacing(8)
        for words in (self._title, self._text):
            words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        inside.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addSpacing(4)
        inside.addWidget(self._title)
        inside.addWidget(self._text)
        inside.addSpacing(4)
        inside.addWidget(self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(_EDGE, 8, _EDGE, 8)
        column.addStretch(2)
        column.addLayout(inside)
        column.addStretch(3)
