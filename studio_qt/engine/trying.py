"""Trying an agent that is not part of the character yet: loaded alone, and called by hand."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace

from studio_qt.engine.player import CharacterPlayer
from studio_qt.errors import AgentError, PackageError, Problem, StudioError
from studio_qt.files import OverlaySource, Source
from studio_qt.files.paths import safe_path
from studio_qt.jsontext import JsonObject, decode_object, encode
from studio_qt.package.builtins import code_language
from studio_qt.package.config import CONFIG_FILE
from studio_qt.settings import PlayerSettings

__all__ = ["TriedAgent", "TriedCall", "try_agent"]

_CALL_SECONDS = 4.0
_AGENTS = "agents/"


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

    No line of the character's own code runs, agreed to or not: its agents and libraries are not
    there (SUB-14), those of the program are, and its texts can be read. Stores and log are thrown
    away, no model but Rehearsal answers, no page of the web is read, and nothing is written.
    Raises PackageError where the character itself cannot be opened.
    """
    buffers = {path: code, CONFIG_FILE: _config(source, agent_id)}
    with tempfile.TemporaryDirectory(prefix="studio-qt-try-") as folder:
        player = CharacterPlayer(
            OverlaySource(buffers, _WithoutCode(source)),
            data_dir=folder,
            settings=PlayerSettings(call_timeout=_CALL_SECONDS),
        )
        async with player:
            found = tuple(
                _told(one, source) for one in player.problems() if _concerns(one, path, agent_id)
            )
            made = [await _call(player, tool, args) for tool, args in calls]
    return TriedAgent(found, tuple(made))


class _WithoutCode:
    """The files of a character as they are, but for its code, which is not there."""

    def __init__(self, below: Source) -> None:
        self._below = below

    @property
    def name(self) -> str:
        return self._below.name

    def exists(self, path: str) -> bool:
        return not _is_code(path) and self._below.exists(path)

    def read_bytes(self, path: str) -> bytes:
        if _is_code(path):
            raise FileNotFoundError(path)
        return self._below.read_bytes(path)

    def list_folder(self, path: str) -> Sequence[str]:
        names = self._below.list_folder(path)
        return tuple(name for name in names if not _is_code(f"{path}/{name}"))


def _is_code(path: str) -> bool:
    """Whether a path can be run; names that differ in case may be the same file."""
    return code_language(path) is not None and safe_path(path).lower().startswith(_AGENTS)


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


def _told(problem: Problem, source: Source) -> Problem:
    """Return a problem; one that only the trial has says so."""
    fault = problem.fault
    if fault is None or fault.kind != "lib-missing":
        return problem
    name = fault.names[0]
    if not any(source.exists(f"{_AGENTS}lib/{name}{end}") for end in (".js", ".min.js")):
        return problem
    message = f'@lib "{name}" is not loaded: a trial runs none of the character\'s own libraries.'
    return replace(problem, message=message)
