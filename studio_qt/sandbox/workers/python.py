"""Python agents: one interpreter each, fed with messages; nothing that it says is believed."""

from __future__ import annotations

import math
import time
from typing import Protocol

from studio_qt.jsontext import JsonObject, decode, decode_object, encode
from studio_qt.sandbox.bridge import METHODS
from studio_qt.sandbox.frames import LOG_LINES, NESTING_CAP, RESULT_CAP, STORE_CAP
from studio_qt.sandbox.workers.drive import End, Report, Request
from studio_qt.sandbox.workers.nesting import nested_deeper_than
from studio_qt.sandbox.workers.python_instance import Instance
from studio_qt.sandbox.workers.python_store import PythonStore, StoreError
from studio_qt.sandbox.workers.python_text import tidy

__all__ = ["Interpreters", "PythonAgent", "script"]

_REQUEST_CAP = 10_000
_ARGUMENT_CAP = 1 << 19
_ASIDE_SECONDS = 1.0
_LONGEST_TIMER = 1e9
_NO_MESSAGE = "it sent what is no message"
_NOT_A_NUMBER = "{} held NaN or Infinity; JSON has no such numbers, null was {} instead."
_DEATHS = {
    "time": End("time", dropped=True),
    "memory": End("memory", dropped=True),
    "stack": End("failed", error="its calls were nested too deep", dropped=True),
    "exit": End("failed", error="it ended its interpreter", dropped=True),
    "ended": End("stopped", dropped=True),
}
_START = """
from marshal import loads
from posix import read
exec(loads(read(0, 1 << 20)))
"""
_CRASH = End("failed", error="its interpreter broke down", dropped=True)


class Interpreters(Protocol):
    """Where agents get their interpreters from."""

    def take(self) -> Instance:
        """Return one that has booted."""
        ...

    def refill(self) -> None:
        """Have the next one ready soon."""
        ...


