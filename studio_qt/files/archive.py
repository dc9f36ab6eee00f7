"""`ZipSource`: a package that is a zip, read within limits (PKG-13)."""

from __future__ import annotations

import errno
import io
import os
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from studio_qt.errors import PackageError
from studio_qt.files.paths import UnsafePathError, inner_path, safe_path, same_name

__all__ = ["ZipLimits", "ZipSource"]

_CHUNK = 1 << 16
_END = b"PK\x05\x06"
_DIRECTORY_ENTRY = b"PK\x01\x02"
_UTF8_FLAG = 0x800
_ENCRYPTED_FLAGS = 0x1 | 0x40 | 0x2000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)


@dataclass(frozen=True, slots=True)
class ZipLimits:
    """How much a zip may hold: bytes when unpacked (its own size is held to it too), entries."""

    unpacked: int = 512 * 1024 * 1024
    entries: int = 10_000


class ZipSource:
    """The files of a zip, given as a path or as its bytes.

    Everything is unpacked once to nowhere when it is opened, so that a zip that opens can be read
    whole. The packed bytes stay in memory: no file is held open, and a later change of the file
    does not matter. One folder around everything is taken off; `__MACOSX` and `.DS_Store` are
    left out.
    """

    def __init__(
        self, zipped: Path | bytes, *, name: str | None = None, limits: ZipLimits | None = None
    ) -> None:
        """Check and open; `name` is what bytes are called. Raises `PackageError`."""
        self._limits = limits or ZipLimits()
        self._label = name or (zipped.name if isinstance(zipped, Path) else "the zip")
        packed = zipped if isinstance(zipped, bytes) else self._load(zipped)
        self._zip = self._open(packed)
        entries = self._checked(self._zip.infolist())
        root, self._files = _without_root(entries)
        self._by_composed = {unicodedata.normalize("NFC", path): path for path in self._files}
        stem = Path(self._label).stem
        self._name = stem if name or isinstance(zipped, Path) else (root or "character")
        self._verify()

    @property
    def name(self) -> str:
        """The zip's name without its suffix; for nameless bytes that of the folder inside."""
        return self._name

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file, sorted."""
        return tuple(sorted(self._files))

    def exists(self, path: str) -> bool:
        """Whether `path` is a file in the zip; raises `UnsafePathError`."""
        return self._find(path) is not None

    def read_bytes(self, path: str) -> bytes:
        """Return a file's content; raises FileNotFoundError or `UnsafePathError`."""
        found = self._find(path)
        if found is not None:
            return self._zip.read(self._files[found])
        folder = safe_path(path) + "/"
        if any(name.startswith(folder) for name in self._files):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def list_folder(self, path: str) -> tuple[str, ...]:
        """Return the sorted names of the files directly in `path`; () when it is absent."""
        folder = unicodedata.normalize("NFC", safe_path(path))
        prefix = f"{folder}/" if folder else ""
        names = (
            real.rsplit("/", 1)[-1]
            for composed, real in self._by_composed.items()
            if composed.startswith(prefix) and "/" not in composed[len(prefix) :]
        )
        return tuple(sorted(names))

    def _find(self, path: str) -> str | None:
        relative = safe_path(path)
        if relative in self._files:
            return relative
        return self._by_composed.get(unicodedata.normalize("NFC", relative))

    def _load(self, path: Path) -> bytes:
        try:
            found = path.stat()
            if found.st_size > self._limits.unpacked:
                raise self._too_big()
            if not stat.S_ISREG(found.st_mode):
                raise PackageError(f"{path} is no file; choose a character's folder or zip.")
            return path.read_bytes()
        except OSError as error:
            raise PackageError(f"{path} cannot be read: {error.strerror or error}.") from error

    def _open(self, packed: bytes) -> zipfile.ZipFile:
        if len(packed) > self._limits.unpacked:
            raise self._too_big()
        if _listed_entries(packed) > self._limits.entries:
            raise self._too_many()
        try:
            return zipfile.ZipFile(io.BytesIO(packed))
        except _DAMAGE as error:
            raise PackageError(
                f"{self._label} is not a zip, or it is damaged or cut off; download or export it "
                f"again."
            ) from error

    def _checked(self, entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        if len(entries) > self._limits.entries:
            raise self._too_many()
        if sum(entry.file_size for entry in entries) > self._limits.unpacked:
            raise self._too_big()
        files: dict[str, zipfile.ZipInfo] = {}
        for entry in entries:
            path = self._path(entry)
            self._check_kind(path, entry)
            if entry.is_dir() or entry.orig_filename.endswith("\\") or _is_clutter(path):
                continue
            if path in files:
                raise self._refuse(path, "is in it twice")
            files[path] = entry
        self._check_names(files)
        return files

    def _path(self, entry: zipfile.ZipInfo) -> str:
        """Return the entry's name with forward slashes; raises for one out of the root."""
        written = _decoded(entry)
        if not written.strip("/\\"):
            raise self._refuse(written, "has no name")
        try:
            return inner_path(written.replace("\\", "/"))
        except UnsafePathError as error:
            raise PackageError(f"{self._label} is refused: the entry {error}") from error

    def _check_kind(self, path: str, entry: zipfile.ZipInfo) -> None:
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind == stat.S_IFLNK:
            raise self._refuse(path, "is a link; put the file itself in its place")
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise self._refuse(path, "is no ordinary file")
        if entry.flag_bits & _ENCRYPTED_FLAGS:
            raise self._refuse(path, "is encrypted; zip it without a password")
        if entry.compress_type not in _METHODS:
            raise self._refuse(path, "is packed in an unusual way; zip it with Deflate")

    def _check_names(self, paths: Iterable[str]) -> None:
        """Refuse what could not be unpacked on every system."""
        seen: dict[str, str] = {}
        for path in paths:
            other = seen.setdefault(same_name(path), path)
            if other != path:
                raise self._refuse(path, f"and {other!r} differ only in case or accents")
        for path in paths:
            for folder in _folders(same_name(path)):
                if folder in seen:
                    raise self._refuse(seen[folder], "is a file and a folder at once")

    def _verify(self) -> None:
        """Unpack everything to nowhere, counting what really comes."""
        left = self._limits.unpacked
        for path, entry in self._files.items():
            try:
                with self._zip.open(entry) as file:
                    while chunk := file.read(_CHUNK):
                        left -= len(chunk)
                        if left < 0:
                            raise self._too_big()
            except _DAMAGE as error:
                raise self._refuse(path, "is damaged; export it again") from error

    def _refuse(self, path: str, reason: str) -> PackageError:
        return PackageError(f"{self._label} is refused: {path!r} {reason}.")

    def _too_big(self) -> PackageError:
        size = self._limits.unpacked // (1024 * 1024)
        return PackageError(
            f"{self._label} is refused: it holds more than {size} MB; take large files out."
        )

    def _too_many(self) -> PackageError:
        return PackageError(
            f"{self._label} is refused: it has more than {self._limits.entries:,} entries; take "
            f"out what the character does not need."
        )


def _listed_entries(packed: bytes) -> int:
    """Count the directory's entries without believing its own number; 0 when there is none.

    It comes before the zip library, which would make an object of each.
    """
    end = packed.rfind(_END)
    if end < 0 or len(packed) < end + 16:
        return 0
    size = int.from_bytes(packed[end + 12 : end + 16], "little")
    return packed.count(_DIRECTORY_ENTRY, max(0, end - size - 4096), end)


def _decoded(entry: zipfile.ZipInfo) -> str:
    """Return the entry's name; UTF-8 is believed also where its flag is missing (macOS)."""
    name = entry.orig_filename
    if entry.flag_bits & _UTF8_FLAG:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _is_clutter(path: str) -> bool:
    parts = path.split("/")
    return "__MACOSX" in parts or parts[-1] == ".DS_Store"


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


def _without_root(
    files: dict[str, zipfile.ZipInfo],
) -> tuple[str | None, dict[str, zipfile.ZipInfo]]:
    """Take one folder around everything off; returns its name and the files."""
    roots = {path.split("/", 1)[0] for path in files}
    if len(roots) != 1 or any("/" not in path for path in files):
        return None, files
    root = roots.pop()
    return root, {path.removeprefix(f"{root}/"): entry for path, entry in files.items()}
