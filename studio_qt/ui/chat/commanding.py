"""`Commanding`: the command dialog over the chat, and running what is written in it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio_qt.errors import StudioError
from studio_qt.ui.chat.composer import Composer
from studio_qt.ui.commands.page import CommandDialog
from studio_qt.ui.tasks import Tasks, sentence
from studio_qt.ui.theme.theme import Theme

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["Commanding"]

_log = logging.getLogger(__name__)


class Commanding(QObject):
    """What is left in the dialog becomes part of the message in `composer` (EXP-03).

    `notice` carries a sentence and its kind: why a command did not work whose dialog is closed.
    """

    notice = Signal(str, str)

    def __init__(self, theme: Theme, tasks: Tasks, composer: Composer, page: QWidget) -> None:
        super().__init__(page)
        self._theme, self._tasks, self._composer, self._page = theme, tasks, composer, page
        self._player: CharacterPlayer | None = None
        self._dialog: CommandDialog | None = None
        self._runs = 0

    def set_player(self, player: CharacterPlayer | None) -> None:
        """Run the commands of an open player."""
        self._player = player

    def open(self, text: str = "@") -> None:
        """Open the dialog with a text in its field."""
        player = self._player
        if player is None:
            return
        if self._dialog is None:
            self._dialog = CommandDialog(self._theme, self._page.window())
            self._dialog.run_wanted.connect(self._on_run)
            self._dialog.dismissed.connect(self._on_dismissed)
        self._dialog.open_with(text, player.commands(), player.agents())

    def _on_run(self, line: str) -> None:
        if self._player is not None and self._dialog is not None:
            self._runs += 1
            run = self._run(self._player, self._dialog, line, self._runs)
            self._tasks.start(run, name="command")

    def _on_dismissed(self, text: str) -> None:
        """Keep what was typed as an ordinary message, before what the field has already."""
        self._runs += 1  # what runs now is told of elsewhere
        field = self._composer.input
        if field.document().isEmpty():
            field.put(text)
        elif text.strip() not in ("", "@"):
            self._composer.give_back(text)
        field.setFocus()

    async def _run(
        self, player: CharacterPlayer, dialog: CommandDialog, line: str, run: int
    ) -> None:
        fault = ""
        try:
            result = await player.command(line)
        except Exception as error:  # noqa: BLE001 - shown where the command was typed
            if not isinstance(error, StudioError):
                _log.exception("A command failed")
            fault = sentence(error)
        else:
            if not result.ok:
                fault = result.error or "The command did not work."
        if run != self._runs or not dialog.is_open:
            if fault:
                name = next(iter(line.split()), "@")
                told = fault if fault.startswith(name) else f"{name}: {fault}"
                self.notice.emit(told, "error")
        elif fault:
            dialog.show_failure(fault)
        else:
            dialog.done_well()
            self._composer.input.setFocus()
