"""What a worker takes away from itself before any foreign code runs (BOX-01).

Every wall is best effort and says in a sentence that it stands; the channel is the real border.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time

__all__ = ["raise_walls", "watch_parent"]

_PARENT_CHECK_SECONDS = 2.0
_MEMORY_BYTES = 6 << 30
_OPEN_FILES = 64


def raise_walls() -> tuple[str, ...]:
    """Raise what this system offers and return a sentence for each wall that stands."""
    walls = ["The environment of a worker is empty.", "Its working folder is empty and temporary."]
    if sys.platform != "win32":
        walls += _limit_resources()
    return tuple(walls)


def watch_parent(parent: int) -> None:
    """End this process soon after the process `parent` has ended, whatever agent code does."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
    watch = threading.Thread(target=_watch, args=(parent,), name="watch", daemon=True)
    watch.start()


def _watch(parent: int) -> None:
    if sys.platform == "win32":
        _wait_for_process(parent)
    else:
        while os.getppid() == parent:
            time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)


def _wait_for_process(pid: int) -> None:
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.OpenProcess.restype = ctypes.c_void_p
        kernel.WaitForSingleObject.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
        handle = kernel.OpenProcess(0x00100000, False, pid)  # SYNCHRONIZE
        if handle:
            kernel.WaitForSingleObject(handle, 0xFFFFFFFF)


def _limit_resources() -> list[str]:
    import resource

    walls = []
    limits = [
        ("RLIMIT_CORE", 0, "It writes no core dumps."),
        ("RLIMIT_NOFILE", _OPEN_FILES, f"It can hold at most {_OPEN_FILES} files open."),
    ]
    if sys.platform == "linux":
        sentence = f"It can take at most {_MEMORY_BYTES >> 30} GB of address space."
        limits.append(("RLIMIT_AS", _MEMORY_BYTES, sentence))
    for name, value, sentence in limits:
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (ValueError, OSError) as error:
            print(f"{name} could not be set: {error}", file=sys.stderr)  # noqa: T201
        else:
            walls.append(sentence)
    return walls
