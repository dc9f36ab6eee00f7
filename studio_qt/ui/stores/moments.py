"""`Moments`: what a store was at the change that is chosen, and conversations forked there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio_qt.engine.store_history import StoreChange
from studio_qt.engine.store_text import read_store_text
from studio_qt.jsontext import JsonObject
from studio_qt.ui.stores.differing import Difference, differences
from studio_qt.ui.stores.live import LiveStore
from studio_qt.ui.stores.past import PastPanel
from studio_qt.ui.stores.telling import turn_words
from studio_qt.ui.tasks import Tasks, sentence

if TYPE_CHECKING:
    from studio_qt.engine.editing import Stores
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["TASKS", "Moment", "Moments"]

TASKS = frozenset({"list the past", "look back", "fork at a store"})
"""The tasks that it starts."""

_PAUSE_MS = 300
_PAST = 2_000
_PART = 200
_LARGE = 1 << 20
"""Characters of a store from which on its last change is told of when it is chosen only."""


@dataclass(frozen=True, slots=True)
class Moment:
    """An earlier moment that is looked at."""

    change: StoreChange
    value: JsonObject


class Moments(QObject):
    """Fills the panel of the past. `changed`: another moment is looked at, or now.

    `notice` carries a sentence and its kind.
    """

    changed = Signal()
    notice = Signal(str, str)

    def __init__(self, tasks: Tasks, past: PastPanel, live: LiveStore, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._past, self._live = tasks, past, live
        self._player: CharacterPlayer | None = None
        self._agent_id = ""
        self._looking = 0
        self.moment: Moment | None = None
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_PAUSE_MS)
        self._later.timeout.connect(self._list)
        past.chosen.connect(self._on_chosen)
        past.restore_wanted.connect(self._restore)
        past.fork_wanted.connect(self._fork)

    @property
    def settled(self) -> bool:
        """Whether nothing is read any more."""
        return not self._later.isActive() and not TASKS.intersection(self._tasks.names)

    def open(self, player: CharacterPlayer, agent_id: str) -> None:
        """Tell the past of a store; it is read as soon as it is asked for."""
        self.clear()
        self._player, self._agent_id = player, agent_id

    def clear(self) -> None:
        """Tell nobody's past."""
        self._player, self._agent_id, self.moment = None, "", None
        self._looking += 1
        self._later.stop()
        self._past.show_changes([])

    def read_soon(self, *, at_once: bool = False) -> None:
        """Read the past anew, after a pause."""
        self._later.start(0 if at_once else _PAUSE_MS)

    # Reading

    def _list(self) -> None:
        if self._player is not None:
            listing = self._read(self._player, self._agent_id)
            self._tasks.start(listing, name="list the past", on_error=self._fail)

    async def _read(self, player: CharacterPlayer, agent_id: str) -> None:
        changes = await player.store_history(agent_id, _PAST)
        if agent_id != self._agent_id or player is not self._player:
            return
        self._past.show_changes(changes, _turn_at_end(player))
        if changes and self._past.change is None and self._live.size < _LARGE:
            self._looking += 1
            await self._tell(player, changes[-1], self._looking)

    def _on_chosen(self, change: StoreChange | None) -> None:
        self._looking += 1
        if change is None:
            self.moment = None
            self._past.show_details([], None)
            self.changed.emit()
            self.read_soon(at_once=True)
        elif self._player is not None:
            looking = self._look_back(self._player, change, self._looking)
            self._tasks.start(looking, name="look back", on_error=self._fail)

    async def _look_back(self, player: CharacterPlayer, change: StoreChange, number: int) -> None:
        then = await self._tell(player, change, number)
        if then is not None:
            self.moment = Moment(change, then)
            self.changed.emit()

    async def _tell(
        self, player: CharacterPlayer, change: StoreChange, number: int
    ) -> JsonObject | None:
        """Tell what a change did; returns the store after it, None where another is wanted."""
        step = await player.store_step(self._agent_id, change.line)
        then, found = await asyncio.to_thread(_told, step.before, step.after, self._live.value)
        if number != self._looking:
            return None
        self._past.show_details(found, change)
        return then

    # Acting

    def _restore(self, change: StoreChange) -> None:
        moment = self.moment
        if moment is not None and moment.change == change:
            self._past.to_now()
            self._live.edit(moment.value)
            self.notice.emit(
                f"The store is as it was at {turn_words(change).lower()}. Undo takes that back.",
                "ok",
            )

    def _fork(self, change: StoreChange | None) -> None:
        player = self._player
        if player is not None:
            turn = self._past.line.turn
            forking = self._fork_at(player, turn, "now" if change is None else "then")
            self._tasks.start(forking, name="fork at a store", on_error=self._fail)

    async def _fork_at(self, player: CharacterPlayer, turn: int, stores: Stores) -> None:
        at = _last_entry(player, turn)
        if at is None:
            self.notice.emit("There is no message to fork at yet. Play a turn first.", "info")
            return
        made = await player.fork(at, stores)
        self.notice.emit(
            f"{made} goes on after turn {turn:,}, with the stores of "
            f"{'now' if stores == 'now' else 'then'}. Take it up in Conversations.",
            "ok",
        )

    def _fail(self, error: Exception) -> None:
        self.notice.emit(sentence(error), "error")


def _entries_back(player: CharacterPlayer, fits: Callable[[object], bool]) -> int | None:
    """Return the last entry of a turn that fits, looking from the end."""
    stop = len(player)
    while stop > 0:
        start = max(0, stop - _PART)
        entries = player.entries(start, stop)
        for at in reversed(range(len(entries))):
            if fits(entries[at].get("turn")):
                return start + at
        stop = start
    return None


def _last_entry(player: CharacterPlayer, turn: int) -> int | None:
    return _entries_back(player, lambda of: isinstance(of, int) and 0 < of <= turn)


def _turn_at_end(player: CharacterPlayer) -> int:
    at = _entries_back(player, lambda of: isinstance(of, int))
    found = player.entries(at, at + 1)[0].get("turn") if at is not None else 0
    return found if isinstance(found, int) else 0


def _told(
    before: str | None, after: str | None, now: JsonObject | None
) -> tuple[JsonObject, list[Difference]]:
    """Return what a store was after a change, and what the change did; blocks."""
    then = read_store_text(after, now) if after else {}
    earlier = read_store_text(before, then) if before else {}
    return then, differences(earlier, then)
