"""`StudioLog`: what happens in the window, in a file; never a key."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import threading
from collections.abc import Callable
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from studio_qt.ui.diagnostics.masking import mask

__all__ = ["StudioLog"]

_BYTES = 1_000_000
_FILES = 3
_LEAST_SECRET = 6
_FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}

_log = logging.getLogger("studio_qt.ui")
_qt_log = logging.getLogger("studio_qt.qt")

_Hook = Callable[[type[BaseException], BaseException, TracebackType | None], object]


class StudioLog:
    """Keeps `logs/studio.log` below `home`: three files of 1 MB, readable for their owner.

    From `start` to `close` it hears Python's logging (ours from INFO, others from WARNING), Qt's
    messages, and every exception that nobody has caught. Whatever else hears the logging then,
    writes no keys either.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / "logs" / "studio.log"
        self._secrets: frozenset[str] = frozenset()
        self._handler: _File | None = None
        self._undo = contextlib.ExitStack()

    def hide(self, secret: str) -> None:
        """Never write this text; for keys that do not look like one. Short ones are let through."""
        if len(secret) >= _LEAST_SECRET:
            self._secrets |= {secret}

    def masked(self, text: str) -> str:
        """Return a text without keys."""
        return mask(text, self._secrets)

    def start(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Begin to write; also what goes wrong on `loop`. A second call does nothing."""
        if self._handler is not None:
            return
        root = logging.getLogger()
        for other in root.handlers:
            self._dress(other)
        self._handler = _File(self.path)
        self._handler.setFormatter(_Masked(logging.Formatter(_FORM), self.masked))
        self._handler.addFilter(_worth_keeping)
        root.addHandler(self._handler)
        self._undo.callback(self._leave, root, self._handler)
        self._level(logging.getLogger("studio_qt"), logging.INFO)
        self._hear_qt()
        self._hear_exceptions()
        if loop is not None:
            loop.set_exception_handler(_on_loop)
            self._undo.callback(loop.set_exception_handler, None)

    def close(self) -> None:
        """Stop, and leave everything as it was; twice is harmless."""
        self._handler = None
        self._undo.close()

    def tail(self, lines: int) -> list[str]:
        """Return the last lines, without keys; it reads the file, so call it in a thread."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, self.path.stat().st_size - 200 * lines - 20_000))
                text = file.read().decode("utf-8", "replace")
        except OSError:
            return []  # nothing has been written yet
        return self.masked(text).splitlines()[-lines:]

    def _dress(self, other: logging.Handler) -> None:
        """Let another handler write without keys as well."""
        before = other.formatter
        other.setFormatter(_Masked(before or logging.Formatter(), self.masked))
        self._undo.callback(other.setFormatter, before)

    def _leave(self, root: logging.Logger, handler: logging.Handler) -> None:
        root.removeHandler(handler)
        handler.close()

    def _level(self, logger: logging.Logger, level: int) -> None:
        before = logger.level
        logger.setLevel(level)
        self._undo.callback(logger.setLevel, before)

    def _hear_qt(self) -> None:
        before: Callable[[QtMsgType, QMessageLogContext, str], object] | None = None

        def hear(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
            _qt_log.log(_LEVELS.get(kind, logging.WARNING), "%s", message)
            if before is not None:
                before(kind, context, message)
            elif sys.stderr is not None:
                sys.stderr.write(f"{self.masked(message)}\n")

        before = qInstallMessageHandler(hear)
        self._undo.callback(qInstallMessageHandler, before)

    def _hear_exceptions(self) -> None:
        main, thread = sys.excepthook, threading.excepthook

        def on_main(
            kind: type[BaseException], error: BaseException, trace: TracebackType | None
        ) -> None:
            _report(kind, error, trace, "Nobody caught this.")
            main(kind, error, trace)

        def on_thread(given: threading.ExceptHookArgs) -> None:
            name = given.thread.name if given.thread is not None else "a thread"
            if given.exc_value is not None:
                what = f"The thread {name} ended by this."
                _report(given.exc_type, given.exc_value, given.exc_traceback, what)
            thread(given)

        sys.excepthook, threading.excepthook = on_main, on_thread
        self._undo.callback(setattr, sys, "excepthook", main)
        self._undo.callback(setattr, threading, "excepthook", thread)


class _Masked(logging.Formatter):
    """Another formatter's text without keys, tracebacks included."""

    def __init__(self, inner: logging.Formatter, masked: Callable[[str], str]) -> None:
        super().__init__()
        self._inner, self._masked = inner, masked

    def format(self, record: logging.LogRecord) -> str:
        return self._masked(self._inner.format(record))


class _File(RotatingFileHandler):
    """Makes its folder and file when the first record comes; trouble is told once on stderr."""

    def __init__(self, target: Path) -> None:
        super().__init__(
            target,
            maxBytes=_BYTES,
            backupCount=_FILES - 1,
            encoding="utf-8",
            errors="backslashreplace",
            delay=True,
        )
        self._target = target
        self._told = False

    def _open(self) -> TextIOWrapper:
        self._target.parent.mkdir(parents=True, exist_ok=True)
        self._target.touch(mode=0o600)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - of logging
        if not self._told and sys.stderr is not None:
            self._told = True
            sys.stderr.write(f"The log {self._target} cannot be written: {sys.exc_info()[1]}\n")


def _worth_keeping(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING or record.name.startswith("studio_qt")


def _report(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None, what: str
) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        _log.critical(what, exc_info=(kind, error, trace))


def _on_loop(_loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    error = context.get("exception")
    trouble = error if isinstance(error, BaseException) else None
    _log.error("On the loop: %s", context.get("message"), exc_info=trouble)
