"""Characters from elsewhere, unpacked into a folder to edit: as a whole, or not at all."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from studio_qt.errors import PackageError, StorageError, StudioError
from studio_qt.files.archive import ZipSource
from studio_qt.files.atomic import storage_errors
from studio_qt.files.lock import FolderLock
from studio_qt.files.names import name_fault
from studio_qt.files.paths import safe_path, same_name
from studio_qt.files.there import is_folder, is_there
from studio_qt.package.config import CONFIG_FILE

__all__ = ["Incoming", "folder_for", "missing_folders", "open_zip", "take_back", "unpack"]

_WORK = ".studio-import-"
"""How folders beside the new one are called in which its files are gathered."""

_FRESH_SECONDS = 60.0
"""How old a folder is at least of which nobody has the lock before it counts as left."""

_LONGEST_BYTES = 200
"""Of a folder's name, so that file systems take it with a number and a mark around it."""

Reader = Callable[[], bytes]
Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Incoming:
    """A character that is to be unpacked: its name, its files, and what could not be taken along.

    `files` maps paths to what reads them, so that nothing large is held twice. `is_package` tells
    a zip, which plays as it is, from a card.
    """

    name: str
    files: Mapping[str, Reader]
    notes: tuple[str, ...] = field(default_factory=tuple)
    is_package: bool = False


def open_zip(source: ZipSource) -> Incoming:
    """Return a package's files; raises PackageError for a zip that holds no character."""
    if not source.exists(CONFIG_FILE):
        raise PackageError(
            f"{source.name} holds no character: there is no {CONFIG_FILE} at its top. "
            "Choose the zip of a character, or a card."
        )

    def reader(path: str) -> Reader:
        return lambda: source.read_bytes(path)

    return Incoming(source.name, {path: reader(path) for path in source.paths}, is_package=True)


def folder_for(parent: Path, name: str) -> Path:
    """Return a folder in `parent` that is not there yet, called after the character."""
    words = "".join(" " if name_fault(letter) else letter for letter in name)
    words = " ".join(words.split()).strip(". ")[:80]
    words = words.encode()[:_LONGEST_BYTES].decode(errors="ignore").strip(". ") or "Character"
    if name_fault(words):
        words = f"{words} character"
    taken = {same_name(one.name) for one in parent.iterdir()} if is_folder(parent) else set()
    names = (words, *(f"{words} {number}" for number in range(2, len(taken) + 3)))
    return parent / next(name for name in names if same_name(name) not in taken)


def unpack(incoming: Incoming, folder: Path, told: Told | None = None) -> None:
    """Write the files into a new or empty folder.

    `told` gets how many files are written of how many, at last that all are; an exception of it
    stops the work. Nothing is written elsewhere, and on any failure nothing is left, no folder
    above it either. Raises StudioError when something is there already, UnsafePathError for a
    path that leads out, StorageError.
    """
    with storage_errors(folder):
        place = folder.resolve()
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise StudioError(f"{folder} is not empty. Name a folder that is not there yet.")
        made = _make_folders(place.parent)
        _remove_leftovers(place.parent)
        work = place.with_name(f"{_WORK}{secrets.token_hex(8)}")
        fresh, lock = work / "files", FolderLock(work)
        try:
            lock.acquire()
            for done, (path, read) in enumerate(incoming.files.items()):
                if told is not None:
                    told(done, len(incoming.files))
                target = fresh / safe_path(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(read())
            if told is not None:
                told(len(incoming.files), len(incoming.files))
            fresh.mkdir(exist_ok=True)
            if place.exists():
                place.rmdir()
            fresh.replace(place)
        except BaseException:
            _remove_work(work, lock)
            _remove_folders(made)
            raise
        _remove_work(work, lock)


def take_back(folder: Path, missing: Sequence[Path]) -> None:
    """Remove what `unpack` has just written, and of the folders that were `missing` the empty ones.

    Raises StorageError, saying what is left, where it cannot be removed whole.
    """
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        pass  # it was never there
    except OSError as error:
        reason = error.strerror or error
        raise StorageError(
            f"It was written already, and {folder} cannot be removed: {reason}. Delete it yourself."
        ) from error
    if folder not in missing:
        with storage_errors(folder):
            folder.mkdir(exist_ok=True)  # it was there, and empty
    _remove_folders(missing)


def missing_folders(folder: Path) -> list[Path]:
    """Return a folder and those above it that are not there yet, the innermost first."""
    return [one for one in (folder, *folder.parents) if not is_there(one)]


def _remove_work(work: Path, lock: FolderLock) -> None:
    lock.release()
    shutil.rmtree(work, ignore_errors=True)


def _remove_leftovers(parent: Path) -> None:
    """Remove what imports into this folder have left whose process was killed."""
    for one in parent.glob(f"{_WORK}*"):
        with suppress(OSError, StorageError):
            is_old = time.time() - one.stat().st_mtime > _FRESH_SECONDS
            lock = FolderLock(one)
            if is_old and not one.is_symlink() and lock.try_acquire() is None:
                _remove_work(one, lock)


def _make_folders(folder: Path) -> list[Path]:
    made = missing_folders(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return made


def _remove_folders(folders: Sequence[Path]) -> None:
    for folder in folders:
        with suppress(OSError):  # somebody has put something into it
            folder.rmdir()
