"""`TreeFollower`: keeps the model like the folder, without ever holding up the window."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio_qt.files.tree import is_out_of_sight
from studio_qt.ui.project.arranging import PAGE, Layout, arrange
from studio_qt.ui.project.changes import Change, changes_between
from studio_qt.ui.project.items import ROOT, Item
from studio_qt.ui.project.model import ProjectModel
from studio_qt.ui.project.scanning import (
    Count,
    Scan,
    count_tokens,
    read_layout,
    scan_folder,
    text_tokens,
    to_count,
)
from studio_qt.ui.tasks import Tasks

__all__ = ["TreeFollower"]

_SLICE_SECONDS = 0.004
_COUNTING_SECONDS = 0.1
_MANY = 20
"""Changes after which the view waits with its layout until the last one."""

_EMPTY = Item(ROOT, "", "", "group")


class TreeFollower(QObject):
    """Scans in threads, compares in threads, and gives the model the differences in slices.

    `updated` follows each time the rows are as the folder was; `many` says that many changes of
    rows begin, or have ended; `gone` comes when there is no folder any more, `found` when there
    is one. `buffers` are unsaved texts by path. `before_counts` is waited for each time before
    tokens are counted.
    """

    updated = Signal()
    many = Signal(bool)
    gone = Signal()
    found = Signal()

    def __init__(
        self, tasks: Tasks, model: ProjectModel, buffers: Mapping[str, str], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._tasks, self._model, self._buffers = tasks, model, buffers
        self._root: Path | None = None
        self._scan: Scan | None = None
        self._shown = _EMPTY
        self._counts: dict[str, Count] = {}
        self._limits: dict[str, int] = {}
        self._pinned: frozenset[str] = frozenset()
        self._words = ""
        self._hidden = False
        self._wanted: set[str] = set()
        self.before_counts: Callable[[], Awaitable[None]] | None = None
        self._running = False

    @property
    def layout_now(self) -> Layout:
        """Where things lie, as far as it is known."""
        return self._scan.layout if self._scan is not None else Layout()

    @property
    def paths(self) -> list[str]:
        """The files of the folder, those that the rows leave out included."""
        found = self._scan.found if self._scan is not None else ()
        return [one.path for one in found if not one.is_folder]

    @property
    def idle(self) -> bool:
        """Whether nothing is under way."""
        return not self._running

    @property
    def words(self) -> str:
        """What the rows are filtered by."""
        return self._words

    @property
    def hidden(self) -> bool:
        """Whether hidden files are shown."""
        return self._hidden

    @property
    def count(self) -> int:
        """How many files are shown, those behind "Show more" included."""
        return sum(group.count for group in self._shown.children)

    def has(self, path: str) -> bool:
        """Whether the folder had a file of this path when it was last read."""
        return self._scan is not None and path in self._scan.sizes

    def names_in(self, folder: str) -> list[str]:
        """Return the names directly in a folder, as it was when it was last read."""
        prefix = f"{folder}/" if folder else ""
        found = self._scan.found if self._scan is not None else ()
        names = (one.path[len(prefix) :] for one in found if one.path.startswith(prefix))
        return [name for name in names if "/" not in name]

    def follow(self, root: Path | None) -> None:
        """Show another folder; the rows of the old one go at once."""
        self._root, self._scan = root, None
        self._counts, self._limits = {}, {}
        self._model.empty()
        self._shown = _EMPTY
        self._model.place = root.as_posix() if root is not None else ""
        if root is not None:
            self.refresh()

    def refresh(self, *, walk: bool = True) -> None:
        """Look again; without `walk` only at what is unsaved. Calls while it runs become one."""
        self._wanted.add("walk" if walk else "arrange")
        if not self._running and self._root is not None:
            self._running = True
            self._tasks.start(self._run(), name="project tree")

    def concerns(self, path: str) -> bool:
        """Whether a change of this path can change a row."""
        if self._hidden:
            return True
        parts = path.split("/")
        context = self.layout_now.context
        above = ("/".join(parts[:end]) for end in range(1, len(parts) + 1))
        return not any(is_out_of_sight(one, context) for one in above)

    def filter(self, words: str) -> None:
        """Show only files that have all of these words in their path."""
        if words.split() != self._words.split():
            self._words = words
            self.refresh(walk=False)

    def show_hidden(self, *, hidden: bool) -> None:
        """Show what is not the author's own work too."""
        self._hidden = hidden
        self.refresh()

    def show_more(self, key: str) -> None:
        """Show more rows of a group or folder that has many."""
        self._limits[key] = self._limits.get(key, PAGE) + PAGE
        self.refresh(walk=False)

    def pin(self, path: str) -> bool:
        """Let the row of this path stay, wherever it stands among many; one at a time.

        Returns whether that is news.
        """
        parts = path.split("/")
        before = self._pinned
        self._pinned = frozenset("/".join(parts[:end]) for end in range(1, len(parts) + 1))
        return self._pinned != before

    # How it is done

    async def _run(self) -> None:
        try:
            while self._wanted and self._root is not None:
                wanted, self._wanted = self._wanted, set()
                root = self._root
                scan = await self._look(root, walk="walk" in wanted or self._scan is None)
                if root != self._root:
                    continue
                self._scan = scan
                if scan is None:
                    self.gone.emit()
                    continue
                self.found.emit()
                await self._show(scan)
                await self._count(scan)
        finally:
            self._running = False

    async def _look(self, root: Path, *, walk: bool) -> Scan | None:
        before, buffers = self.layout_now, self._buffers
        if walk or self._scan is None:
            return await asyncio.to_thread(scan_folder, root, buffers, before, hidden=self._hidden)
        layout = await asyncio.to_thread(read_layout, root, buffers, before)
        return Scan(root, self._scan.found, layout, self._scan.sizes)

    async def _show(self, scan: Scan) -> None:
        """Bring the rows to what was found; ends early when another folder is followed."""
        shown = self._shown
        new, changes = await asyncio.to_thread(
            _prepare,
            (scan, shown),
            (self._counts, self._buffers),
            self._words,
            (dict(self._limits), self._pinned),
        )
        if self._shown is not shown or scan.root != self._root:
            return
        self._shown = new
        self.many.emit(len(changes) > _MANY)
        try:
            await self._take(changes)
        finally:
            self.many.emit(False)
        if self._shown is new:
            self.updated.emit()

    async def _take(self, changes: Sequence[Change]) -> None:
        """Give the changes to the model, in slices; ends when another folder is followed."""
        new = self._shown
        until = time.perf_counter() + _SLICE_SECONDS
        for change in changes:
            self._model.take(change)
            if time.perf_counter() > until:
                await asyncio.sleep(0)
                if self._shown is not new:
                    return
                until = time.perf_counter() + _SLICE_SECONDS

    async def _count(self, scan: Scan) -> None:
        """Count tokens where they are not known, and show them as they come."""
        missing = await asyncio.to_thread(to_count, scan, self._counts)
        if missing and self.before_counts is not None:
            await self.before_counts()
        counting = count_tokens(scan.root, missing)
        while missing and not self._wanted:
            counted = await asyncio.to_thread(_some, counting)
            if scan.root != self._root or not counted:
                return
            self._counts.update(counted)
            await self._show(scan)


def _prepare(
    scans: tuple[Scan, Item],
    known: tuple[Mapping[str, Count], Mapping[str, str]],
    words: str,
    paging: tuple[Mapping[str, int], frozenset[str]],
) -> tuple[Item, Sequence[Change]]:
    """Return the new rows, and how to come there from the old ones."""
    scan, old = scans
    counts, buffers = known
    tokens = {path: count.tokens for path, count in counts.items()}
    prefix = f"{scan.layout.context}/"
    tokens.update(
        (path, text_tokens(text)) for path, text in dict(buffers).items() if path.startswith(prefix)
    )
    limits, pinned = paging
    new = arrange(scan.found, scan.layout, tokens=tokens, words=words, shown=limits, pinned=pinned)
    return new, changes_between(old, new)


def _some(counting: Iterator[tuple[str, Count]]) -> dict[str, Count]:
    """Take counts for a while."""
    until = time.perf_counter() + _COUNTING_SECONDS
    taken: dict[str, Count] = {}
    for path, count in counting:
        taken[path] = count
        if time.perf_counter() > until:
            break
    return taken
