"""What is remembered of the tabs from one time to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["kept_tabs", "those_there"]

Kept = Mapping[str, object]


def kept_tabs(tabs: object) -> dict[str, Kept]:
    """Return what is usable of remembered tabs, by path, in their order."""
    if not isinstance(tabs, list):
        return {}
    kept = [each for each in tabs if isinstance(each, Mapping)]
    return {each["path"]: each for each in kept if isinstance(each.get("path"), str)}


def those_there(root: Path | None, paths: Iterable[str]) -> set[str]:
    """Return the paths that are files of the project. Looks at the disk."""
    return {path for path in paths if root is not None and (root / path).is_file()}
