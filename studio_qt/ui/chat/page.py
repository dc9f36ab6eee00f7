"""`ChatPage`: the transcript of one conversation and the field to write in."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QDesktopServices,
    QKeyEvent,
    QPixmap,
    Qt,
)
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.errors import ClosedError, ModelError, StudioError
from studio_qt.ui.actions import Actions
from studio_qt.ui.chat.about import about_row, who_answers
from studio_qt.ui.chat.clearing import ClearSheet
from studio_qt.ui.chat.commanding import Commanding
from studio_qt.ui.chat.composer import Composer
from studio_qt.ui.chat.continuing import Continuing
from studio_qt.ui.chat.copying import Copying
from studio_qt.ui.chat.cover import Cover
from studio_qt.ui.chat.deeds import MessageDeeds
from studio_qt.ui.chat.facts import CallFacts
from studio_qt.ui.chat.find import FindBar
from studio_qt.ui.chat.gauge import Gauge
from studio_qt.ui.chat.header import ChatHeader
from studio_qt.ui.chat.jump import EntryJump
from studio_qt.ui.chat.menu import ConversationMenu
from studio_qt.ui.chat.meters import ChatMeters
from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.portrait import read_picture
from studio_qt.ui.chat.rows import Row, Said, split_row, spoken_text
from studio_qt.ui.chat.view import WIDEST, ChatView
from studio_qt.ui.desk import Desk
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks, sentence
from studio_qt.ui.theme.fonts import CHAT_SIZE
from studio_qt.ui.theme.theme import Theme

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["ChatPage"]

_log = logging.getLogger(__name__)
_SPOKEN = 400
"""Characters of a finished reply that assistive technology is told."""

_SCHEMES = ("http", "https", "mailto")


class ChatPage(QWidget):
    """Shows an open player and talks to it; `show_player(None)` waits for one.

    `notice` carries a sentence and its kind ("info", "ok", "error") for a toast; `draft_changed`
    follows every change of the half-written message; `conversations_changed` says that one came,
    or that another one is open; `model_wanted` that the user wants to choose who answers.
    """

    notice = Signal(str, str)
    running_changed = Signal(bool)
    draft_changed = Signal()
    conversations_changed = Signal()
    model_wanted = Signal()

    def __init__(
        self, desk: Desk | Theme, tasks: Tasks | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        if isinstance(desk, Theme):  # on its own, as in tests of the page alone
            desk = Desk(desk, tasks or Tasks(self), Actions(self), Preferences(None, self))
        self._theme, self._tasks, self._preferences = desk.theme, desk.tasks, desk.preferences
        self._player: CharacterPlayer | None = None
        self._place: Path | None = None
        self._unspoken = False
        self._titles: dict[str, str] = {}
        self.setObjectName("chatPage")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme = desk.theme
        self.header = ChatHeader(theme)
        self._model = ChatModel(self)
        self.transcript = ChatView(theme, self._model)
        self._facts = CallFacts(desk.tasks, self)
        self.transcript.set_facts(self._facts)
        self.deeds = MessageDeeds(theme, desk.tasks, desk.actions, self.transcript, self._model)
        self.continuing = Continuing(desk.tasks, desk.actions, self.transcript, self._model)
        self._jump = EntryJump(self.transcript, self._model, self.deeds.picker)
        self.finder = FindBar(theme, desk.tasks, self.transcript, self._model, self)
        self.composer = Composer(theme)
        self.meters = ChatMeters(theme)
        self._gauge = Gauge(desk.tasks, desk.preferences, self.meters, self)
        self._copying = Copying(desk.tasks, self._model, self)
        self._commanding = Commanding(theme, desk.tasks, self.composer, self)
        self.menu = ConversationMenu(self, desk.actions, self.transcript)
        self._build()
        self._connect()
        self._take_face()

    @property
    def running(self) -> bool:
        """Whether a reply is being written."""
        return self._model.running

    @property
    def settled(self) -> bool:
        """Whether everything that is known is drawn, and nothing moves."""
        return self._model.settled and self.transcript.settled

    @property
    def titles(self) -> dict[str, str]:
        """The titles of the conversations by id, the latest first; "" where one has none."""
        return dict(self._titles)

    @property
    def draft(self) -> str:
        """The message that is being written, and not sent yet."""
        return self.composer.input.toPlainText()

    @draft.setter
    def draft(self, text: str) -> None:
        self.composer.input.put(text)

    def show_player(self, player: CharacterPlayer | None) -> None:
        """Show an open player's character and conversation; None empties the page."""
        self._player = player
        self.composer.set_ready(player is not None)
        self.menu.set_ready(player is not None)
        self.deeds.set_player(player)
        self.continuing.set_player(player)
        self._facts.set_player(player)
        self._commanding.set_player(player)
        self.finder.set_player(player)
        self._gauge.set_player(player)
        if player is None:
            self._model.leave()
            return
        head = self._show_character(player)
        self.transcript.set_name(player.character.name)
        self._model.follow(player, head)
        self._on_list()

    def set_place(self, place: Path | None) -> None:
        """Say where the character's folder or zip is, to show the picture that is in it."""
        self._place = place
        self._take_picture(None)
        if place is not None:
            self._tasks.start(self._read_picture(place), name="picture")

    def refresh_character(self) -> None:
        """Show the character's texts anew, as after a reload; nothing else moves."""
        player = self._player
        if player is None:
            return
        if player.character.name != self.transcript.name:
            self.transcript.set_name(player.character.name)
            self._model.follow(player, self._show_character(player))
        else:
            self._model.set_head(self._show_character(player))

    def open_commands(self) -> None:
        """Open the command dialog with an @ in its field."""
        self._commanding.open()

    def open_command(self, command: str) -> None:
        """Open the command dialog on a command, ready for its words."""
        self._commanding.open(f"{command} ")

    def open_find(self) -> None:
        """Open the bar that searches the conversation."""
        if self._player is not None:
            self.finder.open_bar()

    def go_to_messages(self) -> None:
        """Take the keys to the messages, from the last one on."""
        self.transcript.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.deeds.picker.step(-1)

    def stop(self) -> None:
        """Stop the reply; what has come stays."""
        if self._player is not None:
            self._player.stop()

    def copy_all(self) -> None:
        """Put the whole conversation on the clipboard, as plain text."""
        if self._player is None:
            return
        self._copying.copy(self._player.character.name)

    def ask_to_clear(self) -> None:
        """Ask whether the conversation is to be emptied, and do it."""
        if self._player is None or not len(self._player):
            return
        sheet = ClearSheet(self._theme, self.window())
        sheet.accepted.connect(lambda: self._on_clear(reset=sheet.reset))
        sheet.finished.connect(self.composer.input.setFocus)
        sheet.lay()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.running:
            self.stop()
        else:
            self.deeds.picker.clear()
            self.composer.input.setFocus()

    # Building

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        self.bars = QVBoxLayout()
        self.bars.setSpacing(0)
        column.addLayout(self.bars)
        column.addWidget(self.finder)
        column.addWidget(self.transcript, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 4, 16, 8)
        inside = QWidget()
        inside.setMaximumWidth(WIDEST)
        inner = QVBoxLayout(inside)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(6)
        inner.addWidget(self.composer)
        inner.addWidget(self.meters)
        foot.addStretch(1)
        foot.addWidget(inside, 1000)
        foot.addStretch(1)
        column.addLayout(foot)
        self.cover = Cover(column, (self.header, self.meters, self.transcript), inside)
        self.composer.set_name("the character")
        self.header.set_menu(self.menu)
        self.menu.set_ready(False)

    def _connect(self) -> None:
        self._model.flushed.connect(self._on_changed)
        self._model.replaced.connect(self._on_replaced)
        self._model.running_changed.connect(self._on_running)
        self.transcript.retry_wanted.connect(self._on_retry)
        self.transcript.link_wanted.connect(self._on_link)
        self.composer.send_wanted.connect(self._on_send)
        self.composer.stop_wanted.connect(self.stop)
        self.composer.command_wanted.connect(self.open_commands)
        self.composer.undo_wanted.connect(self.deeds.undo)
        self.composer.input.textChanged.connect(self.draft_changed)
        self.header.find_wanted.connect(self.open_find)
        self.header.model_wanted.connect(self._on_model)
        self.finder.closed.connect(self.composer.input.setFocus)
        self.deeds.notice.connect(self.notice)
        self._copying.notice.connect(self.notice)
        self.deeds.failed.connect(self._show_failure)
        self.deeds.answering.connect(self._on_answering)
        self.deeds.forked.connect(self._on_list)
        self.continuing.begun.connect(self._on_answering)
        self.continuing.failed.connect(self._show_failure)
        self._preferences.changed.connect(self._take_face)
        self._connect_menu()

    def _take_face(self) -> None:
        """Write in the face and size that the user has chosen."""
        chosen = self._preferences.window
        self.transcript.set_face(chosen.chat_face, chosen.chat_size - CHAT_SIZE)
        self.composer.input.set_face(chosen.chat_face, chosen.chat_size)

    def _connect_menu(self) -> None:
        menu = self.menu
        menu.new_wanted.connect(self._on_new)
        menu.command_wanted.connect(self.open_commands)
        menu.find_wanted.connect(self.open_find)
        menu.messages_wanted.connect(self.go_to_messages)
        menu.copy_wanted.connect(self.copy_all)
        menu.undo_wanted.connect(self.deeds.undo)
        menu.redo_wanted.connect(self.deeds.redo)
        menu.clear_wanted.connect(self.ask_to_clear)
        menu.list_wanted.connect(self._on_list)
        menu.load_wanted.connect(self.load)

    def _show_character(self, player: CharacterPlayer) -> list[Row]:
        """Show who is played; returns what stands above the first message."""
        character = player.character
        name, model = character.name, character.model_label
        self.header.show_character(name, character.description, model)
        self.composer.set_name(name)
        head = [about_row(name, character.description, model)]
        if introduction := character.introduction.strip():
            head += split_row(Row("reply", "introduction", (Said(introduction),)))
        return head

    # Slots

    def _on_changed(self) -> None:
        if self._player is None:
            return
        conversation = self._player.conversation_id
        self.header.show_place(self._titles.get(conversation, ""), conversation, len(self._player))
        if not self.running:
            self._gauge.look_soon()
            if self._unspoken:
                self._unspoken = False
                self._announce()

    def _on_replaced(self) -> None:
        self.conversations_changed.emit()

    def _on_running(self, running: bool) -> None:  # noqa: FBT001
        self.composer.set_running(running)
        if not running:
            self._unspoken = True  # until the finished reply is in the rows
            if self._player is not None and not self._titles.get(self._player.conversation_id):
                self._on_list()
        self.running_changed.emit(running)

    def _announce(self) -> None:
        """Tell assistive technology what has been answered."""
        last = self._model.last_reply()
        if last is not None and self._player is not None:
            text = spoken_text(last, self._player.character.name, _SPOKEN)
            event = QAccessibleAnnouncementEvent(self.transcript, text)
            QAccessible.updateAccessibility(event)

    def _on_send(self, text: str) -> None:
        if self._player is None:
            return
        self.composer.take()
        self._on_answering()
        self._tasks.start(self._send(self._player, text), name="send")

    def _on_answering(self) -> None:
        """Make ready for an answer."""
        self._model.clear_error()
        self.continuing.needed = False
        self.deeds.picker.clear()
        self.transcript.go_to_end()

    def _on_retry(self) -> None:
        if self._player is None or self.running:
            return
        if self.continuing.needed:
            self.continuing.go_on()
        else:
            self._on_answering()
            self._tasks.start(self._player.regenerate(), name="retry", on_error=self._show_failure)

    def _on_link(self, url: QUrl) -> None:
        if url.scheme().lower() in _SCHEMES:
            QDesktopServices.openUrl(url)
        else:
            self.notice.emit(f"Only web and mail links are opened, not {url.toString()}", "info")

    def _on_model(self) -> None:
        if self.receivers("2model_wanted()"):
            self.model_wanted.emit()
        elif self._player is not None:
            self.notice.emit(who_answers(self._player.character.model_label), "info")

    def _on_new(self) -> None:
        if self._player is not None:
            self._tasks.start(self._player.new_conversation(), name="new conversation")
            self.composer.input.setFocus()

    def _on_clear(self, *, reset: bool) -> None:
        player = self._player
        if player is None:
            return
        clear = player.truncate(0, "then") if reset else player.clear()
        self._tasks.start(clear, name="clear")

    def _on_list(self) -> None:
        if self._player is not None:
            self._tasks.start(self._list(self._player), name="list conversations")

    def show_entry(self, conversation: str, entry_id: str) -> None:
        """Show an entry of a conversation, which is taken up where it is another one."""
        if self._player is not None:
            self._jump.go(self._player, conversation, entry_id)
            self.load(conversation)

    def load(self, conversation: str) -> None:
        """Take up another conversation."""
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

    async def _list(self, player: CharacterPlayer) -> None:
        listed = await player.list_conversations()
        self._titles = {str(one["id"]): str(one.get("title") or "").strip() for one in listed}
        self.menu.show_list(listed, player.conversation_id)
        self._on_changed()

    async def _read_picture(self, place: Path) -> None:
        image = await asyncio.to_thread(read_picture, place)
        if place == self._place and image is not None:
            self._take_picture(QPixmap.fromImage(image))

    def _take_picture(self, picture: QPixmap | None) -> None:
        self.header.set_picture(picture)
        self.transcript.set_picture(picture)

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
