"""Toasts: transient notices, stacked over the window, and told to assistive technology."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QEnterEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.ui.theme.dressing import wear
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, IconView, label, text_button

__all__ = ["Toast", "Toasts"]

MOST = 4
"""Toasts that stand at once; the oldest goes for a new one."""

_WIDTH = 340
_MARGIN = 16
_MOVES = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)
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
    """The stack at the upper right of `place`, or at the foot of the page of `pages` that hides it.

    Both lie in `over`, of which the stack is the topmost part.
    """

    def __init__(self, theme: Theme, over: QWidget, pages: QStackedWidget, place: QWidget) -> None:
        super().__init__(over)
        self._over, self._pages, self._at = over, pages, place
        self._theme = theme
        self._standing: list[Toast] = []
        self.setObjectName("toasts")
        wear("base", "buttons", "bars", widgets=[self])
        self.setAccessibleName("Notices")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        pages.currentChanged.connect(lambda _at: self._place())
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
        if not self._standing:
            self._watch(watches=True)
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

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES:
            self._place()
        return False

    def _watch(self, *, watches: bool) -> None:
        """Follow the place while there is something to see: most of the time there is nothing."""
        for one in (self._over, self._at):
            if watches:
                one.installEventFilter(self)
            else:
                one.removeEventFilter(self)

    def _take_away(self, toast: Toast) -> None:
        """Forget a toast now; the widget itself is deleted when the loop comes round."""
        if toast not in self._standing:
            return
        self._standing.remove(toast)
        self._column.removeWidget(toast)
        if not self._standing:
            self._watch(watches=False)
        self._place()

    def _place(self) -> None:
        if not self._standing:
            self.hide()
            return
        is_there = self._at.isVisible()
        at = self._at if is_there else self._pages.currentWidget() or self._over
        width = min(_WIDTH, at.width() - 2 * _MARGIN)
        height = self._column.totalHeightForWidth(width)
        if height < 0:
            height = self._column.totalSizeHint().height()
        top = _MARGIN if is_there else at.height() - height - _MARGIN  # no page has much there
        corner = at.mapTo(self._over, QPoint(at.width() - width - _MARGIN, top))
        self.setGeometry(corner.x(), corner.y(), width, height)
        self.show()
        self.raise_()
