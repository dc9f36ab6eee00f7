"""A lorebook on its way back: every entry with the fields that it had, whatever was changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from studio_qt.authoring.cards.card import Card
from studio_qt.authoring.cards.fields import (
    BOOK,
    CONSTANT,
    KEYS,
    book_entries,
    constant_entries,
    is_constant,
    portable_entry,
)
from studio_qt.authoring.cards.macros import portable
from studio_qt.authoring.cards.originals import Originals
from studio_qt.errors import PackageError
from studio_qt.jsontext import JsonObject, JsonValue, decode, encode

__all__ = ["always_there", "called_up", "constant_entry"]

_BETWEEN = "\n\n"


def called_up(card: Card | None, text: str) -> tuple[JsonObject, list[JsonValue]]:
    """Return the lorebook of a package and its entries, with the macros that the card had.

    Raises PackageError for a file that is no JSON.
    """
    book, entries = _decoded(text)
    kept = [one for one in book_entries(card) if not is_constant(one)] if card is not None else []
    if card is None or not kept:
        return book, entries
    name = card.called
    same = {encode(portable_entry(one, name)): one for one in reversed(kept)}
    contents = Originals(_texts(kept, "content"), name)
    keys = Originals((one for key in KEYS for one in _texts(kept, key)), name)

    def back(entry: JsonValue) -> JsonValue:
        if not isinstance(entry, dict):
            return entry
        return same.get(encode(entry)) or _with_macros(entry, contents, keys)

    return book, [back(one) for one in entries]


def always_there(card: Card | None, text: str) -> list[JsonValue]:
    """Return the constant entries whose texts stand in `lorebook.txt`, one below the other.

    One that was changed keeps its other fields, and so does one that was moved; what is new is an
    entry of its own, and what is not there any more is none.
    """
    entries = constant_entries(card) if card is not None else []
    name = card.called if card is not None else ""
    written = _Written(text, [_made(one, name) for one in entries])
    texts = Originals(_texts(entries, "content"), name)
    found: list[JsonValue] = []
    order: JsonValue = 0
    for part in written.parts():
        if part.rank is None:
            found.append(constant_entry(CONSTANT, texts.back(part.text), order))
            continue
        entry = entries[part.rank]
        order = entry.get("insertion_order", order)
        found.append(entry if part.same else {**entry, "content": texts.back(part.text)})
    return [*found, *(one for one in entries if not _made(one, name))]


def constant_entry(name: str, text: str, order: JsonValue) -> JsonObject:
    """Return an entry that is always there."""
    return {
        "keys": [],
        "content": text,
        "extensions": {},
        "enabled": True,
        "insertion_order": order,
        "constant": True,
        "name": name,
    }


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the text; `rank` is the entry that it is of, None for a new one."""

    text: str
    rank: int | None = None
    same: bool = False


@dataclass(slots=True)
class _Gap:
    """What is new between entries that are as they were, of the ranks `after` and `before`."""

    after: int
    before: int
    paragraphs: list[str] = field(default_factory=list)


class _Written:
    """The paragraphs of a text, and which of them are entries that are known."""

    def __init__(self, text: str, made: Sequence[str]) -> None:
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        self._paragraphs = [one for one in plain.split(_BETWEEN) if one.strip()]
        self._made = [[one for one in text.split(_BETWEEN) if one.strip()] for text in made]
        self._starts: dict[int, int] = {}
        self._taken: set[int] = set()
        self._find()
        found = {*self._starts.values()}
        self._lost = [rank for rank, parts in enumerate(self._made) if parts and rank not in found]

    def parts(self) -> Iterator[_Part]:
        """Yield the pieces in their order."""
        ranks = [rank for _at, rank in sorted(self._starts.items())]
        gap = _Gap(-1, ranks[0] if ranks else len(self._made))
        at, passed = 0, 0
        while at < len(self._paragraphs):
            rank = self._starts.get(at)
            if rank is None:
                gap.paragraphs.append(self._paragraphs[at])
                at += 1
                continue
            yield from self._filled(gap)
            yield _Part(_BETWEEN.join(self._made[rank]), rank, same=True)
            passed += 1
            gap = _Gap(rank, ranks[passed] if passed < len(ranks) else len(self._made))
            at += len(self._made[rank])
        yield from self._filled(gap)

    def _find(self) -> None:
        """Find the entries that are as they were, the longest first: one may be a part of it."""
        places: dict[str, list[int]] = {}
        for at, paragraph in reversed([*enumerate(self._paragraphs)]):
            places.setdefault(paragraph, []).append(at)
        for rank, parts in sorted(enumerate(self._made), key=lambda one: -len(one[1])):
            starts = places.get(parts[0], []) if parts else []
            for place in range(len(starts) - 1, -1, -1):
                span = range(starts[place], starts[place] + len(parts))
                is_free = self._taken.isdisjoint(span)
                if is_free and self._paragraphs[span.start : span.stop] == parts:
                    self._starts[span.start] = rank
                    self._taken.update(span)
                    del starts[place]
                    break

    def _filled(self, gap: _Gap) -> Iterator[_Part]:
        """Give what is new to the entries that are missing there, if any."""
        if not gap.paragraphs:
            return
        missing = [rank for rank in self._lost if gap.after < rank < gap.before]
        if len(missing) == len(gap.paragraphs):
            pairs = zip(gap.paragraphs, missing, strict=True)
            yield from (_Part(text, rank) for text, rank in pairs)
        else:
            yield _Part(_BETWEEN.join(gap.paragraphs), missing[0] if missing else None)


def _made(entry: JsonObject, name: str) -> str:
    return portable(str(entry.get("content") or ""), name).strip()


def _texts(entries: Iterable[JsonObject], key: str) -> Iterator[str]:
    """Yield the texts of a field, which may be one or a list of them."""
    for entry in entries:
        value = entry.get(key)
        listed = value if isinstance(value, list) else [value]
        yield from (one for one in listed if isinstance(one, str))


def _with_macros(entry: JsonObject, contents: Originals, keys: Originals) -> JsonObject:
    changed = dict(entry)
    content = entry.get("content")
    if isinstance(content, str):
        changed["content"] = contents.back(content)
    for name in KEYS:
        listed = entry.get(name)
        if isinstance(listed, list):
            changed[name] = [keys.back(one) if isinstance(one, str) else one for one in listed]
    return changed


def _decoded(text: str) -> tuple[JsonObject, list[JsonValue]]:
    """Return a lorebook and its entries, which may be listed, or named as in an object."""
    try:
        book = decode(text) if text else {}
    except ValueError as error:
        path = f"context/{BOOK}"
        raise PackageError(f"{path} cannot go into a card: {error}.", file=path) from error
    if not isinstance(book, dict):
        return {}, book if isinstance(book, list) else []
    listed = book.get("entries")
    named = [*listed.values()] if isinstance(listed, dict) else []
    return book, listed if isinstance(listed, list) else named
