"""`ArgumentsForm`: the arguments of one tool, as a form or as JSON; a command's line."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.engine.offers import Offer
from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.ui.tester.fields import Field, RawField, TextLines
from studio_qt.ui.tester.form import make_field
from studio_qt.ui.tester.shapes import Shape, first_value, fits, shape_of
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label
from studio_qt.ui.widgets.inputs import FormRow, Segments

__all__ = ["ArgumentsForm"]

_LINES = 8


class ArgumentsForm(QWidget):
    """Form and JSON are two views of one value; what one of them holds, the other shows.

    `changed` follows every change by the user.
    """

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._offer: Offer | None = None
        self._shape = Shape("raw")
        self._field: Field | None = None
        self.view = Segments([("form", "Form"), ("json", "JSON")], "testerView", "Arguments as")
        self._raw = RawField(Shape("raw"), theme, least=_LINES)
        self._raw.name("json", "Arguments as JSON")
        self._raw_row = FormRow(theme, "Arguments as JSON", self._raw)
        self._help = label("", "second", wrap=True, name="testerHelp")
        self._pages = QStackedWidget()
        self._scroll = QScrollArea()
        self._build()
        self.view.chosen.connect(self._on_view)
        self._raw.changed.connect(self._on_raw)

    @property
    def fault(self) -> str:
        """What keeps the arguments from being sent at all: no JSON, no object."""
        if self._offer is None or self._offer.kind == "command":
            return ""
        if self._shows_json and self._raw.fault:
            return self._raw.fault
        if not isinstance(self._value, dict):
            return "The arguments have to be an object: put everything between { and }."
        return ""

    @property
    def args(self) -> JsonObject:
        """The arguments of a tool; {} where they are none."""
        value = self._value
        return value if isinstance(value, dict) else {}

    @property
    def line(self) -> str:
        """What is given to a command."""
        command = self._offer is not None and self._offer.kind == "command"
        return str(self._value) if command else ""

    def show_offer(self, offer: Offer | None) -> None:
        """Show the form of a tool or command, with first values."""
        self._offer = offer
        tool = offer is not None and offer.kind == "tool"
        self._shape = shape_of(offer.parameters) if offer and tool else Shape("text")
        self.view.setVisible(tool)
        self.view.choose("form")
        value = first_value(self._shape)
        self.put({} if tool and not isinstance(value, dict) else value)

    def tell(self, text: str) -> None:
        """Show other words on what the tool does, above the fields."""
        self._help.setText(text)
        self._help.setVisible(bool(text))

    def put(self, value: JsonValue) -> None:
        """Fill in other arguments; what the form cannot hold is shown as JSON."""
        if fits(self._shape, value):
            self._show_form(value)
            return
        self.view.choose("json")
        self._show_json(value)

    def focus_first(self) -> None:
        """Go to the first field."""
        target = self._raw.editor if self._shows_json else self._field
        if target is not None:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)
            if isinstance(target, Field):
                target.focusNextChild()

    @property
    def _shows_json(self) -> bool:
        return self._pages.currentWidget() is self._raw_row

    @property
    def _value(self) -> JsonValue:
        if self._shows_json:
            return self._raw.value
        return self._field.value if self._field is not None else {}

    def _build(self) -> None:
        self._scroll.setObjectName("testerForm")
        self._scroll.setAccessibleName("Arguments")
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._pages.addWidget(self._scroll)
        self._pages.addWidget(self._raw_row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.view, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._pages, 1)

    def _show_form(self, value: JsonValue) -> None:
        field = make_field(self._shape, self._theme, "")
        field.put(value)
        field.changed.connect(self.changed)
        self._field = field
        inside = QWidget()
        inside.setProperty("role", "inside")
        column = QVBoxLayout(inside)
        column.setContentsMargins(2, 4, 10, 8)
        column.setSpacing(12)
        self._help = label("", "second", wrap=True, name="testerHelp")
        column.addWidget(self._help)
        self.tell(self._offer.description if self._offer else "")
        if isinstance(field, TextLines | RawField):
            command = isinstance(field, TextLines)
            field.name("line" if command else "arguments", "What follows the command")
            title = "What follows the command" if command else "Arguments as JSON"
            column.addWidget(FormRow(self._theme, title, field))
        else:
            column.addWidget(field)
        if self._shape.kind == "object" and not self._shape.properties:
            column.addWidget(label("It names no arguments.", "second"))
        column.addStretch(1)
        self._scroll.setWidget(inside)
        self._pages.setCurrentWidget(self._scroll)

    def _show_json(self, value: JsonValue) -> None:
        self._raw.put(value)
        self._raw_row.show_state("")
        self._pages.setCurrentWidget(self._raw_row)

    def _on_view(self, view: str) -> None:
        """Take what is there over to the other view; what does not fit stays where it is."""
        if view == "json":
            self._show_json(self._value)
        elif self._raw.fault:
            self._stay(self._raw.fault)
        elif not fits(self._shape, self._raw.value):
            self._stay("The form cannot hold these values: they are of another type than it has.")
        else:
            self._show_form(self._raw.value)

    def _stay(self, sentence: str) -> None:
        self.view.choose("json")
        self._raw_row.show_state("error", sentence)

    def _on_raw(self) -> None:
        fault = self._raw.fault
        self._raw_row.show_state("error" if fault else "", fault)
        self.changed.emit()