class PythonAgent:
    """An agent's interpreter, and the activity that runs in it."""

    def __init__(self, code: JsonObject, interpreters: Interpreters) -> None:
        self._file = str(code["file"])
        self._source = str(code["source"]).removeprefix("\ufeff")
        self._namespaces = code.get("namespaces")
        self._interpreters = interpreters
        self._instance: Instance | None = None
        self._deadline = 0.0
        self._memory_mb = 0
        self._store = PythonStore()
        self._ahead: bytes | None = None  # the packed store that the interpreter has already
        self._reset()
        self.exports: tuple[str, ...] = ()
        self.notices: list[str] = []

    # ---- what the service calls

    def allow(self, seconds: float, memory_mb: int) -> None:
        """Set what the next activity may use, counted from now."""
        self._deadline = time.monotonic() + seconds
        self._memory_mb = memory_mb

    def load(self, seconds: float, memory_mb: int) -> Report:
        """Run the module in an interpreter of its own, whose boot is not the agent's time."""
        self._instance = self._interpreters.take()
        self.allow(seconds, memory_mb)
        self._reset()
        head = encode({"file": self._file, "namespaces": self._namespaces})
        return self._step(_message(f'["load",{head}]', self._source.encode("utf-8", "replace")))

    def finish_loading(self, end: End) -> End:
        """Take the names of the module's functions; return how loading ended."""
        self._interpreters.refill()
        names = end.value
        if end.cause != "finished" or not isinstance(names, list) or end.dropped:
            self.close()
            return _CRASH if end.cause == "finished" else end
        self.exports = tuple(str(name) for name in names)
        return End("finished")

    def call(self, head: str, store: str, keep: int) -> Report:
        """Start a handler: `head` is JSON text, `keep` tells which held store text stands in."""
        self._reset()
        self._store.take(store, keep)
        there = self._ahead is self._store.packed
        self._ahead = None
        line = tidy(head.encode())[0].decode()
        return self._step(_message(f'["call",{line}]', b"" if there else self._store.packed))

    def prepare(self) -> None:
        """Hand over the store that the next call most likely comes with."""
        instance = self._instance
        if instance is None:
            return
        self._store.foresee()
        instance.post(_message('["store"]', self._store.packed))
        instance.resume(time.monotonic() + _ASIDE_SECONDS, self._memory_mb)
        instance.take_messages()  # nobody asked the agent anything
        self._ahead = self._store.packed

    def close(self) -> None:
        """End the interpreter; twice is harmless."""
        if self._instance is not None:
            self._instance.kill()
            self._instance = None

    # ---- Guest

    def reply(self, request: int, *, ok: bool, value: str) -> Report:
        """Settle a bridge request with JSON text and run on, unless it sleeps."""
        if request not in self._open:
            return self._report()
        self._open.discard(request)
        head = f'["reply",{request},{"true" if ok else "false"}]'
        return self._step(_message(head, tidy(value.encode())[0]))

    def wake(self) -> Report:
        """Run on if what it waited for is over."""
        if self._sleeps():
            return self._report()
        return self._step(None if self._was_asleep() else _message('["timer"]'))

    def abandon(self, end: End) -> Report:
        """Give the activity up; the interpreter stays if it lets go of it soon."""
        instance = self._instance
        if instance is None or end.dropped or instance.sleeping is not None:
            return self._drop(end)
        self._deadline = time.monotonic() + _ASIDE_SECONDS
        report = self._step(_message('["stop"]'))
        if report.end is None or report.end.dropped:
            return self._drop(end, report)
        return Report(requests=report.requests, end=end, logs=report.logs)

    # ---- stepping

    def _reset(self) -> None:
        self._open: set[int] = set()
        self._requests = 0
        self._timer: float | None = None
        self._end: End | None = None
        self._logs: list[str] = []

    def _drop(self, end: End, report: Report | None = None) -> Report:
        requests = report.requests if report is not None else ()
        logs = report.logs if report is not None and report.end is not None else self._all_logs()
        self.close()
        dropped = End(end.cause, error=end.error, place=end.place, dropped=True)
        return Report(requests=requests, end=dropped, logs=logs)

    def _sleeps(self) -> bool:
        sleeping = self._instance.sleeping if self._instance is not None else None
        return sleeping is not None and sleeping > time.monotonic()

    def _was_asleep(self) -> bool:
        return self._instance is not None and self._instance.sleeping is not None

    def _step(self, message: bytes | None) -> Report:
        instance = self._instance
        if instance is None:
            return Report(end=_CRASH)
        if message is not None:
            instance.post(message)
        if self._sleeps():
            return self._report()
        self._timer = None
        instance.resume(self._deadline, self._memory_mb)
        requests = self._read_messages(instance)
        if instance.dead is not None:
            self._logs = [*instance.take_text(), *self._logs]
            self._end_dead(instance.dead)
        return self._report(requests)

    def _end_dead(self, reason: str) -> None:
        ended = self._end
        self._instance = None
        if ended is None:
            self._end = _DEATHS.get(reason, _CRASH)
        else:
            self._end = End(ended.cause, ended.value, ended.error, ended.store, True, ended.place)

    def _report(self, requests: tuple[Request, ...] = ()) -> Report:
        if self._end is not None:
            end = self._end
            if end.dropped:
                self.close()
            return Report(requests=requests, end=end, logs=self._all_logs())
        until = self._instance.sleeping if self._instance is not None else None
        until = self._timer if until is None else until
        left = None if until is None else _milliseconds_to(until)
        return Report(requests=requests, open=len(self._open), timer=left)

    def _all_logs(self) -> tuple[str, ...]:
        printed = self._instance.take_text() if self._instance is not None else ()
        return (*printed, *self._logs)

    # ---- messages of the guest

    def _read_messages(self, instance: Instance) -> tuple[Request, ...]:
        requests: list[Request] = []
        for message in instance.take_messages():
            try:
                self._read_message(message[:1], message[1:], requests)
            except (ValueError, KeyError, UnicodeDecodeError):
                self._end = End("failed", error=_NO_MESSAGE, dropped=True)
                break
        return tuple(requests)

    def _read_message(self, kind: bytes, text: bytes, requests: list[Request]) -> None:
        if kind == b"q":
            self._read_request(text, requests)
        elif kind == b"w":
            self._timer = None if text == b"-" else time.monotonic() + _seconds(text)
        elif self._end is not None:
            raise ValueError("the activity has ended already")
        elif kind == b"d":
            self._end = self._read_end(text)
        elif kind == b"e":
            self._end = self._read_failure(decode_object(text))
        elif kind == b"m":
            self._end = End("memory", dropped=True)
        elif kind == b"x":
            self._end = End("stopped")
        else:
            raise ValueError("there is no such message")

    def _read_request(self, text: bytes, requests: list[Request]) -> None:
        number, method, payload = text.split(b" ", 2)
        key, name = int(number), method.decode()
        self._requests += 1
        if len(payload) > _ARGUMENT_CAP or self._requests > _REQUEST_CAP + 2 * LOG_LINES:
            raise ValueError("it asks for too much")
        payload, _ = tidy(payload, by_python=True)
        if name not in METHODS or nested_deeper_than(payload, NESTING_CAP + 1):
            raise ValueError("this is no request")
        if not isinstance(decode(payload), list):
            raise ValueError("the arguments are no list")
        if key:
            self._open.add(key)
        requests.append(Request(key, name, payload.decode()))

    def _read_end(self, text: bytes) -> End:
        value_text, written, names = (*text.split(b"\n", 2), b"", b"")[:3]
        value_text, odd = tidy(value_text, by_python=True)
        if nested_deeper_than(value_text, NESTING_CAP):
            return _failed(f"the returned value is nested more than {NESTING_CAP} deep")
        value = decode(value_text)
        size = len(value.encode()) if isinstance(value, str) else len(value_text)
        if size > RESULT_CAP:
            return _failed(f"the returned value is larger than {RESULT_CAP >> 10} KB")
        if odd:
            self._logs.append(_NOT_A_NUMBER.format("The returned value", "passed on"))
        if not written:
            return End("finished", value)
        try:
            store, odd = self._store.give_back(written, decode(names) if names else None)
        except StoreError as error:
            return _failed(str(error))
        if odd:
            self._logs.append(_NOT_A_NUMBER.format("The store", "saved"))
        return End("finished", value, store=store)

    def _read_failure(self, told: JsonObject) -> End:
        name, message, line = told["name"], str(told["message"]), told.get("line")
        place = (self._file, line) if isinstance(line, int) else None
        trace = told.get("trace")
        self._logs += [str(text) for text in trace] if isinstance(trace, list) else []
        plain = name in ("", "Exception", "RuntimeError") and message
        return End("failed", error=message if plain else _named(str(name), message), place=place)


def script(token: bytes) -> str:
    """Return what starts an instance: it reads its program, compiled, as its first message."""
    config = {
        "token": token,
        "methods": dict(METHODS),
        "result_cap": RESULT_CAP,
        "store_cap": STORE_CAP,
        "argument_cap": _ARGUMENT_CAP,
        "request_cap": _REQUEST_CAP,
        "log_lines": LOG_LINES,
        "nesting_cap": NESTING_CAP,
    }
    return f"CONFIG = {config!r}\n{_START}"


def _seconds(text: bytes) -> float:
    seconds = float(text) / 1000
    if not math.isfinite(seconds):
        raise ValueError("it waits for a time that never comes")
    return seconds


def _milliseconds_to(moment: float) -> float:
    """Return how long a timer has to run; it may ring too early."""
    return min(max(0.0, (moment - time.monotonic()) * 1000), _LONGEST_TIMER)


def _message(head: str, text: bytes = b"") -> bytes:
    line = head.encode()
    return b"%08x%08x%b%b" % (len(line), len(text), line, text)


def _failed(reason: str) -> End:
    return End("failed", error=reason)


def _named(name: str, message: str) -> str:
    return f"{name}: {message}" if message else name
