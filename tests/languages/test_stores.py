"""The store of an agent: a plain value, changed in place, saved after every call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio_qt import AgentError, CharacterPlayer
from tests.engine.conftest import MakePlayer
from tests.languages.agents import HOLDER, RETURNER
from tests.languages.conftest import Play
from tests.support.model_server import ModelServer, text, tool_calls

FILE = "package/conversations/conversation_01.t.peer.agent.json"


async def hold(player: CharacterPlayer, *kinds: str) -> None:
    for kind in kinds:
        assert await player.call_tool("hold", {"kind": kind}) == "held"


@pytest.mark.clause("EXP-06", "LOOP-06", "PERS-01", "PERS-02", "PKG-09")
async def test_the_store_starts_as_the_default_is_changed_in_place_and_outlives_a_restart(
    play: Play, make_player: MakePlayer, tmp_path: Path
) -> None:
    player = await play(HOLDER, files={"t.peer.agent.json": '{"old": 1, "kept": "ä"}'})
    await hold(player, "nest", "change")
    deep = {"list": [{"n": 11}, {"n": 2, "half": 2.5, "whole": 5}]}
    expected = {"kept": "ä", "touched": "change", "deep": deep}
    assert player.store("t.peer") == expected
    assert '"whole":5' in player.store_text("t.peer").replace(" ", "")
    assert "5.0" not in player.store_text("t.peer")
    assert json.loads((tmp_path / FILE).read_text("utf-8")) == expected
    await player.close()
    player = await make_player()
    assert player.store("t.peer") == expected
    await player.new_conversation()
    await hold(player, "empty")
    assert player.store("t.peer")["old"] == 1


@pytest.mark.clause("EXP-06")
async def test_any_text_is_kept_as_it_is(play: Play) -> None:
    player = await play(HOLDER)
    await hold(player, "text", "empty")
    assert player.store("t.peer")["text"] == '日本 – \u2028 "quoted" \\ \u0001'


@pytest.mark.clause("EXP-06", "EXP-02")
@pytest.mark.parametrize("kind", ["cycle", "function"])
async def test_what_is_not_json_is_refused_and_the_store_stays(play: Play, kind: str) -> None:
    player = await play(HOLDER)
    await hold(player, "empty")
    with pytest.raises(AgentError, match="store cannot be saved as JSON"):
        await player.call_tool("hold", {"kind": kind})
    assert player.store("t.peer") == {"touched": "empty", "list": player.store("t.peer")["list"]}
    await hold(player, "nest")
    assert player.store("t.peer")["touched"] == "nest"


@pytest.mark.clause("EXP-06")
async def test_numbers_that_json_lacks_become_null_with_a_line_in_the_agent_log(
    play: Play, tmp_path: Path
) -> None:
    player = await play(HOLDER)
    await hold(player, "nan")
    stored = {"touched": "nan", "list": [None, 1]}
    assert {**stored, "nan": None} == player.store("t.peer")
    log = tmp_path / "package/conversations/conversation_01.agent-log.jsonl"
    assert "NaN" in log.read_text()


@pytest.mark.clause("EXP-07")
async def test_lists_stay_lists_and_only_lua_may_turn_a_new_empty_one_into_an_object(
    play: Play, language: str
) -> None:
    player = await play(HOLDER, files={"t.peer.agent.json": '{"list": ["one"], "none": []}'})
    await hold(player, "drop")
    assert player.store("t.peer") == {"list": [], "none": [], "touched": "drop"}
    await hold(player, "empty")
    assert player.store("t.peer")["list"] == []
    await hold(player, "swap")
    assert player.store("t.peer")["list"] == ([] if language == "lua" else {})
    await player.set_store("t.peer", {})
    await hold(player, "empty")
    assert player.store("t.peer")["list"] == ({} if language == "lua" else [])


@pytest.mark.clause("LOOP-06", "LOOP-03")
async def test_the_store_is_saved_after_each_call_before_the_next(
    play: Play, model: ModelServer, tmp_path: Path
) -> None:
    player = await play(HOLDER)
    saved: list[str] = []
    player.on("toolCall", lambda _: saved.append(json.loads((tmp_path / FILE).read_text())))
    model.script(tool_calls(("hold", {"kind": "nest"}), ("hold", {"kind": "empty"})), text("Done."))
    await player.send("Hold")
    assert [store["touched"] for store in saved] == ["nest", "empty"]


@pytest.mark.clause("LOOP-04", "CTX-02")
async def test_a_call_that_does_not_fit_never_reaches_the_agent(
    play: Play, model: ModelServer
) -> None:
    player = await play(RETURNER)
    model.script(
        tool_calls(
            ("give", "{broken"), ("give", {"kind": 5}), ("give", {}), ("given", {}),
            ("give", {"kind": "text"}),
        ),
        text("Done."),
    )  # fmt: skip
    await player.send("Give")
    *refused, given = model.requests[1].tool_results
    assert [result.startswith("Error: ") for result in refused] == [True] * 4
    assert given == "from give"
    assert player.store("t.peer") == {"calls": 1}
    calls = player.get_conversation()[1]["tool_calls"]
    assert [call.get("toolCallId") for call in calls] == [None] * 4 + [1]


@pytest.mark.clause("EXP-06", "BOX-01")
async def test_fields_of_any_name_come_through_untouched(play: Play) -> None:
    odd = {
        "__proto__": {"polluted": True}, "constructor": 1, "toJSON": 2, "then": 3, "length": 4,
        "__class__": 5, "__index": 6, "__gc": 7, "": 8, "a.b": 9,
        "1": "one", "end": 10, "n\u0000": 11,
    }  # fmt: skip
    player = await play(HOLDER, files={"t.peer.agent.json": json.dumps(odd)})
    await hold(player, "text", "empty")
    kept = player.store("t.peer")
    assert {name: kept.get(name) for name in odd} == odd
