"""`TrustBook`: which characters were made here, and which foreign code the user agreed to.

It lies in the user's own folder, never in a project: no package can bring its own agreement.
"""

from __future__ import annotations

import json
import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from studio_qt.authoring.foreigncode import CodeFile, fingerprint
from studio_qt.errors import StorageError
from studio_qt.files.atomic import storage_errors, write_atomic
from studio_qt.files.birth import birth_of
from studio_qt.files.lock import FolderLock

__all__ = ["TrustBook", "TrustRecord", "note_made_here"]

_FILE = "trust.json"
_LOCKED = ".trust"
"""The folder whose lock goes with the right to write the file."""

_PATIENCE_TRIES, _PAUSE = 400, 0.005
_VERSION = 1
_MOST_BYTES = 32 * 1024 * 1024
_MOST_KEYS = 2_000
"""Versions of code that are remembered of a place; the newest are kept."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrustRecord:
    """What is known of a place.

    `made_here`: it was made in this program, and is never asked about. `agreed` are the keys of
    code files, the latest last; `fingerprint` and `agreed_at` are those of the last answer.
    `web` is the user's choice for this character, None where the settings count. `origin` says
    where it came from, in words. `identity` and `born` are the number that the file system gave
    the folder or file and the moment it was made, in nanoseconds; 0 where that is not known.
    """

    made_here: bool = False
    agreed: tuple[str, ...] = ()
    fingerprint: str = ""
    agreed_at: datetime | None = None
    web: bool | None = None
    origin: str = ""
    identity: int = 0
    born: int = 0
    _keys: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_keys", frozenset(self.agreed))

    def trusts(self, file: CodeFile) -> bool:
        """Whether a file may run: the user agreed to it, or it is part of this program."""
        return self.made_here or file.is_shipped or file.key in self._keys


class TrustBook:
    """Keeps `trust.json` below `home`. Small: it is read anew at each question.

    A file that cannot be read is set aside under another name, and everything is asked again;
    `notice` says so. What cannot be written raises StorageError. Threads may share one.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._place = home / _FILE
        self._one = threading.Lock()
        self.notice = ""

    def record(self, place: Path) -> TrustRecord:
        """Return what is known of a folder or zip.

        A folder that took the place of one that was made here is another one, also where the file
        system gave it the number of that one. One that was moved is the same, and so is what is
        known of it; a copy is another.
        """
        records = self._read()
        found = records.get(_key(place))
        if found is None:
            before = _moved_from(records, place)
            if before is None:
                return TrustRecord()
            found = records[before]
            self._follow(before, place)
        if found.made_here and not _is_same(found, place):
            return replace(found, made_here=False)
        return found

    def made_here(self, place: Path) -> None:
        """Note that a character was made here; call it once its folder is there."""
        if not self.record(place).made_here:
            self._change(place, lambda old: replace(old, made_here=True))

    def came_from(self, place: Path, origin: str) -> None:
        """Note where a character comes from, in words such as the name of its zip."""
        self._change(place, lambda old: replace(old, made_here=False, origin=origin[:200]))

    def agree(self, place: Path, files: Iterable[CodeFile]) -> None:
        """Note that the user agreed to these files, the whole foreign code of a character."""
        known = [file for file in files if file.digest]
        now = datetime.now(UTC)

        def change(old: TrustRecord) -> TrustRecord:
            keys = _joined(old.agreed, (file.key for file in known))
            return replace(old, agreed=keys, fingerprint=fingerprint(known), agreed_at=now)

        self._change(place, change)

    def adopt(self, place: Path, keys: Iterable[str]) -> None:
        """Note code that was written in this program on top of what is trusted."""
        fresh = tuple(keys)
        if set(fresh) - set(self.record(place).agreed):
            self._change(place, lambda old: replace(old, agreed=_joined(old.agreed, fresh)))

    def withdraw(self, place: Path) -> None:
        """Forget every agreement for a place; it is asked about again."""
        self._change(
            place,
            lambda old: replace(old, made_here=False, agreed=(), fingerprint="", agreed_at=None),
        )

    def allow_web(self, place: Path, allowed: bool | None) -> None:  # noqa: FBT001 - a value to keep
        """Note whether the agents of a character may read the web; None: as the settings say."""
        self._change(place, lambda old: replace(old, web=allowed))

    def _change(self, place: Path, change: Callable[[TrustRecord], TrustRecord]) -> None:
        identity, born = _identity(place), birth_of(place)

        def changed(records: dict[str, TrustRecord]) -> None:
            old = records.get(_key(place), TrustRecord())
            if identity:
                is_mine = old.made_here and _is_same(old, place)
                old = replace(old, made_here=is_mine, identity=identity, born=born)
            records[_key(place)] = change(old)

        self._write(changed)

    def _follow(self, before: str, place: Path) -> None:
        """Keep what is known of a place that was moved by where it is now."""

        def moved(records: dict[str, TrustRecord]) -> None:
            if before in records:
                records.setdefault(_key(place), records.pop(before))

        try:
            self._write(moved)
        except StorageError as error:
            _log.warning("%s is found by where it was: %s", place, error)

    def _write(self, change: Callable[[dict[str, TrustRecord]], None]) -> None:
        with self._one, self._alone():
            records = dict(self._read())
            change(records)
            told = {name: _to_json(record) for name, record in records.items()}
            text = json.dumps({"version": _VERSION, "places": told}, indent=1) + "\n"
            with storage_errors(self._home):
                self._home.mkdir(parents=True, exist_ok=True)
            write_atomic(self._place, text, durable=False)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let other windows and programs wait, so that none writes over what another has noted.

        One that hangs is waited for no longer than a moment.
        """
        lock = FolderLock(self._home / _LOCKED)
        tries = _PATIENCE_TRIES
        while lock.try_acquire() is not None and (tries := tries - 1):
            time.sleep(_PAUSE)
        try:
            yield
        finally:
            lock.release()

    def _read(self) -> Mapping[str, TrustRecord]:
        try:
            found = self._place.stat()
            if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_BYTES:
                raise ValueError("it is no small file")
            kept: Any = json.loads(self._place.read_bytes())
            places = kept["places"]
            return {name: _record(said) for name, said in places.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as why:
            self._set_aside(why)
            return {}

    def _set_aside(self, why: Exception) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        aside = self._place.with_name(f"trust-{stamp}.json")
        try:
            self._place.replace(aside)
        except OSError as error:
            self.notice = (
                f"{self._place} cannot be read ({why}) and not be set aside ({error}); "
                "agent code from elsewhere is asked about again."
            )
        else:
            self.notice = (
                f"{self._place} could not be read ({why}) and is kept as {aside.name}; "
                "agent code from elsewhere is asked about again."
            )
        _log.warning("%s", self.notice)


def note_made_here(home: Path, place: Path) -> bool:
    """Note that a character was made here; False, logged, where that cannot be kept.

    The character is there all the same, and is asked about when it is opened.
    """
    try:
        TrustBook(home).made_here(place)
    except StorageError as error:
        _log.warning("%s will be asked about: %s", place, error)
        return False
    return True


def _key(place: Path) -> str:
    return os.path.normcase(os.path.realpath(place))


def _is_same(record: TrustRecord, place: Path) -> bool:
    """Whether a place is the folder or file of a record, as far as the system tells."""
    if record.identity != _identity(place):
        return False
    return not record.born or birth_of(place) in (0, record.born)


def _moved_from(records: Mapping[str, TrustRecord], place: Path) -> str | None:
    """Return the key of the place where a folder or file was before, None for one not known.

    It is the same one where the file system gives it the number and the moment of the other one,
    on the disk where that was: no archive brings these along, and no copy has them. Where no
    moments are told, numbers alone do not do, since they are given again.
    """
    identity, born = _identity(place), birth_of(place)
    if not identity or not born:
        return None
    same = (key for key, one in records.items() if (one.identity, one.born) == (identity, born))
    return next((key for key in same if _disk(Path(key)) == _disk(place) != 0), None)


def _disk(place: Path) -> int:
    """Return the number of the disk that a place is on, or was on; 0 where that is not told."""
    for folder in (place, *place.parents):
        try:
            return folder.stat().st_dev
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return 0
    return 0


def _identity(place: Path) -> int:
    """Return the number that the file system gives a folder or file; 0 where there is none."""
    try:
        return place.stat().st_ino or 1
    except (OSError, ValueError):
        return 0


def _joined(old: Iterable[str], new: Iterable[str]) -> tuple[str, ...]:
    fresh = dict.fromkeys(new)
    kept = [key for key in old if key not in fresh]
    return tuple([*kept, *fresh][-max(_MOST_KEYS, len(fresh)) :])


def _to_json(record: TrustRecord) -> dict[str, object]:
    told: dict[str, object] = {
        "madeHere": record.identity if record.made_here else 0,
        "folder": 0 if record.made_here else record.identity,
        "born": record.born,
        "agreed": list(record.agreed),
        "fingerprint": record.fingerprint,
        "agreedAt": record.agreed_at.isoformat() if record.agreed_at else "",
        "web": record.web,
        "origin": record.origin,
    }
    return {name: value for name, value in told.items() if value or value is False}


def _record(said: Mapping[str, Any]) -> TrustRecord:
    """Read an entry; a part that is none counts as not there, so that it is asked about."""
    keys, web, mine = said.get("agreed"), said.get("web"), _number(said.get("madeHere"))
    try:
        when = datetime.fromisoformat(str(said.get("agreedAt")))
    except ValueError:
        when = None
    return TrustRecord(
        made_here=mine > 0,
        agreed=tuple(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else (),
        fingerprint=str(said.get("fingerprint") or ""),
        agreed_at=when,
        web=web if isinstance(web, bool) else None,
        origin=str(said.get("origin") or ""),
        identity=mine or _number(said.get("folder")),
        born=_number(said.get("born")),
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
