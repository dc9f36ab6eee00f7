"""`ChatParts`: what the chat's page has beside its field, for which the field does not wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio_qt.ui.chat.about import about_row
from studio_qt.ui.chat.clearing import ClearSheet
from studio_qt.ui.chat.commanding import Commanding
from studio_qt.ui.chat.composer import Composer
from studio_qt.ui.chat.continuing import Continuing
from studio_qt.ui.chat.copying import Copying
from studio_qt.ui.chat.deeds import MessageDeeds
from studio_qt.ui.chat.facts import CallFacts
from studio_qt.ui.chat.find import FindBar
from studio_qt.ui.chat.gauge import Gauge
from studio_qt.ui.chat.header import ChatHeader
from studio_qt.ui.chat.jump import EntryJump
from studio_qt.ui.chat.menu import ConversationMenu
from studio_qt.ui.chat.meters import ChatMeters
from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.rows import Row, Said, split_row, spoken_text
from studio_qt.ui.chat.view import ChatView
from studio_qt.ui.desk import Desk

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["ChatParts"]

_SPOKEN = 400
"""Characters of a finished reply that assistive technology is told."""


class ChatParts:
    """The transcript, the header and all that is done to a conversation, as children of `page`."""

    def __init__(self, desk: Desk, composer: Composer, page: QWidget) -> None:
        theme, tasks = desk.theme, desk.tasks
        self._theme, self._page = theme, page
        self.header = ChatHeader(theme)
        self.model = ChatModel(page)
        self.transcript = ChatView(theme, self.model)
        self.facts = CallFacts(tasks, page)
        self.transcript.set_facts(self.facts)
        self.deeds = MessageDeeds(theme, tasks, desk.actions, self.transcript, self.model)
        self.continuing = Continuing(tasks, desk.actions, self.transcript, self.model)
        self.jump = EntryJump(self.transcript, self.model, self.deeds.picker)
        self.finder = FindBar(theme, tasks, self.transcript, self.model, page)
        self.meters = ChatMeters(theme)
        self.gauge = Gauge(tasks, desk.preferences, self.meters, page)
        self.copying = Copying(tasks, self.model, page)
        self.commanding = Commanding(theme, tasks, composer, page)
        self.menu = ConversationMenu(page, desk.actions, self.transcript)
        self.header.set_menu(self.menu)
        self.menu.set_ready(False)

    @property
    def covered(self) -> tuple[QWidget, ...]:
        """What makes way while the conversation is not there."""
        return (self.header, self.meters, self.transcript)

    def lay_out(self, column: QVBoxLayout, bars: QVBoxLayout, foot: QVBoxLayout) -> None:
        """Stand in the page's `column`, above `foot`, where the field is."""
        column.insertWidget(0, self.header)
        column.insertLayout(1, bars)
        column.insertWidget(2, self.finder)
        column.insertWidget(3, self.transcript, 1)
        foot.addWidget(self.meters)

    def set_player(self, player: CharacterPlayer | None) -> None:
        """Let everything that acts on a player have it."""
        self.menu.set_ready(player is not None)
        self.deeds.set_player(player)
        self.continuing.set_player(player)
        self.facts.set_player(player)
        self.commanding.set_player(player)
        self.finder.set_player(player)
        self.gauge.set_player(player)

    def show_character(self, player: CharacterPlayer) -> list[Row]:
        """Show who is played; returns what stands above the first message."""
        character = player.character
        name, model = character.name, character.model_label
        self.header.show_character(name, character.description, model)
        head = [about_row(name, character.description, model)]
        if introduction := character.introduction.strip():
            head += split_row(Row("reply", "introduction", (Said(introduction),)))
        return head

    def last_words(self, name: str) -> str:
        """Return what is told of the last reply to those who do not see it; "" for none."""
        last = self.model.last_reply()
        return spoken_text(last, name, _SPOKEN) if last is not None else ""

    def clear_sheet(self) -> ClearSheet:
        """Return the question whether the conversation is to be emptied."""
        return ClearSheet(self._theme, self._page.window())
