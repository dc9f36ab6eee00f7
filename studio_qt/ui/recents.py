"""`Recents`: the projects that were opened before, the latest first."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from studio_qt.errors import StorageError
from studio_qt.files import write_atomic
from studio_qt.ui.keptfile import read_kept

__all__ = ["MOST", "Recent", "Recents"]

MOST = 200
"""Projects that are remembered."""

_FILE = "recents.json"
_VERSION = 1
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recent:
    """A project's folder or zip, absolute, and when it was last opened (with its time zone)."""

    path: Path
    opened: datetime


class Recents(QObject):
    """Keeps `recents.json` below `home`. `changed` follows every change of `entries`.

    The file is read again before each change, since other windows write it as well. What cannot
    be read counts as empty, and `notice` says so; what cannot be written is kept in memory and
    logged.
    """

    changed = Signal()

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._place = home / _FILE
        self.notice = ""
        self._unkept = False
        self._entries = self._read()

    @property
    def entries(self) -> tuple[Recent, ...]:
        """What was opened, the latest first; at most `MOST`."""
        return self._entries

    def note(self, path: Path, when: datetime | None = None) -> None:
        """Remember that a project is open now, or was at `when`."""
        place = path.absolute()
        others = [recent for recent in self._known() if recent.path != place]
        self._keep([Recent(place, when or datetime.now(UTC)), *others])

    def remove(self, path: Path) -> None:
        """Forget a project; the project itself is left alone."""
        place = path.absolute()
        self._keep(recent for recent in self._known() if recent.path != place)

    def _keep(self, entries: Iterable[Recent]) -> None:
        latest = sorted(entries, key=lambda recent: recent.opened, reverse=True)
        self._entries = tuple(latest[:MOST])
        said = [{"path": str(one.path), "opened": one.opened.isoformat()} for one in self._entries]
        text = json.dumps({"version": _VERSION, "projects": said}, indent=2) + "\n"
        try:
            self._place.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._place, text, durable=False)
            self._unkept = False
        except (StorageError, OSError) as error:
            self._unkept = True
            _log.warning("The list of recent projects is not kept: %s", error)
        self.changed.emit()

    def _known(self) -> tuple[Recent, ...]:
        return self._entries if self._unkept else self._read()

    def _read(self) -> tuple[Recent, ...]:
        try:
            kept: Any = read_kept(self._place)
            listed = kept["projects"]
            found = [one for one in map(_recent, listed) if one is not None]
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, TypeError, LookupError) as error:
            self.notice = f"{self._place} cannot be read, so no recent project is listed."
            _log.warning("%s (%s)", self.notice, error)
            return ()
        return tuple(sorted(found, key=lambda one: one.opened, reverse=True)[:MOST])


def _recent(said: object) -> Recent | None:
    """Return an entry of the file, or None when it is none."""
    if not isinstance(said, dict) or not isinstance(said.get("path"), str) or not said["path"]:
        return None
    try:
        opened = datetime.fromisoformat(str(said.get("opened")))
    except ValueError:
        return None
    place = Path(said["path"])
    if not place.is_absolute():
        return None
    return Recent(place, opened if opened.tzinfo else opened.replace(tzinfo=UTC))
