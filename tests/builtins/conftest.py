"""One sandbox a test, in which shipped agents are opened."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from studio_qt.resources import resource_text
from studio_qt.sandbox import SandboxHost

from .stage import Opener, Stage

_APIS = {
    "studio.history-search": ["studio.history"],
    "studio.agent-db": ["studio.context"],
    "studio.context-access": ["studio.context"],
}


@pytest_asyncio.fixture
async def host() -> AsyncIterator[SandboxHost]:
    async with SandboxHost() as host:
        yield host


@pytest.fixture
def opened(host: SandboxHost) -> Opener:
    """Opens a built-in agent by its name: `await opened("studio.dice-roller", store={})`."""

    async def open_agent(name: str, **given: Any) -> Stage:
        return await Stage.open(host, f"agents/{name}.js", _APIS.get(name, []), [], **given)

    return open_agent


@pytest.fixture
def keeper(host: SandboxHost) -> Opener:
    """Opens the Lantern Keeper's log, with its shipped state and library unless told otherwise."""

    async def open_agent(**given: Any) -> Stage:
        folder = "templates/lantern-keeper"
        libs = given.pop("libs", ["weighted-choice"])
        given.setdefault("store", _shipped(f"{folder}/keeper.lantern-log.agent.json"))
        return await Stage.open(host, f"{folder}/agents/keeper.lantern-log.js", [], libs, **given)

    return open_agent


@pytest.fixture
def sample(host: SandboxHost) -> Opener:
    """Opens an agent of the Lantern Keeper by its file: `await sample("keeper.boats.lua")`."""

    async def open_agent(file: str, **given: Any) -> Stage:
        apis = ["studio.context"] if file == "keeper.omens.py" else []
        return await Stage.open(host, f"templates/lantern-keeper/agents/{file}", apis, [], **given)

    return open_agent


def _shipped(path: str) -> Any:
    return json.loads(resource_text(path))
