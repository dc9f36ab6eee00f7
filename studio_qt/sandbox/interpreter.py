"""Gets the interpreter of Python agents ready: compiles it where that has not been done yet."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

from studio_qt.errors import ClosedError
from studio_qt.jsontext import JsonObject
from studio_qt.sandbox import carrier
from studio_qt.sandbox.lane import Lane, WorkerLostError

__all__ = ["PREPARING", "READY", "Interpreter"]

PREPARING = "Preparing Python agents: this happens once and takes about 10 seconds."
READY = "Python agents are ready."
UNAVAILABLE = "Python agents are not available here: {}."
_COMPILE_SECONDS = 900.0
_GRACE_SECONDS = 1.0

Tell = Callable[[str], None]


class Interpreter:
    """The compiled interpreter of this user; compiling happens in a process of its own.

    `tell` gets a sentence when compiling begins and another when it is done; nothing when the
    interpreter is there already.
    """

    def __init__(self, tell: Tell | None = None) -> None:
        self._listeners: list[Tell] = [tell] if tell is not None else []
        self._task: asyncio.Task[None] | None = None
        self._told = False  # that it is being compiled
        self._lane: Lane | None = None
        self._closed = False

    async def arguments(self, fresh: bool) -> tuple[str, ...]:  # noqa: FBT001 - called by a lane
        """Return what a Python worker is started with; `fresh` compiles again.

        Raises WorkerLostError with a sentence when there can be no interpreter.
        """
        compiled = await self.prepare(fresh=fresh)
        return str(compiled), str(carrier.program_path(compiled))

    async def prepare(self, progress: Tell | None = None, *, fresh: bool = False) -> Path:
        """Return the compiled interpreter, waiting for it; raises WorkerLostError, ClosedError."""
        target = carrier.compiled_path()
        running = self._task is not None and not self._task.done()
        if not running and not fresh and carrier.is_usable(target):
            return target
        if self._task is None or not running:
            loop = asyncio.get_running_loop()
            self._told = False
            task = self._compile(target, fresh=fresh)
            self._task = loop.create_task(task, name="prepare Python agents")
        elif progress is not None and self._told:
            progress(PREPARING)
        if progress is not None:
            self._listeners.append(progress)
        try:
            await asyncio.shield(self._task)
        finally:
            if progress is not None:
                self._listeners.remove(progress)
        return target

    async def close(self) -> None:
        """Give up compiling; twice is harmless."""
        self._closed = True
        if self._lane is not None:
            await self._lane.close()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _compile(self, target: Path, *, fresh: bool) -> None:
        source = carrier.find_interpreter()
        if reason := carrier.missing():
            raise WorkerLostError(UNAVAILABLE.format(reason))
        anew = fresh or not carrier.is_intact(target)  # else only the program it runs has changed
        if anew:
            self._told = True
            self._tell(PREPARING)
        try:
            await asyncio.to_thread(_make_room, target, clear=anew)
        except OSError as error:
            raise WorkerLostError(UNAVAILABLE.format(f"{target.parent}: {error}")) from error
        lane = self._lane = Lane("compile", grace=_GRACE_SECONDS, time_zone=None)
        header: JsonObject = {
            "op": "compile",
            "source": str(source),
            "digest": carrier.SHA256,
            "target": str(target),
        }
        try:
            async with lane.turn() as turn:
                ending = await turn.exchange(header, b"", seconds=_COMPILE_SECONDS, at_once=False)
        finally:
            await lane.close()
        if self._closed:
            raise ClosedError("the sandbox has been closed")
        if ending.cause != "finished":
            reason = str(ending.header.get("error") or ending.error or "it took too long")
            raise WorkerLostError(UNAVAILABLE.format(f"preparing them failed: {reason}"))
        if anew:
            self._tell(READY)

    def _tell(self, sentence: str) -> None:
        for listener in tuple(self._listeners):
            listener(sentence)


def _make_room(target: Path, *, clear: bool) -> None:
    """Make the folder ours alone, and take away what is there where that is to be made anew."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.parent.chmod(0o700)
    if not clear:
        return
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)
