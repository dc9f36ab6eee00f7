"""Which folders of the tree are open, kept for the next time."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from studio_qt.errors import StudioError
from studio_qt.files.atomic import write_atomic
from studio_qt.ui.keeping import project_memory
from studio_qt.ui.keptfile import read_kept

__all__ = ["Folds", "keep_folds", "read_folds"]

_FILE = "tree.json"
_log = logging.getLogger(__name__)


class Folds:
    """Groups are open unless they are `closed`, folders closed unless they are `opened`."""

    def __init__(self, closed: Iterable[str] = (), opened: Iterable[str] = ()) -> None:
        self.closed, self.opened = set(closed), set(opened)

    def is_open(self, key: str, *, group: bool) -> bool:
        """Whether a row shows what is below it."""
        return key not in self.closed if group else key in self.opened

    def note(self, key: str, *, group: bool, is_open: bool) -> None:
        """Remember that a row was opened or closed."""
        keys = self.closed if group else self.opened
        (keys.discard if is_open == group else keys.add)(key)

    def moved(self, old: str, new: str) -> None:
        """Follow a folder that was renamed."""
        for key in [key for key in self.opened if key == old or key.startswith(f"{old}/")]:
            self.opened.discard(key)
            self.opened.add(new + key[len(old) :])


def read_folds(root: Path) -> Folds:
    """Return what was kept for a project; nothing where there is nothing that can be read."""
    try:
        kept: Any = read_kept(project_memory(root) / _FILE)
        closed, opened = kept["closed"], kept["opened"]
        return Folds(map(str, closed), map(str, opened))
    except FileNotFoundError:
        return Folds()
    except (OSError, ValueError, KeyError, TypeError) as error:
        _log.warning("The open folders of %s are forgotten: %s", root, error)
        return Folds()


def keep_folds(root: Path, folds: Folds) -> None:
    """Keep them; where that cannot be, it is logged."""
    place = project_memory(root) / _FILE
    kept = {"closed": sorted(folds.closed), "opened": sorted(folds.opened)}
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(place, json.dumps(kept) + "\n", durable=False)
    except (OSError, StudioError) as error:
        _log.warning("The open folders of %s are not kept: %s", root, error)
