"""Toasts: transient notices, stacked over the window, and told to assistive technology."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QEnterEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, IconView, label, text_button

__all__ = ["Toast", "Toasts"]

MOST = 4
"""Toasts that stand at once; the oldest goes for a new one."""

_WIDTH = 340
_MARGIN = 16
_LOOKS = {"info": ("info", "info"), "error": ("alert", "err"), "ok": ("check", "ok")}


class Toast(QFrame):
    """One notice. It goes after a while, later for long texts, never while the mouse is on it.

    `act` is what its button does, which bears the word `action`; the notice is gone then.
    """

    left = Signal()

    def __init__(
        self,
        theme: Theme,
        text: str,
        kind: str,
        parent: QWidget,
        action: str = "",
        act: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(parent)
        self.text = text
        self.setObjectName("toast")
        self.setAccessibleName(text)
        self.setProperty("kind", kind)
        icon, token = _LOOKS[kind]
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 10, 8, 10)
        row.setSpacing(10)
        row.addWidget(IconView(theme, icon, token, 16), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label(text, wrap=True), 1)
        if act is not None:
            button = text_button(action, "toastAction", "link")
            button.clicked.connect(self.leave)
            button.clicked.connect(lambda _checked: act())
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        close = IconButton(theme, "close", "Dismiss", name="toastClose", size=13, kind="tiny")
        close.clicked.connect(self.leave)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.leave)
        self._timer.start(min(12_000, 4_000 + 40 * len(text)))

    def leave(self) -> None:
        """Go away."""
        self._timer.stop()
        self.hide()
        self.deleteLater()
        self.left.emit()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._timer.start(2_000)
        super().leaveEvent(event)


class Toasts(QWidget):
    """The stack at the upper right of the widget that it lies over."""

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self._theme = theme
        self._standing: list[Toast] = []
        self.setObjectName("toasts")
        self.setAccessibleName("Notices")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        over.installEventFilter(self)
        self.hide()

    @property
    def texts(self) -> list[str]:
        """What the standing toasts say, the oldest first."""
        return [toast.text for toast in self._standing]

    def show_text(
        self,
        text: str,
        kind: str = "info",
        action: str = "",
        act: Callable[[], object] | None = None,
    ) -> None:
        """Add a toast; the same text twice at once is shown once. `kind`: info, ok, error.

        With `act` it has a button that bears the word `action`.
        """
        if text in self.texts and act is None:
            return
        for old in self._standing[: 1 - MOST]:
            old.leave()
        toast = Toast(self._theme, text, kind, self, action, act)
        toast.left.connect(lambda: self._take_away(toast))
        self._standing.append(toast)
        self._column.addWidget(toast)
        toast.show()
        self._place()
        announcement = QAccessibleAnnouncementEvent(self, text)
        QAccessible.updateAccessibility(announcement)

    def clear(self) -> None:
        """Remove all."""
        for toast in tuple(self._standing):
            toast.leave()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def _take_away(self, toast: Toast) -> None:
        """Forget a toast now; the widget itself is deleted when the loop comes round."""
        if toast not in self._standing:
            return
        self._standing.remove(toast)
        self._column.removeWidget(toast)
        self._place()

    def _place(self) -> None:
        over = self._over
        if not self._standing:
            self.hide()
            return
        width = min(_WIDTH, over.width() - 2 * _MARGIN)
        height = self._column.totalHeightForWidth(width)
        if height < 0:
            height = self._column.totalSizeHint().height()
        self.setGeometry(over.width() - width - _MARGIN, _MARGIN, width, height)
        self.show()
        self.raise_()
