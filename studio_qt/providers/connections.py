"""Saved connections: who may answer, and who does; one file for the window and the terminal.

The file holds addresses and models, never a key (see `keys`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from studio_qt.errors import StudioError
from studio_qt.files.atomic import storage_errors, write_atomic
from studio_qt.jsontext import JsonObject, JsonValue, decode_object, encode_pretty
from studio_qt.providers.endpoint import Endpoint
from studio_qt.providers.lenient import as_list, as_object, as_text

__all__ = ["REHEARSAL", "ConnectionBook", "ConnectionFile", "SavedConnection", "likely_name"]

REHEARSAL = "Rehearsal"
"""The name that no saved connection may have: it means the built-in offline model."""
_FILE = "connections.json"
_VERSION = 1
_LONGEST_NAME = 80
_SECRET_FIELD = re.compile(r"key|token|secret|password|auth|sig", re.IGNORECASE)
_SECRET_TEXT = re.compile(r"\b(sk|pk|rk|gsk|xai)[-_][\w-]{12,}|\bAIza[\w-]{16,}")
"""What keys look like; stricter than in messages, since names of hosts may begin with "api-"."""


_NAMES = {
    "openai": "OpenAI",
    "venice": "Venice",
    "openrouter": "OpenRouter",
    "deepseek": "DeepSeek",
    "mistral": "Mistral",
    "groq": "Groq",
    "anthropic": "Anthropic",
    "gemini": "Gemini",
    "ollama": "Ollama",
    "lmstudio": "LM Studio",
    "llamacpp": "llama.cpp",
    "vllm": "vLLM",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedConnection:
    """An address with its models; None leaves a model to the character and the endpoint.

    `key` says where its key was put, None for none; `more` holds what a later version wrote.
    Raises StudioError for a name or an address that cannot be used, and for an address that
    holds a secret: it would be written to a file.
    """

    name: str
    base_url: str
    model: str | None = None
    worker_model: str | None = None
    key: str | None = None
    more: JsonObject = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name.strip() or self.name.strip() != self.name:
            raise StudioError("A connection needs a name, without blanks around it.")
        if len(self.name) > _LONGEST_NAME or not self.name.isprintable():
            raise StudioError(
                f"The name of a connection is one line of at most {_LONGEST_NAME} characters."
            )
        if self.name.casefold() == REHEARSAL.casefold():
            raise StudioError("Rehearsal is the built-in model; give the connection another name.")
        _check_address(self.base_url)

    @property
    def endpoint(self) -> str:
        """The whole address, under which the key and the profiles are kept."""
        return Endpoint.parse(self.base_url).base

    @property
    def local(self) -> bool:
        """Whether it is a server on this computer."""
        return Endpoint.parse(self.base_url).loopback


@dataclass(frozen=True, slots=True)
class ConnectionBook:
    """All saved connections in their order, and the name of the current one; None: Rehearsal."""

    connections: tuple[SavedConnection, ...] = ()
    current: str | None = None
    more: JsonObject = field(default_factory=dict)

    @property
    def chosen(self) -> SavedConnection | None:
        """The current connection; None for Rehearsal."""
        return self.find(self.current)

    def find(self, name: str | None) -> SavedConnection | None:
        """Return a connection by its name."""
        return next((one for one in self.connections if one.name == name), None)

    def choosing(self, name: str | None) -> ConnectionBook:
        """Return the book with another current one; raises StudioError for an unknown name."""
        if name is not None and self.find(name) is None:
            raise StudioError(f'There is no connection "{name}".')
        return replace(self, current=name)

    def keeping(self, saved: SavedConnection, instead_of: str | None = None) -> ConnectionBook:
        """Return the book with a connection added, or in the place of another.

        Raises StudioError when a third one has that name already; capitals do not tell apart.
        """
        old = instead_of if instead_of is not None else saved.name
        for one in self.connections:
            if one.name != old and one.name.casefold() == saved.name.casefold():
                raise StudioError(f'There is a connection "{one.name}" already; take another name.')
        if self.find(old) is None:
            return replace(self, connections=(*self.connections, saved))
        rows = tuple(saved if one.name == old else one for one in self.connections)
        current = saved.name if self.current == old else self.current
        return replace(self, connections=rows, current=current)

    def without(self, name: str) -> ConnectionBook:
        """Return the book without a connection; if it was the current one, Rehearsal answers."""
        rows = tuple(one for one in self.connections if one.name != name)
        return replace(
            self, connections=rows, current=None if self.current == name else self.current
        )

    def free_name(self, wish: str) -> str:
        """Return `wish`, with a number where it is taken."""
        taken = {one.name.casefold() for one in self.connections} | {REHEARSAL.casefold()}
        wish = " ".join(wish.split())[: _LONGEST_NAME - 4] or "Connection"
        name, number = wish, 1
        while name.casefold() in taken:
            number += 1
            name = f"{wish} {number}"
        return name


class ConnectionFile:
    """`connections.json` below `home`; None keeps it in memory.

    `notices` are sentences about what was not usable. A file that cannot be read means Rehearsal;
    it is set aside under another name before a new one is written. Everything blocks.
    """

    def __init__(self, home: Path | None) -> None:
        self._home = home
        self._memory = ConnectionBook()
        self._broken = False
        self.notices: list[str] = []

    def load(self) -> ConnectionBook:
        """Return what is kept; the notices are those of this reading."""
        self.notices, self._broken = [], False
        if self._home is None:
            return self._memory
        place = self._home / _FILE
        try:
            kept = decode_object(place.read_bytes())
            if not isinstance(kept.get("connections", []), list):
                raise ValueError('"connections" must be a list')
        except FileNotFoundError:
            return ConnectionBook()
        except (OSError, ValueError) as error:
            self._broken = True
            self.notices.append(
                f"{place} cannot be read, so Rehearsal answers: {error}. Choose a connection anew, "
                "or mend the file."
            )
            return ConnectionBook()
        return self._read(kept)

    def change(self, change: Callable[[ConnectionBook], ConnectionBook]) -> ConnectionBook:
        """Change what is kept now, by whoever; returns the new book.

        Raises what `change` raises, and StorageError where nothing can be written.
        """
        book = change(self.load())
        self._memory = book
        if self._home is not None:
            with storage_errors(self._home):
                self._home.mkdir(parents=True, exist_ok=True)
                place = self._home / _FILE
                if self._broken:
                    place.replace(_aside(place))
            write_atomic(place, encode_pretty(_to_json(book)) + "\n")
            self._broken = False
        return book

    def _read(self, kept: JsonObject) -> ConnectionBook:
        book = ConnectionBook(more={k: v for k, v in kept.items() if k not in _KNOWN})
        for row in as_list(kept.get("connections")):
            try:
                book = book.keeping(_from_json(as_object(row)), "")
            except StudioError as error:
                self.notices.append(f"{_FILE}: {error} It is left out.")
        current = kept.get("current")
        if current is None or book.find(as_text(current)) is not None:
            return replace(book, current=as_text(current) or None)
        self.notices.append(
            f'{_FILE}: there is no connection "{as_text(current)}" to answer; Rehearsal does.'
        )
        return book


_KNOWN = frozenset({"version", "current", "connections"})
_FIELDS = ("name", "base_url", "model", "worker_model", "key")


def _from_json(row: JsonObject) -> SavedConnection:
    more = {name: value for name, value in row.items() if name not in _FIELDS}
    return SavedConnection(
        name=as_text(row.get("name")),
        base_url=as_text(row.get("base_url")),
        model=as_text(row.get("model")) or None,
        worker_model=as_text(row.get("worker_model")) or None,
        key=as_text(row.get("key")) or None,
        more=more,
    )


def _to_json(book: ConnectionBook) -> JsonObject:
    rows: list[JsonValue] = [
        {**{name: getattr(one, name) for name in _FIELDS}, **one.more} for one in book.connections
    ]
    return {"version": _VERSION, "current": book.current, "connections": rows, **book.more}


def _aside(place: Path) -> Path:
    number = 1
    while (name := place.with_name(f"{place.stem}.unreadable-{number}{place.suffix}")).exists():
        number += 1
    return name


def likely_name(base_url: str) -> str:
    """Return a name for an address: that of the provider, else its host. Raises StudioError."""
    endpoint = Endpoint.parse(base_url)
    return _NAMES.get(endpoint.kind) or endpoint.base.split("/")[2]


def _check_address(base_url: str) -> None:
    """Raise StudioError for an address that cannot be used or holds a secret."""
    Endpoint.parse(base_url)
    parts = urlsplit(base_url if "://" in base_url else f"//{base_url}")
    secret = any(_SECRET_FIELD.search(name) for name, _ in parse_qsl(parts.query))
    if "@" in parts.netloc or secret or _SECRET_TEXT.search(base_url):
        raise StudioError(
            "The address holds a password or a key. Put the key into its own field: "
            "addresses are written to a file, keys are not."
        )
