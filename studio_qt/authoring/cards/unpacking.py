"""A card as a package: texts, context, lorebook, picture, and the card itself for the way back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from studio_qt.authoring.cards.card import Card, asset_place, read_card
from studio_qt.authoring.cards.fields import BOOK, CARD, texts_of
from studio_qt.authoring.importing import Incoming
from studio_qt.files.paths import same_name
from studio_qt.jsontext import JsonObject, JsonValue, encode_pretty
from studio_qt.package.config import CONFIG_FILE
from studio_qt.resources import resource_text

__all__ = ["LOREBOOK", "open_card", "unpacked"]

LOREBOOK = "studio.lorebook"
_MOST_BOOK = 16_000_000
"""Characters of a lorebook that the agent reads."""

_PROMPT = "templates/blank/system-prompt.txt"


def open_card(data: bytes, name: str) -> Incoming:
    """Return the package that a card becomes; raises PackageError where it is none."""
    return unpacked(read_card(data, name))


def unpacked(card: Card) -> Incoming:
    """Return the package of a card: its files, and sentences on what only the card keeps."""
    files: dict[str, bytes] = {path: text.encode() for path, text in texts_of(card).items()}
    files.setdefault("system-prompt.txt", resource_text(_PROMPT).encode())
    files[CONFIG_FILE] = encode_pretty(_config(card, has_book=f"context/{BOOK}" in files)).encode()
    files[CARD] = encode_pretty(card.whole).encode()
    if card.picture is not None:
        files[f"avatar.{card.picture_type or 'png'}"] = card.picture
    for path, place in _asset_places(card.assets).items():
        if card.assets[path] is not card.picture:
            files[place] = card.assets[path]
    readers: dict[str, Callable[[], bytes]] = {path: _reader(data) for path, data in files.items()}
    return Incoming(card.name, readers, tuple(_notes(card)))


def _asset_places(paths: Iterable[str]) -> dict[str, str]:
    """Return where files that came along lie; beside its place where another one has it."""
    places: dict[str, str] = {}
    taken: set[str] = set()
    for path in sorted(paths, key=lambda one: not one.startswith("assets/")):
        place = asset_place(path)
        while not taken.isdisjoint(_with_folders(place)):
            place = f"assets/_{place.removeprefix('assets/')}"
        places[path] = place
        taken.add(same_name(place))
    return places


def _with_folders(path: str) -> Iterator[str]:
    parts = same_name(path).split("/")
    return ("/".join(parts[: end + 1]) for end in range(1, len(parts)))


def _reader(data: bytes) -> Callable[[], bytes]:
    return lambda: data


def _config(card: Card, *, has_book: bool) -> JsonObject:
    config: JsonObject = {"name": card.called}
    config["version"] = card.text("character_version").strip() or "1.0.0"
    if author := card.text("creator").strip():
        config["author"] = author
    agents: list[JsonValue] = []
    if has_book:
        stem = re.sub(r"[^a-z0-9]+", "-", card.name.lower()).strip("-") or "card"
        agents.append(
            {"id": f"{stem[:60]}.lorebook", "implementation": LOREBOOK, "contextFile": BOOK}
        )
    return {**config, "agents": agents}


def _notes(card: Card) -> list[str]:
    notes = []
    greetings = len(card.texts("alternate_greetings"))
    if greetings:
        other = "another greeting is" if greetings == 1 else f"{greetings} other greetings are"
        notes.append(f"{other.capitalize()} kept in context/.greetings.json; a player shows one.")
    if len(texts_of(card).get(f"context/{BOOK}", "")) > _MOST_BOOK:
        notes.append(
            f"The lorebook has more than {_MOST_BOOK:,} characters and calls up nothing; "
            f"make context/{BOOK} shorter."
        )
    if card.texts("group_only_greetings"):
        notes.append("Greetings for groups are kept in card.json alone.")
    return notes
