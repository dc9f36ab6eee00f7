"""`RestingStores`: the stores of a data folder while no player has it open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from studio_qt.engine.storage import DataFolder, MovedStores, move_stores, put_stores_back
from studio_qt.errors import StorageError

__all__ = ["RestingStores"]


class RestingStores:
    """Lets stores follow agents as a player does, in the data folder of one that is not open.

    The folder is held only meanwhile; conversations go on saying what they were played with.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def move_stores(self, moves: Mapping[str, str | None]) -> MovedStores:
        """As `CharacterPlayer.move_stores`; StorageError also where another program plays."""
        if not self._folder.is_dir():
            return MovedStores()
        async with self._held() as folder:
            return await move_stores(folder, moves)

    async def put_stores_back(self, moved: MovedStores) -> None:
        """As `CharacterPlayer.put_stores_back`; StorageError also where another program plays."""
        if moved.stores:
            async with self._held() as folder:
                await put_stores_back(folder, moved)

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[DataFolder]:
        async with await DataFolder.open(self._folder, package_hash="") as folder:
            if folder.refusal is not None:
                raise StorageError(folder.refusal)
            yield folder
