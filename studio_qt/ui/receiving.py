"""`Receiving`: the ways in for characters and chats, the library, and what a zip is played with.

What they need is imported when it is first asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QObject
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from studio_qt.files.there import is_folder, is_there
from studio_qt.settings import home_folder
from studio_qt.ui.actions import Place
from studio_qt.ui.importing import import_directly
from studio_qt.ui.playing import Playing
from studio_qt.ui.widgets.dropveil import DropVeil
from studio_qt.ui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from studio_qt.ui.incoming.chats import ChatImporting
    from studio_qt.ui.incoming.page import Importing
    from studio_qt.ui.library.page import LibraryPage
    from studio_qt.ui.pages import Pages
    from studio_qt.ui.window import StudioWindow

__all__ = ["Receiving"]

_INCOMING = ("studio_qt.ui.incoming.page", "studio_qt.ui.incoming.chats")
_LIBRARY = "studio_qt.ui.library.page"
_PARTS = "import: parts"
_LOOK_MS = 100
_HINT = "Drop a folder, a zip, a card or a chat here."


class Receiving(QObject):
    """Takes what is dropped on the window, and opens the sheets and the library.

    `importing`, `chats` and `library` are None before something of them was asked for.
    """

    def __init__(self, window: StudioWindow, pages: Pages) -> None:
        super().__init__(pages)
        self._window, self._pages = window, pages
        self._inside = window.inside
        self._desk, self._session = window.inside.desk, window.inside.session
        self.importing: Importing | None = None
        self.chats: ChatImporting | None = None
        self.library: LibraryPage | None = None
        self._before: QWidget | None = None
        self._making = asyncio.Lock()
        self._handing = asyncio.Lock()
        self._veil = DropVeil(self._desk.theme, window, "dropVeil", "Drop it here")
        self.playing = Playing(self._desk, self._inside.head, self.open_copy)
        self._add_actions()
        self._connect()

    # What is asked for

    def choose(self) -> None:
        """Ask for a file with a character."""
        self._with_parts(lambda: self._importing.choose())  # noqa: PLW0108 - it is made first

    def ask_address(self, address: str = "") -> None:
        """Ask for the address of a character."""
        self._with_parts(lambda: self._importing.ask_address(address))

    def choose_chat(self) -> None:
        """Ask for a file with a chat."""
        self._with_parts(lambda: self._chats.choose())  # noqa: PLW0108 - it is made first

    def bring(self, place: Path) -> None:
        """Show what is in a file, before it is let in."""
        self._with_parts(lambda: self._importing.bring(place))

    def open_copy(self) -> None:
        """Ask where a copy of the zip that is played is to be unpacked."""
        place = self._session.place
        if place is not None and self._session.root is None:
            self.bring(place)

    def show_library(self) -> None:
        """Show the characters that were opened."""
        self._desk.tasks.start(self._show_library(), name="library: show")

    def take(self, places: Sequence[Path]) -> None:
        """Take files that were dropped: a folder is opened, all else looked at first."""
        if places:
            self._desk.tasks.start(self._take(places), name="dropped")

    async def open_handed(self, place: Path) -> None:
        """Open what the system hands over, one after another, when no sheet asks for anything.

        What is open already is not opened again.
        """
        async with self._handing:
            while self._is_busy():  # noqa: ASYNC110 - many things that have no event in common
                await asyncio.sleep(_LOOK_MS / 1000)
            if await asyncio.to_thread(is_there, place):
                self._open(place)
            else:
                self._pages.tell(f"{place} is not there any more.", "error")

    async def left_over(self, places: Sequence[Path]) -> list[Path]:
        """Take the first character among files; return those that are none."""
        others, brought = [], False
        for place in places:
            kind = await asyncio.to_thread(_kind_of, place)
            if kind != "character":
                others.append(place)
            elif not brought:
                brought = True
                self.bring(place)
        return others

    # Qt

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Take what is held over the window, and dropped where no page takes it."""
        if isinstance(event, QDropEvent):
            return self._on_drag(event)
        if event.type() == QEvent.Type.DragLeave:
            self._veil.hide()
        return False

    def _on_drag(self, event: QDropEvent) -> bool:
        moves = isinstance(event, QDragMoveEvent | QDragEnterEvent)
        places, address = _carried(event.mimeData())
        if not (places or address) or self._asks():
            return False
        event.acceptProposedAction()
        if moves:
            if not self._veil.isVisible():
                self._veil.lay()
            return True
        self._veil.hide()
        if places:
            self.take(places)
        else:
            self.ask_address(address)
        return True

    def _asks(self) -> bool:
        return any(sheet.is_open for sheet in self._window.findChildren(Sheet))

    def _is_busy(self) -> bool:
        """Whether a sheet asks for something, or what was asked for is on its way."""
        under_way = {"open", _PARTS}.intersection(self._desk.tasks.names)
        return self._asks() or self._window.opens or bool(under_way)

    # Working

    async def _take(self, places: Sequence[Path]) -> None:
        """Take the first of what was dropped that is anything here; else say what the first is."""
        kinds = [await asyncio.to_thread(_kind_of, place) for place in places]
        known = [at for at, kind in enumerate(kinds) if kind != "other"]
        place, kind = places[known[0] if known else 0], kinds[known[0] if known else 0]
        if kind == "folder":
            self._window.open_project(place)
            return
        await self._make_parts()
        if kind == "chat":
            self._chats.read(place)
        else:
            self._importing.bring(place)

    def _open(self, place: Path) -> None:
        """Open a character; one that is open already is shown as it is."""
        current = self._session.place
        is_open = current is not None and place.absolute() == current.absolute()
        if is_open and self._session.player is not None:
            self._inside.show_page(self._pages.chat)
            self._pages.refresh()
        else:
            self._window.open_project(place)

    def _with_parts(self, act: Callable[[], None]) -> None:
        async def do() -> None:
            await self._make_parts()
            act()

        self._desk.tasks.start(do(), name=_PARTS)

    async def _make_parts(self) -> None:
        async with self._making:
            if self.importing is not None:
                return
            for name in _INCOMING:
                await asyncio.to_thread(import_directly, name)
            from studio_qt.ui.incoming.chats import ChatImporting
            from studio_qt.ui.incoming.page import Importing

            self.chats = ChatImporting(self._desk, self._window)
            self.chats.imported.connect(self._pages.chat.load)
            self.chats.notice.connect(self._pages.tell)
            self.chats.show_player(self._session.player)
            await asyncio.sleep(0)
            importing = Importing(self._desk, self._window, home_folder())
            importing.beside = self._parent()
            importing.opened.connect(self._window.open_project)
            await asyncio.sleep(0)  # the next turn lays the sheet
            self.importing = importing

    async def _show_library(self) -> None:
        async with self._making:
            if self.library is None:
                await self._make_library()
        if self._inside.shown is not self.library:
            self._before = self._inside.shown
        assert self.library is not None
        self._inside.show_page(self.library)
        self._inside.status.show_hint(_HINT)

    async def _make_library(self) -> None:
        await asyncio.to_thread(import_directly, _LIBRARY)
        from studio_qt.ui.library.page import LibraryPage

        library = LibraryPage(self._desk, self._pages.recents)
        for make in library.steps():
            await asyncio.sleep(0)
            make()
        library.open_wanted.connect(self._open)
        library.studio_wanted.connect(self.bring)
        library.import_wanted.connect(self.choose)
        library.closed.connect(self._leave_library)
        await asyncio.sleep(0)
        self._desk.theme.dress(library)
        await asyncio.sleep(0)
        self._inside.stack.addWidget(library)
        self.library = library
        await asyncio.sleep(0)

    def _leave_library(self) -> None:
        self._inside.show_page(self._before or self._pages.start)
        session, status = self._session, self._inside.status
        if session.player is not None:
            self._pages.refresh()
        elif session.place is not None:
            status.show_player("", session.place)

    # Slots

    def _on_project(self) -> None:
        session = self._session
        self.playing.show_playing(playing=session.place is not None and session.root is None)
        if self.importing is not None:
            self.importing.beside = self._parent()

    def _on_player(self) -> None:
        if self.chats is not None:
            self.chats.show_player(self._session.player)

    def _on_opening(self) -> None:
        if self.chats is not None:
            self.chats.show_player(None)

    # Helpers

    @property
    def _importing(self) -> Importing:
        assert self.importing is not None
        return self.importing

    @property
    def _chats(self) -> ChatImporting:
        assert self.chats is not None
        return self.chats

    def _parent(self) -> Path | None:
        root = self._session.root
        return root.parent if root is not None else None

    def _add_actions(self) -> None:
        for name, text, slot, place, keys in (
            ("importCharacter", "&Import a character…", self.choose, "File", "Ctrl+Alt+I"),
            ("importAddress", "Import from an &address…", self.ask_address, "File", "Ctrl+Alt+U"),
            ("library", "&Library", self.show_library, "File", "Ctrl+Alt+O"),
            ("importChat", "&Import a chat…", self.choose_chat, "Conversation", "Ctrl+Alt+J"),
        ):
            section = 2 if place == "File" else 6
            self._desk.actions.add(name, text, slot, place=Place(place, section), keys=keys)

    def _connect(self) -> None:
        session = self._session
        session.project_changed.connect(self._on_project)
        session.opened.connect(self._on_player)
        session.opening.connect(lambda _name: self._on_opening())
        self._window.setAcceptDrops(True)
        self._window.installEventFilter(self)
        self._on_project()


def _kind_of(place: Path) -> str:
    from studio_qt.authoring.arriving import kind_of
    from studio_qt.errors import StudioError

    try:
        return "folder" if is_folder(place) else kind_of(place)
    except StudioError:
        return "other"


def _carried(data: QMimeData) -> tuple[list[Path], str]:
    """Return the files that are dragged, else the address of a web page or file."""
    urls = data.urls()
    places = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    addresses = [url.toString() for url in urls if url.scheme().lower() == "https"]
    text = data.text().strip() if data.hasText() and not urls else ""
    if text.lower().startswith("https://") and len(text.split()) == 1:
        addresses.append(text)
    return places, addresses[0] if addresses else ""
