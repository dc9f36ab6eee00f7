"""Compiled scripts on the disk, under the hash of all that they depend on.

An entry is its own checksum and a JSON object. What is broken counts as missing, and what cannot
be written is written another time: nothing depends on the cache but time.
"""

from __future__ import annotations

import hashlib
import logging
import os
from contextlib import suppress
from pathlib import Path

from studio_qt.errors import StorageError
from studio_qt.files import write_atomic
from studio_qt.jsontext import decode_object, encode

__all__ = ["ScriptCache"]

_log = logging.getLogger(__name__)

_MOST, _KEPT = 400, 300  # entries: so many at most, and so many after tidying
_SUFFIX = ".script"


class ScriptCache:
    """Pairs of JavaScript and source mappings in a folder that only the user can enter."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> tuple[str, str] | None:
        """Return script and mappings, None when there is no whole entry; reads a file."""
        path = self._path(key)
        try:
            check, _, body = path.read_bytes().partition(b"\n")
        except OSError:
            return None
        if check != _check(body):
            _log.warning("the compiled script %s is broken and will be made again", path)
            return None
        with suppress(OSError):
            os.utime(path)  # what is used stays
        entry = decode_object(body)
        return str(entry["js"]), str(entry["mappings"])

    def put(self, key: str, js: str, mappings: str) -> None:
        """Keep an entry, whole or not at all; a failure is logged."""
        body = encode({"js": js, "mappings": mappings}).encode()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o700)
            write_atomic(self._path(key), _check(body) + b"\n" + body, durable=False)
            self._tidy()
        except (OSError, StorageError) as error:
            _log.warning("a compiled script could not be kept: %s", error)

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{name}{_SUFFIX}"

    def _tidy(self) -> None:
        """Remove what was not used for the longest time, when there is too much."""
        entries = list(self._folder.glob(f"*{_SUFFIX}"))
        if len(entries) > _MOST:
            entries.sort(key=lambda entry: entry.stat().st_mtime)
            for entry in entries[:-_KEPT]:
                entry.unlink(missing_ok=True)


def _check(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()
