"""What the window remembers from one start to the next: its place, its panes, the last project."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from studio_qt.ui.keptfile import read_kept

__all__ = ["WindowState", "load_state", "save_state"]

_FILE = "window.json"
_VERSION = 2
_log = logging.getLogger(__name__)


class WindowState(NamedTuple):
    """`geometry` is Qt's own, in Base64, "" before the first close; `panes` is the workbench's.

    `project` is the folder or zip that was open when the window was closed, "" for none.
    """

    geometry: str = ""
    panes: Mapping[str, object] = MappingProxyType({})
    project: str = ""


def load_state(home: Path) -> WindowState:
    """Return what was remembered below `home`; the defaults where nothing readable is."""
    try:
        kept = read_kept(home / _FILE)
    except FileNotFoundError:
        return WindowState()
    except (OSError, ValueError) as error:
        _log.warning("The window's place in %s is not readable: %s", home / _FILE, error)
        return WindowState()
    if not isinstance(kept, dict):
        return WindowState()
    geometry, panes, project = kept.get("geometry"), kept.get("panes"), kept.get("project")
    return WindowState(
        geometry if isinstance(geometry, str) else "",
        panes if isinstance(panes, dict) else {},
        project if isinstance(project, str) else "",
    )


def save_state(home: Path, state: WindowState) -> None:
    """Remember; where `home` cannot be written, that is logged."""
    from studio_qt.errors import StorageError
    from studio_qt.files.atomic import write_atomic  # not needed for the first paint

    kept = {**state._asdict(), "panes": dict(state.panes)}
    text = json.dumps({"version": _VERSION, **kept}, indent=2) + "\n"
    try:
        home.mkdir(parents=True, exist_ok=True)
        write_atomic(home / _FILE, text, durable=False)
    except (StorageError, OSError) as error:
        _log.warning("The window's place is not kept: %s", error)
