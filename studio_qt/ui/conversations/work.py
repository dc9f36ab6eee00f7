"""`ConversationWork`: what is done with conversations, one thing at a time, deletion undoable."""

from __future__ import annotations

import asyncio
import html
import logging
import secrets
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from studio_qt.errors import ClosedError, StorageError
from studio_qt.ui.conversations.listing import arrange
from studio_qt.ui.conversations.model import ConversationModel
from studio_qt.ui.conversations.sheets import lay
from studio_qt.ui.desk import Desk
from studio_qt.ui.keeping import project_memory
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.sheet import MessageSheet

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer
    from studio_qt.engine.storage import Removed

__all__ = ["ConversationWork", "Deleted"]

_SOON_MS = 80
"""After an event of the player, before the list is read again."""

_LATER_MS = 400
_MANY = 100
"""Conversations from which on reading the list takes so long that it is done less often."""

_MOST_STEPS = 50
_KEPT_SECONDS = 7 * 24 * 3600
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Deleted:
    """A conversation that was deleted, and whether it was the open one."""

    removed: Removed
    name: str
    was_open: bool


class ConversationWork(QObject):
    """Keeps the model up to date with the player, and does what the user asks for.

    `notice` carries a sentence and its kind; `deleted` a `Deleted` that `bring_back` takes;
    `listed` follows every reading of the list, `another` each change of what is open or who
    answers in it. `over` is what questions lie over.
    """

    notice = Signal(str, str)
    deleted = Signal(object)
    listed = Signal()
    another = Signal()

    def __init__(
        self,
        desk: Desk,
        model: ConversationModel,
        over: Callable[[], QWidget],
        busy: Callable[[], bool],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._desk, self._model, self._over, self._busy = desk, model, over, busy
        self._player: CharacterPlayer | None = None
        self._place: Path | None = None
        self._offs: list[Callable[[], None]] = []
        self._steps: list[Deleted] = []
        self._going: set[str] = set()
        self._session = secrets.token_hex(4)
        self._one = asyncio.Lock()
        self._reading = self._again = False
        self._shown = ("", "")
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.refresh)
        model.named.connect(self.rename)

    @property
    def player(self) -> CharacterPlayer | None:
        """The open player."""
        return self._player

    @property
    def settled(self) -> bool:
        """Whether the list is as the player last told and nothing is under way."""
        return not (self._reading or self._soon.isActive() or self._one.locked())

    @property
    def can_undo(self) -> bool:
        """Whether a deleted conversation can be brought back."""
        return bool(self._steps)

    def set_place(self, place: Path | None) -> None:
        """Say where the character is: what undo needs is kept for it in the home folder."""
        self._place = place
        if place is not None:
            shelf = project_memory(place) / "removed-conversations"
            self._desk.tasks.start(asyncio.to_thread(_remove_old, shelf), name="tidy")

    def show_player(self, player: CharacterPlayer | None) -> None:
        """Follow an open player; None empties the list."""
        for off in self._offs:
            off()
        self._offs.clear()
        self._steps.clear()
        self._going.clear()
        self._player = player
        self._shown = ("", "")
        if player is None:
            self._soon.stop()
            self._model.show_rows((), "")
            self.listed.emit()
            return
        events = ("entries", "turn", "conversations", "reload")
        self._offs = [player.on(name, lambda _said: self._note()) for name in events]
        self.refresh()

    def refresh(self) -> None:
        """Read the list again, off the window's thread; while a title is typed it waits."""
        if self._player is None:
            return
        if self._reading or self._busy():
            self._again = True
            return
        self._reading = True
        self._desk.tasks.start(
            self._read(self._player), name="read conversations", on_error=self._fail
        )

    def catch_up(self) -> None:
        """Read the list if that had to wait."""
        if self._again and not self._busy():
            self._again = False
            self.refresh()

    # What a user does

    def new(self) -> None:
        """Begin a conversation."""
        self._start(lambda player: player.new_conversation(unless_empty=True), "new conversation")

    def open(self, conversation: str) -> None:
        """Take up another conversation."""
        if self._player is not None and conversation != self._player.conversation_id:
            self._start(lambda player: player.load_conversation(conversation), "open conversation")

    def rename(self, conversation: str, title: str) -> None:
        """Give a conversation another title."""
        self._start(
            lambda player: player.rename_conversation(conversation, title), "rename conversation"
        )

    def delete(self, conversation: str) -> None:
        """Move a conversation to the trash; asks before anything is deleted for good.

        One that is listed no longer than until the list is read again is not deleted twice.
        """
        if conversation not in self._going:
            self._going.add(conversation)
            self._start(lambda player: self._delete(player, conversation), "delete conversation")

    def undo(self) -> None:
        """Bring back what was deleted last."""
        if self._steps:
            self.bring_back(self._steps[-1])
        else:
            self.notice.emit("No conversation was deleted since the character was opened.", "info")

    def bring_back(self, deleted: Deleted) -> None:
        """Bring a deleted conversation back, once."""
        if deleted in self._steps:
            self._steps.remove(deleted)
            self._start(lambda player: self._restore(player, deleted), "bring back")

    # How it is done

    async def _delete(self, player: CharacterPlayer, conversation: str) -> None:
        deleted = None
        try:
            deleted = await self._deleted(player, conversation)
        finally:
            if deleted is None:
                self._going.discard(conversation)
        if deleted is None:
            return
        if deleted.removed.copies:
            self._steps.append(deleted)
            del self._steps[:-_MOST_STEPS]
            self.deleted.emit(deleted)
        else:
            self.notice.emit(f"“{deleted.name}” is deleted.", "info")

    async def _deleted(self, player: CharacterPlayer, conversation: str) -> Deleted | None:
        """Delete it; None where the user does not want that for good."""
        row = self._model.find(conversation)
        name = row.name if row is not None else conversation
        was_open = conversation == player.conversation_id
        keep_in = self._shelf()
        try:
            removed = await player.delete_conversation(conversation, keep_in=keep_in)
        except StorageError as error:
            if not await self._ask_for_good(name, str(error)):
                return None
            removed = await player.delete_conversation(conversation, keep_in=keep_in, trash=False)
        return Deleted(removed, name, was_open)

    async def _restore(self, player: CharacterPlayer, deleted: Deleted) -> None:
        try:
            await player.restore_conversation(deleted.removed)
        except StorageError:
            self._steps.append(deleted)  # it can be tried again
            raise
        self._going.discard(deleted.removed.conversation_id)
        if deleted.was_open:
            await player.load_conversation(deleted.removed.conversation_id)
        self.notice.emit(f"“{deleted.name}” is back.", "ok")

    async def _ask_for_good(self, name: str, reason: str) -> bool:
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        text = f"{html.escape(reason)}<br><br>It can be deleted without the trash instead."
        sheet = MessageSheet(
            self._desk.theme,
            self._over(),
            f"Delete “{name}” for good?",
            text,
            name="deleteConversation",
            yes="Delete for good",
        )

        def take(result: int) -> None:
            if not answer.done():
                answer.set_result(bool(result))

        sheet.finished.connect(take)
        lay(sheet)
        try:
            return await answer
        except asyncio.CancelledError:
            sheet.hide()
            sheet.deleteLater()
            raise

    async def _read(self, player: CharacterPlayer) -> None:
        try:
            told = await player.list_conversations()
            rows = await asyncio.to_thread(arrange, told)
        except ClosedError:
            return
        finally:
            self._reading = False
        if player is not self._player:
            self.refresh()
            return
        if self._busy():
            self._again = True
            return
        current = player.conversation_id
        self._model.show_rows(rows, current)
        self._going.intersection_update(row.id for row in rows)
        self.listed.emit()
        shown = (current, player.character.model_label)
        if shown != self._shown:
            self._shown = shown
            self.another.emit()
        self.catch_up()

    def _note(self) -> None:
        if not self._soon.isActive():
            many = len(self._model.rows) >= _MANY
            self._soon.start(_LATER_MS if many else _SOON_MS)

    def _shelf(self) -> Path | None:
        if self._place is None:
            return None
        return project_memory(self._place) / "removed-conversations" / self._session

    def _start(self, work: Callable[[CharacterPlayer], Awaitable[object]], name: str) -> None:
        player = self._player
        if player is None:
            self.notice.emit("Open a character first; conversations belong to one.", "info")
            return

        async def one_at_a_time() -> None:
            async with self._one:
                await work(player)

        self._desk.tasks.start(one_at_a_time(), name=name, on_error=self._fail)

    def _fail(self, error: Exception) -> None:
        if not isinstance(error, ClosedError):
            self.notice.emit(sentence(error), "error")


def _remove_old(shelf: Path) -> None:
    """Remove what sessions of more than a week ago have left."""
    try:
        old = [one for one in shelf.iterdir() if time.time() - one.stat().st_mtime > _KEPT_SECONDS]
    except FileNotFoundError:
        return
    except OSError as error:
        _log.warning("%s cannot be tidied: %s", shelf, error)
        return
    for one in old:
        shutil.rmtree(one, ignore_errors=True)
