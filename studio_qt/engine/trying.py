"""Trying an agent that is not part of the character yet: loaded alone, and called by hand."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from studio_qt.engine.player import CharacterPlayer
from studio_qt.errors import AgentError, PackageError, Problem, StudioError
from studio_qt.files import OverlaySource, Source
from studio_qt.jsontext import JsonObject, decode_object, encode
from studio_qt.package.config import CONFIG_FILE
from studio_qt.settings import PlayerSettings

__all__ = ["TriedAgent", "TriedCall", "try_agent"]

_CALL_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class TriedCall:
    """A call by hand; `result` is what a model would be told, also where `ok` is False."""

    tool: str
    args: JsonObject
    ok: bool
    result: str


@dataclass(frozen=True, slots=True)
class TriedAgent:
    """What came of it: what is wrong with the file, and each call, in order."""

    problems: tuple[Problem, ...]
    calls: tuple[TriedCall, ...] = ()


async def try_agent(
    source: Source,
    agent_id: str,
    path: str,
    code: str,
    calls: Sequence[tuple[str, JsonObject]] = (),
) -> TriedAgent:
    """Load `code` as the file `path` of a character, start it in the sandbox, and call its tools.

    The character's other agents stay out, its files can be read; stores and log are thrown away,
    no model but Rehearsal answers, and nothing is written. Raises PackageError where the
    character itself cannot be opened.
    """
    buffers = {path: code, CONFIG_FILE: _config(source, agent_id)}
    with tempfile.TemporaryDirectory(prefix="studio-qt-try-") as folder:
        player = CharacterPlayer(
            OverlaySource(buffers, source),
            data_dir=folder,
            settings=PlayerSettings(call_timeout=_CALL_SECONDS),
        )
        async with player:
            found = tuple(one for one in player.problems() if _concerns(one, path, agent_id))
            made = [await _call(player, tool, args) for tool, args in calls]
    return TriedAgent(found, tuple(made))


async def _call(player: CharacterPlayer, tool: str, args: JsonObject) -> TriedCall:
    try:
        return TriedCall(tool, args, True, await player.call_tool(tool, args))
    except AgentError as error:
        return TriedCall(tool, args, False, str(error))


def _config(source: Source, agent_id: str) -> str:
    """Return the character's configuration with this one agent."""
    try:
        text = source.read_bytes(CONFIG_FILE).decode("utf-8-sig")
        config = decode_object(text)
    except (OSError, ValueError, StudioError) as error:
        raise PackageError(f"config.json cannot be read: {error}", file=CONFIG_FILE) from error
    return encode({**config, "agents": [agent_id]})


def _concerns(problem: Problem, path: str, agent_id: str) -> bool:
    return problem.file == path or agent_id in problem.message
