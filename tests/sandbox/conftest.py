"""Hosts, closed after each test.

The engine's own time limit counts processor time, so on a busy machine it comes late: where a test
is about it, the grace must not end first.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from studio_qt.sandbox import SandboxHost


@pytest_asyncio.fixture
async def host() -> AsyncIterator[SandboxHost]:
    """A patient host, two hours east of Greenwich."""
    async with SandboxHost(grace_seconds=15.0, utc_offset_minutes=120, spare_seconds=None) as host:
        yield host


@pytest_asyncio.fixture
async def strict_host() -> AsyncIterator[SandboxHost]:
    """A host that kills a worker 0.3 s after the limit."""
    async with SandboxHost(grace_seconds=0.3, spare_seconds=None) as host:
        yield host


@pytest.fixture
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache folder for this test alone."""
    monkeypatch.setenv("STUDIO_QT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
