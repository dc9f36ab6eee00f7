"""Where learned profiles are kept: one JSON file for all endpoints and models."""

from __future__ import annotations

import logging
import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from studio_qt.jsontext import JsonObject, decode_object, encode_pretty
from studio_qt.providers.lenient import as_object
from studio_qt.providers.profile import Profile

__all__ = ["ProfileStore"]

_log = logging.getLogger(__name__)
_VERSION = 1

_Known: TypeAlias = "dict[str, dict[str, JsonObject]]"


class ProfileStore:
    """What was learned, by endpoint and model; in memory only when `path` is None.

    Only differences to the guess are kept, so that a better guess of a later version reaches
    endpoints that were met before. A file that cannot be read counts as empty and is replaced at
    the next change; one that cannot be written is logged, and what was learned stays in memory.
    Several processes may share the file: each changes only the model that it learned about. May
    be used from any thread.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known: _Known | None = None

    def get(self, endpoint: str, model: str, start: Profile) -> Profile:
        """Return `start` with what was learned about the model."""
        with self._lock:
            if self._known is None:
                self._known = self._read()
            return start.updated(self._known.get(endpoint, {}).get(model, {}))

    def put(self, endpoint: str, model: str, profile: Profile, start: Profile) -> None:
        """Keep what `profile` has learned since `start`, and write the file."""
        self._change(endpoint, model, profile.learned_since(start))

    def forget(self, endpoint: str, model: str) -> None:
        """Begin again with the guess for this model."""
        self._change(endpoint, model, {})

    def _change(self, endpoint: str, model: str, learned: JsonObject) -> None:
        with self._lock:
            known = self._read()
            for place, models in (self._known or {}).items():
                known[place] = {**known.get(place, {}), **models}
            known.setdefault(endpoint, {})[model] = learned
            if not learned:
                del known[endpoint][model]
            self._known = known
            self._write(known)

    def _read(self) -> _Known:
        if self._path is None:
            return {}
        try:
            saved = as_object(decode_object(self._path.read_bytes()).get("profiles"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            _log.warning("%s cannot be read and will be written anew: %s", self._path, error)
            return {}
        return {
            endpoint: {model: as_object(row) for model, row in as_object(models).items()}
            for endpoint, models in saved.items()
        }

    def _write(self, known: _Known) -> None:
        if self._path is None:
            return
        text = encode_pretty({"version": _VERSION, "profiles": known})
        try:
            _replace(self._path, text.encode())
        except OSError as error:
            _log.warning("%s cannot be written; it is kept in memory: %s", self._path, error)


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
