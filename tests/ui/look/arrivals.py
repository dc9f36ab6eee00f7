"""Builders of screens with what comes from elsewhere, the player of a zip, and the library."""

from __future__ import annotations

import json
import shutil
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from studio_qt.ui.recents import Recents
from studio_qt.ui.window import StudioWindow
from tests.ui.look.scene import NOW, Scene

__all__ = ["address", "arriving", "library"]

_CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Hanne Corrick",
        "description": "{{char}} keeps the light at Graypoint.",
        "personality": "dry, exact, kind to boats",
        "scenario": "{{user}} knocks in a storm.",
        "first_mes": "Come in, {{user}}.",
        "mes_example": "<START>\n{{user}}: Is it far?\n{{char}}: By night, yes.",
        "creator_notes": "Nineteen years alone with a light, a logbook and one secret she did not "
        "keep by herself.",
        "alternate_greetings": ["You again."],
        "character_book": {
            "entries": [{"keys": ["wreck"], "content": "The Ann Gray.", "enabled": True}]
        },
        "creator": "Ines",
        "character_version": "3",
    },
}


def arriving(kind: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of the import sheet: a "card", a "zip" with code, or one "refused"."""

    async def build(scene: Scene) -> QWidget:
        window = (await scene.stage(None)).window
        place = _file(scene, kind)
        window.pages.receiving.bring(place)
        wanted = "importReason" if kind == "refused" else "importOpen"
        await scene.wait(lambda: _shown(window, wanted))
        importing = window.pages.receiving.importing
        assert importing is not None
        importing.sheet.place.setText("/home/ines/Documents/Characters/Hanne Corrick")
        return window

    return build


async def address(scene: Scene) -> QWidget:
    """An address that was refused."""
    window = (await scene.stage(None)).window
    window.pages.receiving.ask_address("ftp://example.org/hanne.zip")
    await scene.wait(lambda: _shown(window, "addressFetch"))
    importing = window.pages.receiving.importing
    assert importing is not None
    importing.addresses.fetch.click()
    await scene.wait(lambda: "import" not in window.tasks.names)
    return window


def library(kind: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of the library: "filled", with a "gone" one chosen, or "empty"."""

    async def build(scene: Scene) -> QWidget:
        recents = Recents(scene.folder / "home")
        if kind != "empty":
            others = (
                ("lorekeeper", "The Orchard Judge", "Settles quarrels and remembers each verdict."),
                ("name-finder", "Sable and Finch", "Two locksmiths, one shop."),
                ("confidant", "Tide School", "A patient teacher of knots and charts."),
            )
            for days, (template, title, text) in enumerate(others, 40):
                recents.note(scene.copy(template, title, text), NOW - timedelta(days=days))
            recents.note(scene.keeper(), NOW - timedelta(days=30))
            gone = 0 if kind == "gone" else 60
            recents.note(scene.folder / "Old Salt.zip", NOW - timedelta(days=gone))
        window = (await scene.stage(None)).window
        action = window.findChild(QAction, "library")
        assert action is not None
        action.trigger()
        await scene.wait(lambda: _shown(window, "libraryPage") and window.settled)
        return window

    return build


def _shown(window: StudioWindow, name: str) -> bool:
    found = window.findChild(QWidget, name)
    return isinstance(found, QWidget) and found.isVisible()


def _file(scene: Scene, kind: str) -> Path:
    if kind == "zip":
        return Path(shutil.make_archive(str(scene.folder / "keeper"), "zip", scene.keeper()))
    if kind == "refused":
        place = scene.folder / "hanne.zip"
        place.write_bytes(b"PK\x03\x04 cut off")
        return place
    place = scene.folder / "hanne.json"
    place.write_text(json.dumps(_CARD), encoding="utf-8")
    return place
