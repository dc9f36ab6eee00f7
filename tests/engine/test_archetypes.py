"""The three kinds of sub-agent as shipped templates: the lens, the confidant, the lorekeeper."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from studio_qt import CharacterPlayer
from studio_qt.resources import resource_path
from tests.support.model_server import ModelServer, text, tool_call
from tests.support.packages import agent

Play = Callable[[str], Awaitable[CharacterPlayer]]
MARKER = "MARKER-forty-fathoms"
LISTENER = agent(
    "t.listener",
    "export function onAfterToolCall(e, store) { (store.heard ??= []).push(e); }\n"
    "export function onAfterResponse(e, store) { (store.heard ??= []).push(e); }",
    tags="@hook afterToolCall\n@hook afterResponse",
)


@pytest_asyncio.fixture
async def play(tmp_path: Path, model: ModelServer) -> AsyncIterator[Play]:
    """Open a copy of a template, with an agent added that notes every hook it is told."""
    players: list[CharacterPlayer] = []

    async def open_template(name: str) -> CharacterPlayer:
        root = tmp_path / name
        shutil.copytree(resource_path(f"templates/{name}"), root)
        config = json.loads((root / "config.json").read_text())
        config["agents"].append("t.listener")
        (root / "config.json").write_text(json.dumps(config))
        (root / "agents/t.listener.js").write_text(LISTENER)
        player = CharacterPlayer(root, base_url=model.base_url, model="test-model")
        players.append(player)
        await player.open()
        assert player.problems() == []
        return player

    yield open_template
    for player in players:
        await player.close()


@pytest.mark.clause("SUB-04", "SUB-05", "SUB-07", "BR-07", "PKG-09")
async def test_the_confidant_keeps_a_secret_that_only_he_ever_sees(
    play: Play, model: ModelServer
) -> None:
    player = await play("confidant")
    ask = tool_call("marcus", {"request": "The visitor keeps the promise."})
    keep = tool_call("store_memory", {"key": "visitor", "text": MARKER})
    model.script(ask, keep, text("He nods."), text("Marcus nods."))
    await player.send("I keep my promise.")
    model.script(ask, text("Aye."), text("Aye, he says."))
    await player.send("Ask him again.")
    private = "inn.marcus.studio.memory-store"
    assert MARKER in player.store_text(private)
    assert "second lamp" in player.store_text(private)  # the default that ships
    inner = [r for r in model.requests if r.messages[0]["content"].startswith("You are Marcus")]
    assert MARKER in inner[-1].messages[0]["content"]
    narrator = [r for r in model.requests if r not in inner]
    assert len(narrator) == 4
    assert not any(
        MARKER in r.data.decode() or "lit the second" in r.data.decode() for r in narrator
    )
    prepared: Any = await player.prepare_request("What does he know?")
    told = [prepared, player.tools(), player.commands(), player.store("t.listener")]
    assert MARKER not in json.dumps(told)
    assert [t["function"]["name"] for t in player.tools()].count("store_memory") == 1
    assert MARKER not in player.store_text("studio.memory-store")


@pytest.mark.clause("SUB-03", "SUB-04", "SUB-05", "SUB-07", "SYS-04")
async def test_the_lorekeeper_reads_a_file_that_the_narrator_never_gets(
    play: Play, model: ModelServer
) -> None:
    player = await play("lorekeeper")
    model.script(
        tool_call("lorekeeper", {"request": "What stands in the cellar?"}),
        tool_call("bells", {"query": "Agnes cellar"}),
        text("She is called Agnes."),
        text("It is Agnes!"),
    )
    assert (await player.send("What is in the cellar?"))["content"] == "It is Agnes!"
    first, inner, searched, last = model.requests
    assert first.tool_names == [*first.tool_names[:-1], "lorekeeper"]
    assert inner.tool_names == ["bells"]
    assert inner.messages[0]["content"].startswith("Rules of the house")
    assert "MINE" in searched.tool_results[0]
    assert "never hung" not in first.data.decode() + last.data.decode()
    assert last.tool_results == ["She is called Agnes."]


@pytest.mark.clause("SUB-04", "SUB-07", "BR-03")
async def test_the_lens_searches_the_list_and_the_conversation(
    play: Play, model: ModelServer
) -> None:
    player = await play("name-finder")
    model.script(
        tool_call("find_unused_name", {"request": "a name for a quick, dark-haired woman"}),
        tool_call("names", {"query": "dark-haired woman"}),
        tool_call("search_history", {"query": "Brenna"}),
        text("Brenna is free."),
        text("Her name is Brenna."),
    )
    await player.send("She is quick, dark-haired, and has no name.")
    asked = [r for r in model.requests if r.messages[0]["content"].startswith("You choose names")]
    assert asked[0].tool_names == ["search_history", "read_history", "names"]
    assert "Brenna" in asked[1].tool_results[0]
    assert asked[2].tool_results[1].startswith("Nothing")
    calls = [e for e in player.get_conversation() if e["role"] == "tool"]
    assert [call["toolName"] for call in calls[0]["inner"]] == ["names", "search_history"]


@pytest.mark.clause("SUB-07", "SUB-12", "CAP-03", "LOOP-07")
async def test_two_sub_agents_with_five_grants_and_ten_rounds_stay_bounded_and_logged(
    tmp_path: Path, model: ModelServer
) -> None:
    from tests.support.packages import build

    note = agent("t.n", "export const onToolCall = (n, a) => `${n} ok`;", tools=["note"])
    extra = {
        f"agents/t.x{n}.js": agent(
            f"t.x{n}", "export const onToolCall = () => 'x';", tools=[f"x{n}"]
        )
        for n in range(3)
    }
    prompt = "---\ndescription: Ask.\nmaxRounds: 10\ndebug: true\n---\nThink."
    grants = {"shared-agents": ["t.n", "t.x0", "t.x1"], "private-agents": ["t.n", "t.x2"]}
    entry = {"implementation": "studio.sub-agent", "promptFile": "s.subagent.md", **grants}
    root = build(
        tmp_path / "p",
        {"agents/t.n.js": note, "agents/s.subagent.md": prompt, **extra},
        agents=["t.n", "t.x0", "t.x1", {"id": "one", **entry}, {"id": "two", **entry}],
    )
    async with CharacterPlayer(root, base_url=model.base_url, model="m") as player:
        rounds = [tool_call("note", usage=(50, 5)) for _ in range(10)]
        for name in ("one", "two"):
            model.script(tool_call(name, {"request": "x"}), *rounds, text("Enough."))
        model.script(text("Done."))
        await player.send("Go")
        assert player.usage()["agentTokensThisResponse"] == 2 * (10 * 55 + 15)
        log = (root / "conversations/conversation_01.agent-log.jsonl").read_text()
    lines = [json.loads(line) for line in log.splitlines()]
    for name in ("one", "two"):
        own = [line for line in lines if line["agentId"] == name and line["kind"] == "round"]
        assert [line["tools"] for line in own] == [["note"]] * 10 + [[]]
        assert all(line["tokens"] and line["ms"] >= 0 for line in own)
