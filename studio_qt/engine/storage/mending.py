"""Putting right what `reading` found, by the one process that may write.

Nothing is ever overwritten that another program made or that cannot be read: it is copied or
renamed to a new name beside it first. Each step can be repeated after a kill.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.chains import fingerprint, settled_fields
from studio_qt.engine.storage.journal import Journal, encode_lines
from studio_qt.engine.storage.past import read_bytes
from studio_qt.engine.storage.reading import Found
from studio_qt.engine.storage.state import State
from studio_qt.errors import StudioError
from studio_qt.files import storage_errors, write_atomic
from studio_qt.jsontext import JsonObject

__all__ = ["Mended", "mend", "new_journal_lines"]


@dataclass(slots=True)
class Mended:
    """A journal that can go on, and sentences for the user about what happened."""

    journal: Journal
    notices: list[str] = field(default_factory=list)
    begun: bool = False
    """Whether the journal was begun anew, with everything that was found in it."""


def mend(folder: Path, found: Found) -> Mended:
    """Set aside what must be and open the journal; blocks.

    Raises StudioError when nothing of the conversation could be read, StorageError when the
    folder cannot be written.
    """
    notices = _mend_snapshot(folder, found) + _mend_sidecars(folder, found)
    path = names.journal_path(folder, found.state.id)
    if found.scan is not None and not found.broken and b"\n" in _rest(path, found.scan.size):
        found.broken = "its end cannot be read"
    if (found.broken or found.foreign) and (aside := _copy_aside(path)) is not None:
        notices.append(_about_journal(found, aside))
    if found.broken or found.foreign or found.scan is None or not found.scan.records:
        return Mended(_begin_journal(path, found), notices, begun=True)
    return Mended(Journal(path, last=found.last, size=found.scan.size), notices)


def new_journal_lines(
    state: State, header: JsonObject, stores: Sequence[JsonObject] = ()
) -> list[tuple[str, JsonObject]]:
    """The first lines of a journal: which files are ours, the whole conversation, its stores."""
    base: JsonObject = {
        "title": state.title,
        "created": state.created,
        "messages": list(state.entries),
        **state.books(),
        "t": state.updated,
    }
    return [("segment", header), ("base", base), *(("store", store) for store in stores)]


def _mend_snapshot(folder: Path, found: Found) -> list[str]:
    if not found.bad_snapshot:
        return []
    path = names.snapshot_path(folder, found.state.id)
    if not found.state.line:
        aside = names.set_aside_path(path)
        with storage_errors(folder):
            path.rename(aside)
        raise StudioError(
            f"{path.name} is not a conversation ({found.bad_snapshot}). It was set aside as "
            f"{aside.name}; mend it and give it its old name, or start a new conversation."
        )
    copy = _copy_aside(path)
    return [
        f"{path.name} could not be read ({found.bad_snapshot}). The conversation was taken from "
        f"its journal, and the file was set aside as {copy.name if copy else path.name}."
    ]


def _mend_sidecars(folder: Path, found: Found) -> list[str]:
    """Set aside store and number files that cannot be read."""
    bad = list(found.bad_numbers)
    for agent_id, store in found.stores.items():
        if store.unreadable and store.sha is not None:
            bad.append(names.store_path(folder, found.state.id, agent_id))
    notices = []
    for path in bad:
        if (aside := _copy_aside(path)) is not None:
            notices.append(
                f"{path.name} could not be read; what was last saved is used instead, and the "
                f"file was set aside as {aside.name}."
            )
    return notices


def _about_journal(found: Found, aside: Path) -> str:
    if found.foreign:
        return (
            f"{found.state.id}.json was changed by another program; its version is used now. The "
            f"journal of the earlier one was set aside as {aside.name}."
        )
    return (
        f"The journal of {found.state.id} is damaged ({found.broken}); what could be read is "
        f"used. The journal was set aside as {aside.name}."
    )


def _begin_journal(path: Path, found: Found) -> Journal:
    state = found.state
    first = found.last + 1
    header = settled_fields(
        None if found.snapshot is None else (found.snapshot[0], first),
        {agent_id: store.sha for agent_id, store in found.stores.items()},
        changed=first + 1,
    )
    state.updated = state.updated or names.now()
    state.created = state.created or state.updated
    stores = [_whole_store(agent_id, store.text) for agent_id, store in found.stores.items()]
    lines = new_journal_lines(state, header, stores)
    write_atomic(path, encode_lines(first, lines))
    state.line = state.changed = first + len(lines) - 1
    return Journal(path, last=state.line, size=None)


def _whole_store(agent_id: str, text: str | None) -> JsonObject:
    sha = None if text is None else fingerprint(text.encode())
    return {"agent": agent_id, "text": text, "sha": sha, "cause": "found on opening"}


def _copy_aside(path: Path) -> Path | None:
    """Copy a file to a free name; None where there is nothing to copy."""
    data = read_bytes(path)
    if not data:
        return None
    aside = names.set_aside_path(path)
    write_atomic(aside, data)
    return aside


def _rest(path: Path, size: int) -> bytes:
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        file.seek(size)
        return file.read()
    return b""
