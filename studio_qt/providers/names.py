"""Tool names that every server takes, and the way back to what was offered."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["ToolNames"]

_LONGEST = 64
_SAFE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class ToolNames:
    """The tools of one request: each offered name has a safe one, unique in the request.

    Safe is what all known servers take: 1 to 64 ASCII letters, digits, `_` and `-`, the first a
    letter or `_`. A safe name stays as it is.
    """

    def __init__(self, offered: Iterable[str]) -> None:
        names = list(dict.fromkeys(offered))
        self._safe = {name: name for name in names if _SAFE.fullmatch(name)}
        for name in names:
            if name not in self._safe:
                self._safe[name] = _unique(_made_safe(name), set(self._safe.values()))
        self._offered = {safe: name for name, safe in self._safe.items()}

    def safe(self, name: str) -> str:
        """Return the name on the wire; for one that was not offered, simply a safe spelling."""
        known = self._safe.get(name)
        return known if known is not None else _made_safe(name)

    def knows(self, said: str) -> bool:
        """Whether `said` is, letter for letter, a name on the wire."""
        return said in self._offered

    def offered(self, said: str) -> str:
        """Return the offered name that a model means by `said`, or `said` when none fits.

        Some servers change the spelling (snake_case, a prefix such as `functions.`): letters and
        digits decide where exactly one offered name has the same.
        """
        said = said.strip()
        exact = self._offered.get(said) or (said if said in self._safe else None)
        if exact is not None:
            return exact
        for spelling in (said, re.sub(r"^(functions?|tools?|default_api)[.:/]", "", said)):
            alike = [name for safe, name in self._offered.items() if _bare(safe) == _bare(spelling)]
            if len(alike) == 1:
                return alike[0]
        return said


def _made_safe(name: str) -> str:
    spelled = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:_LONGEST]
    if not re.match(r"[A-Za-z_]", spelled):
        spelled = f"_{spelled}"[:_LONGEST]
    return spelled


def _unique(name: str, taken: set[str]) -> str:
    number = 2
    candidate = name
    while candidate in taken:
        ending = f"_{number}"
        candidate = name[: _LONGEST - len(ending)] + ending
        number += 1
    return candidate


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
