"""`CallFacts`: what is known of a tool call beside its entry, looked up when it is unfolded."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio_qt.errors import ClosedError, StudioError
from studio_qt.ui.chat.changes import changes
from studio_qt.ui.chat.rows import Call
from studio_qt.ui.tasks import Tasks

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["CallFacts"]

_log = logging.getLogger(__name__)
_LARGEST_STORE = 8_000_000
"""Characters of a store up to which a change of it is worked out."""


class CallFacts(QObject):
    """Store changes from the conversation's journal, and what a sub-agent's requests were.

    `found` carries the toolCallId of a call whose changes are known from now on.
    """

    found = Signal(int)

    def __init__(self, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._player: CharacterPlayer | None = None
        self._conversation = ""
        self._changes: dict[int, tuple[str, ...]] = {}
        self._asked: set[int] = set()
        self._one_by_one = asyncio.Lock()

    def set_player(self, player: CharacterPlayer | None) -> None:
        """Look into an open player."""
        self._player = player
        self._forget()

    def is_sub_agent(self, agent: str) -> bool:
        """Whether an agent is a sub-agent that runs."""
        try:
            agents = self._player.agents() if self._player is not None else ()
        except ClosedError:  # a last look while the window closes
            return False
        return any(one.is_sub_agent and one.id == agent for one in agents)

    def requests(self, number: int | None) -> tuple[str, int, int]:
        """Return what a call asked of models: which lane, how often, and the tokens of it all.

        ("", 0, 0) where that is not kept any more.
        """
        if self._player is None or number is None:
            return "", 0, 0
        made = [one for one in self._player.requests() if one.tool_call_id == number]
        tokens = sum(one.usage.total_tokens for one in made if one.usage is not None)
        return made[-1].lane if made else "", len(made), tokens

    def changes(self, call: Call) -> tuple[str, ...]:
        """Return what a call changed in its agent's store, a line each; () as long as unknown.

        It is looked up once, and told by `found`.
        """
        player, number = self._player, call.number
        if player is None or number is None or not call.agent:
            return ()
        if player.conversation_id != self._conversation:
            self._forget()
            self._conversation = player.conversation_id
        if number not in self._asked:
            self._asked.add(number)
            self._tasks.start(self._look(player, call.agent, number), name="store change")
        return self._changes.get(number, ())

    def _forget(self) -> None:
        self._conversation = ""
        self._changes, self._asked = {}, set()

    async def _look(self, player: CharacterPlayer, agent: str, number: int) -> None:
        known = self._changes
        try:
            async with self._one_by_one:
                lines = await _read(player, agent, number)
        except StudioError as error:  # the agent is gone, or the journal of an older version
            _log.info("What call %d changed is not known: %s", number, error)
            return
        if lines and known is self._changes:
            known[number] = lines
            self.found.emit(number)


async def _read(player: CharacterPlayer, agent: str, number: int) -> tuple[str, ...]:
    history = await player.store_history(agent)
    made = [one.line for one in history if one.tool_call_id == number]
    if not made:
        return ()
    first = await player.store_step(agent, made[0])
    last = await player.store_step(agent, made[-1]) if len(made) > 1 else first
    before, after = first.before or "{}", last.after or "{}"
    if max(len(before), len(after)) > _LARGEST_STORE:
        return ()
    return await asyncio.to_thread(changes, before, after)
