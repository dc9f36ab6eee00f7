"""Stores that follow agents whose ids change, in every conversation of a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.conversation import Conversation
from studio_qt.engine.storage.datafolder import DataFolder
from studio_qt.engine.storage.reading import read_conversation
from studio_qt.errors import StudioError
from studio_qt.files import storage_errors

__all__ = ["MovedStore", "MovedStores", "move_stores", "put_stores_back"]

_MOVED, _BACK = "moved", "put back"


@dataclass(frozen=True, slots=True)
class MovedStore:
    """A store of one conversation that has another agent now, or none where `to` is None.

    `text` is its JSON text, `replaced` that of the store which `to` had before.
    """

    conversation_id: str
    agent_id: str
    to: str | None
    text: str
    replaced: str | None = None


@dataclass(frozen=True, slots=True)
class MovedStores:
    """What `move_stores` has moved, in order, and sentences on conversations that it left alone."""

    stores: tuple[MovedStore, ...] = ()
    left: tuple[str, ...] = ()


async def move_stores(folder: DataFolder, moves: Mapping[str, str | None]) -> MovedStores:
    """Give stores to other agents, by old and new id; None takes a store out.

    Every change is in the journals. A conversation that cannot be read stays as it is, to the
    byte. Raises StorageError where one cannot be written, and StudioError for an id that could be
    a path; what was moved before that is moved back.
    """
    done: list[MovedStore] = []
    left: list[str] = []
    try:
        for conversation_id in await asyncio.to_thread(_concerned, folder.path, tuple(moves)):
            if not folder.is_open(conversation_id):
                reason = await asyncio.to_thread(_unreadable, folder.path, conversation_id)
                if reason:
                    left.append(reason)
                    continue
            await folder.change(conversation_id, lambda one: _move(one, moves, done))
    except Exception:
        await put_stores_back(folder, MovedStores(tuple(done)))
        raise
    return MovedStores(tuple(done), tuple(left))


async def put_stores_back(folder: DataFolder, moved: MovedStores) -> None:
    """Take a `move_stores` back; a store that changed meanwhile goes back as it is now."""
    for conversation_id in dict.fromkeys(store.conversation_id for store in moved.stores):
        mine = [store for store in moved.stores if store.conversation_id == conversation_id]
        await folder.change(conversation_id, partial(_put_back, stores=mine))


async def _move(
    conversation: Conversation, moves: Mapping[str, str | None], done: list[MovedStore]
) -> None:
    texts = {old: conversation.store_text(old) for old in moves}  # ids may change places
    for old, new in moves.items():
        text = texts[old]
        if text is None:
            continue
        before = None if new is None or new in moves else conversation.store_text(new)
        if new is not None:
            await conversation.put_store(new, text, cause=_MOVED)
        done.append(MovedStore(conversation.id, old, new, text, before))
    for old in moves:
        if texts[old] is not None and old not in moves.values():
            await conversation.remove_store(old, cause=_MOVED)


async def _put_back(conversation: Conversation, stores: Sequence[MovedStore]) -> None:
    """Take the moves of one conversation back, as they were made: all at once."""
    texts = {store.agent_id: store.text for store in stores}
    texts |= {  # the last one to come to an id is the one that is there
        store.agent_id: conversation.store_text(to) or store.text
        for to, store in {store.to: store for store in stores if store.to is not None}.items()
    }
    replaced = {store.to: store.replaced for store in reversed(stores) if store.to not in texts}
    for agent_id, text in replaced.items():
        if agent_id is not None and text is not None:
            await conversation.put_store(agent_id, text, cause=_BACK)
        elif agent_id is not None:
            await conversation.remove_store(agent_id, cause=_BACK)
    for agent_id, text in texts.items():
        await conversation.put_store(agent_id, text, cause=_BACK)


def _concerned(folder: Path, agent_ids: Sequence[str]) -> list[str]:
    """Return the conversations that have a store of one of these agents."""
    with storage_errors(folder):
        return [
            conversation_id
            for conversation_id in names.conversation_ids(folder)
            if any(names.store_path(folder, conversation_id, one).exists() for one in agent_ids)
        ]


def _unreadable(folder: Path, conversation_id: str) -> str:
    """Return what to tell of a conversation that cannot be read, "" where it can."""
    try:
        found = read_conversation(folder, conversation_id)
        reason = found.bad_snapshot if not found.state.line else ""
    except StudioError as error:
        reason = str(error).rstrip(".")
    name = names.snapshot_path(folder, conversation_id).name
    return f"{name} cannot be read ({reason}); its stores stay as they are." if reason else ""
