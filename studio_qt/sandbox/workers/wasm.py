"""The engine that runs Python agents: its settings, and modules compiled for them.

Compiled code fits one version of wasmtime and one set of settings; whoever changes the settings
changes `SETTINGS` too, because it names the files of compiled modules.
"""

from __future__ import annotations

import os
from pathlib import Path

import wasmtime

__all__ = ["SETTINGS", "compile_module", "make_engine", "open_module"]

SETTINGS = "1"
"""Names the settings of `make_engine` in the names of compiled modules."""


def make_engine() -> wasmtime.Engine:
    """Return an engine whose code can be interrupted."""
    config = wasmtime.Config()
    config.epoch_interruption = True
    return wasmtime.Engine(config)


def compile_module(source: Path, target: Path) -> None:
    """Compile the WebAssembly file `source` into `target`, whole or not at all.

    Takes 6 to 12 s of all processors. Raises OSError and `wasmtime.WasmtimeError`.
    """
    module = wasmtime.Module(make_engine(), source.read_bytes())
    draft = target.with_name(f"{target.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            file.write(module.serialize())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def open_module(engine: wasmtime.Engine, path: Path) -> wasmtime.Module:
    """Map a compiled module into memory (under a millisecond).

    Raises `wasmtime.WasmtimeError` when it was compiled by another version or with other settings.
    """
    return wasmtime.Module.deserialize_file(engine, str(path))
