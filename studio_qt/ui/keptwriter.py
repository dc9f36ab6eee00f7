"""`KeptWriter`: writes a small file of ours on a thread, in order; no disk is waited for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from studio_qt.errors import StorageError

__all__ = ["KeptWriter"]

_log = logging.getLogger(__name__)


class KeptWriter(QObject):
    """Gives texts to `write`, on a thread that ends when there is nothing left to write.

    Of the texts that come while one is being written only the last is written after it. `failed`
    comes on the thread of this object with what `write` raised as StorageError. The program does
    not end before all is written; `flush` waits for it.
    """

    failed = Signal(str)

    def __init__(self, write: Callable[[str], None], name: str, parent: QObject | None) -> None:
        super().__init__(parent)
        self._write, self._name = write, name
        self._lock = threading.Lock()
        self._next: str | None = None
        self._thread: threading.Thread | None = None

    def put(self, text: str) -> None:
        """Write this soon, and nothing that came before and is not written yet."""
        with self._lock:
            self._next = text
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name)
                self._thread.start()

    def flush(self) -> None:
        """Wait until everything is written; some milliseconds, or what the disk takes."""
        while (thread := self._thread) is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._lock:
                text, self._next = self._next, None
                if text is None:
                    self._thread = None
                    return
            try:
                self._write(text)
            except StorageError as error:
                _log.warning("%s: %s", self._name, error)
                if isValid(self):
                    self.failed.emit(str(error))
