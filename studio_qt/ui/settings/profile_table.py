"""What was learned about an endpoint and model: shown row by row, and changed there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio_qt.providers.connections import SavedConnection
from studio_qt.providers.endpoint import Endpoint
from studio_qt.providers.profile import Profile, guessed
from studio_qt.ui.connections import Connections
from studio_qt.ui.desk import Desk
from studio_qt.ui.settings.declared import shown
from studio_qt.ui.settings.traits import Trait, traits
from studio_qt.ui.widgets.basics import IconButton, Separator, give_icon, label, text_button

__all__ = ["ProfilePanel"]

_HEAD = ("What it takes", "Now", "Known from")
_ROOM = "    "
"""Behind the words of a button, where the mark of its menu stands."""


class ProfilePanel(QWidget):
    """The profile of one connection's model. `context_wanted` asks for the page of models."""

    context_wanted = Signal()

    def __init__(self, desk: Desk, connections: Connections) -> None:
        super().__init__()
        self._desk, self._connections = desk, connections
        self._endpoint: Endpoint | None = None
        self._model = ""
        self._told_window: int | None = None
        self._shows: tuple[object, ...] = ()
        self._profile, self._start = Profile(), Profile()
        self._subject = label("", "second", name="profileSubject")
        self._empty = label("", "second", wrap=True, name="profileEmpty")
        self._table = QFrame()
        self._table.setProperty("role", "card")
        self._grid = QVBoxLayout(self._table)
        self._grid.setContentsMargins(1, 4, 1, 4)
        self._grid.setSpacing(0)
        self._copy = text_button("Copy", "profileCopy", "quiet")
        self._copy.setAccessibleDescription("Copies the profile as JSON.")
        self._forget = text_button("Forget and learn again", "profileForget")
        give_icon(desk.theme, self._copy, "copy")
        give_icon(desk.theme, self._forget, "refresh")
        self._copy.clicked.connect(self._on_copy)
        self._forget.clicked.connect(lambda: self._keep(None))
        desk.preferences.changed.connect(self._on_changed)
        desk.theme.changed.connect(self._on_changed)
        self._build()

    def show_connection(self, saved: SavedConnection | None, window: int | None) -> None:
        """Show the profile of a connection's main model; `window` is what the list tells."""
        self._endpoint = Endpoint.parse(saved.base_url) if saved else None
        self._model = (saved.model or "") if saved else ""
        self._told_window = window
        self._subject.setText(f"{self._model} on {saved.name}" if saved and self._model else "")
        self.refresh()

    def refresh(self) -> None:
        """Read the profile again and show it."""
        ready = self._endpoint is not None and bool(self._model)
        self._table.setVisible(ready)
        self._copy.setEnabled(ready)
        self._forget.setEnabled(ready)
        self._empty.setVisible(not ready)
        self._empty.setText("Choose a main model to see what is known about it.")
        if self._endpoint is not None and ready:
            self._desk.tasks.start(self._read(self._endpoint, self._model), name="read profile")

    def _on_changed(self) -> None:
        """Show it again where a setting, or a size, is another than it shows."""
        if self._shows and self._shows[-2:] != self._outside():
            self.refresh()

    def _outside(self) -> tuple[object, int]:
        """Return what the table shows beside the profile, and the size in which it does."""
        own = self._desk.preferences.player.context_window
        return (own, self._told_window), self._desk.theme.interface_size

    async def _read(self, endpoint: Endpoint, model: str) -> None:
        profiles, start = self._connections.profiles, guessed(endpoint.kind)
        profile = await asyncio.to_thread(profiles.get, endpoint.base, model, start)
        notes = await asyncio.to_thread(profiles.notes, endpoint.base, model)
        if (endpoint, model) != (self._endpoint, self._model):
            return  # another connection is shown by now
        self._profile, self._start = profile, start
        rows = traits(profile, start, notes)
        self._forget.setEnabled(any(row.differs for row in rows))
        shows = (endpoint.base, model, *rows, *self._outside())
        if shows != self._shows:
            self._shows = shows
            await self._fill(rows)

    def _keep(self, profile: Profile | None) -> None:
        """Keep a profile that the user changed; None forgets everything."""
        endpoint, model, start = self._endpoint, self._model, self._start
        if endpoint is None:
            return
        place = endpoint.base
        profiles = self._connections.profiles

        async def keep() -> None:
            if profile is None:
                await asyncio.to_thread(profiles.forget, place, model)
            else:
                await asyncio.to_thread(
                    lambda: profiles.put(place, model, profile, start, by="user")
                )
            self.refresh()

        self._desk.tasks.start(keep(), name="keep profile")

    def _on_copy(self) -> None:
        place = self._endpoint.base if self._endpoint else ""
        whole = {"endpoint": place, "model": self._model, "profile": asdict(self._profile)}
        QGuiApplication.clipboard().setText(json.dumps(whole, indent=2, default=list))

    # Building -------------------------------------------------------------------------------

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(label("Learned profile", "name"))
        head.addWidget(self._subject)
        head.addStretch(1)
        head.addWidget(self._copy)
        head.addWidget(self._forget)
        column.addLayout(head)
        column.addWidget(self._empty)
        column.addWidget(self._table)

    async def _fill(self, rows: Sequence[Trait]) -> None:
        """Make the rows anew, one by one; stops when other ones are to be shown."""
        shows = self._shows
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._grid.addWidget(self._line(*(label(words, "second") for words in _HEAD)))
        for trait in rows:
            self._grid.addWidget(Separator())
            self._grid.addWidget(self._row(trait))
            await asyncio.sleep(0)
            if shows != self._shows:
                return
        self._grid.addWidget(Separator())
        self._grid.addWidget(self._window_row())

    def _row(self, trait: Trait) -> QWidget:
        name = "".join(part.capitalize() for part in trait.title.replace("_", " ").split())
        value = text_button(f"{trait.now}{_ROOM}", f"profile{name}", "quiet")
        value.setFont(self._desk.theme.mono(12))
        value.setAccessibleName(trait.title)
        value.setAccessibleDescription(f"{trait.now}. {trait.since}.")
        value.setEnabled(bool(trait.choices))
        if trait.choices:
            menu = QMenu(value)
            for words, values in trait.choices:
                action = menu.addAction(words)
                action.setCheckable(True)
                action.setChecked(words == trait.now)
                action.triggered.connect(
                    lambda _on=False, chosen=values: self._keep(trait.chosen(self._profile, chosen))
                )
            value.setMenu(menu)
        reset = IconButton(
            self._desk.theme,
            "undo",
            f"Forget: {trait.title}",
            name=f"profileReset{name}",
            size=14,
            kind="tiny",
        )
        reset.setEnabled(trait.differs)
        reset.clicked.connect(lambda: self._keep(trait.unlearned(self._profile, self._start)))
        since = label(trait.since, "link" if trait.by_user else "second")
        return self._line(label(trait.title), value, since, reset)

    def _line(
        self, first: QWidget, second: QWidget, third: QWidget, last: QWidget | None = None
    ) -> QWidget:
        """Return a row whose columns stand below those of the others."""
        scaled = self._desk.theme.scaled
        line = QWidget()
        line.setFixedHeight(scaled(30))
        grid = QGridLayout(line)
        grid.setContentsMargins(12, 0, 8, 0)
        grid.setSpacing(8)
        for place, (widget, share) in enumerate(((first, 26), (second, 22), (third, 32))):
            inside = QWidget()
            inside.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            row = QHBoxLayout(inside)
            row.setContentsMargins(0, 0, 0, 0)
            row.addWidget(widget)
            row.addStretch(1)
            grid.addWidget(inside, 0, place)
            grid.setColumnStretch(place, share)
        end = last or QWidget()
        end.setFixedWidth(scaled(22))
        grid.addWidget(end, 0, 3)
        return line

    def _window_row(self) -> QWidget:
        """The context window is a setting for all connections; it is changed on its own page."""
        own = self._desk.preferences.player.context_window
        told = shown(self._told_window) or "nothing"
        now = shown(own) or shown(self._told_window) or "32,768"
        value = text_button(now, "profileContext", "quiet")
        value.setFont(self._desk.theme.mono(12))
        value.setAccessibleName("Context window")
        value.setAccessibleDescription("Opens the page of models, where it is set.")
        value.clicked.connect(self.context_wanted)
        if own is not None:
            words = f"set by you; the server says {told}"
        elif self._told_window:
            words = "model list"
        else:
            words = "not told; taken as usual"
        since = label(words, "link" if own is not None else "second")
        return self._line(label("Context window"), value, since)
