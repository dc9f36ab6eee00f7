"""One worker process and the threads on its pipes.

Three threads serve a process: one starts it and waits for its end, one writes what could block,
one carries its stderr to the log. They end with it. Frames are read on the loop, or by the first
thread where a loop cannot watch pipes.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

from studio_qt.sandbox.frames import Frame, FrameError, FrameReader, write_all
from studio_qt.sandbox.job import Job
from studio_qt.sandbox.reading import LoopReader, open_pair, widen

__all__ = ["WorkerProcess"]

_log = logging.getLogger(__name__)

_BOOT = (
    "import sys; role, parent, path, *given = sys.argv[1:]; "
    "sys.path[:] = path.split('\\n'); "  # in this order: a worker is of the version that we are
    "from studio_qt.sandbox.workers.boot import main; main(role, int(parent), *given)"
)
_KEPT_VARIABLES = ("SYSTEMROOT", "WINDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ")
_CREATION_FLAGS = (  # both are 0 where the platform has no such thing
    getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
)
_DIRECT_BYTES = 1 << 15  # below what an empty pipe takes at once where pipes are buffered
_READS_ON_LOOP = sys.platform != "win32"


class WorkerProcess:
    """A child of one role; frames in, frames out.

    `on_frame` and `on_exit` are called on `loop`, `on_exit` once and last, with the reason.
    """

    def __init__(
        self,
        role: str,
        *given: str,
        on_frame: Callable[[Frame], None],
        on_exit: Callable[[str], None],
        time_zone: str | None = None,
    ) -> None:
        self._role = role
        self._given = given
        self._on_frame = on_frame
        self._on_exit = on_exit
        self._time_zone = time_zone
        self._loop = asyncio.get_running_loop()
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._guard = threading.Lock()
        self._unwritten = 0
        self._killed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None  # what comes from the worker, or its stdout
        self._reader: LoopReader | None = None
        self._reason = "the worker process ended"
        self._direct_bytes = _DIRECT_BYTES
        self._thread = threading.Thread(target=self._serve, name=f"{role} worker", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The process id, None before it has started."""
        return self._process.pid if self._process is not None else None

    def send(self, data: bytes, *, idle: bool = False) -> None:
        """Write a packed frame without blocking; `idle` says that the worker is reading now."""
        process = self._process
        with self._guard:
            direct = idle and self._unwritten == 0 and len(data) <= self._direct_bytes
            if not direct:
                self._unwritten += 1
        if direct and process is not None:
            self._write(process, data)
        else:
            self._outgoing.put(data)

    def ask(self, data: bytes) -> Frame | None:
        """Send to a worker that is reading; return the first frame if it comes at once.

        Blocks for a few milliseconds at most. A frame that is returned is not given to `on_frame`.
        """
        self.send(data, idle=True)
        return self._reader.glance() if self._reader is not None else None

    def kill(self) -> None:
        """End the process at once; `on_exit` follows."""
        with self._guard:
            self._killed = True
            if self._process is not None:
                self._process.kill()

    def join(self) -> None:
        """Wait for the threads; they are at their end once `on_exit` has been called."""
        self._thread.join()

    # ---- on the loop

    def _watch(self, end: socket.socket) -> None:
        self._reader = LoopReader(end, self._loop, self._on_frame, self._on_last_frame)

    def _on_last_frame(self, reason: str) -> None:
        self._reason = reason or self._reason
        self.kill()

    def _finish(self) -> None:
        if self._reader is not None:
            self._reader.finish()
            self._reader = None
        self._close()
        self._on_exit(self._reason)

    def _close(self) -> None:
        process = self._process
        for pipe in () if process is None else (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        if self._socket is not None:
            self._socket.close()

    # ---- the first thread

    def _serve(self) -> None:
        folder = tempfile.mkdtemp(prefix="studio-worker-")
        try:
            self._live(folder)
        except OSError as error:
            self._reason = f"the worker process could not be started: {error}"
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if not self._post(self._finish):
            self._close()

    def _live(self, folder: str) -> None:
        process = self._spawn(folder)
        job = Job(process)
        helpers = [
            threading.Thread(target=self._write_all, args=(process,), daemon=True),
            threading.Thread(target=self._drain, args=(process,), daemon=True),
        ]
        for helper in helpers:
            helper.start()
        if self._socket is None:
            self._read(process)
            process.kill()
        elif not self._post(self._watch, self._socket):
            process.kill()
        process.wait()
        job.close()
        self._outgoing.put(None)
        for helper in helpers:
            helper.join()

    def _spawn(self, folder: str) -> subprocess.Popen[bytes]:
        if not _READS_ON_LOOP:
            return self._popen(folder, subprocess.PIPE)
        self._socket, theirs = open_pair()
        with theirs:
            process = self._popen(folder, theirs.fileno())
        self._direct_bytes = (widen(_number(process.stdin)) or 2 * _DIRECT_BYTES) // 2
        return process

    def _popen(self, folder: str, stdout: int) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            _command(self._role, self._given),
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env=_environment(self._time_zone),
            start_new_session=True,  # Ctrl-C in a terminal is for the application alone
            creationflags=_CREATION_FLAGS,
        )
        with self._guard:
            self._process = process
            if self._killed:
                process.kill()
        return process

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        reader = FrameReader(_number(process.stdout))
        try:
            while (frame := reader.read()) is not None:
                self._post(self._on_frame, frame)
        except FrameError as error:
            self._reason = f"the worker sent what is no message: {error}"
        except OSError as error:
            self._reason = f"the worker's pipe broke: {error}"

    def _write_all(self, process: subprocess.Popen[bytes]) -> None:
        while (data := self._outgoing.get()) is not None:
            self._write(process, data)
            with self._guard:
                self._unwritten -= 1

    def _write(self, process: subprocess.Popen[bytes], data: bytes) -> None:
        try:
            write_all(_number(process.stdin), data)
        except (OSError, ValueError) as error:  # it has died: the reading thread tells
            _log.debug("a %s worker took no message: %s", self._role, error)

    def _drain(self, process: subprocess.Popen[bytes]) -> None:
        if process.stderr is None:
            return
        while chunk := os.read(process.stderr.fileno(), 1 << 16):
            for line in chunk.decode("utf-8", "replace").splitlines():
                _log.warning("%s worker: %s", self._role, line)

    def _post(self, callback: Callable[..., None], *given: object) -> bool:
        try:
            self._loop.call_soon_threadsafe(callback, *given)
        except RuntimeError:  # the loop has closed before us: nobody is left to be told
            _log.debug("a %s worker outlived its loop", self._role)
            return False
        return True


def _number(pipe: IO[bytes] | None) -> int:
    if pipe is None:
        raise ValueError("the pipe is closed")
    return pipe.fileno()


def _command(role: str, given: tuple[str, ...]) -> list[str]:
    who = [role, str(os.getpid())]
    if getattr(sys, "frozen", False):
        return [sys.executable, "--agent-worker", *who, *given]
    path = [str(Path(entry).absolute()) for entry in sys.path if entry]
    path.append(str(Path(__file__).parents[2]))  # where an import hook may have found us
    return [sys.executable, "-I", "-S", "-c", _BOOT, *who, "\n".join(path), *given]


def _environment(time_zone: str | None) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return kept | ({"TZ": time_zone} if time_zone else {})
