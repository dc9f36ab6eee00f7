"""The form of a tool's arguments, built from its JSON Schema: objects, lists, and their fields."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from studio_qt.jsontext import JsonObject, JsonValue, encode
from studio_qt.ui.tester.fields import (
    BooleanField,
    EnumField,
    Field,
    NumberLine,
    RawField,
    TextLines,
)
from studio_qt.ui.tester.shapes import Shape, first_value, hint
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, give_icon, label, text_button
from studio_qt.ui.widgets.inputs import FormRow

__all__ = ["ArrayField", "ObjectField", "make_field"]


def make_field(shape: Shape, theme: Theme, path: str) -> Field:
    """Return the field of a shape; `path` names it among the others ("dice.0.sides")."""
    match shape.kind:
        case "object" if shape.properties:
            return ObjectField(shape, theme, path)
        case "array":
            return ArrayField(shape, theme, path)
        case "text":
            return TextLines(shape)
        case "number" | "integer":
            return NumberLine(shape)
        case "boolean":
            return BooleanField(shape)
        case "enum":
            return EnumField(shape)
        case _:
            return RawField(shape, theme)


class _Entry(QWidget):
    """A field with its name, what is allowed, its help, and a cross where it can go."""

    def __init__(
        self, theme: Theme, title: str, field: Field, path: str, *, removable: str
    ) -> None:
        super().__init__()
        self.field = field
        self.row = FormRow(theme, title, field, hint(field.shape))
        field.name(path, title)
        self.row.setAccessibleName("")
        self.remove = IconButton(
            theme, "close", removable or "Leave out", name=f"testerRemove.{path}", size=13,
            kind="tiny",
        )  # fmt: skip
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        line.addWidget(self.row, 1)
        line.addWidget(self.remove, 0, Qt.AlignmentFlag.AlignTop)
        self.remove.setVisible(bool(removable))  # not before: it would be a window of its own
        field.changed.connect(self.judge)
        self.judge()

    def judge(self) -> None:
        """Show what is wrong with the field, else its help."""
        nested = isinstance(self.field, ObjectField | ArrayField)
        fault = "" if nested else self.field.fault
        self.row.show_state("error" if fault else "", fault or self.field.shape.help)
        if not nested:
            self.field.editor.setProperty("state", "error" if fault else None)
            self.field.editor.style().polish(self.field.editor)
            self.field.editor.setAccessibleDescription(fault or self.field.shape.help)


class ObjectField(Field):
    """The properties of an object: those that are needed, and those that were added.

    What a value has beside the schema's properties stays, and is shown as JSON.
    """

    def __init__(self, shape: Shape, theme: Theme, path: str) -> None:
        super().__init__(shape)
        self._theme, self._path = theme, path
        self._entries: dict[str, _Entry] = {}
        self._shapes = dict(shape.properties)
        self._extra: JsonObject = {}
        frame = QWidget() if not path else QFrame()
        if path:
            frame.setProperty("role", "nested")
        self._rows = QVBoxLayout(frame)
        inset = 12 if path else 0
        self._rows.setContentsMargins(inset, 0, 0, 0)
        self._rows.setSpacing(12)
        self._add = text_button("Add a field", f"testerAdd.{path}", "link")
        give_icon(theme, self._add, "plus", "accent2", 13)
        self._others = label("", "quiet", wrap=True)
        self._rows.addWidget(self._others)
        self._rows.addWidget(self._add, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(frame)
        self._add.clicked.connect(self._offer)
        self.put(first_value(shape))

    @property
    def value(self) -> JsonValue:
        made: JsonObject = {name: entry.field.value for name, entry in self._entries.items()}
        return {**made, **self._extra}

    @property
    def fault(self) -> str:
        for name, entry in self._entries.items():
            if fault := entry.field.fault:
                return f"{name}: {fault}"
        return ""

    @property
    def missing(self) -> list[str]:
        """The names of properties that can be added."""
        return [name for name in self._shapes if name not in self._entries]

    def put(self, value: JsonValue) -> None:
        given = value if isinstance(value, dict) else {}
        self._extra = {}
        for name in list(self._entries):
            if name not in given:
                self._drop(name)
        for name, one in given.items():
            if name not in self._shapes:
                self._extra[name] = one
            else:
                entry = self._make(name)
                entry.field.put(one)
                entry.judge()
        self._show_rest()

    def add(self, name: str) -> None:
        """Add a property that was left out, with what its schema gives it."""
        entry = self._make(name)
        entry.field.put(first_value(self._shapes[name]))
        entry.judge()
        self._show_rest()
        entry.field.editor.setFocus()
        self.changed.emit()

    def leave_out(self, name: str) -> None:
        """Take a property out."""
        self._drop(name)
        self._show_rest()
        self._add.setFocus()
        self.changed.emit()

    def name(self, path: str, words: str) -> None:
        self.setObjectName(f"testerField.{path}")
        self.setAccessibleName(words)

    def _make(self, name: str) -> _Entry:
        if name in self._entries:
            return self._entries[name]
        shape = self._shapes[name]
        path = f"{self._path}.{name}" if self._path else name
        optional = "" if name in self.shape.required else f"Leave out {name}"
        title = name if optional == "" else f"{name} (optional)"
        field = make_field(shape, self._theme, path)
        entry = _Entry(self._theme, title, field, path, removable=optional)
        entry.remove.clicked.connect(lambda: self.leave_out(name))
        field.changed.connect(self.changed)
        order = list(self._shapes)
        before = [one for one in self._entries if order.index(one) < order.index(name)]
        self._rows.insertWidget(len(before), entry)
        self._entries[name] = entry
        self._entries = {key: self._entries[key] for key in order if key in self._entries}
        return entry

    def _drop(self, name: str) -> None:
        entry = self._entries.pop(name)
        self._rows.removeWidget(entry)
        entry.hide()
        entry.deleteLater()

    def _offer(self) -> None:
        names = self.missing
        if len(names) == 1:
            self.add(names[0])
            return
        menu = QMenu(self)
        menu.setObjectName("testerAddMenu")
        menu.setAccessibleName("Fields that can be added")
        for name in names:
            menu.addAction(name.replace("&", "&&"), partial(self.add, name))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._add.mapToGlobal(self._add.rect().bottomLeft()))

    def _show_rest(self) -> None:
        missing = self.missing
        self._add.setVisible(bool(missing))
        self._add.setText(f"Add {missing[0]}" if len(missing) == 1 else "Add a field")
        self._add.setAccessibleName(self._add.text())
        self._others.setVisible(bool(self._extra))
        if self._extra:
            self._others.setText(f"Beside the schema, as JSON: {encode(self._extra)}")


class ArrayField(Field):
    """The items of a list, one below the other."""

    def __init__(self, shape: Shape, theme: Theme, path: str) -> None:
        super().__init__(shape)
        self._theme, self._path = theme, path
        self._items: list[_Entry] = []
        self._item = shape.item or Shape("raw")
        frame = QFrame()
        frame.setProperty("role", "nested")
        self._rows = QVBoxLayout(frame)
        self._rows.setContentsMargins(12, 0, 0, 0)
        self._rows.setSpacing(8)
        self._add = text_button("Add an item", f"testerAdd.{path}", "link")
        give_icon(theme, self._add, "plus", "accent2", 13)
        self._rows.addWidget(self._add, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(frame)
        self._add.clicked.connect(self.add)
        self.put(first_value(shape))

    @property
    def value(self) -> JsonValue:
        return [entry.field.value for entry in self._items]

    @property
    def fault(self) -> str:
        for at, entry in enumerate(self._items, 1):
            if fault := entry.field.fault:
                return f"item {at}: {fault}"
        return ""

    def put(self, value: JsonValue) -> None:
        while self._items:
            self._drop(len(self._items) - 1)
        for one in value if isinstance(value, list) else []:
            entry = self._append()
            entry.field.put(one)
            entry.judge()

    def add(self) -> None:
        """Add an item at the end."""
        entry = self._append()
        entry.field.put(first_value(self._item))
        entry.judge()
        entry.field.editor.setFocus()
        self.changed.emit()

    def remove(self, entry: _Entry) -> None:
        """Take an item out; those after it move up."""
        values = [one.field.value for one in self._items if one is not entry]
        self.put(values)
        self._add.setFocus()
        self.changed.emit()

    def name(self, path: str, words: str) -> None:
        self.setObjectName(f"testerField.{path}")
        self.setAccessibleName(words)

    def _append(self) -> _Entry:
        at = len(self._items)
        path = f"{self._path}.{at}"
        field = make_field(self._item, self._theme, path)
        title = f"Item {at + 1}"
        entry = _Entry(self._theme, title, field, path, removable=f"Remove item {at + 1}")
        entry.remove.clicked.connect(lambda: self.remove(entry))
        field.changed.connect(self.changed)
        self._rows.insertWidget(at, entry)
        self._items.append(entry)
        return entry

    def _drop(self, at: int) -> None:
        entry = self._items.pop(at)
        self._rows.removeWidget(entry)
        entry.hide()
        entry.deleteLater()
