"""A provider connected to the scripted server, with short timers and no real waiting."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from studio_qt.providers.client import HttpProvider
from tests.providers.asking import QUICK
from tests.support.model_server import ModelServer


@pytest.fixture
def slept() -> list[float]:
    """The waits between tries, in seconds; nothing really sleeps."""
    return []


@pytest.fixture
async def provider(model: ModelServer, slept: list[float]) -> AsyncIterator[HttpProvider]:
    """A provider with the key `sk-secret-123456`."""

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    made = HttpProvider(model.base_url, "sk-secret-123456", patience=QUICK, sleep=sleep)
    yield made
    await made.close()
