"""One CPython inside WebAssembly, on a thread of its own, fed with messages.

The interpreter runs our script, which takes messages and gives messages for ever. It parks where
it reads or sleeps; `resume` lets it run on and returns when it has parked again or has died. The
functions by which it would wait for the system are replaced here, so that no agent can block where
no time limit ends it, and so that printed text and messages stay apart.
"""

from __future__ import annotations

import os
import queue
import struct
import threading
import time
from collections import deque
from collections.abc import Callable

import wasmtime

from studio_qt.sandbox.frames import LOG_LINES
from studio_qt.sandbox.workers.wasm import Ticker
from studio_qt.sandbox.workers.wasm_raw import Memory, call_at_deadlines, define

__all__ = ["Instance"]

_BOOT_SECONDS = 60.0
_BOOT_BYTES = 128 << 20
_OWN_READ = 1 << 16  # reads of fewer bytes are the agent's own and find nothing
_MESSAGE_CAP = 68 << 20
_TEXT_CAP = 120_000
_LINE_CAP = 2000
_VECTOR_CAP = 64
_FINE, _BAD_DESCRIPTOR, _INVALID, _NO_SUPPORT = 0, 8, 28, 58
_SUBSCRIPTION = struct.Struct("<QB7xI4xQQH6x")
_EVENT = struct.Struct("<QHB21x")
_VECTOR = struct.Struct("<II")
_CLOCK = 0
_WORD = 0xFFFFFFFF


class _EndedError(Exception):
    """The instance has to end; raised inside the functions that it calls."""


