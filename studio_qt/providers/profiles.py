"""Where learned profiles are kept: one JSON file for all endpoints and models."""

from __future__ import annotations

import logging
import os
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal, TypeAlias

from studio_qt.jsontext import JsonObject, JsonValue, decode_object, encode_pretty
from studio_qt.providers.lenient import as_object, as_text, dig
from studio_qt.providers.profile import Profile

__all__ = ["By", "Note", "ProfileStore"]

_log = logging.getLogger(__name__)
_VERSION = 1
_NEVER = object()

_Known: TypeAlias = "dict[str, dict[str, JsonObject]]"
"""By endpoint and model, what differs from the guess; and by field of it, a `Note` as JSON."""

By: TypeAlias = Literal["answer", "user"]


@dataclass(frozen=True, slots=True)
class Note:
    """Who set a field, an answer of the endpoint or the user, and on which day (ISO)."""

    by: By
    on: str


class ProfileStore:
    """What was learned, by endpoint and model; in memory only when `path` is None.

    Only differences to the guess are kept, so that a better guess of a later version reaches
    endpoints that were met before. A file that cannot be read counts as empty and is replaced at
    the next change; one that cannot be written is logged, and what was learned stays in memory.
    Several stores and processes may share the file: each changes only the model that it learned
    about, and sees what the others wrote. May be used from any thread.
    """

    def __init__(self, path: Path | None = None, *, today: Callable[[], date] = date.today) -> None:
        self._path = path
        self._today = today
        self._lock = threading.Lock()
        self._known: _Known = {}
        self._notes: _Known = {}
        self._unwritten: set[tuple[str, str]] = set()
        self._seen: object = _NEVER

    def get(self, endpoint: str, model: str, start: Profile) -> Profile:
        """Return `start` with what was learned about the model."""
        with self._lock:
            self._refresh()
            return start.updated(self._known.get(endpoint, {}).get(model, {}))

    def notes(self, endpoint: str, model: str) -> dict[str, Note]:
        """Return who set what, by field, for what was learned about the model."""
        with self._lock:
            self._refresh()
            rows = self._notes.get(endpoint, {}).get(model, {})
            known = self._known.get(endpoint, {}).get(model, {})
        return {
            name: Note("user" if dig(row, "by") == "user" else "answer", as_text(dig(row, "on")))
            for name, row in rows.items()
            if name in known
        }

    def put(
        self, endpoint: str, model: str, profile: Profile, start: Profile, *, by: By = "answer"
    ) -> None:
        """Keep what `profile` has learned since `start`, and write the file."""
        self._change(endpoint, model, profile.learned_since(start), by)

    def forget(self, endpoint: str, model: str) -> None:
        """Begin again with the guess for this model."""
        self._change(endpoint, model, {}, "answer")

    def _change(self, endpoint: str, model: str, learned: JsonObject, by: By) -> None:
        with self._lock:
            self._refresh()
            before = self._known.get(endpoint, {}).get(model, {})
            notes = self._notes.get(endpoint, {}).get(model, {})
            new: JsonObject = {"by": by, "on": self._today().isoformat()}
            told: JsonObject = {
                name: notes[name] if name in notes and before.get(name) == value else new
                for name, value in learned.items()
            }
            _put(self._known, endpoint, model, learned)
            _put(self._notes, endpoint, model, told)
            self._unwritten.add((endpoint, model))
            self._write()

    def _refresh(self) -> None:
        """Read the file where it is another one than before; what could not be written stays."""
        if self._path is None:
            return
        try:
            stat = self._path.stat()
            stamp: object = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        except OSError:
            stamp = None
        if stamp == self._seen:
            return
        known, notes = self._read(self._path)
        for endpoint, model in self._unwritten:
            _put(known, endpoint, model, self._known.get(endpoint, {}).get(model, {}))
            _put(notes, endpoint, model, self._notes.get(endpoint, {}).get(model, {}))
        self._known, self._notes, self._seen = known, notes, stamp

    def _read(self, path: Path) -> tuple[_Known, _Known]:
        try:
            saved = decode_object(path.read_bytes())
        except FileNotFoundError:
            return {}, {}
        except (OSError, ValueError) as error:
            _log.warning("%s cannot be read and will be written anew: %s", path, error)
            return {}, {}
        return _rows(saved.get("profiles")), _rows(saved.get("notes"))

    def _write(self) -> None:
        if self._path is None:
            return
        whole = {"version": _VERSION, "profiles": self._known, "notes": self._notes}
        try:
            _replace(self._path, encode_pretty(whole).encode())
        except OSError as error:
            _log.warning("%s cannot be written; it is kept in memory: %s", self._path, error)
            return
        self._unwritten.clear()
        self._seen = _NEVER  # somebody may have written between reading and writing


def _put(known: _Known, endpoint: str, model: str, row: JsonObject) -> None:
    models = known.setdefault(endpoint, {})
    models[model] = row
    if not row:
        del models[model]


def _rows(saved: JsonValue) -> _Known:
    return {
        endpoint: {model: as_object(row) for model, row in as_object(models).items()}
        for endpoint, models in as_object(saved).items()
    }


def _replace(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError:
        with suppress(OSError):
            Path(name).unlink()
        raise
