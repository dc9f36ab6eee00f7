"""An answer that was asked for, from the key on until its turn begins. No Qt in here.

Before a turn begins, what is being edited is loaded; an agent that does not come to an end there
holds it up for seconds. What the user has asked for stays in sight meanwhile, and can be stopped.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from studio_qt.ui.chat.rows import Row, Said, State, split_row

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["WHY", "Asked", "answered"]

WHY = "Waits until what was changed in the project is loaded. Esc stops it."


@dataclass(slots=True, eq=False)
class Asked:
    """What was asked for: an answer to a new message, `text`, or another one to an old message.

    `begun`: its turn has. `withdrawn`: the user does not want it any more. `slow`: it waits for so
    long that this is told.
    """

    text: str
    conversation: str
    begun: bool = False
    withdrawn: bool = False
    slow: bool = False
    _message: list[Row] = field(default_factory=list)

    @property
    def waits(self) -> bool:
        """Whether it is still to come."""
        return not (self.begun or self.withdrawn)

    def rows(self) -> list[Row]:
        """Return what stands below the conversation meanwhile; an old message is there already."""
        state: State = "waiting" if self.slow else "thinking"
        reply = Row("reply", "asked", (), state=state, detail=WHY if self.slow else "", foot=True)
        if self.text:
            self._message = self._message or split_row(
                Row("user", "asked message", (Said(self.text),))
            )
            return [*self._message, reply]
        return [reply] if self.slow else []


async def answered(
    player: CharacterPlayer, asked: Asked, answer: Callable[[], Awaitable[object]]
) -> bool:
    """Have `answer` given as soon as all is loaded; returns whether it still was wanted, there."""
    await player.ready()
    if asked.withdrawn or player.conversation_id != asked.conversation:
        return False
    await answer()
    return True
