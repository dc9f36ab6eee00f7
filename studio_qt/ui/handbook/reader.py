"""`Reader`: one page of the handbook, drawn in the colours of the theme."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QResizeEvent,
    QShowEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from studio_qt.ui.handbook.book import Page, page_html
from studio_qt.ui.handbook.pictures import Pictures
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.fonts import mono_families
from studio_qt.ui.theme.theme import Theme

__all__ = ["Reader"]

_WIDEST = 720
_EDGE = 24
_MARGIN = 20
_SETTLE_MS = 80
_MOST_MARKS = 500
_IMAGE = QTextDocument.ResourceType.ImageResource

_SHEET = """
body {{ color: {fg}; font-size: {size}px; line-height: 145%; }}
h1 {{ font-size: {h1}px; font-weight: 600; margin-top: 4px; margin-bottom: 12px; }}
h2 {{ font-size: {h2}px; font-weight: 600; margin-top: 26px; margin-bottom: 8px; }}
h3, h4 {{ font-size: {size}px; font-weight: 600; margin-top: 18px; margin-bottom: 6px; }}
p {{ margin-top: 0; margin-bottom: 10px; line-height: 145%; }}
li {{ margin-bottom: 4px; line-height: 140%; }}
a {{ color: {accent2}; text-decoration: none; }}
code {{ font-family: {mono}; font-size: {small}px; background-color: {bg3}; }}
pre {{ font-family: {mono}; font-size: {small}px; color: {fg}; margin: 0; }}
table {{ margin-top: 4px; margin-bottom: 14px; }}
table.code td {{ background-color: {code}; border: 1px solid {line}; }}
table.quote td {{ color: {fg2}; border-left: 3px solid {line2}; }}
table.grid {{ border-collapse: collapse; border: 1px solid {line}; }}
table.grid td, table.grid th {{ border: 1px solid {line}; font-size: {table}px; }}
table.grid th {{ background-color: {bg2}; font-weight: 600; text-align: left; }}
"""


class Reader(QTextBrowser):
    """Draws a page. `link_wanted` carries every link; the reader itself follows none.

    Pictures come from the handbook alone; nothing is fetched. They are decoded on a thread and
    have their room until then, so that no word moves. A page that nobody sees is drawn in another
    theme when it is shown.
    """

    link_wanted = Signal(QUrl)

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pictures = Pictures(tasks, self)
        self._came: set[str] = set()
        self._look = ""
        self._stale = False
        self._page: Page | None = None
        self._words: list[str] = []
        self._drawn = 0
        self.setObjectName("handbookReader")
        self.setAccessibleName("Handbook")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._resized = QTimer(self)
        self._resized.setSingleShot(True)
        self._resized.setInterval(_SETTLE_MS)
        self._resized.timeout.connect(self._redraw)
        self._drawn_all = QTimer(self)
        self._drawn_all.setSingleShot(True)
        self._drawn_all.timeout.connect(
            lambda: self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        )
        self._pictures.came.connect(self._on_picture)
        self.anchorClicked.connect(self.link_wanted)
        theme.changed.connect(self._on_theme)

    @property
    def page(self) -> Page | None:
        """The page that is shown."""
        return self._page

    @property
    def settled(self) -> bool:
        """Whether a page is drawn with its pictures."""
        return self._page is not None and self._pictures.settled

    def show_page(self, page: Page, fragment: str = "", scroll: int = 0) -> None:
        """Show a page from a heading, or from where it was scrolled to."""
        self._page = page
        self.setAccessibleName(page.title)
        self._draw()
        if fragment:
            self.scrollToAnchor(fragment)
        else:
            self.verticalScrollBar().setValue(scroll)

    def mark(self, words: str) -> None:
        """Let the places of these words stand out, and go to the first."""
        self._words = words.split()
        found = self._mark()
        if found is not None:
            self.setTextCursor(found)
            self.ensureCursorVisible()

    # Qt

    def loadResource(self, kind: int, name: QUrl | str) -> object:  # noqa: ARG002
        """Return a picture of the handbook, as wide as there is room; nothing else."""
        url = QUrl(name)
        if url.scheme() or not url.path():
            return None
        ratio = self.devicePixelRatioF()
        room = max(100, round((self.viewport().width() - 2 * _MARGIN) * ratio))
        return self._pictures.get(url.path(), room, ratio)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        edge = max(_EDGE, (self.width() - _WIDEST) // 2)
        self.setViewportMargins(edge, 0, edge, 0)
        super().resizeEvent(event)
        wider = event.size().width() != event.oldSize().width() and self.width() != self._drawn
        if wider and self._page is not None and "![" in self._page.text:
            self._resized.start()  # its pictures are as wide as there is room

    # Slots

    def _on_theme(self) -> None:
        self._stale = True
        if self.isVisible():
            self._redraw()

    def _on_picture(self, path: str) -> None:
        self._came.add(path)
        picture = self.loadResource(int(_IMAGE.value), path)
        self.document().addResource(int(_IMAGE.value), QUrl(path), picture)
        self.viewport().update()  # it has its room already

    # Helpers

    def _redraw(self) -> None:
        if self._page is not None:
            scroll = self.verticalScrollBar().value()
            self._draw()
            self.verticalScrollBar().setValue(scroll)

    def _draw(self) -> None:
        assert self._page is not None
        self._drawn, self._stale = self.width(), False
        self._dress()
        for path in self._came:  # there may be room for others
            self.document().addResource(int(_IMAGE.value), QUrl(path), None)
        self._came.clear()
        # a bar that comes while a page is laid out would have Qt begin anew
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHtml(f"<body>{page_html(self._page.text)}</body>")
        self._drawn_all.start()
        self._mark()

    def _dress(self) -> None:
        """Give the document face and sheet where they are others: it lays out what it shows."""
        document = self.document()
        if self._look != (sheet := self._sheet()):
            self._look = sheet
            document.clear()
            document.setDefaultFont(self._theme.font(14))
            document.setDefaultStyleSheet(sheet)
            document.setDocumentMargin(_MARGIN)

    def _sheet(self) -> str:
        scaled = self._theme.scaled
        sizes = {"size": 14, "h1": 22, "h2": 17, "small": 12, "table": 13}
        names = ("fg", "fg2", "accent2", "bg2", "bg3", "code", "line", "line2")
        colours = {name: self._theme.tokens[name] for name in names}
        pixels = {name: str(scaled(size)) for name, size in sizes.items()}
        mono = ", ".join(f"'{family}'" for family in mono_families())
        return _SHEET.format(**colours, **pixels, mono=mono)

    def _mark(self) -> QTextCursor | None:
        """Mark the words that are searched; returns the first place."""
        plate = QTextCharFormat()
        plate.setBackground(self._theme.colour("macrobg"))
        plate.setForeground(self._theme.colour("macro"))
        marks: list[QTextEdit.ExtraSelection] = []
        for word in self._words:
            found = self.document().find(word)
            while not found.isNull() and len(marks) < _MOST_MARKS:
                mark = QTextEdit.ExtraSelection()
                mark.cursor, mark.format = found, plate
                marks.append(mark)
                found = self.document().find(word, found)
        self.setExtraSelections(marks)
        if not marks:
            return None
        first = QTextCursor(self.document())
        first.setPosition(min(mark.cursor.selectionStart() for mark in marks))
        return first
