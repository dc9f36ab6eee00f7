"""The code of a package that does not ship with the program: its files and their hash (SUB-14)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from studio_qt.files.paths import UnsafePathError, safe_path
from studio_qt.files.source import Source
from studio_qt.package.builtins import code_language, is_shipped_digest
from studio_qt.package.model import Language

__all__ = ["CODE_FOLDERS", "CodeFile", "CodeSnapshot", "all_code", "code_files", "fingerprint"]

CODE_FOLDERS = ("agents", "agents/lib")
"""Where code is loaded from; what lies deeper is never run."""


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file that can be run: its path in the package, and the SHA-256 of its bytes in hex.

    `digest` is "" for one that cannot be read, which is never run as it is. `content` is what was
    hashed.
    """

    path: str
    language: Language
    digest: str
    content: bytes = field(default=b"", repr=False, compare=False)

    @property
    def key(self) -> str:
        """What agreement is given to: these bytes, run as this language, whatever their name."""
        return f"{self.language}:{self.digest}"

    @property
    def is_shipped(self) -> bool:
        """Whether it is an unchanged copy of code of this program, or of an earlier release."""
        return is_shipped_digest(self.digest)

    @property
    def is_library(self) -> bool:
        """Whether it lies among the libraries."""
        return self.path.startswith(f"{CODE_FOLDERS[1]}/")


class CodeSnapshot:
    """A source whose code files are read once: all of a load sees the bytes that are hashed.

    Whatever changes on the disk meanwhile, what runs is what was looked at. Other files pass
    through. It belongs to one thread at a time.
    """

    def __init__(self, below: Source) -> None:
        self._below = below
        self._kept: dict[str, bytes] = {}

    @property
    def name(self) -> str:
        """The name of the source below."""
        return self._below.name

    @property
    def below(self) -> Source:
        """What is read."""
        return self._below

    def exists(self, path: str) -> bool:
        """As below; what was read is there."""
        return safe_path(path) in self._kept or self._below.exists(path)

    def read_bytes(self, path: str) -> bytes:
        """As below, and for code always the same bytes."""
        if code_language(path) is None:
            return self._below.read_bytes(path)
        key = safe_path(path)
        if key not in self._kept:
            self._kept[key] = self._below.read_bytes(path)
        return self._kept[key]

    def list_folder(self, path: str) -> Sequence[str]:
        """As below."""
        return self._below.list_folder(path)

    def code(self, path: str) -> CodeFile | None:
        """Return a file that can be run; None for any other."""
        language = code_language(path)
        if language is None:
            return None
        try:
            content = self.read_bytes(path)
        except (OSError, UnsafePathError):
            return CodeFile(path, language, "")
        return CodeFile(path, language, hashlib.sha256(content).hexdigest(), content)


def all_code(source: Source) -> tuple[CodeFile, ...]:
    """Return every file that can be run, copies of built-ins too, sorted by path.

    Code that no entry of config.json names counts, since one click enables it.
    """
    snapshot = source if isinstance(source, CodeSnapshot) else CodeSnapshot(source)
    found: list[CodeFile] = []
    for folder in CODE_FOLDERS:
        try:
            names = source.list_folder(folder)
        except (OSError, UnsafePathError):
            continue  # nothing can be loaded from it either
        files = (snapshot.code(f"{folder}/{name}") for name in names)
        found += [file for file in files if file is not None]
    return tuple(sorted(found, key=lambda file: file.path))


def code_files(source: Source) -> tuple[CodeFile, ...]:
    """Return the foreign code files: all but unchanged copies of built-ins (SUB-14)."""
    return tuple(file for file in all_code(source) if not file.is_shipped)


def fingerprint(files: Iterable[CodeFile]) -> str:
    """Return the SHA-256, in hex, over the sorted pairs of path and hash; "" without files."""
    whole = hashlib.sha256()
    pairs = sorted((file.path, file.digest) for file in files)
    for path, digest in pairs:
        whole.update(f"{path}\0{digest}\n".encode("utf-8", "surrogatepass"))
    return whole.hexdigest() if pairs else ""
