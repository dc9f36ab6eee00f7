"""`MessageDeeds`: what can be done with a message, by its buttons, the menu and the keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from studio_qt.errors import StudioError
from studio_qt.ui.actions import Actions, Place
from studio_qt.ui.chat.asking import Asked, answered
from studio_qt.ui.chat.cells import Cell
from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.picker import Picker
from studio_qt.ui.chat.rows import Row, Said, row_text
from studio_qt.ui.chat.view import ChatView
from studio_qt.ui.tasks import Tasks, sentence
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.sheet import MessageSheet

if TYPE_CHECKING:
    from studio_qt.engine.editing import Stores
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["MessageDeeds"]

Deed: TypeAlias = Callable[[], Coroutine[object, object, object]]

_LOST = "Everything after this message is removed, and it is answered again. This cannot be undone."


class MessageDeeds(QObject):
    """Edits through the player; a refusal is a notice, and no text is lost (PERS-05).

    `notice` carries a sentence and its kind. `failed` an error of an answer that was asked for
    again. `forked` the id of the conversation that was made, `sent_wanted` a turn, and whether its
    first request is meant.
    """

    notice = Signal(str, str)
    failed = Signal(object)
    answering = Signal()
    forked = Signal(str)
    sent_wanted = Signal(int, bool)

    def __init__(
        self, theme: Theme, tasks: Tasks, actions: Actions, view: ChatView, model: ChatModel
    ) -> None:
        super().__init__(view)
        self._theme, self._tasks = theme, tasks
        self._view, self._model = view, model
        self._player: CharacterPlayer | None = None
        self._drafts: dict[str, list[str]] = {}
        self._order = asyncio.Lock()
        self.picker = Picker(view, model)
        self._add_actions(actions, view)
        view.deed_wanted.connect(self._on_deed)
        view.edit_saved.connect(self._on_saved)
        view.edit_left.connect(self._on_left)
        view.customContextMenuRequested.connect(self._on_menu)
        self.picker.moved.connect(self._allow)
        model.flushed.connect(self._allow)

    def set_player(self, player: CharacterPlayer | None) -> None:
        """Work on an open player's conversation."""
        if player is not self._player:
            self.picker.clear()  # the rows are still those of the player before, which is closed
        self._player = player
        self._allow()

    # Deeds

    def copy(self) -> None:
        """Copy what is chosen: selected text, one message as it was written, or several."""
        if self._copy_selection():
            return
        rows = self._chosen_rows()
        if not rows:
            return
        text = "\n\n".join(row_text(row, self._view.name) for row in rows)
        if len(rows) == 1:
            text = rows[0].text or text
        QGuiApplication.clipboard().setText(text)

    def edit(self) -> None:
        """Let the message be changed where it stands."""
        at, row = self._target()
        if at is None or row is None or row.kind not in ("user", "reply") or row.state:
            return
        texts = [part.text for part in row.parts if isinstance(part, Said)]
        if not texts:
            self.notice.emit("This reply has tool calls alone, and no text to edit.", "info")
            return
        self._view.show_row(at)
        if cell := self._view.cell(at):
            draft = self._draft_name(row.key)
            kept = self._drafts.pop(draft, texts)
            texts = kept if len(kept) == len(texts) else texts
            cell.begin_edit(texts, resend=row.kind == "user")
            if cell.editor is not None:
                cell.editor.draft = draft

    def answer(self, answer: Deed) -> None:
        """Have something answered, unless an answer is under way."""
        player = self._player
        if player is None:
            return
        if self._model.running:
            self.notice.emit("A reply is being written. Stop it first.", "info")
            return
        self.answering.emit()
        work = self._answered(player, self._model.ask(), answer)
        self._tasks.start(work, name="retry", on_error=self.failed.emit)

    def retry(self) -> None:
        """Answer again; what would be lost by it is asked about first."""
        player, index = self._player, self._question()
        if player is None or index is None:
            return
        if self._later_question(index) is None:
            self.answer(player.regenerate)
            return
        held = self._held([index])

        async def again() -> None:
            for at in held():
                await player.resubmit(at)

        self._ask_answer(again)

    def fork(self, stores: Stores = "now") -> None:
        """Begin a conversation with everything up to the message."""
        player, index = self._player, self._last_entry()
        if player is None or index is None:
            return

        held = self._held([index])

        async def fork() -> None:
            for at in held():
                await begin(at)

        async def begin(at: int) -> None:
            made = await player.fork(at, stores)
            self.notice.emit(f"{made} begins with everything up to this message.", "ok")
            self.forked.emit(made)

        self._do(fork)

    def delete(self) -> None:
        """Remove the chosen messages; this can be undone."""
        player = self._player
        indexes = self._entry_indexes()
        if player is None or not indexes:
            return

        held = self._held(indexes)

        async def delete() -> None:
            for index in reversed(held()):
                await player.delete(index)

        self._do(delete)

    def delete_from_here(self, stores: Stores = "now") -> None:
        """Remove the message and everything after it; this can be undone."""
        index = self._first_entry()
        player = self._player
        if player is None or index is None:
            return
        held = self._held([index])

        async def truncate() -> None:
            for at in held():
                await player.truncate(at, stores)

        self._do(truncate)

    def reject(self) -> None:
        """Mark the reply as unacceptable: it stays in the file, and is never sent."""
        player, index = self._player, self._slot_of("reply")
        if player is None or index is None:
            return
        held = self._held([index])

        async def reject() -> None:
            for at in held():
                await player.reject(at)

        self._do(reject)

    def choose(self, by: int) -> None:
        """Take the response before or after of the same turn."""
        at, row = self._target()
        slot = self._model.slot(at) if at is not None else None
        player = self._player
        if player is None or row is None or slot is None or row.kind != "reply":
            return
        if slot.choice[1] < 2:
            return
        held, stores = self._held([slot.first]), self._stores

        async def choose() -> None:
            for at in held():
                made = player.alternatives(at)
                which = next(
                    (one for one, part in enumerate(made) if part["active"]), slot.choice[0]
                )
                if 0 <= which + by < len(made):
                    await player.choose(at, which + by, stores)

        self._do(choose)

    def show_sent(self) -> None:
        """Show the request that led to the reply, or that the user's message went out with."""
        at, row = self._target()
        slot = self._model.slot(at) if at is not None else None
        if slot is not None and row is not None:
            self.sent_wanted.emit(slot.turn, row.kind == "user")

    def undo(self) -> None:
        """Take the last edit back."""
        if self._player is not None:
            self._do(self._player.undo)

    def redo(self) -> None:
        """Do again what was undone."""
        if self._player is not None:
            self._do(self._player.redo)

    def show_menu(self, at: QPoint | None = None) -> None:
        """Show what can be done with the message; at a place on the screen."""
        row, _ = self._target()
        if row is None:
            return
        menu = QMenu(self._view)
        menu.setObjectName("messageMenu")
        menu.setAccessibleName("Message")
        for group in self._groups:
            menu.addActions([action for action in group if action.isEnabled()])
            menu.addSeparator()
        menu.aboutToHide.connect(menu.deleteLater)
        cell = self._view.cell(row)
        corner = cell.mapToGlobal(QPoint(40, min(cell.height(), 60))) if cell else QPoint()
        menu.popup(at if at is not None else corner)

    @property
    def _stores(self) -> Stores:
        """What a response that is taken brings with it."""
        return "then" if self._with_stores.isChecked() else "keep"

    # Actions

    def _add_actions(self, actions: Actions, owner: QWidget) -> None:
        place = Place("Conversation", 2)

        def add(name: str, text: str, slot: Callable[[], object], keys: str = "") -> QAction:
            return actions.add(name, text, slot, place=place, keys=keys, owner=owner)

        copy = add("messageCopy", "Cop&y message", self.copy, "Ctrl+C")
        edit = add("messageEdit", "&Edit message", self.edit, "F2")
        retry = add("messageRetry", "&Answer again", self.retry, "Ctrl+R")
        before = add("messageBefore", "Response &before", lambda: self.choose(-1), "Left")
        after = add("messageAfter", "Response af&ter", lambda: self.choose(1), "Right")
        self._with_stores = actions.add(
            "chooseWithStores",
            "Take a response with its &stores",
            lambda: None,
            place=place,
            checkable=True,
        )
        fork = add("messageFork", "&Fork here", self.fork, "Ctrl+B")
        fork_then = add(
            "messageForkThen", "Fork here with the stores of t&hen", lambda: self.fork("then")
        )
        sent = add("messageSent", "What &was sent", self.show_sent, "Ctrl+I")
        reject = add("messageReject", "Put this reply as&ide", self.reject, "Ctrl+D")
        delete = add("messageDelete", "&Delete message", self.delete, "Del")
        from_here = add(
            "messageDeleteFrom", "Delete fro&m here", self.delete_from_here, "Shift+Del"
        )
        then = add(
            "messageDeleteFromThen",
            "Delete from here, stores of then",
            lambda: self.delete_from_here("then"),
        )
        add("messageMenuShow", "Menu of the message", self.show_menu, "Shift+F10; Menu")
        self._groups = (
            (copy, edit, retry),
            (before, after, self._with_stores),
            (fork, fork_then),
            (sent,),
            (reject, delete, from_here, then),
        )
        self._needs = {
            "any": (copy, fork, fork_then, sent, delete, from_here, then),
            "said": (edit, retry),
            "reply": (reject,),
            "several": (before, after, self._with_stores),
        }

    def _allow(self) -> None:
        """Enable what fits the message that is gone to."""
        at, row = self._target()
        stored = at is not None and self._model.slot(at) is not None
        fits = {
            "any": stored,
            "said": stored and row is not None and row.kind in ("user", "reply"),
            "reply": stored and row is not None and row.kind == "reply",
            "several": stored and row is not None and row.choice[1] > 1,
        }
        for need, allowed in fits.items():
            for action in self._needs[need]:
                action.setEnabled(allowed)
        if row is not None:
            self._needs["any"][0].setEnabled(True)

    # Slots

    def _on_deed(self, deed: str, row: int) -> None:
        if deed == "continue":
            return  # what the last reply does, wherever the keys are
        if deed == "focus":
            self._view.setFocus()
            return
        self.picker.aim(row, mark=deed == "more")
        deeds: dict[str, Callable[[], None]] = {
            "copy": self.copy,
            "edit": self.edit,
            "retry": self.retry,
            "fork": self.fork,
            "more": self.show_menu,
            "previous": lambda: self.choose(-1),
            "next": lambda: self.choose(1),
        }
        deeds[deed]()
        if not self.picker.marked:  # no key may do something to what nobody sees
            self.picker.clear()

    def _on_menu(self, spot: QPoint) -> None:
        row = self._view.row_under(spot)
        if row is not None:
            self.picker.aim(row, mark=True)
            self.show_menu(self._view.mapToGlobal(spot))

    def _on_saved(self, cell: Cell, texts: list[str], resend: bool) -> None:  # noqa: FBT001
        at = self._view.row_of(cell)
        slot = self._model.slot(at) if at is not None else None
        if self._player is None or at is None or slot is None:
            return
        said = [part for part in self._model.whole(at).parts if isinstance(part, Said)]
        if len(said) != len(texts):
            self.notice.emit("The message has changed meanwhile; the text was kept.", "error")
            return
        changed = {
            slot.first + part.at: text
            for part, text in zip(said, texts, strict=True)
            if text != part.text
        }
        if resend:
            held = self._held([slot.first])
            again = partial(self._resend, cell, held, texts[0])
            if self._later_question(slot.first) is not None:
                self._ask_answer(again, "Send it again?")
            else:
                self.answer(again)
        else:
            self._do(lambda: self._save(cell, changed))

    def _on_left(self, cell: Cell, texts: list[str]) -> None:
        """Keep what was typed into a message that went out of the view."""
        if cell.editor is not None:
            self._drafts[cell.editor.draft] = list(texts)

    # Coroutines

    async def _save(self, cell: Cell, changed: dict[int, str]) -> None:
        player = self._player
        assert player is not None
        try:
            for index, text in changed.items():
                await player.edit(index, text)
        except StudioError as error:
            _tell(cell, error)
            return
        cell.end_edit()

    async def _resend(self, cell: Cell, held: Callable[[], list[int]], text: str) -> None:
        """Change a message and answer it; the editor goes when the change stands."""
        player = self._player
        assert player is not None
        for index in held():
            cell.end_edit()
            try:
                await player.edit(index, text, resubmit=True)
            except StudioError:
                (entry,) = player.entries(index, index + 1) or [{}]
                if entry.get("content") != text:
                    self._drafts[self._draft_name(str(entry.get("id")))] = [text]
                raise

    async def _answered(self, player: CharacterPlayer, asked: Asked, answer: Deed) -> None:
        try:
            await answered(player, asked, answer)
        finally:
            self._model.give_up(asked)

    # Helpers

    def _do(self, deed: Deed) -> None:
        self._tasks.start(self._in_order(deed), name="edit", on_error=self._refuse)

    async def _in_order(self, deed: Deed) -> None:
        """Do one edit after the other: the player refuses one while another is being written."""
        async with self._order:
            if self._model.asked is not None:
                raise StudioError("A reply was asked for. Stop it first, then edit.")
            await deed()

    def _ask_answer(
        self,
        answer: Deed,
        title: str = "Answer this message again?",
    ) -> None:
        sheet = MessageSheet(
            self._theme, self._view.window(), title, _LOST, name="resubmit", yes="Answer again"
        )
        sheet.accepted.connect(lambda: self.answer(answer))
        sheet.finished.connect(self._view.setFocus)
        sheet.lay()

    def _copy_selection(self) -> bool:
        """Copy the text that is selected in the message; returns whether there is any."""
        cell = self._view.cell(self.picker.at) if self.picker.at is not None else None
        for view in cell.views if cell is not None and len(self.picker.rows) == 1 else ():
            if view.textCursor().hasSelection():
                view.copy()
                return True
        return False

    def _refuse(self, error: Exception) -> None:
        self.notice.emit(sentence(error), "error")

    def _target(self) -> tuple[int | None, Row | None]:
        self._model.catch_up()
        at = self.picker.at
        if at is None or at >= len(self._model):
            return None, None
        return at, self._model.whole(at)

    def _chosen_rows(self) -> list[Row]:
        found: dict[str, Row] = {}
        for at in self.picker.rows:
            if at < len(self._model):
                row = self._model.whole(at)
                found.setdefault(row.key, row)
        return [row for row in found.values() if row.kind != "about"]

    def _entry_indexes(self) -> list[int]:
        self._model.catch_up()
        slots = [self._model.slot(at) for at in self.picker.rows if at < len(self._model)]
        return sorted({slot.first for slot in slots if slot is not None})

    def _held(self, indexes: Sequence[int]) -> Callable[[], list[int]]:
        """Return what tells where these entries are when their turn comes.

        Edits wait for each other, and those before move or remove what a key was meant for.
        """
        player = self._player
        assert player is not None
        here = player.conversation_id == self._model.conversation  # else no row is of an entry
        found = [one for at in indexes for one in player.entries(at, at + 1) if here]
        ids = {entry["id"] for entry in found}

        def now() -> list[int]:
            entries = player.entries(0, len(player))
            return [at for at, entry in enumerate(entries) if entry["id"] in ids]

        return now

    def _first_entry(self) -> int | None:
        return next(iter(self._entry_indexes()), None)

    def _last_entry(self) -> int | None:
        at, _ = self._target()
        slot = self._model.slot(at) if at is not None else None
        return slot.stop - 1 if slot is not None else None

    def _slot_of(self, kind: str) -> int | None:
        at, row = self._target()
        slot = self._model.slot(at) if at is not None else None
        return slot.first if slot is not None and row is not None and row.kind == kind else None

    def _question(self) -> int | None:
        """Return the user entry that the message is, or answers; the last one for the tail."""
        at, _ = self._target()
        slot = self._model.slot(at) if at is not None else None
        return self._model.question(slot.first if slot is not None else None)

    def _later_question(self, index: int) -> int | None:
        """Return the last user entry, when it is not the one at `index`."""
        last = self._model.question(None)
        return last if last != index else None

    def _draft_name(self, row: str) -> str:
        return f"{self._model.conversation} {row}"


def _tell(cell: Cell, error: Exception) -> None:
    if cell.editor is not None:
        cell.editor.show_failure(sentence(error))
