"""`Gatekeeper`: no foreign code runs before the user has agreed to it (SUB-14, STU-07)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from studio_qt.errors import ClosedError, PackageError, Problem, StorageError
from studio_qt.ui.tasks import Tasks

if TYPE_CHECKING:
    from datetime import datetime

    from studio_qt.authoring.admission import LoadedCode
    from studio_qt.authoring.foreigncode import CodeFile
    from studio_qt.authoring.permissions import Permissions
    from studio_qt.authoring.trust import TrustBook, TrustRecord
    from studio_qt.files import Source
    from studio_qt.package import CharacterPackage
    from studio_qt.package.model import Language
    from studio_qt.ui.documents.documents import Documents

__all__ = ["Gatekeeper", "NotAgreed", "Question"]


class NotAgreed(PackageError):  # noqa: N818  (it tells what is missing)
    """A character has foreign code that nobody agreed to; nothing of it runs."""


class Question(NamedTuple):
    """What the user is to agree to: the code as it was looked at, and why it is asked.

    `changed` are the files that wait though others run; `settled` says that all of it is agreed
    to already, `played` that there are conversations with it. `opened` has its time zone.
    """

    permissions: Permissions
    record: TrustRecord
    place: Path
    changed: tuple[str, ...] = ()
    settled: bool = False
    played: bool = False
    opened: datetime | None = None


class Gatekeeper(QObject):
    """Loads the package of the open project for its player, and keeps back what is not trusted.

    Edits made in the Studio on top of trusted code are trusted with it: unsaved ones as they are
    loaded, saved ones as they are written. What another program writes is not. A place that was
    made here is never asked about. `changed` follows a change of `waiting`, `held` or of what is
    agreed to; `adopted` comes when code that was written here is trusted while some is kept back,
    so that it is worth to load again.
    """

    changed = Signal()
    adopted = Signal()
    notice = Signal(str, str)

    def __init__(
        self, documents: Documents, tasks: Tasks, home: Path, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._documents, self._tasks, self._home = documents, tasks, home
        self._book: TrustBook | None = None
        self._place: Path | None = None
        self._loaded: LoadedCode | None = None
        self._running: CharacterPackage | None = None
        self._record: TrustRecord | None = None
        self._typed: set[str] = set()
        self._doubtful: set[str] = set()
        self._refused: set[str] = set()
        self._opened = 0.0
        self.waiting = False
        self.held: frozenset[str] = frozenset()
        documents.writing.connect(self._on_writing)

    @property
    def book(self) -> TrustBook:
        """What is known of places."""
        if self._book is None:
            from studio_qt.authoring.trust import TrustBook

            self._book = TrustBook(self._home)
        return self._book

    @property
    def record(self) -> TrustRecord | None:
        """What is known of the open place, as it was loaded last."""
        return self._record

    @property
    def untrusted(self) -> frozenset[str]:
        """The paths of loaded code that may not run."""
        return frozenset(self._doubtful) if self.waiting else self.held

    @property
    def web(self) -> bool | None:
        """The user's choice whether this character may read the web; None without one."""
        return self._record.web if self._record is not None else None

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with a package that waits for an answer."""
        return list(self._loaded.package.problems) if self._loaded is not None else []

    def begin(self, place: Path | None) -> None:
        """Turn to another project, or to none."""
        self._place, self._loaded, self._running, self._record = place, None, None, None
        self._typed.clear()
        self._doubtful.clear()
        self.waiting, self.held = False, frozenset()
        self._opened = time.time()
        self.changed.emit()

    async def refresh(self) -> None:
        """Read what is known of the open place."""
        if (place := self._place) is not None:
            self._record = await asyncio.to_thread(self.book.record, place)

    async def load(self, source: Source, missing: Mapping[Language, str]) -> CharacterPackage:
        """Return what may run of the open project now.

        Raises NotAgreed where nothing may, PackageError, and ClosedError after another was opened.
        """
        place, root = self._place, self._documents.root
        if place is None:
            raise ClosedError("No project is open.")
        buffers = dict(self._documents.buffers)
        loaded, record = await asyncio.to_thread(
            self._look, place, _frozen(source, buffers, root), missing
        )
        if self._place != place:
            raise ClosedError("Another project was opened meanwhile.")
        waiting = tuple(one for one in loaded.files if not self._may_run(one, record, buffers))
        self._loaded, self._record = loaded, record
        package = _with_source(loaded.package, source)
        if waiting and self._running is None:
            self._tell(waiting=True, held=(), doubtful=waiting)
            raise NotAgreed(
                f"{package.name} brings agent code of its own. Nothing of it runs before you agree."
            )
        if waiting and self._running is not None:
            from studio_qt.authoring.admission import hold_back

            paths = {one.path for one in waiting}
            package = hold_back(package, self._running, paths)
        self._running = package
        self._tell(waiting=False, held=waiting, doubtful=waiting)
        return package

    async def require(self, source: Source) -> None:
        """Raise NotAgreed where any code in a source of the open project may not run.

        Whoever runs what it reads gives a `CodeSnapshot`, so that it is what was looked at.
        """
        place = self._place
        if place is None:
            raise ClosedError("No project is open.")
        buffers = dict(self._documents.buffers)

        def look() -> tuple[tuple[CodeFile, ...], TrustRecord]:
            from studio_qt.authoring.foreigncode import code_files

            return code_files(source), self.book.record(place)

        files, record = await asyncio.to_thread(look)
        waiting = [one for one in files if one.digest and not self._may_run(one, record, buffers)]
        if waiting:
            raise NotAgreed(
                "It would run code that you have not agreed to. Review what its code may do first.",
                file=waiting[0].path,
            )

    async def question(self) -> Question | None:
        """Return what is to be shown of the code that was loaded last; None where there is none."""
        loaded, place, record = self._loaded, self._place, self._record
        if loaded is None or place is None or record is None:
            return None
        from datetime import datetime  # the start needs none

        from studio_qt.authoring.permissions import describe

        told = await asyncio.to_thread(describe, loaded)
        played = await asyncio.to_thread(_has_conversations, place)
        changed = tuple(sorted(self.held))
        settled = not self.waiting and not self.held
        opened = datetime.fromtimestamp(self._opened).astimezone()
        return Question(told, record, place, changed, settled, played, opened)

    async def agree(self, question: Question) -> None:
        """Note that the user agreed to all that a question showed, and to nothing else.

        Raises StorageError where that cannot be kept; it counts for this session all the same.
        """
        files = question.permissions.files
        self._typed.update(file.key for file in files if file.digest)
        self._doubtful.difference_update(file.path for file in files)
        self._refused.clear()
        await self._keep(lambda: self.book.agree(question.place, files))

    def refuse(self, question: Question) -> None:
        """Note that the user said no, for as long as the window is open."""
        self._refused.add(f"{question.place}\0{question.permissions.digest}")
        self.changed.emit()

    def was_refused(self, question: Question) -> bool:
        """Whether the user said no to this very code."""
        return f"{question.place}\0{question.permissions.digest}" in self._refused

    async def withdraw(self) -> None:
        """Forget all agreement for the open place; its code does not run the next time."""
        if (place := self._place) is not None:
            self._typed.clear()
            self._running = None
            await self._keep(lambda: self.book.withdraw(place))

    async def never_ask(self) -> None:
        """Note that the open folder is the user's own work, as if it had been made here."""
        if (place := self._place) is not None:
            await self._keep(lambda: self.book.made_here(place))

    async def allow_web(self, allowed: bool | None) -> None:  # noqa: FBT001 - a value to keep
        """Keep whether this character may read the web."""
        if (place := self._place) is not None:
            if self._record is not None:
                self._record = replace(self._record, web=allowed)
            await self._keep(lambda: self.book.allow_web(place, allowed))

    async def adopt_file(self, path: str) -> None:
        """Trust a file that this program has just made in the open project."""
        place, root = self._place, self._documents.root
        if place is None or root is None or (self._record and self._record.made_here):
            return

        def look() -> CodeFile | None:
            from studio_qt.authoring.foreigncode import CodeSnapshot
            from studio_qt.files import FolderSource

            return CodeSnapshot(FolderSource(root)).code(path)

        file = await asyncio.to_thread(look)
        if file is not None and file.digest:
            await self._adopt(place, file.key)

    # Inside

    async def _adopt(self, place: Path, key: str) -> None:
        self._typed.add(key)
        await self._keep(lambda: self.book.adopt(place, [key]))
        if (self.held or self.waiting) and self._place == place:
            self.adopted.emit()

    def _look(
        self, place: Path, source: Source, missing: Mapping[Language, str]
    ) -> tuple[LoadedCode, TrustRecord]:
        from studio_qt.authoring.admission import load_code

        loaded = load_code(source, missing=missing)
        return loaded, self.book.record(place)

    def _may_run(self, file: CodeFile, record: TrustRecord, buffers: Mapping[str, str]) -> bool:
        if record.trusts(file) or file.key in self._typed:
            return True
        document = self._documents.find(file.path)
        if file.path in buffers and document is not None and document.base is not None:
            base = replace(file, digest=document.base.digest)
            if base.digest and (record.trusts(base) or base.key in self._typed):
                self._typed.add(file.key)
                return True
        return False

    def _tell(
        self, *, waiting: bool, held: tuple[CodeFile, ...], doubtful: tuple[CodeFile, ...]
    ) -> None:
        before = (self.waiting, self.held, set(self._doubtful))
        self.waiting = waiting
        self.held = frozenset(one.path for one in held)
        self._doubtful = {one.path for one in doubtful}
        if before != (self.waiting, self.held, self._doubtful):
            self.changed.emit()

    def _on_writing(self, path: str, old: str, new: str) -> None:
        """Let trust follow what the Studio itself is about to write over trusted code."""
        place, record = self._place, self._record
        if place is None or record is None or record.made_here:
            return
        from studio_qt.authoring.foreigncode import CodeFile
        from studio_qt.package.builtins import code_language

        language = code_language(path)
        if language is None:
            return
        before = CodeFile(path, language, old)
        known = record.trusts(before) or before.key in self._typed
        if known if old else path not in self._doubtful:
            key = CodeFile(path, language, new).key
            self._typed.add(key)  # at once: what is written may be loaded before it is kept
            self._tasks.start(self._adopt(place, key), name="trust")

    async def _keep(self, write: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(write)
        except StorageError as error:
            self.notice.emit(f"What you agreed to is not kept. {error}", "error")
        if self.book.notice:
            self.notice.emit(self.book.notice, "error")
            self.book.notice = ""
        await self.refresh()
        self.changed.emit()


def _has_conversations(place: Path) -> bool:
    from studio_qt.engine.places import default_data_folder

    return default_data_folder(place).is_dir()


def _frozen(source: Source, buffers: Mapping[str, str], root: Path | None) -> Source:
    """Return a source whose unsaved text does not change while it is read."""
    from studio_qt.files import FolderSource, OverlaySource

    return OverlaySource(buffers, FolderSource(root)) if root is not None else source


def _with_source(package: CharacterPackage, source: Source) -> CharacterPackage:
    """Return a package that reads its texts from the living source."""
    return replace(package, source=source, resolver=package.resolver._replace(source=source))
