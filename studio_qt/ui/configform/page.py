"""`ConfigForm`: opens the form for config.json and writes each change as one undoable step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from studio_qt.authoring.configform import (
    ListedAgent,
    add_entry,
    change_entry,
    map_text,
    move_entry,
    remove_entry,
    set_word,
)
from studio_qt.errors import StudioError
from studio_qt.files.folder import FolderSource
from studio_qt.jsontext import JsonObject
from studio_qt.package.agents import find_agent_file
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.subagents.reading import prompt_path
from studio_qt.ui.actions import Place
from studio_qt.ui.configform.facts import ConfigFacts, read_facts
from studio_qt.ui.configform.sheet import ConfigSheet
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.rewriting import Rewritten, rewrite
from studio_qt.ui.tasks import sentence

if TYPE_CHECKING:
    from studio_qt.ui.documents.documents import Documents

__all__ = ["ConfigForm"]

_AGAIN_MS = 100
_MOST_STEPS = 100

TextEdit = Callable[[str], str]


class ConfigForm(QObject):
    """The form over the window. `open_wanted` and `builder_wanted` carry paths of the project.

    What is changed is in config.json at once, saved unless that has unsaved edits; Undo takes one
    change after the other back.
    """

    open_wanted = Signal(str)
    builder_wanted = Signal(str)
    notice = Signal(str, str)

    def __init__(self, desk: Desk, documents: Documents, over: QWidget) -> None:
        super().__init__(over)
        self._desk, self._documents, self._over = desk, documents, over
        self._sheet: ConfigSheet | None = None
        self._facts: ConfigFacts | None = None
        self._steps: list[Rewritten] = []
        self._one, self._making = asyncio.Lock(), asyncio.Lock()
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(_AGAIN_MS)
        self._again.timeout.connect(lambda: self._start(self._show()))
        documents.buffers_changed.connect(self.files_changed)
        desk.actions.add(
            "configForm",
            "Con&figuration…",
            self.open,
            place=Place("Character", 1),
            keys="Ctrl+Alt+Q",
        )

    @property
    def sheet(self) -> ConfigSheet | None:
        """The dialog, once it was opened."""
        return self._sheet

    def open(self) -> None:
        """Show the form; one that is open keeps its steps to undo."""
        if self._sheet is None or not self._sheet.come_up():
            self._start(self._open())

    def files_changed(self, _paths: object = None) -> None:
        """Look again, where the form is open."""
        if self._sheet is not None and self._sheet.is_open:
            self._again.start()

    def project_closed(self) -> None:
        """Close the form of a project that is left."""
        self._steps.clear()
        if self._sheet is not None and self._sheet.is_open:
            self._sheet.reject()

    # Showing

    async def _open(self) -> None:
        self._steps.clear()
        root = self._documents.root
        await self._read()
        sheet = await self._make_sheet()
        if self._documents.root != root:
            return  # the project was left meanwhile
        sheet.say("What you change here is written at once.")
        self._show_facts(sheet)
        await asyncio.sleep(0)
        sheet.lay()

    async def _show(self) -> None:
        sheet = self._sheet
        if sheet is None or not sheet.is_open:
            return
        try:
            await self._read()
        except StudioError as error:
            sheet.say(str(error), "fieldWarn")
            return
        if sheet.is_open:
            self._show_facts(sheet)

    async def _read(self) -> None:
        root = self._documents.root
        if root is None:
            raise StudioError("Open a project first; config.json belongs to one.")
        self._documents.flush()
        buffers = self._documents.buffers
        try:
            self._facts = await asyncio.to_thread(read_facts, root, buffers)
        except ValueError as error:
            raise StudioError(f"{CONFIG_FILE} cannot be shown as a form: {error}.") from error

    def _show_facts(self, sheet: ConfigSheet) -> None:
        root = self._documents.root
        if self._facts is not None and root is not None:
            place = f"{CONFIG_FILE} in {self._facts.form.name or root.name}"
            sheet.show_facts(self._facts, place, can_undo=bool(self._steps))

    async def _make_sheet(self) -> ConfigSheet:
        async with self._making:
            if self._sheet is None:
                sheet = ConfigSheet(self._desk.theme, self._over)
                await sheet.assemble()
                self._connect(sheet)
                self._sheet = sheet
        return self._sheet

    def _connect(self, sheet: ConfigSheet) -> None:
        sheet.rows.moved.connect(lambda agent, to: self._change(move_entry(agent, to)))
        sheet.rows.removed.connect(lambda agent: self._change(remove_entry(agent)))
        sheet.add_wanted.connect(lambda name: self._change(add_entry(name), chosen=name))
        sheet.lookup_wanted.connect(self._add_lookup)
        sheet.details.changed.connect(self._change_entry)
        sheet.details.file_wanted.connect(self._open_file)
        sheet.details.builder_wanted.connect(self._open_builder)
        sheet.fields.word_changed.connect(lambda *word: self._change(set_word(*word)))
        sheet.fields.text_changed.connect(lambda *text: self._change(map_text(*text)))
        sheet.undo_wanted.connect(lambda: self._start(self._undo()))
        sheet.file_wanted.connect(lambda: self._leave_for(CONFIG_FILE))

    def _made_sheet(self) -> ConfigSheet:
        assert self._sheet is not None
        return self._sheet

    # Changing

    def _change(self, edit: TextEdit, chosen: str = "") -> None:
        self._start(self._write(edit, chosen))

    async def _write(self, edit: TextEdit, chosen: str = "") -> None:
        """Write one change; one that cannot be made is told at the foot, and nothing changes."""
        async with self._one:
            try:
                text = await self._documents.text_now(CONFIG_FILE)
                new = await asyncio.to_thread(edit, text)
                done = await rewrite(self._documents, {CONFIG_FILE: new}, keep_unsaved=True)
            except (StudioError, ValueError) as error:
                await self._show()
                self._made_sheet().say(_ended(str(error)), "fieldError")
                return
            if done.paths:
                self._steps.append(done)
                del self._steps[:-_MOST_STEPS]
            self._made_sheet().say("")
            await self._show()
            if chosen:
                self._made_sheet().rows.choose(chosen)

    async def _undo(self) -> None:
        async with self._one:
            if self._steps and await self._steps.pop().undo():
                words = f"{CONFIG_FILE} was changed elsewhere since; its history has the rest."
                self._made_sheet().say(words, "fieldWarn")
                self._steps.clear()
            await self._show()

    def _change_entry(self, agent: ListedAgent, members: dict[str, str]) -> None:
        self._change(change_entry(agent, **members), members.get("id", ""))

    def _add_lookup(self, implementation: str) -> None:
        """List an instance under a free id, bound to a file that no other looks into."""
        if self._facts is None:
            return
        form = self._facts.form
        bound = {agent.context_file for agent in form.agents}
        file = next((name for name in self._facts.context_files if name not in bound), "")
        agent_id = _free_id(file, [agent.id for agent in form.agents])
        entry: JsonObject = {"id": agent_id, "implementation": implementation, "contextFile": file}
        self._change(add_entry(entry), chosen=agent_id)

    # Leaving

    def _open_file(self, agent: ListedAgent) -> None:
        self._start(self._open_agent(agent))

    async def _open_agent(self, agent: ListedAgent) -> None:
        root = self._documents.root
        if root is None:
            return
        if agent.kind == "subagent":
            self._leave_for(prompt_path(agent.file))
            return
        found = await asyncio.to_thread(find_agent_file, FolderSource(root), agent.file)
        if found is None:
            self._made_sheet().say(f"There is no file of “{agent.file}” in agents.", "fieldWarn")
        else:
            self._leave_for(found[0])

    def _open_builder(self, agent: ListedAgent) -> None:
        self._made_sheet().accept()
        self.builder_wanted.emit(prompt_path(agent.file))

    def _leave_for(self, path: str) -> None:
        self._made_sheet().accept()
        self.open_wanted.emit(path)

    def _start(self, work: Coroutine[object, object, None]) -> None:
        self._desk.tasks.start(work, name="configuration", on_error=self._on_error)

    def _on_error(self, error: Exception) -> None:
        self.notice.emit(sentence(error), "error")


def _free_id(file: str, taken: Sequence[str]) -> str:
    """Return an id that no agent has, after the file and with the prefix of the others."""
    own = [one.partition(".")[0] for one in taken if "." in one and not one.startswith("studio.")]
    stem = file.rpartition("/")[2].lstrip(".").partition(".")[0] or "lookup"
    base = f"{own[0] if own else 'my'}.{stem.replace(' ', '-')}"
    names = [base, *(f"{base}-{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
