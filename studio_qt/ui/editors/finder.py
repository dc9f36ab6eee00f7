"""`Finder`: the matches of one query in one editor, kept up to date while the text changes."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCursor
from shiboken6 import isValid

from studio_qt.errors import StudioError
from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.editors.offsets import Offsets, raw_text
from studio_qt.ui.editors.searching import Found, Query, Replacement, find_all, replacements
from studio_qt.ui.tasks import Tasks

__all__ = ["Finder"]

_QUIET_MS = 80
_ONE_BY_ONE = 400
"""Replacements that are made in one turn of the loop, in some milliseconds."""

_TOGETHER = 12_000
"""Characters that are put in as one text in one turn, where nearly every line has a match."""


class Finder(QObject):
    """`changed`: matches, the current one, or the error are different.

    The search runs in a thread with a time limit, so that no expression can stop the window.
    """

    changed = Signal()
    replaced = Signal(int)

    def __init__(self, tasks: Tasks, editor: CodeEditor) -> None:
        super().__init__(editor)
        self._tasks, self._editor = tasks, editor
        self._query = Query("")
        self._found = Found(())
        self._scope: QTextCursor | None = None
        self._error = ""
        self._busy = self._again = self._released = False
        self.seconds = 2.0
        """How long a search may take."""
        self.marking = False
        """Whether matches are marked in the text."""
        self._waiting: Callable[[], None] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_QUIET_MS)
        self._timer.timeout.connect(self._run)
        editor.document().contentsChange.connect(self._on_text)
        editor.selectionChanged.connect(self.changed)

    @property
    def query(self) -> Query:
        """What is looked for; an empty pattern finds nothing."""
        return self._query

    @property
    def error(self) -> str:
        """Why nothing can be found, as a sentence."""
        return self._error

    @property
    def idle(self) -> bool:
        """Whether the matches are those of the query in the text as it is."""
        return not self._busy and not self._timer.isActive()

    @property
    def found(self) -> Found:
        """The matches."""
        return self._found

    @property
    def current(self) -> int:
        """The number of the match that is selected, from 1; 0 when none is."""
        cursor = self._editor.textCursor()
        span = (cursor.selectionStart(), cursor.selectionEnd())
        spans = self._found.spans
        at = _at_or_after(spans, span[0])
        return at + 1 if at < len(spans) and spans[at] == span else 0

    @property
    def scope(self) -> tuple[int, int] | None:
        """The part that is searched, None for all."""
        if self._scope is None:
            return None
        return self._scope.selectionStart(), self._scope.selectionEnd()

    def search(self, query: Query, scope: QTextCursor | None = None) -> None:
        """Look for something else, or in a part only; shortly afterwards `changed` comes."""
        self._query, self._scope = query, scope
        self._waiting = None
        self._timer.start()

    def stop(self) -> None:
        """Mark nothing; a step takes the query up again."""
        self.marking = False
        self._timer.stop()
        self._take(Found(()), "")

    def step(self, by: int) -> None:
        """Select the next match (1) or the one before (-1), around the ends of the text.

        While the search runs, it is done when that ends.
        """
        if not self.idle or (not self._found.spans and self._query.pattern and not self._error):
            self._waiting = lambda: self._step(by)
            self._run()
        else:
            self._step(by)

    def replace_one(self, template: str) -> None:
        """Replace the selected match and go to the next; without one only go there."""
        number = self.current
        if number and self.idle and not self._editor.isReadOnly():
            self._tasks.start(self._replace_one(number - 1, template), name="replace")
        else:
            self.step(1)

    def replace_all(self, template: str) -> None:
        """Replace every match as one step of undo; `replaced` carries how many."""
        if not self._editor.isReadOnly():
            self._tasks.start(self._replace_all(template), name="replace")

    def release(self) -> None:
        """Let go of the document."""
        self._released = True
        self._timer.stop()
        self._editor.document().contentsChange.disconnect(self._on_text)

    # The search

    def _on_text(self, _at: int, _removed: int, _added: int) -> None:
        if self._found.spans or self._timer.isActive():
            self._timer.start()

    def _run(self) -> None:
        self._timer.stop()
        if self._busy:
            self._again = True
            return
        self._busy = True
        if self._tasks.start(self._search(), name="find") is None:
            self._busy = False

    async def _search(self) -> None:
        found, error = Found(()), ""
        try:
            text = raw_text(self._editor.document())
            found = await asyncio.to_thread(
                find_all, text, self._query, self.scope, seconds=self.seconds
            )
        except StudioError as problem:
            error = str(problem)
        finally:
            self._busy = False
        if not isValid(self) or self._released:
            return
        if self._again:
            self._again = False
            self._run()
            return
        self._take(found, error)
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            waiting()

    def _take(self, found: Found, error: str) -> None:
        self._found, self._error = found, error
        self._editor.marks.set_matches(found.spans if self.marking else ())
        self._editor.viewport().update()
        self.changed.emit()

    def _step(self, by: int) -> None:
        spans = self._found.spans
        if not spans:
            return
        cursor = self._editor.textCursor()
        at = _at_or_after(spans, cursor.selectionStart())
        if by > 0:
            at += at < len(spans) and spans[at] == (cursor.selectionStart(), cursor.selectionEnd())
        else:
            at -= 1
        self._editor.select(*spans[at % len(spans)])

    # Replacing

    async def _replace_one(self, number: int, template: str) -> None:
        start, end = self._found.spans[number]
        limit = self.scope[1] if self.scope is not None else None
        made = await self._made(template, (start, limit), most=1)
        if made and (made[0].start, made[0].end) == (start, end):
            self._put_in(made)
            self.step(1)

    async def _replace_all(self, template: str) -> None:
        scope = self.scope
        made = await self._made(template, scope if scope is not None else (0, None))
        if made is not None:
            count = await self._put_all(made, template)
            if isValid(self) and not self._released:
                self._timer.start()
                self.replaced.emit(count)

    async def _made(
        self, template: str, within: tuple[int, int | None], *, most: int | None = None
    ) -> list[Replacement] | None:
        """Return the replacements; None where there is an error, or the text changed meanwhile."""
        document = self._editor.document()
        revision = document.revision()
        try:
            made = await asyncio.to_thread(
                replacements,
                raw_text(document),
                self._query,
                template,
                within,
                most=most,
                seconds=self.seconds,
            )
        except StudioError as problem:
            if isValid(self) and not self._released:
                self._error = str(problem)
                self.changed.emit()
            return None
        if not isValid(self) or self._released:
            return None
        return made if document.revision() == revision else None

    async def _put_all(self, made: Sequence[Replacement], template: str) -> int:
        """Make the replacements part by part, from the end; returns how many.

        They are one step of undo. Where somebody types meanwhile, that step ends, and what is left
        is looked for anew; an undo meanwhile ends all.
        """
        document, count = self._editor.document(), 0
        revision, done = document.revision(), QTextCursor(document)
        parts = _parts(raw_text(document), made)
        for number, (part, few) in enumerate(reversed(parts)):
            if number:
                await asyncio.sleep(0)
                if not isValid(self) or self._released or document.isRedoAvailable():
                    return count
                if self._editor.isReadOnly():
                    return count
                if document.revision() != revision:
                    return count + await self._put_rest(template, done)
            self._put_in(few, join=number > 0)
            count += len(part)
            revision = document.revision()
            done.setPosition(few[0].start)
        return count

    async def _put_rest(self, template: str, done: QTextCursor) -> int:
        """Replace what is above the place that replacing has come to; returns how many."""
        start = self.scope[0] if self.scope is not None else 0
        made = await self._made(template, (start, done.position()))
        return await self._put_all(made, template) if made else 0

    def _put_in(self, made: Sequence[Replacement], *, join: bool = False) -> None:
        """Make the replacements as one step of undo, from the end, so that places stay right.

        With `join` they belong to the step before.
        """
        worker = QTextCursor(self._editor.document())
        if join:
            worker.joinPreviousEditBlock()
        else:
            worker.beginEditBlock()
        for one in reversed(made):
            worker.setPosition(one.start)
            worker.setPosition(one.end, QTextCursor.MoveMode.KeepAnchor)
            worker.insertText(one.text)
        worker.endEditBlock()


def _parts(
    text: str, made: Sequence[Replacement]
) -> list[tuple[Sequence[Replacement], Sequence[Replacement]]]:
    """Split replacements into what a turn has time for; beside each part how it is put in.

    One long text costs by its lines, to put in and to undo, single ones by their number.
    """
    single = [made[at : at + _ONE_BY_ONE] for at in range(0, len(made), _ONE_BY_ONE)]
    if len(single) < 2 or len(made) < text.count("\n"):
        return [(part, part) for part in single]
    together: list[list[Replacement]] = []
    for one in made:
        if not together or one.end - together[-1][0].start > _TOGETHER:
            together.append([])
        together[-1].append(one)
    offsets = Offsets(text)
    return [(part, [_joined(text, offsets, part)]) for part in together]


def _joined(text: str, offsets: Offsets, made: Sequence[Replacement]) -> Replacement:
    """Return one replacement for everything from the first to the last."""
    parts: list[str] = []
    at = made[0].start
    for one in made:
        parts += (text[offsets.index(at) : offsets.index(one.start)], one.text)
        at = one.end
    return Replacement(made[0].start, at, "".join(parts))


def _at_or_after(spans: Sequence[tuple[int, int]], place: int) -> int:
    """Return the number, from 0, of the first match that begins at a place or after it."""
    return bisect_left(spans, (place, 0))
