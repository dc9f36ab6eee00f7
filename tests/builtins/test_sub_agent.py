"""The agent behind every sub-agent: its prompt, its macros, its view of the conversation."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from studio_qt.errors import AgentError
from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.package.subagents import DEFAULT_PARAMS
from studio_qt.sandbox import BridgeCall, SandboxHost

from .stage import Stage, turns

APIS = ["studio.model", "studio.history", "studio.context", "studio.grants"]
NOTE = "(The beginning of the conversation is left out: it is longer than what fits here.)"


@dataclass
class Scene(Stage):
    """A stage whose model gives `reply`, or raises it; `calls` are what the model was sent."""

    reply: str | AgentError = "An answer."
    stores: dict[str, JsonValue] = field(default_factory=dict)
    calls: list[Any] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)

    async def _answer(self, call: BridgeCall) -> JsonValue:
        if call.method == "callModel":
            self.calls.append(call.arguments)
            if isinstance(self.reply, AgentError):
                raise self.reply
            return self.reply
        if call.method == "grants.readStore":
            ref = str(call.arguments[0])
            self.reads.append(ref)
            if ref not in self.stores:
                raise AgentError(f"nothing is granted as {ref}")
            return self.stores[ref]
        return await super()._answer(call)

    @property
    def system(self) -> str:
        """The system prompt of the last call."""
        return str(self.calls[-1][0])

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Roles and contents of the last call."""
        return [(message["role"], message["content"]) for message in self.calls[-1][1]]

    async def ask(self, request: str = "Who?") -> str:
        """The result of a call with one request."""
        return await self.tool("marcus", {"request": request})


Play = Callable[..., Awaitable[Scene]]


@pytest.fixture
def play(host: SandboxHost) -> Play:
    """Opens a sub-agent with this body; `meta` holds what differs from the defaults."""

    async def open_scene(body: str = "You know names.", **given: Any) -> Scene:
        meta: JsonObject = {
            "id": "eve.marcus",
            "description": "Knows names.",
            "params": DEFAULT_PARAMS,
            "history": "none",
            "contextFiles": [],
            "model": "worker",
            "maxTokens": 1024,
            "maxRounds": 5,
            "temperature": None,
            "topP": None,
            "debug": False,
            "historyTokens": 10_000,
            **given.pop("meta", {}),
        }
        config: JsonObject = {"meta": meta, "promptBody": body}
        path = "agents/studio.sub-agent.js"
        scene = await Scene.open(host, path, APIS, [], config=config, **given)
        assert isinstance(scene, Scene)
        return scene

    return open_scene


@pytest.mark.clause("SUB-05", "SUB-13")
async def test_the_body_is_the_system_message_and_the_request_the_users(play: Play) -> None:
    scene = await play("\nYou know names.\n\n")
    assert await scene.ask("Who is free?") == "An answer."
    assert scene.calls == [
        (
            "You know names.",
            [{"role": "user", "content": "Who is free?"}],
            1024,
            {"model": "worker"},
        )
    ]
    assert scene.store == {}


@pytest.mark.clause("SUB-02")
async def test_model_cap_and_sampling_are_those_of_the_frontmatter(play: Play) -> None:
    scene = await play(meta={"model": "main", "maxTokens": 9, "temperature": 0, "topP": 0.5})
    await scene.ask()
    assert scene.calls[0][2:] == (9, {"model": "main", "temperature": 0, "topP": 0.5})


@pytest.mark.clause("SUB-05")
async def test_context_files_stand_whole_and_in_order_above_the_body(play: Play) -> None:
    files = {"a.txt": "A: %%HISTORY%%\n", ".b.json": '{"b": 1}'}
    scene = await play(files=files, meta={"contextFiles": [".b.json", "a.txt"]})
    await scene.ask()
    assert scene.system == '{"b": 1}\n\nA: %%HISTORY%%\n\n\nYou know names.'


@pytest.mark.clause("SUB-05")
async def test_context_files_stand_where_the_macro_is(play: Play) -> None:
    files = {"a.txt": "AAA", "b.txt": "BBB"}
    scene = await play(
        "Facts:\n%%CONTEXT%%\nUse them.",
        files=files,
        meta={"contextFiles": ["a.txt", "none.txt", "b.txt"]},
    )
    await scene.ask()
    assert scene.system == ("Facts:\nAAA\n\n(There is no context file none.txt.)\n\nBBB\nUse them.")


