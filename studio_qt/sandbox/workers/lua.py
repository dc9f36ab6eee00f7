"""Lua agents: one Lua 5.4 state each, stepped from outside.

What the binding needs, in one place: strings travel as bytes; the state is handed no Python object
but the clock, which only the hook of the time limit can reach; arguments are pushed outside of any
protected call, where running out of memory would end the process, so there must be room for them.
"""

from __future__ import annotations

import os
import struct
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from lupa import lua54  # type: ignore[import-untyped]

from studio_qt.jsontext import JsonObject, JsonValue, decode, decode_object, encode
from studio_qt.sandbox.bridge import METHODS
from studio_qt.sandbox.frames import LOG_LINES, NESTING_CAP, RESULT_CAP, STORE_CAP
from studio_qt.sandbox.workers.drive import End, Report, Request
from studio_qt.sandbox.workers.lua_text import constructor, names_in

__all__ = ["LuaAgent"]

_REQUEST_CAP = 10_000
_ARGUMENT_CAP = 1 << 19
_ROOM = 1 << 18  # what must be free beside the arguments before the binding is used
_LARGE = 1 << 20  # above this, compiled constructors would take much more memory than the values
_ARITIES = {
    "toast": 0,  # needs no answer
    "log": 0,
    "history.search": 1,
    "history.range": 2,
    "context.readFile": 1,
    "callModel": 4,
    "grants.readStore": 1,
    "web.fetch": 2,
}


class _StoppedError(Exception):
    """The state cannot go on; `end` says why."""

    def __init__(self, end: End) -> None:
        super().__init__(end.cause)
        self.end = end


@dataclass(frozen=True, slots=True, eq=False)
class _Text:
    """Compact JSON of a store; `ours` tells that the state itself has written it."""

    json: bytes
    ours: bool


