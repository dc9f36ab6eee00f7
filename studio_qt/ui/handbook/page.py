"""`HandbookPage`, and `Handbook`: the window that it has of its own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent, QKeySequence, QMouseEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.handbook.book import INDEX, Book, page_html, read_book
from studio_qt.ui.handbook.reader import Reader
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton, label
from studio_qt.ui.widgets.inputs import SearchField
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["Handbook", "HandbookPage"]

_WEB = ("http", "https", "mailto")
_NAME = Qt.ItemDataRole.UserRole
_SIDE = 304


@dataclass(frozen=True, slots=True)
class _Stop:
    """Where a reader was: page, heading, and how far it was scrolled."""

    name: str
    fragment: str = ""
    scroll: int = 0


class HandbookPage(QWidget):
    """The list of pages with a search at the left, the page that is read at the right.

    `notice` carries a sentence and its kind.
    """

    notice = Signal(str, str)

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk, self._theme = desk, desk.theme
        self._book: Book | None = None
        self._past: list[_Stop] = []
        self._future: list[_Stop] = []
        self._wanted = ""
        self._gone = False
        self._listed_at = desk.theme.interface_size
        self.setObjectName("handbookPage")
        self.setAccessibleName("Handbook")
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.search = SearchField(self._theme, "Search the handbook", "handbookSearch")
        self.list = QListWidget()
        self._found = label("", "quiet", wrap=True, name="handbookFound")
        self.reader = Reader(self._theme, desk.tasks)
        self._title = ElidedLabel("", "name")
        self._back = IconButton(self._theme, "arrow-left", "Back", name="handbookBack")
        self._forward = IconButton(self._theme, "arrow-right", "Forward", name="handbookForward")
        self._build()
        self._connect()

    @property
    def settled(self) -> bool:
        """Whether a page is drawn, with its pictures."""
        return self.reader.settled

    def open_page(self, name: str = INDEX) -> None:
        """Show a page by its name, with the heading behind a # where one is given."""
        if self._book is not None:
            self._go(QUrl(name))
            return
        first = not self._wanted
        self._wanted = name
        if first:
            self._desk.tasks.start(self._read(), name="handbook", on_error=self._on_unreadable)

    def leave(self) -> None:
        """Be about to be deleted; what is still being read is not shown any more."""
        self._gone = True

    def go_back(self) -> None:
        """Show the page before."""
        self._travel(self._past, self._future)

    def go_forward(self) -> None:
        """Show the page after, once more."""
        self._travel(self._future, self._past)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if event.key() == Qt.Key.Key_Back or (held and event.key() == Qt.Key.Key_Left):
            self.go_back()
        elif event.key() == Qt.Key.Key_Forward or (held and event.key() == Qt.Key.Key_Right):
            self.go_forward()
        elif event.matches(QKeySequence.StandardKey.Find):
            self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.search.selectAll()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_theme()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.BackButton:
            self.go_back()
        elif event.button() == Qt.MouseButton.ForwardButton:
            self.go_forward()

    # Slots

    async def _read(self) -> None:
        book = await asyncio.to_thread(read_book)
        wanted = book.page(QUrl(self._wanted).path().removesuffix(".md"))
        if wanted is not None:
            await asyncio.to_thread(page_html, wanted.text)
        if self._gone:
            return
        self._book = book
        self._fill()
        self._go(QUrl(self._wanted))
        for page in book.pages:  # drawing one when it is asked for would hold up the window
            if not self._gone:
                await asyncio.to_thread(page_html, page.text)
                await asyncio.to_thread(book.search, page.title)

    def _on_unreadable(self, error: Exception) -> None:
        self._wanted = ""
        self.notice.emit(str(error), "error")

    def _on_theme(self) -> None:
        """The heads of the list may need another height; those that nobody sees when they are."""
        if self._listed_at != self._theme.interface_size and self.isVisible():
            self._fill()

    def _on_search(self) -> None:
        self._fill()
        words = self.search.text()
        self.reader.mark(words if len(words.strip()) > 1 else "")

    def _on_enter(self) -> None:
        item = self.list.item(0)
        if item is not None and item.data(_NAME):
            self.list.setCurrentItem(item)

    def _on_chosen(self) -> None:
        item = self.list.currentItem()
        name = item.data(_NAME) if item is not None else None
        if name and (self.reader.page is None or name != self.reader.page.name):
            self._go(QUrl(str(name)))
            if self.search.text().strip():
                self.reader.mark(self.search.text())

    def _on_link(self, url: QUrl) -> None:
        if url.scheme() in _WEB:
            QDesktopServices.openUrl(url)
        else:
            self._go(url)

    # Helpers

    def _go(self, url: QUrl) -> None:
        """Go to a page of the handbook; what is none of it is told."""
        shown = self.reader.page
        name = url.path().removesuffix(".md") or (shown.name if shown else INDEX)
        if self._book is None or self._book.page(name) is None:
            self.notice.emit(f"The handbook has no page {url.toString()}.", "error")
            return
        if shown is not None:
            self._past.append(self._here())
            self._future.clear()
        self._show(_Stop(name, url.fragment()))

    def _travel(self, take: list[_Stop], leave: list[_Stop]) -> None:
        if take:
            leave.append(self._here())
            self._show(take.pop())

    def _here(self) -> _Stop:
        page = self.reader.page
        return _Stop(page.name if page else INDEX, "", self.reader.verticalScrollBar().value())

    def _show(self, stop: _Stop) -> None:
        page = self._book.page(stop.name) if self._book is not None else None
        if page is None:
            return
        self.reader.show_page(page, stop.fragment, stop.scroll)
        self._title.set_whole(page.title)
        self._back.setEnabled(bool(self._past))
        self._forward.setEnabled(bool(self._future))
        for at in range(self.list.count()):
            if self.list.item(at).data(_NAME) == page.name:
                self.list.setCurrentRow(at)

    def _fill(self) -> None:
        """List all pages by their groups, or those in which the words were found."""
        if self._book is None:
            return
        self._listed_at = self._theme.interface_size
        self.list.blockSignals(True)
        self.list.clear()
        words = self.search.text().strip()
        hits = self._book.search(words)
        for hit in hits:
            self._add(hit.page.title, hit.page.name, hit.around)
        if not words:
            for group, pages in self._book.groups.items():
                if group:
                    self._add_head(group)
                for page in pages:
                    self._add(page.title, page.name, "")
        count = f"{len(hits)} pages" if len(hits) != 1 else "1 page"
        self._found.setText(f"{count} with “{words}”" if words else "")
        self._found.setVisible(bool(words))
        shown = self.reader.page
        for at in range(self.list.count()):
            if shown is not None and self.list.item(at).data(_NAME) == shown.name:
                self.list.setCurrentRow(at)
        self.list.blockSignals(False)

    def _add(self, title: str, name: str, tip: str) -> None:
        item = QListWidgetItem(title)
        item.setData(_NAME, name)
        item.setToolTip(plain_tip(tip or title))
        self.list.addItem(item)

    def _add_head(self, text: str) -> None:
        item = QListWidgetItem()
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, text)
        head = label(text, "quiet", wrap=True)
        head.setContentsMargins(3, 12, 8, 2)
        head.setAlignment(Qt.AlignmentFlag.AlignBottom)
        self.list.addItem(item)
        self.list.setItemWidget(item, head)
        head.ensurePolished()  # now it has the face that the stylesheet gives it
        item.setSizeHint(QSize(0, head.heightForWidth(_SIDE - 72) + 6))  # edges, scroll bar

    def _build(self) -> None:
        side = QFrame()
        side.setObjectName("handbookSide")
        side.setFixedWidth(_SIDE)
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addWidget(self.search)
        column.addWidget(self._found)
        column.addWidget(self.list, 1)
        self._found.hide()
        self.list.setObjectName("handbookList")
        self.list.setAccessibleName("Pages of the handbook")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = QFrame()
        head.setProperty("role", "paneHead")
        row = QHBoxLayout(head)
        row.setContentsMargins(12, 5, 12, 5)
        row.setSpacing(4)
        row.addWidget(self._back)
        row.addWidget(self._forward)
        row.addSpacing(6)
        row.addWidget(self._title, 1)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(head)
        right.addWidget(self.reader, 1)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(side)
        whole.addLayout(right, 1)
        for button in (self._back, self._forward):
            button.setEnabled(False)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self._on_enter)
        self.search.down_wanted.connect(self.list.setFocus)
        self.list.currentItemChanged.connect(lambda _now, _before: self._on_chosen())
        self.reader.link_wanted.connect(self._on_link)
        self._back.clicked.connect(self.go_back)
        self._forward.clicked.connect(self.go_forward)
        self._theme.changed.connect(self._on_theme)


