"""What the window's thread does that would hold it up: files, imports, expressions, whole texts."""

from __future__ import annotations

import os
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QPlainTextEdit

__all__ = ["Act", "Probe"]

_OURS = str(Path(__file__).parents[2] / "studio_qt")
_compiler = re._compiler  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Act:
    """`kind` is "open", "import", "compile" or "whole text"; `what` the path, module, pattern.

    `written`: a file is opened to write.
    """

    kind: str
    what: str
    stack: str
    written: bool = False

    def __str__(self) -> str:
        return f"{self.kind} of {self.what}, by\n{self.stack}"


class Probe:
    """Notes what the thread that made it does while it looks; files only below `places`.

    There is one for the whole of a process: Python never lets go of an audit hook.
    """

    _one: Probe | None = None

    def __init__(self) -> None:
        self._places: tuple[str, ...] = ()
        self._acts: list[Act] | None = None
        self._thread = 0
        sys.addaudithook(self._heard)

    @classmethod
    def get(cls) -> Probe:
        """Return the probe of this process."""
        cls._one = cls._one or Probe()
        return cls._one

    @contextmanager
    def looking(self, *places: Path) -> Iterator[list[Act]]:
        """Note what this thread does from here on."""
        self._places, self._thread = tuple(map(str, places)), threading.get_ident()
        acts: list[Act] = []
        undo = [
            self._watch(_compiler, "compile", "compile"),
            self._watch(QTextDocument, "toPlainText", "whole text"),
            self._watch(QTextDocument, "toRawText", "whole text"),
            self._watch(QPlainTextEdit, "toPlainText", "whole text"),
        ]
        self._acts = acts
        try:
            yield acts
        finally:
            self._acts = None
            for back in undo:
                back()

    def _watch(self, owner: object, name: str, kind: str) -> Callable[[], None]:
        """Note each call of a function; returns what puts it back."""
        before = getattr(owner, name)

        def told(*arguments: object, **named: object) -> object:
            self._note(kind, str(arguments[0])[:80])
            return before(*arguments, **named)

        setattr(owner, name, told)
        return lambda: setattr(owner, name, before)

    def _heard(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._acts is None:
            return
        if event == "import":
            self._note("import", str(arguments[0]))
        elif event == "open" and str(arguments[0]).startswith(self._places):
            mode, flags = arguments[1], arguments[2]
            writes = any(sign in str(mode or "") for sign in "wax+") or bool(
                isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
            )
            self._note("open", str(arguments[0]), written=writes)

    def _note(self, kind: str, what: str, *, written: bool = False) -> None:
        if self._acts is None or threading.get_ident() != self._thread:
            return
        frames = [one for one in traceback.extract_stack() if one.filename.startswith(_OURS)]
        short = [f"{one.filename[len(_OURS) + 1 :]}:{one.lineno} {one.name}" for one in frames[-6:]]
        self._acts.append(Act(kind, what, "\n".join(short), written))
