"""How long the window's thread is busy between two looks at what the user does.

A turn begins when Qt comes back from waiting and ends when it waits, or looks, again: nothing that
the user does is answered meanwhile. Qt's own `awake` and `aboutToBlock` do not tell that with
GLib, where the work lies between the two; so the function with which GLib waits is watched.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import gc
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QAbstractEventDispatcher, QCoreApplication

__all__ = ["Stalls", "Turn", "percentile"]

_SEEN = 0.001
"""Turns under a millisecond are not counted: there are as many as one likes of them."""

_LONG, _AGAIN = 0.010, 0.025
"""Seconds after which it is noted where a turn is, and then again and again.

Much more often, and reads that wait for a few milliseconds would begin anew each time.
"""

_PACKAGE = f"{os.sep}studio_qt{os.sep}"


@dataclass(slots=True)
class Turn:
    """One busy stretch, in seconds.

    `wall` is what the clock says. `cpu` is what this thread computed. `waited` is how long it could
    have run and did not, since others had the processors. `places` are where it was seen.
    """

    screen: str
    wall: float
    cpu: float
    waited: float
    collecting: float
    places: Counter[str]

    @property
    def own(self) -> float:
        """What is the window's own fault: waits for locks and disks count, a full machine not."""
        return max(self.cpu, self.wall - self.waited)

    @property
    def culprit(self) -> str:
        """Where most of it was seen."""
        if self.collecting > self.wall / 2:
            return f"collecting garbage ({1000 * self.collecting:.0f} ms)"
        return self.places.most_common(1)[0][0] if self.places else "not seen"


@dataclass
class Stalls:
    """Measures the turns of the thread that makes it; `screen` is what they are counted to.

    A signal interrupts long turns and notes where they are: another thread that looks would hold
    on to frames, and to the painters in them. Use it as a context manager on the main thread, with
    an application there.
    """

    screen: str = ""
    turns: list[Turn] = field(default_factory=list)

    def __enter__(self) -> Stalls:
        self.ended: list[Callable[[], None]] = []
        self._thread = threading.get_ident()
        self._stats = _stats_of(threading.get_native_id())
        self._places: Counter[str] = Counter()
        self._collecting = self._collected = 0.0
        self._begun: float | None = None
        if hasattr(signal, "setitimer"):
            self._handler = signal.signal(signal.SIGALRM, self._on_alarm)
        self._begin()
        self._undo = _hook(self._end, self._begin)
        gc.callbacks.append(self._on_garbage)
        return self

    def __exit__(self, *_: object) -> None:
        gc.callbacks.remove(self._on_garbage)
        self._undo()
        self._end()
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self._handler)
        if self._stats is not None:
            os.close(self._stats)

    def of(self, screen: str) -> list[Turn]:
        """Return the turns of a screen."""
        return [turn for turn in self.turns if turn.screen == screen]

    def waited(self) -> float:
        """Return the seconds that this thread has waited for a processor since it began."""
        if self._stats is None:
            return 0.0
        return int(os.pread(self._stats, 100, 0).split()[1]) / 1e9

    def _begin(self) -> None:
        self._places = Counter()
        self._collected = 0.0
        self._waited, self._cpu = self.waited(), time.thread_time()
        _alarm(_LONG)
        self._begun = time.perf_counter()

    def _end(self) -> None:
        begun, self._begun = self._begun, None
        if begun is None:
            return
        _alarm(0)
        wall = time.perf_counter() - begun
        if wall >= _SEEN:
            cpu, waited = time.thread_time() - self._cpu, self.waited() - self._waited
            self.turns.append(Turn(self.screen, wall, cpu, waited, self._collected, self._places))
        for told in tuple(self.ended):
            told()

    def _on_garbage(self, phase: str, _info: object) -> None:
        if threading.get_ident() != self._thread:
            return
        if phase == "start":
            self._collecting = time.perf_counter()
        else:
            self._collected += time.perf_counter() - self._collecting

    def _on_alarm(self, _number: int, frame: FrameType | None) -> None:
        self._places[_place(frame)] += 1


def _alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)


def percentile(values: list[float], share: float) -> float:
    """Return the value below which a share of them lies; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def _place(frame: FrameType | None) -> str:
    """Return the innermost place of ours, and what called it from outside of its file."""
    found: list[str] = []
    last = ""
    while frame is not None and len(found) < 3:
        code = frame.f_code
        if _PACKAGE in code.co_filename and code.co_filename != last:
            last = code.co_filename
            shown = last.rpartition(_PACKAGE)[2]
            found.append(f"{shown}:{frame.f_lineno} {code.co_name}")
        elif not found and not last and "importlib" in code.co_filename:
            last = code.co_filename
            found.append("import")
        frame = frame.f_back
    return " < ".join(found) or "Qt"


def _stats_of(thread: int) -> int | None:
    path = Path(f"/proc/self/task/{thread}/schedstat")
    return os.open(path, os.O_RDONLY) if path.exists() else None


def _hook(ended: Callable[[], None], begun: Callable[[], None]) -> Callable[[], None]:
    """Let Qt's waiting tell when a turn has ended and another begins; returns what undoes it."""
    dispatcher = QAbstractEventDispatcher.instance()
    assert dispatcher is not None
    if "Glib" in dispatcher.metaObject().className():
        return _hook_glib(ended, begun)
    dispatcher.aboutToBlock.connect(ended)
    dispatcher.awake.connect(begun)

    def undo() -> None:
        dispatcher.aboutToBlock.disconnect(ended)
        dispatcher.awake.disconnect(begun)

    return undo


def _hook_glib(ended: Callable[[], None], begun: Callable[[], None]) -> Callable[[], None]:
    glib = ctypes.CDLL("libglib-2.0.so.0")
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint, ctypes.c_int)
    glib.g_main_context_default.restype = ctypes.c_void_p
    glib.g_main_context_get_poll_func.restype = ctypes.c_void_p
    glib.g_main_context_get_poll_func.argtypes = [ctypes.c_void_p]
    glib.g_main_context_set_poll_func.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    context = glib.g_main_context_default()
    before = glib.g_main_context_get_poll_func(context)
    wait = kind(before)

    def poll(files: int, count: int, timeout: int) -> int:
        ended()
        answer: int = wait(files, count, timeout)
        begun()
        return answer

    held = kind(poll)
    glib.g_main_context_set_poll_func(context, ctypes.cast(held, ctypes.c_void_p))

    def undo(_held: object = held) -> None:
        QCoreApplication.processEvents()
        glib.g_main_context_set_poll_func(context, before)

    return undo
