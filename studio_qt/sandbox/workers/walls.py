"""What a worker takes away from itself before any foreign code runs (BOX-01).

Every wall is best effort; a sentence says that it stands, another one that it could not be raised.
The channel is the real border.
"""

from __future__ import annotations

import codecs
import ctypes
import os
import sys
import threading
import time

__all__ = ["MISSING", "raise_walls", "watch_parent"]

MISSING = "Missing:"
"""How the sentence on a wall begins that does not stand."""

_PARENT_CHECK_SECONDS = 2.0
_OPEN_FILES = 64
_GIGABYTE = 1 << 30
_LANDLOCK_OF_NETWORKS = 4  # the first version that knows of connections
_MOST_MEMORY = 6 * _GIGABYTE


def raise_walls(*, bounded: bool = True) -> tuple[str, ...]:
    """Raise what this system offers; return a sentence for each wall, also for one that is missing.

    `bounded` limits the address space, of which WebAssembly reserves far more than it uses. Call
    it on the main thread, after everything has been imported and before threads start.
    """
    walls = ["The environment of a worker is empty.", "Its working folder is empty and temporary."]
    _finish_loading()
    if sys.platform != "win32":
        walls += _limit_resources(bounded)
    if not bounded:
        walls.append("WebAssembly keeps agents to memory of their own, of a limited size.")
    if sys.platform == "linux":
        walls += _close_the_kernel()
    elif sys.platform == "win32":
        walls.append(_tell_job())
    else:
        walls.append(f"{MISSING} this system has no wall of its own against files and connections.")
    return tuple(walls)


def watch_parent(parent: int) -> None:
    """End this process soon after the process `parent` has ended, whatever agent code does."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
    watch = threading.Thread(target=_watch, args=(parent,), name="watch", daemon=True)
    watch.start()


def _finish_loading() -> None:
    """Load what Python and the C library would otherwise load on first use, from files."""
    for name in ("utf-16", "utf-8-sig", "idna"):
        codecs.lookup(name)
    time.localtime()


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


def _limit_resources(bounded: bool) -> list[str]:  # noqa: FBT001 - passed on
    import resource

    walls = []
    limits = [
        ("RLIMIT_CORE", 0, "It writes no core dumps."),
        ("RLIMIT_NOFILE", _OPEN_FILES, f"It can hold at most {_OPEN_FILES} files open."),
    ]
    if sys.platform == "linux" and bounded:
        memory = _address_space()
        sentence = f"It can take at most {memory / _GIGABYTE:.1f} GB of address space."
        limits.append(("RLIMIT_AS", memory, sentence))
    for name, value, sentence in limits:
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (ValueError, OSError) as error:
            walls.append(f"{MISSING} the limit {name} could not be set ({error}).")
        else:
            walls.append(sentence)
    return walls


def _address_space() -> int:
    """Return what all agents of a worker may take together: most of the machine's memory."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(2 * _GIGABYTE, min(_MOST_MEMORY, physical * 3 // 4))


def _close_the_kernel() -> list[str]:
    from studio_qt.sandbox.workers import linux

    walls = []
    try:
        walls.append(_tell_landlock(linux.forbid_files()))
    except OSError as error:
        walls.append(f"{MISSING} the kernel refused Landlock ({error}).")
    try:
        known = linux.forbid_calls()
    except OSError as error:
        walls.append(f"{MISSING} the kernel refused seccomp ({error}).")
    else:
        there = "Seccomp refuses it to open, connect, start or signal anything."
        walls.append(there if known else f"{MISSING} no seccomp filter is known for this machine.")
    return walls


def _tell_landlock(version: int) -> str:
    if version == 0:
        return f"{MISSING} this kernel has no Landlock."
    refused = "every file and connection" if version >= _LANDLOCK_OF_NETWORKS else "every file"
    return f"Landlock (version {version}) refuses it {refused}."


def _tell_job() -> str:
    """Return whether the host has put this process into a job object of Windows."""
    held = ctypes.c_int(0)
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        kernel.IsProcessInJob.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        kernel.IsProcessInJob(kernel.GetCurrentProcess(), None, ctypes.byref(held))
    if held.value:
        return "A job object ends it with the application and limits its memory."
    return f"{MISSING} this process is in no job object."
