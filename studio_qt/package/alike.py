"""The known name that an author most likely meant by another one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

__all__ = ["closest"]

_SIGNS = re.compile(r"[\s_.-]")


def closest(name: str, known: Iterable[str], *, at_least: float = 0.8) -> str | None:
    """Return the name most like `name`, None where none is; case, blanks, `_.-` do not count.

    `at_least` is how much of both must be the same, 0 to 1.
    """
    plain = {_plain(one): one for one in known}
    found = difflib.get_close_matches(_plain(name), plain, 1, at_least)
    return plain[found[0]] if found else None


def _plain(name: str) -> str:
    return _SIGNS.sub("", name).lower()
