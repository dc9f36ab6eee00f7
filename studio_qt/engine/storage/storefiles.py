"""The store files of an open conversation: their texts, and how the files follow them."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.chains import fingerprint
from studio_qt.engine.storage.threads import unbroken
from studio_qt.files import storage_errors, sync_folder, write_atomic

__all__ = ["FileStamp", "StoreFiles", "stamp_of"]

_log = logging.getLogger(__name__)
_QUICK = 1 << 16
"""Bytes up to which a file is replaced on the loop: that takes less than going to a thread."""

FileStamp = tuple[int, int, int]


def stamp_of(path: Path) -> FileStamp | None:
    """What tells a file from the one that replaced it; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


@dataclass(slots=True)
class StoreFiles:
    """Stores by agent, and the state of their files.

    `hashes` are those of the texts, `written` those of the files as we left them (None: there is
    none), `stamps` tell whether a file still is as we left it. `unsettled` are the agents of whom
    the journal has not said yet that the file has come to rest. `note` takes sentences for the
    user.
    """

    folder: Path
    conversation_id: str
    texts: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, str | None] = field(default_factory=dict)
    written: dict[str, str | None] = field(default_factory=dict)
    stamps: dict[str, FileStamp | None] = field(default_factory=dict)
    unsettled: set[str] = field(default_factory=set)
    note: Callable[[str], None] = _log.warning

    def path(self, agent_id: str) -> Path:
        """The file of an agent's store; raises StudioError for a dangerous id."""
        return names.store_path(self.folder, self.conversation_id, agent_id)

    def key(self, agent_id: str) -> str:
        """The id under which an agent's store is kept.

        An id that differs from a kept one in case alone has the same file on some systems, so it
        has the same store on all of them.
        """
        if agent_id in self.texts:
            return agent_id
        folded = agent_id.casefold()
        return next((known for known in self.texts if known.casefold() == folded), agent_id)

    def is_stale(self, agent_id: str) -> bool:
        """Whether the file does not have the text yet."""
        return self.written.get(agent_id) != self.hashes.get(agent_id)

    def put(self, agent_id: str, text: str | None, sha: str | None) -> None:
        """Change the text in memory; the file is stale until `write`."""
        if text is None:
            self.texts.pop(agent_id, None)
        else:
            self.texts[agent_id] = text
        self.hashes[agent_id] = sha
        self.unsettled.add(agent_id)

    def found(self, agent_id: str, sha: str | None) -> None:
        """Note that the file has the content of this hash (None: there is no file)."""
        self.written[agent_id] = sha
        self.stamps[agent_id] = stamp_of(self.path(agent_id))

    async def write_stale(self) -> None:
        """Replace the files that do not have their texts; raises StorageError."""
        for agent_id in sorted(self.hashes):
            if self.is_stale(agent_id):
                await self.write(agent_id)

    async def write(self, agent_id: str) -> None:
        """Make one file what its text is; raises StorageError, and the file stays stale.

        What another program has put there since is copied to a new name first.
        """
        path, text, sha = self.path(agent_id), self.texts.get(agent_id), self.hashes.get(agent_id)
        theirs = self.changed_by_others(agent_id)
        if theirs:
            aside = self.set_aside(agent_id, theirs)
            self.note(
                f"{path.name} was changed by another program while the agent was changing it; "
                f"the other version was set aside as {aside.name}."
            )
        if text is None:
            with storage_errors(self.folder):
                path.unlink(missing_ok=True)
        else:
            data = text.encode()
            if len(data) <= _QUICK:
                write_atomic(path, data, durable=False)
            else:
                await unbroken(lambda: write_atomic(path, data, durable=False))
        self.found(agent_id, sha)

    def changed_by_others(self, agent_id: str) -> bytes | None:
        """Return the file's content where it is neither as we left it nor has our text.

        A file that we left and that is not there any more is b"".
        """
        path = self.path(agent_id)
        stamp = stamp_of(path)
        if stamp == self.stamps.get(agent_id):
            return None
        if stamp is None:
            return b"" if self.written.get(agent_id) is not None else None
        with storage_errors(self.folder):
            data = path.read_bytes()
        if fingerprint(data) in (self.written.get(agent_id), self.hashes.get(agent_id)):
            self.stamps[agent_id] = stamp
            return None
        return data

    def set_aside(self, agent_id: str, data: bytes) -> Path:
        """Write another program's version to a new name; raises StorageError."""
        aside = names.set_aside_path(self.path(agent_id))
        write_atomic(aside, data)
        return aside

    async def sync(self) -> dict[str, str | None]:
        """Force unsettled files to the disk; returns the hashes of those that are at rest."""
        resting = {a: self.hashes.get(a) for a in self.unsettled if not self.is_stale(a)}
        paths = [self.path(agent_id) for agent_id, sha in resting.items() if sha is not None]
        if paths:
            await unbroken(lambda: _sync_files(self.folder, paths))
        return {a: sha for a, sha in resting.items() if self.hashes.get(a) == sha}


def _sync_files(folder: Path, paths: list[Path]) -> None:
    with storage_errors(folder):
        for path in paths:
            try:
                descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
            except FileNotFoundError:  # the store has been removed since
                continue
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        sync_folder(folder)