@pytest.mark.clause("SUB-05")
async def test_macros_expand_in_one_pass_and_inserted_text_never(play: Play) -> None:
    scene = await play(
        "%%CHARACTER_INSTRUCTIONS%%|%%CONTEXT%%|%%STORE:memory%%|%%STORE:memory%%|%%OTHER%%",
        files={"a.txt": "%%CHARACTER_INSTRUCTIONS%% $& $1 $$"},
        stores={"memory": {"note": "%%CONTEXT%%"}},
        meta={"contextFiles": ["a.txt"], "characterInstructions": "Be %%STORE:memory%%."},
    )
    await scene.ask("%%CONTEXT%%")
    store = '{"note":"%%CONTEXT%%"}'
    assert scene.system == (
        f"Be %%STORE:memory%%.|%%CHARACTER_INSTRUCTIONS%% $& $1 $$|{store}|{store}|%%OTHER%%"
    )
    assert scene.messages == [("user", "%%CONTEXT%%")]
    assert scene.reads == ["memory"]


@pytest.mark.clause("SUB-05")
async def test_a_store_that_is_not_granted_is_named(play: Play) -> None:
    scene = await play("%%STORE:none%% %%STORE: swords %% %%STORE:%%", stores={"swords": {}})
    await scene.ask()
    assert scene.system == "(no such grant: none) {} (no such grant: )"


@pytest.mark.clause("SUB-05")
async def test_without_a_macro_for_it_the_character_is_not_told(play: Play) -> None:
    scene = await play("%%CHARACTER_INSTRUCTIONS%%B", meta={"characterInstructions": None})
    await scene.ask()
    assert scene.system == "B"


@pytest.mark.clause("SUB-06")
async def test_a_consultant_sees_nothing_of_the_conversation(play: Play) -> None:
    scene = await play("A%%HISTORY%%B", history=turns("one", "two"))
    await scene.ask()
    assert (scene.system, scene.messages) == ("AB", [("user", "Who?")])


@pytest.mark.clause("SUB-05", "SUB-06")
async def test_an_observer_gets_the_last_messages_with_the_one_being_answered(play: Play) -> None:
    history = turns("one", "two", "three", "", "", "six", "seven", "Let me ask Marcus.")
    scene = await play(history=history, meta={"history": "recent:3"})
    await scene.ask()
    assert scene.messages == [
        ("user", "three"),
        ("assistant", "six"),
        ("user", "seven"),
        ("user", "Who?"),
    ]


@pytest.mark.clause("SUB-06")
async def test_only_turns_of_user_and_character_are_passed_on(play: Play) -> None:
    odd: list[Any] = [
        {"role": "tool", "content": "secret", "index": 0},
        {"role": "user", "content": "one", "index": 1, "tool_calls": [1], "isFile": True},
        {"role": "log", "content": "secret", "index": 2},
        {"role": "assistant", "content": {"no": "text"}, "index": 3},
    ]
    scene = await play(history=[{**turn, "content": turn["content"]} for turn in odd])
    scene.config["meta"]["history"] = "full"  # type: ignore[index, call-overload]
    await scene.ask()
    assert scene.calls[0][1] == [
        {"role": "user", "content": "one"},
        {"role": "user", "content": "Who?"},
    ]


@pytest.mark.clause("SUB-06")
async def test_an_auditor_gets_everything_however_long_the_way_back_is(play: Play) -> None:
    history = turns(*(f"message {number}" for number in range(999)))
    scene = await play(history=history, meta={"history": "full", "historyTokens": 100_000})
    await scene.ask()
    assert [content for _, content in scene.messages[:-1]] == [t["content"] for t in history]


@pytest.mark.clause("SUB-06")
async def test_a_history_that_does_not_fit_is_cut_oldest_first_and_says_so(play: Play) -> None:
    history = turns(*(f"{number}: {'x' * 397}" for number in range(9)))
    scene = await play(history=history, meta={"history": "full", "historyTokens": 320})
    await scene.ask()
    assert [content[:2] for _, content in scene.messages] == ["(T", "6:", "7:", "8:", "Wh"]
    assert scene.messages[0] == ("user", NOTE)


@pytest.mark.clause("SUB-05", "SUB-06")
async def test_history_stands_where_the_macro_is_with_its_speakers(play: Play) -> None:
    history = turns("one", "two %%CONTEXT%%", "three")
    scene = await play("So far:\n%%HISTORY%%\nJudge.", history=history, meta={"history": "full"})
    await scene.ask()
    assert scene.system == "So far:\nUser: one\n\nTest: two %%CONTEXT%%\n\nUser: three\nJudge."
    assert scene.messages == [("user", "Who?")]
    scene.config["meta"]["historyTokens"] = 6  # type: ignore[index, call-overload]
    await scene.ask()
    assert scene.system == f"So far:\n{NOTE}\n\nUser: three\nJudge."


