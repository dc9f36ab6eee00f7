"""Finished parts of a journal, without what nobody will look back at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from studio_qt.engine.storage.journal import number_of
from studio_qt.jsontext import JsonObject, encode

__all__ = ["compact"]

_PASSING = frozenset({"snapshot", "settled"})


def compact(records: Iterable[JsonObject]) -> bytes:
    """Return journal lines without streamed pieces of finished replies and notes about files.

    A line `{"n": 9, "k": "gap", "from": 3}` stands for the lines 3 to 9. A draft that nothing has
    ended stays, and the last line, which says what the files were.
    """
    lines = "".join(f"{encode(record)}\n" for record in _merged(_marked(list(records))))
    return lines.encode()


def _marked(records: list[JsonObject]) -> Iterator[tuple[JsonObject, bool]]:
    """The records, each with whether it can go."""
    ended = max((at for at, record in enumerate(records) if _ends_draft(record)), default=-1)
    for at, record in enumerate(records):
        kind = record.get("k")
        passing = kind in _PASSING or (kind == "draft" and at <= ended)
        yield record, passing and at < len(records) - 1


def _ends_draft(record: JsonObject) -> bool:
    match record:
        case {"k": "base"} | {"k": "draft", "text": None}:
            return True
        case {"k": "append", "entry": {"role": "assistant"}}:
            return True
    return False


def _merged(marked: Iterable[tuple[JsonObject, bool]]) -> Iterator[JsonObject]:
    gap: JsonObject | None = None
    for record, passing in marked:
        if passing:
            first = number_of(record) if gap is None else gap["from"]
            gap = {"n": number_of(record), "k": "gap", "from": first}
            continue
        if gap is not None:
            yield gap
            gap = None
        yield record
    if gap is not None:
        yield gap
