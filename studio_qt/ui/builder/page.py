"""`SubAgentBuilder`: opens the Builder on a new sub-agent or on one that is there, and saves it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from studio_qt.authoring.subagentfacts import SubAgentFacts
from studio_qt.authoring.subagentform import (
    Opened,
    SubAgentForm,
    form_of_text,
    new_form,
    path_of,
    read_form,
)
from studio_qt.authoring.subagentsaving import write_form
from studio_qt.errors import Problem, StudioError
from studio_qt.files.source import Source
from studio_qt.package.ids import tool_name_of
from studio_qt.package.subagents.loading import SUFFIX
from studio_qt.ui.actions import Place
from studio_qt.ui.builder.draft import Draft, Drafts
from studio_qt.ui.builder.following import follow, merged
from studio_qt.ui.builder.form import BuilderSheet, Parts
from studio_qt.ui.builder.reading import (
    Surroundings,
    read_all,
    read_surroundings,
    source_of,
)
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.rewriting import Rewritten, rewrite
from studio_qt.ui.tasks import sentence

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer
    from studio_qt.ui.documents.documents import Documents

__all__ = ["SubAgentBuilder"]

Work = Coroutine[object, object, object]
_AGAIN_MS = 150


class SubAgentBuilder(QObject):
    """The form for sub-agents over the window (STU-06).

    `open_wanted` and `delete_wanted` carry the path of a prompt file; `saved` the path, and
    whether it is new; `written` the paths of the files that were written; `polish_wanted` the text
    of the body, which `take_body` gives back. `notice` carries a sentence and its kind, `done` a
    sentence and what takes it back, `found` a sentence on a form that was not saved the last time
    and what opens it. `current` tells the path of the file in front, for the action that edits it.
    """

    open_wanted = Signal(str)
    delete_wanted = Signal(str)
    saved = Signal(str, bool)
    written = Signal(object)
    polish_wanted = Signal(str)
    notice = Signal(str, str)
    done = Signal(str, object)
    found = Signal(str, object)

    def __init__(
        self,
        desk: Desk,
        documents: Documents,
        over: QWidget,
        current: Callable[[], str | None] = lambda: None,
    ) -> None:
        super().__init__(over)
        self._desk, self._documents, self._over = desk, documents, over
        self._current = current
        self._player: CharacterPlayer | None = None
        self._problems: Sequence[Problem] = ()
        self._sheet: BuilderSheet | None = None
        self._polishes = False
        self._asked = 0
        self._then = ""  # the file to be opened when the form is closed
        self._making = asyncio.Lock()
        self._drafts = Drafts(desk.tasks, self._draft, lambda: documents.root, self)
        self._offered = False
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(_AGAIN_MS)
        self._again.timeout.connect(self._look_again)
        documents.buffers_changed.connect(self.files_changed)
        self._add_actions()

    # What others ask

    @property
    def sheet(self) -> BuilderSheet | None:
        """The dialog, once it was opened."""
        return self._sheet

    @property
    def is_open(self) -> bool:
        """Whether a form is shown."""
        return self._sheet is not None and self._sheet.is_open

    def open_new(self, prefill: str | None = None, name: str = "") -> None:
        """Show the form for a new sub-agent, filled from the text of a whole prompt file.

        Without `name` a prefilled one is called by the file's `id`.
        """
        opened = new_form(name) if prefill is None else form_of_text(prefill, name)
        empty = replace(opened, form=SubAgentForm())
        self._start(self._open(empty, again=False, form=opened.form))

    def open_edit(self, path: str, entry_index: int | None = None) -> None:
        """Show the form for a prompt file; `entry_index` is the place of its entry, if not the
        first."""
        self._start(self._open_edit(path, entry_index))

    def take_body(self, text: str) -> None:
        """Put another prompt into the form that is open, as one step of its undo."""
        if self._sheet is not None and self._sheet.is_open:
            self._sheet.prompt.take_body(text)

    def offer_polish(self) -> None:
        """Show the button that asks for a polish."""
        self._polishes = True
        if self._sheet is not None:
            self._sheet.prompt.offer_polish()

    def show_player(self, player: CharacterPlayer | None) -> None:
        """Take the player that is open; it tells models, messages and stores."""
        self._player = player
        if self.is_open:
            self._again.start()

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Take what is wrong with the character: agents that do not run cannot be granted."""
        self._problems = [one for one in problems if one.severity == "error"]
        if self.is_open:
            self._again.start()

    def files_changed(self, _paths: object = None) -> None:
        """Look again, where a form is open; what the user has changed stays."""
        if self.is_open:
            self._again.start()

    def project_opened(self) -> None:
        """Offer the forms that were not saved when the project was left, once."""
        if not self._offered and not self.is_open:
            self._offered = True
            self._start(self._offer_draft())

    def project_closed(self) -> None:
        """Close the form of a project that is left; what was changed comes back with it."""
        self._offered = False
        if self._sheet is not None and self._sheet.is_open:
            self._drafts.write()
            self._sheet.leave()

    async def keep(self) -> None:
        """Keep the form that is open for the next time; the window closes."""
        await self._drafts.end()

    # Opening

    async def _open_edit(self, path: str, entry_index: int | None) -> None:
        source = source_of(self._documents)
        opened = await asyncio.to_thread(read_form, source, path, entry_index)
        await self._open(opened, again=False)

    async def _open(self, opened: Opened, *, again: bool, form: SubAgentForm | None = None) -> None:
        sheet = await self._made_sheet()
        if sheet.is_open and sheet.changed:
            self._refuse(opened, form)
            return
        self._asked += 1
        asked = self._asked
        now, facts = await self._read(source_of(self._documents), opened, again=again)
        if asked != self._asked:
            return
        around = Surroundings({}, character=self._name())
        sheet.show_form(form or now.form, now, facts, around)
        await asyncio.sleep(0)
        sheet.begin()
        if form is not None:
            self._drafts.mark()
        self._start(self._tell_surroundings())

    def _refuse(self, opened: Opened, form: SubAgentForm | None) -> None:
        """Leave the form that is open; what was to be filled in can be opened afterwards."""
        if form is None or form == opened.form:
            self.notice.emit("A form is open already; save or close it first.", "info")
            return
        name = form.name or "a new sub-agent"
        text = f"Save or close the form that is open, then open the one of {name}."
        self.found.emit(text, lambda: self._start(self._open(opened, again=False, form=form)))

    async def _read(
        self, source: Source, opened: Opened, *, again: bool
    ) -> tuple[Opened, SubAgentFacts]:
        return await read_all(
            source,
            opened,
            again=again,
            threshold=self._desk.preferences.player.size_warning_tokens,
            problems=self._problems,
        )

    async def _tell_surroundings(self) -> None:
        sheet = self._sheet
        if sheet is None or not sheet.is_open:
            return
        names = [agent.id for agent in self._player.agents()] if self._player else []
        around = await read_surroundings(self._player, names)
        if sheet.is_open:
            sheet.show_around(replace(around, character=self._name()))

    async def _made_sheet(self) -> BuilderSheet:
        async with self._making:
            if self._sheet is None:
                parts = await Parts.make(self._desk)
                sheet = BuilderSheet(self._desk, self._over, parts)
                await sheet.assemble()
                self._connect(sheet)
                self._sheet = sheet
        return self._sheet

    def _connect(self, sheet: BuilderSheet) -> None:
        sheet.edited.connect(self._drafts.mark)
        sheet.save_wanted.connect(lambda: self._start(self._save(sheet, sheet.form)))
        sheet.left.connect(lambda form: self._on_left(sheet, form))
        sheet.stayed.connect(self._on_stayed)
        sheet.delete_wanted.connect(lambda: self._on_delete(sheet))
        sheet.file_wanted.connect(lambda: self._on_file(sheet))
        sheet.polish_wanted.connect(self.polish_wanted)
        sheet.instance_wanted.connect(lambda index: self._on_instance(sheet, index))
        if self._polishes:
            sheet.prompt.offer_polish()

    # What was not saved

    def _draft(self) -> Draft | None:
        sheet = self._sheet
        if sheet is None or not sheet.is_open or not sheet.changed:
            return None
        return Draft.of(sheet.form, sheet.opened)

    async def _offer_draft(self) -> None:
        for draft in await self._drafts.kept():
            name = draft.form.name or "a new sub-agent"
            text = f"The form of {name} was not saved when this project was left."
            self.found.emit(text, lambda draft=draft: self._start(self._take_up(draft)))

    async def _take_up(self, draft: Draft) -> None:
        source = source_of(self._documents)
        if draft.path:
            opened = await asyncio.to_thread(read_form, source, draft.path, draft.entry)
        else:
            opened = replace(form_of_text(draft.text), form=SubAgentForm())
        await self._open(opened, again=False, form=draft.form)

    # Saving

    async def _save(self, sheet: BuilderSheet, form: SubAgentForm) -> None:
        opened = sheet.opened
        sheet.set_busy(busy=True)
        try:
            source = source_of(self._documents)
            texts = await asyncio.to_thread(write_form, form, source, opened)
            written = await rewrite(
                self._documents, {path: _plain(text) for path, text in texts.items()}
            )
        except StudioError as error:
            sheet.say(str(error), "warn")
            return
        finally:
            sheet.set_busy(busy=False)
        path = opened.path or path_of(form.name)
        self.written.emit(frozenset(written.paths))
        self.saved.emit(path, opened.is_new)
        self._drafts.forget(opened.path)
        if sheet.form == form:
            sheet.leave()
        else:  # somebody went on typing meanwhile
            await self._stay(sheet, form, replace(opened, path=path))
        tool = tool_name_of(opened.agent_id or form.name)
        words = "is made" if opened.is_new else "is saved"
        text = f"{form.name} {words}. Try it with @{tool} in the chat."
        self.done.emit(text, lambda: self._start(self._undo(written)))

    async def _stay(self, sheet: BuilderSheet, saved: SubAgentForm, opened: Opened) -> None:
        """Go on with what was changed since the save."""
        now, facts = await self._read(source_of(self._documents), opened, again=True)
        sheet.show_form(merged(saved, sheet.form, now.form), now, facts, sheet.surroundings)
        self._drafts.mark()
        sheet.say("It is saved as it was when you asked; what you wrote since is not yet.")

    async def _undo(self, written: Rewritten) -> None:
        left = await written.undo()
        self.written.emit(frozenset(written.paths))
        if left:
            self.notice.emit(f"{', '.join(left)} was changed since, and stays.", "info")

    # Following what changes

    def _look_again(self) -> None:
        self._start(self._follow())

    async def _follow(self) -> None:
        if self._sheet is not None and self._sheet.is_open:
            await follow(self._sheet, self._read_again)
            await self._tell_surroundings()

    async def _read_again(self, opened: Opened) -> tuple[Opened, SubAgentFacts]:
        return await self._read(source_of(self._documents), opened, again=not opened.is_new)

    # Slots

    def _on_left(self, sheet: BuilderSheet, form: SubAgentForm | None) -> None:
        self._drafts.forget(sheet.opened.path)
        then, self._then = self._then, ""
        if then:
            self.open_wanted.emit(then)
        if form is None:
            return
        opened = sheet.opened
        self.done.emit(
            "The form is closed without saving.",
            lambda: self._start(self._open(opened, again=not opened.is_new, form=form)),
        )

    def _on_stayed(self) -> None:
        self._then = ""

    def _on_delete(self, sheet: BuilderSheet) -> None:
        sheet.leave()
        self._drafts.forget(sheet.opened.path)
        self.delete_wanted.emit(sheet.opened.path)

    def _on_file(self, sheet: BuilderSheet) -> None:
        self._then = sheet.opened.path
        sheet.reject()

    def _on_instance(self, sheet: BuilderSheet, index: int) -> None:
        if sheet.changed:
            text = "Save or take back what is changed here before another instance."
            sheet.say(text, "warn", theirs=True)
            return
        self.open_edit(sheet.opened.path, index)

    def _edit_current(self) -> None:
        path = self._current()
        if path is None or not path.endswith(SUFFIX):
            text = "Choose a sub-agent in the tree, or open its file, to edit it in the Builder."
            self.notice.emit(text, "info")
            return
        self.open_edit(path)

    # Helpers

    def _add_actions(self) -> None:
        add = self._desk.actions.add
        place = Place("Character", 0)
        add("newSubAgentForm", "New s&ub-agent…", self.open_new, place=place, keys="Ctrl+Alt+A")
        add(
            "editSubAgent",
            "Edit in the &Builder…",
            self._edit_current,
            place=place,
            keys="Ctrl+Shift+B",
        )

    def _name(self) -> str:
        root = self._documents.root
        if self._player is not None:
            return self._player.character.name
        return root.name if root is not None else ""

    def _start(self, work: Work) -> None:
        self._desk.tasks.start(work, name="builder", on_error=self._on_error)

    def _on_error(self, error: Exception) -> None:
        self.notice.emit(sentence(error), "error")


def _plain(text: str) -> str:
    """Return a text as documents have it: without a mark, lines ending in `\\n`."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
