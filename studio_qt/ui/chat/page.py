"""`ChatPage`: the transcript of one conversation and the field to write in."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent, QPixmap, Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.errors import ClosedError, ModelError, StudioError
from studio_qt.ui.chat.composer import WIDEST, Composer, joined
from studio_qt.ui.chat.cover import Cover
from studio_qt.ui.desk import Desk
from studio_qt.ui.tasks import sentence
from studio_qt.ui.theme.dressing import hold, wear
from studio_qt.ui.theme.fonts import CHAT_SIZE
from studio_qt.ui.widgets.announcing import announce

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer
    from studio_qt.ui.chat.asking import Asked
    from studio_qt.ui.chat.continuing import Continuing
    from studio_qt.ui.chat.deeds import MessageDeeds
    from studio_qt.ui.chat.find import FindBar
    from studio_qt.ui.chat.header import ChatHeader
    from studio_qt.ui.chat.menu import ConversationMenu
    from studio_qt.ui.chat.meters import ChatMeters
    from studio_qt.ui.chat.parts import ChatParts
    from studio_qt.ui.chat.rows import Row
    from studio_qt.ui.chat.view import ChatView

__all__ = ["ChatPage"]

_log = logging.getLogger(__name__)
_SCHEMES = ("http", "https", "mailto")
_SPOKEN = 400
"""Characters of a failure that assistive technology is told."""


class ChatPage(QWidget):
    """Shows an open player and talks to it; `show_player(None)` waits for one.

    `notice` carries a sentence and its kind ("info", "ok", "error") for a toast; `draft_changed`
    follows every change of the half-written message; `conversations_changed` says that one came,
    or that another one is open; `model_wanted` that the user wants to choose who answers;
    `sent_wanted` the turn whose request is to be shown, and whether its first one is meant.
    """

    notice = Signal(str, str)
    running_changed = Signal(bool)
    draft_changed = Signal()
    conversations_changed = Signal()
    model_wanted = Signal()
    sent_wanted = Signal(int, bool)

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks, self._preferences = desk.tasks, desk.preferences
        self._player: CharacterPlayer | None = None
        self._place: Path | None = None
        self._unspoken = False
        self._asked: Asked | None = None
        self._titles: dict[str, str] = {}
        self._desk = desk
        self._parts: ChatParts | None = None
        self.setObjectName("chatPage")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        hold(self)
        self.composer = Composer(desk.theme)
        self._build()
        self._connect()
        self._take_face()

    # Its parts

    @property
    def parts(self) -> ChatParts:
        """All but the field, made when somebody asks for it: the field is there much earlier."""
        if self._parts is None:
            from studio_qt.ui.chat.parts import ChatParts

            self._parts = ChatParts(self._desk, self.composer, self)
            self._take_parts(self._parts)
        return self._parts

    @property
    def header(self) -> ChatHeader:
        """Who is played."""
        return self.parts.header

    @property
    def transcript(self) -> ChatView:
        """The messages."""
        return self.parts.transcript

    @property
    def deeds(self) -> MessageDeeds:
        """What is done to a message."""
        return self.parts.deeds

    @property
    def continuing(self) -> Continuing:
        """Going on with a reply that was broken off."""
        return self.parts.continuing

    @property
    def finder(self) -> FindBar:
        """The bar that searches the conversation."""
        return self.parts.finder

    @property
    def meters(self) -> ChatMeters:
        """How full the context is."""
        return self.parts.meters

    @property
    def menu(self) -> ConversationMenu:
        """What is done to the whole conversation."""
        return self.parts.menu

    @property
    def running(self) -> bool:
        """Whether a reply is being written, or was asked for."""
        return self._parts is not None and self._parts.model.running

    @property
    def settled(self) -> bool:
        """Whether everything that is known is drawn, and nothing moves."""
        parts = self._parts
        return parts is None or (parts.model.settled and parts.transcript.settled)

    @property
    def titles(self) -> dict[str, str]:
        """The titles of the conversations by id, the latest first; "" where one has none."""
        return dict(self._titles)

    @property
    def draft(self) -> str:
        """The message that is being written, after one that waits until it can be sent."""
        now, asked = self.composer.input.toPlainText(), self._asked
        if asked is None or not asked.waits or not asked.text:
            return now
        return joined(asked.text, now)

    @draft.setter
    def draft(self, text: str) -> None:
        self.composer.input.put(text)

    def take_back(self) -> None:
        """Put a message that waits back into the field, since this project is left."""
        self._withdraw()

    def show_player(self, player: CharacterPlayer | None) -> None:
        """Show an open player's character and conversation; None empties the page."""
        if player is not self._player:
            self._withdraw()
        self._player = player
        self.composer.set_ready(player is not None)
        if player is None and self._parts is None:
            return
        parts = self.parts
        parts.set_player(player)
        if player is None:
            parts.model.leave()
            return
        head = self._show_character(player)
        parts.transcript.set_name(player.character.name)
        parts.model.follow(player, head)
        self._on_list()

    def set_place(self, place: Path | None) -> None:
        """Say where the character's folder or zip is, to show the picture that is in it."""
        self._place = place
        if self._parts is not None:
            self._show_picture()

    def refresh_character(self) -> None:
        """Show the character's texts anew, as after a reload; nothing else moves."""
        player = self._player
        if player is None:
            return
        if player.character.name != self.transcript.name:
            self.transcript.set_name(player.character.name)
            self.parts.model.follow(player, self._show_character(player))
        else:
            self.parts.model.set_head(self._show_character(player))

    def open_commands(self) -> None:
        """Open the command dialog with an @ in its field."""
        self.parts.commanding.open()

    def open_command(self, command: str) -> None:
        """Open the command dialog on a command, ready for its words."""
        self.parts.commanding.open(f"{command} ")

    def open_find(self) -> None:
        """Open the bar that searches the conversation."""
        if self._player is not None:
            self.finder.open_bar()

    def go_to_messages(self) -> None:
        """Take the keys to the messages, from the last one on."""
        self.transcript.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.deeds.picker.step(-1)

    def stop(self) -> None:
        """Stop the reply; what has come stays, and a message that waits goes back to the field."""
        if self._parts is not None and (asked := self._parts.model.asked) is not None:
            self._withdraw()
            asked.withdrawn = True
            self._parts.model.give_up(asked)
        elif self._player is not None:
            self._player.stop()

    def copy_all(self) -> None:
        """Put the whole conversation on the clipboard, as plain text."""
        if self._player is None:
            return
        self.parts.copying.copy(self._player.character.name)

    def ask_to_clear(self) -> None:
        """Ask whether the conversation is to be emptied, and do it."""
        if self._player is None or not len(self._player):
            return
        sheet = self.parts.clear_sheet()
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
        self.bars = QVBoxLayout()
        self.bars.setSpacing(0)
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 4, 16, 8)
        inside = QWidget()
        inside.setMaximumWidth(WIDEST)
        wear("base", "texts", "buttons", "bars", "chat", widgets=[inside])
        self._foot = QVBoxLayout(inside)
        self._foot.setContentsMargins(0, 0, 0, 0)
        self._foot.setSpacing(6)
        self._foot.addWidget(self.composer)
        foot.addStretch(1)
        foot.addWidget(inside, 1000)
        foot.addStretch(1)
        column.addLayout(foot)
        self._column = column
        self.cover = Cover(column, inside)
        self.composer.set_name("the character")

    def _connect(self) -> None:
        self.composer.send_wanted.connect(self._on_send)
        self.composer.stop_wanted.connect(self.stop)
        self.composer.command_wanted.connect(self.open_commands)
        self.composer.undo_wanted.connect(self._on_undo)
        self.composer.input.textChanged.connect(self.draft_changed)
        self._preferences.changed.connect(self._take_face)

    def _take_parts(self, parts: ChatParts) -> None:
        """Let parts that have just been made stand in the page and be heard."""
        parts.lay_out(self._column, self.bars, self._foot)
        self.cover.take(parts.covered)
        parts.model.flushed.connect(self._on_changed)
        parts.model.replaced.connect(self._on_replaced)
        parts.model.running_changed.connect(self._on_running)
        parts.model.asked_changed.connect(self._on_asked)
        parts.transcript.retry_wanted.connect(self._on_retry)
        parts.transcript.link_wanted.connect(self._on_link)
        parts.header.find_wanted.connect(self.open_find)
        parts.header.model_wanted.connect(self._on_model)
        parts.finder.closed.connect(self.composer.input.setFocus)
        parts.deeds.notice.connect(self.notice)
        parts.copying.notice.connect(self.notice)
        parts.commanding.notice.connect(self.notice)
        parts.jump.failed.connect(lambda sentence: self.notice.emit(sentence, "info"))
        parts.deeds.failed.connect(self._show_failure)
        parts.deeds.answering.connect(self._on_answering)
        parts.deeds.forked.connect(self._on_list)
        parts.deeds.sent_wanted.connect(self.sent_wanted)
        parts.continuing.begun.connect(self._on_answering)
        parts.continuing.failed.connect(self._show_failure)
        self._connect_menu(parts.menu)
        self._take_face()
        self._show_picture()

    def _take_face(self) -> None:
        """Write in the face and size that the user has chosen."""
        chosen = self._preferences.window
        if self._parts is not None:
            self._parts.transcript.set_face(chosen.chat_face, chosen.chat_size - CHAT_SIZE)
        self.composer.input.set_face(chosen.chat_face, chosen.chat_size)

    def _connect_menu(self, menu: ConversationMenu) -> None:
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
        self.composer.set_name(player.character.name)
        return self.parts.show_character(player)

    # Slots

    def _on_changed(self) -> None:
        if self._player is None:
            return
        conversation = self._player.conversation_id
        self.header.show_place(self._titles.get(conversation, ""), conversation, len(self._player))
        if not self.running:
            self.parts.gauge.look_soon()
            if self._unspoken and self.parts.model.settled:
                self._unspoken = False
                self._announce()

    def _on_replaced(self) -> None:
        self.conversations_changed.emit()

    def _on_running(self, running: bool) -> None:  # noqa: FBT001
        self.composer.set_running(running)
        if not running:
            self._unspoken = self.parts.model.asked is None  # until the reply is in the rows
            if self._player is not None and not self._titles.get(self._player.conversation_id):
                self._on_list()
        self.running_changed.emit(running)

    def _announce(self) -> None:
        """Tell assistive technology what has been answered."""
        if self._player is None:
            return
        if text := self.parts.last_words(self._player.character.name):
            announce(self.transcript, text)

    def _on_send(self, text: str) -> None:
        if self._player is None:
            return
        self._on_answering()
        asked = self._asked = self.parts.model.ask(text)
        self.composer.take()
        self._tasks.start(self._send(self._player, asked), name="send")

    def _on_asked(self) -> None:
        self.draft_changed.emit()
        asked = self.parts.model.asked
        if asked is not None and asked.slow:
            from studio_qt.ui.chat.asking import WHY

            announce(self.transcript, WHY)

    def _withdraw(self) -> None:
        """Put a message that still waits back into the field."""
        asked, self._asked = self._asked, None
        if asked is not None and asked.waits:
            asked.withdrawn = True
            self.composer.give_back(asked.text)

    def _on_answering(self) -> None:
        """Make ready for an answer."""
        self.parts.model.clear_error()
        self.continuing.needed = False
        self.deeds.picker.clear()
        self.transcript.go_to_end()

    def _on_undo(self) -> None:
        self.deeds.undo()

    def _on_retry(self) -> None:
        if self._player is None or self.running:
            return
        if self.continuing.needed:
            self.continuing.go_on()
        else:
            self.deeds.answer(self._player.regenerate)

    def _on_link(self, url: QUrl) -> None:
        if url.scheme().lower() in _SCHEMES:
            QDesktopServices.openUrl(url)
        else:
            self.notice.emit(f"Only web and mail links are opened, not {url.toString()}", "info")

    def _on_model(self) -> None:
        if self.receivers("2model_wanted()"):
            self.model_wanted.emit()
        elif self._player is not None:
            from studio_qt.ui.chat.about import who_answers

            self.notice.emit(who_answers(self._player.character.model_label), "info")

    def _on_new(self) -> None:
        if self._player is not None:
            beginning = self._player.new_conversation(unless_empty=True)
            self._tasks.start(beginning, name="new conversation")
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
            self.parts.jump.go(self._player, conversation, entry_id)
            self.load(conversation)

    def load(self, conversation: str) -> None:
        """Take up another conversation."""
        if self._player is not None and conversation != self._player.conversation_id:
            self._tasks.start(self._player.load_conversation(conversation), name="load")

    # Coroutines

    async def _send(self, player: CharacterPlayer, asked: Asked) -> None:
        """Send; a text that does not stand in the conversation goes back into the field."""
        from studio_qt.ui.chat.asking import answered  # not before the field takes keys

        before, text = len(player), asked.text
        try:
            await answered(player, asked, lambda: player.send(text))
        except Exception as error:  # noqa: BLE001 - whatever fails, the user's text must not be lost
            if not isinstance(error, StudioError):
                _log.exception("A message could not be sent")
            stands = _stands(player, before, text)
            if asked.begun and not stands:
                self.composer.give_back(text)
            self._show_failure(error, retry=stands)
        finally:
            self.parts.model.give_up(asked)
            if self._asked is asked:
                self._withdraw()

    async def _list(self, player: CharacterPlayer) -> None:
        listed = await player.list_conversations()
        self._titles = {str(one["id"]): str(one.get("title") or "").strip() for one in listed}
        self.menu.show_list(listed, player.conversation_id)
        self._on_changed()

    def _show_picture(self) -> None:
        """Show the character's picture as soon as it is read."""
        self._take_picture(None)
        if self._place is not None:
            self._tasks.start(self._read_picture(self._place), name="picture")

    async def _read_picture(self, place: Path) -> None:
        from studio_qt.ui.widgets.portrait import read_picture

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
        self.parts.model.show_error(sentence(error), retry=can_retry)
        announce(self.transcript, sentence(error)[:_SPOKEN])


def _stands(player: CharacterPlayer, before: int, text: str) -> bool:
    """Return whether the user's text became an entry."""
    try:
        came = player.entries(before, len(player))
    except ClosedError:
        return True
    return any(entry.get("role") == "user" and entry.get("content") == text for entry in came)
