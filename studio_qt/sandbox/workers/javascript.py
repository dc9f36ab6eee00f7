"""JavaScript agents: one QuickJS runtime each, stepped from outside, never calling out.

What the binding needs, in one place: no calls into Python while a time limit is set (the guest has
an outbox instead); the limit starts anew with every job, so each job gets what is left; every
source is called ``<input>``, so ours and libraries stand far below the agent's lines; a module that
throws does not raise but rejects its evaluation promise; strings travel as JSON text only.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import _quickjs  # type: ignore[import-not-found]  # without the pool that `quickjs` starts

from studio_qt.jsontext import JsonObject, JsonValue, decode, decode_object, encode
from studio_qt.sandbox.bridge import METHODS
from studio_qt.sandbox.frames import LOG_LINES, NESTING_CAP, RESULT_CAP, STORE_CAP
from studio_qt.sandbox.sourcemap import SourceMap
from studio_qt.sandbox.workers.drive import End, Report, Request
from studio_qt.sandbox.workers.nesting import nested_deeper_than
from studio_qt.sandbox.workers.positions import LINES_APART, Sources

__all__ = ["JavaScriptAgent"]

_ENGINE_STACK = 1 << 20
_REQUEST_CAP = 10_000
_ARGUMENT_CAP = 1 << 19
_OUT_OF_MEMORY = "out of memory"
_PREPARING_SECONDS = 0.1
_JOBS_BETWEEN_LOOKS = 32
_REPORT_NESTING = 2  # what a report puts around a value
_TOO_DEEP = f"the returned value is nested more than {NESTING_CAP} deep"


class _StoppedError(Exception):
    """The engine was interrupted or ran out of memory; `end` says which."""

    def __init__(self, end: End) -> None:
        super().__init__(end.cause)
        self.end = end


class JavaScriptAgent:
    """An agent's context: libraries, module, exports, and the activity that runs in it."""

    def __init__(self, code: JsonObject) -> None:
        self._source = str(code["source"])
        self._libraries = _pairs(code.get("libraries"))
        names = tuple(name for name, _ in self._libraries)
        self._sources = Sources(str(code["file"]), names, _map(code.get("map")))
        self._namespaces = code.get("namespaces")
        self._port = f"_{os.urandom(12).hex()}"
        self._context: Any = _quickjs.Context()
        self._context.set_max_stack_size(_ENGINE_STACK)
        self._deadline = 0.0
        self._guest: Any = None
        self.exports: tuple[str, ...] = ()
        self.notices: list[str] = []

    # ---- what the service calls

    def allow(self, seconds: float, memory_mb: int) -> None:
        """Set what the next activity may use, counted from now."""
        self._deadline = time.monotonic() + seconds
        self._context.set_memory_limit(memory_mb << 20)

    def load(self, seconds: float, memory_mb: int) -> Report:
        """Evaluate libraries and module; the report ends once the module has."""
        self.allow(seconds, memory_mb)
        return self._step(self._begin_loading)

    def finish_loading(self, end: End) -> End:
        """Collect the exports of a module that has been evaluated; return how loading ended."""
        if end.cause != "finished":
            return end
        try:
            self._run(self._context.module, _collector(self._port))
            self._run_jobs()
            names = decode(self._run(self._guest, "exports"))
        except _StoppedError as stopped:
            return stopped.end
        self.exports = tuple(str(name) for name in names) if isinstance(names, list) else ()
        return end

    def call(self, head: str, store: str, keep: int) -> Report:
        """Start a handler: `head` is JSON text, `keep` tells which held store text stands in."""
        return self._step(self._guest, "call", head, store, keep)

    def prepare(self) -> None:
        """Make the store that the next call most likely comes with."""
        try:
            self._context.set_time_limit(_PREPARING_SECONDS)
            self._guest("prepare")
        except (_quickjs.JSException, MemoryError):
            return  # then it is made when the call is there

    def close(self) -> None:
        """Do nothing: the context goes with its last reference."""

    # ---- Guest

    def reply(self, request: int, *, ok: bool, value: str) -> Report:
        """Settle a bridge request with JSON text and run on."""
        return self._step(self._guest, "reply", request, ok, value)

    def wake(self) -> Report:
        """Run the timer that is due and what follows from it."""
        return self._step(self._guest, "wake")

    def abandon(self, end: End) -> Report:
        """Give the activity up; what it has said and asked so far is still in the report."""
        try:
            self._context.set_time_limit(1)
            self._context.set_memory_limit(-1)
            self._guest("abandon")
            return self._report(decode_object(str(self._guest("report"))), end)
        except (_quickjs.JSException, ValueError, TypeError):
            return Report(end=end)

    # ---- stepping

    def _step(self, *start: Any) -> Report:
        """Call the first of `start` with the rest, then run jobs until an end, or to the last."""
        try:
            told = self._run(*start)
            if told is None:
                self._run_jobs()
                told = self._run(self._guest, "report")
            return self._read_report(str(told))
        except _StoppedError as stopped:
            return self.abandon(stopped.end)

    def _run_jobs(self) -> None:
        jobs = 0
        while self._run(self._context.execute_pending_job):
            jobs += 1
            if jobs % _JOBS_BETWEEN_LOOKS == 0 and self._run(self._guest, "ended"):
                return

    def _run(self, step: Callable[..., Any], *given: object) -> Any:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise _StoppedError(End("time", dropped=True))
        self._context.set_time_limit(left)
        try:
            return step(*given)
        except _quickjs.JSException as error:
            raise _StoppedError(self._end_of(str(error))) from error
        except MemoryError as error:
            raise _StoppedError(End("memory", dropped=True)) from error

    def _end_of(self, text: str) -> End:
        """Translate an exception that came through the binding."""
        first = text.partition("\n")[0]
        if first == "InternalError: interrupted":
            return End("time", dropped=True)
        if first in ("InternalError: out of memory", "null"):
            return End("memory", dropped=True)
        name, _, message = first.partition(": ")
        return self._failure(name, message, text)

    def _failure(self, name: str, message: str, stack: str) -> End:
        if name == "InternalError" and message == _OUT_OF_MEMORY:
            return End("memory", dropped=True)
        reason = message if name in ("", "Error") else f"{name}: {message}"
        return End("failed", error=reason, place=self._sources.place(stack))

    # ---- reports

    def _read_report(self, text: str) -> Report:
        if len(text) > NESTING_CAP and nested_deeper_than(
            text.encode(), NESTING_CAP + _REPORT_NESTING
        ):
            return Report(end=End("failed", error=_TOO_DEEP))
        told = decode_object(text)
        if "cause" in told:  # an end, and nothing else to tell
            return Report(end=self._read_end(told))
        end = told["end"]
        return self._report(told, self._read_end(end) if isinstance(end, dict) else None)

    def _report(self, told: JsonObject, end: End | None) -> Report:
        return Report(
            requests=tuple(_request(item) for item in _objects(told.get("requests"))),
            open=int(str(told.get("open", 0))),
            timer=_number(told.get("timer")),
            end=end,
            logs=tuple(self._sources.named(str(line)) for line in _list(told.get("logs"))),
        )

    def _read_end(self, end: JsonObject) -> End:
        if end["cause"] == "stopped":
            return End("stopped")
        if end["cause"] == "failed":
            return self._failure(str(end["name"]), str(end["message"]), str(end["stack"]))
        value = end.get("value")
        if not end.get("store"):
            return End("finished", value)
        return _finished(value, str(self._run(self._guest, "takeStore")).encode())

    # ---- building

    def _begin_loading(self) -> object:
        self._build_guest()
        for index, (name, source) in enumerate(self._libraries):
            self._load_library(index, name, source)
        try:
            promise = self._context.module(self._source)
        except ValueError as error:  # a NUL in the source
            raise _StoppedError(End("failed", error=str(error))) from error
        return self._guest("watch", promise)

    def _build_guest(self) -> None:
        evaluate = self._context.eval
        apart = "\n" * LINES_APART
        factory = evaluate(apart + _PRELUDE["guest.js"])
        self._guest = factory(encode(self._config()))
        for name in ("globals.js", "locale.js"):
            self._guest("install", evaluate(apart + _PRELUDE[name]))
        self._guest("later", apart + _PRELUDE["url.js"])

    def _config(self) -> JsonObject:
        return {
            "port": self._port,
            "methods": dict(METHODS),
            "namespaces": {str(name): True for name in _list(self._namespaces)},
            "resultCap": RESULT_CAP,
            "storeCap": STORE_CAP,
            "argumentCap": _ARGUMENT_CAP,
            "requestCap": _REQUEST_CAP,
            "logLines": LOG_LINES,
            "seed": list(struct.unpack("<12I", os.urandom(48))),
        }

    def _load_library(self, index: int, name: str, source: str) -> None:
        try:
            self._context.eval("\n" * self._sources.offset(index) + source)
        except ValueError as error:
            self.notices.append(f"{name} could not be loaded: {error}")
        except _quickjs.JSException as error:
            end = self._end_of(str(error))
            if end.cause != "failed":
                raise
            where = f", line {end.place[1]}" if end.place else ""
            self.notices.append(f"{name}{where}: the library failed: {end.error}")


def _finished(value: JsonValue, store: bytes) -> End:
    if len(store) > STORE_CAP:
        return End("failed", error="the store is larger than 16 MB and was not saved")
    if nested_deeper_than(store, NESTING_CAP):
        return End("failed", error=f"the store is nested over {NESTING_CAP} deep; it was not saved")
    return End("finished", value, store=store)


def _collector(port: str) -> str:
    return f"import * as space from '<input>'; globalThis['{port}'] = space;"


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


_PRELUDE = {name: _read(name) for name in ("guest.js", "globals.js", "locale.js", "url.js")}


def _map(text: JsonValue) -> SourceMap | None:
    return SourceMap(str(decode_object(text)["mappings"])) if isinstance(text, str) else None


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in _list(value) if isinstance(item, dict)]


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _request(item: JsonObject) -> Request:
    return Request(int(str(item["id"])), str(item["method"]), str(item["payload"]))


def _pairs(value: JsonValue) -> tuple[tuple[str, str], ...]:
    return tuple((str(pair[0]), str(pair[1])) for pair in _list(value) if isinstance(pair, list))
