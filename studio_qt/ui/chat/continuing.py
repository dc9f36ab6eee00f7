"""`Continuing`: lets the last reply go on where it was stopped or cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio_qt.ui.actions import Actions, Place
from studio_qt.ui.chat.asking import Asked, answered
from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.view import ChatView
from studio_qt.ui.tasks import Tasks

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["Continuing"]


class Continuing(QObject):
    """By the button below the reply, the menu or the keys.

    `begun` says that the reply goes on, `failed` carries the error that ended it. `needed` tells
    whether what failed last was this, so that trying again is too.
    """

    begun = Signal()
    failed = Signal(object)

    def __init__(self, tasks: Tasks, actions: Actions, view: ChatView, model: ChatModel) -> None:
        super().__init__(view)
        self._tasks, self._model = tasks, model
        self._player: CharacterPlayer | None = None
        self.needed = False
        self._action = actions.add(
            "messageContinue",
            "Contin&ue the reply",
            self.go_on,
            place=Place("Conversation", 2),
            keys="Ctrl+Shift+R",
        )
        self._action.setEnabled(False)
        view.deed_wanted.connect(self._on_deed)
        model.flushed.connect(self._allow)

    def set_player(self, player: CharacterPlayer | None) -> None:
        """Work on an open player's conversation."""
        self._player = player
        self._allow()

    def go_on(self) -> None:
        """Have the last reply continued; nothing where it did not break off."""
        if self._player is None or self._model.running or self._model.unfinished_at() is None:
            return
        self.begun.emit()
        self.needed = True
        work = self._go_on(self._player, self._model.ask())
        self._tasks.start(work, name="continue", on_error=self.failed.emit)

    async def _go_on(self, player: CharacterPlayer, asked: Asked) -> None:
        try:
            await answered(player, asked, player.continue_reply)
        finally:
            self._model.give_up(asked)

    def _on_deed(self, deed: str, _row: int) -> None:
        if deed == "continue":
            self.go_on()

    def _allow(self) -> None:
        ready = self._player is not None and not self._model.running
        self._action.setEnabled(ready and self._model.unfinished_at() is not None)
