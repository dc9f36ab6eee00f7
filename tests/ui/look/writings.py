"""Builders of the screens of Generate and Polish."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from studio_qt.resources import resource_path
from studio_qt.ui.generating.agentsheet import AgentSheet
from studio_qt.ui.generating.change import ChangeSheet
from studio_qt.ui.generating.sheet import GenerateSheet
from studio_qt.ui.session import Connection
from studio_qt.ui.window import StudioWindow
from tests.support.model_server import ModelServer, blocked, failure, text
from tests.ui.look.scene import Scene

__all__ = ["generating", "polishing"]

_PATH = "agents/marcus.subagent.md"
_WISH = "Knows every tide of the bay and says when boats can cross."
_FILE = """---
description: >
  Knows every tide of the bay and when boats can cross. Call this whenever anyone asks about the
  sea, wants to sail, or a scene depends on high or low water. Pass place and hour.
contextFiles: [the-salt-inn.txt]
maxTokens: 300
temperature: 0.2
private-agents: [studio.memory-store]
---
You are the tide keeper. Answer the question from the reference below.

%%CONTEXT%%

## Rules
- Give the time and the height, and what it means for a boat.
- At most three sentences.
"""
_AGENT = """/**
 * @agent inn.lamp
 * @version 1.0.0
 * @description Keeps the oil of the lamp.
 *
 * @tool burn_oil
 * @tool-description Burns some of the oil; call it whenever the lamp is used.
 * @tool-params {"type":"object","properties":{"hours":{"type":"number"}},"required":["hours"]}
 */

/** A can of oil lasts for twenty hours. */
export function onToolCall(toolName, args, store, studio) {
  const hours = Number(args.hours);
  if (!(hours > 0)) return "Say how many hours the lamp burns, as a number above 0.";
  store.left = Math.max(0, (store.left ?? 20) - hours);
  studio.log("burnt for " + hours + " hours");
  return store.left > 0 ? "There is oil for " + store.left + " hours." : "The lamp goes out.";
}
"""
_CALLS = [{"tool": "burn_oil", "args": {"hours": hours}} for hours in (6, 0, 40)]


def generating(state: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of the dialog in a state.

    "empty", "wrong", "writing", "failed", "noted", "draft", "agent" or "text".
    """

    async def build(scene: Scene) -> QWidget:
        window, server = await _window(scene, rehearses=state == "draft")
        key = {"agent": "agent", "text": "introduction"}.get(state, "subagent")
        window.pages.helping.generating.generate(key)
        await scene.wait(lambda: bool(window.findChildren(GenerateSheet)))
        sheet = window.findChildren(GenerateSheet)[0]
        if state not in ("empty", "text"):
            sheet.wish.setPlainText(_WISH if key == "subagent" else "Keeps the oil of the lamp.")
            sheet.name.setText("inn.lamp" if state == "agent" else "tide-keeper")
        if state == "wrong":
            sheet.name.setText("marcus")
            sheet.wish.clear()
            sheet.run()
        if state in ("writing", "failed", "noted", "agent"):
            await _run(scene, window, server, sheet, state)
        return window

    return build


async def _run(
    scene: Scene, window: StudioWindow, server: ModelServer, sheet: GenerateSheet, state: str
) -> None:
    if state == "writing":
        gate = threading.Event()
        scene.at_end(gate.set)
        server.script(blocked(gate, text(_FILE), after=80))
        sheet.run()
        await scene.wait(lambda: "answer the question" in sheet.writing.text.toPlainText().lower())
    elif state == "failed":
        server.script(failure(401, {"error": {"message": "Incorrect API key provided."}}))
        sheet.run()
        await scene.wait(lambda: bool(sheet.trouble.text))
    elif state == "noted":
        server.script(text(_FILE))
        sheet.run()
        await scene.wait(lambda: "memory-store" in sheet.trouble.text)
    else:
        server.script(text(f"```js\n{_AGENT}```\n```json\n{json.dumps(_CALLS)}\n```"))
        sheet.run()
        await scene.wait(lambda: bool(window.findChildren(AgentSheet)))


def polishing(state: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of a polish: "writing", "compared", "refused" or "needs-model"."""

    async def build(scene: Scene) -> QWidget:
        window, server = await _window(scene, rehearses=state == "needs-model")
        await window.pages.editors.open(_PATH)
        await scene.wait(lambda: window.pages.editors.editor is not None)
        document = window.session.documents.find(_PATH)
        assert document is not None
        body = document.plain.split("---\n", 2)[2]
        better = body.replace("You are not the narrator: say", "Say").replace(" at all", "")
        gate = threading.Event()
        scene.at_end(gate.set)
        if state == "writing":
            server.script(blocked(gate, text(f"<text>\n{better}</text>"), after=40))
        elif state == "refused":
            lost = text(better.replace("%%STORE:memory-store%%", ""))
            server.script(lost, lost)
        else:
            server.script(text(f"<text>\n{better}</text>"))
        window.pages.helping.generating.polish("tighten")
        if state == "needs-model":
            return window
        sheet = window.findChildren(ChangeSheet)[0]
        if state == "compared":
            await scene.wait(lambda: sheet.accept_button.isVisible() and sheet.settled)
        elif state == "refused":
            await scene.wait(lambda: bool(sheet.trouble.text))
        else:
            await scene.wait(lambda: len(sheet.writing.text.toPlainText()) > 60)
        return window

    return build


async def _window(scene: Scene, *, rehearses: bool) -> tuple[StudioWindow, ModelServer]:
    server = scene.enter(ModelServer())
    server.models = ["qwen3-4b"]
    folder: Path = scene.folder / "salt-inn"
    shutil.copytree(resource_path("templates/confidant"), folder)
    connection = None if rehearses else Connection(server.base_url, model="qwen3-4b")
    stage = await scene.stage(folder, connection)
    return stage.window, server