class LuaAgent:
    """An agent's state: its globals, and the activity that runs in it."""

    def __init__(self, code: JsonObject) -> None:
        self._file = str(code["file"])
        self._source = str(code["source"])
        self._namespaces = code.get("namespaces")
        self._deadline = 0.0
        self._memory = 0
        self._lua: Any = None
        self._turn: Any = None
        self._held_in: _Text | None = None  # the store of the last call, None when it was not JSON
        self._held_out: _Text | None = None  # the last store that a call left
        self._taken: _Text | None = None  # the store that the state can make now
        self.exports: tuple[str, ...] = ()
        self.notices: list[str] = []

    # ---- what the service calls

    def allow(self, seconds: float, memory_mb: int) -> None:
        """Set what the next activity may use, counted from now."""
        self._deadline = time.monotonic() + seconds
        self._memory = max(memory_mb, 1) << 20  # 0 would be no limit
        if self._lua is not None:
            self._lua.set_max_memory(self._memory)

    def load(self, seconds: float, memory_mb: int) -> Report:
        """Run the chunk; the report has its end."""
        self.allow(seconds, memory_mb)
        try:
            self._build()
        except lua54.LuaMemoryError:
            return Report(end=End("memory", dropped=True))
        return self._step("load", _plain(self._source).encode("utf-8", "replace"))

    def finish_loading(self, end: End) -> End:
        """Collect the global functions that the chunk has left; return how loading ended."""
        if end.cause != "finished":
            return end
        try:
            names = _list(decode(self._ask("exports")))
        except _StoppedError as stopped:
            return stopped.end
        self.exports = tuple(str(name) for name in names)
        return end

    def call(self, head: str, store: str, keep: int) -> Report:
        """Start a handler: `head` is JSON text, `keep` tells which held store text stands in."""
        asked = decode_object(head)
        arguments = asked["arguments"]
        count = len(arguments) if isinstance(arguments, list) else 0
        try:
            self._choose_store(store, keep)
            self._give("head", head.encode())
            if self._held_in is not None:
                self._take_store(self._held_in)
        except _StoppedError as stopped:
            return self.abandon(stopped.end)
        except ValueError as error:
            return Report(end=End("failed", error=f"the store is not JSON: {error}"))
        return self._step("run", str(asked["handler"]).encode(), count)

    def prepare(self) -> None:
        """Compile the store that the next call most likely comes with."""
        if self._held_out is not None and self._lua is not None:
            with suppress(_StoppedError):  # then the next call finds that there is no memory
                self._take_store(self._held_out)

    def close(self) -> None:
        """Drop the state; twice is harmless."""
        self._turn = self._lua = None

    # ---- Guest

    def reply(self, request: int, *, ok: bool, value: str) -> Report:
        """Settle a bridge request with JSON text and run on."""
        try:
            self._give("reply", value.encode())
        except _StoppedError as stopped:
            return self.abandon(stopped.end)
        return self._step("reply", request, ok)

    def wake(self) -> Report:
        """Lua agents have no timers; there is nothing to run."""
        return self._step("look")

    def abandon(self, end: End) -> Report:
        """Give the activity up; what it has said and asked so far is still in the report."""
        self._lua.set_max_memory(2 * self._memory + (16 << 20))
        try:
            told = self._read(self._ask("abandon"))
        except _StoppedError:
            return Report(end=end)
        return Report(requests=told.requests, end=end, logs=told.logs)

    # ---- stepping

    def _step(self, operation: str, *given: object) -> Report:
        try:
            if time.monotonic() > self._deadline:
                raise _StoppedError(End("time", dropped=True))
            return self._read(self._ask(operation, *given))
        except _StoppedError as stopped:
            return self.abandon(stopped.end)

    def _ask(self, operation: str, *given: object) -> Any:
        """Call into the state; raises _StoppedError when it has no memory left for that."""
        size = sum(len(item) for item in given if isinstance(item, bytes))
        if self._free() < size + _ROOM:
            self._lua.gccollect()
            if self._free() < size + _ROOM:
                raise _StoppedError(End("memory", dropped=True))
        try:
            return self._turn(operation.encode(), self._deadline, *given)
        except lua54.LuaMemoryError as error:
            raise _StoppedError(End("memory", dropped=True)) from error
        except lua54.LuaError as error:
            raise _StoppedError(End("failed", error=str(error), dropped=True)) from error

    def _free(self) -> int:
        left: int = self._lua.get_max_memory() - self._lua.get_memory_used()
        return left

    def _give(self, slot: str, json: bytes) -> None:
        name = slot.encode()
        if len(json) > _LARGE or not self._ask("give", name, constructor(json)):
            self._ask("giveJson", name, json)

    def _choose_store(self, store: str, keep: int) -> None:
        """Hold the store that a call gets; raises ValueError when it is not JSON."""
        if keep == 2:
            self._held_in = self._held_out
        elif keep == 0:
            self._held_in = None
            self._held_in = _Text(encode(decode_object(store)).encode(), ours=False)
        elif self._held_in is None:
            raise ValueError("it was refused before")
        self._held_out = None

    def _take_store(self, text: _Text) -> None:
        """Have the state make the store from this text."""
        if text is self._taken:
            return
        self._taken = None
        if not text.ours:
            self._ask("learn", b"\n".join(names_in(text.json)))
        self._ask("hold", text.json, text.ours)
        self._give("store", text.json)
        self._taken = text

    # ---- reports

    def _read(self, told: tuple[Any, ...]) -> Report:
        state, first, second, is_open, requests, logs = told
        return Report(
            requests=tuple(_request(item) for item in _list(decode(requests))),
            open=int(is_open),
            end=self._end(state, first, second),
            logs=tuple(str(line) for line in _list(decode(logs))),
        )

    def _end(self, state: bytes, first: Any, second: Any) -> End | None:
        match state:
            case b"open":
                return None
            case b"finished":
                value = decode(first) if first is not None else None
                if not second:
                    return End("finished", value)
                self._held_out = _Text(second, ours=True)
                return End("finished", value, store=second.decode())
            case b"failed":
                place = (self._file, int(second)) if second is not None else None
                return End("failed", error=first.decode("utf-8", "replace"), place=place)
            case b"stopped":
                return End("stopped")
            case _:
                return End(state.decode(), dropped=True)

    # ---- building

    def _build(self) -> None:
        self._lua = lua54.LuaRuntime(
            encoding=None,
            register_eval=False,
            register_builtins=False,
            attribute_filter=_refuse,
            unpack_returned_tuples=False,
            max_memory=self._memory,
        )
        config = b"local A = function(t) return t end local O = A " + constructor(
            encode(self._config()).encode()
        )
        settings = self._lua.execute(config)
        codec = self._run("codec.lua", settings)
        limits = self._run("limits.lua", time.monotonic)
        environment = self._lua.compile(_PRELUDE["environment.lua"])
        seeds = struct.unpack("<2q", os.urandom(16))
        self._turn = self._run("guest.lua", settings, codec, limits, environment, *seeds)

    def _run(self, name: str, *given: object) -> Any:
        return self._lua.execute(_PRELUDE[name], *given)

    def _config(self) -> JsonObject:
        return {
            "file": self._file,
            "methods": dict(METHODS),
            "arities": dict(_ARITIES),
            "namespaces": {str(name): True for name in _list(self._namespaces)},
            "resultCap": RESULT_CAP,
            "storeCap": STORE_CAP,
            "argumentCap": _ARGUMENT_CAP,
            "requestCap": _REQUEST_CAP,
            "logLines": LOG_LINES,
            "nesting": NESTING_CAP,
        }


def _plain(source: str) -> str:
    """Make what Lua skips at the beginning of files, and only there, a comment."""
    text = source.removeprefix("\ufeff")
    return "--" + text if text.startswith("#") else text


def _refuse(*_: object) -> NoReturn:
    raise AttributeError("no attribute can be reached from an agent")


def _read_source(name: str) -> bytes:
    return Path(__file__).with_name(name).read_bytes()


_PARTS = ("codec.lua", "limits.lua", "environment.lua", "guest.lua")
_PRELUDE = {name: _read_source(name) for name in _PARTS}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _request(item: JsonValue) -> Request:
    if not isinstance(item, dict):
        raise TypeError("a request is an object")
    return Request(int(str(item["id"])), str(item["method"]), str(item["payload"]))
