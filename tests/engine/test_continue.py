"""A reply that was stopped or cut goes on in the same entry."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from studio_qt import CharacterPlayer, ModelError, StudioError
from studio_qt.engine.seam import Seam
from studio_qt.engine.storage import DataFolder
from studio_qt.providers.model import GO_ON
from tests.engine.conftest import MakePlayer
from tests.support.model_server import (
    ModelServer,
    Reply,
    blocked,
    drop_after,
    failure,
    text,
    tool_call,
)
from tests.support.packages import agent

COUNTER = agent(
    "t.count",
    """
export function onToolCall(name, args, store) {
  store.n = (store.n ?? 0) + args.by;
  return `${name} makes ${store.n}`;
}
export function onAfterResponse(event, store) { (store.heard ??= []).push(event); }
""",
    tools={"add": {"by": {"type": "integer"}}},
    tags="@hook afterResponse",
)
FILES = {"agents/t.count.js": COUNTER}


async def stopped(player: CharacterPlayer, model: ModelServer, *before: Reply, said: str) -> None:
    """Send, and stop when the words have come."""
    gate, words = threading.Event(), said.replace(" ", " \0").split("\0")
    late = text("", pieces=[*words, " never", " said"])
    model.script(*before, blocked(gate, late, after=len(words) + 1))
    heard: list[str] = []

    def on_token(piece: object) -> None:
        heard.append(str(piece))
        if "".join(heard).endswith(said):
            player.stop()

    off = player.on("token", on_token)
    await player.send("Go")
    off()
    gate.set()


def spoken(player: CharacterPlayer) -> list[dict[str, Any]]:
    return [one for one in player.get_conversation() if one["role"] != "log"]


@pytest.mark.clause("LOOP-07")
async def test_a_stopped_reply_goes_on_in_its_entry(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    await stopped(player, model, said="The fog comes")
    before = spoken(player)[-1]
    assert before["stopped"] is True
    model.script(text(" down at ten."))
    reply = await player.continue_reply()
    assert reply == {"role": "assistant", "content": "The fog comes down at ten."}
    (_, after) = spoken(player)
    del before["stopped"]
    assert after == {**before, "content": "The fog comes down at ten."}


async def test_the_model_is_asked_with_what_it_said_and_a_request_to_go_on(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    await stopped(player, model, said="The fog comes")
    model.script(text(" down."))
    await player.continue_reply()
    assert model.requests[-1].body["messages"][-3:] == [
        {"role": "user", "content": "Go"},
        {"role": "assistant", "content": "The fog comes"},
        {"role": "user", "content": GO_ON},
    ]
    model.script(text("Yes."))
    await player.send("And then?")
    contents = [one["content"] for one in model.requests[-1].body["messages"]]
    assert GO_ON not in contents
    assert contents[-3:] == ["Go", "The fog comes down.", "And then?"]


async def test_a_reply_that_was_cut_at_the_length_limit_goes_on_as_often_as_needed(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    model.script(text("One, two,", finish="length"))
    await player.send("Count")
    assert spoken(player)[-1]["cut"] is True
    model.script(text(" three,", finish="length"))
    await player.continue_reply()
    assert (spoken(player)[-1]["content"], spoken(player)[-1]["cut"]) == ("One, two, three,", True)
    model.script(text(" four."))
    await player.continue_reply()
    assert spoken(player)[-1]["content"] == "One, two, three, four."
    assert "cut" not in spoken(player)[-1]
    assert len(spoken(player)) == 2


async def test_calls_before_the_break_are_sent_with_their_results(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    call = tool_call("add", {"by": 2}, call_id="abc", content="Hm.")
    await stopped(player, model, call, said="It is")
    model.script(text(" two."))
    await player.continue_reply()
    sent = model.requests[-1].body["messages"][-5:]
    assert [one["role"] for one in sent] == ["user", "assistant", "tool", "assistant", "user"]
    assert sent[1]["tool_calls"][0]["id"] == sent[2]["tool_call_id"] == "abc"
    assert "toolCallId" not in sent[1]["tool_calls"][0]
    assert [one["role"] for one in spoken(player)] == ["user", "assistant", "tool", "assistant"]
    assert spoken(player)[-1]["content"] == "It is two."
    assert player.store("t.count")["n"] == 2


@pytest.mark.clause("LOOP-02")
async def test_a_reply_that_goes_on_can_call_tools(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    await stopped(player, model, said="Let me")
    model.script(tool_call("add", {"by": 3}, content=" count."), text("Three."))
    assert (await player.continue_reply())["content"] == "Three."
    user, reply, tool, end = spoken(player)
    assert (reply["content"], len(reply["tool_calls"])) == ("Let me count.", 1)
    assert "stopped" not in reply
    assert (tool["content"], end["content"]) == ("add makes 3", "Three.")
    assert {one["response"] for one in (reply, tool, end)} == {1}
    sent = model.requests[-1].body["messages"][-3:]
    assert [one["role"] for one in sent] == ["user", "assistant", "tool"]
    assert sent[1]["content"] == "Let me count."
    assert user["turn"] == end["turn"]


@pytest.mark.clause("HOOK-03")
async def test_hooks_are_told_of_the_break_and_of_the_whole_reply(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    await stopped(player, model, tool_call("add", {"by": 2}), said="It is")
    model.script(text(" two."))
    await player.continue_reply()
    first, second = player.store("t.count")["heard"]  # type: ignore[misc, union-attr]
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert (first["responseText"], first["stopped"]) == ("It is", True)
    assert (second["responseText"], second["stopped"]) == ("It is two.", False)
    assert (second["toolCalls"], second["userText"]) == ([], "Go")


async def test_only_a_long_exact_repetition_at_the_seam_is_dropped(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    await stopped(player, model, said="He walked down to the quiet harbour")
    tokens: list[str] = []
    player.on("token", lambda piece: tokens.append(str(piece)))
    model.script(text("down to the quiet harbour and waited."))
    await player.continue_reply()
    assert spoken(player)[-1]["content"] == "He walked down to the quiet harbour and waited."
    assert "".join(tokens) == " and waited."


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    ("before", "after", "fresh"),
    [
        ("the quiet harbour", " the quiet harbour was", " the quiet harbour was"),
        ("He said no, no", "no, no, no", "no, no, no"),
        ("x" * 30, "x" * 50, "x" * 20),
        ("the quiet old harbour.", "the quiet old harbour? Yes", "the quiet old harbour? Yes"),
        ("", "the whole of it", "the whole of it"),
        ("a" * 19, "a" * 19, "a" * 19),
        ("a" * 20, "a" * 20, ""),
        ("So the quiet old harbour lay", "the quiet old harbour", "the quiet old harbour"),
    ],
)
def test_the_seam_is_the_same_however_the_pieces_come(
    before: str, after: str, fresh: str, size: int
) -> None:
    seam = Seam(before)
    pieces = [seam.feed(after[at : at + size]) for at in range(0, len(after), size)]
    assert "".join([*pieces, seam.end()]) == fresh


async def test_a_reply_that_breaks_off_again_keeps_more_and_can_go_on(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    await stopped(player, model, said="One two")
    model.script(drop_after(3, text("", pieces=[" three", " four", " five"])))
    with pytest.raises(ModelError):
        await player.continue_reply()
    assert spoken(player)[-1]["content"] == "One two three four"
    assert spoken(player)[-1]["stopped"] is True
    model.script(text(" five."))
    await player.continue_reply()
    assert spoken(player)[-1]["content"] == "One two three four five."


async def test_a_failure_before_anything_came_changes_nothing(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    await stopped(player, model, said="One two")
    before = spoken(player)
    model.script(failure(400, "no"))
    with pytest.raises(ModelError):
        await player.continue_reply()
    assert spoken(player) == before
    model.script(text(""))
    await player.continue_reply()
    assert spoken(player) == before
    assert player.get_conversation()[-1]["content"] == "The model had nothing to add to its reply."


async def test_what_is_whole_cannot_go_on(make_player: MakePlayer, model: ModelServer) -> None:
    player = await make_player({})
    with pytest.raises(StudioError, match="nothing to continue"):
        await player.continue_reply()
    model.script(text("Whole."))
    await player.send("Go")
    with pytest.raises(StudioError, match="nothing to continue"):
        await player.continue_reply()
    await stopped(player, model, said="One two")
    await player.reject(3)
    with pytest.raises(StudioError, match="nothing to continue"):
        await player.continue_reply()


@pytest.mark.clause("PERS-05")
async def test_an_alternative_that_is_taken_up_again_goes_on(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    await stopped(player, model, said="One two")
    model.script(text("Another."))
    await player.regenerate()
    await player.choose(1, 0)
    model.script(text(" three."))
    await player.continue_reply()
    assert [one["content"] for one in player.alternatives(1)] == ["One two three.", "Another."]
    assert [one["active"] for one in player.alternatives(1)] == [True, False]


@pytest.mark.clause("PERS-04")
async def test_what_streamed_before_a_crash_is_the_end_of_the_same_entry(tmp_path: Path) -> None:
    folder = await DataFolder.open(tmp_path, package_hash="p1", package_version=None)
    async with folder:
        conversation = await folder.create()
        conversation.append({"role": "user", "content": "Go"})
        conversation.append({"role": "assistant", "content": "One", "stopped": True, "response": 1})
        conversation.draft(" two", 1)
        conversation.draft(" three", 1)
        for _ in range(2):
            await conversation.close()
            conversation = await folder.load(conversation.id)
            told = [entry["content"] for entry in conversation.entries()]
            assert told == ["Go", "One two three"]
            assert conversation.entry(1)["stopped"] is True
        await conversation.close()


async def test_rehearsal_says_the_rest(make_player: MakePlayer) -> None:
    player = await make_player({}, base_url="rehearsal:", model=None)
    heard: list[str] = []

    def on_token(piece: object) -> None:
        heard.append(str(piece))
        if len(heard) == 3:
            player.stop()

    off = player.on("token", on_token)
    await player.send("[[slow 0.5]] [[say One two three four five six.]]")
    off()
    begun = spoken(player)[-1]["content"]
    assert begun.startswith("One two")
    assert begun != "One two three four five six."
    await player.continue_reply()
    assert spoken(player)[-1]["content"] == "One two three four five six."
