"""`Assistant`: what all editors of a window ask about completions, help and mends."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio_qt.authoring.completing import Completion, Hover, ProjectFacts, complete, hover
from studio_qt.authoring.completing.facts import FileFacts, read_facts
from studio_qt.authoring.mending import Mend, Reader, file_mends, mends
from studio_qt.errors import Problem, StudioError
from studio_qt.files.folder import FolderSource
from studio_qt.files.overlay import OverlaySource
from studio_qt.files.tree import is_out_of_sight, walk_tree
from studio_qt.ui.documents import disk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.documents.following import take_text
from studio_qt.ui.documents.rewriting import Rewritten, rewrite
from studio_qt.ui.editors.excerpts import Excerpt
from studio_qt.ui.tasks import Tasks

__all__ = ["Assistant"]


class Assistant(QObject):
    """Knows the names of the project; they are read in a thread when they are asked for.

    `facts_changed`: other names are known.
    """

    facts_changed = Signal()

    def __init__(self, tasks: Tasks, documents: Documents, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._documents = tasks, documents
        self._root: Path | None = None
        self._stale = True
        self._read_once = False
        self._reading: asyncio.Task[None] | None = None
        self.facts = ProjectFacts()
        documents.buffers_changed.connect(self.forget)

    # Words

    def complete(self, path: str, found: Excerpt, *, quoted: bool) -> list[Completion]:
        """Return what can be put at the place of an excerpt."""
        return complete(path, found.text, found.at, self.facts, whole=found.whole, quoted=quoted)

    def hover(self, path: str, found: Excerpt, *, quoted: bool) -> Hover | None:
        """Return what is known of the word there."""
        return hover(path, found.text, found.at, self.facts, whole=found.whole, quoted=quoted)

    # The project

    def forget(self) -> None:
        """Read the project anew when somebody asks next."""
        self._stale = True

    @property
    def knows(self) -> bool:
        """Whether the names of the project that is open have been read."""
        return self._read_once and self._documents.root == self._root

    def freshen(self) -> None:
        """Read the project anew if anything in it has changed."""
        if self._documents.root != self._root:
            self._root, self._stale, self._read_once = self._documents.root, True, False
            self.facts = ProjectFacts()
        if self._stale and self._reading is None and self._root is not None:
            self._stale = False
            self._reading = self._tasks.start(self._read(self._root), name="read names")

    async def known(self) -> ProjectFacts:
        """Return the names as they are now."""
        self.freshen()
        if self._reading is not None:
            await asyncio.wait([self._reading])
        return self.facts

    async def _read(self, root: Path) -> None:
        try:
            facts = await asyncio.to_thread(
                _read_project, root, dict(self._documents.buffers), self.facts
            )
        finally:
            self._reading = None
        if root == self._documents.root:
            fresh = not self._read_once or facts != self.facts
            self.facts, self._read_once = facts, True
            if fresh:
                self.facts_changed.emit()

    # Mending

    async def mends(self, problem: Problem) -> list[Mend]:
        """Return ways to mend a problem, for the texts as they are now."""
        root = self._documents.root
        if problem.fault is None or root is None:
            return []
        facts = await self.known()
        return await asyncio.to_thread(mends, problem, self._reader(root), facts)

    async def file_mends(self, path: str) -> list[Mend]:
        """Return what can be done for a file as a whole."""
        root = self._documents.root
        if root is None:
            return []
        return await asyncio.to_thread(file_mends, path, self._reader(root))

    def _reader(self, root: Path) -> Reader:
        """Return what gives texts as they are now; it may be called on another thread."""
        texts = {document.path: document.plain for document in self._documents.documents}
        return lambda path: texts[path] if path in texts else _read_text(root, path)

    async def apply(self, mend: Mend) -> Rewritten | None:
        """Do what a mend says; raises StudioError where the files are others by now.

        A file that is open and the only one is changed in its editor, and stays unsaved: None is
        returned, since the editor itself can undo that.
        """
        for path, seen in mend.seen.items():
            if await self._text(path) != seen:
                raise StudioError(f"{path} has changed meanwhile. Look at the problem once more.")
        paths = list(mend.changes)
        document = self._documents.find(paths[0]) if len(paths) == 1 else None
        if document is not None:
            await take_text(document, mend.changes[paths[0]])
            return None
        return await rewrite(self._documents, mend.changes)

    async def _text(self, path: str) -> str | None:
        if (document := self._documents.find(path)) is not None:
            return document.plain
        root = self._documents.root
        return await asyncio.to_thread(_read_text, root, path) if root is not None else None


def _read_project(root: Path, buffers: Mapping[str, str], last: ProjectFacts) -> ProjectFacts:
    folder = last.context_folder

    def hidden(path: str) -> bool:
        return is_out_of_sight(path, folder)

    try:
        found = [FileFacts(one.path, one.size) for one in walk_tree(root, hidden)
                 if not one.is_folder]  # fmt: skip
    except OSError:
        return last  # the folder is gone: the window tells that
    return read_facts(OverlaySource(buffers, FolderSource(root)), found, last)


def _read_text(root: Path, path: str) -> str | None:
    """Return a file's text; None also where it is none that can be read."""
    try:
        found = disk.read_text(root, path)
    except StudioError:
        return None
    return found.file.text if found is not None else None
