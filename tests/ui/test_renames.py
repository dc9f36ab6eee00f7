"""A renamed agent in a real window: it goes on with its store, in every conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio_qt import CharacterPlayer
from studio_qt.authoring.trust import TrustBook
from studio_qt.settings import home_folder
from tests.support.qt import until
from tests.support.window import ROLLER, write_package
from tests.ui.conftest import OpenStage

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-01", "STU-02")]


def stores(folder: Path) -> dict[str, object]:
    found = sorted((folder / "conversations").glob("*.agent.json"))
    return {path.name: json.loads(path.read_text()) for path in found}


async def test_a_renamed_agent_answers_with_the_store_that_it_had_and_undo_takes_that_back(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada")
    stage = await stage_on(folder)
    await stage.send("[[call roll {}]][[say one]]")
    before = stores(folder)
    assert set(before) == {"conversation_01.test.roller.agent.json"}
    files = stage.window.pages.project.files
    files.rename("agents/test.roller.js", "test.dice.js")
    await until(lambda: set(stores(folder)) == {"conversation_01.test.dice.agent.json"})
    player = stage.window.session.player
    assert player is not None
    await until(lambda: [agent.id for agent in player.agents()] == ["test.dice"])
    await stage.send("[[call roll {}]][[say two]]")
    (now,) = stores(folder).values()
    assert now != next(iter(before.values()))
    files.undo()
    await until(lambda: set(stores(folder)) == set(before))
    assert stores(folder)["conversation_01.test.roller.agent.json"] == now
    assert ROLLER in (folder / "agents/test.roller.js").read_text()


async def test_stores_follow_an_agent_that_is_renamed_while_nobody_plays(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada")
    async with CharacterPlayer(folder) as player:
        await player.call_tool("roll", {})
    before = stores(folder)
    assert set(before) == {"conversation_01.test.roller.agent.json"}
    TrustBook(home_folder()).withdraw(folder)  # so that nothing of it plays
    stage = await stage_on(folder, elsewhere=True)
    assert stage.window.session.player is None
    files = stage.window.pages.project.files
    files.rename("agents/test.roller.js", "test.dice.js")
    await until(lambda: set(stores(folder)) == {"conversation_01.test.dice.agent.json"})
    files.undo()
    await until(lambda: stores(folder) == before)
    player = stage.window.session.player  # one may have opened while no file had the agent's name
    assert player is None or not player.agents()
