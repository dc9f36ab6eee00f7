"""The service of the workers for Python agents: it keeps one interpreter ready for the next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import wasmtime

from studio_qt.sandbox.workers.channel import Channel
from studio_qt.sandbox.workers.python import PythonAgent, script
from studio_qt.sandbox.workers.python_instance import Instance
from studio_qt.sandbox.workers.service import Service
from studio_qt.sandbox.workers.stale import StaleError
from studio_qt.sandbox.workers.wasm import Ticker, make_engine, open_module

__all__ = ["prepare"]


def prepare(compiled: str, program: str) -> Callable[[Channel], None]:
    """Open the compiled interpreter and its program, while files can be opened; return the service.

    Raises StaleError.
    """
    engine = make_engine()
    try:
        text = Path(program).read_bytes()
        module = open_module(engine, Path(compiled))
        with wasmtime.Store(engine) as store:  # its memory image is made now, which takes a file
            store.set_wasi(wasmtime.WasiConfig())
            linker = wasmtime.Linker(engine)
            linker.define_wasi()
            linker.instantiate(store, module)
    except (OSError, wasmtime.WasmtimeError) as error:
        raise StaleError(str(error)) from error

    def serve(channel: Channel) -> None:
        interpreters = _Interpreters(engine, module, text)
        Service(channel, lambda code: PythonAgent(code, interpreters)).serve()

    return serve


class _Interpreters:
    """Hands out booted interpreters; the next one boots in the background."""

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module, program: bytes) -> None:
        self._engine = engine
        self._module = module
        self._program = program
        self._ticker = Ticker(engine)
        self._spare: Instance | None = self._boot()

    def take(self) -> Instance:
        """Return an interpreter that has booted, or died of that."""
        taken, self._spare = self._spare or self._boot(), None
        taken.wait()
        return taken

    def refill(self) -> None:
        """Boot the next one; to be called when what the last was taken for is done."""
        if self._spare is None:
            self._spare = self._boot()

    def _boot(self) -> Instance:
        return Instance(self._engine, self._module, self._ticker, script, self._program)
