"""Making, moving, copying and removing files of a project; nothing is ever overwritten by these.

Each works on relative paths below a root, either wholly or not at all, and raises `StorageError`
with a sentence that names the file. All of them may take long: call them in a thread.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from studio_qt.errors import StorageError
from studio_qt.files.paths import find_inside, safe_path

__all__ = [
    "copy_in",
    "keep_copy",
    "make_file",
    "make_folder",
    "move_inside",
    "names_in",
    "put_back",
    "remove_for_good",
    "to_trash",
]

_REASONS = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "your quota on this disk is used up; free some space and try again",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "you may not change it; look at its permissions",
    errno.EPERM: "you may not change it; look at its permissions",
    errno.ENOENT: "it is not there any more",
    errno.ENAMETOOLONG: "the name is too long",
}


def make_file(root: Path, path: str, content: bytes) -> None:
    """Make a new file, and the folders that it needs; fails when there is one of this name."""
    place = _place(root, path)
    with _told(path, "made"):
        place.parent.mkdir(parents=True, exist_ok=True)
        _refuse_taken(place, path)
        part = _part(place)
        try:
            with part.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            _put(part, place, path)
        finally:
            part.unlink(missing_ok=True)


def make_folder(root: Path, path: str) -> None:
    """Make a new folder; fails when there is something of this name."""
    place = _place(root, path)
    with _told(path, "made"):
        place.parent.mkdir(parents=True, exist_ok=True)
        _refuse_taken(place, path)
        place.mkdir()


def move_inside(root: Path, old: str, new: str) -> None:
    """Rename or move a file or folder; only its letter case may change as well."""
    source, target = _place(root, old), _place(root, new)
    if new == old or new.startswith(f"{old}/"):
        raise StorageError(f"{old} cannot be moved into itself; choose another folder.")
    with _told(old, "moved"):
        target.parent.mkdir(parents=True, exist_ok=True)
        if _is_there(target) and _is_same(source, target):
            between = _part(source)
            source.rename(between)
            between.rename(target)
            return
        _refuse_taken(target, new)
        _put(source, target, new)


def copy_in(source: Path, root: Path, path: str) -> None:
    """Copy a file or folder from anywhere to `path`; it appears when it is whole.

    Links to files are copied as what they lead to; links to folders, pipes and devices are left
    out. A folder cannot be copied into itself.
    """
    place = _place(root, path)
    with _told(path, "copied"):
        if source.is_dir() and place.is_relative_to(source.resolve()):
            raise StorageError(
                f"{source.name} cannot be copied into itself; choose another folder."
            )
        place.parent.mkdir(parents=True, exist_ok=True)
        _refuse_taken(place, path)
        part = _part(place)
        try:
            _copy(source, part)
            _put(part, place, path)
        finally:
            _clear(part)


def keep_copy(root: Path, path: str, shelf: Path) -> Path:
    """Copy a file or folder to a fresh place in `shelf`, so that it can be put back."""
    source = _place(root, path)
    with _told(path, "kept for undo"):
        kept = shelf / secrets.token_hex(8)
        kept.mkdir(parents=True, mode=0o700)
        _copy(source, kept / source.name)
        return kept / source.name


def put_back(kept: Path, root: Path, path: str) -> None:
    """Copy what `keep_copy` kept to where it was; fails when something is there meanwhile."""
    copy_in(kept, root, path)


def remove_for_good(root: Path, path: str) -> None:
    """Delete a file or folder, which cannot be taken back; one that is gone is no error."""
    place = _place(root, path)
    with _told(path, "deleted"), contextlib.suppress(FileNotFoundError):
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink()


def to_trash(root: Path, path: str) -> None:
    """Move a file or folder to the system's trash; raises `StorageError` where there is none."""
    from send2trash import send2trash

    place = _place(root, path)
    if not _is_there(place):
        raise StorageError(f"{path} cannot be deleted: it is not there any more.")
    try:
        send2trash(str(place))
    except Exception as error:
        raise StorageError(f"{path} cannot be moved to the trash: {error}.") from error


def names_in(root: Path, folder: str) -> Sequence[str]:
    """Return the names that are taken in a folder, also those that are not shown."""
    try:
        return [entry.name for entry in _place(root, folder).iterdir()]
    except OSError:
        return ()


def _place(root: Path, path: str) -> Path:
    """Return the place of a path; a link in it is not followed, but its folder must be inside."""
    inside = safe_path(path)
    if not inside:
        return root.resolve()
    folder, _, name = inside.rpartition("/")
    return find_inside(root, folder) / name


def _part(place: Path) -> Path:
    return place.parent / f".{secrets.token_hex(8)}.tmp"


def _put(part: Path, place: Path, path: str) -> None:
    """Give the whole thing its name; a file that came meanwhile is not replaced."""
    if part.is_file() and not part.is_symlink():
        try:
            os.link(part, place)
        except FileExistsError:
            raise StorageError(_taken(path)) from None
        except OSError:  # no hard links on this file system
            _refuse_taken(place, path)
        else:
            part.unlink()
            return
    part.rename(place)


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=_no_content)
    elif source.exists() and not source.is_file():
        raise OSError(errno.EINVAL, "it is no ordinary file")
    else:
        shutil.copy2(source, target)


def _no_content(folder: str, names: list[str]) -> list[str]:
    """Return what a copy of a folder leaves out: what would never end, or is not there."""
    places = ((name, Path(folder) / name) for name in names)
    return [
        name
        for name, place in places
        if not (place.is_file() or (place.is_dir() and not place.is_symlink()))
    ]


def _clear(part: Path) -> None:
    if part.is_dir() and not part.is_symlink():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)


def _refuse_taken(place: Path, path: str) -> None:
    if _is_there(place):
        raise StorageError(_taken(path))


def _taken(path: str) -> str:
    return f"There is already something called {path}; choose another name."


def _is_there(place: Path) -> bool:
    return os.path.lexists(place)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other) and one.name != other.name and not _listed_apart(one, other)
    except OSError:
        return False


def _listed_apart(one: Path, other: Path) -> bool:
    """Whether both names are there: hard links to one file, not one name in another case."""
    if one.parent != other.parent:
        return True
    names = {entry.name for entry in one.parent.iterdir()}
    return one.name in names and other.name in names


@contextlib.contextmanager
def _told(path: str, what: str) -> Iterator[None]:
    """Turn an OSError of the body into a sentence about this file."""
    try:
        yield
    except shutil.Error as error:
        first = error.args[0][0] if error.args and error.args[0] else ("", "", "")
        raise StorageError(f"{path} cannot be {what}: {first[-1]}.") from error
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
        raise StorageError(f"{path} cannot be {what}: {reason}.") from error
