"""What the tests of writing with a model share."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.authoring.talking import Speaker
from tests.support.fixtures import model
from tests.support.model_server import ModelServer

__all__ = ["model", "speaker"]


@pytest_asyncio.fixture
async def speaker(model: ModelServer) -> AsyncIterator[Speaker]:
    """Talks with the scripted model."""
    made = Speaker(model)
    yield made
    await made.provider.close()
