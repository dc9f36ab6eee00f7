"""One field of the form: what it holds, as JSON, and what is wrong with it."""

from __future__ import annotations

import json
import math

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from studio_qt.jsontext import JsonValue, decode, encode, encode_pretty
from studio_qt.ui.tester.shapes import Shape, number_text
from studio_qt.ui.theme.theme import Theme

__all__ = [
    "BooleanField",
    "EnumField",
    "Field",
    "GrowingText",
    "NumberLine",
    "RawField",
    "TextLines",
    "json_fault",
]

_MOST_LINES = 8


class Field(QWidget):
    """A value of the form. `changed` follows what the user does, `put` says nothing.

    `value` is None-free JSON as far as the schema wants it; where `fault` is a sentence, it is
    what can be made of the field.
    """

    changed = Signal()

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    @property
    def value(self) -> JsonValue:
        """What the field holds."""
        raise NotImplementedError

    @property
    def fault(self) -> str:
        """What is wrong with it as it stands; "" for nothing."""
        return ""

    @property
    def editor(self) -> QWidget:
        """The control that takes the focus."""
        return self

    def put(self, value: JsonValue) -> None:
        """Show another value."""
        raise NotImplementedError

    def name(self, path: str, words: str) -> None:
        """Give the control the name that tests and assistive technology know it by."""
        self.editor.setObjectName(f"testerField.{path}")
        self.editor.setAccessibleName(words)


class GrowingText(QPlainTextEdit):
    """A field of one line that grows with its text; Tab goes on, Ctrl+Enter belongs to the page."""

    def __init__(self, *, mono: Theme | None = None, least: int = 1) -> None:
        super().__init__()
        self._least = least
        self.setProperty("kind", "field")
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(1)
        if mono is not None:
            self.setFont(mono.mono(12))
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        self._grow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._grow()

    def sizeHint(self) -> QSize:
        return QSize(160, self.minimumHeight())

    def _grow(self) -> None:
        line = QFontMetricsF(self.font()).lineSpacing()
        lines = min(max(self._least, round(self.document().size().height())), _MOST_LINES)
        self.setFixedHeight(max(28, round(line * lines) + 12))


class TextLines(Field):
    """A text of one or of many lines."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self._edit = GrowingText()
        self._column.addWidget(self._edit)
        self._edit.textChanged.connect(self.changed)

    @property
    def editor(self) -> QWidget:
        return self._edit

    @property
    def value(self) -> JsonValue:
        return self._edit.toPlainText()

    @property
    def fault(self) -> str:
        count, shape = len(self._edit.toPlainText()), self.shape
        if shape.least and count < shape.least:
            return f"At least {shape.least} characters are needed; there are {count}."
        if shape.most and count > shape.most:
            return f"At most {shape.most} characters are allowed; there are {count}."
        return ""

    def put(self, value: JsonValue) -> None:
        self._edit.setPlainText(str(value))


class NumberLine(Field):
    """A number of any size and precision; the arrow keys step."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self._edit = _Steps()
        self._column.addWidget(self._edit)
        self._edit.textChanged.connect(self.changed)
        self._edit.stepped.connect(self._step)

    @property
    def editor(self) -> QWidget:
        return self._edit

    @property
    def value(self) -> JsonValue:
        try:
            found = decode(self._edit.text().strip().removeprefix("+"))
        except ValueError:
            return self._edit.text()
        return found if _is_number(found) else self._edit.text()

    @property
    def fault(self) -> str:
        value, shape = self.value, self.shape
        if not isinstance(value, int | float) or isinstance(value, bool):
            return "Write a number, such as 3 or 2.5."
        if shape.kind == "integer" and isinstance(value, float) and not value.is_integer():
            return "Write a whole number."
        return _out_of_bounds(value, shape)

    def put(self, value: JsonValue) -> None:
        self._edit.setText(encode(value))

    def _step(self, by: int) -> None:
        value, step = self.value, self.shape.step or 1
        if isinstance(value, int | float) and not self._edit.isReadOnly():
            whole = isinstance(step, float) and step.is_integer()
            try:
                moved = value + by * (int(step) if whole else step)
            except OverflowError:  # more digits than there is room for beside a fraction
                return
            low, high = self.shape.minimum, self.shape.maximum
            moved = moved if low is None else max(moved, low)
            moved = moved if high is None else min(moved, high)
            whole = isinstance(moved, float) and moved.is_integer()
            self.put(int(moved) if whole else moved)


class _Steps(QLineEdit):
    stepped = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.stepped.emit(1 if event.key() == Qt.Key.Key_Up else -1)
        else:
            super().keyPressEvent(event)


class BooleanField(Field):
    """Yes or no."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self._box = QCheckBox("false")
        self._column.addWidget(self._box)
        self._box.toggled.connect(self._on_toggled)

    @property
    def editor(self) -> QWidget:
        return self._box

    @property
    def value(self) -> JsonValue:
        return self._box.isChecked()

    def put(self, value: JsonValue) -> None:
        self._box.setChecked(value is True)

    def _on_toggled(self, checked: bool) -> None:  # noqa: FBT001 - Qt's signal
        self._box.setText("true" if checked else "false")
        self.changed.emit()


class EnumField(Field):
    """One of the values that the schema lists."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self._box = QComboBox()
        self._box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        for option in shape.options:
            self._box.addItem(option if isinstance(option, str) else encode(option))
        self._column.addWidget(self._box)
        self._box.currentIndexChanged.connect(lambda _at: self.changed.emit())

    @property
    def editor(self) -> QWidget:
        return self._box

    @property
    def value(self) -> JsonValue:
        return self.shape.options[max(self._box.currentIndex(), 0)]

    def put(self, value: JsonValue) -> None:
        wanted = encode(value)
        for at, option in enumerate(self.shape.options):
            if encode(option) == wanted:
                self._box.setCurrentIndex(at)


class RawField(Field):
    """Anything, written as JSON."""

    def __init__(self, shape: Shape, theme: Theme, *, least: int = 1) -> None:
        super().__init__(shape)
        self._edit = GrowingText(mono=theme, least=least)
        self._column.addWidget(self._edit)
        self._edit.textChanged.connect(self.changed)

    @property
    def editor(self) -> QWidget:
        return self._edit

    @property
    def value(self) -> JsonValue:
        try:
            return decode(self._edit.toPlainText())
        except ValueError:
            return None

    @property
    def fault(self) -> str:
        return json_fault(self._edit.toPlainText())

    def put(self, value: JsonValue) -> None:
        self._edit.setPlainText(encode_pretty(value).rstrip("\n"))


def json_fault(text: str) -> str:
    """Return what keeps a text from being JSON, with its place; "" when it is."""
    try:
        json.loads(text)
        decode(text)
    except json.JSONDecodeError as error:
        return f"This is not JSON: {error.msg} (line {error.lineno}, column {error.colno})."
    except (ValueError, RecursionError) as error:
        return f"This is not JSON: {error}."
    return ""


def _is_number(value: JsonValue) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _out_of_bounds(value: float, shape: Shape) -> str:
    if shape.minimum is not None and value < shape.minimum:
        return f"It has to be at least {number_text(shape.minimum)}."
    if shape.maximum is not None and value > shape.maximum:
        return f"It has to be at most {number_text(shape.maximum)}."
    if shape.above is not None and value <= shape.above:
        return f"It has to be more than {number_text(shape.above)}."
    if shape.below is not None and value >= shape.below:
        return f"It has to be less than {number_text(shape.below)}."
    return ""
