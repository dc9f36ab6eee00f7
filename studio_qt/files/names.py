"""Names for new files: what one may look like on each of the three systems."""

from __future__ import annotations

import re
from collections.abc import Iterable

from studio_qt.files.paths import UnsafePathError, safe_path, same_name

__all__ = ["free_name", "name_fault", "split_name"]

_FORBIDDEN = re.compile(r"""[\x00-\x1f\x7f<>:"/\\|?*\ud800-\udfff]""")
_LONGEST_BYTES = 240
"""Of the 255 that file systems take; a temporary name beside it needs none of them."""

_DOUBLE_ENDINGS = (".subagent.md", ".agent.json")


def name_fault(name: str, taken: Iterable[str] = ()) -> str | None:
    """Return why a file or folder cannot have this name, as a sentence; None when it can.

    `taken` are the names beside it; one that differs only in case or accents is taken as well,
    since it is the same file on some systems.
    """
    if not name.strip():
        return "Give it a name."
    if found := _FORBIDDEN.search(name):
        sign = found[0]
        shown = f"“{sign}”" if sign.isprintable() else "a control character"
        return f"A name cannot hold {shown}: not every system allows it."
    if name in (".", ".."):
        return f"“{name}” stands for a folder; choose another name."
    if name != name.strip() or name.endswith("."):
        return "A name cannot begin or end with a blank, nor end with a dot."
    if len(name.encode("utf-8")) > _LONGEST_BYTES:
        return "The name is too long; use at most 240 bytes."
    try:
        safe_path(name)
    except UnsafePathError:
        return f"“{name}” is a name that Windows keeps for a device."
    return _taken_fault(name, taken)


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return `name`, or with `-copy`, `-copy-2`, … before its ending the first that is free."""
    used = {same_name(one) for one in taken}
    stem, ending = split_name(name)
    stem = re.sub(r"-copy(-\d+)?$", "", stem) if same_name(name) in used else stem
    number = 0
    made = name
    while same_name(made) in used:
        number += 1
        made = f"{stem}-copy{'' if number == 1 else f'-{number}'}{ending}"
    return made


def split_name(name: str) -> tuple[str, str]:
    """Return what one renames and the ending: of `marcus.subagent.md`, `marcus` is the first."""
    for ending in _DOUBLE_ENDINGS:
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)], name[-len(ending) :]
    dot = name.rfind(".")
    return (name, "") if dot <= 0 else (name[:dot], name[dot:])


def _taken_fault(name: str, taken: Iterable[str]) -> str | None:
    for other in taken:
        if other == name:
            return f"There is a “{other}” here already."
        if same_name(other) == same_name(name):
            return f"“{other}” is here already; names that differ only in case or accents collide."
    return None
