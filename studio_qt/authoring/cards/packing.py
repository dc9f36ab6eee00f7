"""A package as a card: what the card had is kept to the letter where the package is as it was."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from studio_qt.authoring.cards.books import always_there, called_up, constant_entry
from studio_qt.authoring.cards.card import (
    Card,
    CardVersion,
    asset_paths,
    asset_place,
    card_of,
    icon_paths,
)
from studio_qt.authoring.cards.fields import (
    BOOK,
    CARD,
    CONSTANT,
    EXAMPLES,
    GREETINGS,
    MACRO,
    book_entries,
    example_text,
    is_constant,
    section_texts,
    texts_of,
)
from studio_qt.authoring.cards.macros import portable
from studio_qt.authoring.cards.originals import Originals
from studio_qt.authoring.cards.png import PNG_SIGNATURE, is_png, with_texts
from studio_qt.authoring.cards.unpacking import LOREBOOK
from studio_qt.authoring.exporting.packing import zip_bytes
from studio_qt.authoring.exporting.plan import ExportPlan, plan_export
from studio_qt.errors import PackageError, StudioError
from studio_qt.files.source import Source
from studio_qt.jsontext import JsonObject, JsonValue, decode, decode_object, encode, encode_pretty
from studio_qt.package import CharacterPackage
from studio_qt.sentences import listed

__all__ = ["CardForm", "CardOut", "write_card"]

CardForm = Literal["json", "png", "charx"]

_SPECS: Mapping[str, tuple[str, str]] = {
    "v2": ("chara_card_v2", "2.0"),
    "v3": ("chara_card_v3", "3.0"),
}
_V2_FIELDS: JsonObject = {
    "name": "",
    "description": "",
    "personality": "",
    "scenario": "",
    "first_mes": "",
    "mes_example": "",
    "creator_notes": "",
    "system_prompt": "",
    "post_history_instructions": "",
    "alternate_greetings": [],
    "tags": [],
    "creator": "",
    "character_version": "",
    "extensions": {},
}
_JSON = "card.json"
"""The card in a CHARX."""

_PLAIN = (96, 88, 140)
"""The colour of the picture of a card whose character has none."""


@dataclass(frozen=True, slots=True)
class CardOut:
    """A card's bytes, and sentences that name what it cannot carry."""

    data: bytes
    left: tuple[str, ...]


def write_card(package: CharacterPackage, version: Literal["v2", "v3"], form: CardForm) -> CardOut:
    """Return a package as a card; `charx` is V3 whatever `version` says.

    Fields that came from a card and were not changed since are as they were, macros included, and
    so are those that nobody here knows. Raises PackageError for a file that cannot be read.
    """
    version = "v3" if form == "charx" else version
    writer = _Writer(package)
    whole = writer.whole(version)
    left = [*writer.left(), *writer.left_files(form)]
    if form == "json":
        return CardOut(encode_pretty(whole).encode(), tuple(left))
    picture, kind = writer.picture()
    if form == "charx":
        return CardOut(zip_bytes(_charx(whole, writer, picture, kind)), tuple(left))
    if not is_png(picture or b""):
        if picture is not None:
            left.append(f"avatar.{kind} is no PNG; the card has a plain picture in its place.")
        picture = _plain_png()
    keys = {"chara": _packed(writer.whole("v2"))}
    if version == "v3":
        keys["ccv3"] = _packed(whole)
    return CardOut(with_texts(picture or b"", keys), tuple(left))


