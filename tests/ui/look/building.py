"""Builders of the screens of the Sub-Agent Builder."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from tests.ui.look.scene import Scene

__all__ = ["builder"]

_PATH = "agents/marcus.subagent.md"
_PROMPT = """---
description: >
  Marcus Vane, harbour pilot of Graypoint. Call him whenever he is present, or when anyone asks what
  he knows, thinks or would say. Pass what just happened; he answers in his own voice.
history: recent:10
contextFiles: [.tides.json, .wrecks.txt]
model: main
maxTokens: 9000
maxRounds: 3
temperature: 0.9
debug: true
---
You are Marcus Vane, pilot of the harbour at
Graypoint. You are not the narrator: speak for
yourself alone, in one to three sentences.

## What the sea does
%%CONTEXT%%

## What you remember
%%STORE:memory-store%%
%%STORE:diary%%

## Rules
- You know when the sea will turn. You never
  say *how* you know.
- You have told **no one** about the second lamp.
- A kept promise is worth `store_memory`.
- Tide times come from the table above; never
  invent one.

If anyone asks about the second lamp, answer
with a question.
"""


def _keeper(scene: Scene) -> Path:
    """Return the Lantern Keeper with a pilot, who has a private memory and charts of his own."""
    folder = scene.keeper()
    sizes = {".tides.json": 840, ".wrecks.txt": 3_760, ".logbook-1911.txt": 12_400}
    for name, words in sizes.items():
        (folder / "context" / name).write_text("fathom of " * words, encoding="utf-8")
    config = folder / "config.json"
    whole = json.loads(config.read_text(encoding="utf-8"))
    pilot = {
        "id": "keeper.marcus",
        "implementation": "studio.sub-agent",
        "promptFile": "marcus.subagent.md",
        "shared-agents": ["keeper.boats"],
        "private-agents": [
            "studio.memory-store",
            {
                "id": "charts",
                "implementation": "studio.context-access",
                "contextFile": ".wrecks.txt",
            },
        ],
    }
    whole["agents"] = ["keeper.boats", "studio.history-search", "keeper.charms", pilot]
    config.write_text(json.dumps(whole, indent=2), encoding="utf-8")
    (folder / _PATH).write_text(_PROMPT, encoding="utf-8")
    return folder


def builder(state: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of the form in a state: edit, new or changed."""

    async def build(scene: Scene) -> QWidget:
        folder = _keeper(scene)
        window = (await scene.stage(folder)).window
        form = window.pages.building.builder
        if state == "new":
            form.open_new()
        else:
            form.open_edit(_PATH)
        await scene.wait(lambda: form.is_open and "builder" not in window.tasks.names)
        if state == "changed":
            form.sheet.prompt.take_body("You are Marcus.\n")
            changed = _PROMPT.replace("9000", "600").replace("Marcus Vane,", "Marcus,")
            (folder / _PATH).write_text(changed, encoding="utf-8")
            notice = form.sheet.findChild(QWidget, "builderNotice")
            await scene.wait(notice.isVisible)
        await scene.wait(lambda: form.sheet.settled and "builder" not in window.tasks.names)
        return window

    return build
