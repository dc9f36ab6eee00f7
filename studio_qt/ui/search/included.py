"""Which files a search looks into: "agents, *.json, !notes"."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable

__all__ = ["Included"]

_Test = Callable[[str], bool]


class Included:
    """Patterns with commas between them; `!` before one leaves files out.

    `*` and `?` are as in file names, for the name alone unless the pattern has a slash. A pattern
    without them is a part of the path. Case does not count; nothing given takes everything.
    """

    def __init__(self, text: str) -> None:
        self._wanted: list[_Test] = []
        self._unwanted: list[_Test] = []
        for part in text.split(","):
            pattern = part.strip().casefold()
            if pattern.startswith("!"):
                self._add(self._unwanted, pattern[1:].strip())
            else:
                self._add(self._wanted, pattern)

    def takes(self, path: str) -> bool:
        """Whether a file is looked into."""
        folded = path.casefold()
        if any(test(folded) for test in self._unwanted):
            return False
        return not self._wanted or any(test(folded) for test in self._wanted)

    @staticmethod
    def _add(tests: list[_Test], pattern: str) -> None:
        if not pattern:
            return
        if not re.search(r"[*?\[]", pattern):
            tests.append(lambda path: pattern in path)
            return
        matcher = re.compile(fnmatch.translate(pattern.removeprefix("/")))
        if "/" in pattern:
            tests.append(lambda path: matcher.match(path) is not None)
        else:
            tests.append(lambda path: matcher.match(path.rpartition("/")[2]) is not None)
