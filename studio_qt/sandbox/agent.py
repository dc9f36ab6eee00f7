"""An agent in a worker: its code, the context that stands for it, and calls into it."""

from __future__ import annotations

from collections.abc import Sequence

from studio_qt.errors import AgentError, ClosedError
from studio_qt.jsontext import JsonObject, JsonValue, encode_bytes
from studio_qt.sandbox.exchange import Ending
from studio_qt.sandbox.frames import HEADER_CAP, STORE_CAP, FrameError
from studio_qt.sandbox.lane import Lane, Turn, WorkerLostError
from studio_qt.sandbox.names import engine_name, handler_name
from studio_qt.sandbox.outcome import AgentCode, BridgeHandler, Cause, Limits, Outcome

__all__ = ["AgentLoadError", "SandboxedAgent"]

_CAUSES = {
    "finished": Cause.FINISHED,
    "failed": Cause.FAILED,
    "time": Cause.OUT_OF_TIME,
    "memory": Cause.OUT_OF_MEMORY,
    "stopped": Cause.STOPPED,
}
_REBUILT = "The agent was started anew: its module-level variables start anew."


class AgentLoadError(AgentError):
    """An agent that could not be loaded; line and column count from 1, None where not known."""

    def __init__(
        self, file: str, line: int | None, reason: str, *, column: int | None = None
    ) -> None:
        place = file if line is None else f"{file}, line {line}"
        place += "" if column is None else f", column {column}"
        super().__init__(f"{place}: {reason}")
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason


