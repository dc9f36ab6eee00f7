"""Ctrl-C at a prompt: heard whenever it comes."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["interruptible"]

_AGAIN = 0.05
"""Seconds after which a Ctrl-C that has not been heard is sent again."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt in a block that waits for a key, whenever Ctrl-C is pressed in it.

    `input` shows the prompt before it waits, and does not look for a Ctrl-C that comes between:
    that one would be heard with the next key alone. It is sent again until it has been heard.
    Ctrl-C counts even where whoever started the program has it ignored, as shells do for what
    runs in the background. For the main thread; elsewhere than on Windows, which has no such gap.
    """
    if sys.platform == "win32":
        yield
        return
    heard, waits = threading.Event(), False

    def hear(_number: int, _frame: object) -> None:
        if waits and not heard.is_set():
            heard.set()
            raise KeyboardInterrupt

    ours, its = socket.socketpair()
    ours.setblocking(False)
    arguments = (its, heard, threading.get_ident())
    sender = threading.Thread(target=_send_again, args=arguments, name="ctrl-c", daemon=True)
    before = signal.signal(signal.SIGINT, hear)
    told_before = signal.set_wakeup_fd(ours.fileno(), warn_on_full_buffer=False)
    sender.start()
    try:
        waits = True
        yield
    finally:
        heard.set()
        signal.set_wakeup_fd(told_before)
        ours.close()
        sender.join()
        its.close()
        signal.signal(signal.SIGINT, before or signal.default_int_handler)


def _send_again(told: socket.socket, heard: threading.Event, thread: int) -> None:
    """Send each Ctrl-C of which `told` tells to the thread until it is heard; ends with `told`."""
    while signals := told.recv(64):
        while signal.SIGINT in signals and not heard.wait(_AGAIN):
            signal.pthread_kill(thread, signal.SIGINT)
