"""Whose turn it is to work: all highlighters of a window share a few milliseconds a frame."""

from __future__ import annotations

from collections import deque
from time import perf_counter
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextCharFormat

from studio_qt.ui.highlight.kinds import char_formats
from studio_qt.ui.highlight.loading import Grammars
from studio_qt.ui.leisure import Leisure
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.theme.tokens import Tokens

__all__ = ["SLICE", "Turns", "Worker"]

SLICE = 0.0035
"""Seconds of work in one turn of the event loop, for all highlighters together; a line that has
been begun and the layout of what was painted come on top, so that it is 4 ms in the end."""

_REST = 1
"""Milliseconds between two slices; keys, sockets and frames that wait come first in any case."""
_AFTER_A_KEY = 8
"""Milliseconds after a change of a text, so that the frame which shows it comes first."""
_LATER = 30
"""Milliseconds until Pygments is looked for, and between looks whether it is there."""


class Worker(Protocol):
    """Somebody with work that can be done in pieces."""

    def work(self, deadline: float) -> bool:
        """Work until a time of `perf_counter`; return whether something is left to do."""
        ...


class Turns(QObject):
    """Gives those who asked their slices, one after the other, and holds the grammars."""

    def __init__(self, parent: QObject | None = None, *, grammars: Grammars | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("highlightTurns")
        self.grammars = grammars or Grammars()
        self._waiting: deque[Worker] = deque()
        self._formats: tuple[Tokens, dict[str, QTextCharFormat]] | None = None
        self._seen_loop = False
        self._gives_way = False
        self._leisure = Leisure(self._on_turn, self)

    @classmethod
    def of(cls, owner: QObject) -> Turns:
        """Return the one that belongs to `owner`, who is what the highlighters share."""
        for child in owner.children():
            if isinstance(child, cls):
                return child
        return cls(owner)

    def formats(self, tokens: Tokens) -> dict[str, QTextCharFormat]:
        """Return how each kind is written in the colours of a theme; made once for all."""
        if self._formats is None or self._formats[0] is not tokens:
            self._formats = tokens, char_formats(tokens)
        return self._formats[1]

    def ask(self, worker: Worker, *, first: bool = False) -> None:
        """Put somebody into the row, or `first`, after a change, to its beginning."""
        if first and worker in self._waiting:
            self._waiting.remove(worker)
        if worker not in self._waiting:
            if first:
                self._waiting.appendleft(worker)
            else:
                self._waiting.append(worker)
        if first and self.grammars.ready and not self._gives_way:
            self._gives_way = True  # once: changes without a pause must not starve the others
            self._leisure.start(_AFTER_A_KEY)
        elif not self._leisure.waits:
            self._leisure.start(_REST if self.grammars.ready else 0)

    def leave(self, worker: Worker) -> None:
        """Take somebody out of the row."""
        if worker in self._waiting:
            self._waiting.remove(worker)

    def _on_turn(self) -> None:
        self._gives_way = False
        try:
            if self._is_dressing():
                pass  # the look changes: what can be seen has its colours, the rest waits
            elif self.grammars.ready:
                self._work(perf_counter() + SLICE)
            elif self._waiting and self._seen_loop:
                self.grammars.load()
        finally:
            self._seen_loop = True
            if self._waiting:
                busy = self._is_dressing() or not self.grammars.ready
                self._leisure.start(_LATER if busy else _REST)

    def _is_dressing(self) -> bool:
        owner = self.parent()
        return isinstance(owner, Theme) and not owner.settled

    def _work(self, deadline: float) -> None:
        """Let the first in the row work, and who comes next if that leaves time."""
        while self._waiting and perf_counter() < deadline:
            worker = self._waiting.popleft()
            if worker.work(deadline):
                self._waiting.append(worker)
