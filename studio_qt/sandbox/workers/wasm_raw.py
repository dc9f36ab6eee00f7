"""What the public interface of wasmtime leaves out or does slowly, by its C interface.

Functions for the guest cost 3 µs a call this way instead of 30; the callback at epoch deadlines
has no other way at all.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import wasmtime
from wasmtime import _bindings, _ffi

__all__ = ["Memory", "OutsideError", "call_at_deadlines", "define"]

_SYSTEM = b"wasi_snapshot_preview1"
_Pointer = ctypes.c_void_p
_Function = ctypes.CFUNCTYPE(
    ctypes.c_size_t, _Pointer, _Pointer, ctypes.POINTER(ctypes.c_uint64), ctypes.c_size_t
)
_Deadline: Any = _bindings._wasmtime_store_epoch_deadline_callback.argtypes[1]
_Finalizer: Any = _bindings._wasmtime_store_epoch_deadline_callback.argtypes[3]
_no_finalizer: Any = ctypes.cast(ctypes.c_void_p(), _Finalizer)


def _typed(name: str, result: Any, *arguments: Any) -> Any:
    function = _ffi.dll[name]  # an object of our own: the bindings keep theirs
    function.restype, function.argtypes = result, arguments
    return function


_memory_data = _typed("wasmtime_memory_data", _Pointer, _Pointer, _Pointer)
_memory_size = _typed("wasmtime_memory_data_size", ctypes.c_size_t, _Pointer, _Pointer)
_new_error = _typed("wasmtime_error_new", ctypes.c_size_t, ctypes.c_char_p)


class OutsideError(Exception):
    """A guest pointed outside of its memory."""


class Memory:
    """The memory of a guest; places are what the guest calls pointers, of which 32 bits count."""

    def __init__(self, store: wasmtime.Store, memory: wasmtime.Memory) -> None:
        self._context = ctypes.cast(store._context(), _Pointer)
        self._memory = ctypes.byref(memory._memory)

    @property
    def size(self) -> int:
        """How large it is now, in bytes."""
        return int(_memory_size(self._context, self._memory))

    def read(self, place: int, size: int) -> bytes:
        """Return a copy; raises OutsideError."""
        return ctypes.string_at(self._at(place, size), size)

    def write(self, place: int, data: bytes) -> None:
        """Put bytes there; raises OutsideError."""
        ctypes.memmove(self._at(place, len(data)), data, len(data))

    def _at(self, place: int, size: int) -> int:
        place &= 0xFFFFFFFF
        if size < 0 or place + size > self.size:
            raise OutsideError("it pointed outside of its memory")
        return int(_memory_data(self._context, self._memory)) + place


def define(linker: wasmtime.Linker, name: str, function: Callable[..., int]) -> object:
    """Put `function` in the place of a function of WASI that takes four 32-bit numbers.

    An exception that it raises ends the guest with a trap. Returns what has to be kept as long as
    the guest lives.
    """

    def guarded(_: object, __: object, values: Any, ___: int) -> int:
        try:
            values[0] = function(values[0], values[2], values[4], values[6])
        except BaseException as error:  # noqa: BLE001 - nothing can be raised into C code
            return int(_new_error(str(error).encode() or b"ended"))
        return 0

    callback = _Function(guarded)
    kind = wasmtime.FuncType([wasmtime.ValType.i32()] * 4, [wasmtime.ValType.i32()])
    title = name.encode()
    problem = _bindings.wasmtime_linker_define_func_unchecked(
        linker.ptr(),
        ctypes.create_string_buffer(_SYSTEM),
        len(_SYSTEM),
        ctypes.create_string_buffer(title),
        len(title),
        kind.ptr(),
        ctypes.cast(callback, _bindings.wasmtime_func_unchecked_callback_t),
        None,
        _no_finalizer,
    )
    if problem:
        raise wasmtime.WasmtimeError._from_ptr(problem)
    return callback


def call_at_deadlines(store: wasmtime.Store, ask: Callable[[], bool]) -> object:
    """Ask at each tick of the engine's clock whether the guest may go on.

    Returns what has to be kept as long as the store lives.
    """

    def asked(_: object, __: object, ticks: Any, kind: Any) -> int:
        if not ask():
            return int(_new_error(b"time limit"))
        ticks[0], kind[0] = 1, 0
        return 0  # None would be taken for an error, and freed

    callback = _Deadline(asked)
    _bindings.wasmtime_store_epoch_deadline_callback(store.ptr(), callback, None, _no_finalizer)
    store.set_epoch_deadline(1)
    return callback
