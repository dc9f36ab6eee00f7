"""The list of a folder's conversations, without decoding what they say."""

from __future__ import annotations

import os
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.journal import scan_lines
from studio_qt.engine.storage.past import read_bytes
from studio_qt.engine.storage.reading import read_conversation
from studio_qt.engine.storage.snapshot import read_head
from studio_qt.engine.storage.values import ConversationSummary
from studio_qt.errors import StudioError

__all__ = ["list_conversations"]

_TAIL = 1 << 16
"""Bytes at the end of a journal among which its last line is."""


def list_conversations(
    folder: Path, without: Collection[str] = ()
) -> dict[str, ConversationSummary]:
    """Return what there is, by id; blocks. One that cannot be read is listed as unreadable."""
    found = {}
    for conversation_id in names.conversation_ids(folder):
        if conversation_id not in without:
            found[conversation_id] = _summary(folder, conversation_id)
    return found


def _summary(folder: Path, conversation_id: str) -> ConversationSummary:
    path = names.snapshot_path(folder, conversation_id)
    try:
        head = read_head(read_bytes(path) or b"")
        if _is_newest(folder, conversation_id):
            return ConversationSummary(
                conversation_id, head.title, len(head.messages), head.updated
            )
        state = read_conversation(folder, conversation_id).state
    except (ValueError, StudioError):
        return ConversationSummary(conversation_id, "", 0, _changed(path), readable=False)
    return ConversationSummary(
        conversation_id, state.title, len(state.entries), state.updated or _changed(path)
    )


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
