"""What a file is by its first bytes, whatever it is called: a zip that plays, or a card.

Light: it is asked before the first project is opened, so that it imports next to nothing of ours.
"""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath

from studio_qt.files.there import is_file
from studio_qt.files.ziplist import open_list

__all__ = ["begins_as_card", "is_package"]

_ZIP = b"PK\x03\x04"
_CARDS = (b"\x89PNG", b"\xff\xd8\xff", b"{", b"\xef\xbb\xbf{", b"\xff\xfe{", b"\xfe\xff\0{")
"""How cards begin that are no zip: as pictures, and as JSON in its encodings."""

_AT_FIRST = 64
_CONFIG, _CARD = "config.json", "card.json"


def is_package(place: Path) -> bool:
    """Whether a file is to be opened as a zip that plays; else it is a card, if anything.

    Only the list of what is in it is read; the name counts where nothing else tells. What is
    wrong with a zip is for whoever opens it to say, so that nothing is raised. For a thread.
    """
    named = place.suffix.lower() == ".zip"
    try:
        if not is_file(place):
            return named  # a pipe or a device is not waited for
        with place.open("rb") as file:
            start = file.read(_AT_FIRST)
        if not start.startswith(_ZIP):
            return named and not begins_as_card(start)
        with open_list(place) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return named
    top = _names_at_top(names)
    return _CONFIG in top or _CARD not in top


def begins_as_card(data: bytes) -> bool:
    """Whether bytes begin as a picture or as JSON do."""
    return data[:_AT_FIRST].lstrip().startswith(_CARDS)


def _names_at_top(names: list[str]) -> set[str]:
    """Return the files in the root of a zip, or in the one folder around everything."""
    paths = [PurePosixPath(name.replace("\\", "/")) for name in names if name[-1:] not in "/\\"]
    paths = [path for path in paths if "__MACOSX" not in path.parts and path.name != ".DS_Store"]
    depth = min((len(path.parts) for path in paths), default=0)
    return {path.name for path in paths if len(path.parts) == depth}
