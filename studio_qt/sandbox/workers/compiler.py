"""The service of the process that compiles the interpreter of Python agents.

It runs no agent code, so it has no walls; it stands back behind everything else on the machine.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path

import wasmtime

from studio_qt.errors import StorageError
from studio_qt.files.lock import FolderLock
from studio_qt.jsontext import JsonObject
from studio_qt.sandbox.carrier import is_usable, stamp_path, stamp_text
from studio_qt.sandbox.frames import Frame
from studio_qt.sandbox.workers.channel import Channel
from studio_qt.sandbox.workers.wasm import make_engine, open_module

__all__ = ["serve"]

_LOOK_SECONDS = 0.2
_BELOW_NORMAL = 0x4000


def serve(channel: Channel) -> None:
    """Answer compile frames until the host closes."""
    _stand_back()
    while (frame := channel.read()) is not None:
        if frame.op == "compile":
            done: JsonObject = {"op": "done", "call": frame.integer("call"), "cause": "finished"}
            channel.send(done | _compile(frame))


def _compile(frame: Frame) -> JsonObject:
    source, target = Path(frame.text("source")), Path(frame.text("target"))
    lock = FolderLock(target.parent, process="Character Studio")
    try:
        while lock.try_acquire() is not None:
            time.sleep(_LOOK_SECONDS)  # another process compiles: it will be done for us
        with lock:
            if not _fits(target):
                _make(source, frame.text("digest"), target)
    except (OSError, StorageError, ValueError, wasmtime.WasmtimeError) as error:
        return {"cause": "failed", "error": str(error)}
    return {}


def _make(source: Path, digest: str, target: Path) -> None:
    """Compile the WebAssembly file `source` into `target`, whole or not at all.

    Takes 6 to 12 s of all processors. Raises ValueError when the file has not the SHA-256
    `digest`, OSError, and `wasmtime.WasmtimeError`.
    """
    text = source.read_bytes()
    if hashlib.sha256(text).hexdigest() != digest:
        raise ValueError(f"{source.name} is not the file that was expected; install it again")
    module = wasmtime.Module(make_engine(), text)
    draft = target.with_name(f"{target.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            file.write(module.serialize())
            file.flush()
            os.fsync(file.fileno())
        stamp_path(target).write_text(stamp_text(draft.stat()))
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _fits(target: Path) -> bool:
    if not is_usable(target):
        return False
    try:
        open_module(make_engine(), target)
    except wasmtime.WasmtimeError:
        return False
    return True


def _stand_back() -> None:
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.WinDLL("kernel32")
        kernel.SetPriorityClass(kernel.GetCurrentProcess(), _BELOW_NORMAL)
    else:
        os.nice(10)
