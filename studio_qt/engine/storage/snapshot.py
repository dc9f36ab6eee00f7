"""The file of a conversation: what it looks like, and what is accepted when it is read."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from studio_qt.engine.storage.state import State, adopt, title_of
from studio_qt.jsontext import JsonObject, decode, encode_pretty

__all__ = [
    "Head",
    "PackageName",
    "encode_snapshot",
    "parse_foreign",
    "parse_ours",
    "read_head",
    "read_package",
]

_AT_A_TIME = 500
_EMPTY_END = "[]\n}\n"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class PackageName:
    """The package that a conversation was last played with."""

    hash: str
    version: str | None = None


class _Played(msgspec.Struct):
    """The part of a snapshot that names the package."""

    package: PackageName


class _Entry(msgspec.Struct):
    """Any object; its fields are passed over."""


class Head(msgspec.Struct):
    """What a list of conversations shows of a snapshot; the entries are not decoded."""

    messages: list[_Entry]
    title: str = ""
    updated: str = ""
    journal: msgspec.Raw = msgspec.Raw()

    def books(self) -> State:
        """Return a conversation that has what was kept beside the entries, and nothing else."""
        state = State("")
        if self.journal:
            kept = decode(bytes(self.journal))
            state.take_books(kept if isinstance(kept, dict) else {})
        return state


_head = msgspec.json.Decoder(Head)
_played = msgspec.json.Decoder(_Played)
_array = msgspec.json.Decoder(list[_Entry])


def encode_snapshot(state: State, package: PackageName) -> bytes:
    """Return the bytes of `conversation_NN.json`.

    Entries are encoded some hundred at a time: in a thread that lets the loop run between.
    """
    value: JsonObject = {
        "id": state.id,
        "title": state.title,
        "created": state.created,
        "updated": state.updated,
        "package": {"hash": package.hash, "version": package.version},
        "journal": state.books(),
        "messages": [],
    }
    head = encode_pretty(value)
    if not state.entries:
        return head.encode()
    parts = [
        encode_pretty(state.entries[at : at + _AT_A_TIME]).removeprefix("[").removesuffix("\n]\n")
        for at in range(0, len(state.entries), _AT_A_TIME)
    ]
    entries = ",".join(part.replace("\n", "\n  ") for part in parts)
    return f"{head.removesuffix(_EMPTY_END)}[{entries}\n  ]\n}}\n".encode()


def parse_ours(conversation_id: str, data: bytes, line: int) -> State:
    """Read a snapshot that this program wrote and that holds everything up to journal `line`.

    Raises ValueError when it is no conversation after all.
    """
    state, messages, books = _parse(conversation_id, data)
    state.entries = messages
    state.take_books(books)
    state.line = state.changed = line
    return state


def parse_foreign(conversation_id: str, data: bytes) -> State:
    """Read a snapshot that another program wrote or changed, also a bare array of messages.

    Entries get the ids and turns that they lack. Raises ValueError when it is no conversation.
    """
    state, messages, books = _parse(conversation_id, data)
    state.take_books({**books, "draft": ""})
    state.entries = adopt(state, messages)
    first = next((entry for entry in messages if entry.get("role") == "user"), None)
    if first is not None:
        state.stores_started = True
        state.title = state.title or title_of(first)
    return state


def read_head(data: bytes) -> Head:
    """Read title, time and number of entries; raises ValueError when it is no conversation."""
    data = data.removeprefix(_BOM)
    try:
        return _head.decode(data)
    except msgspec.ValidationError:
        try:
            return Head(messages=_array.decode(data))
        except msgspec.DecodeError as error:
            raise ValueError(str(error)) from error
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error


def read_package(data: bytes) -> PackageName:
    """Read what a conversation was last played with; without a hash where it does not say that."""
    try:
        return _played.decode(data.removeprefix(_BOM)).package
    except msgspec.DecodeError:
        return PackageName("")


def _parse(conversation_id: str, data: bytes) -> tuple[State, list[JsonObject], JsonObject]:
    value = decode(data.removeprefix(_BOM))
    if isinstance(value, list):
        value = {"messages": value}
    if not isinstance(value, dict):
        raise ValueError('an object with "messages" was expected')
    messages = value.get("messages")
    if not isinstance(messages, list):
        raise ValueError('"messages" must be a list')
    entries = [entry for entry in messages if isinstance(entry, dict)]
    if len(entries) != len(messages):
        raise ValueError("each message must be an object")
    books = value.get("journal")
    state = State(conversation_id)
    state.title = _text(value, "title")
    state.created = _text(value, "created")
    state.updated = _text(value, "updated")
    return state, entries, books if isinstance(books, dict) else {}


def _text(value: JsonObject, key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""
