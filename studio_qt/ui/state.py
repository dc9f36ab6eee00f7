"""What the window remembers from one start to the next: its place and the theme."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

from studio_qt.files.atomic import write_atomic

__all__ = ["WindowState", "load_state", "save_state"]

_FILE = "window.json"
_VERSION = 1
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WindowState:
    """`geometry` is Qt's own, in Base64; "" before the first close."""

    geometry: str = ""
    theme: str = "system"


def load_state(home: Path) -> WindowState:
    """Return what was remembered below `home`; the defaults where nothing readable is."""
    try:
        kept = json.loads((home / _FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return WindowState()
    except (OSError, ValueError) as error:
        _log.warning("The window's place in %s is not readable: %s", home / _FILE, error)
        return WindowState()
    if not isinstance(kept, dict) or kept.get("version") != _VERSION:
        return WindowState()
    geometry, theme = kept.get("geometry"), kept.get("theme")
    return WindowState(
        geometry if isinstance(geometry, str) else "",
        theme if theme in ("system", "light", "dark") else "system",
    )


def save_state(home: Path, state: WindowState) -> None:
    """Remember; raises StorageError where `home` cannot be written."""
    home.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"version": _VERSION, **asdict(state)}, indent=2) + "\n"
    write_atomic(home / _FILE, text, durable=False)
