"""TypeScript becomes JavaScript: from the cache, or by the compiler in a short-lived worker.

Types are erased, not checked: what is reported are syntax errors (LANG-01).
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from pathlib import PurePosixPath

from studio_qt.errors import ClosedError
from studio_qt.jsontext import JsonObject, decode_object, encode
from studio_qt.sandbox.agent import AgentLoadError
from studio_qt.sandbox.compiler import CompilerMissingError, fingerprint
from studio_qt.sandbox.exchange import Ending
from studio_qt.sandbox.lane import Lane, WorkerLostError
from studio_qt.sandbox.script_cache import ScriptCache
from studio_qt.settings import cache_folder

__all__ = ["ROLE", "CompiledScript", "TypeScriptCompiler", "compile_typescript"]

_log = logging.getLogger(__name__)

ROLE = "typescript"
"""The role of the compiler's worker process."""

_SECONDS = 30.0
_IDLE_SECONDS = 10.0
_SOURCE_CAP = 1 << 20


@dataclass(frozen=True, slots=True)
class CompiledScript:
    """What became of a TypeScript source: an ES module, and its source map as JSON text."""

    js: str
    source_map: str


@dataclass(frozen=True, slots=True)
class _Problem:
    """Why a source could not be compiled; line and column count from 1."""

    reason: str
    line: int | None = None
    column: int | None = None


_Result = tuple[str, str] | _Problem  # script and mappings, whatever the file is called


async def compile_typescript(source: str, file: str) -> CompiledScript:
    """Compile one source, without a sandbox at hand; raises `AgentLoadError` naming `file`."""
    lane = Lane(ROLE, grace=0.0, time_zone=None)
    compiler = TypeScriptCompiler(lane)
    try:
        return await compiler.compile(source, file)
    finally:
        await lane.close()
        await compiler.close()


class TypeScriptCompiler:
    """Compiles on a lane, whose process is started at need and ended when it has been idle.

    What is compiled already comes from the user's cache folder; who asks for a source that is being
    compiled waits for the same result. Close the lane first, then this. `seconds` is what one
    source may take, `idle_seconds` how long the process is kept for the next.
    """

    def __init__(
        self, lane: Lane, *, seconds: float = _SECONDS, idle_seconds: float = _IDLE_SECONDS
    ) -> None:
        self._lane = lane
        self._seconds = seconds
        self._idle_seconds = idle_seconds
        self._cache = ScriptCache(cache_folder() / "typescript")
        self._running: dict[str, asyncio.Task[_Result]] = {}
        self._idle: asyncio.TimerHandle | None = None
        self._resting: asyncio.Task[None] | None = None
        self._closed = False

    async def compile(self, source: str, file: str) -> CompiledScript:
        """Return the script for `source`; raises `AgentLoadError`, and `ClosedError` when closed.

        `file` is what errors and the source map call it.
        """
        if self._closed:
            raise ClosedError("the TypeScript compiler has been closed")
        try:
            marked = await asyncio.to_thread(fingerprint)
        except (CompilerMissingError, OSError) as error:
            raise AgentLoadError(file, None, str(error)) from error
        result = await self._shared(f"{marked}\n{source}", source)
        if isinstance(result, _Problem):
            raise AgentLoadError(file, result.line, result.reason, column=result.column)
        return _named(file, *result)

    async def close(self) -> None:
        """Wait for what is left behind; twice is harmless."""
        self._closed = True
        self._stay()
        left = [*self._running.values(), *([self._resting] if self._resting else [])]
        await asyncio.gather(*left, return_exceptions=True)

    # ---- inside

    async def _shared(self, key: str, source: str) -> _Result:
        task = self._running.get(key)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._make(key, source), name="compile")
            self._running[key] = task
            task.add_done_callback(lambda _: self._running.pop(key))
        return await asyncio.shield(task)  # others may wait for it as well

    async def _make(self, key: str, source: str) -> _Result:
        if found := await asyncio.to_thread(self._cache.get, key):
            return found
        blob = encode(source).encode()
        if len(blob) > _SOURCE_CAP:
            return _Problem("the source is larger than 1 MB")
        result = await self._ask(blob)
        if not isinstance(result, _Problem):
            await asyncio.to_thread(self._cache.put, key, *result)
        return result

    async def _ask(self, blob: bytes) -> _Result:
        started = time.monotonic()
        self._stay()
        try:
            async with self._lane.turn() as turn:
                ending = await turn.exchange(
                    {"op": "compile"}, blob, seconds=self._seconds, at_once=False
                )
        except WorkerLostError as error:
            return _Problem(str(error))
        finally:
            self._rest_later()
        _log.debug("compiled %d bytes in %.3f s", len(blob), time.monotonic() - started)
        if ending.cause == "time":
            return _Problem(f"the TypeScript compiler did not finish within {self._seconds:g} s")
        return _result(ending)

    def _stay(self) -> None:
        if self._idle is not None:
            self._idle.cancel()

    def _rest_later(self) -> None:
        self._stay()
        if not self._closed:
            self._idle = asyncio.get_running_loop().call_later(self._idle_seconds, self._rest)

    def _rest(self) -> None:
        self._resting = asyncio.get_running_loop().create_task(self._lane.rest(), name="rest")


def _result(ending: Ending) -> _Result:
    if ending.cause != "finished":
        reason = ending.header.get("error") or ending.error or "the compiler's process ended"
        return _Problem(str(reason))
    told = decode_object(ending.blob)
    if "reason" in told:
        return _Problem(str(told["reason"]), _integer(told, "line"), _integer(told, "column"))
    return str(told["js"]), str(told["mappings"])


def _integer(told: JsonObject, key: str) -> int | None:
    value = told.get(key)
    return value if isinstance(value, int) else None


def _named(file: str, js: str, mappings: str) -> CompiledScript:
    name = PurePosixPath(file)
    source_map: JsonObject = {
        "version": 3,
        "file": name.with_suffix(".js").name,
        "sources": [name.name],
        "names": [],
        "mappings": mappings,
    }
    return CompiledScript(js, encode(source_map))
