"""`Departures`: closing tabs without losing a text, and bringing them back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextCursor
from shiboken6 import isValid

from studio_qt.errors import StudioError
from studio_qt.ui.documents.plain import to_document
from studio_qt.ui.editors.editing import replace_all
from studio_qt.ui.editors.view import Bench, EditorView

if TYPE_CHECKING:
    from studio_qt.ui.editors.closing import CloseSheet
    from studio_qt.ui.editors.page import EditorsPage

__all__ = ["Departures"]

_MOST = 30


class _Gone(NamedTuple):
    """A tab that was closed; `text` is what was discarded, None where all was saved."""

    path: str
    number: int
    kept: Mapping[str, object]
    text: str | None


class Departures(QObject):
    """Remembers the last 30 tabs that were closed, with the texts that were discarded."""

    def __init__(self, bench: Bench, page: EditorsPage) -> None:
        super().__init__(page)
        self._desk, self._documents, self._page = bench.desk, bench.documents, page
        self._closing = bench.closing
        self._gone: list[_Gone] = []
        self._leaving: set[str] = set()
        self._sheet: CloseSheet | None = None

    def is_leaving(self, path: str) -> bool:
        """Whether a file is being closed."""
        return path in self._leaving

    def leave(self, views: Sequence[EditorView]) -> None:
        """Close tabs; where some have unsaved text, ask first."""
        if self._sheet is not None:
            return  # it asks already
        unsaved = [view for view in views if view.unsaved]
        if not unsaved:
            self._start(views, save=False)
            return
        paths = [view.path for view in unsaved]
        from studio_qt.ui.editors.closing import CloseSheet

        sheet = CloseSheet(self._desk.theme, self._page.window(), paths)
        sheet.answered.connect(lambda answer: self._on_answer(answer, views))
        self._sheet = sheet
        sheet.lay()

    async def give_up(self, paths: Sequence[str]) -> bool:
        """Ask what is to become of texts that nothing keeps; False where they are to stay open."""
        if self._sheet is not None:
            return False  # it asks already
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        from studio_qt.ui.editors.closing import CloseSheet

        sheet = CloseSheet(self._desk.theme, self._page.window(), paths, for_good=True)
        sheet.answered.connect(lambda said: None if answer.done() else answer.set_result(said))
        self._sheet = sheet
        sheet.lay()
        try:
            said = await answer
        finally:
            self._sheet = None
        if said != "save":
            return said == "discard"
        try:
            await self._documents.save_all()
        except StudioError as error:
            self._page.notice.emit(str(error), "error")
            return False
        return True

    async def come_back(self) -> None:
        """Open the tab that was closed last, where it was, with the text that was discarded."""
        if not self._gone:
            return
        gone = self._gone.pop()
        page = self._page
        view = page.find_view(gone.path)
        if view is None:
            view = page.add_tab(gone.path)
            page.tabs.tabBar().moveTab(page.tabs.indexOf(view), gone.number)
        view.restore(gone.kept)
        await page.open(gone.path)
        if gone.text is None:
            return
        if not isValid(view) or view.document is None:
            self._gone.append(gone)  # the text waits for another try
            if page.find_view(gone.path) is not None:
                lost = f"{gone.path} cannot be opened; local history has what was discarded."
                page.notice.emit(lost, "error")
            return
        replace_all(QTextCursor(view.document.text), to_document(gone.text))
        view.restore(gone.kept)

    def _on_answer(self, answer: str, views: Sequence[EditorView]) -> None:
        self._sheet = None
        if answer != "cancel":
            self._start(views, save=answer == "save")
        elif self._page.current is not None:
            self._page.current.take_focus()

    def _start(self, views: Sequence[EditorView], *, save: bool) -> None:
        if views:
            self._desk.tasks.start(self._leave(views, save=save), name="close")

    async def _leave(self, views: Sequence[EditorView], *, save: bool) -> None:
        for view in views:
            if not isValid(view):
                continue  # it was closed twice
            if save and view.unsaved and not await self._page.saved(view):
                return  # it stays open, and the notice says why
            await self._close(view)

    async def _close(self, view: EditorView) -> None:
        page = self._page
        number = page.tabs.indexOf(view) if isValid(view) else -1
        if number < 0:
            return
        document = view.document or self._documents.find(view.path)
        text = document.plain if document is not None and document.modified else None
        self._gone = [*self._gone, _Gone(view.path, number, view.keep(), text)][-_MOST:]
        self._leaving.add(view.path)
        try:
            page.remove_tab(view)
            if document is not None:
                async with self._closing:
                    await self._documents.close(document)
        finally:
            self._leaving.discard(view.path)
