"""The pages that tell something besides their rows: models, languages, and where all is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio_qt.engine.places import missing_languages
from studio_qt.errors import StudioError
from studio_qt.providers.model import ModelInfo
from studio_qt.settings import cache_folder, home_folder
from studio_qt.ui.connections import Connections
from studio_qt.ui.desk import Desk
from studio_qt.ui.settings.sections import RowsPage, Section, SystemLists
from studio_qt.ui.widgets.basics import ElidedLabel, IconView, label, text_button
from studio_qt.ui.widgets.keyfield import place_words

__all__ = ["AgentsPage", "ModelsPage", "TrustPage"]

_WIDE = 520
"""Pixels from which a place stands beside its name, which then has `_NAMES`."""

_NAMES = 210
_LANGUAGES = {
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "python": "Python",
    "lua": "Lua",
}


class ModelsPage(RowsPage):
    """The models of the chosen connection; a double click, or Enter, chooses the main model."""

    def __init__(
        self, desk: Desk, connections: Connections, section: Section, lists: SystemLists
    ) -> None:
        self._connections = connections
        self._asked: tuple[str, str | None] | None = None
        super().__init__(desk, section, lists)

    def begin(self) -> None:
        self._head = label("", "second", wrap=True, name="modelsHead")
        self._table = QTreeWidget()
        self._table.setObjectName("modelsTable")
        self._table.setAccessibleName("Models of the connection")
        self._table.setAccessibleDescription("Enter makes a model the main model.")
        self._table.setHeaderLabels(["Model", "Context", "Tools"])
        self._table.setRootIsDecorated(False)
        self._table.setUniformRowHeights(True)
        self._table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._table.setFixedHeight(230)
        header = self._table.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for place, width in ((1, 120), (2, 100)):
            header.setSectionResizeMode(place, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(place, width)
        self._table.itemActivated.connect(self._on_activated)
        frame = self._frame = QFrame()
        frame.setProperty("role", "card")
        frame.hide()
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(8, 4, 8, 8)
        inside.addWidget(self._table)
        self.column.addWidget(self._head)
        self.column.addSpacing(8)
        self.column.addWidget(frame)
        self.column.addSpacing(8)
        self._connections.changed.connect(self._on_changed)
        self._on_changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.grown:
            self._on_changed()

    def _on_changed(self) -> None:
        """Ask for the list when the page is shown and another connection is chosen."""
        current = self._connections.current
        wanted = (current.base_url or "", current.api_key)
        if self.isVisible() and wanted != self._asked:
            self._asked = wanted
            self._desk.tasks.start(self._ask(wanted[0]), name="list models")
        self._mark()

    async def _ask(self, base_url: str) -> None:
        self._table.clear()
        self._frame.hide()
        if not base_url:
            self._head.setText("Rehearsal answers: it has one model, takes tools, and is built in.")
            return
        self._head.setText("Asking for the models …")
        try:
            offered = await self._connections.offered(base_url)
        except StudioError as error:
            self._head.setText(str(error))
            self._asked = None
            return
        chats = [info for info in offered if info.kind == "chat"]
        name = self._connections.chosen.name if self._connections.chosen else base_url
        self._head.setText(
            f"{name} lists {len(chats)} models that chat. Enter, or a double click, chooses the "
            "main model."
            if chats
            else f"{name} lists no models. Type the model's id under Connections."
        )
        self._table.addTopLevelItems([_model_row(info) for info in chats])
        self._frame.setVisible(bool(chats))
        self._mark()

    def _mark(self) -> None:
        """Select the main model."""
        chosen = self._connections.current.model
        for place in range(self._table.topLevelItemCount()):
            item = self._table.topLevelItem(place)
            if item is not None and item.text(0) == chosen:
                self._table.setCurrentItem(item)

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        chosen = self._connections.chosen
        if chosen is not None:
            self._connections.change(chosen.name, model=item.text(0))


class AgentsPage(RowsPage):
    """Which languages agents can be written in on this computer."""

    def begin(self) -> None:
        self._lines = QVBoxLayout()
        self._lines.setSpacing(6)
        frame = QFrame()
        frame.setProperty("role", "card")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.addLayout(self._lines)
        self._waiting = label("Looking …", "second")
        self._lines.addWidget(self._waiting)
        self.column.addWidget(frame)
        self.column.addSpacing(8)
        self._desk.tasks.start(self._ask(), name="look for languages")

    async def _ask(self) -> None:
        missing = await asyncio.to_thread(missing_languages)
        self._waiting.hide()
        self._show({str(name): reason for name, reason in missing.items()})

    def _show(self, missing: Mapping[str, str]) -> None:
        for name, title in _LANGUAGES.items():
            row = QHBoxLayout()
            row.setSpacing(10)
            reason = missing.get(name)
            icon = ("alert", "err") if reason else ("check", "ok")
            row.addWidget(IconView(self._desk.theme, *icon, 15))
            row.addWidget(label(title, "name", name=f"language_{name}"))
            said = f"cannot run here: {reason}" if reason else "runs on this computer"
            row.addWidget(label(said, "second", wrap=bool(reason)), 1)
            self._lines.addLayout(row)


class TrustPage(RowsPage):
    """Where everything is kept, with a way to it, and what leaves this computer."""

    def __init__(
        self, desk: Desk, connections: Connections, section: Section, lists: SystemLists
    ) -> None:
        self._connections = connections
        super().__init__(desk, section, lists)

    def end(self) -> None:
        self._key_line = label("", "", wrap=True, name="trustKeys")
        for title, text in _PROMISES:
            self.column.addSpacing(8)
            self.column.addWidget(label(title, "name"))
            self.column.addSpacing(2)
            self.column.addWidget(label(text, "second", wrap=True))
        self.column.addSpacing(16)
        self.column.addWidget(label("KEYS", "caps"))
        self.column.addSpacing(6)
        self.column.addWidget(self._key_line)
        self.column.addSpacing(16)
        self.column.addWidget(label("KEPT ON THIS COMPUTER", "caps"))
        self.column.addSpacing(6)
        frame = QFrame()
        frame.setProperty("role", "card")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(16, 8, 8, 8)
        inside.setSpacing(4)
        for title, place, name in _places():
            inside.addWidget(_Place(title, place, name))
        self.column.addWidget(frame)
        self._connections.changed.connect(self._tell_keys)
        self._desk.tasks.start(self._ask_keychain(), name="keychain")

    async def _ask_keychain(self) -> None:
        self._chain = await self._connections.keychain_name()
        self._tell_keys()

    _chain: str | None = ""

    def _tell_keys(self) -> None:
        kept = [
            f"{one.name}: {place_words(one.key)}." for one in self._connections.saved if one.key
        ]
        where = (
            f"This system's keychain is {self._chain}."
            if self._chain
            else "This system has no keychain: keys are kept until the program ends, or, where "
            "you say so, in keys.json, which only you can read."
        )
        self._key_line.setText("\n".join([where, *kept]))


class _Place(QWidget):
    """A kind of file, where it lies, and a button that opens the folder."""

    def __init__(self, title: str, place: Path, name: str) -> None:
        super().__init__()
        self._place = place
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        self._head = label(title, "", wrap=True)
        self._words = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._words.setSpacing(2)
        self._words.addWidget(self._head)
        self._words.addWidget(ElidedLabel(str(place), "mono"), 1)
        row.addLayout(self._words, 1)
        button = text_button("Open folder", f"open_{name}", "link")
        button.setAccessibleName(f"Open the folder of: {title}")
        button.clicked.connect(self._open)
        row.addWidget(button)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the place stand below its name where there is no room beside it."""
        super().resizeEvent(event)
        wide, way = event.size().width() >= _WIDE, QBoxLayout.Direction
        self._head.setMinimumWidth(_NAMES if wide else 0)
        self._words.setDirection(way.LeftToRight if wide else way.TopToBottom)

    def _open(self) -> None:
        folder = next(one for one in (self._place, *self._place.parents) if one.is_dir())
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


_PROMISES = (
    (
        "Nothing is sent to us",
        "There is no account, no counting and no reports. Texts go only to the provider that you "
        "choose; with Rehearsal nothing leaves this computer.",
    ),
    (
        "Characters cannot change these settings",
        "They belong to you alone. Agents of a character run in walled processes without files and "
        "network; web pages only where you allow them.",
    ),
    (
        "Conversations stay with the project",
        "They lie in its folder “conversations” and are left out when it is exported. Keys are in "
        "no project, no log and no diagnostics.",
    ),
)


def _places() -> Sequence[tuple[str, Path, str]]:
    home = home_folder()
    return (
        ("Settings and connections", home, "home"),
        ("Unsaved and earlier texts", home / "projects", "projects"),
        ("Conversations of zips", home / "conversations", "conversations"),
        ("Log", home / "logs", "logs"),
        ("What can be made again", cache_folder(), "cache"),
    )


def _model_row(info: ModelInfo) -> QTreeWidgetItem:
    length = f"{info.context_length:,}" if info.context_length else "not told"
    tools = {True: "yes", False: "no", None: "not told"}[info.takes_tools]
    return QTreeWidgetItem([info.id, length, tools])
