"""Builders of screens in which foreign code is asked about, and of the bars above editors."""

from __future__ import annotations

import json
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QWidget

from studio_qt.authoring.trust import TrustBook
from studio_qt.settings import home_folder
from studio_qt.ui.permission.page import PermissionSheet
from tests.support.window import Stage
from tests.ui.look.scene import NOW, Scene

__all__ = ["bars", "permission", "waiting"]

_LOG = """/**
 * @agent keeper.lantern-log
 * @tool light_lamp
 * @tool trim_wick
 * @tool read_log
 * @api studio.history
 * @hook afterResponse
 */
export function onToolCall(name, args, store) {
  return "The lamp burns.";
}
export function afterResponse() {}
"""
_MAPS = """/**
 * @agent keeper.maps
 * @tool find_route
 * @tool mark_place
 * @api studio.context
 * @lib tide-table
 */
export function onToolCall() { return "North by the Teeth."; }
"""
_OMENS = '''"""
@agent keeper.omens
@tool draw_omen
@api studio.model
@api studio.web
@hook conversationStart
"""
'''
_WEATHER = """--[[
@agent keeper.weather
@tool read_weather
@tool set_weather
]]
"""
_MARCUS = """---
description: >
  Marcus Vane, harbour pilot of Graypoint. Call him whenever he is
  present, or when anyone asks what he knows, thinks or would say.
history: recent:6
contextFiles: [.tides.json]
model: worker
maxTokens: 600
---
You are Marcus Vane, pilot of the harbour at Graypoint. You are not
the narrator: speak for yourself alone, in one to three sentences.

## What you remember
%%STORE:memory-store%%
"""
_ENTRY = {
    "id": "marcus",
    "implementation": "studio.sub-agent",
    "promptFile": "marcus.subagent.md",
    "model": "main",
    "history": "recent:10",
    "private-agents": ["studio.memory-store"],
}


def _character(scene: Scene) -> Path:
    """Return a character as somebody sends it: four agents, a library, and two sub-agents."""
    folder = scene.keeper()
    shutil.rmtree(folder / "agents")
    shutil.rmtree(folder / "conversations")
    files = {
        "agents/keeper.lantern-log.js": _LOG,
        "agents/keeper.maps.js": _MAPS,
        "agents/lib/tide-table.js": "this.tides = [4, 10, 16, 22];\n",
        "agents/keeper.omens.py": _OMENS,
        "agents/keeper.weather.lua": _WEATHER,
        "agents/marcus.subagent.md": _MARCUS,
        "agents/old-tom.subagent.md": "---\ndescription: Old Tom.\n---\nYou are Old Tom.\n",
    }
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["agents"] = [
        "studio.memory-store",
        "studio.dice-roller",
        "studio.history-search",
        "keeper.lantern-log",
        "keeper.maps",
        "keeper.omens",
        "keeper.weather",
        _ENTRY,
    ]
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    return folder


async def _asked(scene: Scene) -> tuple[Stage, PermissionSheet]:
    """Open it from elsewhere; returns the window and the question, whose time is fixed."""
    stage = await scene.stage(_character(scene), elsewhere=True)
    trusting = stage.window.pages.trusting
    await scene.wait(lambda: trusting.sheet is not None and trusting.sheet.isVisible())
    sheet = trusting.sheet
    assert sheet is not None
    return stage, sheet


def permission(state: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return a builder of the question: "asked", "code", or "settled"."""

    async def build(scene: Scene) -> QWidget:
        stage, sheet = await _asked(scene)
        window = stage.window
        question = sheet.question._replace(opened=NOW)
        question = question._replace(settled=state == "settled")
        if state == "settled":
            question = question._replace(record=replace(question.record, agreed_at=NOW))
        sheet.blockSignals(True)
        sheet.reject()
        fresh = PermissionSheet(window.theme, window, question, window.inside.preferences.player)
        fresh.ask(by_hand=True)
        if state == "code":
            fresh.read_button.click()
        return window

    return build


async def waiting(scene: Scene) -> QWidget:
    """The user said no: the files can be edited, and the chat says why nobody answers."""
    stage, sheet = await _asked(scene)
    sheet.reject()
    await stage.window.pages.editors.open("agents/keeper.maps.js")
    await scene.wait(lambda: bool(stage.all("noticeBar")))
    await scene.wait(lambda: stage.window.settled)
    return stage.window


def bars(state: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return a builder of bars: "overridden" or "not-listed"."""

    async def build(scene: Scene) -> QWidget:
        folder = _character(scene)
        TrustBook(home_folder()).made_here(folder)
        stage = await scene.stage(folder)
        names = {"overridden": "marcus", "not-listed": "old-tom"}
        await stage.window.pages.editors.open(f"agents/{names[state]}.subagent.md")
        await scene.wait(lambda: bool(stage.all("noticeBar")) and stage.window.settled)
        return stage.window

    return build
