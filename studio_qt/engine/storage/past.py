"""Looking back through all parts of a journal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.chains import apply_store
from studio_qt.engine.storage.journal import number_of, scan_lines
from studio_qt.errors import StorageError
from studio_qt.jsontext import JsonObject

__all__ = ["Moment", "all_records", "read_bytes", "replay_stores", "stores_then"]

Moment = tuple[int, str | None]
"""A turn, and the id of its last entry or None for any."""
_DEEPEST = 100


def read_bytes(path: Path) -> bytes | None:
    """Return a file's content, None where there is none; raises StorageError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(
            f"{path} cannot be read ({error.strerror or error}): make it readable and try again."
        ) from error


def all_records(folder: Path, conversation_id: str) -> list[JsonObject]:
    """Return every line of a journal once, finished parts and the current file; StorageError."""
    paths = [
        names.segment_path(folder, conversation_id, number)
        for number in names.segment_numbers(folder, conversation_id)
    ]
    paths.append(names.journal_path(folder, conversation_id))
    records: list[JsonObject] = []
    last = 0
    for path in paths:
        for record in scan_lines(read_bytes(path) or b"").records:
            if number_of(record) > last:  # a kill may have left the same lines in two files
                last = number_of(record)
                records.append(record)
    return records


def replay_stores(records: Iterable[JsonObject]) -> dict[str, str]:
    """Return the stores after all these lines; those whose lines do not fit are left out."""
    texts: dict[str, str | None] = {}
    for record in records:
        match record:
            case {"k": "store", "agent": str(agent_id)}:
                try:
                    texts[agent_id] = apply_store(texts.get(agent_id), record)
                except ValueError:
                    texts[agent_id] = None
    return {agent_id: text for agent_id, text in texts.items() if text is not None}


def stores_then(folder: Path, conversation_id: str, moment: Moment) -> dict[str, str]:
    """Return the stores at the last end of a turn; blocks.

    What a fork does not know is looked up in the journal that it came from, as far as that had
    come. Raises LookupError when the moment is in none of them, StorageError.
    """
    until: int | None = None
    for _ in range(_DEEPEST):
        records = all_records(folder, conversation_id)
        if until is not None:
            records = [record for record in records if number_of(record) <= until]
        ends = [at for at, record in enumerate(records) if _is_end(record, moment)]
        if ends:
            return replay_stores(records[: ends[-1] + 1])
        parent = next((p for r in reversed(records) if (p := _parent(r)) is not None), None)
        if parent is None:
            break
        conversation_id, until = parent
    if moment == (0, None):
        return {}
    raise LookupError("no journal knows this moment")


def _is_end(record: JsonObject, moment: Moment) -> bool:
    match record:
        case {"k": "turn", "turn": int(turn), "entry": entry}:
            return turn == moment[0] and moment[1] in {None, entry}
    return False


def _parent(record: JsonObject) -> tuple[str, int] | None:
    match record:
        case {"k": "base", "parent": [str(conversation_id), int(line)]}:
            return conversation_id, line
    return None
