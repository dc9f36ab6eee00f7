"""`WordFields`: the character's name, version and model, and where its texts lie."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio_qt.package.resolver import (
    CONTEXT,
    DEFAULTS,
    DESCRIPTION,
    INSTRUCTIONS,
    INTRODUCTION,
    SYSTEM_PROMPT,
)
from studio_qt.ui.configform.facts import ConfigFacts
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bars import SectionTitle
from studio_qt.ui.widgets.inputs import FormRow

__all__ = ["WordFields"]

_WORDS: Mapping[str, tuple[str, str, str]] = {
    "name": ("Name", "", "the folder's name"),
    "version": ("Version", "", "none"),
    "model": ("Model", "wanted, not forced", "the player's own"),
}
_TEXTS: Mapping[str, str] = {
    INSTRUCTIONS: "Instructions",
    SYSTEM_PROMPT: "System prompt",
    INTRODUCTION: "Introduction",
    DESCRIPTION: "Description",
    CONTEXT: "Context folder",
}


class WordFields(QWidget):
    """`word_changed` carries a key of config.json and its text, `text_changed` one of the mappings.

    "" takes it out.
    """

    word_changed = Signal(str, str)
    text_changed = Signal(str, str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._paths: tuple[str, ...] = ()
        self.words = {key: self._field(key, f"config{key.title()}") for key in _WORDS}
        self.texts = {key: self._field(key, f"configPath{key.replace(' ', '')}") for key in _TEXTS}
        self._rows = {
            key: FormRow(theme, words, self.texts[key], "") for key, words in _TEXTS.items()
        }
        self._shown: dict[str, str] = {}
        self._build(theme)

    def show_facts(self, facts: ConfigFacts) -> None:
        """Show what config.json says; a field that is being typed into stays."""
        form = facts.form
        words = {"name": form.name, "version": form.version, "model": form.model}
        for key, field in self.words.items():
            self._show(key, field, words[key])
        for key, field in self.texts.items():
            self._show(key, field, form.mappings.get(key, ""))
            mapped = key in form.mappings
            wrong = key in facts.missing and mapped
            kind = "folder" if key == CONTEXT else "file"
            self._rows[key].show_state("warn" if wrong else "", f"There is no such {kind}." * wrong)
        if facts.paths != self._paths:
            self._paths = facts.paths
            for field in self.texts.values():
                field.setCompleter(_completer(facts.paths, field))

    def _show(self, key: str, field: QLineEdit, text: str) -> None:
        self._shown[key] = text
        if not (field.isModified() and field.hasFocus()):
            field.setText(text)

    def _field(self, key: str, name: str) -> QLineEdit:
        field = QLineEdit()
        field.setObjectName(name)
        field.editingFinished.connect(lambda: self._on_finished(key, field))
        return field

    def _on_finished(self, key: str, field: QLineEdit) -> None:
        word = field.text().strip()
        field.setModified(False)
        if word != self._shown.get(key, ""):
            self._shown[key] = word
            (self.word_changed if key in _WORDS else self.text_changed).emit(key, word)

    def _build(self, theme: Theme) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(SectionTitle("Character"))
        first = QHBoxLayout()
        first.setSpacing(12)
        for key, (title, hint, empty) in _WORDS.items():
            self.words[key].setPlaceholderText(empty)
            row = FormRow(theme, title, self.words[key], hint)
            if key == "model":
                column.addLayout(first)
                column.addWidget(row)
            else:
                first.addWidget(row, 2 if key == "name" else 1)
        column.addSpacing(4)
        column.addWidget(SectionTitle("Where its texts lie"))
        for key, row in self._rows.items():
            self.texts[key].setPlaceholderText(DEFAULTS[key])
            column.addWidget(row)
        column.addStretch(1)


def _completer(paths: tuple[str, ...], field: QLineEdit) -> QCompleter:
    completer = QCompleter(list(paths), field)
    completer.setFilterMode(Qt.MatchFlag.MatchContains)
    completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
    return completer
