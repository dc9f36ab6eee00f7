"""`RecentCalls`: the last fifty calls of a project, kept in its memory."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from studio_qt.errors import StorageError
from studio_qt.files.atomic import write_atomic
from studio_qt.jsontext import encode_pretty
from studio_qt.ui.keeping import project_memory
from studio_qt.ui.keptfile import read_kept
from studio_qt.ui.tester.calls import Call, Report

__all__ = ["MOST", "Made", "RecentCalls"]

MOST = 50
_FILE = "tester.json"
_LONGEST = 2_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made, and how it ended in short."""

    call: Call
    ending: str
    result: str
    seconds: float
    when: float


class RecentCalls:
    """The newest first; written after each call, never into the project itself."""

    def __init__(self) -> None:
        self._calls: deque[Made] = deque(maxlen=MOST)
        self._place: Path | None = None
        self._writing = asyncio.Lock()

    @property
    def calls(self) -> tuple[Made, ...]:
        """What was called, the newest first."""
        return tuple(self._calls)

    async def load(self, project: Path | None) -> None:
        """Take up a project's calls; what cannot be read of them is left out."""
        self._calls.clear()
        self._place = project_memory(project) / _FILE if project is not None else None
        if self._place is None:
            return
        place = self._place
        try:
            kept = await asyncio.to_thread(read_kept, place)
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            _log.warning("%s is not readable: %s", place, error)
            return
        if place == self._place:
            self._calls.extend(_read(kept))

    async def add(self, report: Report) -> None:
        """Keep a call, on the disk before this returns where that is possible."""
        result = report.result[:_LONGEST]
        made = Made(report.call, report.ending, result, report.seconds, report.when)
        self._calls.appendleft(made)
        place = self._place
        if place is None:
            return
        text = encode_pretty([asdict(one) for one in self._calls])
        async with self._writing:
            try:
                await asyncio.to_thread(_write, place, text)
            except (OSError, StorageError) as error:
                _log.warning("The calls could not be kept: %s", error)


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(place, text)


def _read(kept: object) -> Iterable[Made]:
    for one in kept if isinstance(kept, list) else []:
        if isinstance(one, dict) and (made := _made(one)) is not None:
            yield made


def _made(one: dict[str, object]) -> Made | None:
    call, seconds, when = one.get("call"), one.get("seconds"), one.get("when")
    if not isinstance(call, dict) or not isinstance(call.get("args"), dict):
        return None
    args, kind = call["args"], "command" if call.get("kind") == "command" else "tool"
    name, agent = call.get("name"), call.get("agent_id")
    if not isinstance(name, str) or not isinstance(agent, str) or not isinstance(args, dict):
        return None
    return Made(
        Call(kind, name, agent, args, str(call.get("line") or "")),  # type: ignore[arg-type]
        str(one.get("ending")),
        str(one.get("result")),
        float(seconds) if isinstance(seconds, int | float) else 0.0,
        float(when) if isinstance(when, int | float) else 0.0,
    )