class _Writer:
    def __init__(self, package: CharacterPackage) -> None:
        self._package = package
        self._source: Source = package.source
        self._plan: ExportPlan = plan_export(package)
        self._card = _original(package.source)
        self._before = texts_of(self._card) if self._card is not None else {}

    def whole(self, version: Literal["v2", "v3"]) -> JsonObject:
        """Return the card's JSON."""
        spec, number = _SPECS[version]
        known = self._card
        whole: JsonObject = {}
        if known is not None and known.version != "v1":
            whole = dict(known.whole)
        same = known is not None and known.version == version
        whole["spec"] = spec
        whole["spec_version"] = whole.get("spec_version", number) if same else number
        whole["data"] = self._data(version)
        return whole

    def picture(self) -> tuple[bytes | None, str]:
        """Return the character's picture and its kind."""
        for file in self._plan.files:
            if file.kind == "picture" and file.path.startswith("avatar."):
                return self._source.read_bytes(file.origin), file.path.rpartition(".")[2]
        return None, ""

    def assets(self) -> dict[str, bytes]:
        """Return the files that came along with the card, by the paths that its JSON gives."""
        if self._card is None:
            return {}
        listed = asset_paths(self._card.data)
        places = {asset_place(path): path for path in listed if path != _JSON}
        return {
            places.get(file.path, file.path): self._source.read_bytes(file.origin)
            for file in self._plan.files
            if file.path.startswith("assets/")
        }

    def left(self) -> Iterator[str]:
        """Yield what a card cannot carry."""
        code = [
            one.id
            for one in self._package.agents
            if one.sub_agent is None and one.implementation != LOREBOOK
        ]
        helpers = [one.id for one in self._package.agents if one.sub_agent is not None]
        if code:
            yield f"Agents stay behind: {', '.join(code)}. A card holds no code, tools or memory."
        if helpers:
            yield f"Sub-agents stay behind: {', '.join(helpers)}."
        hidden = [name for name in self._hidden() if name not in (BOOK, GREETINGS)]
        if hidden:
            yield f"Files that agents look into stay behind: {', '.join(hidden)}."
        if any(file.kind == "default" for file in self._plan.files):
            yield "Default data of agents stays behind."

    def left_files(self, form: CardForm) -> Iterator[str]:
        """Yield which files of the character this form has no place for."""
        picture, kind = self.picture()
        names = sorted(self.assets()) if form != "charx" else []
        if form == "json" and picture is not None:
            names.insert(0, f"avatar.{kind}")
        if names:
            yield f"Pictures and other files stay behind: {listed(names)}. A CHARX carries them."

    # Fields

    def _data(self, version: CardVersion) -> JsonObject:
        data: JsonObject = dict(_V2_FIELDS)
        if self._card is not None:
            data |= self._card.data
        data.update(self._texts().items())
        config = self._package.config
        self._put_name(data)
        for key, name in (("creator", "author"), ("character_version", "version")):
            value = config.get(name)
            is_new = self._card is None or str(value) != (self._card.text(key).strip() or "1.0.0")
            if isinstance(value, str) and is_new:
                data[key] = value
        if (greetings := self._greetings()) is not None:
            data["alternate_greetings"] = greetings
        self._put_book(data)
        if version == "v3":
            data.setdefault("group_only_greetings", [])
        return data

    def _put_name(self, data: JsonObject) -> None:
        name = self._package.name
        if self._card is None:
            data["name"] = name
        elif name != self._card.called:
            data["nickname" if self._card.text("nickname").strip() else "name"] = name

    def _texts(self) -> dict[str, str]:
        """Return the fields whose text in the package is another than the card made."""
        return {field: self._back(field, text) for field, text in self._changed().items()}

    def _changed(self) -> dict[str, str]:
        fields: dict[str, str] = {}
        instructions = self._text("Instructions")
        if instructions != self._was("instructions.txt"):
            fields |= self._sections(instructions)
        prompt = self._text("System Prompt")
        if prompt != self._was("system-prompt.txt") and (self._card is None or prompt):
            bare = prompt.replace(MACRO, "").strip()
            if self._card is None or self._was("system-prompt.txt"):
                fields["system_prompt"] = bare
        for key, field, path in (
            ("Introduction", "first_mes", "intro.txt"),
            ("Description", "creator_notes", "description.txt"),
        ):
            text = self._text(key)
            if text != self._was(path):
                fields[field] = text
        examples = self._context(EXAMPLES)
        if examples != self._was(f"context/{EXAMPLES}"):
            fields["mes_example"] = example_text(examples)
        return fields

    def _sections(self, instructions: str) -> dict[str, str]:
        sections = section_texts(instructions)
        if not sections:
            return (
                {"description": instructions}
                if self._card is None
                else {
                    "description": instructions,
                    "personality": "",
                    "scenario": "",
                    "post_history_instructions": "",
                }
            )
        card = self._card
        changed: dict[str, str] = {}
        for key in ("description", "personality", "scenario", "post_history_instructions"):
            text = sections.get(key, "")
            old = card.text(key) if card is not None else ""
            if card is None or portable(old, card.called).strip() != text:
                changed[key] = text
        return changed

    def _greetings(self) -> list[JsonValue] | None:
        text = self._context(GREETINGS)
        if text == self._was(f"context/{GREETINGS}"):
            return None
        path = f"context/{GREETINGS}"
        try:
            value = decode(text) if text else []
        except ValueError as error:
            raise PackageError(f"{path} cannot go into a card: {error}.", file=path) from error
        if not isinstance(value, list):
            raise PackageError(f"{path} cannot go into a card: it is no list.", file=path)
        card = self._card
        before = Originals(card.texts("alternate_greetings"), card.called) if card else None
        texts = (one for one in value if isinstance(one, str))
        return [before.back(one) if before is not None else one for one in texts]

    def _back(self, field: str, text: str) -> str:
        """Return a field's changed text with the macros of the lines that are as they were."""
        if self._card is None:
            return text
        return Originals([self._card.text(field)], self._card.called).back(text)

    def _put_book(self, data: JsonObject) -> None:
        """Give the card its lorebook: as it was, else from the files that are there now."""
        others = [*self._other_context()]
        book, constant = self._context(BOOK), self._context(CONSTANT)
        same_book = book == self._was(f"context/{BOOK}")
        same_constant = constant == self._was(f"context/{CONSTANT}")
        if same_book and same_constant and not others:
            return
        card = self._card
        kept = book_entries(card) if card is not None else []
        entries: list[JsonValue] = []
        whole: JsonObject = {"extensions": {}}
        if card is not None and isinstance(old := card.data.get("character_book"), dict):
            whole = dict(old)
        if same_book:
            entries += [one for one in kept if not is_constant(one)]
        else:
            made, listed = called_up(card, book)
            whole = {"extensions": {}, **made}
            entries += listed
        if same_constant:
            entries += [one for one in kept if is_constant(one)]
        elif constant:
            entries += always_there(card, constant)
        entries += [constant_entry(name, text, at + 1) for at, (name, text) in enumerate(others)]
        whole["entries"] = entries
        data["character_book"] = whole

    # Files

    def _text(self, key: str) -> str:
        path = self._package.resolver.path(key)
        return self._read(path) if path is not None else ""

    def _context(self, name: str) -> str:
        return (self._package.read_context_file(name) or "").strip()

    def _other_context(self) -> Iterator[tuple[str, str]]:
        """Yield the files of the context block that no field of a card stands for."""
        for file in self._package.read_texts().context:
            if file.name not in (EXAMPLES, CONSTANT) and file.text.strip():
                yield file.name, file.text.strip()

    def _hidden(self) -> Iterator[str]:
        folder = self._package.resolver.path("ContextDirectory")
        for file in self._plan.files:
            name = file.path.removeprefix(f"{folder}/")
            if file.kind == "context" and (name.startswith(".") or "/" in name):
                yield name

    def _read(self, path: str) -> str:
        try:
            return self._source.read_bytes(path).decode("utf-8-sig", "replace").strip()
        except OSError:
            return ""

    def _was(self, path: str) -> str:
        return self._before.get(path, "").strip()


