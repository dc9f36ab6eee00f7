"""Which rows the list of conversations has, and how times are put in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from studio_qt.jsontext import JsonObject

__all__ = ["Listed", "arrange", "when_words"]

_DEEPEST = 12
"""Steps that forks of forks are moved in."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One conversation of the list. `depth` counts the forks that it comes from, as shown."""

    id: str
    title: str = ""
    messages: int = 0
    updated: str = ""
    readable: bool = True
    depth: int = 0
    origin: str = ""
    entry: str = ""
    model: str = ""

    @property
    def name(self) -> str:
        """The title, or the id where there is none."""
        return self.title or self.id


def arrange(told: Sequence[JsonObject]) -> list[Listed]:
    """Return rows from what `list_conversations` tells: forks below what they came from.

    Families are sorted by the latest change in them, forks by their own. A fork whose origin is
    gone stands for itself; a ring of origins, which a damaged file may tell, is broken up.
    """
    found = {one.id: one for one in map(_listed, told)}
    forks: dict[str, list[Listed]] = {}
    roots = []
    for one in found.values():
        if one.origin in found and not _goes_round(one.id, found):
            forks.setdefault(one.origin, []).append(one)
        else:
            roots.append(one)
    families = [_family(root, forks) for root in roots]
    families.sort(key=lambda rows: max((row.updated, row.id) for row in rows), reverse=True)
    return [row for rows in families for row in rows]


def when_words(updated: str, now: datetime) -> str:
    """Return when something was, as short as a list wants it, in the zone of `now`.

    Today it is the hour, in the last six days the weekday, then the day, then month and year.
    """
    try:
        then = datetime.fromisoformat(updated).astimezone(now.tzinfo)
    except ValueError:
        return ""
    days = (now.date() - then.date()).days
    if days == 0:
        return f"{then:%H:%M}"
    if 0 < days < 7:
        return f"{then:%a}"
    return f"{then.day} {then:%b}" if then.year == now.year else f"{then:%b %Y}"


def _listed(said: JsonObject) -> Listed:
    origin = said.get("origin")
    known: Mapping[str, object] = origin if isinstance(origin, dict) else {}
    messages = said.get("messages")
    return Listed(
        str(said["id"]),
        " ".join(str(said.get("title") or "").split()),
        messages if isinstance(messages, int) else 0,
        str(said.get("updated") or ""),
        said.get("readable") is not False,
        0,
        str(known.get("conversation") or ""),
        str(known.get("entry") or ""),
        str(said.get("model") or ""),
    )


def _goes_round(start: str, found: Mapping[str, Listed]) -> bool:
    seen: set[str] = set()
    at = start
    while at in found and at not in seen:
        seen.add(at)
        at = found[at].origin
    return at in seen


def _family(root: Listed, forks: Mapping[str, list[Listed]]) -> list[Listed]:
    rows: list[Listed] = []
    waiting = [(root, 0)]
    while waiting:
        one, depth = waiting.pop()
        rows.append(replace(one, depth=min(depth, _DEEPEST)))
        below = sorted(forks.get(one.id, ()), key=lambda fork: (fork.updated, fork.id))
        waiting += [(fork, depth + 1) for fork in below]  # the latest is taken first
    return rows
