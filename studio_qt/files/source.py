"""Where a package is read from: the one interface behind folders, zips and open editors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

__all__ = ["Source"]


@runtime_checkable
class Source(Protocol):
    """A tree of files, read only, addressed by relative paths with forward slashes.

    Every path is checked before anything is touched (PKG-04, PKG-14): an absolute path, a drive
    letter, a UNC prefix, `..`, a NUL or a way out through a symlink raises `UnsafePathError`.
    """

    @property
    def name(self) -> str:
        """The folder's or archive's name without a suffix; the fallback for a character's name."""
        ...

    def exists(self, path: str) -> bool:
        """Whether `path` is a readable regular file."""
        ...

    def read_bytes(self, path: str) -> bytes:
        """Return a file's content; raises FileNotFoundError, OSError or `UnsafePathError`."""
        ...

    def list_folder(self, path: str) -> Sequence[str]:
        """Return the sorted names of the regular files directly in `path`; () when it is absent."""
        ...
