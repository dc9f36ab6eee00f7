"""`Ledger`: which files were written for the desktop, so that foreign ones are never touched."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from studio_qt.errors import StudioError
from studio_qt.files.atomic import storage_errors, write_atomic

__all__ = ["Ledger", "Part"]

_FILE = "associated.json"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Part:
    """The content of a file that is to be there."""

    data: bytes
    executable: bool = False


@dataclass(slots=True)
class Ledger:
    """`files` are the SHA-256 of what was written, by place; `folders` those that were made.

    `defaults` are choices of other programs that were made explicit, by type.
    """

    home: Path
    files: dict[str, str] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    defaults: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, home: Path) -> Ledger:
        """Return what is known; one that is missing or damaged knows of nothing."""
        made = cls(home)
        try:
            kept = json.loads((home / _FILE).read_bytes())
            made.files = {str(place): str(mark) for place, mark in kept["files"].items()}
            made.folders = [str(place) for place in kept["folders"]]
            made.defaults = {str(kind): str(one) for kind, one in kept["defaults"].items()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return cls(home)
        return made

    def put(self, parts: Mapping[Path, Part]) -> None:
        """Have exactly these files there; those written before that are not among them go.

        Nothing is written when one of the places has a file that is not ours, or that somebody
        has changed: raises StudioError. Raises StorageError.
        """
        for place, part in parts.items():
            found = _mark(place)
            if found not in (None, self.files.get(str(place)), _sha(part.data)):
                raise StudioError(
                    f"{place} is there already, and is not what this command wrote. Move it away, "
                    f"or delete it, and try again."
                )
        before = dict(self.files)
        for place, part in parts.items():
            self.files[str(place)] = _sha(part.data)
            self._make_folder(place.parent)
        self.write()  # first: what is written is known, also after a kill
        for place, part in parts.items():
            _put(place, part)
        for gone in before.keys() - self._names(parts):
            self._remove(gone)
        self.write()

    def take_away(self) -> list[Path]:
        """Remove what was written; return what is left since somebody has changed it.

        Raises StorageError. `forget` has to follow.
        """
        return [Path(name) for name in list(self.files) if not self._remove(name)]

    def forget(self) -> None:
        """Remove the folders that were made, as far as they are empty, and know of nothing."""
        for folder in sorted(self.folders, key=len, reverse=True):
            with suppress(OSError):  # others have put something into it
                Path(folder).rmdir()
        self.files, self.folders, self.defaults = {}, [], {}
        with storage_errors(self.home):
            (self.home / _FILE).unlink(missing_ok=True)

    def write(self) -> None:
        """Keep what is known; raises StorageError."""
        kept = {
            "version": _VERSION,
            "files": self.files,
            "folders": self.folders,
            "defaults": self.defaults,
        }
        with storage_errors(self.home):
            self.home.mkdir(parents=True, exist_ok=True)
        write_atomic(self.home / _FILE, json.dumps(kept, indent=2) + "\n")

    def _remove(self, name: str) -> bool:
        """Remove a file where it is as it was written; returns whether it is gone."""
        mark = self.files.pop(name)
        if _mark(Path(name)) not in (None, mark):
            return False
        with storage_errors(Path(name).parent):
            Path(name).unlink(missing_ok=True)
        return True

    def _make_folder(self, folder: Path) -> None:
        missing = [one for one in (folder, *folder.parents) if not one.exists()]
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self.folders += [str(one) for one in missing]

    @staticmethod
    def _names(parts: Mapping[Path, Part]) -> set[str]:
        return {str(place) for place in parts}


def _put(place: Path, part: Part) -> None:
    if _mark(place) != _sha(part.data):
        write_atomic(place, part.data)
    if part.executable and os.name == "posix":
        with storage_errors(place.parent):
            place.chmod(place.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def _mark(place: Path) -> str | None:
    """Return the mark of what lies at a place, None where nothing does; a folder is never ours."""
    try:
        return _sha(place.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return f"not readable: {error}"


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
