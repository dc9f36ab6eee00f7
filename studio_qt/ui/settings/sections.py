"""The pages of the settings: which there are, and those that are nothing but rows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from studio_qt.ui.desk import Desk
from studio_qt.ui.dictionaries import installed_languages
from studio_qt.ui.settings.declared import declared
from studio_qt.ui.settings.rows import SettingRow
from studio_qt.ui.widgets.basics import Separator, label

__all__ = ["SECTIONS", "Growing", "RowsPage", "Section", "SystemLists", "scrolled", "titled"]


@dataclass(frozen=True, slots=True)
class Section:
    """A page: its name, its title and icon, a sentence, and words that a search finds it by."""

    name: str
    title: str
    icon: str
    about: str = ""
    words: str = ""


SECTIONS = (
    Section(
        "connections",
        "Connections",
        "plug",
        words="address key keychain provider server test profile learned openrouter ollama "
        "lm studio llama.cpp rehearsal",
    ),
    Section(
        "models",
        "Models",
        "robot",
        "What the models of the chosen connection can, and what you know better.",
        words="model list context length tools worker main",
    ),
    Section(
        "caps",
        "Caps and thresholds",
        "gauge",
        "How much a reply may cost, and when you are warned.",
    ),
    Section(
        "sampling",
        "Sampling",
        "sliders",
        "How words are chosen. What you leave empty is not sent.",
    ),
    Section(
        "persona",
        "Persona",
        "person",
        "Who characters talk to. It goes into every conversation, as one message after the "
        "context files, and only when it is set.",
    ),
    Section(
        "agents",
        "Agents and languages",
        "code",
        "What agents may use. Their code runs in walled processes.",
        words="javascript typescript python lua",
    ),
    Section("appearance", "Appearance", "palette", words="font look dark light"),
    Section("editor", "Editor", "pencil", words="font dictionary"),
    Section(
        "trust",
        "Trust and privacy",
        "shield",
        "Where everything is kept, and what leaves this computer.",
        words="folder files keys log cache network telemetry privacy",
    ),
)


class SystemLists:
    """Lists that the system gives, asked for off the loop."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def languages(self, take: Callable[[Sequence[tuple[object, str]]], None]) -> None:
        """Give the languages that there are dictionaries for; nothing where there is no library."""

        async def ask() -> None:
            take([(name, name) for name in await asyncio.to_thread(installed_languages)])

        self._desk.tasks.start(ask(), name="list dictionaries")


class Growing(QWidget):
    """A page that is made piece by piece once it has its place, so that nothing else waits.

    Subclasses make themselves in `pieces`; `grown` says whether that has come to its end.
    """

    def __init__(self, section: Section) -> None:
        super().__init__()
        self.grown = False
        self.setObjectName(f"settings_{section.name}")
        self.setAccessibleName(section.title)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(24, 20, 24, 20)
        self.column.setSpacing(0)

    def pieces(self) -> Iterator[None]:
        """Make the next piece at each step."""
        raise NotImplementedError

    async def grow(self) -> None:
        """Make everything; others have their turn between two pieces."""
        for _ in self.pieces():
            await asyncio.sleep(0)
        self.grown = True


class RowsPage(Growing):
    """The settings of one group below a title; subclasses add to `column`."""

    def __init__(self, desk: Desk, section: Section, lists: SystemLists) -> None:
        super().__init__(section)
        self._desk, self._section, self._lists = desk, section, lists
        titled(self.column, section.title, section.about)

    def pieces(self) -> Iterator[None]:
        self.begin()
        yield
        for each in declared(self._section.name):
            self.column.addWidget(SettingRow(self._desk, each, self._lists))
            self.column.addWidget(Separator())
            yield
        self.end()
        self.column.addStretch(1)

    def begin(self) -> None:
        """Add what stands above the rows."""

    def end(self) -> None:
        """Add what stands below the rows."""


def titled(column: QVBoxLayout, title: str, about: str = "") -> QHBoxLayout:
    """Put a page's title, and a sentence about it, into a column; returns the title's row."""
    row = QHBoxLayout()
    row.addWidget(label(title, "title"))
    row.addStretch(1)
    column.addLayout(row)
    if about:
        column.addSpacing(4)
        column.addWidget(label(about, "second", wrap=True))
    column.addSpacing(8)
    return row


def scrolled(inside: QWidget, name: str) -> QScrollArea:
    """Return a page that scrolls down where it is higher than its place."""
    inside.setProperty("role", "inside")
    inside.setMinimumWidth(1)  # what is on a page makes do with the width that there is
    area = QScrollArea()
    area.setObjectName(name)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    return area
