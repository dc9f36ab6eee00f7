"""Builders of the screens of agent stores and of the agent log."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from studio_qt.ui.stores.model import LEFT
from tests.ui.look.scene import Scene
from tests.ui.stores.shelf import Shelf

__all__ = ["agent_log", "stores"]

_STORE = "studio.memory-store"


def _keeper(scene: Scene) -> Path:
    """Return the Lantern Keeper with a sub-agent that has a store of its own and two grants."""
    folder = scene.keeper()
    config = folder / "config.json"
    whole = json.loads(config.read_text(encoding="utf-8"))
    if not any(isinstance(one, dict) and one["id"] == "keeper.marcus" for one in whole["agents"]):
        whole["agents"].append(
            {
                "id": "keeper.marcus",
                "implementation": "studio.sub-agent",
                "promptFile": "marcus.subagent.md",
                "shared-agents": ["keeper.boats", "studio.dice-roller"],
                "private-agents": [_STORE],
            }
        )
        config.write_text(json.dumps(whole, indent=2), encoding="utf-8")
        prompt = "---\ndescription: Marcus Vane, harbour pilot.\n---\nYou are Marcus.\n"
        (folder / "agents" / "marcus.subagent.md").write_text(prompt, encoding="utf-8")
        log = folder / "agents" / "keeper.lantern-log.js"
        debug = "@agent keeper.lantern-log\n * @debug true"
        text = log.read_text(encoding="utf-8").replace("@agent keeper.lantern-log", debug, 1)
        log.write_text(text, encoding="utf-8")
    return folder


def stores(state: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of the stores in a state: tree, raw, wrong, moment, default, empty."""

    async def build(scene: Scene) -> QWidget:
        stage = await scene.stage(_keeper(scene))
        shelf = Shelf(stage)
        player = shelf.player
        for key, text in (("rope", "Forty fathoms of rope."), ("fog", "Asks to cross.")):
            said = f'[[call store_memory {{"key": "{key}", "text": "{text}"}}]] [[say So.]]'
            await player.send(said)
        stage.window.inside.workbench.bottom.hide()
        await shelf.open("keeper.signals" if state == "empty" else _STORE)
        await _STATES[state](scene, shelf)
        await shelf.settle()
        return stage.window

    return build


async def _as_it_is(_scene: Scene, _shelf: Shelf) -> None:
    pass


async def _raw(_scene: Scene, shelf: Shelf) -> None:
    shelf.click("storeModesRaw")


async def _wrong(scene: Scene, shelf: Shelf) -> None:
    shelf.click("storeModesRaw")
    shelf.editor.setPlainText('{\n  "memories": [\n    {"key" "rope"}\n  ]\n}')
    await scene.wait(lambda: bool(shelf.detail.panes.raws[LEFT].fault))


async def _moment(scene: Scene, shelf: Shelf) -> None:
    past = shelf.detail.past
    await scene.wait(lambda: len(past.changes) > 1)
    past.choose(past.changes[1])
    await scene.wait(lambda: past.change is not None and len(past.details) > 0)


async def _default(scene: Scene, shelf: Shelf) -> None:
    shelf.click("setDefault")
    await scene.wait(lambda: shelf.detail.shipped.modified)


_STATES: dict[str, Callable[[Scene, Shelf], Awaitable[None]]] = {
    "tree": _as_it_is,
    "empty": _as_it_is,
    "raw": _raw,
    "wrong": _wrong,
    "moment": _moment,
    "default": _default,
}


async def agent_log(scene: Scene) -> QWidget:
    """The agent log with a line opened."""
    stage = await scene.stage(_keeper(scene))
    player = stage.window.session.player
    assert player is not None
    await player.send('[[call write_log {"text": "Fog at four, and the horn."}]] [[say So.]]')
    stage.window.inside.workbench.show_bottom("agentLog")
    page = stage.window.pages.agent_log
    await scene.wait(lambda: page.settled and len(page.rows) > 2)
    page.open_details(page.rows[1])
    return stage.window
