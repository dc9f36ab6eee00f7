"""Reading a conversation from its files; nothing is written here.

Snapshot, then the newer lines of the journal; each store's file, then the newer lines about it.
What is wrong is noted in `Found`, for `mending` to put right where this process may write.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.chains import Chains, StoreChain, fingerprint
from studio_qt.engine.storage.journal import Scan, first_of, number_of, scan_lines
from studio_qt.engine.storage.past import all_records, read_bytes, replay_stores
from studio_qt.engine.storage.snapshot import parse_foreign, parse_ours
from studio_qt.engine.storage.state import State
from studio_qt.errors import StorageError, StudioError
from studio_qt.jsontext import JsonObject, decode_object

__all__ = [
    "Found",
    "StoreFound",
    "read_conversation",
    "read_entries",
    "text_of_store",
]

_BOM = b"\xef\xbb\xbf"


@dataclass(slots=True)
class StoreFound:
    """A store as it should be and its file as it is.

    `text` is None where there is no store any more; `sha` is the file's hash, None without a
    file. `foreign` says that another program's change wins, `unreadable` that its file holds no
    JSON object and the journal's text is kept.
    """

    text: str | None
    sha: str | None
    foreign: bool = False
    unreadable: bool = False


@dataclass(slots=True)
class Found:
    """A conversation as its files tell it.

    `snapshot` is the hash of the snapshot and the line that it holds; None where it could not be
    read and the journal gave everything. `last` is the number of the journal's last line, `scan`
    what its current file holds (None: there is no such file), `broken` says why the journal cannot
    go on, in words.
    """

    state: State
    snapshot: tuple[str, int] | None
    scan: Scan | None
    last: int = 0
    stores: dict[str, StoreFound] = field(default_factory=dict)
    chains: Chains = field(default_factory=Chains)
    foreign: bool = False
    broken: str = ""
    bad_snapshot: str = ""
    bad_numbers: list[Path] = field(default_factory=list)
    counter_in_file: int = 0
    snapshot_size: int = 0


def read_conversation(folder: Path, conversation_id: str) -> Found:
    """Read all files of a conversation.

    Raises StudioError where there is no such conversation, StorageError where the system refuses
    to read, and `Found.bad_snapshot` tells of a snapshot that is none.
    """
    data = read_bytes(names.snapshot_path(folder, conversation_id))
    if data is None:
        raise StudioError(f"There is no conversation {conversation_id} in {folder}.")
    scan, records = _journal(folder, conversation_id)
    chains = Chains()
    for record in records:
        chains.apply(record)
    found = _read_entries(folder, conversation_id, data, chains, records)
    found.scan, found.chains, found.snapshot_size = scan, chains, len(data)
    found.last = max(number_of(records[-1]) if records else 0, found.state.line)
    if scan is not None and scan.damaged:
        found.broken = "some of its lines cannot be read"
    _read_stores(folder, found)
    _read_numbers(folder, found, journaled=bool(records))
    return found


def read_entries(folder: Path, conversation_id: str) -> list[JsonObject]:
    """Read the entries alone, with what a journal has of a reply that was broken off.

    Raises as `read_conversation` does, and StudioError for what is no conversation.
    """
    data = read_bytes(names.snapshot_path(folder, conversation_id))
    if data is None:
        raise StudioError(f"There is no conversation {conversation_id} in {folder}.")
    _, records = _journal(folder, conversation_id)
    chains = Chains()
    for record in records:
        chains.apply(record)
    found = _read_entries(folder, conversation_id, data, chains, records)
    if found.bad_snapshot and not found.state.line:
        raise StudioError(
            f"{conversation_id}.json in {folder} is not a conversation ({found.bad_snapshot})."
        )
    entries = found.state.entries
    if unfinished := found.state.unfinished():
        at, fields = unfinished
        if at is None:
            return [*entries, fields]
        return [*entries[:at], {**entries[at], **fields}, *entries[at + 1 :]]
    return entries


def _journal(folder: Path, conversation_id: str) -> tuple[Scan | None, Sequence[JsonObject]]:
    """The current file of the journal, or else the last finished one."""
    data = read_bytes(names.journal_path(folder, conversation_id))
    scan = None if data is None else scan_lines(data)
    if scan is not None and scan.records:
        return scan, scan.records
    for number in names.segment_numbers(folder, conversation_id)[-1:]:
        finished = read_bytes(names.segment_path(folder, conversation_id, number))
        return scan, scan_lines(finished or b"").records
    return scan, ()


def _read_entries(
    folder: Path,
    conversation_id: str,
    data: bytes,
    chains: Chains,
    records: Sequence[JsonObject],
) -> Found:
    sha = fingerprint(data)
    line = chains.snapshots.get(sha)
    try:
        if line is None:
            state = parse_foreign(conversation_id, data)
            _glean(state, records)
            return Found(state, (sha, state.line), None, foreign=bool(records))
        state = parse_ours(conversation_id, data, line)
    except ValueError as error:
        return _without_snapshot(folder, conversation_id, str(error))
    found = Found(state, (sha, line), None)
    found.broken = _replay(state, _covering(folder, conversation_id, records, line))
    return found


def _without_snapshot(folder: Path, conversation_id: str, reason: str) -> Found:
    state = State(conversation_id)
    records = all_records(folder, conversation_id)
    broken = _replay(state, records) if _has_base(records) else "its beginning is missing"
    found = Found(state, None, None, bad_snapshot=reason, broken=broken)
    if not state.line:
        found.bad_snapshot = f"{reason}, and there is no journal to take it from"
    return found


def _replay(state: State, records: Sequence[JsonObject]) -> str:
    """Apply the lines that are newer than the state; returns what is wrong with them, or ""."""
    bases = [at for at, record in enumerate(records) if record.get("k") == "base"]
    if bases and number_of(records[bases[-1]]) > state.line:
        records = records[bases[-1] :]
        state.line = number_of(records[0]) - 1
    for record in records:
        number = number_of(record)
        if number <= state.line:
            continue
        if first_of(record) > state.line + 1:
            return f"line {state.line + 1} is missing"
        try:
            state.apply(record)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            return f"line {number} does not fit what is before it ({error})"
    return ""


def _covering(
    folder: Path, conversation_id: str, records: Sequence[JsonObject], line: int
) -> Sequence[JsonObject]:
    """The records, with those of earlier segments before them if they begin after `line`."""
    numbers = names.segment_numbers(folder, conversation_id)
    while numbers and not _has_base(records) and (not records or first_of(records[0]) > line + 1):
        path = names.segment_path(folder, conversation_id, numbers.pop())
        earlier = scan_lines(read_bytes(path) or b"").records
        records = [*earlier, *records]
    return records


def _has_base(records: Iterable[JsonObject]) -> bool:
    return any(record.get("k") == "base" for record in records)


def _glean(state: State, records: Iterable[JsonObject]) -> None:
    """Take the counters from a journal whose entries do not count any more."""
    other = State(state.id)
    for record in records:
        match record:
            case {"k": "base" | "segment"}:
                other.take_books(record)
            case {"k": "append", "entry": dict(entry)}:
                other.count_in((entry,))
            case {"k": "edit", "entries": list(entries)}:
                other.count_in(entry for entry in entries if isinstance(entry, dict))
            case {"k": "issue" | "spend" | "model"}:
                other.apply(record)
    state.take_books({**other.books(), "draft": ""})


def _read_stores(folder: Path, found: Found) -> None:
    conversation_id = found.state.id
    try:
        present = [entry.name for entry in folder.iterdir()]
    except OSError as error:
        raise StorageError(f"The folder {folder} cannot be read: {error.strerror}.") from error
    kept = {names.store_path(folder, conversation_id, a).name: a for a in found.chains.stores}
    others = {names.agent_of_store(name, conversation_id) for name in present if name not in kept}
    for agent_id in sorted({*filter(None, others), *found.chains.stores}):
        chain = found.chains.stores.get(agent_id, StoreChain())
        data = read_bytes(names.store_path(folder, conversation_id, agent_id))
        if data is not None or chain.newest is not None:
            found.stores[agent_id] = _read_store(folder, conversation_id, agent_id, chain, data)


def _read_store(
    folder: Path, conversation_id: str, agent_id: str, chain: StoreChain, data: bytes | None
) -> StoreFound:
    sha = None if data is None else fingerprint(data)
    try:
        held = None if data is None else data.decode()
        text = chain.newest_text(held, sha)
        if (None if text is None else fingerprint(text.encode())) == chain.newest:
            return StoreFound(text, sha)
    except LookupError:
        if data is None:
            return StoreFound(None, None, foreign=True)
        if (text := text_of_store(data)) is not None:
            return StoreFound(text, sha, foreign=True)
    except ValueError:
        if (text := text_of_store(data or b"")) is not None and sha != chain.newest:
            return StoreFound(text, sha, foreign=True)
    text = replay_stores(all_records(folder, conversation_id)).get(agent_id)
    return StoreFound(text, sha, unreadable=True)


def text_of_store(data: bytes) -> str | None:
    """The text of a store that another program wrote; None where it is no JSON object."""
    data = data.removeprefix(_BOM)
    try:
        decode_object(data)
        return data.decode()
    except ValueError:
        return None


def _read_numbers(folder: Path, found: Found, *, journaled: bool) -> None:
    state = found.state
    counter = _number_in(names.counter_path(folder, state.id), "last", found)
    found.counter_in_file = counter
    state.last_tool_call_id = max(state.last_tool_call_id, counter)
    spent = _number_in(names.tokens_path(folder, state.id), "total", found)
    if not journaled:
        state.agent_tokens = max(state.agent_tokens, spent)


def _number_in(path: Path, key: str, found: Found) -> int:
    data = read_bytes(path)
    if data is None:
        return 0
    try:
        number = decode_object(data.removeprefix(_BOM)).get(key)
    except ValueError:
        number = None
    if isinstance(number, int) and number >= 0:
        return number
    found.bad_numbers.append(path)
    return 0
