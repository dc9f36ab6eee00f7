"""Tools as characters offer them, and short ways to ask a rehearsal."""

from __future__ import annotations

from collections.abc import Sequence

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.model import ChatRequest, Completion, StreamEvent
from studio_qt.providers.rehearsal import MARK, RehearsalProvider

TEXT: JsonObject = {"type": "string"}


def tool(
    name: str,
    description: str = "",
    properties: JsonObject | None = None,
    required: Sequence[str] = (),
) -> JsonObject:
    parameters: JsonObject = {
        "type": "object",
        "properties": properties or {},
        "required": list(required),
    }
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


NOTATION_DICE = tool(
    "roll_dice",
    "Roll dice in standard notation, such as 2d6+1, and return the total.",
    {"notation": {"type": "string", "description": "Dice notation, e.g. 2d6+1"}},
    ["notation"],
)
COUNTED_DICE = tool(
    "roll_dice",
    "Rolls dice.",
    {
        "count": {"type": "integer", "minimum": 1, "maximum": 100},
        "sides": {"type": "integer", "minimum": 2, "maximum": 1000},
    },
    ["count", "sides"],
)
STORE = tool(
    "store_memory",
    "Store a fact to remember later about the user or the story.",
    {"fact": TEXT},
    ["fact"],
)
RECALL = tool(
    "recall_memory", "Recall stored memories that match a query.", {"query": TEXT}, ["query"]
)
FORGET = tool("forget_memory", "Forget a stored memory.", {"key": TEXT}, ["key"])
HISTORY = tool(
    "search_history",
    "Search earlier messages of the conversation for a text.",
    {"query": TEXT},
    ["query"],
)
LOOKUP = tool(
    "keeper_lore",
    "Look up facts in the keeper's lore file: wrecks, lights and tides.",
    {"query": TEXT},
    ["query"],
)
TYPICAL = [NOTATION_DICE, STORE, RECALL, FORGET, HISTORY, LOOKUP]


def user(text: str) -> JsonObject:
    return {"role": "user", "content": text}


def request(
    *messages: str | JsonObject,
    tools: Sequence[JsonObject] = (),
    max_tokens: int | None = None,
    stream: bool = True,
) -> ChatRequest:
    """Build a request; a plain string is a user message."""
    said = [user(one) if isinstance(one, str) else one for one in messages]
    return ChatRequest("rehearsal", said, tools, max_tokens=max_tokens, stream=stream)


def with_results(text: str, *results: str, name: str = "roll_dice") -> list[JsonObject]:
    """Return the messages of a turn whose tools have answered."""
    calls: list[JsonValue] = [
        {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for at in range(len(results))
    ]
    answers: list[JsonObject] = [
        {"role": "tool", "tool_call_id": f"c{at}", "content": result}
        for at, result in enumerate(results)
    ]
    return [user(text), {"role": "assistant", "content": None, "tool_calls": calls}, *answers]


async def events(
    asked: ChatRequest, provider: RehearsalProvider | None = None
) -> list[StreamEvent]:
    return [event async for event in (provider or RehearsalProvider()).stream(asked)]


async def reply(asked: ChatRequest, provider: RehearsalProvider | None = None) -> Completion:
    last = (await events(asked, provider))[-1]
    assert isinstance(last, Completion)
    return last


async def calls(text: str, tools: Sequence[JsonObject]) -> list[tuple[str, JsonObject | None]]:
    made = await reply(request(text, tools=tools))
    return [(call.name, call.arguments) for call in made.tool_calls]


def body_of(text: str) -> str:
    """Return an answer without its mark, which must be there."""
    assert text.endswith(f"\n\n{MARK}")
    return text.removesuffix(f"\n\n{MARK}")
