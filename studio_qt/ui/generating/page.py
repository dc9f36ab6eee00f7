"""`Generating`: Generate and Polish, wherever a character is written (STU-09)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio_qt.authoring.generating_texts import GENERATED_KINDS
from studio_qt.package.builtins import SUFFIXES
from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.generating.agentsheet import AgentSheet
from studio_qt.ui.generating.bench import Editors, WritingBench
from studio_qt.ui.generating.change import ChangeSheet, MakeComparison
from studio_qt.ui.generating.generates import Generates, OpenBuilder
from studio_qt.ui.generating.kinds import KINDS
from studio_qt.ui.generating.polishes import Polishes
from studio_qt.ui.generating.sheet import GenerateSheet
from studio_qt.ui.generating.tools import EditorTools
from studio_qt.ui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer
    from studio_qt.ui.documents.documents import Documents

__all__ = ["Generating"]


class Generating(QObject):
    """The dialogs, the buttons beside an editor's path, and the actions.

    `notice` carries a sentence and its kind, `done` a sentence and a coroutine function that takes
    back what was done. `settings_wanted` asks for the connections; `examples_made` carries an
    agent's id and its example calls, for the tool tester.
    """

    notice = Signal(str, str)
    done = Signal(str, object)
    settings_wanted = Signal()
    examples_made = Signal(str, object)

    def __init__(
        self,
        desk: Desk,
        documents: Documents,
        editors: Editors,
        over: QWidget,
        make_comparison: MakeComparison,
    ) -> None:
        super().__init__(over)
        self._desk, self._over = desk, over
        self._bench = WritingBench(desk, documents, editors, over, make_comparison)
        self._generates = Generates(self._bench)
        self._polishes = Polishes(self._bench)
        self._bench.notice.connect(self.notice)
        self._bench.settings_wanted.connect(self.settings_wanted)
        self._generates.done.connect(self.done)
        self._generates.examples_made.connect(self.examples_made)
        self._add_actions()
        editors.add_tool(self._make_tools)
        editors.current_changed.connect(self._polishes.fit)
        self._polishes.fit()

    # What the window says

    def set_builder(self, open_builder: OpenBuilder | None) -> None:
        """Let generated sub-agents be opened in the builder instead of being written at once."""
        self._generates.open_builder = open_builder

    def show_player(self, player: CharacterPlayer | None) -> None:
        """Ask the models of another character's player."""
        self._bench.player = player
        self.refresh()

    def close(self) -> None:
        """Close what is open, as when another project comes; what was typed is kept."""
        for sheet in self._over.findChildren(Sheet):
            if isinstance(sheet, (GenerateSheet, ChangeSheet, AgentSheet)) and sheet.is_open:
                sheet.done(0)
        self.show_player(None)

    def refresh(self) -> None:
        """Look again where the texts of the character lie."""
        if self._bench.documents.root is not None:
            self._desk.tasks.start(self._refresh(), name="places of texts")

    # What the user asks for

    def generate(self, key: str) -> None:
        """Open the dialog: "subagent", "agent", "instructions", "description", "introduction"."""
        self._desk.tasks.start(self._generates.run(key), name="generate")

    def generate_here(self) -> None:
        """Open the dialog for what is in front: a text, an agent in code, or a sub-agent."""
        self.generate(self._here() or "subagent")

    def polish(self, key: str) -> None:
        """Improve the text in front, or what is selected of it: "fix", "tighten", "harden" …"""
        self._polishes.run(key)

    def polish_body(self, body: str, take: Callable[[str], None], at: QWidget) -> None:
        """Offer, in a menu below `at`, to polish a prompt that is in no file yet.

        `take` gets the whole prompt when a change is accepted.
        """
        self._polishes.offer_body(body, take, at)

    # Inside

    async def _refresh(self) -> None:
        await self._bench.read_places()
        self._polishes.fit()
        for tools in self._over.findChildren(EditorTools):
            if tools.isVisible():
                self._dress(tools)

    def _here(self) -> str | None:
        """Return what can be generated for the file in front."""
        path = self._bench.editors.current_path
        if path is None:
            return None
        kind = self._bench.kind(path)
        if kind == "subagent" or kind in GENERATED_KINDS:
            return kind
        in_agents = path.startswith("agents/") and path.count("/") == 1
        return "agent" if in_agents and PurePosixPath(path).suffix in SUFFIXES else None

    def _make_tools(self, _path: str) -> QWidget:
        tools = EditorTools(self._desk.theme, self._dress)
        tools.generate_wanted.connect(self.generate_here)
        tools.polish_wanted.connect(lambda: self._polishes.offer(tools.polish))
        return tools

    def _dress(self, tools: EditorTools) -> None:
        key = self._here()
        kind = self._bench.kind(self._bench.editors.current_path)
        tools.show_kinds(
            generate=f"{KINDS[key].title}…" if key is not None else "", polish=kind is not None
        )

    def _add_actions(self) -> None:
        add, place = self._desk.actions.add, Place("Tools", 3)
        for name, text, keys, slot in (
            ("generateSubAgent", "&Generate a sub-agent…", "G", partial(self.generate, "subagent")),
            ("generateAgent", "Generate an &agent…", "Shift+G", partial(self.generate, "agent")),
            ("generateHere", "Generate for the file in &front…", "Shift+W", self.generate_here),
        ):
            add(name, text, slot, place=place, keys=f"Ctrl+Alt+{keys}")
