"""What a search in the settings finds: rows of all pages, ready to be changed."""

from __future__ import annotations

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
        if not self._rows:
            self._make()
        words = text.casefold().split()
        found = 0
        for section in SECTIONS:
            rows = [self._rows[each.name] for each in declared(section.name)]
            hits = [row for row in rows if _matches(words, section, row.declared)]
            page = all(word in f"{section.title} {section.words}".casefold() for word in words)
            for row in rows:
                row.setVisible(row in hits)
            self._links[section.name].setVisible(bool(hits) or page)
            found += len(hits) + page
        self._none.setVisible(not found)
        self._none.setText(f"No setting has “{text.strip()}” in it. Try fewer letters.")

    def _make(self) -> None:
        for section in SECTIONS:
            self._links[section.name] = self._link(section)
            self._column.addWidget(self._links[section.name])
            for each in declared(section.name):
                row = SettingRow(self._desk, each, self._lists)
                row.field.control.setObjectName(f"found_{each.name}")
                row.setObjectName(f"foundRow_{each.name}")
                self._rows[each.name] = row
                self._column.addWidget(row)

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


def _matches(words: list[str], section: Section, each: Declared) -> bool:
    where = f"{each.words} {section.title.casefold()}"
    in_row = any(word in each.words for word in words)
    return in_row and all(word in where for word in words)
