"""A sandbox in which shipped agents are opened: one for all tests of a module.

Each test opens its agents anew, in contexts of their own. What needs more workers than that one,
for Python or for the compiler of TypeScript, gets a sandbox of its own.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from studio_qt.resources import resource_text
from studio_qt.sandbox import AgentCode, SandboxHost

from .stage import LIMITS, Opener, Stage

_APIS = {
    "studio.history-search": ["studio.history"],
    "studio.agent-db": ["studio.context"],
    "studio.context-access": ["studio.context"],
    "studio.lorebook": ["studio.context", "studio.history"],
}


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(obj: object) -> Iterator[object]:
    """Run the tests of a module on one loop, on which their sandbox lives."""
    if inspect.iscoroutinefunction(obj):
        pytest.mark.asyncio(loop_scope="module")(obj)
    return (yield)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host() -> AsyncIterator[SandboxHost]:
    """Give a sandbox whose worker is there before a test looks for what it leaves behind."""
    async with SandboxHost(spare_seconds=None) as host:
        await host.load(AgentCode("t.first", "javascript", "first.js", ""), LIMITS)
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


@pytest_asyncio.fixture(loop_scope="module")
async def sample(host: SandboxHost) -> AsyncIterator[Opener]:
    """Opens an agent of the Lantern Keeper by its file: `await sample("keeper.boats.lua")`."""
    async with AsyncExitStack() as stack:
        own: list[SandboxHost] = []

        async def open_agent(file: str, **given: Any) -> Stage:
            if not own and not file.endswith((".js", ".lua")):
                own.append(await stack.enter_async_context(SandboxHost()))
            apis = ["studio.context"] if file == "keeper.omens.py" else []
            place = f"templates/lantern-keeper/agents/{file}"
            return await Stage.open(own[0] if own else host, place, apis, [], **given)

        yield open_agent


def _shipped(path: str) -> Any:
    return json.loads(resource_text(path))
