"""`OpeningPage`: "opening …", or why it did not work and what to do."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from studio_qt.ui.theme.dressing import wear
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.announcing import announce
from studio_qt.ui.widgets.basics import IconView, label, text_button

__all__ = ["OpeningPage"]

_WIDEST = 520


class OpeningPage(QWidget):
    """Shows that a character is being opened, or what is wrong with it.

    `painted` comes once, after the first paint: then slow imports may begin.
    """

    painted = Signal()
    retry_wanted = Signal()
    folder_wanted = Signal()
    sample_wanted = Signal()
    review_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._painted = False
        self.setObjectName("openingPage")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        wear("base", "buttons", "bars", widgets=[self])
        self._icon = IconView(theme, "spinner", "accent2", 28, turning=True)
        self._title = label("Opening …", "title", name="openingTitle")
        self._text = label("", "second", wrap=True, name="openingText")
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._buttons = QWidget()
        self._timer = QTimer(self)
        self._timer.setInterval(80)
        self._timer.timeout.connect(self._icon.turn)
        self._after_paint = QTimer(self)
        self._after_paint.setSingleShot(True)
        self._after_paint.timeout.connect(self.painted)
        self._build()

    def show_opening(self, name: str) -> None:
        """Say that a character is being opened."""
        self._icon.set_icon("spinner", "accent2", turning=True)
        self._title.setText(f"Opening {name} …")
        self._text.setText("")
        self._buttons.hide()
        self._timer.start()

    def show_progress(self, sentence: str) -> None:
        """Say what opening waits for."""
        self._text.setText(sentence)
        self._text.setAccessibleName(sentence)
        announce(self, sentence)

    def show_failure(self, name: str, reason: str) -> None:
        """Say why a character cannot be opened."""
        self._timer.stop()
        self._icon.set_icon("alert", "err")
        self._title.setText(f"{name} cannot be opened")
        self._text.setText(reason)
        self._text.setAccessibleName(reason)
        self._offer(asking=False)
        self._retry.setFocus()

    def show_question(self, name: str, reason: str) -> None:
        """Say why a character does not play before the user has answered; `name` is the title."""
        self._timer.stop()
        self._icon.set_icon("shield", "warn")
        self._title.setText(name)
        self._text.setText(reason)
        self._text.setAccessibleName(reason)
        self._offer(asking=True)

    def rest(self) -> None:
        """Stop moving; something else is shown."""
        self._timer.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self._after_paint.start(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand the buttons on one another where they have no room beside one another."""
        super().resizeEvent(event)
        needed = sum(
            each.sizeHint().width() + 8
            for each in self._buttons.findChildren(QPushButton)
            if not each.isHidden()
        )
        narrow = self.width() < needed + 32
        self._row.setDirection(
            QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        )

    def _offer(self, *, asking: bool) -> None:
        """Show the button that leads to the question, or those of a failure."""
        for button in self._buttons.findChildren(QPushButton):
            button.setHidden((button is self._review) is not asking)
        self._buttons.show()

    def _build(self) -> None:
        inside = QWidget()
        inside.setMaximumWidth(_WIDEST)
        column = QVBoxLayout(inside)
        column.setSpacing(12)
        column.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignHCenter)
        self._title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._title)
        column.addWidget(self._text)
        self._retry = text_button("Try again", "openingRetry", "primary")
        folder = text_button("Open another…", "openingOther")
        sample = text_button("Open the sample", "openingSample")
        self._review = text_button("Review and play…", "openingReview", "primary")
        self._retry.clicked.connect(self.retry_wanted)
        self._review.clicked.connect(self.review_wanted)
        folder.clicked.connect(self.folder_wanted)
        sample.clicked.connect(self.sample_wanted)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._buttons)
        self._row.setContentsMargins(0, 8, 0, 0)
        self._row.setSpacing(8)
        self._row.addStretch(1)
        for button in (self._review, self._retry, folder, sample):
            self._row.addWidget(button)
        self._row.addStretch(1)
        column.addWidget(self._buttons)
        self._buttons.hide()
        outer = QVBoxLayout(self)
        outer.addStretch(3)
        line = QHBoxLayout()
        line.addStretch(1)
        line.addWidget(inside, 100)
        line.addStretch(1)
        outer.addLayout(line)
        outer.addStretch(4)