@pytest.mark.clause("SUB-06")
async def test_an_empty_history_is_said_to_be_empty(play: Play) -> None:
    scene = await play("%%HISTORY%%", meta={"history": "recent:5"})
    await scene.ask()
    assert (scene.system, scene.messages) == ("(Nothing has been said yet.)", [("user", "Who?")])


async def test_a_long_history_stays_below_what_a_player_passes_on(play: Play) -> None:
    history = turns(*('"' * 20_000 for _ in range(40)))
    scene = await play(history=history, meta={"history": "full", "historyTokens": 10**9})
    await scene.ask()
    assert scene.messages[0] == ("user", NOTE)
    assert 300_000 < len(json.dumps(scene.calls[0])) < 500_000


@pytest.mark.parametrize(
    ("params", "args", "expected"),
    [
        ({"q": {"type": "string"}}, {"q": "Who?"}, "Who?"),
        ({"q": {"type": "number"}}, {"q": 5}, '{"q":5}'),
        ({"q": {}, "n": {}}, {"q": "a", "n": 2}, '{"q":"a","n":2}'),
        ({"q": {}, "n": {}}, {"q": "a"}, '{"q":"a"}'),
        ({"q": {}}, {"q": "a", "more": 1}, '{"q":"a","more":1}'),
        ({}, {}, "{}"),
        ({"q": {}}, None, "{}"),
    ],
)
@pytest.mark.clause("SUB-05")
async def test_one_text_is_the_message_and_several_arguments_are_json(
    play: Play, params: Any, args: Any, expected: str
) -> None:
    scene = await play(meta={"params": {"type": "object", "properties": params}})
    await scene.tool("marcus", args)
    assert scene.messages == [("user", expected)]


@pytest.mark.clause("SUB-07", "CAP-03")
@pytest.mark.parametrize("where", ["response", "conversation"])
async def test_a_spent_cap_is_a_result_and_no_error(play: Play, where: str) -> None:
    scene = await play(reply=AgentError(f"budget exhausted for this {where}"))
    assert await scene.ask() == f"could not answer: budget exhausted for this {where}"


@pytest.mark.clause("EXP-02")
async def test_a_failing_model_is_an_error_with_its_reason(play: Play) -> None:
    scene = await play(reply=AgentError("the key was refused"))
    with pytest.raises(AssertionError, match="could not answer: the key was refused"):
        await scene.ask()


@pytest.mark.clause("SUB-07")
@pytest.mark.parametrize("reply", ["", "  \n"])
async def test_an_empty_reply_becomes_a_note(play: Play, reply: str) -> None:
    scene = await play(reply=reply)
    assert await scene.ask() == "(The sub-agent gave no answer.)"


@pytest.mark.clause("SUB-09")
async def test_the_command_asks_the_same_way_and_prints_the_answer(play: Play) -> None:
    history = turns("one", "two")
    scene = await play("B", history=history, meta={"history": "recent:1"})
    assert await scene.command("subAgentCommand", "  %%CONTEXT%% who?  ") is None
    assert scene.logs == ["An answer."]
    assert scene.messages == [("assistant", "two"), ("user", "%%CONTEXT%% who?")]


@pytest.mark.clause("SUB-09")
@pytest.mark.parametrize("text", ["", "   "])
async def test_an_empty_command_is_an_error_and_asks_nobody(play: Play, text: str) -> None:
    scene = await play()
    assert (
        await scene.command("subAgentCommand", text) == "Write what you want to ask after the name."
    )
    assert scene.calls == scene.logs == []


@pytest.mark.parametrize("config", [{}, {"meta": {}}, {"promptBody": "x"}, {"meta": None}])
async def test_without_a_prompt_it_says_what_is_missing(play: Play, config: JsonObject) -> None:
    scene = await play()
    scene.config = config
    with pytest.raises(AssertionError, match="was given no prompt"):
        await scene.ask()


async def test_a_meta_with_nothing_in_it_is_enough(play: Play) -> None:
    scene = await play()
    scene.config = {"meta": {}, "promptBody": "B"}
    assert await scene.ask() == "An answer."
    assert scene.calls[0] == ("B", [{"role": "user", "content": "Who?"}], 1024, {"model": "worker"})
