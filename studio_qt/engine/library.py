"""`Library`: all conversations of a character, not only the one that is played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from studio_qt.engine.events import ConversationsChanged
from studio_qt.engine.given import check_text
from studio_qt.engine.searching import FoundEntry, SearchIn, search_conversations
from studio_qt.engine.stage import Stage
from studio_qt.engine.storage import (
    Conversation,
    MovedStores,
    Removed,
    move_stores,
    put_stores_back,
)
from studio_qt.errors import ModelError, StorageError, StudioError
from studio_qt.files import operations
from studio_qt.jsontext import JsonObject

__all__ = ["Library"]

_LONGEST_TITLE = 200
_MOST_FOUND = 500
_EXAMPLES = 5
_AT_ONCE = 200


class Library(Stage):
    """What a player can do with conversations: list, rename, delete, search, read."""

    @property
    def main_model(self) -> str | None:
        """The main model that was chosen for this conversation, None for none."""
        return self._now().session.conversation.main_model or None

    async def list_conversations(self) -> list[JsonObject]:
        """Return what there is to know of all conversations, the latest first.

        `{id, title, messages, updated, readable, origin, model}` each: `origin` of a fork is
        `{conversation, entry}`, `model` the main model that was chosen; None where there is none.
        """
        found = await self._now().folder.summaries()
        latest = sorted(found, key=lambda summary: (summary.updated, summary.id), reverse=True)
        return [summary.to_json() for summary in latest]

    async def conversation_entries(self, conversation_id: str) -> list[JsonObject]:
        """Return copies of all entries of any conversation; the player stays where it is.

        Raises StudioError for an unknown id and for a file that is no conversation.
        """
        entries = await self._now().folder.read_entries(conversation_id)
        return await asyncio.to_thread(lambda: [dict(entry) for entry in entries])

    async def import_conversation(self, entries: Sequence[JsonObject], title: str = "") -> str:
        """Make a conversation of entries that were held elsewhere; returns its id.

        The player stays where it is; no agent is told, and stores begin with the next turn. Raises
        StorageError; then there is no such conversation.
        """
        self._check_writable()
        line = " ".join(title.split())[:_LONGEST_TITLE]
        folder = self._now().folder
        made = await folder.create(title=line)
        try:
            for start in range(0, len(entries), _AT_ONCE):
                part = entries[start : start + _AT_ONCE]
                made.replace(start, start, part, reason="imported")
                await asyncio.sleep(0)
            await made.close()
        except BaseException:
            await made.close()
            await folder.remove(made.id, None, operations.remove_for_good)
            raise
        self._emit(ConversationsChanged(made.id, "made"))
        return made.id

    async def rename_conversation(self, conversation_id: str, title: str) -> None:
        """Give any conversation a title of one line; "" takes the first words of its user.

        Raises StudioError for an unknown id and a title of more than 200 characters.
        """
        check_text(title)
        line = " ".join(title.split())
        if len(line) > _LONGEST_TITLE:
            raise StudioError(f"A title may have {_LONGEST_TITLE} characters; make it shorter.")
        self._check_writable()
        await self._now().folder.rename(conversation_id, line)
        self._emit(ConversationsChanged(conversation_id, "renamed"))

    async def delete_conversation(
        self, conversation_id: str, *, keep_in: Path | None = None, trash: bool = True
    ) -> Removed:
        """Move a conversation with all its files to the system's trash.

        From the one that is open the player goes to the latest other one, or to a new one; a
        reply is stopped first. Copies in the folder `keep_in` let `restore_conversation` bring it
        back. `trash=False` deletes for good. Raises StudioError for an unknown id, StorageError
        where there is no trash or a file cannot go; then it is there as before.
        """
        self._check_writable()
        take = operations.to_trash if trash else operations.remove_for_good
        was_open = conversation_id == self._now().session.conversation.id
        if was_open:
            await self._go_elsewhere(conversation_id)
        try:
            removed = await self._now().folder.remove(conversation_id, keep_in, take)
        except StorageError:
            if was_open:
                await self._switch(lambda: self._now().folder.load(conversation_id))
            raise
        self._emit(ConversationsChanged(conversation_id, "removed"))
        return removed

    async def restore_conversation(self, removed: Removed) -> None:
        """Bring a deleted conversation back; raises StorageError, and then nothing has come."""
        self._check_writable()
        await self._now().folder.put_back(removed)
        self._emit(ConversationsChanged(removed.conversation_id, "returned"))

    async def move_stores(self, moves: Mapping[str, str | None]) -> MovedStores:
        """Let stores follow agents whose ids change, by old and new id; None takes a store out.

        In all conversations of the data folder, as journaled changes; one that cannot be read
        stays as it is, and is told in `left`. Raises StorageError, and StudioError for an id that
        could be a path; then every store is as before.
        """
        self._check_writable()
        opened, ids = self._now(), {*moves, *filter(None, moves.values())}
        return await opened.session.between_calls(lambda: move_stores(opened.folder, moves), ids)

    async def put_stores_back(self, moved: MovedStores) -> None:
        """Take a `move_stores` back; a store that changed meanwhile goes back as it is now."""
        self._check_writable()
        opened = self._now()
        ids = {one for store in moved.stores for one in (store.agent_id, store.to) if one}
        await opened.session.between_calls(lambda: put_stores_back(opened.folder, moved), ids)

    def search_conversations(
        self, words: str, *, logs: bool = False, tools: bool = False, limit: int = _MOST_FOUND
    ) -> AsyncIterator[list[FoundEntry]]:
        """Look for words in all conversations; yields the finds of one after the other.

        In titles and in what the user and the character said; with `logs` and `tools` also in
        logs and in calls of tools. Case does not matter.
        """
        check_text(words)
        return search_conversations(self._now().folder, words, SearchIn(logs, tools), limit)

    async def offered_models(self) -> Sequence[str]:
        """Return the models for chats that the endpoint lists, () without a list; ModelError."""
        return [info.id for info in await self._now().session.models.offered()]

    async def choose_model(self, model: str | None) -> None:
        """Let another main model answer in this conversation, now and later; None for no choice.

        A model that the endpoint has no more is passed over: whoever answers elsewhere answers.
        Raises StudioError for one that the endpoint does not list.
        """
        self._check_writable()
        conversation = self._now().session.conversation
        if model:
            check_text(model)
            await self._check_offered(model)
        conversation.choose_model(model or "")
        await conversation.checkpoint()
        self._emit(ConversationsChanged(conversation.id, "model"))

    async def _check_offered(self, model: str) -> None:
        offered: Sequence[str] = ()
        with suppress(ModelError):  # an endpoint that does not answer now may have it all the same
            offered = await self.offered_models()
        if offered and model not in offered:
            examples = ", ".join(offered[:_EXAMPLES])
            raise StudioError(
                f"The endpoint has no model called {model}. Choose one that it offers, for "
                f"example: {examples}."
            )

    async def _go_elsewhere(self, left: str) -> None:
        """Open the latest other conversation that can be read, else a new one."""

        async def follow() -> Conversation:
            folder = self._now().folder
            for said in await self.list_conversations():
                if said["id"] != left and said["readable"]:
                    with suppress(StudioError):  # it is set aside; the next one is tried
                        return await folder.load(str(said["id"]))
            return await folder.create()

        await self._switch(follow)
