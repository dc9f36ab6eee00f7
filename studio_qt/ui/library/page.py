"""`LibraryPage`: the characters that were opened, with what is known of each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio_qt.authoring.shelf import carry_conversations, read_shelf, stamp_of
from studio_qt.errors import StorageError
from studio_qt.ui.desk import Desk
from studio_qt.ui.library.detail import Detail
from studio_qt.ui.library.model import ShelfModel, Shelved
from studio_qt.ui.library.rows import ShelfView
from studio_qt.ui.recents import Recent, Recents
from studio_qt.ui.widgets.bars import EmptyState, NoticeBar
from studio_qt.ui.widgets.basics import IconButton, Separator, label, text_button
from studio_qt.ui.widgets.inputs import SearchField
from studio_qt.ui.widgets.portrait import read_picture

__all__ = ["LibraryPage"]

_WIDE = 760
_DETAIL = 380
_AIR = 6


class LibraryPage(QWidget):
    """`open_wanted` carries a folder or zip, `studio_wanted` a zip of which a copy is edited.

    `import_wanted` asks for a file from elsewhere, `closed` for what was shown before.
    """

    open_wanted = Signal(Path)
    studio_wanted = Signal(Path)
    import_wanted = Signal()
    closed = Signal()

    def __init__(self, desk: Desk, recents: Recents) -> None:
        super().__init__()
        self._desk, self._recents = desk, recents
        self._known: dict[Path, tuple[tuple[float, ...], Shelved]] = {}
        self._reading = self._asked = 0
        self._forgotten: Recent | None = None
        self.setObjectName("libraryPage")
        self.setAccessibleName("Library")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = ShelfModel(self)
        self.search = SearchField(desk.theme, "Search the library", "librarySearch")
        self.list = ShelfView(desk.theme, self.model)
        self._bar = NoticeBar(desk.theme)
        self._bar.setObjectName("libraryNotice")

    def steps(self) -> tuple[Callable[[], None], ...]:
        """Return what makes the page, to be called in turn before it is shown."""
        return self._make_detail, self._build, self._connect, self._show_rows

    @property
    def settled(self) -> bool:
        """Whether everything that is known is drawn."""
        return self._reading == 0

    def refresh(self) -> None:
        """Read anew what has changed of the characters that are listed."""
        self._asked += 1
        self._reading += 1
        if self._desk.tasks.start(self._read(self._asked), name="library") is None:
            self._reading -= 1

    # Qt

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        (self.list if self.model.rows else self.search).setFocus()
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= _WIDE
        direction = QBoxLayout.Direction
        self._both.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        self.detail.setMaximumWidth(self._desk.theme.scaled(_DETAIL) if wide else 16_777_215)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    # Slots

    def _on_moved(self) -> None:
        self.detail.show_one(self.list.chosen)

    def _on_open(self) -> None:
        if (one := self.list.chosen) is None:
            return
        if one.facts.there:
            self.open_wanted.emit(one.path)
        else:
            self._on_find()

    def _on_studio(self) -> None:
        if (one := self.list.chosen) is not None:
            self.studio_wanted.emit(one.path)

    def _on_show(self) -> None:
        if (one := self.list.chosen) is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(one.path.parent)))

    def _on_forget(self) -> None:
        if (one := self.list.chosen) is None:
            return
        row = self.list.currentIndex().row()
        self._forgotten = Recent(one.path, one.opened)
        self._recents.remove(one.path)
        self.list.setCurrentIndex(self.model.index(min(row, len(self.model.rows) - 1)))
        words = f"{one.facts.name} is not listed any more. Its files and conversations are kept."
        self._bar.show_notice(words, tone="info", action="Undo")

    def _on_undo(self) -> None:
        if (one := self._forgotten) is not None:
            self._forgotten = None
            self._recents.note(one.path, one.opened)
            self.list.setCurrentIndex(self.model.index_of(one.path))
        self._bar.hide()

    def _on_find(self) -> None:
        one = self.list.chosen
        if one is None:
            return
        dialog = QFileDialog(self.window(), f"Where is {one.facts.name}?")
        if one.facts.is_zip:
            dialog.setNameFilter("Characters (*.zip)")
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        else:
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda chosen: self.found(one, Path(chosen)))
        dialog.open()

    def found(self, one: Shelved, place: Path) -> None:
        """Take the place at which a missing character is now."""
        self._desk.tasks.start(self._take_place(one, place), name="library: found")

    # Working

    async def _take_place(self, one: Shelved, place: Path) -> None:
        try:
            await asyncio.to_thread(carry_conversations, one.path, place)
        except StorageError as error:
            self._bar.show_notice(str(error), tone="err")
        self._recents.remove(one.path)
        self._recents.note(place, one.opened)
        self.list.setCurrentIndex(self.model.index_of(place))
        self.list.setFocus()

    async def _read(self, asked: int) -> None:
        """Read one after another what is not known, and show each when it is."""
        try:
            for recent in self._recents.entries:
                before = self._known.get(recent.path)
                stamp = await asyncio.to_thread(stamp_of, recent.path)
                if asked != self._asked:
                    return
                if before is None or before[0] != stamp:
                    await self._learn(recent, stamp)
        finally:
            self._reading -= 1

    async def _learn(self, recent: Recent, stamp: tuple[float, ...]) -> None:
        facts = await asyncio.to_thread(read_shelf, recent.path)
        image = await asyncio.to_thread(read_picture, recent.path) if facts.there else None
        picture = QPixmap.fromImage(image) if image is not None else None
        one = Shelved(recent.path, recent.opened, facts, picture, known=True)
        self._known[recent.path] = stamp, one
        chosen = self.list.chosen
        self.model.learn(one)
        if chosen is not None and chosen.path == one.path:
            self.list.setCurrentIndex(self.model.index_of(one.path))
            self._on_moved()

    def _on_recents(self) -> None:
        self._show_rows()
        if self.isVisible():
            self.refresh()

    def _show_rows(self) -> None:
        chosen = self.list.chosen
        known = {path: one for path, (_, one) in self._known.items()}
        self.model.show(self._recents.entries, known)
        self._after_rows(chosen)

    def _on_search(self, text: str) -> None:
        chosen = self.list.chosen
        self.model.search(text)
        self._after_rows(chosen)

    def _after_rows(self, chosen: Shelved | None) -> None:
        """Keep what is chosen, where it is still there; else go to the first."""
        index = self.model.index_of(chosen.path if chosen is not None else None)
        self.list.setCurrentIndex(index if index.isValid() else self.model.index(0))
        self._on_moved()
        shown = self._list_pane if self.model.rows else self._nothing
        if not self.model.count:
            shown = self._empty
        self._pages.setCurrentWidget(shown)
        self.search.setEnabled(bool(self.model.count))
        count = self.model.count
        self._count.setText(f"{count:,}" if count else "")

    # Building

    def _make_detail(self) -> None:
        self.detail = Detail(self._desk.theme)

    def _connect(self) -> None:
        self._recents.changed.connect(self._on_recents)
        self.search.textChanged.connect(self._on_search)
        self.search.down_wanted.connect(self.list.setFocus)
        self.search.returnPressed.connect(self._on_open)
        self.list.moved.connect(self._on_moved)
        self.list.wanted.connect(self._on_open)
        self.list.forget_wanted.connect(self._on_forget)
        self._bar.action_wanted.connect(self._on_undo)
        detail = self.detail
        detail.open_wanted.connect(self._on_open)
        detail.studio_wanted.connect(self._on_studio)
        detail.show_wanted.connect(self._on_show)
        detail.find_wanted.connect(self._on_find)
        detail.forget_wanted.connect(self._on_forget)

    def _build(self) -> None:
        theme = self._desk.theme
        back = IconButton(theme, "arrow-left", "Back (Esc)", name="libraryBack")
        back.clicked.connect(self.closed)
        bring = text_button("Import…", "libraryImport")
        bring.clicked.connect(self.import_wanted)
        self._count = label("", "second")
        head = QHBoxLayout()
        head.setContentsMargins(12, 12, 12, 12)
        head.setSpacing(8)
        head.addWidget(back)
        head.addWidget(label("Library", "title"))
        head.addWidget(self._count)
        head.addStretch(1)
        self.search.setMaximumWidth(theme.scaled(320))
        head.addWidget(self.search, 2)
        head.addWidget(bring)
        self._list_pane = QWidget()
        self._both = QHBoxLayout(self._list_pane)
        self._both.setContentsMargins(0, 0, 0, 0)
        self._both.setSpacing(0)
        shelf = QVBoxLayout()
        shelf.setContentsMargins(0, _AIR, 0, _AIR)
        shelf.addWidget(self.list)
        self._both.addLayout(shelf, 3)
        self._both.addWidget(self.detail, 2)
        self._empty = EmptyState(
            theme,
            "package",
            "Nothing has been opened yet",
            "Characters that you open are listed here. Import a zip or a card, or drop one "
            "anywhere on this window.",
            name="libraryEmpty",
        )
        self._nothing = EmptyState(
            theme,
            "search",
            "No character has these words",
            "Names, descriptions and places are searched. Take a word away.",
            name="libraryNothing",
        )
        self._pages = QStackedWidget()
        for page in (self._list_pane, self._empty, self._nothing):
            self._pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(Separator())
        column.addWidget(self._bar)
        column.addWidget(self._pages, 1)
