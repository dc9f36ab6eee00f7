"""`ChatImporting`: a chat that was held elsewhere becomes a conversation of the open character."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from studio_qt.authoring.chats import Chat, open_chat
from studio_qt.ui.desk import Desk
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.sheet import MessageSheet

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["ChatImporting"]

_FILTER = "Chats (*.jsonl *.json);;All files (*)"


class ChatImporting(QObject):
    """`imported` carries the id of the new conversation, `notice` a sentence and its kind."""

    imported = Signal(str)
    notice = Signal(str, str)

    def __init__(self, desk: Desk, over: QWidget) -> None:
        super().__init__(over)
        self._desk, self._over = desk, over
        self._player: CharacterPlayer | None = None

    def show_player(self, player: CharacterPlayer | None) -> None:
        """Take the player whose conversations chats become."""
        self._player = player

    def choose(self) -> None:
        """Ask for a file."""
        if self._player is None:
            self._tell("No character is open", "Open the character first that the chat is with.")
            return
        dialog = QFileDialog(self._over, "Import a chat", filter=_FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda chosen: self.read(Path(chosen)))
        dialog.open()

    def read(self, place: Path) -> None:
        """Read a chat and go to it."""
        if self._player is None:
            words = (
                f"Open the character first that {place.name} is a chat with, then drop it again."
            )
            self._tell("No character is open", words)
            return
        self._desk.tasks.start(
            self._read(self._player, place), name="import chat", on_error=self._on_error
        )

    async def _read(self, player: CharacterPlayer, place: Path) -> None:
        chat = await asyncio.to_thread(open_chat, place, player.character.name)
        made = await player.import_conversation(chat.entries, chat.title)
        self.imported.emit(made)
        self.notice.emit(_words(chat), "ok")

    def _on_error(self, error: Exception) -> None:
        self._tell("This chat is not imported", sentence(error))

    def _tell(self, title: str, text: str) -> None:
        import html

        MessageSheet(
            self._desk.theme, self._over, title, html.escape(text), name="chatRefused"
        ).lay()


def _words(chat: Chat) -> str:
    """Return what came in and what did not."""
    others = sum(entry.get("rejected") is True for entry in chat.entries)
    count = len(chat.entries) - others
    words = f"“{chat.title}” came in with {_number(count, 'message')}"
    if others:
        words += f" and {_number(others, 'other answer')} as alternatives"
    words += "."
    if chat.cut:
        words += " Its file breaks off in the last line, which was left out."
    if chat.left_out:
        one = chat.left_out == 1
        words += (
            f" {_number(chat.left_out, 'entry', 'entries')} without a place here "
            f"{'was' if one else 'were'} left out (system, tools or empty)."
        )
    return words


def _number(count: int, noun: str, many: str = "") -> str:
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"
