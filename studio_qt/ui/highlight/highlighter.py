"""`Highlighter`: colours a document while it is written in."""

from __future__ import annotations

import logging
from bisect import bisect_right
from operator import itemgetter
from time import perf_counter

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QPlainTextEdit
from shiboken6 import isValid

from studio_qt.ui.highlight.grammar import Plain, Spans
from studio_qt.ui.highlight.lines import Lines
from studio_qt.ui.highlight.painting import Painter
from studio_qt.ui.highlight.turns import Turns
from studio_qt.ui.theme.theme import Theme

__all__ = ["LONGEST_LINE", "Highlighter"]

_log = logging.getLogger(__name__)

LONGEST_LINE = 20_000
"""Letters of a line that is coloured: to give formats to a longer one has Qt lay out all of it."""

_AT_ONCE = 0.003
"""Seconds of work within the change itself, so that a key is drawn in its colour at once."""


class Highlighter(QObject):
    """Keeps the blocks of a document coloured; formats only, never the text or its undo steps.

    Lines are read in slices that all highlighters of one theme share. Where `parent` is the
    editor of the document, or one is given to `watch`, what can be seen comes first and nothing
    else is drawn again. Until Pygments has been loaded (on a thread, after the first paint), and
    for good where a lexer fails, the document stays plain.
    """

    settled_changed = Signal()
    _draw_wanted = Signal()

    def __init__(
        self,
        document: QTextDocument,
        language: str,
        theme: Theme,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._language = language
        self._theme = theme
        self._turns = Turns.of(theme)
        self._painter = Painter(document, self._turns.formats(theme.tokens))
        self._lines: Lines | None = None
        self._undrawn: set[int] = set()
        self._recolour: int | None = None
        self._settled = False
        self._closed = False
        if isinstance(parent, QPlainTextEdit):
            self.watch(parent)
        document.contentsChange.connect(self._on_contents_change)
        theme.changed.connect(self._on_theme_changed)
        self._draw_wanted.connect(self._draw, Qt.ConnectionType.QueuedConnection)
        self._begin()

    @property
    def settled(self) -> bool:
        """Whether every line has the colours that its text asks for."""
        return self._settled

    @property
    def language(self) -> str:
        """The language of the document."""
        return self._language

    def set_language(self, name: str) -> None:
        """Read the document as another language."""
        if name != self._language and not self._closed:
            self._language = name
            self._begin()

    def watch(self, view: QPlainTextEdit) -> None:
        """Let what is seen in a view come first."""
        self._painter.watch(view)

    def kind_at(self, position: int) -> str:
        """Return what the character after a position is: "string", "comment", "macro" …

        At the end of a line it is what a letter written there would be. It is "" for anything
        without a kind, and as long as the line has not been read. Parts of a kind have its name:
        an escape in a string is "string".
        """
        line, place, last = self._place(position)
        if self._lines is None or not 0 <= line < len(self._lines):
            return ""
        spans = self._lines.spans(line)
        if spans is not None and place == last:
            return self._kind_behind(self._lines, line)
        at = bisect_right(spans or (), place, key=itemgetter(0)) - 1
        if not spans or at < 0 or place >= spans[at][0] + spans[at][1]:
            return ""
        return spans[at][2].partition(".")[0]

    def language_at(self, position: int) -> str:
        """Return the language at a position: in a frontmatter, a fenced block, or the document's.

        As long as nothing has been read it is that of the document.
        """
        return self.language_in(self._place(position)[0])

    def language_in(self, line: int) -> str:
        """Return the language of a line, counted from 0; see `language_at`."""
        if self._lines is None or not 0 <= line < len(self._lines):
            return self._language
        return self._lines.language(line)

    def spans(self, line: int) -> Spans:
        """Return start, length and kind of all that is coloured in a line, counted from 0.

        Places are counted as in a QTextDocument. An unread line has none.
        """
        if self._lines is None or not 0 <= line < len(self._lines):
            return ()
        return self._lines.spans(line) or ()

    def close(self) -> None:
        """Let go of the document; it keeps the colours that it has. May be called twice."""
        if self._alive():
            self._document.contentsChange.disconnect(self._on_contents_change)
        self._closed = True
        self._lines = None
        self._turns.leave(self)

    def work(self, deadline: float) -> bool:
        """Colour lines until a time of `perf_counter`; return whether some are left.

        At least one line is read, however late it is.
        """
        if not isValid(self) or not self._alive():
            return False
        lines = self._lines
        if lines is None or len(lines) != self._document.blockCount():  # a change without a signal
            lines = self._lines = self._fresh_lines()
        self._draw()
        seen = self._painter.seen()
        try:
            if seen is not None and not lines.settled:
                self._guess(lines, seen, deadline)
            self._read(lines, deadline)
        except Exception:  # noqa: BLE001 - a border: lexers are foreign, the text matters more
            self._lines = self._fail()
        else:
            self._draw_again(lines, deadline)
        self._painter.flush(seen)
        self._settle(settled=self._is_done())
        return not self._is_done()

    # Slots ------------------------------------------------------------------------------------

    def _on_contents_change(self, position: int, _removed: int, added: int) -> None:
        """Take notice of a change, and read it at once if it is short; the rest has its turn."""
        if self._lines is None or not self._alive():
            return
        first = self._note_change(position, added)
        try:
            self._read_at_once(self._lines, first)
        except Exception:  # noqa: BLE001 - a border: lexers are foreign, the text matters more
            self._lines = self._fail()
        if not self._is_done():
            self._ask(first=True)
        self._settle(settled=self._is_done())

    def _on_theme_changed(self) -> None:
        self._painter.set_formats(self._turns.formats(self._theme.tokens))
        if self._lines is None or not self._alive():
            return
        seen = self._painter.seen()
        for line in _within(seen or range(0), self._lines):
            self._painter.paint(line, self.spans(line))
        self._painter.flush(seen)
        self._recolour = 0
        self._settle(settled=False)
        self._ask(first=True)

    # Changes ----------------------------------------------------------------------------------

    def _note_change(self, position: int, added: int) -> int:
        """Tell the lines what has changed; return the first that did.

        Qt may count one character too many at the end of a document, so that only line numbers
        are used; where even they do not fit, everything is read anew.
        """
        document, lines = self._document, self._lines
        assert lines is not None
        stop = min(position + added, document.characterCount() - 1)
        first = document.findBlock(position).blockNumber()
        now = document.findBlock(stop).blockNumber() - first + 1
        before = now - (document.blockCount() - len(lines))
        if first < 0 or now < 1 or before < 1 or first + before > len(lines):
            self._lines = self._fresh_lines()
            self._undrawn.clear()
            return 0
        lines.replace(first, before, now)
        shift, end = now - before, first + before
        self._undrawn = {
            line if line < first else line + shift
            for line in self._undrawn
            if line < first or line >= end
        }
        if self._recolour is not None and self._recolour > first:
            self._recolour = max(first, self._recolour + shift)
        return first

    def _read_at_once(self, lines: Lines, first: int) -> None:
        deadline = perf_counter() + _AT_ONCE
        if lines.next != first:
            lines.guess(first, self._line_text)
            self._undrawn.add(first)
        while not lines.settled and lines.next is not None and lines.next >= first:
            line, changed = lines.step(self._line_text)
            if changed:
                self._undrawn.add(line)
            if perf_counter() >= deadline:
                break
        if self._undrawn:
            self._draw_wanted.emit()

    # Reading ----------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._lines = None
        self._settle(settled=False)
        self._ask()

    def _fresh_lines(self) -> Lines:
        grammar = self._turns.grammars.of(self._language)
        return Lines(grammar, self._document.blockCount())

    def _read(self, lines: Lines, deadline: float) -> None:
        """Read lines in order until the time is over, at least one."""
        while not lines.settled:
            line, changed = lines.step(self._line_text)
            if changed:
                self._painter.paint(line, lines.spans(line) or ())
            if perf_counter() >= deadline:
                break

    def _guess(self, lines: Lines, wanted: range, deadline: float) -> None:
        """Colour lines before their turn as they will most likely be."""
        for line in _within(wanted, lines):
            if lines.spans(line) is None and not lines.is_fresh(line):
                self._painter.paint(line, lines.guess(line, self._line_text))
                if perf_counter() >= deadline:
                    break

    def _draw_again(self, lines: Lines, deadline: float) -> None:
        """Paint what has been read in the colours of a new theme."""
        while self._recolour is not None:
            if self._recolour >= len(lines):
                self._recolour = None
                break
            self._painter.paint(self._recolour, lines.spans(self._recolour) or ())
            self._recolour += 1
            if perf_counter() >= deadline:
                break

    def _draw(self) -> None:
        """Paint what was read within a change, after it and before the frame that shows it.

        Within it Qt would draw the whole view again instead of a line.
        """
        undrawn, self._undrawn = self._undrawn, set()
        if not undrawn or self._lines is None or not self._alive():
            return
        for line in sorted(undrawn):
            self._painter.paint(line, self.spans(line))
        self._painter.flush(self._painter.seen())

    def _fail(self) -> Lines:
        """Give the text up: plain for good, until another language is chosen."""
        _log.exception("The lexer for %s failed; this text stays plain", self._language)
        return Lines(Plain(), self._document.blockCount())

    # Helpers ----------------------------------------------------------------------------------

    def _alive(self) -> bool:
        return not self._closed and isValid(self._document)

    def _ask(self, *, first: bool = False) -> None:
        if isValid(self._turns):
            self._turns.ask(self, first=first)

    def _settle(self, *, settled: bool) -> None:
        if settled != self._settled:
            self._settled = settled
            self.settled_changed.emit()

    def _is_done(self) -> bool:
        return self._lines is not None and self._lines.settled and self._recolour is None

    def _line_text(self, line: int) -> str:
        """Return a line as it is read; one that is longer than any is has nothing to colour."""
        block = self._document.findBlockByNumber(line)
        return block.text() if block.length() <= LONGEST_LINE else ""

    def _kind_behind(self, lines: Lines, line: int) -> str:
        try:
            kind = lines.kind_behind(line, self._line_text(line))
        except Exception:  # noqa: BLE001 - a border: lexers are foreign, the text matters more
            self._lines = self._fail()
            self._ask()
            return ""
        return kind.partition(".")[0]

    def _place(self, position: int) -> tuple[int, int, int]:
        """Return the line of a position, its place in there and the last place of that line.

        Outside the text the line is -1.
        """
        if not self._alive():
            return -1, 0, 0
        block = self._document.findBlock(position)
        return block.blockNumber(), position - block.position(), block.length() - 1


def _within(wanted: range, lines: Lines) -> range:
    """Return those of the lines that there are."""
    return range(wanted.start, min(wanted.stop, len(lines)))
