"""What names a file follows when it is renamed or deleted in the tree, as one undoable step."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from studio_qt.engine.storage import MovedStore, MovedStores
from studio_qt.errors import StorageError
from studio_qt.files import operations
from tests.ui.project.conftest import Bench, OpenBench

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-01")]

CONFIG = """{
  "name": "Ada",
  "agents": [
    "ada.dice",
    { "id": "ada.marcus", "implementation": "studio.sub-agent",
      "promptFile": "marcus.subagent.md", "shared-agents": ["ada.dice"] }
  ]
}
"""
MARCUS = "---\ndescription: x  # why\ncontextFiles: [lamp.txt]\n---\n%%STORE:dice%%\n"
FILES = {
    "config.json": CONFIG,
    "context/lamp.txt": "light",
    "intro.txt": "Hello.",
    "agents/ada.dice.js": "/** @agent ada.dice */\n",
    "agents/marcus.subagent.md": MARCUS,
    "ada.dice.agent.json": '{"seed": 1}',
}


class Player:
    """Notes what stores are to follow."""

    def __init__(self) -> None:
        self.moves: list[dict[str, str | None]] = []
        self.back: list[Sequence[MovedStore]] = []
        self.left: tuple[str, ...] = ()
        self.fails = False

    async def move_stores(self, moves: Mapping[str, str | None]) -> MovedStores:
        if self.fails:
            raise StorageError("The folder is full.")
        self.moves.append(dict(moves))
        stores = [MovedStore("conversation_01", old, new, "{}") for old, new in moves.items()]
        return MovedStores(tuple(stores), self.left)

    async def put_stores_back(self, moved: MovedStores) -> None:
        self.back.append(moved.stores)


@pytest.fixture
async def bench(bench_on: OpenBench) -> Bench:
    return await bench_on(FILES)


@pytest.fixture
def player(bench: Bench) -> Player:
    player = Player()
    bench.page.files.follow_up.stores = player
    return player


def texts(bench: Bench) -> dict[str, str]:
    names = ("config.json", "agents/marcus.subagent.md")
    return {name: (bench.root / name).read_text() for name in names}


async def rename(bench: Bench, path: str, name: str) -> None:
    bench.choose(path)
    bench.press(Qt.Key.Key_F2)
    await bench.type_name(name)


async def test_a_renamed_agent_is_followed_everywhere_and_undo_takes_all_of_it_back(
    bench: Bench, player: Player
) -> None:
    before = texts(bench)
    await rename(bench, "agents/ada.dice.js", "ada.bones.js")
    now = texts(bench)
    assert now["config.json"] == CONFIG.replace("ada.dice", "ada.bones")
    assert now["agents/marcus.subagent.md"] == MARCUS.replace("STORE:dice", "STORE:bones")
    assert (bench.root / "agents/ada.bones.js").read_text() == "/** @agent ada.bones */\n"
    assert (bench.root / "ada.bones.agent.json").read_text() == '{"seed": 1}'
    assert player.moves == [{"ada.dice": "ada.bones"}]
    await bench.run("undoFiles")
    assert texts(bench) == before
    assert (bench.root / "agents/ada.dice.js").read_text() == FILES["agents/ada.dice.js"]
    assert (bench.root / "ada.dice.agent.json").exists()
    assert player.moves[-1] == {"ada.bones": "ada.dice"}


async def test_a_deleted_agent_takes_entry_grant_default_and_stores_along_and_brings_them_back(
    bench: Bench, player: Player
) -> None:
    before, files = texts(bench), bench.disk()
    bench.choose("agents/ada.dice.js")
    bench.press(Qt.Key.Key_Delete)
    await bench.settled()
    (marcus,) = json.loads((bench.root / "config.json").read_text())["agents"]
    assert marcus["shared-agents"] == []
    assert bench.disk() == files - {"agents/ada.dice.js", "ada.dice.agent.json"}
    assert player.moves == [{"ada.dice": None}]
    await bench.run("undoFiles")
    assert texts(bench) == before
    assert bench.disk() == files
    assert [store.agent_id for store in player.back[0]] == ["ada.dice"]


async def test_a_renamed_context_file_is_followed_in_an_unsaved_prompt_which_stays_unsaved(
    bench: Bench,
) -> None:
    document = await bench.documents.open("agents/marcus.subagent.md")
    document.text.setPlainText(MARCUS + "More.\n")
    await rename(bench, "context/lamp.txt", "lantern.txt")
    assert document.plain == MARCUS.replace("lamp.txt", "lantern.txt") + "More.\n"
    assert document.modified
    assert texts(bench)["agents/marcus.subagent.md"] == MARCUS


async def test_where_stores_cannot_follow_nothing_is_renamed_and_the_reason_is_told(
    bench: Bench, player: Player
) -> None:
    before, files, player.fails = texts(bench), bench.disk(), True
    await rename(bench, "agents/ada.dice.js", "ada.bones.js")
    assert "The folder is full." in bench.notices[-1]
    assert texts(bench) == before
    assert bench.disk() == files
    assert bench.moved[-1] == ("agents/ada.bones.js", "agents/ada.dice.js")


async def test_a_config_that_was_typed_into_since_keeps_that_and_says_where_the_rest_is(
    bench: Bench,
) -> None:
    bench.choose("agents/ada.dice.js")
    bench.press(Qt.Key.Key_Delete)
    await bench.settled()
    (bench.root / "config.json").write_text('{"name": "Other"}')
    await bench.run("undoFiles")
    assert (bench.root / "config.json").read_text() == '{"name": "Other"}'
    assert "agents/ada.dice.js" in bench.disk()
    assert "config.json changed since" in bench.notices[-1]


async def test_a_default_that_cannot_move_takes_all_that_followed_back(
    bench: Bench, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, files = texts(bench), bench.disk()
    really = operations.move_inside

    def move(root: Path, old: str, new: str) -> None:
        if old.endswith(".agent.json"):
            raise StorageError("The disk is full.")
        really(root, old, new)

    monkeypatch.setattr(operations, "move_inside", move)
    await rename(bench, "agents/ada.dice.js", "ada.bones.js")
    assert texts(bench) == before
    assert bench.disk() == files
    assert (bench.root / "agents/ada.dice.js").read_text() == FILES["agents/ada.dice.js"]
    assert [store.to for store in player.back[0]] == ["ada.bones"]


async def test_a_conversation_that_is_left_out_is_told_and_the_rename_goes_on(
    bench: Bench, player: Player
) -> None:
    player.left = ("conversation_03.json cannot be read (why).",)
    await rename(bench, "agents/ada.dice.js", "ada.bones.js")
    assert "agents/ada.bones.js" in bench.disk()
    assert bench.notices[-1].endswith("conversation_03.json cannot be read (why).")


async def test_a_text_under_another_name_is_still_the_same_text_and_undo_leaves_no_trace(
    bench: Bench,
) -> None:
    await rename(bench, "intro.txt", "hello.txt")
    config = json.loads((bench.root / "config.json").read_text())
    assert config["fileMappings"] == {"Introduction": "hello.txt"}
    assert bench.notices[-1] == "config.json followed."
    await bench.run("undoFiles")
    assert (bench.root / "config.json").read_text() == CONFIG
    assert "intro.txt" in bench.disk()