def _original(source: Source) -> Card | None:
    """Return the card that a package was made of; None where card.json is none, or of others."""
    try:
        return card_of(decode_object(source.read_bytes(CARD)), CARD)
    except (OSError, ValueError, StudioError):
        return None


def _packed(whole: JsonObject) -> bytes:
    return base64.b64encode(encode(whole).encode())


def _charx(
    whole: JsonObject, writer: _Writer, picture: bytes | None, kind: str
) -> dict[str, bytes]:
    files = {_JSON: encode_pretty(whole).encode(), **writer.assets()}
    data = whole.get("data")
    if picture is None or not isinstance(data, dict):
        return files
    icons = [path for path in icon_paths(data) if path not in files]
    if icons:
        path = icons[0]
        if PurePosixPath(path).suffix.lower() != f".{kind}":
            path = str(PurePosixPath(path).with_suffix(f".{kind}"))
            files[_JSON] = encode_pretty(_with_icon(whole, data, icons[0], path)).encode()
        files[path] = picture
    elif not icon_paths(data):
        path = f"assets/icon/images/main.{kind}"
        icon: JsonObject = {"type": "icon", "uri": f"embeded://{path}", "name": "main", "ext": kind}
        listed = data.get("assets")
        assets = [*(listed if isinstance(listed, list) else []), icon]
        shown: JsonObject = {**whole, "data": {**data, "assets": assets}}
        files |= {_JSON: encode_pretty(shown).encode(), path: picture}
    return files


def _with_icon(whole: JsonObject, data: JsonObject, old: str, new: str) -> JsonObject:
    """Return a card whose icon is a file of another kind than before."""
    entries = data.get("assets")
    kind = PurePosixPath(new).suffix.removeprefix(".")
    assets = [
        {**one, "uri": f"embeded://{new}", "ext": kind}
        if isinstance(one, dict) and asset_paths({"assets": [one]}) == [old]
        else one
        for one in (entries if isinstance(entries, list) else [])
    ]
    return {**whole, "data": {**data, "assets": [*assets]}}


def _plain_png() -> bytes:
    """Return a plain picture of 400 by 600 pixels."""
    width, height = 400, 600
    rows = (b"\0" + bytes(_PLAIN) * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return PNG_SIGNATURE + b"".join(
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )
