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
from studio_qt.sandbox import carrier
from studio_qt.sandbox.frames import Frame
from studio_qt.sandbox.workers.channel import Channel
from studio_qt.sandbox.workers.python_instance import Instance
from studio_qt.sandbox.workers.wasm import Ticker, make_engine, open_module

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
            if not carrier.is_intact(target) or not _opens(target):
                _make(source, frame.text("digest"), target)
            if not carrier.is_usable(target):
                _compile_program(target)
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
        carrier.write_stamp(target, draft.stat())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _compile_program(target: Path) -> None:
    """Have the interpreter compile the program that it runs (0.1 s)."""

    def script(token: bytes) -> str:
        return (
            "from marshal import dumps\nfrom posix import write\n"
            f"code = compile({carrier.program_text()!r}, '<string>', 'exec')\n"
            f"write(1, {token!r} + dumps(code))\n"
        )

    engine = make_engine()
    instance = Instance(engine, open_module(engine, target), Ticker(engine), script)
    instance.wait()
    messages = instance.take_messages()
    if len(messages) != 1:
        raise ValueError("the interpreter does not work on this machine")
    path = carrier.program_path(target)
    draft = path.with_suffix(f".{os.getpid()}.draft")
    draft.write_bytes(messages[0])
    draft.replace(path)


def _opens(target: Path) -> bool:
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
