"""`load_package`: from files to a `CharacterPackage`."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from studio_qt.files.source import Source
from studio_qt.package.character import CharacterPackage
from studio_qt.package.model import Language

__all__ = ["LANGUAGES", "load_package"]

LANGUAGES: frozenset[Language] = frozenset({"javascript"})
"""The languages whose agents can be played."""


def load_package(
    where: Source | Path | str, *, languages: Collection[Language] = LANGUAGES
) -> CharacterPackage:
    """Load a character from a folder, a .zip file or a source.

    Raises `PackageError` only for what cannot be opened at all (PKG-10); every smaller fault is
    in the package's `problems`.
    """
    raise NotImplementedError
