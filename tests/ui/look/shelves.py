"""Builders of screens that show all conversations: the list, a search, and their sheets."""

from __future__ import annotations

import json
from datetime import timedelta

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from studio_qt.ui.conversations.page import ConversationsPane
from tests.ui.look.scene import NOW, Scene

__all__ = ["export", "found", "listed", "models"]

_TALKS = (
    (2, "Storm night, rope refused", 1, {"parent": ["conversation_01", 9], "parentEntry": "e1"}),
    (3, "First visit", 60, {}),
    (4, "A long evening of which the title says more than the pane has room for", 500, {}),
    (5, "", 9_000, {"mainModel": "qwen3-32b"}),
)


async def listed(scene: Scene) -> QWidget:
    """Forks, an old one and one without a title."""
    window, pane = await _pane(scene)
    await scene.wait(lambda: pane.list.isVisible() and len(pane.rows) == 5)
    return window


async def found(scene: Scene) -> QWidget:
    """A word that stands in several of them."""
    window, pane = await _pane(scene)
    QTest.keyClicks(pane.search.field, "rope")
    await scene.wait(lambda: pane.search.model.rowCount() > 3 and pane.settled)
    pane.search.results.setCurrentIndex(pane.search.model.index(1))
    return window


async def export(scene: Scene) -> QWidget:
    """The sheet that asks how a conversation is exported."""
    window, pane = await _pane(scene)
    pane.export()
    await scene.wait(lambda: window.findChild(QWidget, "conversationExport") is not None)
    return window


async def models(scene: Scene) -> QWidget:
    """The sheet that asks who answers in a conversation."""
    window, pane = await _pane(scene)
    pane.choose_model()
    await scene.wait(lambda: "offered models" not in window.window().tasks.names)  # type: ignore[attr-defined]
    return window


async def _pane(scene: Scene) -> tuple[QWidget, ConversationsPane]:
    keeper = scene.keeper()
    for number, title, hours, books in _TALKS:
        time = (NOW - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")
        said = [
            {"role": "user", "content": "I did not bring the rope.", "time": time},
            {"role": "assistant", "content": "*She turns the lamp.* “Then go.”", "time": time},
        ]
        value = {"title": title, "updated": time, "journal": books, "messages": said}
        path = keeper / "conversations" / f"conversation_{number:02}.json"
        path.write_text(json.dumps(value), encoding="utf-8")
    window = (await scene.stage(keeper)).window
    pane = window.pages.conversations
    pane.shown.emit()
    await scene.wait(lambda: pane.settled and window.settled)
    return window, pane
