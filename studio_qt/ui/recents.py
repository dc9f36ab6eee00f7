"""`Recents`: the projects that were opened before, the latest first."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from studio_qt.files.atomic import storage_errors, write_atomic
from studio_qt.ui.keptfile import read_kept
from studio_qt.ui.keptwriter import KeptWriter

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

    The file is read again before each change is written, since other windows write it as well;
    what they have changed is in `entries` after that. It is written on a thread, after the change;
    `flush` waits until it is. What cannot be read counts as empty, and `notice` says so; what
    cannot be written is kept in memory, and logged.
    """

    changed = Signal()
    _kept = Signal(object)  # on the writer's thread

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._place = home / _FILE
        self.notice = ""
        self._lock = threading.Lock()
        self._pending: dict[Path, Recent | None] = {}
        self._entries = self._read()
        self._writer = KeptWriter(self._write, "The list of recent projects is not kept", self)
        self._kept.connect(self._take)

    @property
    def entries(self) -> tuple[Recent, ...]:
        """What was opened, the latest first; at most `MOST`."""
        return self._entries

    def note(self, path: Path, when: datetime | None = None) -> None:
        """Remember that a project is open now, or was at `when`."""
        place = path.absolute()
        self._change(place, Recent(place, when or datetime.now(UTC)))

    def remove(self, path: Path) -> None:
        """Forget a project; the project itself is left alone."""
        self._change(path.absolute(), None)

    def flush(self) -> None:
        """Wait until what has changed is written; some milliseconds, or what the disk takes."""
        self._writer.flush()

    def _change(self, place: Path, entry: Recent | None) -> None:
        with self._lock:
            self._pending[place] = entry
        self._entries = _changed(self._entries, {place: entry})
        self._writer.put("")
        self.changed.emit()

    def _write(self, _text: str) -> None:
        """Write what has changed on top of what the file says now; on the writer's thread."""
        with self._lock:
            pending = dict(self._pending)
        entries = _changed(self._read(), pending)
        said = [{"path": str(one.path), "opened": one.opened.isoformat()} for one in entries]
        text = json.dumps({"version": _VERSION, "projects": said}, indent=2) + "\n"
        with storage_errors(self._place.parent):
            self._place.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._place, text, durable=False)
        with self._lock:
            for place, entry in pending.items():
                if self._pending.get(place, pending) is entry:
                    del self._pending[place]
        if isValid(self):
            self._kept.emit(entries)

    def _take(self, entries: tuple[Recent, ...]) -> None:
        """Show what other windows have changed."""
        with self._lock:
            entries = _changed(entries, self._pending)
        if entries != self._entries:
            self._entries = entries
            self.changed.emit()

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
        return _latest(found)


def _changed(
    entries: Iterable[Recent], changes: Mapping[Path, Recent | None]
) -> tuple[Recent, ...]:
    """Return what is remembered after changes; None forgets a project."""
    others = [one for one in entries if one.path not in changes]
    return _latest([*(one for one in changes.values() if one is not None), *others])


def _latest(entries: Iterable[Recent]) -> tuple[Recent, ...]:
    return tuple(sorted(entries, key=lambda one: one.opened, reverse=True)[:MOST])


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
