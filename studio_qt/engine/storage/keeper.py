"""What keeps a conversation on the disk: journal, snapshot, store files and counters together."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import Sequence
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.chains import fingerprint, settled_fields
from studio_qt.engine.storage.compaction import compact
from studio_qt.engine.storage.journal import Journal, scan_lines
from studio_qt.engine.storage.snapshot import PackageName, encode_snapshot
from studio_qt.engine.storage.snapshotfile import SnapshotFile
from studio_qt.engine.storage.state import State
from studio_qt.engine.storage.storefiles import StoreFiles
from studio_qt.engine.storage.threads import unbroken
from studio_qt.errors import ClosedError, StorageError
from studio_qt.files import write_atomic
from studio_qt.jsontext import JsonObject, encode

__all__ = ["Keeper"]

_SEGMENT_SIZE = 1 << 20
"""Bytes from which on the journal is continued in a new file."""
_UNTIMED = frozenset({"draft", "snapshot", "settled"})
_log = logging.getLogger(__name__)


class Keeper:
    """State and files of one open conversation; without a journal nothing can be changed.

    `files_lock` is held by whoever replaces store files or counters.
    """

    def __init__(
        self,
        state: State,
        stores: StoreFiles,
        snapshot: SnapshotFile,
        package: PackageName,
        *,
        journal: Journal | None = None,
        refusal: str | None = None,
        notices: Sequence[str] = (),
        counter_on_disk: int = 0,
    ) -> None:
        """`counter_on_disk` is what the file of the counter says."""
        self.state = state
        self.stores = stores
        self.package = package
        self.notices = list(notices)
        self.refusal = refusal
        self.files_lock = asyncio.Lock()
        self.closed = False
        self._journal = journal
        self._snapshot = snapshot
        self._settled_sha = snapshot.sha
        self._counter_on_disk = counter_on_disk
        self._tokens_on_disk: int | None = None
        self._snapshot_lock = asyncio.Lock()
        self._background: asyncio.Task[None] | None = None
        stores.note = self.note

    @property
    def folder(self) -> Path:
        """The data folder."""
        return self.stores.folder

    @property
    def writable(self) -> bool:
        """Whether there is a journal to write."""
        return self._journal is not None

    def note(self, sentence: str) -> None:
        """Add a sentence for the user to `notices`, once."""
        _log.warning("%s", sentence)
        if sentence not in self.notices:
            self.notices.append(sentence)

    def check(self) -> None:
        """Raise ClosedError or StorageError where nothing can be changed any more."""
        if self.closed:
            raise ClosedError(f"{self.state.id} has been closed; open it again.")
        self._writing()

    def record(self, kind: str, fields: JsonObject) -> None:
        """Do a change in memory, then journal it; every change comes through here.

        Raises StorageError when it could not be written; the line is kept and goes out before the
        next one. Raises what `State.apply` does, and then nothing has happened.
        """
        journal = self._writing()
        if kind not in _UNTIMED:
            fields = {**fields, "t": names.now()}
        self.state.apply({"n": journal.last + 1, "k": kind, **fields})
        journal.write(kind, fields)

    def flush(self) -> None:
        """Write the journal lines that wait; raises StorageError."""
        if self._journal is not None:
            self._journal.flush()

    def write_counter(self) -> None:
        """Bring the file of the tool call counter up to date; raises StorageError."""
        last = self.state.last_tool_call_id
        if last != self._counter_on_disk:
            path = names.counter_path(self.folder, self.state.id)
            write_atomic(path, encode({"last": last}), durable=False)
            self._counter_on_disk = last

    async def write_rest(self) -> None:
        """Write what is not written yet: waiting journal lines, stale stores, the counters."""
        self.flush()
        async with self.files_lock:
            await self.stores.write_stale()
            self.write_counter()
            self._write_tokens()

    async def force(self) -> None:
        """Force the journal to the disk, off the loop."""
        if self._journal is not None and (work := self._journal.forcing()) is not None:
            await unbroken(work)

    def start_snapshot(self) -> None:
        """Start a snapshot that nobody waits for, where one is due and none is being written."""
        idle = self._background is None or self._background.done()
        if idle and self.state.changed > self._snapshot.line and self._snapshot.due():
            self._background = asyncio.create_task(self._snapshot_quietly())

    async def snapshot_done(self) -> None:
        """Wait for the snapshot that was started, if one was."""
        if self._background is not None:
            await asyncio.wait([self._background])

    async def write_snapshot(self) -> None:
        """Announce, replace, settle; then continue the journal in a new file if it is long."""
        async with self._snapshot_lock:
            if self.state.changed > self._snapshot.line:
                await self._replace_snapshot()
            await self._settle()
            await self._rotate()

    async def write_missing_snapshot(self) -> None:
        """Write the snapshot where there is none, as after reading the journal alone."""
        if self._snapshot.line < 0:
            await self.write_snapshot()

    async def close(self) -> None:
        """Write everything and let go of the files; raises StorageError after letting go."""
        self.closed = True
        try:
            await self.snapshot_done()
            if self._journal is not None:
                await self.write_rest()
                await self.write_snapshot()
                await self.force()
        finally:
            if self._journal is not None:
                self._journal.close()

    def _writing(self) -> Journal:
        if self._journal is None:
            raise StorageError(self.refusal or f"{self.folder} cannot be written.")
        return self._journal

    def _write_tokens(self) -> None:
        total = self.state.agent_tokens
        if total != self._tokens_on_disk and (total or self._tokens_on_disk is not None):
            path = names.tokens_path(self.folder, self.state.id)
            write_atomic(path, encode({"total": total}), durable=False)
            self._tokens_on_disk = total

    async def _snapshot_quietly(self) -> None:
        """A snapshot that nobody waits for: the journal has everything, so a failure can wait."""
        try:
            await self.write_snapshot()
        except (StorageError, ClosedError) as error:
            self.note(str(error))

    async def _replace_snapshot(self) -> None:
        state, package, snapshot = self.state, self.package, self._snapshot
        frozen = dataclasses.replace(state, entries=state.entries.copy(), draft=state.draft.copy())
        data, sha = await asyncio.to_thread(_encode_and_hash, frozen, package)
        self.record("snapshot", {"sha": sha, "line": frozen.line})
        aside = await unbroken(lambda: snapshot.replace(data, sha, frozen.line))
        if aside is not None:
            self.note(
                f"{snapshot.path.name} was changed by another program while it was open here; "
                f"that version was set aside as {aside.name}."
            )

    async def _settle(self) -> None:
        """Note in the journal which contents of the files are on the disk for good."""
        snapshot = self._snapshot
        resting = await self.stores.sync()
        if snapshot.sha is None or not (resting or snapshot.sha != self._settled_sha):
            return
        held = (snapshot.sha, snapshot.line)
        self.record("settled", settled_fields(held, resting, changed=self.state.changed))
        self.stores.unsettled -= resting.keys()
        self._settled_sha = snapshot.sha

    async def _rotate(self) -> None:
        """Finish a part of the journal when all is at rest: compacted, under its own number.

        Killed in between, the finished part is there and the current file begins with the same
        lines; their numbers tell. So does a change that comes in between, and we wait for the
        next time.
        """
        journal = self._writing()
        size, snapshot = journal.size, self._snapshot
        if size < _SEGMENT_SIZE or not self._at_rest(size) or snapshot.sha is None:
            return
        await unbroken(lambda: _write_finished(self.folder, self.state.id, journal.path, size))
        if not self._at_rest(size):
            return
        header = settled_fields(
            (snapshot.sha, journal.last + 1), self.stores.hashes, changed=journal.last + 1
        )
        journal.begin_file("segment", header)
        self.state.line = snapshot.line = journal.last

    def _at_rest(self, size: int) -> bool:
        journal = self._writing()
        settled = not self.stores.unsettled and self.state.changed <= self._snapshot.line
        return settled and not journal.waiting and journal.size == size


def _encode_and_hash(state: State, package: PackageName) -> tuple[bytes, str]:
    data = encode_snapshot(state, package)
    return data, fingerprint(data)


def _write_finished(folder: Path, conversation_id: str, journal: Path, size: int) -> None:
    """Write the lines of the journal as a finished part; blocks; raises StorageError."""
    numbers = names.segment_numbers(folder, conversation_id)
    finished = names.segment_path(folder, conversation_id, max(numbers, default=0) + 1)
    with journal.open("rb") as file:
        data = compact(scan_lines(file.read(size)).records)
    write_atomic(finished, data)
