"""`Documents`: the open texts of a project, the one truth about what is unsaved (STU-01)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from studio_qt.errors import StudioError
from studio_qt.files.encoding import Encoded, encode_text
from studio_qt.files.paths import safe_path
from studio_qt.ui.documents import disk
from studio_qt.ui.documents.buffers import Buffers
from studio_qt.ui.documents.disk import ForeignChange, OnDisk, with_folders
from studio_qt.ui.documents.document import Document
from studio_qt.ui.documents.following import (
    bytes_of,
    follow_disk,
    meet,
    read_settled,
    restored,
    take_text,
)
from studio_qt.ui.documents.history import LocalHistory, Version
from studio_qt.ui.documents.memory import Memory
from studio_qt.ui.documents.saving import Job, save_file
from studio_qt.ui.tasks import Tasks

__all__ = ["Documents"]

_QUIET_MS = 100
_LONGEST_MS = 400
_AGAIN_MS = 1000
_AT_ONCE = 2
"""Files that are read and compared at a time: more threads would only hinder the window's."""


class Documents(QObject):
    """The open documents of one project folder.

    `opened` and `closed` carry a `Document`; `leaving` says that all begin to be closed, or are.
    `buffers_changed` carries the paths whose unsaved
    text is another than before, 100 ms after the last key, 400 ms after the first at the latest,
    and at once by `flush`. `history_changed` carries a path that has one more earlier version,
    `notice` a sentence for the user. `writing` comes before this program puts a text on the disk:
    the path, the SHA-256 of what lies there as far as known, else "", and that of what will.
    Unsaved text is on the disk within a second of typing, and comes back with `set_project`.
    """

    opened = Signal(object)
    closed = Signal(object)
    leaving = Signal(bool)
    buffers_changed = Signal(object)
    unsaved_changed = Signal()
    history_changed = Signal(str)
    notice = Signal(str)
    writing = Signal(str, str, str)

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._root: Path | None = None
        self._documents: list[Document] = []
        self._buffers = Buffers()
        self._memory = Memory(self)
        self._memory.history_changed.connect(self.history_changed)
        self._memory.notice.connect(self.notice)
        self._opening = asyncio.Lock()
        self._told: tuple[str, ...] = ()
        self._few = asyncio.Semaphore(_AT_ONCE)
        self._again = self._timer(_AGAIN_MS, self._look_again)
        self._quiet = self._timer(_QUIET_MS, self.flush)
        self._longest = self._timer(_LONGEST_MS, self.flush)

    @property
    def root(self) -> Path | None:
        """The project's folder, None where none is open."""
        return self._root

    @property
    def documents(self) -> tuple[Document, ...]:
        """The open documents, in the order in which they were opened."""
        return tuple(self._documents)

    @property
    def unsaved(self) -> tuple[str, ...]:
        """The paths of the documents that differ from the disk."""
        return tuple(document.path for document in self._documents if document.modified)

    @property
    def buffers(self) -> Mapping[str, str]:
        """The unsaved text of each path, with the line ends of a save; one object for ever.

        It may be read on any thread.
        """
        return self._buffers

    @property
    def history(self) -> LocalHistory:
        """The earlier versions of the project's files; another object after `set_project`."""
        return self._memory.history

    @property
    def idle(self) -> bool:
        """Whether all unsaved text is told and on the disk."""
        return not self._longest.isActive() and self._memory.idle

    def find(self, path: str) -> Document | None:
        """Return the open document of a path."""
        return next((document for document in self._documents if document.path == path), None)

    async def set_project(self, root: Path | None) -> None:
        """Close everything, keeping unsaved text for next time, and go to another project.

        What was unsaved there is open again on return; where the disk has changed meanwhile the
        document is in conflict, and gone where the file is.
        """
        async with self._opening:
            await self._close_all()
            self._root = root
            if root is not None:
                await self._bring_back(root)
        self.flush()

    async def open(self, path: str) -> Document:
        """Return the document of a file, opening it if need be.

        Raises StudioError, naming the file, when there is none, or when it is no text or too large.
        """
        path = safe_path(path)
        async with self._opening:
            if (document := self.find(path)) is not None:
                return document
            found = await asyncio.to_thread(disk.read_text, self._place(), path)
            if found is None:
                raise StudioError(f"{path} is not there. It may have been renamed or removed.")
            document = Document(path)
            at_once = await document.fill(found.file.text)
            document.set_base(found)
            self._add(document)
        if not at_once:
            await self._look(document)  # it may have changed while it was not yet among the open
        return document

    async def begin(self, path: str) -> Document:
        """Return the document of a file that need not be there: its first save makes it.

        Raises StudioError as `open` does.
        """
        path = safe_path(path)
        async with self._opening:
            there = await asyncio.to_thread(disk.read_bytes, self._place(), path) is not None
            if not there and self.find(path) is None:
                document = Document(path)
                document.set_away("gone")
                self._add(document)
        return self.find(path) or await self.open(path)

    def flush(self) -> None:
        """Take unsaved text now, for `buffers` and for what survives a kill."""
        started = time.perf_counter()
        self._quiet.stop()
        self._longest.stop()
        for document in self._documents:
            before = document.modified
            document.settle()
            self._memory.note(document)
            if before and not document.modified and document.away == "conflict":
                self._tasks.start(self._look(document), name="follow")  # it is free to
        self._tell()
        if not self._memory.idle:
            self._tasks.start(self._memory.write(), name="keep unsaved text")
        self._pace((time.perf_counter() - started) * 1000)

    async def secure(self) -> tuple[str, ...]:
        """Bring unsaved text to its copies now; returns the paths of which no copy has it all.

        What is not saved of those is lost when the project or the window is closed.
        """
        self.flush()
        await self._memory.write()
        return tuple(path for path in self.unsaved if not self._memory.keeps(path))

    async def save(self, document: Document, *, over_foreign: bool = False) -> None:
        """Write a document to its file, atomically, and keep the earlier version.

        Raises StorageError, and StudioError when another program has changed the file, unless
        `over_foreign`; the text stays as it is then. One without unsaved text follows the disk.
        """
        self._must_be_open(document)
        document.settle()
        if not document.modified and not over_foreign:
            await self._look(document)
            if not document.modified and not document.away:
                return
        async with document.lock:
            saved = False
            while not saved:  # once more where the file was renamed meanwhile
                self._must_be_open(document)
                like = document.written_like
                encoded = await asyncio.to_thread(encode_text, document.plain, like)
                saved = await self._put(document, encoded, over_foreign=over_foreign)
        self.flush()
        if encoded.notice:
            self.notice.emit(f"{document.path} is saved. {encoded.notice}")

    async def save_all(self) -> None:
        """Save every document that differs from the disk; raises StudioError for those left."""
        errors: list[StudioError] = []
        for document in self.documents:
            if document.modified:
                try:
                    await self.save(document)
                except StudioError as error:
                    errors.append(error)
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise StudioError(" ".join(str(error) for error in errors))

    async def revert(self, document: Document) -> None:
        """Take the disk's text, as a step that can be undone; raises StudioError without a file."""
        async with document.lock:
            self._must_be_open(document)
            await follow_disk(document, await self._on_disk(document))
        self.flush()

    async def restore(self, document: Document, version: Version) -> None:
        """Take the text of an earlier version, as a step that can be undone, without saving.

        Raises StudioError where the version is gone.
        """
        text = await self._memory.history.text(version)
        async with document.lock:
            self._must_be_open(document)
            await self._memory.keep_text(document, "restored")
            await take_text(document, text)
        self.flush()

    async def disk_text(self, document: Document) -> str:
        """Return what the disk has now, `\\n` between lines; raises StudioError without a file."""
        return (await self._on_disk(document)).file.text

    async def text_now(self, path: str) -> str:
        """Return the text of a file as it plays: unsaved where it is open, else the disk's.

        Raises StudioError where there is none.
        """
        if (document := self.find(path)) is not None:
            return document.plain
        found = await asyncio.to_thread(disk.read_text, self._place(), path)
        if found is None:
            raise StudioError(f"{path} is not on the disk.")
        return found.file.text

    async def close(self, document: Document, *, keep: bool = False) -> None:
        """Close a document. With `keep` its unsaved text comes back with the project.

        Without, unsaved text is given up; local history still has it.
        """
        async with document.lock:
            if document not in self._documents:
                return
            document.settle()
            if keep:
                self._memory.note(document)
            else:
                if document.modified:
                    await self._memory.keep_text(document, "closed unsaved")
                self._memory.forget(document.path)
            self._take_away(document)
        await self._memory.write()

    async def files_changed(self, paths: frozenset[str]) -> None:
        """Look at the files of open documents that are among, or below, `paths`; empty: all."""
        concerned = [
            document
            for document in self.documents
            if not paths or not paths.isdisjoint(with_folders(document.path))
        ]
        await asyncio.gather(*(self._look(document) for document in concerned))
        self.flush()

    def moved(self, old: str, new: str) -> None:
        """Follow a file or folder of the project that the user has renamed."""
        for document in self.documents:
            if old in with_folders(document.path):
                path = new + document.path[len(old) :]
                if (other := self.find(path)) is not None and other is not document:
                    self._give_way(other)
                self._memory.forget(document.path)
                document.set_path(path)
        self._memory.history.moved(old, new)
        self._tasks.start(asyncio.to_thread(self._memory.history.write_back), name="move history")
        self.flush()

    async def remember(self, path: str, reason: str = "deleted") -> None:
        """Keep what a file is in local history, before something removes or replaces it."""
        data = await asyncio.to_thread(disk.read_bytes, self._place(), path)
        if data is not None:
            await self._memory.keep(path, data, reason)

    async def tell_writing(self, path: str, data: bytes) -> None:
        """Emit `writing` for a file that is not open, before it is replaced by `data`."""
        there = await asyncio.to_thread(disk.read_bytes, self._place(), path)
        old = "" if there is None else disk.digest_of(there)
        self.writing.emit(path, old, disk.digest_of(data))

    async def take_back(self, version: Version) -> Document:
        """Restore a version in its document, opening it, or making the file again if it is gone.

        Raises StudioError.
        """
        path = version.path
        document = self.find(path)
        if document is None:
            if await asyncio.to_thread(disk.read_bytes, self._place(), path) is None:
                data = await asyncio.to_thread(self._memory.history.data, version)
                await asyncio.to_thread(disk.replace_file, self._place(), path, data)
            document = await self.open(path)
        await self.restore(document, version)
        return document

    async def shutdown(self) -> None:
        """Bring all unsaved text to the disk and close everything; twice is harmless."""
        async with self._opening:
            await self._close_all()
            self._root = None

    def _timer(self, milliseconds: int, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(slot)
        return timer

    def _place(self) -> Path:
        if self._root is None:
            raise StudioError("No project is open.")
        return self._root

    def _add(self, document: Document) -> None:
        document.edited.connect(self._on_edited)
        document.state_changed.connect(self._on_state_changed)
        self._documents.append(document)
        self.opened.emit(document)
        self._on_state_changed()

    def _take_away(self, document: Document) -> None:
        document.edited.disconnect(self._on_edited)
        document.state_changed.disconnect(self._on_state_changed)
        self._documents.remove(document)
        self.closed.emit(document)
        self._tell()
        self._on_state_changed()

    def _give_way(self, document: Document) -> None:
        """Close a document whose file was replaced by a renamed one."""
        if document.modified:
            keep = self._memory.keep_text(document, "closed unsaved")
            self._tasks.start(keep, name="keep a version")
        self._memory.forget(document.path)
        self._take_away(document)

    async def _close_all(self) -> None:
        """Close everything, when saves that run have ended; unsaved text stays in its copies."""
        self.leaving.emit(True)
        try:
            for document in self.documents:
                async with document.lock:
                    if document in self._documents:
                        document.settle()
                        self._memory.note(document)
                        self._take_away(document)
                await asyncio.sleep(0)  # what shows it takes a millisecond to end
        finally:
            self.leaving.emit(False)
        for timer in (self._quiet, self._longest, self._again):
            timer.stop()
        await self._memory.close()

    async def _bring_back(self, root: Path) -> None:
        """Open what was unsaved when the project was left, or the application killed."""
        for unsaved in await self._memory.open(root):
            try:
                self._add(await restored(root, unsaved))
            except StudioError as error:
                self.notice.emit(f"The unsaved text of {unsaved.path} is kept, but: {error}")

    async def _on_disk(self, document: Document) -> OnDisk:
        found = await asyncio.to_thread(disk.read_text, self._place(), document.path)
        if found is None:
            raise StudioError(f"{document.path} is not on the disk any more.")
        return found

    async def _put(self, document: Document, encoded: Encoded, *, over_foreign: bool) -> bool:
        """Bring a text to the disk. A kill at any moment leaves it there or in the copy.

        Returns False when the document's file has another name by now.
        """
        written = OnDisk(encoded.file, disk.digest_of(encoded.data))
        seen = None if document.base is None else document.base.digest
        job = Job(self._place(), document.path, encoded.data, seen, check=not over_foreign)
        document.being_written = written.digest
        self.writing.emit(job.path, seen or "", written.digest)
        try:
            self._memory.note(document)
            await self._memory.write()
            lost = await asyncio.to_thread(save_file, job, self._memory.history)
        except ForeignChange:
            document.set_away("conflict")
            raise
        finally:
            document.being_written = None
        if lost:
            self.notice.emit(lost)
        if document.path != job.path:
            return False
        document.set_base(written)
        document.set_away("")
        self.history_changed.emit(document.path)
        return True

    def _must_be_open(self, document: Document) -> None:
        if document not in self._documents:
            raise StudioError(f"{document.path} is closed.")

    async def _look(self, document: Document) -> None:
        """Compare a document with its file; a clean one follows it."""
        async with document.lock:
            if document not in self._documents or self._root is None:
                return
            try:
                found = await read_settled(document, self._root, self._few)
            except StudioError as error:
                if document.away != "conflict":
                    document.set_away("conflict")
                    self.notice.emit(f"{error} The text here is what it was before.")
                return
            async with self._few:
                await self._follow(document, found)

    async def _follow(self, document: Document, found: OnDisk | None) -> None:
        meeting = meet(document, found)
        base = document.base
        if meeting == "gone":
            is_news, root = document.away != "gone", self._root
            if is_news and base is not None:
                await self._memory.keep(document.path, bytes_of(base), "deleted")
            is_there = root is not None and await asyncio.to_thread(root.is_dir)
            document.set_away("gone")
            if root is not None and (is_news or not is_there):
                self._again.start()  # nothing tells that a folder is back where it was
        elif meeting == "follow" and found is not None:
            if base is not None:
                await self._memory.keep(document.path, bytes_of(base), "foreign change")
            if not await follow_disk(document, found, unless_modified=True):
                document.set_away("conflict")
        else:
            document.set_away("conflict" if meeting == "conflict" else "")

    def _tell(self) -> None:
        """Exchange the buffers, and say what is new."""
        texts = {
            document.path: document.plain.replace("\n", document.line_end)
            for document in self._documents
            if document.modified
        }
        if changed := self._buffers.exchange(texts):
            self.buffers_changed.emit(changed)

    def _pace(self, spent: float) -> None:
        """Take text less often when that takes long: 16 MB need a tenth of a second."""
        self._quiet.setInterval(min(500, max(_QUIET_MS, round(5 * spent))))
        self._longest.setInterval(min(900, max(_LONGEST_MS, round(10 * spent))))

    def _look_again(self) -> None:
        self._tasks.start(self.files_changed(frozenset()), name="look for the project")

    def _on_edited(self) -> None:
        self._quiet.start()
        if not self._longest.isActive():
            self._longest.start()

    def _on_state_changed(self) -> None:
        if (unsaved := self.unsaved) != self._told:
            self._told = unsaved
            self.unsaved_changed.emit()
