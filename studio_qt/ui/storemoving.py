"""`SessionStores`: moves the stores of the open project, whether it is played or not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from studio_qt.engine.storage import MovedStores
    from studio_qt.ui.session import StudioSession

__all__ = ["SessionStores", "StoreMover"]

_Result = TypeVar("_Result")


class StoreMover(Protocol):
    """What moves the stores of all conversations of a character."""

    async def move_stores(self, moves: Mapping[str, str | None]) -> MovedStores:
        """Let stores have other ids; None takes one out."""
        ...

    async def put_stores_back(self, moved: MovedStores) -> None:
        """Take that back."""
        ...


class SessionStores:
    """Asks the player of a session; without one it opens the conversations itself.

    While it does so no player is opened, which would find them taken.
    """

    def __init__(self, session: StudioSession) -> None:
        self._session = session

    async def move_stores(self, moves: Mapping[str, str | None]) -> MovedStores:
        """As `CharacterPlayer.move_stores`."""
        return await self._by(lambda mover: mover.move_stores(moves))

    async def put_stores_back(self, moved: MovedStores) -> None:
        """As `CharacterPlayer.put_stores_back`."""
        await self._by(lambda mover: mover.put_stores_back(moved))

    async def _by(self, act: Callable[[StoreMover], Awaitable[_Result]]) -> _Result:
        from studio_qt.engine.resting import RestingStores

        async with self._session.at_rest() as folder:
            if folder is not None:
                return await act(RestingStores(folder))
        player = self._session.player
        assert player is not None
        return await act(player)