class Instance:
    """An interpreter that boots at once, in the background.

    It runs `script`, which is given the token that its messages begin with; `first` is what it
    reads first.

    `dead` is None while it lives, then "time", "memory", "stack", "exit", "ended" or "crash".
    """

    def __init__(
        self,
        engine: wasmtime.Engine,
        module: wasmtime.Module,
        ticker: Ticker,
        script: Callable[[bytes], str],
        first: bytes = b"",
    ) -> None:
        self.dead: str | None = None
        self.sleeping: float | None = None  # until when, on the monotonic clock
        self._engine = engine
        self._module = module
        self._ticker = ticker
        self._token = os.urandom(16)
        self._script = script(self._token)
        self._own_bytes = 0  # what it takes before any agent is there
        self._wanted = self._limit = _BOOT_BYTES
        self._deadline = time.monotonic() + _BOOT_SECONDS
        self._fault: str | None = None
        self._ending = False
        self._inbox: deque[bytes] = deque([first] if first else [])
        self._rest = b""
        self._messages: list[bytes] = []
        self._size = 0
        self._text = bytearray()
        self._go: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._parked: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._booting = True
        ticker.wake()
        threading.Thread(target=self._run, name="python", daemon=True).start()

    def wait(self) -> None:
        """Wait until it has booted, or died of that."""
        if self._booting:
            self._parked.get()
            self._booting = False

    def post(self, message: bytes) -> None:
        """Put a message where the next read finds it, without running on."""
        self._inbox.append(message)

    def resume(self, deadline: float, memory_mb: int) -> None:
        """Run on until it parks or dies; it dies when `deadline` on the monotonic clock passes.

        The agent may take `memory_mb` besides what the interpreter itself takes.
        """
        self.wait()
        if self.dead is not None:
            return
        self._deadline = deadline
        self._wanted = self._own_bytes + (memory_mb << 20)
        self._size = 0
        self._ticker.wake()
        self._go.put(None)
        self._parked.get()

    def take_messages(self) -> list[bytes]:
        """Return what it sent since this was last asked."""
        taken, self._messages = self._messages, []
        return taken

    def take_text(self) -> tuple[str, ...]:
        """Return the lines that were printed since this was last asked, 500 at most."""
        if not self._text:
            return ()
        lines = self._text.decode("utf-8", "replace").splitlines()
        lost = len(lines) > LOG_LINES or len(self._text) >= _TEXT_CAP
        self._text.clear()
        told = tuple(_cut(line) for line in lines[:LOG_LINES])
        return (*told, "(more lines were dropped)") if lost else told

    def kill(self) -> None:
        """End it; nobody needs to wait for that."""
        self._ending = True
        self._deadline = 0.0
        self._go.put(None)

    # ---- on the thread of the interpreter

    def _run(self) -> None:
        try:
            self.dead = self._live()
        finally:
            self.dead = self.dead or "crash"
            self._parked.put(None)

    def _live(self) -> str:
        with wasmtime.Store(self._engine) as store:
            self._store = store
            store.set_limits(memory_size=self._limit)
            try:
                self._instantiate(store)(store)
            except wasmtime.ExitTrap:
                return self._fault or "exit"
            except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
                return self._fault or self._reason(error)
            return self._fault or "exit"

    def _reason(self, error: Exception) -> str:
        if self._memory.size + (1 << 20) > self._limit:
            return "memory"
        code = getattr(error, "trap_code", None)
        deep = (wasmtime.TrapCode.STACK_OVERFLOW, wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS)
        return "stack" if code in deep else "crash"

    def _instantiate(self, store: wasmtime.Store) -> wasmtime.Func:
        system = wasmtime.WasiConfig()
        system.argv = ["python", "-I", "-S", "-B", "-c", self._script]
        store.set_wasi(system)
        linker = wasmtime.Linker(self._engine)
        linker.allow_shadowing = True
        linker.define_wasi()
        shadows = {"fd_read": self._read, "fd_write": self._write, "poll_oneoff": self._poll}
        self._kept = [define(linker, name, function) for name, function in shadows.items()]
        self._kept.append(call_at_deadlines(store, self._may_go_on))
        exports = linker.instantiate(store, self._module).exports(store)
        memory, start = exports["memory"], exports["_start"]
        if not isinstance(memory, wasmtime.Memory) or not isinstance(start, wasmtime.Func):
            raise TypeError("this is not a WebAssembly program")
        self._memory = Memory(store, memory)
        self._clock_began = time.monotonic()
        return start

    def _may_go_on(self) -> bool:
        if time.monotonic() > self._deadline:
            self._fault = "ended" if self._ending else "time"
            return False
        self._ticker.wake()
        return True

    def _park(self) -> None:
        self._own_bytes = self._own_bytes or self._memory.size
        self._parked.put(None)
        self._go.get()
        if self._ending:
            self._fault = "ended"
            raise _EndedError("it was ended from outside")
        if self._wanted != self._limit:
            self._limit = self._wanted
            self._store.set_limits(memory_size=self._limit)

    # ---- what the interpreter calls

    def _read(self, descriptor: int, vectors: int, count: int, result: int) -> int:
        if descriptor & _WORD:
            return _BAD_DESCRIPTOR
        place, room = self._vectors(vectors, count)[0]
        if not self._rest and room >= _OWN_READ:
            while not self._inbox:
                self._park()
            self._rest = self._inbox.popleft()
        part, self._rest = self._rest[:room], self._rest[room:]
        self._memory.write(place, part)
        return self._number(result, len(part))

    def _write(self, descriptor: int, vectors: int, count: int, result: int) -> int:
        if descriptor & _WORD not in (1, 2):
            return _BAD_DESCRIPTOR
        buffers = self._vectors(vectors, count)
        for place, size in buffers:
            self._take(place, size)
        return self._number(result, sum(size for _, size in buffers))

    def _take(self, place: int, size: int) -> None:
        token = len(self._token)
        if self._memory.read(place, min(size, token)) == self._token:
            self._size += size
            if self._size > _MESSAGE_CAP:
                raise _EndedError("it sent more than it may")
            self._messages.append(self._memory.read(place + token, size - token))
        elif len(self._text) < _TEXT_CAP:
            self._text += self._memory.read(place, min(size, _TEXT_CAP))

    def _poll(self, given: int, events: int, count: int, result: int) -> int:
        if not 0 < (count := count & _WORD) <= _VECTOR_CAP:
            return _INVALID
        text = self._memory.read(given, _SUBSCRIPTION.size * count)
        found = list(_SUBSCRIPTION.iter_unpack(text))
        clocks = [(self._due(*rest), user) for user, kind, *rest in found if kind == _CLOCK]
        if not clocks:
            return _NO_SUPPORT
        until, user = min(clocks)
        self._sleep(until)
        self._memory.write(events, _EVENT.pack(user, _FINE, _CLOCK))
        return self._number(result, 1)

    def _due(self, clock: int, timeout: int, _: int, flags: int) -> float:
        """Return when a clock is due, as the monotonic clock here tells it."""
        seconds = timeout / 1e9
        if not flags & 1:
            return time.monotonic() + seconds
        if clock == 0:
            return time.monotonic() + seconds - time.time()
        return self._clock_began + seconds

    def _sleep(self, until: float) -> None:
        try:
            while time.monotonic() < until:
                self.sleeping = until
                self._park()
        finally:
            self.sleeping = None

    def _vectors(self, place: int, count: int) -> list[tuple[int, int]]:
        """Return places and sizes of the buffers that a call names."""
        count &= _WORD
        if not 0 < count <= _VECTOR_CAP:
            raise _EndedError("it passed no buffers, or too many")
        return list(_VECTOR.iter_unpack(self._memory.read(place, _VECTOR.size * count)))

    def _number(self, place: int, value: int) -> int:
        self._memory.write(place, value.to_bytes(4, "little"))
        return _FINE


def _cut(line: str) -> str:
    return line if len(line) <= _LINE_CAP else line[:_LINE_CAP] + "…"
