"""What a player is pointed at, and where its conversations are kept."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import get_args

from studio_qt.errors import PackageError
from studio_qt.files import Source, folder_of
from studio_qt.files.there import is_folder
from studio_qt.package import CharacterPackage, load_package
from studio_qt.package.download import download_package, is_url
from studio_qt.package.model import Language
from studio_qt.sandbox.languages import available_languages
from studio_qt.settings import home_folder

__all__ = [
    "PackageArgument",
    "PackageLoader",
    "default_data_folder",
    "missing_languages",
    "open_package",
]

LANGUAGES: tuple[Language, ...] = get_args(Language)
PackageLoader = Callable[[], Awaitable[CharacterPackage]]
"""Loads the package at opening and at each reload; see `CharacterPlayer`."""

PackageArgument = str | Path | Source | CharacterPackage | PackageLoader


async def open_package(package: PackageArgument) -> CharacterPackage:
    """Load what a player was given, an address included.

    Raises PackageError when it cannot be opened, and when it needs a language that is not
    available here (LANG-01).
    """
    where: PackageArgument = package
    if isinstance(package, str) and is_url(package):
        where = await download_package(package)
    if isinstance(where, CharacterPackage):
        loaded = where
    elif callable(where):
        loaded = await where()
    else:
        loaded = await asyncio.to_thread(load_package, where, missing=missing_languages())
    if loaded.unplayable:
        reasons = "; ".join(f"{agent}: {reason}" for agent, reason in loaded.unplayable)
        raise PackageError(f"{loaded.name} cannot be played here. {reasons}")
    return loaded


def missing_languages() -> dict[Language, str]:
    """Return the languages whose agents cannot run on this machine, with the reasons."""
    known = available_languages()
    found = {name: known.get(name, "this version has no runtime for it") for name in LANGUAGES}
    return {name: reason for name, reason in found.items() if reason is not None}


def default_data_folder(package: str | Path | Source | CharacterPackage) -> Path:
    """Return `<project>/conversations`, for a zip a folder of its own below the user's data."""
    place = _place(package)
    if isinstance(place, Path) and is_folder(place):
        return place / "conversations"
    told = str(place.resolve()) if isinstance(place, Path) else place
    mark = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    readable = re.sub(r"[^\w-]+", "-", Path(told).stem).strip("-")[:40] or "character"
    return home_folder() / "conversations" / f"{readable}-{mark}"


def _place(package: str | Path | Source | CharacterPackage) -> Path | str:
    """Return the folder or zip that a package comes from, else its address or its name."""
    if isinstance(package, (str, Path)):
        return str(package) if is_url(package) else Path(package)
    source = package.source if isinstance(package, CharacterPackage) else package
    return folder_of(source) or source.name