class Handbook(QObject):
    """Opens the handbook in a window beside the main one, and closes it with that.

    Adds its own action to Help. `notice` carries a sentence and its kind.
    """

    notice = Signal(str, str)

    def __init__(self, desk: Desk, over: QWidget) -> None:
        super().__init__(over)
        self._desk, self._over = desk, over
        self.page: HandbookPage | None = None
        over.installEventFilter(self)
        desk.actions.add("handbook", "&Handbook", self.open, place=Place("Help"), keys="F1")

    def open(self, name: str = INDEX) -> None:
        """Show a page; the one that is open where nothing is asked for."""
        page = self.page
        if page is None:
            page = self.page = HandbookPage(self._desk)
            page.setWindowTitle("Handbook – Character Studio")
            page.setMinimumSize(480, 360)
            page.resize(1000, 760)
            page.notice.connect(self.notice)
            page.installEventFilter(self)
            page.open_page(name)
        elif name != INDEX:
            page.open_page(name)
        page.show()
        page.activateWindow()

    def close(self) -> None:
        """Close the window."""
        page, self.page = self.page, None
        if page is not None:
            page.leave()
            page.close()
            page.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Close:
            self.close()
        escape = (
            watched is self.page
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Escape
        )
        if escape and self.page is not None:
            self.page.hide()
        return escape
