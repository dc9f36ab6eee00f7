"""The list of a folder's conversations, without decoding what they say."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.journal import number_of, scan_lines
from studio_qt.engine.storage.reading import read_bytes, read_conversation
from studio_qt.engine.storage.snapshot import read_head
from studio_qt.engine.storage.state import CHANGING
from studio_qt.engine.storage.values import ConversationSummary
from studio_qt.errors import StudioError

__all__ = ["list_conversations"]


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
        if _is_newest(folder, conversation_id, head.line):
            return ConversationSummary(
                conversation_id, head.title, len(head.messages), head.updated
            )
        state = read_conversation(folder, conversation_id).state
    except (ValueError, StudioError):
        return ConversationSummary(conversation_id, "", 0, _changed(path), readable=False)
    return ConversationSummary(
        conversation_id, state.title, len(state.entries), state.updated or _changed(path)
    )


def _is_newest(folder: Path, conversation_id: str, line: int) -> bool:
    """Whether the journal has nothing that the snapshot lacks, as far as its end tells."""
    data = read_bytes(names.journal_path(folder, conversation_id))
    if data is None:
        return line > 0
    return not any(
        number_of(record) > line and record.get("k") in CHANGING
        for record in scan_lines(data).records
    )


def _changed(path: Path) -> str:
    try:
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return ""
    return changed.strftime("%Y-%m-%dT%H:%M:%SZ")
