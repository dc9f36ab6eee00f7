"""Making a `Conversation`: a new one, one that may be changed, one to look at."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.chains import fingerprint, settled_fields
from studio_qt.engine.storage.conversation import Conversation
from studio_qt.engine.storage.journal import Journal, encode_lines
from studio_qt.engine.storage.keeper import Keeper
from studio_qt.engine.storage.mending import Mended, mend, new_journal_lines
from studio_qt.engine.storage.past import read_bytes
from studio_qt.engine.storage.reading import Found, read_conversation
from studio_qt.engine.storage.snapshot import PackageName, read_package
from studio_qt.engine.storage.snapshotfile import SnapshotFile
from studio_qt.engine.storage.state import State
from studio_qt.engine.storage.storefiles import StoreFiles, stamp_of
from studio_qt.errors import StorageError, StudioError
from studio_qt.files import write_atomic

__all__ = ["begin", "blank", "load", "look_at"]

_ATTEMPTS = 3


async def begin(
    folder: Path,
    conversation_id: str,
    package: PackageName,
    *,
    title: str = "",
    parent: tuple[str, int] | None = None,
    parent_entry: str = "",
    main_model: str = "",
) -> Conversation:
    """Make the files of a new conversation; raises StorageError."""
    state = State(conversation_id, title, names.now(), names.now(), parent=parent)
    state.parent_entry, state.main_model = parent_entry, main_model
    path = names.journal_path(folder, conversation_id)
    lines = new_journal_lines(state, settled_fields(None, {}, changed=2))
    write_atomic(path, encode_lines(1, lines), durable=False)
    state.line = state.changed = len(lines)
    journal = Journal(path, last=state.line, size=None)
    snapshot = SnapshotFile(names.snapshot_path(folder, conversation_id))
    stores = StoreFiles(folder, conversation_id)
    conversation = Conversation(Keeper(state, stores, snapshot, package, journal=journal))
    try:
        await conversation.write_first()
    except BaseException:
        with contextlib.suppress(StorageError):  # the first error is the one to tell
            await conversation.close()
        raise
    return conversation


def blank(folder: Path, conversation_id: str, package: PackageName, refusal: str) -> Conversation:
    """An empty conversation that is nowhere."""
    snapshot = SnapshotFile(names.snapshot_path(folder, conversation_id))
    stores = StoreFiles(folder, conversation_id)
    state = State(conversation_id)
    return Conversation(Keeper(state, stores, snapshot, package, refusal=refusal))


async def load(folder: Path, conversation_id: str, package: PackageName) -> Conversation:
    """Open a conversation for writing; where its files cannot be mended, only for reading.

    Without a package hash it goes on saying what it was played with last. Raises StudioError when
    there is none, or none that can be read.
    """
    found = await asyncio.to_thread(read_conversation, folder, conversation_id)
    if not package.hash:
        data = await asyncio.to_thread(read_bytes, names.snapshot_path(folder, conversation_id))
        package = read_package(data or b"")
    try:
        mended = await asyncio.to_thread(mend, folder, found)
    except StorageError as error:
        return _shown(folder, found, package, str(error))
    conversation = _assemble(folder, found, package, mended)
    try:
        if not mended.begun:
            for agent_id, store in found.stores.items():
                if store.foreign or (store.unreadable and store.text is None):
                    conversation.take_over_found(agent_id, store.text)
        await conversation.write_first()
    except StorageError as error:
        conversation.note(str(error))
    return conversation


async def look_at(
    folder: Path, conversation_id: str, package: PackageName, refusal: str
) -> Conversation:
    """Open a conversation that another process may be writing; touches nothing."""
    found = await asyncio.to_thread(_read_quietly, folder, conversation_id)
    if found.bad_snapshot and not found.state.line:
        raise StudioError(
            f"{conversation_id}.json in {folder} is not a conversation ({found.bad_snapshot})."
        )
    return _shown(folder, found, package, refusal)


def _read_quietly(folder: Path, conversation_id: str) -> Found:
    """Read again where the writer has changed files between two looks."""
    found = read_conversation(folder, conversation_id)
    for _ in range(_ATTEMPTS):
        if not (found.broken or found.foreign or found.bad_snapshot):
            break
        found = read_conversation(folder, conversation_id)
    return found


def _shown(folder: Path, found: Found, package: PackageName, refusal: str) -> Conversation:
    state = found.state
    if unfinished := state.unfinished():
        at, fields = unfinished
        if at is None:
            entry_id, turn = f"e{state.last_entry + 1}", state.turn_of_next(fields)
            state.apply({"k": "append", "entry": {**fields, "id": entry_id, "turn": turn}})
        else:
            state.apply({"k": "amend", "at": at, "changes": fields})
    snapshot = SnapshotFile(names.snapshot_path(folder, state.id))
    return Conversation(Keeper(state, _stores(folder, found), snapshot, package, refusal=refusal))


def _assemble(folder: Path, found: Found, package: PackageName, mended: Mended) -> Conversation:
    path = names.snapshot_path(folder, found.state.id)
    snapshot = SnapshotFile(path)
    if found.snapshot is not None:
        sha, line = found.snapshot
        snapshot = SnapshotFile(path, line, sha, found.snapshot_size, stamp=stamp_of(path))
    return Conversation(
        Keeper(
            found.state,
            _stores(folder, found),
            snapshot,
            package,
            journal=mended.journal,
            notices=mended.notices,
            counter_on_disk=found.counter_in_file,
        )
    )


def _stores(folder: Path, found: Found) -> StoreFiles:
    stores = StoreFiles(folder, found.state.id)
    for agent_id, store in found.stores.items():
        newest = None if store.text is None else fingerprint(store.text.encode())
        stores.put(agent_id, store.text, newest)
        stores.found(agent_id, store.sha)
        if newest == store.sha == found.chains.settled_hash(agent_id):
            stores.unsettled.discard(agent_id)
    return stores
