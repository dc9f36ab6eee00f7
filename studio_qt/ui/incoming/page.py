"""`Importing`: from a file, an address or a drop to a character that plays or can be edited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QFileDialog, QWidget

from studio_qt.authoring.incoming import ENDINGS
from studio_qt.errors import StudioError
from studio_qt.ui.desk import Desk
from studio_qt.ui.incoming.address import AddressSheet
from studio_qt.ui.incoming.sheet import ImportSheet
from studio_qt.ui.incoming.work import (
    Found,
    LeftoverError,
    bring_in,
    fetch,
    free_place,
    keep_zip,
    look_at,
)
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.portrait import picture_in, picture_name

__all__ = ["Importing"]

_FILTER = f"Characters ({' '.join(f'*{ending}' for ending in ENDINGS)});;All files (*)"


class Importing(QObject):
    """Shows what comes before it is let in. `opened` carries a folder or zip that is to be opened.

    `beside` is the folder in which new ones are made at first; None is the user's documents.
    """

    opened = Signal(Path)

    def __init__(self, desk: Desk, over: QWidget, home: Path) -> None:
        super().__init__(over)
        self._desk, self._over, self._home = desk, over, home
        self.beside: Path | None = None
        self._found: Found | None = None
        self._work: asyncio.Task[None] | None = None
        self.sheet = ImportSheet(desk.theme, over)
        self._addresses: AddressSheet | None = None
        self._connect()

    def choose(self) -> None:
        """Ask for a file."""
        dialog = QFileDialog(self._over, "Import a character", filter=_FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda chosen: self.bring(Path(chosen)))
        dialog.open()

    def ask_address(self, address: str = "") -> None:
        """Ask for an address; nothing is fetched before the user says so."""
        if self._work is None:
            self.addresses.begin(address)

    @property
    def addresses(self) -> AddressSheet:
        """The sheet that asks for an address, made when it is first wanted."""
        if self._addresses is None:
            sheet = self._addresses = AddressSheet(self._desk.theme, self._over)
            sheet.fetch_wanted.connect(self._on_fetch)
            sheet.stop_wanted.connect(self._on_stop)
        return self._addresses

    def bring(self, place: Path) -> None:
        """Show what is in a file."""
        if self._work is None:
            self._found = None
            self.sheet.begin(place.name)
            self.sheet.lay()
            self._start(partial(self._look, place))

    # Slots

    def _on_open(self) -> None:
        if self._found is not None and self._work is None:
            self._start(partial(self._open, self._found))

    def _on_play(self) -> None:
        if self._found is not None and self._work is None:
            self._start(partial(self._play, self._found))

    def _on_fetch(self, address: str) -> None:
        if self._work is None:
            self.addresses.set_busy(busy=True)
            self._start(partial(self._fetch, address))

    def _on_stop(self) -> None:
        if self._work is not None:
            self._work.cancel()

    def _on_another(self) -> None:
        self.sheet.reject()
        self.choose()

    # Working

    async def _look(self, place: Path) -> None:
        try:
            await self._show(await asyncio.to_thread(look_at, place))
        except StudioError as error:
            self.sheet.refuse(place.name, str(error))
        except asyncio.CancelledError:
            self._put_away()
            raise

    async def _fetch(self, address: str) -> None:
        sheet = self.addresses
        try:
            found = await fetch(address, sheet.show_progress)
            sheet.set_busy(busy=False)
            sheet.reject()
            self.sheet.begin(found.arrival.name)
            self.sheet.lay()
            await self._show(found)
        except StudioError as error:
            sheet.refuse(str(error))
        except asyncio.CancelledError:
            sheet.refuse("Stopped. Nothing was opened.")
            raise

    async def _show(self, found: Found) -> None:
        parent = self.beside or _documents()
        picture = await asyncio.to_thread(_picture, found)
        place = await asyncio.to_thread(free_place, found, parent)
        self._found = found
        self.sheet.show_arrival(
            found.arrival,
            QPixmap.fromImage(picture) if picture is not None else None,
            found.origin,
            place,
            plays=found.incoming.is_package,
        )

    async def _open(self, found: Found) -> None:
        sheet, place = self.sheet, self.sheet.where
        try:
            sheet.set_busy(busy=True, words="Unpacking …")
            await bring_in(found, place, self._home, sheet.show_progress)
        except LeftoverError as error:
            sheet.refuse_place(str(error), words="Stopped.")
        except StudioError as error:
            sheet.refuse_place(str(error))
        except asyncio.CancelledError:
            sheet.set_busy(busy=False, words="Stopped. Nothing was written.")
            raise
        else:
            self._put_away()
            self.opened.emit(place)

    async def _play(self, found: Found) -> None:
        try:
            place = await asyncio.to_thread(keep_zip, found, self._home)
        except StudioError as error:
            self.sheet.refuse_place(str(error))
        else:
            self._put_away()
            self.opened.emit(place)

    # Helpers

    def _start(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        self._work = self._desk.tasks.start(self._run(work), name="import", on_error=self._on_error)

    async def _run(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        try:
            await work()
        finally:
            self._work = None

    def _on_error(self, error: Exception) -> None:
        origin = self._found.origin if self._found is not None else "this file"
        self.sheet.refuse(origin, sentence(error))

    def _put_away(self) -> None:
        self._found = None
        self.sheet.set_busy(busy=False, words="")
        self.sheet.reject()

    def _connect(self) -> None:
        sheet = self.sheet
        sheet.open_wanted.connect(self._on_open)
        sheet.play_wanted.connect(self._on_play)
        sheet.stop_wanted.connect(self._on_stop)
        sheet.another_wanted.connect(self._on_another)
        sheet.finished.connect(lambda _result: self._forget())

    def _forget(self) -> None:
        """Let go of a file that was looked at."""
        if self._work is None:
            self._found = None


def _picture(found: Found) -> QImage | None:
    files = found.picture_data
    name = picture_name(list(files))
    return picture_in(files[name]()) if name is not None else None


def _documents() -> Path:
    documents = QStandardPaths.StandardLocation.DocumentsLocation
    return Path(QStandardPaths.writableLocation(documents)) / "Characters"
