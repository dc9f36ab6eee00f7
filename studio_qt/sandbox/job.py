"""A job object of Windows around a worker: no orphans, and a cap on memory.

Everything in the job ends when the host's handle to it closes, which the system sees to even when
the host is killed. On other systems there is nothing to do.
"""

from __future__ import annotations

import ctypes
import logging
import subprocess
import sys

__all__ = ["Job"]

_log = logging.getLogger(__name__)

_EXTENDED_LIMITS = 9
_KILL_ON_CLOSE, _JOB_MEMORY, _NO_ERROR_DIALOG = 0x2000, 0x0200, 0x0400
_MEMORY_BYTES = 6 << 30


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("basic", _BasicLimits),
        ("counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


class Job:
    """Holds a process; `close()` ends what is in it. Best effort: a refusal is logged."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._handle: int | None = None
        if sys.platform == "win32":
            try:
                self._handle = _hold(int(process._handle))  # type: ignore[attr-defined]
            except OSError as error:
                _log.warning("a worker has no job object: %s", error)

    def close(self) -> None:
        """Let go of the job; twice is harmless."""
        handle, self._handle = self._handle, None
        if sys.platform == "win32" and handle is not None:
            ctypes.WinDLL("kernel32").CloseHandle(ctypes.c_void_p(handle))


def _hold(process: int) -> int | None:
    """Return the handle of a new job that holds `process`; raises OSError."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateJobObjectW.restype = ctypes.c_void_p
        job = kernel.CreateJobObjectW(None, None)
        if not job:
            raise ctypes.WinError(ctypes.get_last_error())
        limits = _ExtendedLimits()
        limits.basic.flags = _KILL_ON_CLOSE | _JOB_MEMORY | _NO_ERROR_DIALOG
        limits.job_memory = min(_MEMORY_BYTES, ctypes.c_size_t(-1).value)
        handle, size = ctypes.c_void_p(job), ctypes.sizeof(limits)
        told = kernel.SetInformationJobObject(handle, _EXTENDED_LIMITS, ctypes.byref(limits), size)
        if not told or not kernel.AssignProcessToJobObject(handle, ctypes.c_void_p(process)):
            error = ctypes.WinError(ctypes.get_last_error())
            kernel.CloseHandle(handle)
            raise error
        return int(job)
    return None
