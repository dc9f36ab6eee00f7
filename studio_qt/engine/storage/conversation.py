"""One conversation: entries, stores and counters in memory, with every change in its journal."""

from __future__ import annotations

from collections.abc import Sequence

from studio_qt.engine.storage.values import AgentLogLine
from studio_qt.jsontext import JsonObject

__all__ = ["Conversation"]


class Conversation:
    """One conversation; made by `DataFolder.create` and `DataFolder.load`.

    Everything that changes it is in the journal, handed to the operating system, when the method
    returns (PERS-04). A change raises StorageError, naming the folder, when it could not be
    written; it stands in memory then, and is written with the next change that can be. Where
    `writable` is False every change raises StorageError and changes nothing. After `close` every
    change raises ClosedError.

    Entries are handed out as they are kept, not copied: do not change them, use `amend`.
    """

    id: str
    """`conversation_NN`."""
    title: str
    """What `rename` gave, else the first words of the first user entry, else ""."""
    created: str
    updated: str
    """UTC in ISO form with seconds."""
    writable: bool
    refusal: str | None
    """Why it cannot be written; None where it can."""
    stores_started: bool
    """Whether the first turn has begun and made all stores (PKG-09)."""
    store_ids: tuple[str, ...]
    last_tool_call_id: int
    agent_tokens: int
    notices: tuple[str, ...]
    """Sentences for the user: what was set aside or taken over while opening and writing."""

    def __len__(self) -> int:
        """The number of entries; costs nothing."""
        raise NotImplementedError

    def entry(self, index: int) -> JsonObject:
        """Return one entry; raises IndexError, also for a negative index."""
        raise NotImplementedError

    def entries(self, start: int = 0, stop: int | None = None) -> list[JsonObject]:
        """Return the entries from `start` up to `stop`, not copied."""
        raise NotImplementedError

    def append(self, entry: JsonObject) -> JsonObject:
        """Add an entry and return it as it is kept: JSON clean, with "id", "turn" and "time".

        The id ("e12") is never used again. A user entry begins a new turn, every other belongs to
        the turn of the entry before it (0 before the first turn), unless it brings a "turn". An
        assistant entry ends the draft.
        """
        raise NotImplementedError

    def amend(self, index: int, changes: JsonObject) -> JsonObject:
        """Change fields of one entry (None removes one); returns the changed entry."""
        raise NotImplementedError

    def replace(
        self, start: int, stop: int, entries: Sequence[JsonObject], *, reason: str
    ) -> list[JsonObject]:
        """Put `entries` in the place of those from `start` up to `stop`; every edit is this.

        Entries that bring "id" and "turn" keep them (undo, fork) as long as no other entry has
        the id. Returns the new entries as they are kept.
        """
        raise NotImplementedError

    def draft(self, text: str) -> None:
        """Keep a streamed piece of a reply.

        The assistant entry that holds the reply ends the draft. A draft that is found on opening
        becomes an assistant entry with `stopped: true` (LOOP-07).
        """
        raise NotImplementedError

    def discard_draft(self) -> None:
        """Forget the pieces streamed so far, as when the reply is asked for again."""
        raise NotImplementedError

    def rename(self, title: str) -> None:
        """Set the title; "" lets the next user entry give one."""
        raise NotImplementedError

    def store_text(self, agent_id: str) -> str | None:
        """Return an agent's store as JSON text, None where it has none yet."""
        raise NotImplementedError

    async def put_store(
        self, agent_id: str, text: str, *, tool_call_id: int | None = None, cause: str = ""
    ) -> bool:
        """Save an agent's store: a journal line, then the file (LOOP-06); True if it changed.

        `text` must be the JSON text of an object (not checked again: it comes out of the
        sandbox). `agent_id` of a private instance is `{subAgentId}.{agentId}`. Raises StudioError
        for an id that could be a path.
        """
        raise NotImplementedError

    async def remove_store(self, agent_id: str, *, cause: str = "") -> None:
        """Remove an agent's store and its file; nothing where there is none."""
        raise NotImplementedError

    async def foreign_store_changes(self) -> tuple[str, ...]:
        """Take over store files that another program changed since; returns their agents' ids."""
        raise NotImplementedError

    async def stores_after(self, turn: int, *, entry_id: str | None = None) -> dict[str, str]:
        """Return all stores as they were at the last `mark_turn_end` of a turn.

        `entry_id` chooses among several ends of one turn (regenerated responses): the last one
        whose last entry was this. Turn 0 is the moment before the first turn. Raises StudioError
        when the journal knows no such moment.
        """
        raise NotImplementedError

    async def issue_tool_call_id(self) -> int:
        """Return the next tool call id, kept on disk first; never the same twice (CTX-02)."""
        raise NotImplementedError

    def raise_tool_call_id(self, last: int) -> None:
        """Let the counter go on after `last`, as a fork does; never lowers it."""
        raise NotImplementedError

    def spend_agent_tokens(self, count: int) -> None:
        """Add to the tokens that agents have spent in this conversation (CAP-03)."""
        raise NotImplementedError

    def mark_stores_started(self) -> None:
        """Note that the first turn has begun; twice is harmless."""
        raise NotImplementedError

    def mark_turn_end(self, turn: int) -> None:
        """Note that a response of this turn has ended, its hooks included; see `stores_after`."""
        raise NotImplementedError

    def set_package(self, package_hash: str, version: str | None) -> None:
        """Name the package that it is played with from now on."""
        raise NotImplementedError

    def log_agent(self, line: AgentLogLine) -> None:
        """Append a line to the agent log; what cannot be written stays in memory."""
        raise NotImplementedError

    def agent_log(self, limit: int = 500) -> list[AgentLogLine]:
        """Return the newest lines of the agent log, oldest first."""
        raise NotImplementedError

    async def checkpoint(self) -> None:
        """End a turn: force the journal to the disk, and start a snapshot where one is due."""
        raise NotImplementedError

    async def close(self) -> None:
        """Write the last snapshot and let go of the files; twice is harmless."""
        raise NotImplementedError
