"""A reader that meets a server on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from studio_qt.web import WebReader
from tests.support.website import Site, door, site

__all__ = ["reader", "site"]


@pytest_asyncio.fixture
async def reader(site: Site) -> AsyncIterator[WebReader]:
    """A reader to which every name leads to the server on loopback, and nothing else is open."""
    reader = WebReader(door=door(site))
    yield reader
    await reader.close()
