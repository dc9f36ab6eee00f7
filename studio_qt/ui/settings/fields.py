"""The fields of settings: one for each type of value, all with the same face."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFontDatabase, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from studio_qt.ui.settings.declared import Declared, read_number, shown
from studio_qt.ui.widgets.inputs import Segments

__all__ = ["Field", "make_field"]

_QUIET_MS = 350
"""After the last key, before what was typed is taken."""
_STEPS = {0x01000013: 1, 0x01000015: -1}  # the keys up and down
_MOST_SEGMENTS = 4


class Field(QWidget):
    """Holds a value. `entered` comes when the user has given another one.

    `control` is what has the focus, the names and the look of an error.
    """

    entered = Signal()

    def __init__(self, declared: Declared) -> None:
        super().__init__()
        self.declared = declared
        self.control: QWidget = self
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    @property
    def pending(self) -> bool:
        """Whether something is being typed that was not given yet."""
        return False

    def show_value(self, value: object) -> None:
        """Show a value; nothing is told."""
        raise NotImplementedError

    def value(self) -> object:
        """Return what is given; raises StudioError where it is no value."""
        raise NotImplementedError

    def hold(self, control: QWidget) -> None:
        """Take the control that this field is."""
        self.control = control
        control.setObjectName(f"setting_{self.declared.name}")
        control.setAccessibleName(self.declared.setting.label)
        control.setAccessibleDescription(self.declared.setting.help)
        self._column.addWidget(control)
        self.setFocusProxy(control)


class _Typed(Field):
    """A field that is typed into: what stands there counts after a pause, or when it is left."""

    def __init__(self, declared: Declared) -> None:
        super().__init__(declared)
        self._touched = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_QUIET_MS)
        self._pause.timeout.connect(self._give)

    @property
    def pending(self) -> bool:
        return self._touched

    def _typing(self) -> None:
        self._touched = True
        self._pause.start()

    def _give(self) -> None:
        self._pause.stop()
        if self._touched:
            self._touched = False
            self.entered.emit()


class LineField(_Typed):
    """A number or a line of text; an empty one is None where None is allowed."""

    def __init__(self, declared: Declared) -> None:
        super().__init__(declared)
        self._line = _Line(self._step)
        self._line.setPlaceholderText(declared.setting.unset if declared.optional else "")
        self._line.textEdited.connect(lambda _text: self._typing())
        self._line.editingFinished.connect(self._give)
        self.hold(self._line)

    def show_value(self, value: object) -> None:
        self._touched = False
        self._line.setText(shown(value))

    def value(self) -> object:
        text = self._line.text().strip()
        if not text and self.declared.optional:
            return None
        return text if self.declared.kind is str else read_number(text, self.declared.kind)

    def _step(self, step: int) -> None:
        """Go one up or down with the arrows, where there is a whole number."""
        if self.declared.kind is int and (text := self._line.text().strip()):
            number = int(read_number(text, int)) + step
            low, high = self.declared.setting.low, self.declared.setting.high
            if (low is None or number >= low) and (high is None or number <= high):
                self._line.setText(shown(number))
                self._typing()


class _Line(QLineEdit):
    def __init__(self, step: Callable[[int], None]) -> None:
        super().__init__()
        self._step = step

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (step := _STEPS.get(event.key())) is not None:
            self._step(step)
        else:
            super().keyPressEvent(event)


class TextField(_Typed):
    """Several lines of text."""

    def __init__(self, declared: Declared) -> None:
        super().__init__(declared)
        self._text = _Text(self._give)
        self._text.setProperty("kind", "field")
        self._text.setPlaceholderText(declared.setting.unset)
        self._text.setTabChangesFocus(True)
        self._text.setFixedHeight(140)
        self._text.textChanged.connect(self._typing)
        self.hold(self._text)

    def show_value(self, value: object) -> None:
        text = "" if value is None else str(value)
        if text != self._text.toPlainText():
            self._text.blockSignals(True)
            self._text.setPlainText(text)
            self._text.blockSignals(False)
        self._touched = False

    def value(self) -> object:
        text = self._text.toPlainText()
        return text if text.strip() or not self.declared.optional else None


class _Text(QPlainTextEdit):
    def __init__(self, left: Callable[[], None]) -> None:
        super().__init__()
        self._left = left

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._left()


class CheckField(Field):
    """On or off."""

    def __init__(self, declared: Declared) -> None:
        super().__init__(declared)
        self._check = QCheckBox("Off")
        self._check.toggled.connect(lambda on: self._check.setText("On" if on else "Off"))
        self._check.clicked.connect(lambda _on: self.entered.emit())
        self.hold(self._check)
        self._column.setAlignment(self._check, Qt.AlignmentFlag.AlignLeft)

    def show_value(self, value: object) -> None:
        self._check.setChecked(bool(value))

    def value(self) -> object:
        return self._check.isChecked()


class ChoiceField(Field):
    """One of several values; the list may be longer only when it is opened."""

    def __init__(
        self,
        declared: Declared,
        choices: Sequence[tuple[object, str]],
        more: Callable[[], Sequence[tuple[object, str]]] | None = None,
    ) -> None:
        super().__init__(declared)
        self._box = ChoiceBox(self._fill)
        self._more = more
        for value, words in choices:
            self._box.addItem(words, value)
        self._box.activated.connect(lambda _index: self.entered.emit())
        self.hold(self._box)

    def show_value(self, value: object) -> None:
        place = self._box.findData(value)
        if place < 0:
            self._box.addItem(str(value), value)
            place = self._box.count() - 1
        self._box.setCurrentIndex(place)

    def value(self) -> object:
        return self._box.currentData()

    def add(self, choices: Sequence[tuple[object, str]]) -> None:
        """Add what is not there yet."""
        for value, words in choices:
            if self._box.findData(value) < 0:
                self._box.addItem(words, value)

    def _fill(self) -> None:
        if self._more is not None:
            more, self._more = self._more, None
            self.add(more())


class ChoiceBox(QComboBox):
    """A list that is filled when it is needed; the wheel scrolls past it."""

    def __init__(self, fill: Callable[[], None]) -> None:
        super().__init__()
        self._fill_now = fill
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def showPopup(self) -> None:
        self._fill_now()
        super().showPopup()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._fill_now()
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class SegmentField(Field):
    """A few choices beside each other."""

    def __init__(self, declared: Declared) -> None:
        super().__init__(declared)
        choices = declared.setting.choices
        self._segments = Segments(choices, f"setting_{declared.name}", declared.setting.label)
        self._segments.chosen.connect(lambda _choice: self.entered.emit())
        inside = QWidget()
        row = QHBoxLayout(inside)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._segments)
        row.addStretch(1)
        self._column.addWidget(inside)
        self.control = self._segments

    def show_value(self, value: object) -> None:
        self._segments.choose(str(value))

    def value(self) -> object:
        return self._segments.choice


class Lists(Protocol):
    """What the lists of faces and languages come from."""

    def languages(self, take: Callable[[Sequence[tuple[object, str]]], None]) -> None:
        """Give the languages of spelling when they are known."""
        ...


def make_field(declared: Declared, lists: Lists) -> Field:
    """Return the field for a setting, with nothing shown yet."""
    setting = declared.setting
    if 0 < len(setting.choices) <= _MOST_SEGMENTS:
        return SegmentField(declared)
    if setting.choices:
        return ChoiceField(declared, setting.choices)
    if setting.kind == "face":
        return ChoiceField(declared, [("", _first(setting.unset))], lambda: _faces(declared))
    if setting.kind == "language":
        field = ChoiceField(declared, [("", _first(setting.unset))])
        lists.languages(field.add)
        return field
    if setting.kind == "text":
        return TextField(declared)
    if declared.kind is bool:
        if not declared.optional:
            return CheckField(declared)
        return ChoiceField(declared, [(None, _first(setting.unset)), (True, "Yes"), (False, "No")])
    return LineField(declared)


def _first(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _faces(declared: Declared) -> list[tuple[object, str]]:
    """Return the typefaces of the system; for code only those of one width."""
    names = [name for name in QFontDatabase.families() if not QFontDatabase.isPrivateFamily(name)]
    if declared.setting.group == "editor":
        names = [name for name in names if QFontDatabase.isFixedPitch(name)] or names
    return [(name, name) for name in names]
