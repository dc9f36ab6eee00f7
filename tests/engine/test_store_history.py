"""What a store was, turn by turn: who changed it, and its text before and after (STU-04)."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from studio_qt import CharacterPlayer
from studio_qt.engine.store_history import (
    StoreStep,
    read_store_history,
    read_store_step,
)
from studio_qt.errors import StorageError, StudioError
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text, tool_call
from tests.support.packages import agent

COUNT = agent(
    "t.count",
    """
    export const onToolCall = (name, args, store) => `${(store.n = (store.n ?? 0) + 1)}`;
    export const note = (line, store) => { store.note = line; };
    export const onAfterResponse = (event, store) => { store.turns = (store.turns ?? 0) + 1; };
    """,
    tools=["count"],
    commands={"@note": "note"},
    tags="@hook afterResponse",
)
STORE = "t.count"


async def played(make_player: MakePlayer, model: ModelServer) -> CharacterPlayer:
    """Two turns with a tool call in the second, then a command and an edit by hand."""
    player = await make_player({"agents/t.count.js": COUNT})
    model.script(text("Hello."), tool_call("count"), text("Counted."))
    await player.send("Hi there")
    await player.send("Count for me")
    await player.command("@note buy rope")
    await player.set_store(STORE, {"n": 9})
    return player


@pytest.mark.clause("STU-04")
async def test_a_history_says_who_changed_a_store_and_in_which_turn(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await played(make_player, model)
    changes = await player.store_history(STORE)
    assert [(change.kind, change.turn) for change in changes] == [
        ("created", 1),
        ("hook", 1),
        ("tool", 2),
        ("hook", 2),
        ("command", 2),
        ("hand", 2),
    ]
    called = changes[2]
    assert (called.tool, called.tool_call_id, called.asked) == ("count", 1, "Count for me")
    assert called.entry_id == next(e["id"] for e in player.entries(0, 9) if e.get("turn") == 2)
    assert [change.ended for change in changes][-2:] == [True, True]
    assert changes[-1].size == len(player.store_text(STORE))


@pytest.mark.clause("STU-04")
async def test_each_step_has_the_text_before_and_after(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await played(make_player, model)
    changes = await player.store_history(STORE)
    steps = [await player.store_step(STORE, change.line) for change in changes]
    assert steps[0].before is None
    assert json.loads(steps[2].before or "") == {"turns": 1}
    assert json.loads(steps[2].after or "") == {"turns": 1, "n": 1}
    assert all(one.after == two.before for one, two in pairwise(steps))
    assert steps[-1].after == player.store_text(STORE)


@pytest.mark.clause("STU-04", "PERS-05")
async def test_a_second_answer_to_a_turn_changes_a_store_in_that_turn(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await played(make_player, model)
    model.script(tool_call("count", call_id="again"), text("Two."))
    await player.regenerate()
    called = [change for change in await player.store_history(STORE) if change.kind == "tool"]
    assert [(change.turn, change.ended) for change in called] == [(2, False), (2, False)]


async def test_undo_and_a_reset_are_told_by_name(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await played(make_player, model)
    await player.truncate(len(player) - 1, stores="then")
    await player.undo()
    await player.set_store_text(STORE, player.default_text(STORE) or "{}", reset=True)
    kinds = [change.kind for change in await player.store_history(STORE)]
    assert kinds[-2:] == ["undo", "reset"]


async def test_a_history_is_bounded_and_keeps_the_newest(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await played(make_player, model)
    changes = await player.store_history(STORE, limit=2)
    assert [change.kind for change in changes] == ["command", "hand"]
    step = await player.store_step(STORE, changes[0].line)
    assert json.loads(step.after or "")["note"] == "buy rope"


async def test_a_history_is_there_again_after_a_restart(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await played(make_player, model)
    before = await player.store_history(STORE)
    await player.close()
    again = await make_player()
    assert await again.store_history(STORE) == before


async def test_what_is_not_there_is_a_sentence(make_player: MakePlayer, model: ModelServer) -> None:
    player = await played(make_player, model)
    with pytest.raises(StudioError, match="no agent called nobody"):
        await player.store_history("nobody")
    with pytest.raises(StudioError, match="no such change"):
        await player.store_step(STORE, 99_999)


@pytest.mark.clause("STU-04")
async def test_a_store_is_replaced_only_over_what_the_user_saw(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await played(make_player, model)
    seen = player.store_text(STORE)
    await player.call_tool("count", {})
    assert not await player.set_store_text(STORE, '{"n": 0}', over=seen)
    assert player.store(STORE)["n"] == 10
    assert await player.set_store_text(STORE, '{"n": 0}', over=player.store_text(STORE))
    assert player.store(STORE) == {"n": 0}


@pytest.mark.parametrize("wrong", ["", "[]", '{"a": NaN}', '{"a": 1', '"text"'])
async def test_a_text_that_is_no_object_changes_nothing(
    make_player: MakePlayer, model: ModelServer, wrong: str
) -> None:
    player = await played(make_player, model)
    before = player.store_text(STORE)
    with pytest.raises(StudioError, match="not JSON"):
        await player.set_store_text(STORE, wrong)
    assert player.store_text(STORE) == before


@pytest.mark.clause("STU-05")
async def test_the_agent_log_says_each_line_as_it_comes(
    make_player: MakePlayer, model: ModelServer
) -> None:
    source = COUNT.replace("@hook", "@debug true\n * @hook")
    player = await make_player({"agents/t.count.js": source})
    heard: list[object] = []
    player.on("agentNote", heard.append)
    await player.command("@note rope")
    lines = await player.agent_log()
    assert [line.message for line in lines] == ["note"]
    assert heard == lines
    assert lines[0].time


# The journal alone


def journal(folder: Path, *lines: dict[str, object], first: int = 1, name: str = "journal") -> None:
    """Write journal lines as the engine does."""
    texts = [
        json.dumps({"n": n, **line}, separators=(",", ":")) for n, line in enumerate(lines, first)
    ]
    path = folder / f"conversation_01.{name}.jsonl"
    path.write_text("".join(f"{line}\n" for line in texts), encoding="utf-8")


def put(text: str, **more: object) -> dict[str, object]:
    return {"k": "store", "agent": "a", "text": text, **more}


def splice(*splices: tuple[int, int, str]) -> dict[str, object]:
    return {"k": "store", "agent": "a", "splices": splices, "cause": "onToolCall"}


def test_finished_parts_are_read_and_double_lines_once(tmp_path: Path) -> None:
    journal(tmp_path, put("{}"), splice((1, 0, '"n":1')), name="journal.0001")
    journal(tmp_path, splice((1, 0, '"n":1')), splice((5, 1, "2")), first=2)
    changes = read_store_history(tmp_path, "conversation_01", "a", 100)
    assert [change.line for change in changes] == [1, 2, 3]
    step = read_store_step(tmp_path, "conversation_01", "a", 3)
    assert step == StoreStep('{"n":1}', '{"n":2}')


def test_a_store_that_was_removed_has_no_text_after(tmp_path: Path) -> None:
    gone = {"k": "store", "agent": "a", "text": None}
    journal(tmp_path, put('{"n":1}'), gone, put("{}"))
    assert read_store_step(tmp_path, "conversation_01", "a", 2) == StoreStep('{"n":1}', None)
    assert read_store_step(tmp_path, "conversation_01", "a", 3) == StoreStep(None, "{}")
    sizes = [change.size for change in read_store_history(tmp_path, "conversation_01", "a", 9)]
    assert sizes == [7, 0, 2]


def test_a_step_whose_past_is_lost_is_a_sentence(tmp_path: Path) -> None:
    journal(tmp_path, splice((0, 0, "x")))
    with pytest.raises(StudioError, match="cannot be told"):
        read_store_step(tmp_path, "conversation_01", "a", 1)


def test_broken_lines_cost_themselves_alone(tmp_path: Path) -> None:
    journal(tmp_path, put("{}"), put('{"n":1}'))
    path = tmp_path / "conversation_01.journal.jsonl"
    path.write_bytes(path.read_bytes() + b'{"n":3,"k":"store","agent"\n{"torn')
    assert len(read_store_history(tmp_path, "conversation_01", "a", 9)) == 2


def test_no_journal_is_no_history(tmp_path: Path) -> None:
    assert read_store_history(tmp_path, "conversation_01", "a", 9) == []
    (tmp_path / "conversation_01.journal.jsonl").mkdir()
    with pytest.raises(StorageError):
        read_store_history(tmp_path, "conversation_01", "a", 9)


def test_ten_thousand_turns_are_one_pass(tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [put('{"n":0}')]
    for turn in range(1, 10_001):
        entry = {"role": "user", "content": "go", "turn": turn, "id": f"e{turn}"}
        lines += [{"k": "append", "entry": entry}, splice((5, 1, str(turn % 10)))]
    journal(tmp_path, *lines)
    changes = read_store_history(tmp_path, "conversation_01", "a", 2_000)
    assert (len(changes), changes[-1].turn) == (2_000, 10_000)
    step = read_store_step(tmp_path, "conversation_01", "a", changes[-1].line)
    assert step.after == '{"n":0}'
