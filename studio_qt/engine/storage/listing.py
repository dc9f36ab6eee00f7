"""The list of a folder's conversations, without decoding what they say."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.journal import scan_lines
from studio_qt.engine.storage.past import read_bytes
from studio_qt.engine.storage.reading import read_conversation
from studio_qt.engine.storage.snapshot import read_head
from studio_qt.engine.storage.state import State
from studio_qt.engine.storage.storefiles import FileStamp, stamp_of
from studio_qt.engine.storage.values import ConversationSummary
from studio_qt.errors import StudioError

__all__ = ["Listed", "list_conversations", "summary_of"]

_Stamps = tuple[FileStamp | None, FileStamp | None]
Listed = dict[str, tuple[_Stamps, ConversationSummary]]
"""Summaries by id, each with what tells its files from those that came after them."""

_TAIL = 1 << 16
"""Bytes at the end of a journal among which its last line is."""


def list_conversations(
    folder: Path, without: Collection[str] = (), known: Listed | None = None
) -> dict[str, ConversationSummary]:
    """Return what there is, by id; blocks. One that cannot be read is listed as unreadable.

    `known` is what was listed before, and is brought up to date: files that are as they were are
    not read again.
    """
    known = {} if known is None else known
    found = {}
    for conversation_id in names.conversation_ids(folder):
        if conversation_id in without:
            continue
        stamps = (
            stamp_of(names.snapshot_path(folder, conversation_id)),
            stamp_of(names.journal_path(folder, conversation_id)),
        )
        before = known.get(conversation_id)
        if before is None or before[0] != stamps:
            known[conversation_id] = before = stamps, _summary(folder, conversation_id)
        found[conversation_id] = before[1]
    for gone in known.keys() - found.keys():
        del known[gone]
    return found


def summary_of(state: State) -> ConversationSummary:
    """Return what a list shows of a conversation."""
    return ConversationSummary(
        state.id,
        state.title,
        len(state.entries),
        state.updated,
        origin=_origin(state),
        model=state.main_model,
    )


def _origin(state: State) -> tuple[str, str] | None:
    return None if state.parent is None else (state.parent[0], state.parent_entry)


def _summary(folder: Path, conversation_id: str) -> ConversationSummary:
    path = names.snapshot_path(folder, conversation_id)
    try:
        head = read_head(read_bytes(path) or b"")
        if _is_newest(folder, conversation_id):
            books = head.books()
            return ConversationSummary(
                conversation_id,
                head.title,
                len(head.messages),
                head.updated,
                origin=_origin(books),
                model=books.main_model,
            )
        state = read_conversation(folder, conversation_id).state
    except (ValueError, StudioError):
        return ConversationSummary(conversation_id, "", 0, _changed(path), readable=False)
    summary = summary_of(state)
    return replace(summary, updated=summary.updated or _changed(path))


def _is_newest(folder: Path, conversation_id: str) -> bool:
    """Whether the journal has nothing that the snapshot lacks; its end tells when all was well."""
    path = names.journal_path(folder, conversation_id)
    try:
        with path.open("rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - _TAIL)
            file.seek(start)
            data = file.read()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    records = scan_lines(data if start == 0 else data[data.find(b"\n") + 1 :]).records
    match records[-1:]:
        case [{"k": "settled" | "segment", "snapshot": [_, int(line)], "changed": int(changed)}]:
            return changed <= line
    return False


def _changed(path: Path) -> str:
    try:
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return ""
    return changed.strftime("%Y-%m-%dT%H:%M:%SZ")
