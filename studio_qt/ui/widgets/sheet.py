"""`Sheet`: a dialog that lies over the window, with the rest of the window veiled."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QHideEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QButtonGroup,
    QDialog,
    QFrame,
    QHBoxLayout,
    QMenuBar,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bands import show_in_bands
from studio_qt.ui.widgets.basics import label, text_button

__all__ = ["MessageSheet", "Sheet"]

_VEIL = 0.78


class Sheet(QDialog):
    """A card on a veil. Escape, and a click beside the card, call `reject`.

    Sheets may lie over each other. The uppermost has the keys for as long as it is open: what
    takes them below its veil waits for it, and has them when it goes. Else they go back to what
    had them before it, in the sheet below where there is one. Subclasses fill `column`, and call
    `cover` when the card's content has changed. Laying one and taking it away is painted band by
    band: it is the whole window that changes, with all that lies below the veil.
    """

    widest = 616
    """Pixels at an interface size of 13."""
    low = False
    """Whether the card stands near the foot of the window, where the chat's field is."""

    def __init__(self, theme: Theme, over: QWidget, title: str) -> None:
        super().__init__(over)
        self.setWindowFlags(Qt.WindowType.Widget)  # in the window, no window of its own
        self._theme, self._over = theme, over
        self._before: QWidget | None = None
        self._last: QWidget | None = None
        self._keeps = False
        self.setProperty("veil", True)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.card = QFrame(self)
        self.card.setObjectName("sheet")
        self.column = QVBoxLayout(self.card)
        self.column.setContentsMargins(16, 14, 16, 12)
        self.column.setSpacing(12)
        over.installEventFilter(self)
        theme.dress(self)
        self.hide()

    @property
    def is_open(self) -> bool:
        """Whether the sheet is shown."""
        return not self.isHidden()

    def lay(self) -> None:
        """Show the sheet over everything; one that is open already is not laid a second time."""
        if (open_one := self._twin()) is not None:
            self.reject()
            open_one.come_up()
            return
        self._remember()
        if not self._keeps:
            self._keeps = True
            _application().focusChanged.connect(self._on_focus)
        self.cover()
        self.show()
        self.raise_()
        show_in_bands(self._over)

    def come_up(self) -> bool:
        """Lie over all others with what is in it; returns False, and does nothing, when closed."""
        if self.is_open:
            self._remember()
            self.raise_()
            self._take_keys()
        return self.is_open

    def _remember(self) -> None:
        """Keep what has the keys of the window now, also while another window is in front."""
        focus = self.window().focusWidget()
        if focus is not None and not self.isAncestorOf(focus):
            self._before = focus

    def _twin(self) -> Sheet | None:
        """Return an open sheet of the same kind and title over the same window."""
        for other in self._over.children():
            if type(other) is not type(self) or other is self or not isinstance(other, Sheet):
                continue
            if other.windowTitle() == self.windowTitle() and other.is_open:
                return other
        return None

    def cover(self) -> None:
        """Lie over the whole window, and give the card its place."""
        over = self._over
        self.setGeometry(over.rect())
        width = min(self._theme.scaled(self.widest), over.width() - 32)
        self.card.setFixedWidth(width)
        self.column.invalidate()
        height = self.column.totalHeightForWidth(width) if self.column.hasHeightForWidth() else -1
        if height < 0:
            height = self.card.sizeHint().height()
        middle = (over.height() - height) // 2
        top = over.height() - height - 40 if self.low else middle
        self.card.setGeometry((over.width() - width) // 2, max(16, top), width, height)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001 - Qt's signature
        """Let Tab go round inside the sheet, never to what is below the veil."""
        stops = self._stops()
        at = QApplication.focusWidget()
        if not stops:
            return True
        if at in stops:
            place = (stops.index(at) + (1 if forward else -1)) % len(stops)
        else:
            place = 0 if forward else -1
        reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        stops[place].setFocus(reason)
        return True

    def _stops(self) -> list[QWidget]:
        """Return what Tab comes to, in its order; of a group of buttons the one that is taken.

        Qt's own chain goes through the whole window; PySide would take what it comes to there for
        parts of the sheet, and for gone when the sheet is.
        """
        stops = [
            widget.focusProxy() or widget
            for widget in self.findChildren(QWidget)
            if widget.isVisible()
            and widget.isEnabled()
            and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and not _waits(widget)
        ]
        return list(dict.fromkeys(stops))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes; no other key reaches what is below the veil."""
        if event.key() == Qt.Key.Key_Escape:
            self.reject()
        else:
            event.accept()

    def hideEvent(self, event: QHideEvent) -> None:
        """Give the keys back, unless a sheet above has them."""
        super().hideEvent(event)
        if self._keeps and self.isHidden():  # else it was not laid, or the whole window goes
            self._keeps = False
            _application().focusChanged.disconnect(self._on_focus)
            self._give_keys_back()
            show_in_bands(self._over)

    def _give_keys_back(self) -> None:
        before, self._before, self._last = self._before, None, None
        others = [one for one in self._over.children() if isinstance(one, Sheet) and one.is_open]
        for other in others:
            if other._before is not None and self.isAncestorOf(other._before):
                other._before = before
        focus = self.window().focusWidget()
        if focus is not None and focus is not self and not self.isAncestorOf(focus):
            return
        if before is not None and isValid(before) and before.isVisible() and before.isEnabled():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        elif others:
            others[-1]._take_keys()

    def _on_focus(self, _old: QWidget | None, now: QWidget | None) -> None:
        """Keep the keys while this is the uppermost sheet."""
        if now is None or not self.is_open or now.window() is not self.window():
            return
        if self.isAncestorOf(now):
            self._last = now
        elif self._covers(now):
            self._before = now
            self._take_keys()

    def _covers(self, widget: QWidget) -> bool:
        """Whether a widget lies below this sheet, and no other one is above."""
        stack = self._over.children()
        above = stack[stack.index(self) + 1 :]
        if any(isinstance(one, Sheet) and one.is_open for one in above):
            return False
        if isinstance(widget, QMenuBar):  # its keys choose what is above soon
            return False
        return self._over.isAncestorOf(widget) and not any(
            isinstance(one, QWidget) and (one is widget or one.isAncestorOf(widget))
            for one in above
        )

    def _take_keys(self) -> None:
        last = self._last
        if last is None or not isValid(last) or not last.isVisible() or not last.isEnabled():
            last = next(iter(self._stops()), self)
        last.setFocus(Qt.FocusReason.OtherFocusReason)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.card.geometry().contains(event.position().toPoint()):
            self.reject()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        veil = QColor(self._theme.tokens["bg0"])
        veil.setAlphaF(_VEIL)
        painter.fillRect(QRectF(self.rect()), veil)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Resize and self.is_open:
            self.cover()
        return False


def _application() -> QApplication:
    found = QApplication.instance()
    assert isinstance(found, QApplication)
    return found


def _waits(widget: QWidget) -> bool:
    """Whether a button is of a group in which another is taken: arrows come to it, not Tab."""
    if not isinstance(widget, QAbstractButton) or not widget.isCheckable() or widget.isChecked():
        return False
    group: QButtonGroup | None = widget.group()
    if group is not None:
        return group.exclusive() and group.checkedButton() is not None
    return isinstance(widget, QRadioButton) and widget.autoExclusive() and _taken_beside(widget)


def _taken_beside(widget: QRadioButton) -> bool:
    parent = widget.parentWidget()
    return parent is not None and any(one.isChecked() for one in parent.findChildren(QRadioButton))


class MessageSheet(Sheet):
    """Says something, or asks for a yes. `accepted` and `rejected` are Qt's; it deletes itself.

    `yes` is the text of the button that goes on; without it there is only Close.
    """

    widest = 440

    def __init__(
        self, theme: Theme, over: QWidget, title: str, text: str, *, name: str, yes: str = ""
    ) -> None:
        super().__init__(theme, over, title)
        self.setObjectName(name)
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.addWidget(label(title, "title"))
        self._text = label("", "", wrap=True)
        self._text.setTextFormat(Qt.TextFormat.RichText)
        self._text.setText(text)
        self.column.addWidget(self._text)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        close = text_button("Cancel" if yes else "Close", f"{name}Close")
        close.clicked.connect(self.reject)
        row.addWidget(close)
        self._first = close
        if yes:
            go_on = text_button(yes, f"{name}Confirm", "primary")
            go_on.clicked.connect(self.accept)
            row.addWidget(go_on)
        self.column.addLayout(row)
        self.finished.connect(self.deleteLater)

    def lay(self) -> None:
        super().lay()
        self._first.setFocus(Qt.FocusReason.PopupFocusReason)
