"""One conversation: entries, stores and counters in memory, with every change in its journal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.agentlog import AgentLog, stamped
from studio_qt.engine.storage.chains import fingerprint
from studio_qt.engine.storage.keeper import Keeper
from studio_qt.engine.storage.listing import summary_of
from studio_qt.engine.storage.past import stores_then
from studio_qt.engine.storage.reading import text_of_store
from studio_qt.engine.storage.snapshot import PackageName
from studio_qt.engine.storage.splices import find_splices
from studio_qt.engine.storage.state import adopt, title_of
from studio_qt.engine.storage.values import AgentLogLine, ConversationSummary
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject, decode_object, encode

__all__ = ["Conversation"]

_LARGE_STORE = 1 << 18
"""Characters from which on a store is compared in a thread."""


class Conversation:
    """One conversation; made by `DataFolder.create` and `DataFolder.load`.

    Everything that changes it is in the journal, handed to the operating system, when the method
    returns (PERS-04). A change raises StorageError, naming the folder, when it could not be
    written; it stands in memory then, and is written with the next change that can be. Where
    `writable` is False every change raises StorageError and changes nothing. After `close` every
    change raises ClosedError.

    Entries are handed out as they are kept, not copied: do not change them, use `amend`.
    """

    def __init__(self, keeper: Keeper) -> None:
        """Use `DataFolder`."""
        self._keeper = keeper
        self._state = keeper.state
        self._stores = keeper.stores
        path = names.agent_log_path(keeper.folder, keeper.state.id)
        self._log_file = AgentLog(path, writable=keeper.writable)

    @property
    def id(self) -> str:
        """`conversation_NN`."""
        return self._state.id

    @property
    def title(self) -> str:
        """What `rename` gave, else the first words of the first user entry, else ""."""
        return self._state.title

    @property
    def created(self) -> str:
        """UTC in ISO form with seconds."""
        return self._state.created

    @property
    def updated(self) -> str:
        """UTC in ISO form with seconds."""
        return self._state.updated

    @property
    def writable(self) -> bool:
        """Whether it can be changed."""
        return self._keeper.writable

    @property
    def refusal(self) -> str | None:
        """Why it cannot be written; None where it can."""
        return None if self.writable else self._keeper.refusal

    @property
    def closed(self) -> bool:
        """Whether `close` has been called."""
        return self._keeper.closed

    @property
    def stores_started(self) -> bool:
        """Whether the first turn has begun and made all stores (PKG-09)."""
        return self._state.stores_started

    @property
    def store_ids(self) -> tuple[str, ...]:
        """The agents that have a store here, sorted."""
        return tuple(sorted(self._stores.texts))

    @property
    def last_tool_call_id(self) -> int:
        """The tool call id that was issued last; 0 before the first."""
        return self._state.last_tool_call_id

    @property
    def agent_tokens(self) -> int:
        """Tokens that agents have spent in this conversation."""
        return self._state.agent_tokens

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences for the user: what was set aside or taken over, what could not be written."""
        return tuple(self._keeper.notices)

    @property
    def origin(self) -> tuple[str, str] | None:
        """Of a fork, the conversation that it came from and the last entry taken, or ""."""
        parent = self._state.parent
        return None if parent is None else (parent[0], self._state.parent_entry)

    @property
    def main_model(self) -> str:
        """The main model that was chosen for this conversation; "" for none."""
        return self._state.main_model

    @property
    def journal_line(self) -> int:
        """The number of the last line in the journal."""
        return self._state.line

    def summary(self) -> ConversationSummary:
        """Return what a list shows of it."""
        return summary_of(self._state)

    def first_words(self) -> str:
        """Return the first words of the first user entry, "" without one."""
        entries = self._state.entries
        return next((title_of(entry) for entry in entries if entry.get("role") == "user"), "")

    def __len__(self) -> int:
        """The number of entries; costs nothing."""
        return len(self._state.entries)

    def entry(self, index: int) -> JsonObject:
        """Return one entry; raises IndexError, also for a negative index."""
        if index < 0:
            raise IndexError(index)
        return self._state.entries[index]

    def entries(self, start: int = 0, stop: int | None = None) -> list[JsonObject]:
        """Return the entries from `start` up to `stop`, not copied."""
        return self._state.entries[start:stop]

    def append(self, entry: JsonObject) -> JsonObject:
        """Add an entry and return it as it is kept: JSON clean, with "id", "turn" and "time".

        The id ("e12") is never used again. A user entry begins a new turn, every other belongs to
        the turn of the entry before it (0 before the first turn), unless it brings a "turn". An
        assistant entry ends the draft.
        """
        self._keeper.check()
        kept = _clean_object(entry)
        kept["id"] = f"e{self._state.last_entry + 1}"
        kept["turn"] = self._state.turn_of_next(kept)
        kept.setdefault("time", names.now())
        self._keeper.record("append", {"entry": kept})
        return kept

    def amend(self, index: int, changes: JsonObject) -> JsonObject:
        """Change fields of one entry (None removes one); returns the changed entry.

        Raises IndexError where there is none.
        """
        self._keeper.check()
        self.entry(index)
        self._keeper.record("amend", {"at": index, "changes": _clean_object(changes)})
        return self._state.entries[index]

    def replace(
        self, start: int, stop: int, entries: Sequence[JsonObject], *, reason: str
    ) -> list[JsonObject]:
        """Put `entries` in the place of those from `start` up to `stop`; every edit is this.

        Entries that bring "id" and "turn" keep them (undo, fork) as long as no other entry has
        the id. Returns the new entries as they are kept. Raises IndexError for a wrong range.
        """
        self._keeper.check()
        before = self._state.entries
        if not 0 <= start <= stop <= len(before):
            raise IndexError(f"{start}:{stop} is no range of {len(before)} entries")
        fresh = [_clean_object(entry) for entry in entries]
        for entry in fresh:
            entry.setdefault("time", names.now())
        kept = fresh
        if fresh:
            turn = before[start - 1].get("turn") if start else 0
            kept = adopt(
                self._state,
                fresh,
                others=before[:start] + before[stop:],
                turn=turn if isinstance(turn, int) else 0,
            )
        fields: JsonObject = {"start": start, "stop": stop, "reason": reason}
        self._keeper.record("edit", {**fields, "entries": list(kept)})
        return kept

    def draft(self, text: str, at: int | None = None) -> None:
        """Keep a streamed piece of a reply, or of what goes on with the reply at position `at`.

        The assistant entry that holds the reply ends the draft, or the change of that reply's
        content. A draft that is found on opening becomes an assistant entry with `stopped: true`,
        or the end of that reply (LOOP-07).
        """
        self._keeper.check()
        if text:
            onto: JsonObject = {} if at is None else {"at": at}
            self._keeper.record("draft", {"text": _encodable(text), **onto})

    def discard_draft(self) -> None:
        """Forget the pieces streamed so far, as when the reply is asked for again."""
        self._keeper.check()
        if self._state.draft:
            self._keeper.record("draft", {"text": None})

    def rename(self, title: str) -> None:
        """Set the title; "" lets the next user entry give one."""
        self._keeper.check()
        self._keeper.record("title", {"title": _encodable(title)})

    def choose_model(self, model: str) -> None:
        """Keep which main model answers here; "" for whoever answers elsewhere."""
        self._keeper.check()
        if model != self._state.main_model:
            self._keeper.record("model", {"model": _encodable(model)})

    def store_text(self, agent_id: str) -> str | None:
        """Return an agent's store as JSON text, None where it has none yet."""
        return self._stores.texts.get(self._stores.key(agent_id))

    async def put_store(
        self, agent_id: str, text: str, *, tool_call_id: int | None = None, cause: str = ""
    ) -> bool:
        """Save an agent's store: a journal line, then the file (LOOP-06); True if it changed.

        `text` must be the JSON text of an object (not checked again: it comes out of the
        sandbox). `agent_id` of a private instance is `{subAgentId}.{agentId}`. Raises StudioError
        for an id that could be a path.
        """
        self._keeper.check()
        self._stores.path(agent_id)
        agent_id = self._stores.key(agent_id)
        async with self._keeper.files_lock:
            self._keeper.check()
            changed = await self._put(agent_id, _encodable(text), tool_call_id, cause)
            if self._stores.is_stale(agent_id):
                self._keeper.flush()
                await self._stores.write(agent_id)
        return changed

    async def remove_store(self, agent_id: str, *, cause: str = "") -> None:
        """Remove an agent's store and its file; nothing where there is none."""
        self._keeper.check()
        agent_id = self._stores.key(agent_id)
        async with self._keeper.files_lock:
            if agent_id in self._stores.texts:
                self._stores.put(agent_id, None, None)
                self._keeper.record(
                    "store", {"agent": agent_id, "text": None, "sha": None, "cause": cause}
                )
                await self._stores.write(agent_id)

    async def foreign_store_changes(self) -> tuple[str, ...]:
        """Take over store files that another program changed since; returns their agents' ids.

        A file that holds no JSON object is set aside, and the store stays as it was.
        """
        self._keeper.check()
        async with self._keeper.files_lock:
            changed = tuple(agent_id for agent_id in self.store_ids if self._take_over(agent_id))
            await self._stores.write_stale()
        return changed

    async def stores_after(self, turn: int, *, entry_id: str | None = None) -> dict[str, str]:
        """Return all stores as they were at the last `mark_turn_end` of a turn.

        `entry_id` chooses among several ends of one turn (regenerated responses): the last one
        whose last entry was this. Turn 0 is the moment before the first turn. Raises StudioError
        when the journal knows no such moment.
        """
        self._keeper.flush()
        moment = (turn, entry_id)
        try:
            return await asyncio.to_thread(stores_then, self._keeper.folder, self.id, moment)
        except LookupError as error:
            raise StudioError(
                f"The journal of {self.id} does not say what the agents' data was after turn "
                f"{turn}; use the data as it is now."
            ) from error

    async def issue_tool_call_id(self) -> int:
        """Return the next tool call id, kept on disk first; never the same twice (CTX-02)."""
        self._keeper.check()
        async with self._keeper.files_lock:
            last = self._state.last_tool_call_id + 1
            self._keeper.record("issue", {"last": last})
            self._keeper.write_counter()
        return last

    def raise_tool_call_id(self, last: int) -> None:
        """Let the counter go on after `last`, as a fork does; never lowers it."""
        self._keeper.check()
        if last > self._state.last_tool_call_id:
            self._keeper.record("issue", {"last": last})
        self._keeper.write_counter()

    def spend_agent_tokens(self, count: int) -> None:
        """Add to the tokens that agents have spent in this conversation (CAP-03)."""
        self._keeper.check()
        if count > 0:
            self._keeper.record("spend", {"total": self._state.agent_tokens + count})

    def mark_stores_started(self) -> None:
        """Note that the first turn has begun; twice is harmless."""
        self._keeper.check()
        if not self._state.stores_started:
            self._keeper.record("begin", {})

    def mark_turn_end(self, turn: int) -> None:
        """Note that a response of this turn has ended, its hooks included; see `stores_after`."""
        self._keeper.check()
        last = self._state.entries[-1].get("id") if self._state.entries else None
        self._keeper.record("turn", {"turn": turn, "entry": last})

    def set_package(self, package_hash: str, version: str | None) -> None:
        """Name the package that it is played with from now on."""
        self._keeper.package = PackageName(package_hash, version)

    def log_agent(self, line: AgentLogLine) -> AgentLogLine:
        """Append a line to the agent log, and return it with its time.

        What cannot be written stays in memory.
        """
        line = stamped(line)
        if problem := self._log_file.add(line):
            self._keeper.note(problem)
        return line

    def agent_log(self, limit: int = 500) -> list[AgentLogLine]:
        """Return the newest lines of the agent log, oldest first."""
        return self._log_file.read(limit)

    def journal_folder(self) -> Path:
        """Hand every line to the operating system, and return where the journal can be read back.

        Raises StorageError.
        """
        self._keeper.flush()
        return self._keeper.folder

    async def checkpoint(self) -> None:
        """End a turn: force the journal to the disk, and start a snapshot where one is due.

        Raises StorageError when something is still not written.
        """
        if not self.writable:
            return
        self._keeper.check()
        await self._keeper.write_rest()
        await self._keeper.force()
        self._keeper.start_snapshot()

    async def snapshot_done(self) -> None:
        """Wait for the snapshot that a checkpoint has started, if one has."""
        await self._keeper.snapshot_done()

    async def close(self) -> None:
        """Write the last snapshot and let go of the files; twice is harmless.

        Raises StorageError, after letting go, when something could not be written.
        """
        if not self.closed:
            self._log_file.close()
            await self._keeper.close()

    async def write_first(self) -> None:
        """Bring the files up to date right after opening; for `DataFolder`."""
        if unfinished := self._state.unfinished():
            at, fields = unfinished
            if at is None:
                self.append(fields)
            else:
                self.amend(at, fields)
        await self._keeper.write_rest()
        await self._keeper.write_missing_snapshot()

    def note(self, sentence: str) -> None:
        """Add a sentence to `notices`; for `DataFolder`."""
        self._keeper.note(sentence)

    def take_over_found(self, agent_id: str, text: str | None) -> None:
        """Journal a store that another program changed while it was closed; for `DataFolder`."""
        sha = None if text is None else fingerprint(text.encode())
        self._stores.put(agent_id, text, sha)
        cause = "changed by another program"
        self._keeper.record("store", {"agent": agent_id, "text": text, "sha": sha, "cause": cause})

    async def _put(self, agent_id: str, text: str, tool_call_id: int | None, cause: str) -> bool:
        old = self._stores.texts.get(agent_id)
        if text == old:
            return False
        if len(text) > _LARGE_STORE:
            change = await asyncio.to_thread(_store_change, old, text)
        else:
            change = _store_change(old, text)
        self._stores.put(agent_id, text, str(change["sha"]))
        about: JsonObject = {"agent": agent_id, "cause": cause, "call": tool_call_id}
        said: JsonObject = {key: value for key, value in about.items() if value}
        self._keeper.record("store", {**said, **change})
        return True

    def _take_over(self, agent_id: str) -> bool:
        """Take another program's version of a store for ours; False where there is none."""
        data = self._stores.changed_by_others(agent_id)
        if data is None:
            return False
        path, text = self._stores.path(agent_id), text_of_store(data)
        there = path.exists()
        if there and text is None:
            aside = self._stores.set_aside(agent_id, data)
            self._stores.found(agent_id, None)
            self._keeper.note(
                f"{path.name} was changed by another program and holds no JSON object now; it "
                f"was set aside as {aside.name}, and the data before it is used."
            )
            return False
        self._stores.found(agent_id, fingerprint(data) if there else None)
        self.take_over_found(agent_id, text)
        return True


def _store_change(old: str | None, new: str) -> JsonObject:
    """The fields of a line "store": splices, or the whole text where that is not longer."""
    sha = fingerprint(new.encode())
    if old is not None:
        splices = find_splices(old, new)
        if sum(len(inserted) + 16 for _, _, inserted in splices) < len(new):
            return {"sha": sha, "splices": [list(splice) for splice in splices]}
    return {"sha": sha, "text": new}


def _encodable(text: str) -> str:
    """The text without lone surrogates, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _clean_object(value: JsonObject) -> JsonObject:
    """A copy as JSON has it; raises StudioError for what JSON cannot hold."""
    try:
        return decode_object(encode(value))
    except ValueError as error:
        raise StudioError(f"An entry must be JSON ({error}).") from error
