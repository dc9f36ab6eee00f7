"""One CPython inside WebAssembly, on a thread of its own, fed with messages.

The interpreter runs our script, which reads messages and writes messages for ever. It parks where
it reads or sleeps; `resume` lets it run on and returns when it has parked again or has died. All
that it reaches is shadowed here: reading gives messages, writing gives messages and log text, and
sleeping parks, so that nothing of it can block where no time limit can end it.
"""

from __future__ import annotations

import ctypes
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable

import wasmtime
from wasmtime import _bindings as raw  # what the public interface leaves out

__all__ = ["BOOT_SECONDS", "Instance", "Ticker"]

BOOT_SECONDS = 60.0
_TICK_SECONDS = 0.05
_IDLE_TICKS = 40
_SYSTEM = b"wasi_snapshot_preview1"
_CHUNK = 1 << 16  # reads of fewer bytes are the agent's own, and find nothing
_MESSAGE_CAP = 68 << 20
_TEXT_CAP = 120_000
_SUCCESS, _BAD_DESCRIPTOR, _FAULT, _NOT_SUPPORTED = 0, 8, 21, 58
_EVENT_BYTES = 32
_NEVER = float("inf")

_Callback = ctypes.CFUNCTYPE(
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.c_size_t,
)
_DeadlineCallback = raw._wasmtime_store_epoch_deadline_callback.argtypes[1]
_NO_FINALIZER = ctypes.cast(None, ctypes.CFUNCTYPE(None, ctypes.c_void_p))


class _EndedError(Exception):
    """The instance has to end; raised in the functions that it calls."""


class Ticker:
    """Moves an engine's clock on while instances run, so that they ask for their deadlines."""

    def __init__(self, engine: wasmtime.Engine) -> None:
        self._engine = engine
        self._awake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Tick from now on, for a while at least."""
        self._idle = 0
        if not self._awake.is_set():
            self._awake.set()

    def _run(self) -> None:
        while True:
            self._awake.wait()
            self._idle = 0
            while self._idle < _IDLE_TICKS:
                time.sleep(_TICK_SECONDS)
                self._engine.increment_epoch()
                self._idle += 1
            self._awake.clear()
