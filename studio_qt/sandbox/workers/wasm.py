"""The engine that runs Python agents: its settings, its clock, and modules compiled for it.

Compiled code fits one version of wasmtime and one set of settings; whoever changes the settings
changes the number in `studio_qt.sandbox.carrier` too, because it names the compiled files.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

import wasmtime

__all__ = ["Ticker", "make_engine", "open_module"]

_TICK_SECONDS = 0.05
_IDLE_TICKS = 40


def make_engine() -> wasmtime.Engine:
    """Return an engine whose code can be interrupted."""
    config = wasmtime.Config()
    config.epoch_interruption = True
    return wasmtime.Engine(config)


def open_module(engine: wasmtime.Engine, path: Path) -> wasmtime.Module:
    """Map a compiled module into memory (under a millisecond).

    Raises `wasmtime.WasmtimeError` when it was compiled by another version or with other settings.
    """
    return wasmtime.Module.deserialize_file(engine, str(path))


class Ticker:
    """Moves an engine's clock on while instances run, so that they look at their deadlines."""

    def __init__(self, engine: wasmtime.Engine) -> None:
        self._engine = engine
        self._idle = 0
        self._awake = threading.Event()
        threading.Thread(target=self._run, name="ticker", daemon=True).start()

    def wake(self) -> None:
        """Tick from now on; it rests again when this has not been called for 2 s."""
        self._idle = 0
        if not self._awake.is_set():
            self._awake.set()

    def _run(self) -> None:
        while True:
            self._awake.wait()
            while self._idle < _IDLE_TICKS:
                time.sleep(_TICK_SECONDS)
                self._engine.increment_epoch()
                self._idle += 1
            self._awake.clear()
            if self._idle < _IDLE_TICKS:  # woken at this very moment
                self._awake.set()
