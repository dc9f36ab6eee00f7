"""`ChatPage`: the transcript of one conversation and the field to write in."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QDesktopServices,
    QGuiApplication,
    QKeyEvent,
    Qt,
)
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.errors import ClosedError, ModelError, StudioError
from studio_qt.ui.chat.about import AboutCell, introduction_cell
from studio_qt.ui.chat.cells import Cell
from studio_qt.ui.chat.composer import Composer
from studio_qt.ui.chat.header import ChatHeader
from studio_qt.ui.chat.menu import ConversationMenu
from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.rows import Row, Said, build_rows, row_text
from studio_qt.ui.chat.transcript import WIDEST, Transcript
from studio_qt.ui.commands.page import CommandDialog
from studio_qt.ui.tasks import Tasks, sentence
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.sheet import MessageSheet

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["ChatPage"]

_log = logging.getLogger(__name__)
_SPOKEN = 400
"""Characters of a finished reply that assistive technology is told."""

_SCHEMES = ("http", "https", "mailto")


class ChatPage(QWidget):
    """Shows an open player and talks to it; `show_player(None)` waits for one.

    `notice` carries a sentence and its kind ("info", "error") for a toast.
    """

    notice = Signal(str, str)
    running_changed = Signal(bool)

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._tasks = theme, tasks
        self._player: CharacterPlayer | None = None
        self.setObjectName("chatPage")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.header = ChatHeader(theme)
        self.transcript = Transcript(theme)
        self.composer = Composer(theme)
        self.dialog: CommandDialog | None = None
        self.menu = ConversationMenu(self)
        self._model = ChatModel(self)
        self._build()
        self._connect()

    @property
    def running(self) -> bool:
        """Whether a reply is being written."""
        return self._model.running

    @property
    def settled(self) -> bool:
        """Whether everything that is known is drawn, and nothing moves."""
        return self._model.settled and self.transcript.settled

    def show_player(self, player: CharacterPlayer | None) -> None:
        """Show an open player's character and conversation; None empties the page."""
        self._player = player
        self.composer.set_ready(player is not None)
        self.menu.set_ready(player is not None)
        if player is None:
            self._model.leave()
            return
        character = player.character
        self.header.show_character(character.name, character.description, character.model_label)
        self.composer.set_name(character.name)
        self._start()
        self._model.follow(player)
        self._on_list()
        self.composer.input.setFocus()

    def refresh_character(self) -> None:
        """Show the character's texts anew, as after a reload."""
        if self._player is not None:
            self.show_player(self._player)

    def open_commands(self) -> None:
        """Open the command dialog with an @ in its field."""
        if self._player is None:
            return
        self._dialog().open_with("@", self._player.commands())

    def stop(self) -> None:
        """Stop the reply; what has come stays."""
        if self._player is not None:
            self._player.stop()

    def copy_all(self) -> None:
        """Put the whole conversation on the clipboard, as plain text."""
        if self._player is None:
            return
        name = self._player.character.name
        rows = build_rows(self._player.entries(0, len(self._player)))
        introduction = self._player.character.introduction.strip()
        if introduction:
            rows.insert(0, Row("reply", "introduction", (Said(introduction),)))
        QGuiApplication.clipboard().setText("\n\n".join(row_text(row, name) for row in rows))
        self.notice.emit("The conversation is on the clipboard.", "info")

    def ask_to_clear(self) -> None:
        """Ask whether the conversation is to be emptied, and do it."""
        if self._player is None or not len(self._player):
            return
        sheet = MessageSheet(
            self._theme,
            self.window(),
            "Clear this conversation?",
            "All its messages are removed. What the agents have stored stays.",
            name="clear",
            yes="Clear",
        )
        sheet.accepted.connect(self._on_clear)
        sheet.finished.connect(self.composer.input.setFocus)
        sheet.lay()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.running:
            self.stop()
        else:
            super().keyPressEvent(event)

    # Building

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        self.bars = QVBoxLayout()
        self.bars.setSpacing(0)
        column.addLayout(self.bars)
        column.addWidget(self.transcript, 1)
        foot = QHBoxLayout()
        bar = self.transcript.verticalScrollBar().sizeHint().width()
        foot.setContentsMargins(20, 4, 20 + bar, 14)
        self.composer.setMaximumWidth(WIDEST)
        foot.addStretch(1)
        foot.addWidget(self.composer, 1000)
        foot.addStretch(1)
        column.addLayout(foot)
        self.composer.set_name("the character")
        self.header.set_actions(self.menu, self.menu.new)
        self.menu.set_ready(False)

    def _connect(self) -> None:
        self._model.changed.connect(self._on_changed)
        self._model.replaced.connect(self.transcript.reset)
        self._model.running_changed.connect(self._on_running)
        self.transcript.earlier_wanted.connect(self._model.show_earlier)
        self.transcript.retry_wanted.connect(self._on_retry)
        self.transcript.link_wanted.connect(self._on_link)
        self.composer.send_wanted.connect(self._on_send)
        self.composer.stop_wanted.connect(self.stop)
        self.composer.command_wanted.connect(self.open_commands)
        self.menu.new.triggered.connect(self._on_new)
        self.menu.command.triggered.connect(self.open_commands)
        self.menu.copy.triggered.connect(self.copy_all)
        self.menu.clear_all.triggered.connect(self.ask_to_clear)
        self.menu.list_wanted.connect(self._on_list)
        self.menu.load_wanted.connect(self._on_load)

    def _dialog(self) -> CommandDialog:
        if self.dialog is None:
            self.dialog = CommandDialog(self._theme, self.window())
            self.dialog.run_wanted.connect(self._on_command)
            self.dialog.dismissed.connect(self._on_dismissed)
        return self.dialog

    def _start(self) -> None:
        """Begin the transcript with the card and the introduction."""
        assert self._player is not None
        character = self._player.character
        about = AboutCell(self._theme, character.name, character.description, character.model_label)
        head: list[Cell] = [about]
        text = about.text
        introduction = character.introduction.strip()
        if introduction:
            head.append(introduction_cell(self._theme, character.name, introduction))
            row = Row("reply", "introduction", (Said(introduction),))
            text = f"{text}\n\n{row_text(row, character.name)}"
        self.transcript.start(character.name, head, text)

    # Slots

    def _on_changed(self) -> None:
        if self._player is None:
            return
        self.transcript.show_rows(self._model.rows, self._model.earlier)
        self.header.show_place(self._player.conversation_id, len(self._player))

    def _on_running(self, running: bool) -> None:  # noqa: FBT001
        self.composer.set_running(running)
        if not running:
            self._announce()
        self.running_changed.emit(running)

    def _announce(self) -> None:
        """Tell assistive technology what has been answered."""
        last = next((row for row in reversed(self._model.rows) if row.kind == "reply"), None)
        if last is not None and self._player is not None:
            text = row_text(last, self._player.character.name)[:_SPOKEN]
            event = QAccessibleAnnouncementEvent(self.transcript, text)
            QAccessible.updateAccessibility(event)

    def _on_send(self, text: str) -> None:
        if self._player is None:
            return
        self.composer.take()
        self._model.clear_error()
        self.transcript.go_to_end()
        self._tasks.start(self._send(self._player, text), name="send")

    def _on_retry(self) -> None:
        if self._player is not None and not self.running:
            self._model.clear_error()
            self.transcript.go_to_end()
            self._tasks.start(self._player.regenerate(), name="retry", on_error=self._show_failure)

    def _on_link(self, url: QUrl) -> None:
        if url.scheme().lower() in _SCHEMES:
            QDesktopServices.openUrl(url)
        else:
            self.notice.emit(f"Only web and mail links are opened, not {url.toString()}", "info")

    def _on_command(self, line: str) -> None:
        if self._player is not None:
            self._tasks.start(self._command(self._player, line), name="command")

    def _on_dismissed(self, text: str) -> None:
        """Keep what was typed as an ordinary message, before what the field has already."""
        if self.composer.input.document().isEmpty():
            self.composer.input.put(text)
        elif text.strip() not in ("", "@"):
            self.composer.give_back(text)
        self.composer.input.setFocus()

    def _on_new(self) -> None:
        if self._player is not None:
            self._tasks.start(self._player.new_conversation(), name="new conversation")
            self.composer.input.setFocus()

    def _on_clear(self) -> None:
        if self._player is not None:
            self._tasks.start(self._player.clear(), name="clear")

    def _on_list(self) -> None:
        if self._player is not None:
            self._tasks.start(self._list(self._player), name="list conversations")

    def _on_load(self, conversation: str) -> None:
        if self._player is not None and conversation != self._player.conversation_id:
            self._tasks.start(self._player.load_conversation(conversation), name="load")

    # Coroutines

    async def _send(self, player: CharacterPlayer, text: str) -> None:
        """Send; a text that does not stand in the conversation goes back into the field."""
        before = len(player)
        try:
            await player.send(text)
        except Exception as error:  # noqa: BLE001 - whatever fails, the user's text must not be lost
            if not isinstance(error, StudioError):
                _log.exception("A message could not be sent")
            stands = _stands(player, before, text)
            if not stands:
                self.composer.give_back(text)
            self._show_failure(error, retry=stands)

    async def _command(self, player: CharacterPlayer, line: str) -> None:
        dialog = self._dialog()
        try:
            result = await player.command(line)
        except Exception as error:  # noqa: BLE001 - shown where the command was typed
            if not isinstance(error, StudioError):
                _log.exception("A command failed")
            dialog.show_failure(sentence(error))
            return
        if result.ok:
            if dialog.is_open:
                dialog.done_well()
                self.composer.input.setFocus()
        else:
            dialog.show_failure(result.error or "The command did not work.")

    async def _list(self, player: CharacterPlayer) -> None:
        self.menu.show_list(await player.list_conversations(), player.conversation_id)

    def _show_failure(self, error: Exception, *, retry: bool = True) -> None:
        if isinstance(error, ClosedError):
            return
        can_retry = retry or isinstance(error, ModelError)
        self._model.show_error(sentence(error), retry=can_retry)


def _stands(player: CharacterPlayer, before: int, text: str) -> bool:
    """Return whether the user's text became an entry."""
    try:
        came = player.entries(before, len(player))
    except ClosedError:
        return True
    return any(entry.get("role") == "user" and entry.get("content") == text for entry in came)
