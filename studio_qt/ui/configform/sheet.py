"""`ConfigSheet`: the form over the window: agents at the left, words and texts at the right."""

from __future__ import annotations

import asyncio
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from studio_qt.ui.configform.agents import AgentRows
from studio_qt.ui.configform.details import EntryDetails
from studio_qt.ui.configform.facts import ConfigFacts
from studio_qt.ui.configform.words import WordFields
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bars import EmptyState, SectionTitle
from studio_qt.ui.widgets.basics import (
    IconButton,
    Separator,
    give_icon,
    label,
    text_button,
)
from studio_qt.ui.widgets.tallsheet import TallSheet, scrolled

__all__ = ["ConfigSheet"]

_LEAST_ROWS = 120
_LOOKUP_WORDS = {
    "studio.context-access": "Look things up in a text…",
    "studio.agent-db": "Look records up in a data file…",
    "studio.lorebook": "Call knowledge up by words (a lorebook)…",
}


class ConfigSheet(TallSheet):
    """Shows config.json and tells what the user wants; what is changed is written at once.

    `add_wanted` carries the name of an entry, `lookup_wanted` the implementation of an instance to
    be made; `undo_wanted` and `file_wanted` are what their buttons say. `assemble` it first.
    """

    add_wanted = Signal(str)
    lookup_wanted = Signal(str)
    undo_wanted = Signal()
    file_wanted = Signal()

    widest = 960

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(theme, over, "Configuration", "sliders", "config")
        self.setObjectName("configDialog")
        self._said = label("", "second", wrap=True, name="configSaid")
        self.undo = text_button("Undo", "configUndo")
        give_icon(theme, self.undo, "undo")
        self.file = text_button("Open the file", "configText")
        self.close_button = text_button("Done", "configDone", "primary")
        self._facts: ConfigFacts | None = None
        self._build()

    async def assemble(self) -> None:
        """Make what stands between head and foot, part by part: the window goes on meanwhile."""
        for make in (self._make_agents, self._make_left, self._make_fields, self._make_right):
            await asyncio.sleep(0)
            make()
        self._connect()

    def show_facts(self, facts: ConfigFacts, place: str, *, can_undo: bool) -> None:
        """Show what config.json says now."""
        self._facts = facts
        self.subtitle.setText(place)
        self.rows.show_agents(facts.form.agents)
        self.rows.setVisible(bool(facts.form.agents))
        self._empty.setVisible(not facts.form.agents)
        self.fields.show_facts(facts)
        self.undo.setEnabled(can_undo)
        self._on_chosen()

    def say(self, sentence: str, state: str = "second") -> None:
        """Say something at the foot."""
        self._said.setText(sentence)
        self._said.setProperty("role", state)
        self._said.style().polish(self._said)

    def lay(self) -> None:
        super().lay()
        (self.rows if self.rows.isVisible() else self.add).setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Undo):
            self.undo.click()
        else:
            super().keyPressEvent(event)

    def _on_chosen(self) -> None:
        agent = self.rows.agent
        self.details.show_entry(agent, self._facts)
        last = len(self._facts.form.agents) - 1 if self._facts is not None else -1
        self.up.setEnabled(agent is not None and agent.position > 0)
        self.down.setEnabled(agent is not None and agent.position < last)
        self.remove.setEnabled(agent is not None)

    def _on_add(self) -> None:
        """Offer what can be listed: lookups, files that are not listed, built-in agents."""
        if self._facts is None:
            return
        menu = QMenu(self)
        menu.setObjectName("configAddMenu")
        for name, words in _LOOKUP_WORDS.items():
            menu.addAction(words, partial(self.lookup_wanted.emit, name))
        for names in (self._facts.files, self._facts.builtins):
            if names:
                menu.addSeparator()
            for name in names:
                menu.addAction(name.replace("&", "&&"), partial(self.add_wanted.emit, name))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.add.mapToGlobal(self.add.rect().bottomLeft()))

    def _connect(self) -> None:
        self.rows.chosen.connect(self._on_chosen)
        self.add.clicked.connect(self._on_add)
        self.up.clicked.connect(lambda: self.rows.move_current(-1))
        self.down.clicked.connect(lambda: self.rows.move_current(1))
        self.remove.clicked.connect(lambda: self.rows.removed.emit(self.rows.agent))
        self.undo.clicked.connect(self.undo_wanted)
        self.file.clicked.connect(self.file_wanted)
        self.close_button.clicked.connect(self.accept)

    def _build(self) -> None:
        self._left = scrolled(None, "configLeft", "Agents")
        self._right = scrolled(None, "configWords", "The character and its texts")
        self.middle.addWidget(self._left, 5)
        self.middle.addWidget(_Edge())
        self.middle.addWidget(self._right, 4)
        self.foot.addWidget(self._said, 1)
        for button in (self.undo, self.file, self.close_button):
            self.foot.addWidget(button)

    def _make_agents(self) -> None:
        theme = self._theme
        self.rows, self.details = AgentRows(theme), EntryDetails(theme)
        self._empty = EmptyState(
            theme,
            "package",
            "No agent yet",
            "Add a built-in agent, or one of the files in the folder agents.",
            name="configNoAgents",
        )
        self.add = text_button("Add", "configAdd")
        give_icon(theme, self.add, "plus")
        self.up = IconButton(theme, "arrow-up", "Move up", name="configUp")
        self.down = IconButton(theme, "arrow-down", "Move down", name="configDown")
        self.remove = IconButton(theme, "trash", "Take out", name="configRemove")

    def _make_left(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(12, 8, 12, 16)
        column.setSpacing(8)
        title = SectionTitle("Agents")
        for button in (self.up, self.down, self.remove, self.add):
            title.side.addWidget(button)
        title.setContentsMargins(8, 0, 8, 0)
        column.addWidget(title)
        column.addWidget(self.rows, 1)
        column.addWidget(self._empty, 1)
        self.details.setContentsMargins(8, 4, 8, 0)
        column.addWidget(self.details)
        self.rows.setMinimumHeight(self._theme.scaled(_LEAST_ROWS))
        self._left.setWidget(left)

    def _make_fields(self) -> None:
        self.fields = WordFields(self._theme)
        self.fields.setContentsMargins(20, 16, 20, 16)

    def _make_right(self) -> None:
        self._right.setWidget(self.fields)


class _Edge(Separator):
    """A hairline from top to bottom."""

    def __init__(self) -> None:
        super().__init__()
        self.setMaximumHeight(16777215)
        self.setMinimumHeight(0)
        self.setFixedWidth(1)
