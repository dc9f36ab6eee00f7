"""`Generates`: the dialog for each kind, and where what was written goes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path, PurePosixPath

from PySide6.QtCore import QObject, Signal

from studio_qt.authoring.asking import Talk
from studio_qt.authoring.drafting import draft_agent, draft_sub_agent
from studio_qt.authoring.enabling import enabled_config
from studio_qt.authoring.generating import Generated, Wish, generate_sub_agent
from studio_qt.authoring.generating_code import GeneratedAgent, generate_agent
from studio_qt.authoring.generating_texts import (
    GENERATED_KINDS,
    CharacterTexts,
    generate_text,
)
from studio_qt.authoring.inventory import Inventory, read_inventory
from studio_qt.errors import PackageError, StudioError
from studio_qt.files.source import Source
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.model import Language
from studio_qt.package.subagents.loading import SUFFIX
from studio_qt.ui.documents.rewriting import rewrite
from studio_qt.ui.generating.agentsheet import AgentSheet
from studio_qt.ui.generating.bench import NO_PLAYER, WritingBench
from studio_qt.ui.generating.kinds import KINDS
from studio_qt.ui.generating.project import read_character
from studio_qt.ui.generating.sheet import GenerateSheet, Given, Order
from studio_qt.ui.generating.trying import trial_in
from studio_qt.ui.generating.writing import Work

__all__ = ["Generates", "OpenBuilder"]

OpenBuilder = Callable[[str, str], None]
"""Takes a sub-agent's whole file and its name."""


