"""`EntryDetails`: what can be changed in the entry that is chosen."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio_qt.authoring.configform import LOOKUPS, ListedAgent
from studio_qt.ui.configform.facts import ConfigFacts
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label, text_button
from studio_qt.ui.widgets.inputs import FormRow

__all__ = ["EntryDetails"]

_SAID = {
    "builtin": "A built-in agent. It comes with the Studio, and export copies it.",
    "code": "An agent of this character.",
    "subagent": "A sub-agent. The Builder edits its prompt, its grants and its limits.",
    "lookup": "An instance of a built-in agent that looks things up in one file.",
    "instance": "An instance with an id, a store and settings of its own.",
    "unknown": "This is neither a name nor an object with id and implementation. "
    "Mend it in the text, or take it out.",
}


class EntryDetails(QWidget):
    """`changed` carries the entry and members to change; `file_wanted` and `builder_wanted` it."""

    changed = Signal(object, object)
    file_wanted = Signal(object)
    builder_wanted = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("configEntry")
        self._agent: ListedAgent | None = None
        self._said = label("", "second", wrap=True, name="configEntrySaid")
        self.id = QLineEdit()
        self.id.setObjectName("configEntryId")
        self._id_row = FormRow(theme, "Id", self.id, "names the tool; grants follow it")
        self.implementation = _choice("configEntryImplementation")
        self.implementation.addItems(LOOKUPS)
        self._kind_row = FormRow(theme, "Looks up as", self.implementation)
        self.file = _choice("configEntryFile")
        self._file_row = FormRow(theme, "Data file", self.file, "in the context folder")
        self.open_file = text_button("Open the file", "configOpenFile")
        self.builder = text_button("Edit in the Builder", "configOpenBuilder")
        self._build()
        self._connect()

    def show_entry(self, agent: ListedAgent | None, facts: ConfigFacts | None) -> None:
        """Show an entry; what is being typed into its id stays."""
        typing = self.id.isModified() and self.id.hasFocus() and agent is not None
        same = typing and self._agent is not None and agent.id == self._agent.id if agent else False
        self._agent = agent
        self.setVisible(agent is not None)
        if agent is None or facts is None:
            return
        self._said.setText(_SAID[agent.kind])
        if not same:
            self.id.setText(agent.id)
            self.say("")
        is_lookup = agent.kind == "lookup"
        self._id_row.setVisible(not agent.bare and agent.kind != "unknown")
        self._kind_row.setVisible(is_lookup)
        self._file_row.setVisible(is_lookup)
        self.open_file.setVisible(agent.kind in ("code", "subagent", "instance"))
        self.builder.setVisible(agent.kind == "subagent")
        if is_lookup:
            self.implementation.setCurrentText(agent.file)
            self._show_files(agent, facts)

    def say(self, sentence: str) -> None:
        """Say what is wrong with the id; "" for nothing."""
        self._id_row.show_state("error" if sentence else "", sentence)

    def _show_files(self, agent: ListedAgent, facts: ConfigFacts) -> None:
        there = agent.context_file in facts.context_files
        names = [*facts.context_files] if there else [agent.context_file, *facts.context_files]
        self.file.clear()
        self.file.addItems([name for name in names if name])
        self.file.setCurrentIndex(self.file.findText(agent.context_file))
        self.file.setPlaceholderText("Choose a file…")
        missing = f"There is no {agent.context_file} in the context folder."
        sentence = "" if there else missing if agent.context_file else "Choose its file."
        self._file_row.show_state("" if there else "warn", sentence)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self._said)
        for row in (self._id_row, self._kind_row, self._file_row):
            column.addWidget(row)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.builder)
        buttons.addWidget(self.open_file)
        buttons.addStretch(1)
        column.addLayout(buttons)

    def _connect(self) -> None:
        self.id.editingFinished.connect(self._on_id)
        self.implementation.activated.connect(
            lambda _at: self._tell(implementation=self.implementation.currentText())
        )
        self.file.activated.connect(lambda _at: self._tell(contextFile=self.file.currentText()))
        self.open_file.clicked.connect(lambda: self.file_wanted.emit(self._agent))
        self.builder.clicked.connect(lambda: self.builder_wanted.emit(self._agent))

    def _on_id(self) -> None:
        word = self.id.text().strip()
        if self._agent is not None and word and word != self._agent.id:
            self._tell(id=word)
        elif self._agent is not None:
            self.id.setText(self._agent.id)

    def _tell(self, **members: str) -> None:
        if self._agent is not None:
            self.changed.emit(self._agent, members)


def _choice(name: str) -> QComboBox:
    box = QComboBox()
    box.setObjectName(name)
    return box
