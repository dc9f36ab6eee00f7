"""A host with a short grace, closed after each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from studio_qt.sandbox import SandboxHost


@pytest_asyncio.fixture
async def host() -> AsyncIterator[SandboxHost]:
    async with SandboxHost(grace_seconds=0.4, utc_offset_minutes=120) as host:
        yield host
