"""The service of the TypeScript worker: the official compiler in a QuickJS context of its own.

It runs on the thread that `boot` makes, because the compiler recurses deeply: 1,000 nested
parentheses take 16 MB of stack. It has no time limit of its own: the host ends the process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import _quickjs  # type: ignore[import-not-found]  # without the pool that `quickjs` starts

from studio_qt.jsontext import JsonObject
from studio_qt.sandbox.compiler import DRIVER, CompilerMissingError, find_compiler
from studio_qt.sandbox.workers.channel import Channel

__all__ = ["serve"]

_ENGINE_STACK = 16 << 20
_ENGINE_MEMORY = 1 << 30
_TOO_DEEP = "it is nested too deeply for the TypeScript compiler"
_TOO_LARGE = "the TypeScript compiler ran out of memory"

Compile = Callable[[str], str]


def _read() -> tuple[str, str]:
    try:
        path, _ = find_compiler()
    except CompilerMissingError as error:
        raise ImportError(str(error)) from error
    return path.read_text(encoding="utf-8"), DRIVER.read_text(encoding="utf-8")


_COMPILER, _DRIVER = _read()  # before the walls, which leave no file to be read


def serve(channel: Channel) -> None:
    """Answer compile frames until the host closes; the blob is the source as JSON text."""
    held: list[Any] = []
    while (frame := channel.read()) is not None:
        if frame.op != "compile":
            continue
        answer: JsonObject = {"op": "done", "call": frame.integer("call"), "cause": "finished"}
        try:
            held = held or _start()
            channel.send(answer, held[-1](frame.blob.decode()).encode())
        except (_quickjs.JSException, MemoryError) as error:
            held = []  # it may have been left in the middle of something
            channel.send(answer | {"cause": "failed", "error": _reason(str(error))})


def _start() -> list[Any]:
    """Return a new context and the compiling function in it (0.4 s, 64 MB)."""
    context = _quickjs.Context()
    context.set_max_stack_size(_ENGINE_STACK)
    context.set_memory_limit(_ENGINE_MEMORY)
    context.eval(_COMPILER)
    return [context, context.eval(_DRIVER)]


def _reason(text: str) -> str:
    first = text.partition("\n")[0]
    if "call stack" in first or "stack overflow" in first:
        return _TOO_DEEP
    if "out of memory" in first or first in ("", "null"):
        return _TOO_LARGE
    return f"the TypeScript compiler failed: {first}"
