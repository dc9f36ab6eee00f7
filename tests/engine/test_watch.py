"""Hot reload: files change under a running conversation."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from studio_qt import CharacterPlayer
from tests.engine.conftest import MakePlayer, faults
from tests.support.model_server import ModelServer, text
from tests.support.packages import agent

SAY = "export const onToolCall = () => '{}';"
FILES = {"agents/t.a.js": agent("t.a", SAY.format("old"), tools=["say"])}


def reloads(player: CharacterPlayer) -> asyncio.Queue[Any]:
    queue: asyncio.Queue[Any] = asyncio.Queue()
    player.on("reload", queue.put_nowait)
    return queue


@pytest.mark.clause("STU-02")
@pytest.mark.parametrize("way", ["write", "rename", "replace"])
async def test_a_saved_agent_is_exchanged_however_it_was_saved(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path, way: str
) -> None:
    player = await make_player(FILES, watch=True)
    said = reloads(player)
    file = tmp_path / "package/agents/t.a.js"
    source = FILES["agents/t.a.js"].replace("old", "new")
    if way == "write":
        file.write_text(source)
    else:
        beside = file.with_name("t.a.js.tmp" if way == "rename" else ".t.a.swp")
        beside.write_text(source)
        beside.replace(file)
    while (await said.get())["agents"] != ["t.a"]:
        pass
    assert await player.call_tool("say", {}) == "new"


@pytest.mark.clause("STU-02")
async def test_a_broken_save_keeps_the_old_agent_and_tells_the_line(
    make_player: MakePlayer, tmp_path: Path
) -> None:
    player = await make_player(FILES, watch=True)
    said = reloads(player)
    file = tmp_path / "package/agents/t.a.js"
    file.write_text(FILES["agents/t.a.js"] + "const oops = ;")
    await said.get()
    assert await player.call_tool("say", {}) == "old"
    assert [problem.file for problem in faults(player)] == ["agents/t.a.js"]


@pytest.mark.clause("STU-02")
async def test_a_broken_config_is_an_error_event_and_mending_it_goes_on(
    make_player: MakePlayer, tmp_path: Path
) -> None:
    player = await make_player(FILES, watch=True)
    said, errors = reloads(player), asyncio.Queue[Exception]()
    player.on("error", errors.put_nowait)
    config = tmp_path / "package/config.json"
    good = config.read_text()
    config.write_text("{")
    assert "config.json" in str(await errors.get())
    config.write_text(good.replace("Test", "Mended"))
    await said.get()
    assert player.character.name == "Mended"


@pytest.mark.clause("STU-02")
async def test_what_the_player_itself_writes_reloads_nothing(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player(FILES, watch=True)
    said = reloads(player)
    model.script(text("Ok."))
    await player.send("Hi")
    await player.new_conversation()
    (tmp_path / "package/instructions.txt").write_text("Now.")
    await said.get()
    assert said.empty()


@pytest.mark.clause("STU-02")
async def test_a_folder_that_was_replaced_is_noticed_and_watched_again(
    make_player: MakePlayer, tmp_path: Path
) -> None:
    player = await make_player(FILES, watch=True, data_dir=tmp_path / "data")
    said = reloads(player)
    package = tmp_path / "package"
    package.rename(tmp_path / "before")
    (package / "agents").mkdir(parents=True)
    for name in ("config.json", "agents/t.a.js"):
        content = (tmp_path / "before" / name).read_text()
        (package / name).write_text(content.replace("old", "moved"))
    while (await said.get())["agents"] != ["t.a"]:
        pass
    assert await player.call_tool("say", {}) == "moved"
    (package / "agents/t.a.js").write_text(FILES["agents/t.a.js"])
    while (await said.get())["agents"] != ["t.a"]:
        pass
    assert await player.call_tool("say", {}) == "old"
