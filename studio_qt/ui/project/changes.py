"""What differs between two trees, as steps that a model can take without a reset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from studio_qt.files.pace import Pace
from studio_qt.ui.project.items import Item

__all__ = ["Change", "Inserted", "Removed", "Updated", "changes_between"]

_MOST_AT_ONCE = 200
"""Rows that one step inserts or removes, so that no step takes long."""


class Removed(NamedTuple):
    """These neighbours go, with everything below them."""

    parent: str
    keys: tuple[str, ...]


class Inserted(NamedTuple):
    """These come, bare, after the sibling `after`; None is the front."""

    parent: str
    after: str | None
    items: tuple[Item, ...]


class Updated(NamedTuple):
    """The row of this key looks different; what is below it is told by other changes."""

    item: Item


Change = Removed | Inserted | Updated


def changes_between(old: Item, new: Item) -> list[Change]:
    """Return the steps from one tree to the other, those that remove first.

    A row that moved to another folder is removed and inserted, so that no key is ever there twice.
    """
    removed: list[Change] = []
    others: list[Change] = []
    for change in _compare(old, new):
        (removed if isinstance(change, Removed) else others).append(change)
    return removed + others


def _compare(old: Item, new: Item) -> Iterator[Change]:
    pending = [(old, new)]
    pace = Pace()
    while pending:
        pace.rest()
        before, after = pending.pop()
        if before is after:
            continue
        if before.bare != after.bare:
            yield Updated(after.bare)
        kept = _kept(before.children, after.children)
        yield from _removals(before, kept)
        yield from _insertions(after, kept)
        earlier = {item.key: item for item in before.children if item.key in kept}
        for item in after.children:
            if item.key in kept:
                pending.append((earlier[item.key], item))
            elif item.children:
                pending.append((item.bare, item))


def _kept(before: Sequence[Item], after: Sequence[Item]) -> frozenset[str]:
    """Return the keys that stay; none where their order changed, which is rare."""
    old = [item.key for item in before]
    new = [item.key for item in after]
    in_old, in_new = set(old), set(new)
    both = [key for key in old if key in in_new]
    if both == [key for key in new if key in in_old]:
        return frozenset(both)
    return frozenset()


def _removals(parent: Item, kept: frozenset[str]) -> Iterator[Change]:
    run: list[Item] = []
    for item in parent.children:
        if item.key not in kept:
            run.append(item)
        elif run:
            yield from _removed(parent, run)
            run = []
    if run:
        yield from _removed(parent, run)


def _removed(parent: Item, run: Sequence[Item]) -> Iterator[Change]:
    """Remove neighbours, and before them what is in large folders."""
    for item in run:
        if item.count > _MOST_AT_ONCE:
            yield from _removals(item, frozenset())
    keys: list[str] = []
    size = 0
    for item in run:
        if keys and size + item.count >= _MOST_AT_ONCE:
            yield Removed(parent.key, tuple(keys))
            keys, size = [], 0
        keys.append(item.key)
        size += 1 + (item.count if item.count <= _MOST_AT_ONCE else 0)
    yield Removed(parent.key, tuple(keys))


def _insertions(parent: Item, kept: frozenset[str]) -> Iterator[Change]:
    run: list[Item] = []
    last: str | None = None
    for item in parent.children:
        if item.key in kept:
            if run:
                yield Inserted(parent.key, last, tuple(run))
            run, last = [], item.key
            continue
        run.append(item.bare)
        if len(run) == _MOST_AT_ONCE:
            yield Inserted(parent.key, last, tuple(run))
            run, last = [], item.key
    if run:
        yield Inserted(parent.key, last, tuple(run))
