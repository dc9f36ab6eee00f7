"""`EditorView`: everything in one tab: notices, the file's place, the find bar, the editor."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio_qt.errors import Problem, StudioError
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.document import Document
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.editors.body import TextBody
from studio_qt.ui.editors.crumbs import Crumbs
from studio_qt.ui.editors.notices import Choice, Notices
from studio_qt.ui.editors.spelling import Speller
from studio_qt.ui.editors.status import EditorStatus
from studio_qt.ui.highlight import LONGEST_LINE
from studio_qt.ui.widgets.filekinds import kind_of

__all__ = ["Bench", "EditorView"]

_PATIENCE_MS = 1_000
"""How long an agent with unsaved text must be broken before a bar says so."""


class Bench(NamedTuple):
    """What all tabs share."""

    desk: Desk
    documents: Documents
    speller: Speller
    closing: asyncio.Lock
    """Held while a document is closed: whoever opens it again waits until that is done."""


class EditorView(QWidget):
    """The page of a tab. Tabs that nobody has looked at cost nothing: it reads its file with the
    first `load`, and has a line above the text when it is first shown.

    `loaded`: `body` is there. `changed`: path or state is another. `status_changed`: what the
    status bar shows is another.
    `compare_wanted` and `close_wanted` come from its notices, `outside_wanted` from a preview.
    """

    loaded = Signal()
    changed = Signal()
    status_changed = Signal()
    compare_wanted = Signal()
    close_wanted = Signal()
    outside_wanted = Signal()
    save_wanted = Signal(bool)
    notice = Signal(str, str)

    def __init__(self, bench: Bench, path: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._path = path
        self._kept: Mapping[str, object] = {}
        self._problems: Sequence[Problem] = ()
        self._loading = asyncio.Lock()
        self._locked = ""
        self._released = False
        self.document: Document | None = None
        self.body: TextBody | None = None
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self._tell_broken)
        self._notices: Notices | None = None
        self._crumbs: Crumbs | None = None
        self._tools: list[Callable[[], QWidget | None]] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._inside: QWidget = QWidget()
        self._column.addWidget(self._inside, 1)

    # Properties

    @property
    def path(self) -> str:
        """The file's path in the project."""
        return self._path

    @property
    def title(self) -> str:
        """The file's name."""
        return PurePosixPath(self._path).name

    @property
    def place(self) -> Path | None:
        """Where the file lies, None without a project."""
        root = self._bench.documents.root
        return root / self._path if root is not None else None

    @property
    def unsaved(self) -> bool:
        """Whether there is text that the disk has not."""
        document = self.document or self._bench.documents.find(self._path)
        return document is not None and document.modified

    @property
    def status(self) -> EditorStatus | None:
        """What the status bar shows; None where no text is."""
        if self.body is None or self.document is None:
            return None
        return self.body.status(spelling=self._bench.speller.note)

    @property
    def notices(self) -> Notices:
        """The bars above everything."""
        if self._notices is None:
            self._notices = Notices(self._bench.desk.theme)
            self._column.insertWidget(0, self._notices)
        return self._notices

    # Methods

    async def load(self) -> None:
        """Read the file and show it, once; a failure is shown in the tab."""
        async with self._loading:
            if self._released or self._inside.objectName():
                return
            self.furnish()
            try:
                if kind_of(self._path) == "image":
                    await self._load_picture()
                else:
                    await self._load_text()
            except StudioError as error:
                if not self._released:
                    self._refuse(str(error))

    def furnish(self) -> None:
        """Make the line above the text, once; the first show does so, too."""
        if self._crumbs is not None:
            return
        self._crumbs = crumbs = Crumbs(self._bench.desk.theme)
        crumbs.set_path(self._path)
        crumbs.set_locked(self._locked)
        for make in self._tools:
            if (tool := make()) is not None:
                crumbs.add_tool(tool)
        self._column.insertWidget(self._column.indexOf(self._inside), crumbs)
        crumbs.show()  # now, not in the next turn

    def forget(self) -> None:
        """Read the file anew with the next `load`, where no document is shown."""
        if self.document is None and self._inside.objectName():
            self._put_inside(QWidget())

    def keep(self) -> dict[str, object]:
        """Return what is to be restored: the path, and where the reader was."""
        where = self.body.keep() if self.body is not None else dict(self._kept)
        return {**where, "path": self._path}

    def restore(self, kept: Mapping[str, object]) -> None:
        """Take what `keep` returned; before the file is read it waits for that."""
        self._kept = kept
        if self.body is not None:
            self.body.restore(kept)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Mark the problems of this file, and say the first error of an agent above the text.

        While the text is unsaved the words come a second later, so that lines do not jump.
        """
        self._problems = problems
        if self.body is not None:
            self.body.show_problems(problems)
        if not any(_is_broken_agent(one) for one in problems):
            self._patience.stop()
            if self._notices is not None:
                self._notices.take("problem")
        elif self.unsaved and "problem" not in self.notices.texts:
            if not self._patience.isActive():
                self._patience.start()  # a text is often broken while it is written
        else:
            self._tell_broken()

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the cursor there, counted from 1, and the keys into the editor."""
        if self.body is not None:
            self.body.editor.go_to(line, column)
        self.take_focus()

    def take_focus(self) -> None:
        """Give the keys to what the tab shows."""
        target = self.body.editor if self.body is not None else self._inside
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def add_tool(self, make: Callable[[], QWidget | None]) -> None:
        """Let the line above the text have a control, which is made when it is needed."""
        self._tools.append(make)
        if self._crumbs is not None and (tool := make()) is not None:
            self._crumbs.add_tool(tool)

    def set_path(self, path: str) -> None:
        """Follow a renamed file."""
        self._path = path
        if self._crumbs is not None:
            self._crumbs.set_path(path)
        if self.body is not None:
            self.body.set_path(path)
        self.changed.emit()

    def set_locked(self, reason: str) -> None:
        """Refuse edits, and say why; "" allows them again."""
        self._locked = reason
        if self._crumbs is not None:
            self._crumbs.set_locked(reason)
        if self.body is not None:
            self.body.editor.setReadOnly(bool(reason))
            self.status_changed.emit()

    def release(self) -> None:
        """Let go of the document, which goes on without this tab."""
        self._released = True
        self._patience.stop()
        if self.document is not None:
            self.document.state_changed.disconnect(self._on_state)
        if self.body is not None:
            self.body.release()
            if self.body is not self._inside:
                self.body.deleteLater()  # nobody has seen it yet

    # Qt

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.furnish()

    # Slots

    def _on_state(self) -> None:
        document = self.document
        if document is None:
            return
        if document.path != self._path:
            self.set_path(document.path)
        self._tell_of_disk(document)
        self.changed.emit()
        self.status_changed.emit()

    def _tell_of_disk(self, document: Document) -> None:
        for key in {"conflict", "gone"} - {document.state}:
            self.notices.take(key)
        match document.state:
            case "conflict":
                self.notices.put(
                    "conflict",
                    f"{self.title} was changed on disk by another program, and you have unsaved "
                    "edits here.",
                    [
                        Choice("Compare", self.compare_wanted.emit),
                        Choice("Keep mine", lambda: self.save_wanted.emit(True)),
                        Choice("Take the disk's", self._on_take),
                    ],
                )
            case "gone":
                self.notices.put(
                    "gone",
                    f"{self.title} is not on the disk any more: it was removed or renamed by "
                    "another program.",
                    [
                        Choice("Save again", lambda: self.save_wanted.emit(True)),
                        Choice("Close", self.close_wanted.emit),
                    ],
                )

    def _tell_long(self) -> None:
        self.notices.put(
            "long line",
            f"{self.title} has a line of more than {LONGEST_LINE:,} letters. Lines so long are "
            "wrapped and stay without colours, and each key takes longer in them.",
            tone="info",
        )

    def _tell_broken(self) -> None:
        self._patience.stop()
        broken = next((one for one in self._problems if _is_broken_agent(one)), None)
        if broken is not None:
            line = broken.line
            choices = [Choice(f"Show line {line}", lambda: self.go_to(line))] if line else []
            self.notices.put("problem", broken.message, choices, "err")

    def _on_take(self) -> None:
        if self.document is not None:
            revert = self._bench.documents.revert(self.document)
            self._bench.desk.tasks.start(revert, name="take the disk's text")

    # Helpers

    async def _load_picture(self) -> None:
        if (place := self.place) is None:
            raise StudioError("No project is open.")
        from studio_qt.ui.editors.pictures import read_picture
        from studio_qt.ui.editors.preview import PicturePage
        from studio_qt.ui.widgets.imageformats import load_image_formats

        load_image_formats()
        picture = await asyncio.to_thread(read_picture, place)
        if self._released:
            return
        page = PicturePage(self._bench.desk.theme, self.title, picture)
        page.outside_wanted.connect(self.outside_wanted)
        self._put_inside(page)

    async def _load_text(self) -> None:
        async with self._bench.closing:
            document = await self._bench.documents.open(self._path)
            if not self._released:
                self._make_body(document)
                await asyncio.sleep(0)  # to lay out a large text and to show it takes a frame each
        if self._released:
            return
        self._show_body()
        self.set_locked(self._locked)
        if self._locked or (place := self.place) is None:
            return
        if not await asyncio.to_thread(_is_writable, place) and not self._released:
            self.set_locked(f"{self.title} cannot be written: its permissions do not allow it.")

    def _make_body(self, document: Document) -> None:
        if self.document is not document:
            self.document = document
            self.body = TextBody(self._bench.desk, document, self._bench.speller)
            document.state_changed.connect(self._on_state)

    def _show_body(self) -> None:
        body = self.body
        if body is None or body is self._inside:
            return
        body.status_changed.connect(self.status_changed)
        body.notice.connect(self.notice)
        self._put_inside(body)
        body.editor.grew_long.connect(self._tell_long)
        if body.editor.is_long:
            self._tell_long()
        body.restore(self._kept)
        body.show_problems(self._problems)
        self.loaded.emit()
        self._on_state()

    def _refuse(self, reason: str) -> None:
        from studio_qt.ui.editors.preview import refusal

        page = refusal(self._bench.desk.theme, reason, outside=self.place is not None)
        page.wanted.connect(self.outside_wanted)
        self._put_inside(page)

    def _put_inside(self, page: QWidget) -> None:
        self._column.replaceWidget(self._inside, page)
        self._inside.deleteLater()
        self._inside = page
        page.setVisible(True)


def _is_broken_agent(problem: Problem) -> bool:
    agent = problem.file.startswith("agents/") or "keeps running" in problem.message
    return problem.severity == "error" and agent


def _is_writable(place: Path) -> bool:
    return not place.exists() or os.access(place, os.W_OK)
