"""The store files of an open conversation: their texts, and how the files follow them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.chains import fingerprint
from studio_qt.engine.storage.threads import unbroken
from studio_qt.files import storage_errors, sync_folder, write_atomic

__all__ = ["FileStamp", "StoreFiles", "stamp_of"]

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

    `stale` are the agents whose file does not have the text yet, `unsettled` those of whom the
    journal has not said that the file has come to rest, `stamps` is how we left each file.
    """

    folder: Path
    conversation_id: str
    texts: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, str | None] = field(default_factory=dict)
    stamps: dict[str, FileStamp | None] = field(default_factory=dict)
    stale: set[str] = field(default_factory=set)
    unsettled: set[str] = field(default_factory=set)

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

    def put(self, agent_id: str, text: str | None, sha: str | None) -> None:
        """Change the text in memory; the file is stale until `write`."""
        if text is None:
            self.texts.pop(agent_id, None)
        else:
            self.texts[agent_id] = text
        self.hashes[agent_id] = sha
        self.stale.add(agent_id)
        self.unsettled.add(agent_id)

    async def write_stale(self) -> None:
        """Replace the files that do not have their texts; raises StorageError."""
        for agent_id in sorted(self.stale):
            await self.write(agent_id)

    async def write(self, agent_id: str) -> None:
        """Make one file what its text is; raises StorageError, and the file stays stale."""
        path, text = self.path(agent_id), self.texts.get(agent_id)
        if text is None:
            with storage_errors(self.folder):
                path.unlink(missing_ok=True)
        else:
            data = text.encode()
            if len(data) <= _QUICK:
                write_atomic(path, data, durable=False)
            else:
                await unbroken(lambda: write_atomic(path, data, durable=False))
        self.stamps[agent_id] = stamp_of(path)
        self.stale.discard(agent_id)

    def changed_by_others(self, agent_id: str) -> bool:
        """Whether the file is neither as we left it nor has our text."""
        if agent_id in self.stale:
            return False
        path = self.path(agent_id)
        stamp = stamp_of(path)
        if stamp == self.stamps.get(agent_id):
            return False
        if stamp is not None and fingerprint(path.read_bytes()) == self.hashes.get(agent_id):
            self.stamps[agent_id] = stamp
            return False
        return True

    async def sync(self) -> dict[str, str | None]:
        """Force unsettled files to the disk; returns the hashes of those that are at rest."""
        resting = {a: self.hashes.get(a) for a in sorted(self.unsettled - self.stale)}
        paths = [self.path(agent_id) for agent_id, sha in resting.items() if sha is not None]
        if paths:
            await unbroken(lambda: _sync_files(self.folder, paths))
        return {a: sha for a, sha in resting.items() if self.hashes.get(a) == sha}


def _sync_files(folder: Path, paths: list[Path]) -> None:
    with storage_errors(folder):
        for path in paths:
            descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        sync_folder(folder)
