"""`EditorsPage`: the tabs of a project's files, and everything that can be done with them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from PySide6.QtCore import QPoint, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.errors import Problem, StudioError
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.document import Document
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.editors.assisting import Assisting
from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.editors.commands import add_actions
from studio_qt.ui.editors.departing import Departures
from studio_qt.ui.editors.dropping import DropPage, sorted_out
from studio_qt.ui.editors.ending import Endings
from studio_qt.ui.editors.looking import Looking
from studio_qt.ui.editors.notices import Choice
from studio_qt.ui.editors.remembering import kept_tabs, those_there
from studio_qt.ui.editors.spelling import Speller
from studio_qt.ui.editors.status import EditorStatus
from studio_qt.ui.editors.tabmenu import tab_menu
from studio_qt.ui.editors.tabs import EditorTabs
from studio_qt.ui.editors.view import Bench, EditorView
from studio_qt.ui.theme.dressing import hold, wear
from studio_qt.ui.widgets.bars import EmptyState

__all__ = ["EditorStatus", "EditorsPage"]

_EMPTY = (
    "Choose a file in the tree. Ctrl+Shift+T brings back the tab that was closed last, and files "
    "can be dropped here."
)

ToolMaker = Callable[[str], QWidget | None]


class EditorsPage(DropPage):
    """The middle of the window (STU-01).

    `status_changed` carries an `EditorStatus`, or None where no text is in front. Paths are those
    of the project. `compare_wanted`: with what is on the disk. `import_wanted`: files from outside
    the project were dropped. `notice` carries a sentence and "info" or "error".
    """

    current_changed = Signal()
    status_changed = Signal(object)
    compare_wanted = Signal(str)
    history_wanted = Signal(str)
    reveal_wanted = Signal(str)
    import_wanted = Signal(list)
    notice = Signal(str, str)

    def __init__(self, desk: Desk, documents: Documents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk, self._documents = desk, documents
        self._speller = Speller(desk, self)
        self._bench = Bench(desk, documents, self._speller, asyncio.Lock())
        self._problems: dict[str, list[Problem]] = {}
        self._makers: list[ToolMaker] = []
        self._locked = ""
        self._coming: Mapping[str, object] | None = None
        self._leaving = False
        self.tabs = EditorTabs(desk.theme)
        self.departures = Departures(self._bench, self)
        self.looking = Looking(desk.theme, self)
        self._pages = QStackedWidget()
        self._endings = Endings(desk.tasks, self)
        self._told = QTimer(self)
        self._told.setSingleShot(True)
        self._told.setInterval(0)
        self._build()
        self._connect()
        add_actions(desk.actions, self)
        self.assisting = Assisting(desk, documents, self)

    # What is open

    @property
    def views(self) -> list[EditorView]:
        """The tabs from left to right."""
        found = (self.tabs.widget(number) for number in range(self.tabs.count()))
        return [view for view in found if isinstance(view, EditorView)]

    @property
    def current(self) -> EditorView | None:
        """The tab in front."""
        view = self.tabs.currentWidget()
        return view if isinstance(view, EditorView) else None

    @property
    def editor(self) -> CodeEditor | None:
        """The editor in front; None while a file is read, and for what is no text."""
        view = self.current
        return view.body.editor if view is not None and view.body is not None else None

    @property
    def current_path(self) -> str | None:
        """The path of the tab in front."""
        return self.current.path if self.current is not None else None

    @property
    def paths(self) -> list[str]:
        """The paths of the tabs from left to right."""
        return [view.path for view in self.views]

    @property
    def spelling_note(self) -> str:
        """Why spelling is not checked, as a sentence; "" while it is."""
        return self._speller.note

    def find_view(self, path: str) -> EditorView | None:
        """Return the tab of a file."""
        return next((view for view in self.views if view.path == path), None)

    # Opening, saving, closing

    async def open(self, path: str, line: int | None = None, column: int = 1) -> None:
        """Show a file, at a place counted from 1, and give it the keys; raises nothing.

        A file that cannot be shown says so in its tab.
        """
        view = self.find_view(path) or self.add_tab(path)
        self.tabs.setCurrentWidget(view)
        await view.load()
        if view is not self.current:
            return
        if line is not None:
            view.go_to(line, column)
        else:
            view.take_focus()

    def add_tab(self, path: str) -> EditorView:
        """Add a tab, which reads its file when it is in front for the first time."""
        view = EditorView(self._bench, path)
        view.loaded.connect(lambda: self._on_loaded(view))
        view.changed.connect(self._name_tabs)
        view.status_changed.connect(lambda: self._on_status(view))
        view.compare_wanted.connect(lambda: self.compare_wanted.emit(view.path))
        view.close_wanted.connect(lambda: self.departures.leave([view]))
        view.outside_wanted.connect(lambda: self.open_outside(view))
        view.save_wanted.connect(lambda over: self.save_view(view, over=over))
        view.notice.connect(self.notice)
        for maker in self._makers:
            view.add_tool(partial(_made, maker, view))
        view.set_locked(self._locked)
        view.show_problems(self._problems.get(path, ()))
        self.tabs.add(view, path)
        self._name_tabs()
        if self._coming is None:
            self._pages.setCurrentWidget(self.tabs)
        return view

    def remove_tab(self, view: EditorView) -> None:
        """Take a tab away at once; its document goes on."""
        number = self.tabs.indexOf(view)
        if number < 0:
            return
        focus = QApplication.focusWidget()
        had_focus = focus is not None and view.isAncestorOf(focus)
        self.tabs.removeTab(number)
        view.release()
        self._endings.end_view(view)
        self._name_tabs()
        if not self.views:
            self._pages.setCurrentWidget(self._empty)
        elif had_focus and self.current is not None:
            self.current.take_focus()

    def save(self) -> None:
        """Save the file in front."""
        if self.current is not None:
            self.save_view(self.current)

    def save_view(self, view: EditorView, *, over: bool = False) -> None:
        """Save a tab's file; `over`: whatever another program has made of it."""
        self._desk.tasks.start(self.saved(view, over=over), name="save")

    async def saved(self, view: EditorView, *, over: bool = False) -> bool:
        """Save a tab's file; False, after a notice, where that did not work."""
        document = view.document or self._documents.find(view.path)
        if document is None:
            return True
        over = over or document.state == "gone"
        try:
            await self._documents.save(document, over_foreign=over)
        except StudioError as error:
            self.notice.emit(str(error), "error")
            return False
        return True

    def save_all(self) -> None:
        """Save every file that has unsaved text."""
        self._desk.tasks.start(self._save_all(), name="save")

    def close_current(self) -> None:
        """Close the tab in front; unsaved text is asked about."""
        if self.current is not None:
            self.departures.leave([self.current])

    def close_others(self, view: EditorView) -> None:
        """Close all tabs but one."""
        self.departures.leave([other for other in self.views if other is not view])

    def reopen(self) -> None:
        """Bring back the tab that was closed last, with the text that was discarded."""
        self._desk.tasks.start(self.departures.come_back(), name="open")

    def step_tab(self, by: int) -> None:
        """Go to the next (1) or the earlier (-1) tab, around the ends."""
        if self.tabs.count():
            self.tabs.setCurrentIndex((self.tabs.currentIndex() + by) % self.tabs.count())
            if self.current is not None:
                self.current.take_focus()

    # Remembering

    def tab_state(self) -> dict[str, object]:
        """Return the tabs and where the reader was in each, for `restore`; fit for JSON."""
        if self._coming is not None:
            return dict(self._coming)  # what is not back yet is not to be forgotten
        kept = [view.keep() for view in self.views]
        return {"tabs": kept, "current": self.current_path, "zoom": self.looking.zoom}

    async def restore(self, state: Mapping[str, object]) -> None:
        """Open the tabs of another time; tabs without an open document go first.

        What is not there any more is left out. Unsaved texts keep their tabs in any case.
        """
        self._coming = state
        try:
            await self._bring_back(state)
        finally:
            if self._coming is state:  # else those of another project come meanwhile
                self._coming = None
        self._name_tabs()
        current = self.find_view(str(state.get("current"))) or self.current
        if current is not None:
            self.tabs.setCurrentWidget(current)
            await self._show_tabs(current)
            self._on_current()
            await current.load()

    async def _show_tabs(self, first: EditorView) -> None:
        """Bring the tabs to the front in a few turns; to show `first` at once takes a frame."""
        if self._pages.currentWidget() is not self.tabs:
            self._desk.theme.dress(first)
            await asyncio.sleep(0)
            if first in self.views:  # another project may have been opened meanwhile
                first.furnish()
                await asyncio.sleep(0)
        if self.views:
            self._pages.setCurrentWidget(self.tabs)

    async def _bring_back(self, state: Mapping[str, object]) -> None:
        for view in self.views:
            if self._documents.find(view.path) is None:
                self.remove_tab(view)
        root, kept = self._documents.root, kept_tabs(state.get("tabs"))
        there = await asyncio.to_thread(those_there, root, list(kept))
        zoom = state.get("zoom")
        self.looking.zoom_to(zoom if isinstance(zoom, int) else 0)
        for number, path in enumerate(path for path in kept if path in there):
            if self._documents.root != root:
                return  # another project was opened meanwhile
            view = self.find_view(path) or self.add_tab(path)
            view.restore(kept[path])
            if (at := self.tabs.indexOf(view)) != number:
                self.tabs.tabBar().moveTab(at, number)
            await asyncio.sleep(0)  # many tabs take seconds: each lays out all of them

    # What others tell

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Mark the lines of these in their files; those of earlier are gone."""
        self._problems = {}
        for problem in problems:
            self._problems.setdefault(problem.file, []).append(problem)
        for view in self.views:
            view.show_problems(self._problems.get(view.path, ()))

    def show_notice(
        self,
        path: str,
        text: str,
        action_text: str = "",
        callback: Callable[[], object] | None = None,
        *,
        key: str = "other",
        tone: str = "warn",
    ) -> None:
        """Show a bar above the editor of a file, where that is open; `tone`: warn, err or info.

        Another of the same `key` takes its place. Without `callback` there is no button.
        """
        if (view := self.find_view(path)) is not None:
            choices = [Choice(action_text, callback)] if callback is not None else []
            view.notices.put(key, text, choices, tone)

    def take_notice(self, path: str, key: str = "other") -> None:
        """Remove such a bar."""
        if (view := self.find_view(path)) is not None:
            view.notices.take(key)

    def add_tool(self, maker: ToolMaker) -> None:
        """Let `maker` give each tab a control beside its path; it returns None for no control."""
        self._makers.append(maker)
        for view in self.views:
            view.add_tool(partial(_made, maker, view))

    def set_read_only(self, reason: str) -> None:
        """Refuse edits in every tab, and say why; "" allows them again."""
        self._locked = reason
        for view in self.views:
            view.set_locked(reason)

    def moved(self, old: str, new: str) -> None:
        """Follow a file or folder that was renamed; documents follow by `Documents.moved`."""
        for view in self.views:
            if view.path == old or view.path.startswith(f"{old}/"):
                view.set_path(new + view.path[len(old) :])

    def files_changed(self, paths: frozenset[str]) -> None:
        """Read pictures, and what could not be shown, again; empty: whatever has changed."""
        self.assisting.files_changed()
        for view in self.views:
            if view.document is None and (not paths or view.path in paths):
                view.forget()
                if view is self.current:
                    self._desk.tasks.start(view.load(), name="open")

    def removed(self, path: str) -> None:
        """Close what the user has removed; unsaved text stays open and says so."""
        gone = [v for v in self.views if v.path == path or v.path.startswith(f"{path}/")]
        self.departures.leave([view for view in gone if not view.unsaved])

    # The system

    def open_outside(self, view: EditorView) -> None:
        """Open a tab's file with the program that the system has for it."""
        self._open_url(view.place)

    def show_in_folder(self, view: EditorView) -> None:
        """Open the folder of a tab's file."""
        self._open_url(view.place.parent if view.place is not None else None)

    def drop(self, files: Iterable[str]) -> None:
        """Open files of the project; `import_wanted` carries the others."""
        self._desk.tasks.start(self._drop(list(files)), name="open")

    # Slots

    def _on_leaving(self, is_leaving: bool) -> None:  # noqa: FBT001 - a signal's
        """Put all tabs out of sight while their documents are closed, and tell once at the end."""
        if is_leaving and self.tabs.count():
            self._pages.setCurrentWidget(self._empty)
            self._leaving = True
            for view in self.views:
                if view.document is None:
                    self.remove_tab(view)
        elif self._leaving:
            self._leaving = False
            self._on_current()

    def _on_current(self) -> None:
        if self._coming is not None or self._leaving:
            return
        if (view := self.current) is not None:
            self._desk.tasks.start(view.load(), name="open")
        self.current_changed.emit()
        self._told.start()

    def _on_loaded(self, view: EditorView) -> None:
        if view.body is None:
            return
        view.body.set_zoom(self.looking.zoom)
        view.body.editor.zoom_wanted.connect(self.looking.zoom_by)
        view.body.editor.files_dropped.connect(self.drop)
        view.body.searched.connect(self.looking.remember)
        self.assisting.attach(view)

    def _on_status(self, view: EditorView) -> None:
        if view is self.current:
            self._told.start()

    def _tell_status(self) -> None:
        self.status_changed.emit(self.current.status if self.current is not None else None)

    def _on_menu(self, number: int, place: QPoint) -> None:
        view = self.tabs.widget(number)
        if isinstance(view, EditorView):
            tab_menu(self, view, self._desk.actions).popup(place)

    def _on_close(self, number: int) -> None:
        view = self.tabs.widget(number)
        if isinstance(view, EditorView):
            self.departures.leave([view])

    def _on_document(self, document: Document) -> None:
        """Give a text that comes with unsaved edits a tab, so that it is not out of sight."""
        if document.modified and self.find_view(document.path) is None:
            self.add_tab(document.path)

    def _on_unsaved(self) -> None:
        shown = {view.document for view in self.views}
        for path in self._documents.unsaved:
            hidden = self.find_view(path) is None and self._documents.find(path) not in shown
            if hidden and not self.departures.is_leaving(path):
                self.add_tab(path)
        self._name_tabs()

    def _on_document_closed(self, document: Document) -> None:
        self._endings.end_text(document)
        view = self.find_view(document.path)
        if view is None or self.departures.is_leaving(document.path):
            return  # a tab that is there already waits for the file to be opened again
        if view.document in (None, document):
            self.remove_tab(view)

    # Helpers

    async def _save_all(self) -> None:
        try:
            await self._documents.save_all()
        except StudioError as error:
            self.notice.emit(str(error), "error")

    async def _drop(self, files: Sequence[str]) -> None:
        inside, outside = await asyncio.to_thread(sorted_out, self._documents.root, files)
        for path in inside:
            await self.open(path)
        if outside:
            self.import_wanted.emit(outside)

    def _open_url(self, place: Path | None) -> None:
        if place is not None and not QDesktopServices.openUrl(QUrl.fromLocalFile(str(place))):
            self.notice.emit(f"The system has no program that opens {place.name}.", "error")

    def _name_tabs(self) -> None:
        """Write names and states; files of one name get their folder's as well."""
        if self._coming is not None or self._leaving:
            return  # once at the end
        views = self.views
        names = Counter(view.title for view in views)
        for number, view in enumerate(views):
            title = view.title
            if names[title] > 1:
                folder = PurePosixPath(view.path).parent.name
                title = f"{title} – {folder}" if folder else title
            self.tabs.show_tab(number, view.path, title, unsaved=view.unsaved)

    def _connect(self) -> None:
        self.files_dropped.connect(self.drop)
        self.tabs.currentChanged.connect(self._on_current)
        self.tabs.tabCloseRequested.connect(self._on_close)
        self.tabs.menu_wanted.connect(self._on_menu)
        self._told.timeout.connect(self._tell_status)
        self._documents.leaving.connect(self._on_leaving)
        self._documents.opened.connect(self._on_document)
        self._documents.closed.connect(self._on_document_closed)
        self._documents.unsaved_changed.connect(self._on_unsaved)

    def _build(self) -> None:
        self.setObjectName("editorsPage")
        hold(self, self._pages, self.tabs, *self.tabs.findChildren(QStackedWidget))
        self.setAccessibleName("Editors")
        self._empty = EmptyState(
            self._desk.theme, "file-text", "No file is open", _EMPTY, name="editorsEmpty"
        )
        wear("base", "buttons", widgets=[self._empty])
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.tabs)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)


def _made(maker: ToolMaker, view: EditorView) -> QWidget | None:
    return maker(view.path)
