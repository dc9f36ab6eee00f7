"""`LiveStore`: an agent's store in the conversation, edited here while agents change it too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from studio_qt.engine.store_text import read_store_text, store_text_of
from studio_qt.errors import ClosedError, StudioError
from studio_qt.jsontext import JsonObject
from studio_qt.ui.stores.steps import Steps
from studio_qt.ui.tasks import Tasks

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["LiveStore", "State"]

State = Literal["saved", "saving", "waiting", "conflict", "failed"]
"""How what is shown stands to what the conversation has; "waiting" is for a call that runs."""

_WAITING_MS = 300


class LiveStore(QObject):
    """The value that is shown and edited. Each edit is saved at once, after the call that runs.

    `changed`: the value is another. `state_changed`: state or fault is another. An agent's change
    is taken in, unless something is being typed or is not saved yet; then it is in conflict until
    `keep_mine` or `take_theirs`.
    """

    changed = Signal()
    state_changed = Signal()

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._player: CharacterPlayer | None = None
        self._off: Callable[[], None] | None = None
        self._saving = asyncio.Lock()
        self._base = ""
        self._theirs: tuple[str, JsonObject] | None = None
        self._dirty = self._held = self._reset = False
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.timeout.connect(lambda: self._tell("waiting"))
        self.steps = Steps()
        self.agent_id = ""
        self.value: JsonObject | None = None
        self.state: State = "saved"
        self.fault = ""

    @property
    def size(self) -> int:
        """Characters of the store's text, as it was last saved."""
        return len(self._base)

    @property
    def settled(self) -> bool:
        """Whether nothing is to be saved, but for what waits for the user."""
        return not self._dirty or self.state in ("conflict", "failed")

    async def open(
        self, player: CharacterPlayer, agent_id: str, like: JsonObject | None = None
    ) -> None:
        """Show an agent's store, sharing what is the same in `like`.

        Raises StudioError for an unknown agent.
        """
        self.close()
        self._player, self.agent_id = player, agent_id
        self._off = player.on("store", self._on_store)
        text = await asyncio.to_thread(player.store_text, agent_id)
        if self._is_at(player, agent_id):
            await self._take(text, like)

    def close(self) -> None:
        """Show nothing; what is being saved goes on."""
        if self._off is not None:
            self._off()
        self._off = self._player = self.value = self._theirs = None
        self._dirty = self._held = self._reset = False
        self.agent_id, self._base = "", ""
        self.steps.clear()
        self._tell("saved")

    def edit(self, value: JsonObject, *, reset: bool = False) -> None:
        """Put another value in the place of what is shown, and save it."""
        if self.value is None or value is self.value:
            return
        self.steps.note(self.value)
        self._become(value, reset=reset)

    def undo(self) -> None:
        """Take the last edit back."""
        if self.value is not None and (before := self.steps.undo(self.value)) is not None:
            self._become(before)

    def redo(self) -> None:
        """Do again what was taken back."""
        if self.value is not None and (after := self.steps.redo(self.value)) is not None:
            self._become(after)

    def hold(self, *, held: bool) -> None:
        """Say whether something is being typed that is not in the value yet."""
        self._held = held

    def keep_mine(self) -> None:
        """Save what is shown over what the agent has made of the store."""
        if self._theirs is not None:
            self._base, self._theirs = self._theirs[0], None
            self._dirty = True
            self._save()

    def take_theirs(self) -> None:
        """Show what the agent has made of the store; undo gives back what was shown."""
        if self._theirs is not None and self.value is not None:
            mine, (self._base, self.value) = self.value, self._theirs
            self._theirs, self._dirty, self._held = None, False, False
            self.steps.clear()
            self.steps.note(mine)
            self._tell("saved")
            self.changed.emit()

    def retry(self) -> None:
        """Save again what could not be saved."""
        if self._dirty:
            self._save()

    # Saving

    def _become(self, value: JsonObject, *, reset: bool = False) -> None:
        self.value, self._dirty, self._reset = value, True, reset
        self.changed.emit()
        if self._theirs is None:
            self._save()

    def _save(self) -> None:
        player, agent_id = self._player, self.agent_id
        if player is not None:
            self._tell("saving")
            self._patience.start(_WAITING_MS)
            self._tasks.start(self._write(player, agent_id), name="save the store")

    async def _write(self, player: CharacterPlayer, agent_id: str) -> None:
        async with self._saving:
            try:
                while self._is_at(player, agent_id) and self._dirty and self._theirs is None:
                    await self._write_once(player, agent_id)
            except ClosedError:
                return  # the project was closed meanwhile
            except StudioError as error:
                if self._is_at(player, agent_id):
                    self._tell("failed", str(error))
            else:
                if self._is_at(player, agent_id) and self._theirs is None:
                    self._tell("saved")
        if self._is_at(player, agent_id):
            await self._look(player)  # what came while the last look was under way

    async def _write_once(self, player: CharacterPlayer, agent_id: str) -> None:
        value, base, reset = self.value, self._base, self._reset
        assert value is not None
        text = await asyncio.to_thread(store_text_of, value)
        replaced = await player.set_store_text(agent_id, text, over=base, reset=reset)
        if not self._is_at(player, agent_id):
            return
        if replaced:
            self._base = text
            self._dirty = self.value is not value
        await self._look(player)

    def _is_at(self, player: CharacterPlayer, agent_id: str) -> bool:
        return self._player is player and self.agent_id == agent_id

    # Following

    def _on_store(self, said: object) -> None:
        player = self._player
        if player is None or not isinstance(said, Mapping) or said["agentId"] != self.agent_id:
            return
        if not self._saving.locked():  # what is being saved looks by itself
            self._tasks.start(self._look(player), name="follow the store")

    async def _look(self, player: CharacterPlayer) -> None:
        """Take in, or offer, what the store is now."""
        agent_id = self.agent_id
        if not self._is_at(player, agent_id):
            return
        try:
            text = await asyncio.to_thread(player.store_text, agent_id)
        except StudioError:
            return  # the project was closed, or the agent has gone, meanwhile
        if not self._is_at(player, agent_id):
            return
        known = self._theirs[0] if self._theirs is not None else self._base
        if text == known:
            return
        value = await asyncio.to_thread(read_store_text, text, self.value)
        now = await asyncio.to_thread(player.store_text, agent_id)
        if not self._is_at(player, agent_id) or now != text:
            return  # another event tells of what it is by now
        if self._dirty or self._held:
            self._theirs = text, value
            self._tell("conflict")
        else:
            self._base = text
            self.steps.clear()
            self.value = value
            self.changed.emit()

    async def _take(self, text: str, like: JsonObject | None) -> None:
        player, agent_id = self._player, self.agent_id
        value = await asyncio.to_thread(read_store_text, text, like)
        if player is not None and self._is_at(player, agent_id):
            self._base, self.value = text, value
            self.changed.emit()
            await self._look(player)

    def _tell(self, state: State, fault: str = "") -> None:
        if state != "saving":
            self._patience.stop()
        if state == "waiting" and self.state != "saving":
            return
        if (state, fault) != (self.state, self.fault):
            self.state, self.fault = state, fault
            self.state_changed.emit()
