"""`Card`: what a card says, whatever it was packed in, with everything that is not known kept."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal

from studio_qt.authoring.cards.png import is_png, read_texts, without_texts
from studio_qt.authoring.exporting.plan import PICTURES
from studio_qt.errors import PackageError
from studio_qt.files.archive import ZipSource
from studio_qt.files.paths import UnsafePathError, safe_path
from studio_qt.jsontext import JsonObject, JsonValue, decode_object

__all__ = [
    "KEYWORDS",
    "Card",
    "CardVersion",
    "asset_paths",
    "asset_place",
    "card_of",
    "icon_paths",
    "is_card_file",
    "read_card",
]

CardVersion = Literal["v1", "v2", "v3"]

KEYWORDS = ("ccv3", "chara")
"""The keywords of a PNG's texts, the one that counts first."""

_JSON_IN_ZIP = "card.json"
_MOST_BYTES = 256 * 1024 * 1024
_V1 = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
_ENDINGS = (".png", ".json", ".charx", ".jpg", ".jpeg")
_SPECS: Mapping[str, CardVersion] = {"chara_card_v2": "v2", "chara_card_v3": "v3"}
_BLANKS = re.compile(rb"\s+")


@dataclass(frozen=True, slots=True)
class Card:
    """A card. `whole` is its JSON as it was; `data` the object with the fields.

    `picture` are the bytes of its picture, without the card in them, with `picture_type` such as
    "png". `assets` are files that came along, by the paths that `embeded://` addresses name.
    """

    version: CardVersion
    whole: JsonObject
    picture: bytes | None = None
    picture_type: str = ""
    assets: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def data(self) -> JsonObject:
        """The fields: of V1 the card itself."""
        data = self.whole.get("data")
        return data if self.version != "v1" and isinstance(data, dict) else self.whole

    @property
    def name(self) -> str:
        """What the character is called."""
        return self.text("name").strip() or "Character"

    @property
    def called(self) -> str:
        """What it is called in texts: by its nickname, where it has one."""
        return self.text("nickname").strip() or self.name

    def text(self, key: str) -> str:
        """Return a field's text, "" where it is none."""
        value = self.data.get(key)
        return value if isinstance(value, str) else ""

    def texts(self, key: str) -> list[str]:
        """Return a field's list of texts."""
        value = self.data.get(key)
        return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def is_card_file(name: str) -> bool:
    """Whether a file may be a card, by its name."""
    return name.lower().endswith(_ENDINGS)


def read_card(data: bytes, name: str) -> Card:
    """Read a card from the bytes of the file `name`: PNG, JSON, CHARX, a picture with a zip in it.

    Raises PackageError that says why it is none.
    """
    if len(data) > _MOST_BYTES:
        raise PackageError(f"{name} has more than {_MOST_BYTES // 1024**2} MB; it is no card.")
    if is_png(data):
        return _from_png(data, name)
    start = data.find(b"PK\x03\x04")
    if start >= 0 and data.lstrip()[:1] != b"{":
        return _from_zip(data, start, name)
    text = _decoded(data)
    if text is None:
        raise PackageError(f"{name} is no card: neither JSON, nor a picture or zip with one.")
    return card_of(_object(text, name), name)


def _from_png(data: bytes, name: str) -> Card:
    texts = read_texts(data, KEYWORDS)
    reasons = []
    for keyword in KEYWORDS:
        for value in reversed(texts.get(keyword, [])):
            try:
                card = card_of(_object(_unwrapped(value), name), name)
            except PackageError as error:
                reasons.append(str(error))
                continue
            picture = without_texts(data, frozenset(KEYWORDS))
            return Card(card.version, card.whole, picture, "png")
    if reasons:
        raise PackageError(reasons[0])
    raise PackageError(
        f"{name} is a picture without a card in it; the program that saved it lost it."
    )


def _unwrapped(value: bytes) -> str:
    """Return the JSON of a text: in base64, with line breaks or not, or as it is."""
    bare = _BLANKS.sub(b"", value)
    if not bare.startswith(b"{"):
        usual = bare.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
        try:
            decoded = base64.b64decode(usual + b"=" * (-len(usual) % 4), validate=True)
        except binascii.Error:
            decoded = b""
        if decoded:
            return _decoded(decoded) or ""
    return _decoded(value) or ""


def _from_zip(data: bytes, start: int, name: str) -> Card:
    """Read a CHARX, or a zip that is hung on to a picture."""
    source = ZipSource(data[start:], name=name)
    if not source.exists(_JSON_IN_ZIP):
        raise PackageError(f"{name} holds no card: there is no {_JSON_IN_ZIP} in it.")
    text = _decoded(source.read_bytes(_JSON_IN_ZIP)) or ""
    card = card_of(_object(text, name), name)
    assets = {path: source.read_bytes(path) for path in source.paths if path != _JSON_IN_ZIP}
    picture, kind = _picture(card, assets)
    if picture is None and data[:2] == b"\xff\xd8":
        picture, kind = data[:start], "jpg"
    return Card(card.version, card.whole, picture, kind, assets)


def asset_paths(data: JsonObject) -> list[str]:
    """Return the paths of the files that a card's assets name."""
    listed = data.get("assets")
    entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return [path for one in entries if (path := _asset_path(one.get("uri")))]


def asset_place(path: str) -> str:
    """Return where a package keeps a file that came along: below `assets/`."""
    return path if path.startswith("assets/") else f"assets/{path}"


def icon_paths(data: JsonObject) -> list[str]:
    """Return the paths of the icons that a card's assets name, the main one first."""
    listed = data.get("assets")
    icons = [
        one
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, dict) and one.get("type") == "icon"
    ]
    icons.sort(key=lambda one: one.get("name") != "main")
    return [path for icon in icons if (path := _asset_path(icon.get("uri")))]


def _picture(card: Card, assets: Mapping[str, bytes]) -> tuple[bytes | None, str]:
    """Return the main icon that a CHARX names."""
    for path in icon_paths(card.data):
        kind = PurePosixPath(path).suffix.lower().removeprefix(".")
        if path in assets and kind in PICTURES:
            return assets[path], kind
    return None, ""


def _asset_path(uri: JsonValue) -> str:
    if not isinstance(uri, str):
        return ""
    for scheme in ("embeded://", "embedded://"):
        if uri.startswith(scheme):
            try:
                return safe_path(uri.removeprefix(scheme))
            except UnsafePathError:
                return ""
    return ""


def _object(text: str, name: str) -> JsonObject:
    try:
        return decode_object(text.removeprefix("\ufeff"))
    except ValueError as error:
        raise PackageError(f"The card in {name} cannot be read: {error}.") from error


def card_of(whole: JsonObject, name: str) -> Card:
    """Return the card that an object is; raises PackageError where it is none.

    Its version is what `spec` says, else whether the fields lie in `data`.
    """
    version = _SPECS.get(str(whole.get("spec")))
    data = whole.get("data")
    if version is None and isinstance(data, dict) and isinstance(data.get("name"), str):
        version = "v2"
    if version is not None and isinstance(data, dict):
        return Card(version, whole)
    if isinstance(whole.get("name"), str) and any(key in whole for key in _V1[1:]):
        return Card("v1", whole)
    raise PackageError(f"{name} is no card: it has no name and no description of a character.")


def _decoded(data: bytes) -> str | None:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
