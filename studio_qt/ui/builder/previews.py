"""`Previews`: what the narrator sees, what each call sends, what Save writes."""

from __future__ import annotations

import html
import json
import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio_qt.authoring.subagentpreview import Preview
from studio_qt.jsontext import JsonValue
from studio_qt.package.subagents.loading import SUFFIX
from studio_qt.ui.builder.columns import Columns
from studio_qt.ui.builder.words import in_thousands
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, label

__all__ = ["Previews"]

_LONGEST = 130
_COMPOSED = "\ufdd0"
"""Stands for an object that is too long to be shown."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Previews(QWidget):
    """Three cards that follow the form."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._preview: Preview | None = None
        self._file = ""
        self._tool = _Card("WHAT THE NARRATOR SEES", "builderSees")
        self._call = _Card("WHAT EACH CALL SENDS", "builderSends")
        self._save = _Card("WHAT SAVE WRITES", "builderWrites")
        self._sees, self._writes = _code(), _code()
        self._parts = QGridLayout()
        self._parts.setContentsMargins(0, 0, 0, 0)
        self._parts.setVerticalSpacing(5)
        self._parts.setColumnStretch(0, 1)
        self._tool.column.addWidget(self._sees)
        self._call.column.addLayout(self._parts)
        self._save.column.addWidget(self._writes)
        cards = (self._tool, self._call, self._save)
        for card in cards:
            card.column.addStretch(1)
        self.columns = Columns(theme, cards, wide=960, narrow=620, shares=(45, 32, 48), gap=12)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 12, 20, 12)
        column.addWidget(self.columns)
        theme.changed.connect(self._show)

    def show_preview(self, preview: Preview, file: str) -> None:
        """Show what a form comes to; `file` is the name of its prompt file."""
        if (preview, file) != (self._preview, self._file):
            self._preview, self._file = preview, file
            self._show()

    def _show(self) -> None:
        preview = self._preview
        if preview is None:
            return
        self._tool.hint.setText(f"one tool, {preview.tool_tokens:,} tokens")
        self._sees.setText(self._tool_text(preview))
        self._call.hint.setText(f"about {in_thousands(preview.tokens)} tokens")
        self._show_parts(preview)
        self._save.hint.setText(preview.form_reason)
        self._writes.setText(self._save_text(preview))

    def _show_parts(self, preview: Preview) -> None:
        while (item := self._parts.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for row, part in enumerate(preview.parts):
            number = label(f"{part.tokens:,}", "")
            number.setFont(self._theme.mono(12))
            self._parts.addWidget(ElidedLabel(part.words, "second"), row, 0)
            self._parts.addWidget(number, row, 1, Qt.AlignmentFlag.AlignRight)

    def _tool_text(self, preview: Preview) -> str:
        tool = preview.tool
        text = str(tool["description"])
        short = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} …"
        lines = [
            f'"name": {_json(tool["name"])},',
            f'"description": {_json(short)},',
            f'"parameters": {_parameters(tool["parameters"])}',
        ]
        return self._coloured(lines)

    def _save_text(self, preview: Preview) -> str:
        quiet = self._theme.tokens["fg3"]
        count = preview.fields
        more = "" if not count else f" and {count} other field{'s' if count > 1 else ''}"
        entry = _short(preview.entry) if isinstance(preview.entry, dict) else preview.entry
        if entry == SUFFIX:  # it has no name yet
            entry = self._file
        lines = self._coloured([_json(entry)])
        return (
            f'<span style="color:{quiet}">config.json</span>&nbsp; {lines}<br>'
            f'<span style="color:{quiet}">{html.escape(self._file)}</span>&nbsp; description{more}'
        )

    def _coloured(self, lines: list[str]) -> str:
        """Return lines of JSON as rich text: names and texts in their colours."""
        tokens = self._theme.tokens
        shown = []
        for line in lines:
            parts, at = [], 0
            for found in _STRING.finditer(line):
                is_name = line[found.end() :].lstrip().startswith(":")
                token = tokens["key" if is_name else "st"]
                parts.append(html.escape(line[at : found.start()]))
                parts.append(f'<span style="color:{token}">{html.escape(found[0])}</span>')
                at = found.end()
            parts.append(html.escape(line[at:]))
            shown.append("".join(parts))
        return "<br>".join(shown)


class _Card(QFrame):
    """A card with a title in capitals and a hint."""

    def __init__(self, title: str, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setProperty("role", "card")
        self.setAccessibleName(title.capitalize())
        self.hint = label("", "quiet")
        head = QHBoxLayout()
        head.addWidget(label(title, "caps"))
        head.addStretch(1)
        head.addWidget(self.hint)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(12, 10, 12, 10)
        self.column.setSpacing(8)
        self.column.addLayout(head)


def _code() -> QLabel:
    made = QLabel()
    made.setTextFormat(Qt.TextFormat.RichText)
    made.setProperty("role", "mono")
    made.setWordWrap(True)
    made.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    return made


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False).replace(f'"{_COMPOSED}"', "{…}")


def _parameters(schema: JsonValue) -> str:
    """Return the parameters of a tool by name and type alone."""
    found = schema.get("properties") if isinstance(schema, dict) else None
    types = {
        name: one.get("type", "any") if isinstance(one, dict) else "any"
        for name, one in (found.items() if isinstance(found, dict) else ())
    }
    return json.dumps(types, ensure_ascii=False)


def _short(entry: dict[str, JsonValue]) -> JsonValue:
    """Return an entry without what is the same in each, and composed agents as {…}."""
    shown: dict[str, JsonValue] = {}
    for name, value in entry.items():
        if name == "implementation":
            continue
        if isinstance(value, list):
            shown[name] = [_COMPOSED if isinstance(one, dict) else one for one in value]
        else:
            shown[name] = value
    return shown
