"""The screens: how each is built on a real window. A new page is one function and one line.

A builder gets a `Scene` and returns the window that shows the screen, drawn and at rest; the walker
goes over it and `packaging/pictures.py` takes its picture.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from studio_qt.ui.widgets.sheet import Sheet
from tests.ui.look import parts
from tests.ui.look.scene import Scene

__all__ = ["SCREENS", "Screen"]

Build = Callable[[Scene], Awaitable[QWidget]]


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen; `size` is that of its picture, `small` the least that it must bear."""

    build: Build
    size: tuple[int, int] = (1600, 1000)
    small: tuple[int, int] = (1000, 700)


async def _main(scene: Scene) -> QWidget:
    stage = await scene.stage(scene.keeper())
    return stage.window


async def _failure(scene: Scene) -> QWidget:
    folder = scene.folder / "broken"
    folder.mkdir()
    (folder / "config.json").write_text("{ no json", encoding="utf-8")
    return (await scene.stage(folder)).window


async def _command(scene: Scene) -> QWidget:
    stage = await scene.stage(scene.keeper())
    stage.type("@")
    await scene.wait(lambda: stage.find("commandDialog").isVisible())
    return stage.window


async def _message(scene: Scene) -> QWidget:
    window = (await scene.stage(scene.keeper())).window
    action = window.findChild(QAction, "about")
    assert action is not None
    action.trigger()
    await scene.wait(lambda: any(sheet.isVisible() for sheet in window.findChildren(Sheet)))
    return window


SCREENS: dict[str, Screen] = {
    "main": Screen(_main),
    "failure": Screen(_failure),
    "command": Screen(_command),
    "message": Screen(_message),
    "start": Screen(parts.start),
    "first-start": Screen(parts.first_start),
    "new-character": Screen(parts.new_character),
    "palette": Screen(parts.palette, (1200, 800), (700, 600)),
    "shortcuts": Screen(parts.shortcuts, (1200, 800), (700, 600)),
    "editors": Screen(parts.editors, (900, 800), (420, 400)),
    "project": Screen(parts.project, (300, 800), (200, 400)),
    "compare": Screen(parts.compare, (1000, 700), (520, 400)),
    "handbook": Screen(parts.handbook, (1100, 800), (480, 360)),
    "gallery": Screen(parts.gallery, (1600, 1120), (1360, 1120)),
}
