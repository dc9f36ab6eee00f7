"""A data folder that is open, and a conversation in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeAlias

import pytest

from studio_qt.engine.storage import Conversation, DataFolder

Opener: TypeAlias = Callable[[], Awaitable[DataFolder]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The path of the data folder."""
    return tmp_path / "conversations"


@pytest.fixture
async def opener(place: Path) -> AsyncIterator[Opener]:
    """Opens the folder; what the test leaves open is closed at its end."""
    async with AsyncExitStack() as stack:

        async def open_folder() -> DataFolder:
            folder = await DataFolder.open(place, package_hash="p1", package_version="1.0")
            return await stack.enter_async_context(folder)

        yield open_folder


@pytest.fixture
async def folder(opener: Opener) -> DataFolder:
    """The folder, open for writing."""
    return await opener()


@pytest.fixture
async def conversation(folder: DataFolder) -> Conversation:
    """A new conversation, `conversation_01`."""
    return await folder.create()


Reopen: TypeAlias = Callable[[], Awaitable[Conversation]]


@pytest.fixture
def reopen(folder: DataFolder, opener: Opener) -> Reopen:
    """Closes the folder and opens `conversation_01` again."""
    current = [folder]

    async def again() -> Conversation:
        await current[0].close()
        current[0] = await opener()
        return await current[0].load("conversation_01")

    return again