class SandboxedAgent:
    """An agent with a context of its own in a worker; made by `SandboxHost.load`.

    The context lives and dies with the worker process, and is built anew, on the next call, after
    it was lost. Stores are not kept here: each call gets one as text.
    """

    def __init__(self, lane: Lane, key: int, code: AgentCode) -> None:
        self._lane = lane
        self._key = key
        self._code = code
        self._process: object | None = None  # where the context is; None when it is nowhere
        self._lost = False  # a context was lost and the agent log has not been told yet
        self._unloaded = False
        self._news: tuple[str, ...] = ()  # log lines that the next outcome brings
        self._held_in: str | None = None
        self._held_out: str | None = None
        self._exports: frozenset[str] = frozenset()
        self._notices: tuple[str, ...] = ()

    @property
    def exports(self) -> frozenset[str]:
        """The names of the exported functions (EXP-05)."""
        return self._exports

    @property
    def notices(self) -> tuple[str, ...]:
        """What went wrong while loading without being fatal: a library that failed."""
        return self._notices

    async def build(self, limits: Limits) -> None:
        """Build the context; for `SandboxHost.load`. Raises `AgentLoadError`."""
        try:
            async with self._lane.turn() as turn:
                await self._build(turn, limits)
        except WorkerLostError as error:
            raise AgentLoadError(self._code.file, None, str(error)) from error

    async def call(
        self,
        handler: str,
        arguments: Sequence[JsonValue],
        store: str,
        bridge: BridgeHandler,
        limits: Limits,
        *,
        context: JsonObject,
    ) -> Outcome:
        """Call `handler(*arguments, store, studio, context)` and return how it ended.

        `store` is JSON text of an object. `bridge` answers the guest's calls while this one runs;
        `toast` and `log` reach it in order, before the outcome returns. The time limit counts from
        the moment the call starts running. Cancelling stops the call and drops its outcome. Raises
        `ClosedError` after `unload` or the host's `close`.
        """
        self._check_loaded()
        handler = handler_name(self._code.language, handler)
        given: JsonObject = {"handler": handler, "arguments": list(arguments), "context": context}
        head = encode_bytes(given)
        if len(head) > HEADER_CAP:
            return Outcome(Cause.FAILED, error="The arguments are larger than 1 MB.")
        try:
            async with self._lane.turn() as turn:
                self._check_loaded()
                if self._process is not turn.process and (
                    refusal := await self._prepare(turn, limits)
                ):
                    return refusal
                return await self._exchange(turn, head, store, bridge, limits)
        except WorkerLostError as error:
            return Outcome(Cause.LOST, error=f"The call was lost: {error}.")

    async def unload(self) -> None:
        """Drop the context; twice is harmless."""
        if not self._unloaded:
            self._unloaded = True
            self._lane.forget(self._process, self._key)

    def _check_loaded(self) -> None:
        if self._unloaded:
            raise ClosedError(f"the agent {self._code.agent_id} has been unloaded")

    # ---- building

    async def _prepare(self, turn: Turn, limits: Limits) -> Outcome | None:
        """Build the context, which is missing; return the outcome if that fails."""
        self._lost = self._lost or self._process is not None
        try:
            await self._build(turn, limits)
        except AgentLoadError as error:
            return Outcome(Cause.FAILED, error=f"The agent could not be started anew: {error}")
        if self._lost:
            self._news = (_REBUILT, *self._news)
            self._lost = False
        return None

    async def _build(self, turn: Turn, limits: Limits) -> None:
        self._process = None
        self._held_in = self._held_out = None
        code = self._code
        if code.language not in ("javascript", "python", "lua"):
            reason = f"agents in {code.language} cannot run in this version"
            raise AgentLoadError(code.file, None, reason)
        recipe: JsonObject = {
            "language": code.language,
            "file": code.file,
            "source": code.source,
            "map": code.source_map,
            "libraries": [[name, source] for name, source in code.libraries],
            "namespaces": list(code.namespaces),
        }
        header: JsonObject = {
            "op": "load",
            "agent": self._key,
            "seconds": limits.call_seconds,
            "memory": limits.memory_mb,
        }
        try:
            blob = encode_bytes(recipe)
            ending = await turn.exchange(header, blob, seconds=limits.call_seconds, at_once=False)
        except FrameError as error:
            raise AgentLoadError(
                code.file, None, "the agent and its libraries are too large"
            ) from error
        self._news += _lines(ending.header.get("logs"))
        if ending.cause != "finished":
            raise self._load_error(ending)
        self._process = turn.process
        names = [engine_name(code.language, n) for n in _lines(ending.header.get("exports"))]
        self._exports = frozenset(name for name in names if name is not None)
        self._notices = _lines(ending.header.get("notices"))

    def _load_error(self, ending: Ending) -> AgentLoadError:
        place = ending.header.get("place")
        file, line = self._code.file, None
        if isinstance(place, list) and isinstance(place[1], int):
            file, line = str(place[0]), place[1]
        reason = ending.header.get("error")
        if ending.cause != "failed" or not isinstance(reason, str):
            cause = _CAUSES.get(ending.cause, Cause.LOST)
            reason = f"loading it {cause.value}"
        return AgentLoadError(file, line, reason)

    # ---- calling

    async def _exchange(
        self, turn: Turn, head: bytes, store: str, bridge: BridgeHandler, limits: Limits
    ) -> Outcome:
        keep, blob = self._choose_store(store)
        if len(blob) > STORE_CAP:
            return Outcome(Cause.FAILED, error="The store is larger than 16 MB.")
        header: JsonObject = {
            "op": "call",
            "agent": self._key,
            "seconds": limits.call_seconds,
            "memory": limits.memory_mb,
            "split": len(head),
            "keep": keep,
        }
        self._held_in, self._held_out = None, None
        ending = await turn.exchange(
            header,
            head + blob,
            seconds=limits.call_seconds,
            bridge=bridge,
            namespaces=self._code.namespaces,
            on_end=self._note_ending,
        )
        return self._outcome(ending, store, limits)

    def _choose_store(self, store: str) -> tuple[int, bytes]:
        """Return which text the guest shall take (1 its last input, 2 its last output, 0 this)."""
        if self._held_out is not None and store == self._held_out:
            return 2, b""
        if self._held_in is not None and store == self._held_in:
            return 1, b""
        return 0, store.encode("utf-8", "replace")

    def _note_ending(self, ending: Ending) -> None:
        if ending.dropped:
            self._process = None
            self._lost = True

    def _outcome(self, ending: Ending, store: str, limits: Limits) -> Outcome:
        cause = _CAUSES.get(ending.cause, Cause.LOST)
        logs = self._news + _lines(ending.header.get("logs"))
        self._news = ()
        if self._process is not None:
            self._held_in = store
        if cause is not Cause.FINISHED:
            return Outcome(cause, error=_sentence(ending, cause, limits), logs=logs)
        new = ending.blob.decode() if ending.header.get("store") is True else None
        self._held_out = new
        return Outcome(cause, ending.header.get("value"), new, logs=logs)


def _sentence(ending: Ending, cause: Cause, limits: Limits) -> str:
    if cause is Cause.OUT_OF_TIME:
        return f"The call ran past its time limit of {limits.call_seconds:g} s and was stopped."
    if cause is Cause.OUT_OF_MEMORY:
        return f"The call used more than {limits.memory_mb} MB of memory and was stopped."
    if cause is Cause.LOST:
        return f"The call was lost: {ending.error or 'the worker ended'}."
    reason, place = ending.header.get("error"), ending.header.get("place")
    said = reason if isinstance(reason, str) else cause.value
    return f"{said} ({place[0]}:{place[1]})" if isinstance(place, list) else said


def _lines(value: JsonValue) -> tuple[str, ...]:
    return tuple(str(line) for line in value) if isinstance(value, list) else ()
