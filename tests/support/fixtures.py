"""Fixtures that more than one area uses; `tests/conftest.py` imports them by name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.model_server import ModelServer

__all__ = ["model"]


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A scripted model server; a request that no script answers fails the test."""
    with ModelServer() as server:
        yield server
    server.check()
