"""What a search in the settings finds: rows of all pages, ready to be changed."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio_qt.ui.desk import Desk
from studio_qt.ui.settings.declared import Declared, declared
from studio_qt.ui.settings.rows import SettingRow
from studio_qt.ui.settings.sections import SECTIONS, Section, SystemLists, titled
from studio_qt.ui.widgets.basics import Separator, label, text_button

__all__ = ["ResultsPage"]


class ResultsPage(QWidget):
    """Rows that have every word of the search, below the title of their page.

    `page_wanted` carries the name of a page that was pressed.
    """

    page_wanted = Signal(str)

    def __init__(self, desk: Desk, lists: SystemLists) -> None:
        super().__init__()
        self._desk, self._lists = desk, lists
        self._rows: dict[str, SettingRow] = {}
        self._links: dict[str, QWidget] = {}
        self._words: list[str] = []
        self._begun = self.grown = False
        self.setObjectName("settings_results")
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(0)
        titled(column, "Found in the settings")
        self._none = label("", "second", wrap=True, name="settingsNothing")
        column.addWidget(self._none)
        self._column = QVBoxLayout()
        self._column.setSpacing(0)
        column.addLayout(self._column)
        column.addStretch(1)

    def show_matches(self, text: str) -> None:
        """Show what has all words of `text`, in any order, wherever they stand."""
        self._words = text.casefold().split()
        found = 0
        for section in SECTIONS:
            hits = self._hits(section)
            page = _names(self._words, section)
            found += len(hits) + page
            if section.name in self._links:
                self._links[section.name].setVisible(bool(hits) or page)
            for each in declared(section.name):
                if each.name in self._rows:
                    self._rows[each.name].setVisible(each in hits)
        self._none.setVisible(not found)
        self._none.setText(f"No setting has “{text.strip()}” in it. Try fewer letters.")
        if not self._begun:
            self._begun = True
            self._desk.tasks.start(self._grow(), name="make settings")

    async def _grow(self) -> None:
        """Make the rows one by one, in the order of the pages; each shows itself if it matches."""
        for section in SECTIONS:
            link = self._links[section.name] = self._link(section)
            link.setVisible(False)
            self._column.addWidget(link)
            link.setVisible(bool(self._hits(section)) or _names(self._words, section))
            for each in declared(section.name):
                row = SettingRow(self._desk, each, self._lists)
                row.field.control.setObjectName(f"found_{each.name}")
                row.setObjectName(f"foundRow_{each.name}")
                row.setVisible(False)
                self._column.addWidget(row)
                row.setVisible(each in self._hits(section))
                self._rows[each.name] = row
                await asyncio.sleep(0)
        self.grown = True

    def _hits(self, section: Section) -> list[Declared]:
        return [each for each in declared(section.name) if _matches(self._words, section, each)]

    def _link(self, section: Section) -> QWidget:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(2)
        button = text_button(section.title, f"page_{section.name}", "link")
        button.setAccessibleDescription("Goes to the page.")
        button.clicked.connect(lambda _on=False: self.page_wanted.emit(section.name))
        column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(Separator())
        return inside


def _names(words: list[str], section: Section) -> bool:
    """Whether a search is for a page itself."""
    return all(word in f"{section.title} {section.words}".casefold() for word in words)


def _matches(words: list[str], section: Section, each: Declared) -> bool:
    where = f"{each.words} {section.title.casefold()}"
    in_row = any(word in each.words for word in words)
    return in_row and all(word in where for word in words)
