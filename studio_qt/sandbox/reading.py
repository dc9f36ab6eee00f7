"""Reading a worker's frames on the loop itself, where the platform lets a loop watch what is read.

A call is often answered within a fraction of a millisecond. Waking the loop for it, through a
thread or its selector, would take longer than the answer, so whoever has just asked may `glance`.
The worker writes to a socket, because reading from one can be given a time limit without a timer:
in a virtual machine, setting and clearing one for each call takes 30 µs. Loops of Windows watch
neither pipes nor such sockets; a thread reads there.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import sys
import time
from collections.abc import Callable

from studio_qt.sandbox.frames import Frame, FrameError, FrameReader

__all__ = ["LoopReader", "open_pair", "widen"]

_GLANCE_SECONDS = 0.001
_GLANCE = struct.pack("ll", 0, int(1e6 * _GLANCE_SECONDS))  # rounded up by the system, to 4 ms
_QUICK_SECONDS = 0.004  # what a glance would most likely have caught
_LATE = 4  # after so many glances in vain none is taken until an answer comes quickly again
_SPIN_SECONDS = 0.0006
_LONGEST_PAUSE = 256
_PIPE_BYTES = 1 << 20


class LoopReader:
    """Hands the frames that come to `end` to `on_frame`, and tells `on_end` why none will.

    `on_end` is called once, with a reason that is empty when the other side has closed.
    """

    def __init__(
        self,
        end: socket.socket,
        loop: asyncio.AbstractEventLoop,
        on_frame: Callable[[Frame], None],
        on_end: Callable[[str], None],
    ) -> None:
        self._end = end
        self._loop = loop
        self._on_frame = on_frame
        self._on_end = on_end
        self._frames = FrameReader(end.fileno())
        self._late = 0
        self._rest = 0  # glances to come without spinning
        self._pause = 1  # how many more there are to be when a spin is in vain
        self._asked = 0.0
        self._open = True
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _GLANCE)
        loop.add_reader(end.fileno(), self._look)

    def glance(self) -> Frame | None:
        """Return the frame that comes within a few milliseconds, if one does; blocks so long.

        The frame that is returned is not handed to `on_frame`; those behind it are, later.
        """
        asked = self._asked = time.monotonic()
        if self._late >= _LATE:
            return None
        self._late += 1
        self._spin(asked)
        while self._open and self._fill():
            if (frame := self._take()) is not None:
                self._late = 0
                if self._frames.holds_more:
                    self._loop.call_soon(self._hand_out)
                return frame
            if time.monotonic() - asked > _GLANCE_SECONDS:
                break
        return None

    def _spin(self, asked: float) -> None:
        """Look for an answer without going to sleep, as long as that has paid lately.

        Being woken takes longer than a small call when a processor is free. When none is, the
        worker needs the very one that looks: then this ends in vain, and is left for longer and
        longer.
        """
        if self._rest:
            self._rest -= 1
            return
        while time.monotonic() - asked < _SPIN_SECONDS:
            try:
                self._end.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
            except BlockingIOError:
                continue
            except OSError:
                return  # `_fill` meets it again, and tells
            self._pause = 1
            return
        self._rest = self._pause
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)

    def finish(self) -> None:
        """Take what is left in the pipe, and watch it no longer."""
        while self._open and self._fill():
            self._hand_out()
        self._close("")

    def _look(self) -> None:
        self._fill()
        if self._hand_out() and time.monotonic() - self._asked < _QUICK_SECONDS:
            self._late = 0

    def _hand_out(self) -> bool:
        """Hand out the frames that are whole; whether there was one."""
        found = False
        while (frame := self._take()) is not None:
            found = True
            self._on_frame(frame)
        return found

    def _take(self) -> Frame | None:
        try:
            return self._frames.take()
        except FrameError as error:
            self._close(f"the worker sent what is no message: {error}")
            return None

    def _fill(self) -> bool:
        """Read once, waiting shortly; whether more may follow at once."""
        try:
            if self._frames.fill():
                return True
            self._close("")
        except BlockingIOError:
            return False
        except OSError as error:
            self._close(f"the worker's pipe broke: {error}")
        return False

    def _close(self, reason: str) -> None:
        if self._open:
            self._open = False
            self._loop.remove_reader(self._end.fileno())
            self._on_end(reason)


def open_pair() -> tuple[socket.socket, socket.socket]:
    """Return the end to read from and the end for the worker, with room for a usual store."""
    ours, theirs = socket.socketpair()
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _PIPE_BYTES)
    return ours, theirs


def widen(fd: int) -> int | None:
    """Give a pipe room for a usual store; return how much it has, None where nobody knows."""
    if sys.platform != "linux":
        return None
    import fcntl

    with contextlib.suppress(OSError):  # over what this user may have
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return int(fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ))
