"""From a request to its message in the chat, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio_qt.engine.requests import SentRequest

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["entry_of", "request_of"]

_PART = 200


def request_of(sent: Sequence[SentRequest], turn: int, *, first: bool) -> int:
    """Return the number of the character's last request of a turn, or its first; 0 for none."""
    own = [about.number for about in sent if about.turn == turn and not about.agent_id]
    return 0 if not own else own[0] if first else own[-1]


def entry_of(player: CharacterPlayer, turn: int) -> str:
    """Return the id of a turn's reply, else of the message it answers; "" where both are gone."""
    asked, stop = "", len(player)
    while stop > 0:
        start = max(0, stop - _PART)
        for entry in reversed(player.entries(start, stop)):
            its = entry.get("turn")
            if isinstance(its, int) and its < turn:
                return asked
            if its == turn and entry.get("role") == "assistant" and entry.get("content"):
                return str(entry.get("id") or "")
            if its == turn and entry.get("role") == "user":
                asked = str(entry.get("id") or "")
        stop = start
    return asked
