"""Fields and choices: a field to search, a row of a form, cards to choose from, segments."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView, label

__all__ = ["Card", "DecimalField", "FormRow", "NumberField", "Pill", "SearchField", "Segments"]

_SPIN_MARGIN = 8
"""The stylesheet cannot give the text of a spin box its distance from the edge."""

_PILLS = {
    "accent": "pill",
    "quiet": "pillQuiet",
    "ok": "pillOk",
    "warn": "pillWarn",
    "err": "pillErr",
    "info": "pillInfo",
}

_STATES = {
    "error": ("fieldError", "alert", "err"),
    "warn": ("fieldWarn", "warning", "warn"),
    "locked": ("quiet", "lock", "fg3"),
    "ok": ("quiet", "check", "ok"),
}
"""Of each state of a field: the look of its sentence, and the icon with its colour."""


class SearchField(QLineEdit):
    """A field with a lens and a cross that clears. Escape clears it, and once empty is passed on.

    `down_wanted`: the down key, for whoever shows what was found.
    """

    down_wanted = Signal()

    def __init__(self, theme: Theme, text: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(text)
        self.setPlaceholderText(text)
        self._lens = QAction(self)  # one that Qt makes is gone for Python before the field is
        self.addAction(self._lens, QLineEdit.ActionPosition.LeadingPosition)
        self._clear = QAction("Clear", self)
        self._clear.triggered.connect(self.clear)
        self.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        self._clear.setVisible(False)
        names = ("Search", "Clear")
        for button, word in zip(self.findChildren(QToolButton), names, strict=True):
            button.setObjectName(f"{name}{word}")
            button.setAccessibleName(word)
        self._lens.setIcon(theme.living_icon("search"))
        self._clear.setIcon(theme.living_icon("close"))
        self.textChanged.connect(lambda words: self._clear.setVisible(bool(words)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            self.down_wanted.emit()
        else:
            super().keyPressEvent(event)


class NumberField(QSpinBox):
    """A field for whole numbers; the wheel turns it only while it has the focus."""

    def __init__(self, name: str, accessible: str, least: int, most: int) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setRange(least, most)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().setTextMargins(_SPIN_MARGIN, 0, 0, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class DecimalField(QDoubleSpinBox):
    """A field for numbers with decimals; the wheel turns it only while it has the focus."""

    def __init__(self, name: str, accessible: str, least: float, most: float) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setRange(least, most)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().setTextMargins(_SPIN_MARGIN, 0, 0, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class FormRow(QWidget):
    """A field with its name above, a hint at the right, and a sentence below when it is wrong.

    The row tells the field's name and its sentence to assistive technology. `side` takes what
    stands below the field at the right, a link that mends for instance, `beside` what stands on
    the field's own line.
    """

    def __init__(self, theme: Theme, title: str, field: QWidget, hint: str = "") -> None:
        super().__init__()
        self.field = field
        self._icon = IconView(theme, "alert", "err", 14)
        self._title = label(title, "name")
        self._title.setBuddy(field)
        self._hint = label(hint, "quiet")
        self._below = label("", "quiet", wrap=True)
        if not field.accessibleName():
            field.setAccessibleName(title)
        self.side, self.beside = QHBoxLayout(), QHBoxLayout()
        self._build()
        self.show_state("", "")

    def set_hint(self, hint: str) -> None:
        """Take another hint."""
        self._hint.setText(hint)

    def show_state(self, state: str, sentence: str = "") -> None:
        """Show "error", "warn", "locked", "ok", or "" with a sentence; an empty one has no line."""
        role, icon, token = _STATES.get(state, ("quiet", "info", "fg3"))
        self.field.setProperty("state", state if state in ("error", "warn", "locked") else None)
        self._below.setText(sentence)
        self._below.setProperty("role", role)
        self._icon.set_icon(icon, token)
        self._icon.setVisible(state in _STATES and bool(sentence))
        self._below.setVisible(bool(sentence))
        self.field.setAccessibleDescription(sentence)
        for part in (self.field, self._below):
            part.style().polish(part)

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self._hint)
        foot = QHBoxLayout()
        foot.setSpacing(6)
        foot.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        foot.addWidget(self._below, 1)
        foot.addLayout(self.side)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        self.beside.setSpacing(8)
        self.beside.addWidget(self.field)
        column.addLayout(self.beside)
        column.addLayout(foot)


class Card(QPushButton):
    """A button as large as its content: fill `column`; whatever lies on it lets clicks through."""

    def __init__(self, name: str, accessible: str, *, checkable: bool = False) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setProperty("kind", "card")
        self.setCheckable(checkable)
        self.setAutoExclusive(checkable)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(16, 14, 16, 14)
        self.column.setSpacing(4)

    def add(self, widget: QWidget) -> None:
        """Put a widget below the others."""
        widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.column.addWidget(widget)

    def hasHeightForWidth(self) -> bool:
        return self.column.hasHeightForWidth()

    def heightForWidth(self, width: int) -> int:
        return self.column.totalHeightForWidth(width)

    def sizeHint(self) -> QSize:
        return self.column.totalSizeHint()

    def minimumSizeHint(self) -> QSize:
        return self.column.totalMinimumSize()


class Segments(QFrame):
    """A few choices in one frame, one of them taken; `chosen` carries its name.

    `choices` are pairs of name and words. Arrow keys go from one to the next.
    """

    chosen = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]], name: str, accessible: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setProperty("role", "segments")
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(2)
        for choice, words in choices:
            button = QPushButton(words)
            button.setObjectName(f"{name}{choice[:1].upper()}{choice[1:]}")
            button.setAccessibleName(words)
            button.setProperty("kind", "segment")
            button.setCheckable(True)
            button.clicked.connect(lambda _checked=False, it=choice: self.chosen.emit(it))
            self._group.addButton(button)
            self._buttons[choice] = button
            row.addWidget(button)
        self.choose(choices[0][0])

    @property
    def choice(self) -> str:
        """The name of what is taken."""
        return next(name for name, button in self._buttons.items() if button.isChecked())

    def choose(self, choice: str) -> None:
        """Take one without telling; raises KeyError for an unknown one."""
        self._buttons[choice].setChecked(True)


class Pill(QLabel):
    """A small plate with a word; `tone`: accent, quiet, ok, warn, err or info."""

    def __init__(self, text: str, tone: str = "accent", name: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setObjectName(name)
        self.set_tone(tone)

    def set_tone(self, tone: str) -> None:
        """Take another tone."""
        self.setProperty("role", _PILLS[tone])
        self.style().polish(self)