class Generates(QObject):
    """`done` carries a sentence and what takes back what was done.

    `examples_made` carries an agent's id and its example calls. Without `open_builder` a
    sub-agent's file is written and opened.
    """

    done = Signal(str, object)
    examples_made = Signal(str, object)

    def __init__(self, bench: WritingBench) -> None:
        super().__init__(bench)
        self._bench = bench
        self._tasks = bench.desk.tasks
        self._given: dict[str, Given] = {}
        self.open_builder: OpenBuilder | None = None

    async def run(self, key: str) -> None:
        """Open the dialog for a key of `KINDS`."""
        bench, source = self._bench, self._bench.source
        if source is None:
            bench.notice.emit("Open a character's folder first; a zip is only played.", "info")
            return
        root = bench.documents.root
        order = await self._order(key, source)
        if bench.documents.root != root:
            return  # another project was opened meanwhile
        sheet = GenerateSheet(bench.desk, bench.over, order)
        sheet.made.connect(lambda made: self._take(key, sheet, made))
        sheet.settings_wanted.connect(sheet.reject)
        sheet.settings_wanted.connect(bench.settings_wanted)
        sheet.lay()
        if order.stream is not None:
            await bench.name_writer(sheet.set_writer)

    async def _order(self, key: str, source: Source) -> Order:
        bench = self._bench
        inventory, there, unready = Inventory(), CharacterTexts(), ""
        try:
            inventory = await asyncio.to_thread(read_inventory, source)
            there = await asyncio.to_thread(read_character, source)
        except PackageError as error:
            unready = str(error)
        if bench.player is None:
            unready = unready or NO_PLAYER
        drafts = {"subagent": _draft_sub_agent, "agent": _draft_agent}
        draft = None if bench.has_model or unready else drafts.get(key)

        def drafted(wish: Wish, language: Language) -> object:
            assert draft is not None
            return draft(inventory, wish, language)

        return Order(
            kind=KINDS[key],
            writer=bench.writer(),
            inventory=inventory,
            work=lambda wish, language: self._work(key, wish, language, inventory, there),
            stream=None if unready else bench.stream(),
            draft=drafted if draft is not None else None,
            unready=unready,
            given=self._given.setdefault(key, Given()),
        )

    def _work(
        self, key: str, wish: Wish, language: Language, inventory: Inventory, there: CharacterTexts
    ) -> Work:
        def work(talk: Talk) -> Awaitable[object]:
            if key == "subagent":
                return generate_sub_agent(talk, wish, inventory)
            if key == "agent":
                source = self._bench.source
                if source is None:
                    raise StudioError("The project was closed meanwhile.")
                trial = trial_in(source, wish.name)
                return generate_agent(talk, wish, language, inventory, trial)
            kind = next(kind for kind in GENERATED_KINDS if kind == key)
            return generate_text(talk, kind, wish.text, there)

        return work

    # What was written

    def _take(self, key: str, sheet: GenerateSheet, made: object) -> None:
        """Go on with what was written; what was typed is kept until that has worked."""
        if isinstance(made, Generated) and made.notes and not made.draft:
            where = "Open the file" if self.open_builder is None else "Open in the builder"
            sheet.show_notes(made.notes, where, lambda: self._show_sub_agent(made))
            return
        sheet.accept()
        if isinstance(made, GeneratedAgent):
            self._show_agent(made)
        elif isinstance(made, Generated):
            self._show_sub_agent(made)
        else:
            show = self._show_text(key, str(made))
            self._tasks.start(show, name="show a text", on_error=self._bench.tell)

    def _show_sub_agent(self, made: Generated) -> None:
        if self.open_builder is None:
            write = self._write_sub_agent(made)
            self._tasks.start(write, name="write a sub-agent", on_error=self._bench.tell)
            return
        name = PurePosixPath(made.path).name.removesuffix(SUFFIX)
        self._given.pop("subagent", None)
        self.open_builder(made.text, name)

    async def _write_sub_agent(self, made: Generated) -> None:
        rewritten = await rewrite(self._bench.documents, {made.path: made.text})
        self._given.pop("subagent", None)
        editors = self._bench.editors
        await editors.open(made.path)
        if made.notes:
            editors.show_notice(made.path, " ".join(made.notes), key="generated", tone="info")
        self.done.emit(f"{made.path} was made.", rewritten.undo)

    def _show_agent(self, made: GeneratedAgent) -> None:
        bench = self._bench
        sheet = AgentSheet(bench.desk, bench.over, made)

        def add(agent: GeneratedAgent) -> None:
            sheet.add_button.setEnabled(False)
            work = self._add_agent(sheet, agent)
            self._tasks.start(work, name="add an agent", on_error=sheet.tell)

        sheet.added.connect(add)
        sheet.another.connect(lambda: self._tasks.start(self.run("agent"), name="generate"))
        sheet.lay()

    async def _add_agent(self, sheet: AgentSheet, made: GeneratedAgent) -> None:
        """Write the file and its entry in config.json as one step, then show it."""
        documents, path = self._bench.documents, made.file.path
        try:
            config = await asyncio.to_thread(_read_config, self._bench.source)
            listed = enabled_config(config, path)
        except (OSError, ValueError) as error:
            raise StudioError(f"config.json cannot take the entry: {error}.") from error
        rewritten = await rewrite(documents, {path: made.file.text, CONFIG_FILE: listed})
        self._given.pop("agent", None)
        sheet.accept()
        await self._bench.editors.open(path)
        name = PurePosixPath(path).stem
        if made.examples:
            self.examples_made.emit(name, made.examples)
        self.done.emit(f"{name} was added to the character.", rewritten.undo)

    async def _show_text(self, key: str, new: str) -> None:
        """Lay a new text beside the one that is there."""
        bench = self._bench
        await bench.read_places()
        path = next((one for one in bench.places.values() if one and bench.kind(one) == key), None)
        root = bench.documents.root
        if path is None or root is None:
            raise StudioError("config.json says no place for this text. Mend fileMappings there.")
        if not await asyncio.to_thread(_exists, root, path):
            await rewrite(bench.documents, {path: ""})
        await bench.editors.open(path)
        document = await bench.documents.open(path)
        old = document.plain
        sheet = bench.change_sheet(KINDS[key].title, "Nothing has been changed yet.")
        bench.put_when_accepted(sheet, document, then=lambda: self._given.pop(key, None))
        sheet.lay()
        sheet.show_change(old, f"{new}\n" if old.endswith("\n") else new)


def _read_config(source: Source | None) -> str:
    if source is None:
        raise StudioError("The project was closed meanwhile.")
    return source.read_bytes(CONFIG_FILE).decode("utf-8-sig")


def _draft_sub_agent(inventory: Inventory, wish: Wish, _language: Language) -> object:
    return draft_sub_agent(wish, inventory)


def _draft_agent(_inventory: Inventory, wish: Wish, language: Language) -> object:
    return GeneratedAgent(draft_agent(wish, language), ())


def _exists(root: Path, path: str) -> bool:
    return (root / path).exists()
