"""`studio-qt call`: one tool by hand, its result, and what it changed."""

from __future__ import annotations

import asyncio
import difflib
import sys
from collections.abc import Iterator, Mapping

from studio_qt.engine.player import CharacterPlayer
from studio_qt.jsontext import JsonObject, decode, encode_pretty
from studio_qt.package import CharacterPackage
from studio_qt.terminal.opening import Choices, announce_code, configured, load, make_player

__all__ = ["call", "store_changes"]


def call(choices: Choices, tool: str, arguments: JsonObject) -> int:
    """Run the tool, print its result and the change of every store; returns 0.

    Raises AgentError when the call does not come to a result, PackageError for the package.
    """
    asyncio.run(_call(configured(choices), tool, arguments))
    return 0


async def _call(choices: Choices, tool: str, arguments: JsonObject) -> None:
    package = await load(choices.package)
    announce_code(package)
    player = make_player(choices, package)
    player.on("agentLog", lambda text: sys.stderr.write(f"log: {text}\n"))
    player.on("agentToast", lambda text: sys.stderr.write(f"toast: {text}\n"))
    async with player:
        before = _stores(player, package)
        result = await player.call_tool(tool, arguments)
        changes = list(store_changes(before, _stores(player, package)))
    for line in (result, *(changes or ["(no store changed)"])):
        sys.stdout.write(f"{line}\n")


def store_changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a unified diff for each store that changed; keys are agent ids."""
    for agent_id, text in after.items():
        if text != before.get(agent_id):
            yield from difflib.unified_diff(
                _lines(before.get(agent_id, "{}")),
                _lines(text),
                f"{agent_id} before",
                f"{agent_id} after",
                lineterm="",
            )


def _stores(player: CharacterPlayer, package: CharacterPackage) -> dict[str, str]:
    return {agent.id: player.store_text(agent.id) for agent in package.agents}


def _lines(store: str) -> list[str]:
    return encode_pretty(decode(store)).splitlines()
