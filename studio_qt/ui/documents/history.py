"""`LocalHistory`: what the files of a project were before they were saved, changed or removed.

Below its folder lie `objects/`, each content once, compressed, under its SHA-256, and `files/`,
for each path one small JSON file that lists its versions. Nothing of it lies in the project.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
import zlib
from collections.abc import Iterable, Sequence
from itertools import count, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from studio_qt.errors import StudioError
from studio_qt.files.atomic import storage_errors, write_atomic
from studio_qt.files.encoding import decode_text
from studio_qt.ui.documents.disk import digest_of
from studio_qt.ui.keptfile import read_kept

__all__ = ["MOST_BYTES", "MOST_VERSIONS", "LocalHistory", "Version"]

MOST_VERSIONS = 50
"""Versions that are kept of one file."""

MOST_BYTES = 64 * 1024 * 1024
"""Compressed bytes that are kept of one project."""

_RECENT = 20


class Version(NamedTuple):
    """What a file was; `time` in seconds since 1970 when it was replaced, `size` in bytes.

    `reason` is "before saving", "foreign change", "restored", "deleted", "replaced", "rewritten"
    or "closed unsaved".
    """

    id: str
    path: str
    time: float
    size: int
    reason: str
    digest: str
    stored: int


class LocalHistory:
    """The earlier versions of the files of one project, in `folder`; None keeps nothing.

    `load`, `keep`, `data` and `write_back` wait for the disk: call them from other threads than
    the window's. `versions` and `moved` do not. All may be called from any thread.
    """

    def __init__(
        self, folder: Path | None, *, most: int = MOST_VERSIONS, most_bytes: int = MOST_BYTES
    ) -> None:
        self._folder = folder
        self._most, self._most_bytes = most, most_bytes
        self._files: dict[str, list[Version]] = {}
        self._changed: set[str] = set()
        self._ids = count()
        self._memory = threading.Lock()  # held for moments only, so that the window never waits
        self._disk = threading.Lock()

    def load(self) -> list[str]:
        """Read the lists of versions; returns what is wrong with those that cannot be read."""
        if self._folder is None:
            return []
        broken = []
        files: dict[str, list[Version]] = {}
        for place in sorted((self._folder / "files").glob("*.json")):
            try:
                listed: Any = read_kept(place)
                versions = [Version(**one) for one in listed["versions"]]
                files[str(listed["path"])] = versions
            except (OSError, ValueError, TypeError, KeyError) as error:
                broken.append(f"{place} cannot be read as earlier versions: {error}")
        with self._memory:
            self._files = {**files, **self._files}
        return broken

    def versions(self, path: str) -> list[Version]:
        """Return the versions of a file, the newest first."""
        with self._memory:
            return self._files.get(path, [])[::-1]

    def keep(self, path: str, data: bytes, reason: str) -> Version | None:
        """Keep what a file was; None when its latest version is that. Raises StorageError."""
        if self._folder is None:
            return None
        digest = digest_of(data)
        with self._memory:
            if (kept := self._files.get(path)) and kept[-1].digest == digest:
                return None
        packed = zlib.compress(data, 6)
        with self._disk:
            self._store(digest, packed)
            now = time.time()
            version = Version(
                f"{now:.6f}-{next(self._ids)}", path, now, len(data), reason, digest, len(packed)
            )
            with self._memory:
                self._files.setdefault(path, []).append(version)
                self._changed.add(path)
                gone = self._thin(path)
            self._write_lists()
            self._remove(gone)
        return version

    def data(self, version: Version) -> bytes:
        """Return the bytes of a version; raises StudioError where they are gone or damaged."""
        if self._folder is None:
            raise StudioError("No project is open.")
        try:
            data = zlib.decompress(self._object(version.digest).read_bytes())
        except (OSError, zlib.error) as error:
            raise StudioError(
                f"This version of {version.path} is not readable any more ({error}). "
                "Take another one."
            ) from error
        return data

    async def text(self, version: Version) -> str:
        """Return the text of a version, `\\n` between lines; raises StudioError if it is gone."""
        data = await asyncio.to_thread(self.data, version)
        return (await asyncio.to_thread(decode_text, data, version.path)).text

    def moved(self, old: str, new: str) -> None:
        """Let the versions of a file, or of all files below a folder, follow it to its new path.

        Call `write_back` afterwards.
        """
        with self._memory:
            for path in list(self._files):
                if path == old or path.startswith(f"{old}/"):
                    self._follow(path, new + path[len(old) :])

    def write_back(self) -> None:
        """Write what `moved` has changed; raises StorageError."""
        if self._folder is not None:
            with self._disk:
                self._write_lists()

    def _follow(self, old: str, new: str) -> None:
        both = [*self._files.get(new, []), *self._files.pop(old)]
        both.sort(key=lambda version: version.time)
        self._files[new] = [version._replace(path=new) for version in both]
        self._changed |= {old, new}

    def _thin(self, path: str) -> set[str]:
        """Drop what is too much; returns the digests that nothing needs any more."""
        before = self._digests()
        versions = self._files[path]
        while len(versions) > self._most:
            del versions[_most_crowded(versions[: -min(_RECENT, self._most // 2)])]
        while self._stored() > self._most_bytes and (oldest := self._oldest()):
            self._files[oldest.path].remove(oldest)
            self._changed.add(oldest.path)
        return before - self._digests()

    def _digests(self) -> set[str]:
        return {version.digest for version in self._all()}

    def _stored(self) -> int:
        return sum({version.digest: version.stored for version in self._all()}.values())

    def _oldest(self) -> Version | None:
        """Return the oldest version that is not the only one of its file, else the oldest."""
        several = [version for kept in self._files.values() for version in kept[:-1]]
        return min(several or list(self._all())[:-1], key=lambda one: one.time, default=None)

    def _all(self) -> Iterable[Version]:
        return (version for kept in self._files.values() for version in kept)

    def _store(self, digest: str, packed: bytes) -> None:
        place = self._object(digest)
        with storage_errors(place.parent):
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if place.exists():
                return
        write_atomic(place, packed, durable=False)

    def _write_lists(self) -> None:
        """Write the lists that changed, the full ones first: a kill leaves one twice, not none."""
        with self._memory:
            changed = {path: list(self._files.get(path, [])) for path in self._changed}
            self._changed.clear()
        for path, versions in sorted(changed.items(), key=lambda item: not item[1]):
            self._write_list(path, versions)

    def _write_list(self, path: str, versions: Sequence[Version]) -> None:
        assert self._folder is not None
        name = digest_of(path.encode("utf-8", "surrogatepass"))[:24]
        place = self._folder / "files" / f"{name}.json"
        with storage_errors(place.parent):
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not versions:
                place.unlink(missing_ok=True)
                return
        listed = {"path": path, "versions": [version._asdict() for version in versions]}
        write_atomic(place, json.dumps(listed), durable=False)

    def _remove(self, digests: Iterable[str]) -> None:
        for digest in digests:
            with storage_errors(self._object(digest).parent):
                self._object(digest).unlink(missing_ok=True)

    def _object(self, digest: str) -> Path:
        assert self._folder is not None
        return self._folder / "objects" / digest[:2] / f"{digest}.z"


def _most_crowded(versions: Sequence[Version]) -> int:
    """Return which version has the least time to the next; the first one stays if it can."""
    gaps = [
        (later.time - version.time, index)
        for index, (version, later) in enumerate(pairwise(versions))
        if index
    ]
    return min(gaps)[1] if gaps else 0
