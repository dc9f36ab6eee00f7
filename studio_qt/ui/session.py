"""`StudioSession`: the player behind the window, from opening to closing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio_qt.errors import ModelError, StorageError, StudioError
from studio_qt.settings import home_folder
from studio_qt.ui.opening.sample import sample_project
from studio_qt.ui.tasks import sentence

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["Connection", "StudioSession"]

_SLOW = ("studio_qt.engine.player", "studio_qt.ui.prose.parse", "markdown_it")
"""Imported in a thread after the first paint."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Who answers; without an address it is the built-in Rehearsal."""

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    model: str | None = None
    worker_model: str | None = None


class StudioSession(QObject):
    """Opens one project at a time and says how that went.

    `opening` carries the name, `opened` comes with an open `player`, `failed` carries name and
    reason; `toast` a sentence and its kind; `reloaded` follows a change of the package.
    """

    opening = Signal(str)
    opened = Signal()
    failed = Signal(str, str)
    toast = Signal(str, str)
    reloaded = Signal()

    def __init__(self, connection: Connection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._connection = connection
        self._player: CharacterPlayer | None = None
        self._offs: list[Callable[[], None]] = []
        self._changing = asyncio.Lock()
        self.place: Path | None = None

    @property
    def player(self) -> CharacterPlayer | None:
        """The open player."""
        return self._player

    async def open(self, project: Path | None) -> None:
        """Close what is open, and open a folder or zip; None is the sample."""
        async with self._changing:
            await self._close_player()
            name = project.name if project else "the sample"
            self.opening.emit(name)
            try:
                for module in _SLOW:
                    await asyncio.to_thread(import_module, module)
                await self._open(project)
            except StudioError as error:
                self.failed.emit(name, str(error))
            except Exception as error:
                self.failed.emit(name, sentence(error))
                raise
            else:
                self.opened.emit()

    async def close(self) -> None:
        """Close the player; twice is harmless."""
        async with self._changing:
            await self._close_player()

    async def _open(self, project: Path | None) -> None:
        from studio_qt.engine.player import CharacterPlayer

        place = project
        if place is None:
            place = await asyncio.to_thread(sample_project, home_folder())
        self.place = place
        made = self._connection
        player = CharacterPlayer(
            place, made.api_key, made.base_url, made.model, worker_model=made.worker_model
        )
        self._offs = [
            player.on("agentToast", self._on_toast),
            player.on("error", self._on_error),
            player.on("reload", self._on_reload),
        ]
        try:
            await player.open()
        except BaseException:
            self._unsubscribe()
            await player.close()
            raise
        self._player = player

    async def _close_player(self) -> None:
        player, self._player = self._player, None
        self._unsubscribe()
        if player is not None:
            await player.close()

    def _unsubscribe(self) -> None:
        for off in self._offs:
            off()
        self._offs.clear()

    def _on_toast(self, text: object) -> None:
        self.toast.emit(str(text), "info")

    def _on_error(self, error: object) -> None:
        """Tell of an agent's failure; what ends a turn is shown in the chat, with Retry."""
        if isinstance(error, Exception) and not isinstance(error, (ModelError, StorageError)):
            self.toast.emit(sentence(error), "error")

    def _on_reload(self, said: object) -> None:
        assert isinstance(said, Mapping)
        self.reloaded.emit()
