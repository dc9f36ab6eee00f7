"""Windows on stores."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest_asyncio

from tests.ui.conftest import OpenStage
from tests.ui.stores.shelf import Shelf, write_stores

__all__ = ["OpenShelf", "shelf_on"]

OpenShelf = Callable[..., Awaitable[Shelf]]


@pytest_asyncio.fixture
async def shelf_on(stage_on: OpenStage, tmp_path: Path) -> OpenShelf:
    """Open the window on a small character, with further `files`, and its stores."""

    async def open_shelf(files: dict[str, str] | None = None) -> Shelf:
        stage = await stage_on(write_stores(tmp_path / "ada", files))
        return await Shelf(stage).open()

    return open_shelf
