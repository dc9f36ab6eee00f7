"""`EntryJump`: shows an entry of any conversation, as soon as that is the one that is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.picker import Picker
from studio_qt.ui.chat.view import ChatView

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["EntryJump"]

_STRETCH = 500

_GONE = (
    "This message is not in the conversation any more: it was deleted, or its turn was taken back."
)
_ASIDE = "This belongs to a response that was put aside; the arrows below the reply lead to it."


class EntryJump(QObject):
    """Waits for the conversation of an entry, then goes to the entry's message and marks it.

    `failed` carries a sentence where there is nothing to go to.
    """

    failed = Signal(str)

    def __init__(self, view: ChatView, model: ChatModel, picker: Picker) -> None:
        super().__init__(view)
        self._view, self._model, self._picker = view, model, picker
        self._player: CharacterPlayer | None = None
        self._wanted = ("", "")
        model.flushed.connect(self._take)

    def go(self, player: CharacterPlayer, conversation: str, entry_id: str) -> None:
        """Go to an entry; one that is not there any more is told by `failed`."""
        self._player, self._wanted = player, (conversation, entry_id)
        self._take()

    def _take(self) -> None:
        player, (conversation, entry_id) = self._player, self._wanted
        if player is None or not entry_id or self._model.conversation != conversation:
            return
        self._player, self._wanted = None, ("", "")
        self._model.catch_up()
        index = _index_of(player, entry_id)
        row = None if index is None else self._model.at_entry(index)
        if row is not None:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)
            self._picker.go(row)
        else:
            self.failed.emit(_GONE if index is None else _ASIDE)


def _index_of(player: CharacterPlayer, entry_id: str) -> int | None:
    for start in range(0, len(player), _STRETCH):
        for at, entry in enumerate(player.entries(start, start + _STRETCH), start):
            if entry.get("id") == entry_id:
                return at
    return None
