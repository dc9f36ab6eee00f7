"""What differs between two values, in words; and between two long texts, as one stretch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from studio_qt.files.difference import common_prefix, common_suffix
from studio_qt.jsontext import JsonValue
from studio_qt.ui.documents.changes import Change
from studio_qt.ui.stores.pairing import Missing, Sign, Slot, pairs_of, sign_of
from studio_qt.ui.stores.values import Key, Path, short_text

__all__ = ["Difference", "differences", "find_all", "one_change", "path_text"]

_PART = 512


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two values differ, and how; `words` are short."""

    sign: Sign
    path: Path
    words: str


def differences(left: Slot, right: Slot, most: int = 200) -> list[Difference]:
    """Return where `right` differs from `left`, at most so many; "+" is what only right has."""
    found: list[Difference] = []
    for difference in _walk(left, right, ()):
        if len(found) == most:
            break
        found.append(difference)
    return found


def path_text(path: Path) -> str:
    """Return a path as people write it: memories[4].text."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text or "everything"


def one_change(old: str, new: str) -> Change | None:
    """Return the one stretch of lines in which two texts differ; None where they do not."""
    if old == new:
        return None
    before = common_prefix(old, new)
    start = old.rfind("\n", 0, before) + 1
    tail_old, tail_new = old[start:], new[start:]
    after = common_suffix(tail_old, tail_new)
    kept = tail_old[len(tail_old) - after :]
    cut = kept.find("\n")
    after = 0 if cut < 0 else len(kept) - cut - 1
    first = old.count("\n", 0, start)
    gone, come = tail_old[: len(tail_old) - after], tail_new[: len(tail_new) - after]
    if after:
        return Change(first, first + gone.count("\n"), tuple(come.split("\n")[:-1]))
    return Change(first, first + gone.count("\n") + 1, tuple(come.split("\n")))


def find_all(value: JsonValue, words: str, most: int = 5_000) -> list[Path]:
    """Return the paths of fields and values that have the words, in any case."""
    found: list[Path] = []
    wanted = words.casefold()
    for path, one in _every(value, ()):
        key = str(path[-1]) if isinstance(path[-1], str) else ""
        told = (
            ""
            if isinstance(one, (dict, list))
            else one
            if isinstance(one, str)
            else short_text(one)
        )
        if wanted in key.casefold() or wanted in told.casefold():
            found.append(path)
            if len(found) == most:
                break
    return found


def _walk(left: Slot, right: Slot, path: Path) -> Iterator[Difference]:
    sign = sign_of(right, left)
    if not sign:
        return
    alike = (isinstance(left, dict) and isinstance(right, dict)) or (
        isinstance(left, list) and isinstance(right, list)
    )
    if not alike:
        yield Difference(sign, path, _change_words(left, right))
        return
    pairs = pairs_of(left, right)
    for start in range(0, len(pairs), _PART):
        for pair in pairs.part(start, start + _PART):
            key: Key | None = pair.right_key if pair.right_key is not None else pair.left_key
            assert key is not None
            yield from _walk(pair.left, pair.right, (*path, key))


def _change_words(left: Slot, right: Slot) -> str:
    if isinstance(left, Missing):
        return "" if isinstance(right, Missing) else _told(right)
    return _told(left) if isinstance(right, Missing) else f"{_told(left)} → {_told(right)}"


def _told(value: JsonValue) -> str:
    """Return a value in a few words; of an object its first texts."""
    if isinstance(value, dict):
        texts = [short_text(one, 60) for one in value.values() if isinstance(one, str) and one]
        return ": ".join(texts[:2]) or short_text(value)
    return short_text(value, 120) or "(empty)"


def _every(value: JsonValue, path: Path) -> Iterator[tuple[Path, JsonValue]]:
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _every(one, (*path, key))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from _every(one, (*path, at))
