"""`Gauge`: looks from time to time how full the context is, never while something is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from studio_qt.errors import StudioError
from studio_qt.ui.chat.meters import ChatMeters
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["Gauge"]

_WAIT_MS = 700


class Gauge(QObject):
    """Asks the player what the next request would hold, some time after the last change."""

    def __init__(
        self, tasks: Tasks, preferences: Preferences, meters: ChatMeters, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._tasks, self._preferences, self._meters = tasks, preferences, meters
        self._player: CharacterPlayer | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.look)
        preferences.changed.connect(self._on_preferences)

    def set_player(self, player: CharacterPlayer | None) -> None:
        """Look at an open player; None looks at nothing."""
        self._player = player
        self._timer.stop()
        if player is not None:
            self._show_agents(player)

    def look_soon(self) -> None:
        """Look when nothing has changed for a moment."""
        player = self._player
        if player is not None:
            self._show_agents(player)
            self._timer.start(_WAIT_MS)

    def look(self) -> None:
        """Look now."""
        self._timer.stop()
        if self._player is not None and self._meters.isVisible():
            self._tasks.start(self._look(self._player), name="context meter")

    async def _look(self, player: CharacterPlayer) -> None:
        try:
            request = await player.prepare_request("")
        except StudioError:
            return  # whatever is wrong is told when a message is sent
        if player is not self._player:
            return
        tokens, window = request.get("estimatedTokens"), request.get("contextWindow")
        cut = request.get("turnsCut")
        if isinstance(tokens, int) and isinstance(window, int):
            self._meters.show_context(tokens, window, cut if isinstance(cut, int) else 0)

    def _show_agents(self, player: CharacterPlayer) -> None:
        usage = player.usage()
        self._meters.show_agents(
            usage["agentTokensThisResponse"],
            self._preferences.player.agent_tokens_per_response,
            usage["agentTokensThisConversation"],
        )

    def _on_preferences(self) -> None:
        self.look_soon()
