"""A request taken apart for the prompt inspector: blocks with origin and tokens, and what was cut.

Everything here is a function of a recorded or prepared request; it may take a while for a large
one, and runs in a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from studio_qt.engine.history import MESSAGE_OVERHEAD, Source
from studio_qt.engine.prompt import Block, OriginKind, Part
from studio_qt.engine.requests import Makeup, SentRequest
from studio_qt.jsontext import JsonObject, encode
from studio_qt.providers.lenient import as_list, as_object, as_text
from studio_qt.providers.model import ChatRequest

__all__ = ["BlockPart", "InspectedRequest", "RequestBlock", "take_apart"]

Estimate = Callable[[str], int]
_SLICE = 100_000

WINDOW = (
    "Cut: the window is {window:,} tokens, and {reserve:,} are kept for the answer. The oldest "
    "turns go first, whole."
)
INTRO = "Cut: the intro goes with the oldest turns."
REJECTED = "Never sent: you marked it as not acceptable."
EARLIER = "Never sent: they are other answers to the message that is answered here."


@dataclass(frozen=True, slots=True)
class BlockPart:
    """A piece of a block with its origin; see `Part`. `tokens` is an estimate."""

    kind: OriginKind
    name: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class RequestBlock:
    """One message of a request, its tools, or something that was cut.

    `kind` is "tools", "system", "context", "persona", "preload", "intro", "past" (of an earlier
    turn), "running" (of the turn that is answered) or "agent" (what an agent sends). `key` is the
    same for the same block in two requests. `entries` counts the messages, or the tools, that it
    stands for. `cut` says why it is not sent; "" where it is. `to_turn` ends a range of turns.
    `calls` names the tools that the message calls or answers.
    """

    kind: str
    key: str
    role: str
    text: str
    parts: tuple[BlockPart, ...]
    tokens: int
    is_file: bool = False
    turn: int = 0
    to_turn: int = 0
    entries: int = 1
    calls: tuple[str, ...] = ()
    cut: str = ""


@dataclass(frozen=True, slots=True)
class InspectedRequest:
    """A request, taken apart. `prepared` is `{model, messages, tools}` before adaptation.

    `bodies` are the bytes as they went out, one for each different try, the last one last; for a
    request that was not sent yet, as they would. `window` is 0 where nobody fits the request.
    """

    about: SentRequest
    blocks: tuple[RequestBlock, ...]
    prepared: JsonObject
    bodies: tuple[bytes, ...]
    tokens: int
    window: int
    reserve: int


def take_apart(
    about: SentRequest,
    request: ChatRequest,
    makeup: Makeup,
    bodies: Sequence[bytes],
    estimate: Estimate,
    entries: Mapping[str, str],
) -> InspectedRequest:
    """Return a request as blocks, in the order in which they are sent.

    `entries` holds the texts of entries that were rejected, by id.
    """
    blocks = tuple(_Blocks(about, request, makeup, estimate, entries).all())
    prepared: JsonObject = {
        "model": request.model,
        "messages": [*request.messages],
        "tools": [*request.tools],
    }
    tokens = sum(block.tokens for block in blocks if not block.cut)
    return InspectedRequest(
        about, blocks, prepared, tuple(bodies), tokens, makeup.window, makeup.reserve
    )


@dataclass(frozen=True, slots=True)
class _Blocks:
    about: SentRequest
    request: ChatRequest
    makeup: Makeup
    estimate: Estimate
    entries: Mapping[str, str]

    def count(self, text: str) -> int:
        """Estimate tokens; a large text in slices, so that other threads have their turn."""
        slices = range(0, len(text), _SLICE)
        return sum(self.estimate(text[at : at + _SLICE]) for at in slices)

    def all(self) -> Iterator[RequestBlock]:
        makeup, messages = self.makeup, self.request.messages
        if self.request.tools:
            yield self._tools()
        for block in makeup.blocks:
            yield self._fixed(block, "")
        for block in makeup.left_out:
            yield self._fixed(block, INTRO)
        if makeup.turns_cut:
            yield self._cut()
        start = len(messages) - makeup.running
        yield from self._past(messages[len(makeup.blocks) : start])
        if makeup.earlier:
            yield self._never(makeup.turn, EARLIER, "", makeup.earlier, "earlier")
        for at, message in enumerate(messages[start:]):
            yield self._running(at, message)

    def _tools(self) -> RequestBlock:
        tools = self.request.tools
        parts = []
        for tool in tools:
            text = encode(tool)
            name = as_text(as_object(tool.get("function")).get("name"))
            parts.append(BlockPart("studio", name, text, self.count(text)))
        whole = self.count(encode(tools))
        return RequestBlock("tools", "tools", "tools", "", tuple(parts), whole, entries=len(parts))

    def _fixed(self, block: Block, cut: str) -> RequestBlock:
        parts = tuple(self._parts(block.parts))
        return RequestBlock(
            kind=block.kind,
            key=block.kind,
            role=as_text(block.message["role"]),
            text=block.text,
            parts=parts,
            tokens=sum(part.tokens for part in parts) + MESSAGE_OVERHEAD,
            is_file=bool(block.message.get("isFile")),
            cut=cut,
        )

    def _parts(self, parts: Iterable[Part]) -> Iterator[BlockPart]:
        for part in parts:
            yield BlockPart(part.kind, part.name, part.text, self.count(part.text))

    def _cut(self) -> RequestBlock:
        makeup = self.makeup
        return RequestBlock(
            kind="past",
            key="cut",
            role="both",
            text="",
            parts=(),
            tokens=makeup.tokens_cut,
            turn=1,
            to_turn=makeup.last_cut,
            entries=makeup.messages_cut,
            cut=WINDOW.format(window=makeup.window, reserve=makeup.reserve),
        )

    def _past(self, messages: Sequence[JsonObject]) -> Iterator[RequestBlock]:
        """Yield the past messages, and between them the responses that were rejected."""
        waiting = [
            (turn, [entry for _, entry in sources])
            for turn, sources in groupby(self.makeup.rejected, key=_turn_of)
        ][::-1]
        for message, (turn, entry) in zip(messages, self.makeup.past, strict=True):
            while waiting and waiting[-1][0] < turn:
                yield self._rejected(*waiting.pop())
            yield self._message("past", f"entry {entry}", message, entry, turn)
        while waiting:
            yield self._rejected(*waiting.pop())

    def _rejected(self, turn: int, entries: Sequence[str]) -> RequestBlock:
        text = "\n\n".join(self.entries.get(entry, "") for entry in entries).strip()
        return self._never(turn, REJECTED, text, len(entries), "rejected")

    def _never(self, turn: int, cut: str, text: str, count: int, why: str) -> RequestBlock:
        return RequestBlock(
            kind="past",
            key=f"{why} {turn}",
            role="assistant",
            text=text,
            parts=(),
            tokens=self.count(text),
            turn=turn,
            to_turn=turn,
            entries=count,
            cut=cut,
        )

    def _running(self, at: int, message: JsonObject) -> RequestBlock:
        makeup, about = self.makeup, self.about
        if about.agent_id:
            return self._message("agent", f"message {at}", message, "", makeup.turn)
        asked = makeup.asked if at == 0 else ""
        key = f"entry {asked}" if asked else f"turn {makeup.turn} message {at}"
        return self._message("running", key, message, asked, makeup.turn)

    def _message(
        self, kind: str, key: str, message: JsonObject, entry: str, turn: int
    ) -> RequestBlock:
        text = _content(message)
        calls = [as_object(call) for call in as_list(message.get("tool_calls"))]
        said = encode(calls) if calls else ""
        agent = self.about.agent_id
        part = Part("agent", agent, text) if agent else Part("entry", entry, text)
        return RequestBlock(
            kind=kind,
            key=key,
            role=as_text(message.get("role")),
            text=f"{text}\n\n{_called(calls)}".strip() if calls else text,
            parts=(BlockPart(part.kind, part.name, text, self.count(text)),),
            tokens=self.count(text + said) + MESSAGE_OVERHEAD,
            is_file=bool(message.get("isFile")),
            turn=turn,
            to_turn=turn,
            calls=tuple(_name(call) for call in calls) or self._answered(message),
        )

    def _answered(self, message: JsonObject) -> tuple[str, ...]:
        """Return the name of the tool that a result belongs to."""
        wanted = message.get("tool_call_id")
        if message.get("role") != "tool":
            return ()
        for other in reversed(self.request.messages):
            for call in map(as_object, as_list(other.get("tool_calls"))):
                if call.get("id") == wanted:
                    return (_name(call),)
        return ()


def _content(message: JsonObject) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else encode(content) if content else ""


def _name(call: JsonObject) -> str:
    return as_text(as_object(call.get("function")).get("name"))


def _called(calls: Iterable[JsonObject]) -> str:
    """Return tool calls as lines for people."""
    functions = [as_object(call.get("function")) for call in calls]
    return "\n".join(f"{f.get('name')} {as_text(f.get('arguments'))}" for f in functions)


def _turn_of(source: Source) -> int:
    return source[0]
