"""Edits of a conversation: done as a whole, told to the agents, and undone step by step.

What an edit means is in `edits`; here it is carried out. Every edit goes the same way: entries
change, stores go back where that was asked, afterUserEdit is fired for the tool calls that went.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from studio_qt.engine.edits import (
    active_ids,
    check_index,
    edit_event,
    is_reply,
    last_question,
    moments,
    reply_at,
    responses,
)
from studio_qt.engine.events import EntriesChanged
from studio_qt.engine.session import Session
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject

__all__ = ["Editing", "Stores"]

Stores = Literal["now", "then", "keep"]
_MOST_STEPS = 100


@dataclass(frozen=True, slots=True)
class _Moment:
    """Entries and stores as they were; entries are never changed in place, so these are theirs."""

    entries: tuple[JsonObject, ...]
    stores: dict[str, str]


class Editing:
    """Edits one session's conversation. The caller sees to it that no turn runs meanwhile."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._undo: list[_Moment] = []
        self._redo: list[_Moment] = []
        self._mark = -1

    # Edits ----------------------------------------------------------------------------------

    async def change_text(self, index: int, text: str) -> None:
        """Change an entry's text and nothing else."""
        entry = check_index(self._entries(), index)
        if entry["role"] not in ("user", "assistant"):
            raise StudioError("Only what the user or the character said can be edited.")
        before = self._begin()
        self._amend(index, {"content": text})
        self._end(before)

    async def delete(self, index: int) -> None:
        """Remove an entry; a reply goes whole, with its tool entries."""
        entries = self._entries()
        gone = reply_at(entries, index) if is_reply(check_index(entries, index)) else [index]
        kept = [entry for at, entry in enumerate(entries) if at not in set(gone)]
        await self._become(kept, "delete")

    async def truncate(self, index: int, stores: Stores = "now") -> None:
        """Remove an entry and everything after it."""
        entries = self._entries()
        check_index(entries, index)
        wanted = await self._stores_then(index) if stores == "then" else None
        await self._become(entries[:index], "truncate", wanted)

    async def reject(self, index: int) -> None:
        """Mark a whole reply as unacceptable; it stays in the file and is never sent."""
        before = self._begin()
        for at in reply_at(self._entries(), index):
            self._amend(at, {"rejected": True})
        await self._tell(before)
        self._end(before)

    def alternatives(self, index: int) -> list[JsonObject]:
        """Return the responses of a turn: `{n, active, content, entries}`, in the order made."""
        entries = self._entries()
        reply_at(entries, index)
        found: list[JsonObject] = []
        for n, positions in enumerate(responses(entries, entries[index].get("turn"))):
            parts = [dict(entries[at]) for at in positions]
            texts = [str(p["content"]) for p in parts if p["role"] == "assistant" and p["content"]]
            active = not any(part.get("rejected") for part in parts)
            found.append(
                {"n": n, "active": active, "content": "\n\n".join(texts), "entries": [*parts]}
            )
        return found

    async def choose(self, index: int, n: int, stores: Stores = "keep") -> None:
        """Make another response of a turn the active one; the one put aside counts as removed."""
        entries = self._entries()
        reply_at(entries, index)
        choices = responses(entries, entries[index].get("turn"))
        if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n < len(choices):
            raise StudioError(f"There is no response {n}; this turn has {len(choices)}.")
        before = self._begin()
        for at in (at for positions in choices for at in positions):
            chosen = at in choices[n]
            if bool(entries[at].get("rejected")) == chosen:
                self._amend(at, {"rejected": None if chosen else True})
        if stores == "then":
            await self._restore(await self._stores_then(choices[n][-1] + 1))
        await self._tell(before)
        self._end(before)

    async def clear(self) -> None:
        """Remove all entries; stores and counter stay, nothing is told."""
        await self._become([], "clear", silent=True)

    async def make_way(self, index: int | None, text: str | None = None) -> int:
        """Ready a user message for a new answer, and return its position.

        With an index everything after that message goes (Resubmit), its text changed when given.
        Without, the last message's reply is rejected and kept as an alternative (Regenerate).
        """
        entries = self._entries()
        before = self._moment()
        if index is None:
            index = last_question(entries)
            for at in range(index + 1, len(entries)):
                if is_reply(entries[at]) and not entries[at].get("rejected"):
                    self._amend(at, {"rejected": True})
        else:
            if check_index(entries, index)["role"] != "user":
                raise StudioError("Only a message of the user can be sent again.")
            self._replace(entries[: index + 1], "resubmit")
            if text is not None:
                self._amend(index, {"content": text})
        await self._tell(before)
        return index

    # Undo -----------------------------------------------------------------------------------

    async def undo(self) -> None:
        """Take the last edit back: entries and stores as before. Raises StudioError at the end."""
        await self._step(self._undo, self._redo, "undo")

    async def redo(self) -> None:
        """Do again what was undone last; raises StudioError when there is nothing."""
        await self._step(self._redo, self._undo, "redo")

    async def _step(self, source: list[_Moment], target: list[_Moment], word: str) -> None:
        self._forget_if_stale()
        if not source:
            raise StudioError(
                f"There is nothing to {word}. Edits can be undone until a message, a command or a "
                "change of a store follows them."
            )
        target.append(self._moment())
        moment = source.pop()
        self._replace(moment.entries, word)
        await self._restore(moment.stores)
        self._mark = self._session.revision

    def _begin(self) -> _Moment:
        self._forget_if_stale()
        return self._moment()

    def _end(self, before: _Moment) -> None:
        self._undo.append(before)
        del self._undo[:-_MOST_STEPS]
        self._redo.clear()
        self._mark = self._session.revision

    def _forget_if_stale(self) -> None:
        if self._mark != self._session.revision:
            self._undo.clear()
            self._redo.clear()

    # Carrying out ---------------------------------------------------------------------------

    async def _become(
        self,
        kept: Sequence[JsonObject],
        reason: str,
        stores: dict[str, str] | None = None,
        *,
        silent: bool = False,
    ) -> None:
        before = self._begin()
        self._replace(kept, reason)
        if stores is not None:
            await self._restore(stores)
        if not silent:
            await self._tell(before)
        self._end(before)

    async def _tell(self, before: _Moment) -> None:
        """Fire afterUserEdit when the edit took tool calls out of the history (HOOK-05)."""
        self._session.history.forget()
        self._session.forget_preload()
        if event := edit_event(before.entries, self._entries()):
            await self._session.run_hooks("afterUserEdit", event)

    def _entries(self) -> list[JsonObject]:
        return self._session.conversation.entries()

    def _moment(self) -> _Moment:
        conversation = self._session.conversation
        texts = {name: conversation.store_text(name) for name in conversation.store_ids}
        stores = {name: text for name, text in texts.items() if text is not None}
        return _Moment(tuple(conversation.entries()), stores)

    def _amend(self, index: int, changes: JsonObject) -> None:
        self._session.conversation.amend(index, changes)
        self._session.emit(EntriesChanged(index, 1, 1))
        self._session.history.forget()

    def _replace(self, wanted: Sequence[JsonObject], reason: str) -> None:
        """Make the entries the wanted ones, journaling only the part that differs."""
        present = self._entries()
        start, end = 0, 0
        most = min(len(present), len(wanted))
        while start < most and present[start] is wanted[start]:
            start += 1
        while end < most - start and present[-1 - end] is wanted[-1 - end]:
            end += 1
        stop = len(present) - end
        fresh = list(wanted[start : len(wanted) - end])
        if start == stop and not fresh:
            return
        self._session.conversation.replace(start, stop, fresh, reason=reason)
        self._session.emit(EntriesChanged(start, stop - start, len(fresh)))
        self._session.history.forget()
        self._session.forget_preload()

    async def _stores_then(self, stop: int) -> dict[str, str]:
        """Return the stores as of the end of the last turn before position `stop`."""
        conversation = self._session.conversation
        failure = StudioError("The journal does not say what the stores were at that point.")
        for turn, entry_id in moments(conversation.entries(), stop):
            try:
                return await conversation.stores_after(turn, entry_id=entry_id)
            except StudioError as error:
                failure = error
        raise failure

    async def _restore(self, stores: dict[str, str]) -> None:
        for agent_id in self._session.conversation.store_ids:
            if agent_id not in stores:
                await self._session.remove_store(agent_id)
        for agent_id, text in stores.items():
            await self._session.put_store(agent_id, text, cause="put back")

    # Fork -----------------------------------------------------------------------------------

    async def fork_into(self, session: Session, index: int, stores: Stores) -> None:
        """Fill a new conversation with the entries up to and including `index`.

        Stores and counter are copied; the new conversation's agents are told of the calls past
        the fork point, with the fork's own history and stores around them (HOOK-05).
        """
        entries = self._entries()
        check_index(entries, index)
        kept, source, target = (
            entries[: index + 1],
            self._session.conversation,
            session.conversation,
        )
        texts = self._moment().stores
        if stores == "then":
            texts = await self._stores_then(index + 1)
        target.replace(0, 0, kept, reason="fork")
        for agent_id, text in texts.items():
            await target.put_store(agent_id, text, cause="fork")
        target.raise_tool_call_id(source.last_tool_call_id)
        if source.stores_started:
            target.mark_stores_started()
        gone = sorted(active_ids(entries[index + 1 :]))
        if gone:
            await session.load()
            last = max(active_ids(kept), default=0)
            event: JsonObject = {"deletedToolCallIds": [*gone], "lastViableToolCallId": last}
            await session.run_hooks("afterUserEdit", event)
