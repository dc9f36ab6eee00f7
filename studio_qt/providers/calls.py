"""Tool calls out of the pieces of a stream, whichever way a server cuts and numbers them."""

from __future__ import annotations

import secrets
import string
from dataclasses import dataclass, field

from studio_qt.jsontext import JsonObject, JsonValue, decode, encode
from studio_qt.providers.lenient import as_count, as_object, as_text
from studio_qt.providers.model import ToolCallRequest
from studio_qt.providers.names import ToolNames

__all__ = ["CallCollector", "new_call_id", "parse_arguments"]

_ID_ALPHABET = string.ascii_letters + string.digits


def new_call_id() -> str:
    """Return a call id that every server takes: 9 letters and digits (Mistral takes no other)."""
    return "".join(secrets.choice(_ID_ALPHABET) for _ in range(9))


def parse_arguments(text: str) -> JsonObject | None:
    """Return the object that `text` spells, None when it spells none.

    No text and `null` are a call without arguments; JSON inside a JSON string is read once more.
    """
    try:
        value = decode(text) if text.strip() else {}
        if isinstance(value, str):
            value = decode(value) if value.strip() else {}
    except ValueError:
        return None
    if value is None:
        return {}
    return value if isinstance(value, dict) else None


@dataclass(slots=True)
class _Call:
    id: str = ""
    index: int | None = None
    name: str = ""
    arguments: str = ""
    extras: JsonObject = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        return bool(self.arguments.strip()) and parse_arguments(self.arguments) is not None


class CallCollector:
    """Puts pieces of `tool_calls` together.

    A piece belongs to the call of its id; else to the call at its index (a label, not a position),
    unless it brings another id and a name; else a new id or name begins a call; else it continues
    the latest one.
    """

    def __init__(self, names: ToolNames) -> None:
        self._names = names
        self._calls: list[_Call] = []

    def feed(self, piece: JsonObject) -> None:
        """Take one item of a `tool_calls` list."""
        function = as_object(piece.get("function"))
        name = as_text(function.get("name"))
        call_id = as_text(piece.get("id"))
        arguments = function.get("arguments")
        call = self._belongs_to(call_id, as_count(piece.get("index")), name, arguments)
        call.id = call.id or call_id
        call.name = self._grown(call, name)
        if isinstance(arguments, dict):
            call.arguments = encode(arguments)
        else:
            call.arguments += as_text(arguments)
        call.extras |= as_object(piece.get("extra_content"))

    def finish(self) -> tuple[ToolCallRequest, ...]:
        """Return the calls in the order in which they began, each with an id of its own."""
        used: set[str] = set()
        for call in self._named():
            if not call.id or call.id in used:
                call.id = new_call_id()
            used.add(call.id)
        return tuple(
            ToolCallRequest(
                call.id,
                self._names.offered(call.name),
                parse_arguments(call.arguments),
                call.arguments or "{}",
            )
            for call in self._named()
        )

    def extras(self) -> JsonObject:
        """Return the opaque fields by call id; call it after `finish`."""
        return {c.id: {"extra_content": c.extras} for c in self._named() if c.extras}

    def _named(self) -> list[_Call]:
        return [call for call in self._calls if call.name]

    def _belongs_to(
        self, call_id: str, index: int | None, name: str, arguments: JsonValue
    ) -> _Call:
        found = self._by_id(call_id) if call_id else None
        if found and not (name and self._elsewhere(found, index)):
            return found
        at_index = self._at(index)
        if at_index:
            other = bool(call_id and name and at_index.id and call_id != at_index.id)
            return self._new(call_id, index) if other else at_index
        if index is not None and (name or call_id or not self._calls):
            return self._new(call_id, index)
        return self._without_label(call_id, index, name, arguments)

    def _without_label(
        self, call_id: str, index: int | None, name: str, arguments: JsonValue
    ) -> _Call:
        latest = self._calls[-1] if self._calls else None
        if latest is None or call_id or self._begins_another(latest, name, arguments):
            return self._new(call_id, index)
        return latest

    def _begins_another(self, latest: _Call, name: str, arguments: JsonValue) -> bool:
        """Whether a piece without id and index is a new call rather than more of `latest`."""
        if not name:
            return False
        if name != latest.name:
            return not latest.name or self._names.knows(latest.name) or bool(latest.arguments)
        whole = isinstance(arguments, dict) or parse_arguments(as_text(arguments)) is not None
        return whole and latest.complete

    def _grown(self, call: _Call, name: str) -> str:
        """Return the name of `call` after a piece; it is set once unless it comes in pieces."""
        if not name or name == call.name or self._names.knows(call.name):
            return call.name
        if call.arguments:
            return call.name or name
        return name if name.startswith(call.name) else call.name + name

    def _by_id(self, call_id: str) -> _Call | None:
        return next((call for call in self._calls if call.id == call_id), None)

    def _at(self, index: int | None) -> _Call | None:
        """Return the latest call with this label."""
        if index is None:
            return None
        return next((call for call in reversed(self._calls) if call.index == index), None)

    def _elsewhere(self, call: _Call, index: int | None) -> bool:
        """Whether a piece with the id of `call` has another, new label: ids can be equal."""
        return index is not None and call.index != index and self._at(index) is None

    def _new(self, call_id: str, index: int | None) -> _Call:
        call = _Call(call_id, index)
        self._calls.append(call)
        return call
