"""The showcase, played: what a newcomer types finds the tool that is meant for it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from studio_qt import CharacterPlayer
from studio_qt.resources import resource_path


@pytest_asyncio.fixture(loop_scope="module")
async def player(tmp_path: Path) -> AsyncIterator[CharacterPlayer]:
    folder = tmp_path / "keeper"
    shutil.copytree(resource_path("templates/lantern-keeper"), folder)
    async with CharacterPlayer(folder, base_url="rehearsal:") as player:
        yield player


@pytest.mark.clause("CONS-01", "PKG-07")
async def test_what_a_newcomer_types_finds_its_tool(player: CharacterPlayer) -> None:
    said = {
        "please roll two dice for me": "roll_dice",
        "Remember that I carry forty fathoms of dry rope.": "store_memory",
        "What do you know about the wreck of the Annis Rowe?": "wrecks",
        "What is the weather outside?": "watch_sea",
        "Write in the log that a boat passed.": "write_log",
        "What did I say about the rope?": "search_history",
        "Count the boats.": "count_boats",
        "Please sound the fog horn.": "sound_horn",
        "Send a signal to the lookout: all is well.": "send_signal",
        "Read the omens for me.": "read_omens",
    }
    called: list[str] = []
    player.on("toolCall", lambda call: called.append(call["toolName"]))
    for text in said:
        assert (await player.send(text))["content"]
    assert called == list(said.values())
    assert "forty fathoms" in player.store_text("studio.memory-store")


@pytest.mark.clause("PKG-09", "SYS-04", "SYS-05")
async def test_the_model_sees_the_state_of_the_night_and_not_the_data_files(
    player: CharacterPlayer,
) -> None:
    request: Any = await player.prepare_request("Good evening.")
    text = "\n".join(str(message["content"]) for message in request["messages"])
    assert "The clock says 17:12. Wick 6, oil 82 of 100" in text
    assert "## What you remember\n- second_lamp: " in text
    assert "One hundred and eighteen steps, a hatch" in text
    assert "Prudence Hale" not in text


@pytest.mark.clause("EXP-03", "BR-02")
async def test_its_commands_run_at_once_and_refuse_with_a_sentence(
    player: CharacterPlayer,
) -> None:
    assert set(player.commands()) == {
        *("@log", "@boats", "@horn", "@signal", "@omen"),  # its own, in four languages
        *("@memory", "@roll"),
    }
    lines = ("@horn 2", "@signal Rope is here", "@omen Shall we row out?")
    for line in (*lines, "@log wick 4", "@roll 2d6+1", "@memory rope = forty fathoms"):
        assert (await player.command(line)).ok
    refused = await player.command("@log wick eleven")
    assert not refused.ok
    assert str(refused.error).startswith("The wick goes from 0 to 10, in figures.")
    logs = [entry["content"] for entry in player.get_conversation() if entry["role"] == "log"]
    assert len(logs) == 6
