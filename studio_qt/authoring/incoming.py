"""Whatever somebody opens: a package as a zip, a card in any of its forms, or neither."""

from __future__ import annotations

from pathlib import Path

from studio_qt.authoring.cards.unpacking import open_card
from studio_qt.authoring.importing import Incoming, open_zip
from studio_qt.authoring.recognizing import begins_as_card
from studio_qt.errors import PackageError
from studio_qt.files.archive import ZipLimits, ZipSource
from studio_qt.package.config import CONFIG_FILE

__all__ = ["ENDINGS", "open_bytes", "open_file"]

ENDINGS = (".zip", ".charx", ".png", ".json", ".jpg", ".jpeg")
"""How the names of files end that may hold a character."""

_ZIP = b"PK\x03\x04"
_CARD = "card.json"


def open_file(place: Path) -> Incoming:
    """Return the character in a file; raises PackageError that says why there is none."""
    try:
        if not place.is_file():
            raise PackageError(
                f"There is no file {place}; name a zip, a card, or an https address."
            )
        if place.stat().st_size > ZipLimits().unpacked:
            raise PackageError(f"{place.name} is too large for a character.")
        data = place.read_bytes()
    except OSError as error:
        raise PackageError(f"{place} cannot be read: {error.strerror or error}.") from error
    return open_bytes(data, place.name)


def open_bytes(data: bytes, name: str) -> Incoming:
    """Return the character in the bytes of the file `name`; raises PackageError.

    A zip with a config.json is a package, also where it carries the card that it was made of.
    """
    if not data.startswith(_ZIP) and (not name.lower().endswith(".zip") or begins_as_card(data)):
        return open_card(data, name)
    source = ZipSource(data, name=name)
    if source.exists(CONFIG_FILE) or not source.exists(_CARD):
        return open_zip(source)
    return open_card(data, name)
