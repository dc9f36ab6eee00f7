"""The screens: how each is built on a real window. A new page is one function and one line.

A builder gets a `Scene` and returns the window that shows the screen, drawn and at rest; the walker
goes over it and `packaging/pictures.py` takes its picture.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.ui.look.scene import NOW, Scene

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
    stage = await scene.stage(scene.keeper())
    action = stage.window.menus.actions.find("about")
    assert action is not None
    action.trigger()
    await scene.wait(lambda: any(sheet.isVisible() for sheet in _sheets(stage.window)))
    return stage.window


def _sheets(window: QWidget) -> list[QWidget]:
    from studio_qt.ui.widgets.sheet import Sheet

    return list(window.findChildren(Sheet))


async def _start(scene: Scene) -> QWidget:
    from studio_qt.ui.answering.page import WhoAnswers
    from studio_qt.ui.connections import Connections
    from studio_qt.ui.recents import Recents
    from studio_qt.ui.start.page import StartPage
    from studio_qt.ui.start.tiles import TemplateTile

    desk = scene.desk()
    recents = Recents(scene.folder / "home", scene.window)
    others = (
        ("lorekeeper", "The Orchard Judge", "Settles quarrels and remembers every verdict."),
        ("name-finder", "Sable and Finch", "Two locksmiths, one shop."),
        ("confidant", "Tide School", "A patient teacher of knots, charts and getting home."),
    )
    for days, (template, title, text) in enumerate(others, 2):
        recents.note(scene.copy(template, title, text), NOW - timedelta(days=days))
    recents.note(scene.keeper(), NOW - timedelta(hours=1))
    page = StartPage(desk, recents)
    connections = Connections(None, desk.tasks, page, doors=())
    page.set_side(WhoAnswers(desk, connections))
    scene.put(page)
    scene.window.show()
    await scene.wait(lambda: page.settled and bool(page.findChildren(TemplateTile)))
    return scene.window


async def _first_start(scene: Scene) -> QWidget:
    from studio_qt.ui.recents import Recents
    from studio_qt.ui.start.page import StartPage
    from studio_qt.ui.start.tiles import TemplateTile

    page = scene.put(StartPage(scene.desk(), Recents(scene.folder / "home")))
    scene.window.show()
    await scene.wait(lambda: page.settled and bool(page.findChildren(TemplateTile)))
    return scene.window


async def _new_character(scene: Scene) -> QWidget:
    from studio_qt.ui.start.newsheet import NewSheet

    window = await _first_start(scene)
    button = window.findChild(QWidget, "startNew")
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    await scene.wait(lambda: any(one.place.text() for one in window.findChildren(NewSheet)))
    return window


async def _gallery(scene: Scene) -> QWidget:
    from tests.ui.look.gallery import Gallery

    scene.put(Gallery(scene.desk().theme))
    scene.window.show()
    return scene.window


SCREENS: dict[str, Screen] = {
    "main": Screen(_main),
    "failure": Screen(_failure),
    "command": Screen(_command),
    "message": Screen(_message),
    "start": Screen(_start),
    "first-start": Screen(_first_start),
    "new-character": Screen(_new_character),
    "gallery": Screen(_gallery, (1600, 1120), (1360, 1120)),
}
