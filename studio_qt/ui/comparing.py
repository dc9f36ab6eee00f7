"""`Comparing`: earlier versions and foreign changes of a file, laid beside what is open."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget

from studio_qt.errors import StudioError
from studio_qt.ui.actions import Place
from studio_qt.ui.compare.page import Choice, ComparePage
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.editors.page import EditorsPage
from studio_qt.ui.history.page import HistoryPage

__all__ = ["Comparing"]

_MINE = Choice("mine", "Keep mine")
_DISK = Choice("disk", "Take the disk's", primary=True)


class Comparing(QObject):
    """The comparison that covers the editors, and the list of earlier versions.

    `stack` holds the editors, and gets the comparison; `history` is a page for the side pane, which
    `history_wanted` asks to be shown. `notice` carries a sentence and its kind.
    """

    history_wanted = Signal()
    notice = Signal(str, str)

    def __init__(
        self, desk: Desk, documents: Documents, editors: EditorsPage, stack: QStackedWidget
    ) -> None:
        super().__init__(editors)
        self._desk, self._documents, self._editors = desk, documents, editors
        self._path = ""
        self.page = ComparePage(desk)
        self.history = HistoryPage(desk, documents)
        self.stack = stack
        self.stack.addWidget(self.page)
        self.page.closed.connect(self.close)
        self.page.chosen.connect(self._on_chosen)
        self.history.compare_wanted.connect(self._show)
        self.history.restored.connect(self._on_restored)
        self.history.notice.connect(self.notice)
        editors.compare_wanted.connect(self.compare_with_disk)
        editors.history_wanted.connect(self.show_history)
        add, place = desk.actions.add, Place("File", 4)
        add("compareSaved", "Compare with the &disk", self._compare_current, place=place)
        add("localHistory", "Earlier &versions", self._history_current, place=place, keys="Alt+H")

    @property
    def settled(self) -> bool:
        """Whether nothing is being compared."""
        return self.stack.currentWidget() is not self.page or self.page.settled

    def compare_with_disk(self, path: str) -> None:
        """Lay the disk's text of an open file beside its own."""
        self._desk.tasks.start(self._compare(path), name="compare")

    def show_history(self, path: str) -> None:
        """List the earlier versions of a file."""
        self.history.show_path(path)
        self.history_wanted.emit()

    def close(self) -> None:
        """Bring the editors back to the front."""
        had_focus = self.page.isAncestorOf(self.page.window().focusWidget() or self._editors)
        self.stack.setCurrentWidget(self._editors)
        if had_focus and self._editors.current is not None:
            self._editors.current.take_focus()

    # Helpers

    async def _compare(self, path: str) -> None:
        document = self._documents.find(path)
        if document is None:
            return
        disk = await self._documents.disk_text(document)
        self._path = path
        choices = (_MINE, _DISK) if document.modified else ()
        self._lay(path, "On the disk", disk, "In the editor", document.plain, choices)

    def _show(self, title: str, left_title: str, left: str, right_title: str, right: str) -> None:
        self._path = self.history.path
        self._lay(title, left_title, left, right_title, right, ())

    def _lay(
        self,
        title: str,
        left_title: str,
        left: str,
        right_title: str,
        right: str,
        choices: tuple[Choice, ...],
    ) -> None:
        self.page.show_texts(title, left_title, left, right_title, right, choices)
        self.stack.setCurrentWidget(self.page)
        self.page.left.setFocus()

    def _on_chosen(self, name: str) -> None:
        document = self._documents.find(self._path)
        if document is None:
            self.close()
            return
        save = partial(self._documents.save, document, over_foreign=True)
        act = save if name == _MINE.name else partial(self._documents.revert, document)
        self._desk.tasks.start(act(), name="settle", on_error=self._on_error)
        self.close()

    def _on_restored(self, path: str) -> None:
        self.close()
        self._desk.tasks.start(self._editors.open(path), name="open")

    def _on_error(self, error: Exception) -> None:
        if not isinstance(error, StudioError):
            raise error
        self.notice.emit(str(error), "error")

    def _compare_current(self) -> None:
        if (path := self._editors.current_path) is not None:
            self.compare_with_disk(path)

    def _history_current(self) -> None:
        if (path := self._editors.current_path) is not None:
            self.show_history(path)
