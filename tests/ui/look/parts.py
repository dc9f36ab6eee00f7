"""Builders of screens that show one page alone, in a window of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from studio_qt.errors import Problem
from studio_qt.ui.compare.page import ComparePage
from studio_qt.ui.connections import Connections
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.editors.page import EditorsPage
from studio_qt.ui.handbook.page import HandbookPage
from studio_qt.ui.history.page import HistoryPage
from studio_qt.ui.palette.page import Palette
from studio_qt.ui.palette.shortcuts import ShortcutSheet
from studio_qt.ui.project.page import ProjectPage
from studio_qt.ui.search.page import SearchPage
from studio_qt.ui.settings.page import SettingsDialog
from tests.ui.look.gallery import Gallery
from tests.ui.look.scene import Scene

__all__ = [
    "compare",
    "editors",
    "gallery",
    "handbook",
    "history",
    "palette",
    "project",
    "search",
    "settings",
    "shortcuts",
]


async def palette(scene: Scene) -> QWidget:
    """The palette with the commands of the window."""
    desk, _page = await _editors(scene)
    opened = Palette(desk, scene.window)
    opened.open_commands()
    await scene.wait(lambda: opened.is_open)
    return scene.window


async def shortcuts(scene: Scene) -> QWidget:
    """The list of keys."""
    desk, _page = await _editors(scene)
    sheet = ShortcutSheet(desk.theme, scene.window, desk.actions)
    sheet.lay()
    await scene.wait(lambda: sheet.is_open)
    return scene.window


async def editors(scene: Scene) -> QWidget:
    """Three files in tabs, one of them with unsaved text and a problem."""
    _desk, page = await _editors(scene)
    window = scene.window
    QTest.keyClicks(page.editor, "She waits. ")
    page.show_problems([Problem("warning", "config.json", 3, "“version” is not set.")])
    await scene.wait(lambda: page.editor.document().isModified())
    return window


async def _editors(scene: Scene) -> tuple[Desk, EditorsPage]:
    desk = scene.desk()
    documents = scene.documents(desk)
    await documents.set_project(scene.keeper())
    page = scene.put(EditorsPage(desk, documents))
    scene.window.show()
    for path in ("instructions.txt", "agents/keeper.omens.py", "config.json"):
        await page.open(path)
    return desk, page


async def project(scene: Scene) -> QWidget:
    """The tree of a project, with a problem in one of its files."""
    desk = scene.desk()
    documents: Documents = scene.documents(desk)
    await documents.set_project(scene.keeper())
    page = scene.put(ProjectPage(desk, documents))
    scene.window.show()
    page.show_project(scene.keeper(), "Lantern Keeper")
    page.show_problems([Problem("error", "intro.txt", 1, "The file is empty.")])
    await scene.wait(lambda: page.settled)
    return scene.window


async def compare(scene: Scene) -> QWidget:
    """Two versions of a text beside one another."""
    page = scene.put(ComparePage(scene.desk()))
    scene.window.show()
    old = "\n".join(f"Line {number} of the log, as it was." for number in range(1, 31))
    new = old.replace("Line 4 of the log, as it was.", "Line 4, as it is now.").replace(
        "Line 9 of the log, as it was.\n", ""
    )
    page.show_texts("intro.txt", "On disk, 21:40", old, "In the editor", f"{new}\nAnd one more.")
    await scene.wait(lambda: page.settled)
    return scene.window


async def handbook(scene: Scene) -> QWidget:
    """The handbook at its first page."""
    page = scene.put(HandbookPage(scene.desk()))
    scene.window.show()
    page.open_page()
    await scene.wait(lambda: page.settled)
    return scene.window


async def search(scene: Scene) -> QWidget:
    """What a search in all files of a project found."""
    desk = scene.desk()
    documents = scene.documents(desk)
    await documents.set_project(scene.keeper())
    page = scene.put(SearchPage(desk, documents))
    scene.window.show()
    page.show_project(scene.keeper())
    page.focus("lamp")
    page.search()
    await scene.wait(lambda: page.settled)
    return scene.window


async def history(scene: Scene) -> QWidget:
    """The earlier versions of a file that was saved twice."""
    desk = scene.desk()
    documents = scene.documents(desk)
    await documents.set_project(scene.keeper())
    document = await documents.open("intro.txt")
    for text in ("The first idea.", "The first idea, and a second."):
        document.text.setPlainText(text)
        await documents.save(document)
    page = scene.put(HistoryPage(desk, documents))
    scene.window.show()
    page.show_path("intro.txt")
    await scene.wait(lambda: len(page.versions) > 0)
    return scene.window


def settings(section: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of a page of the settings."""

    async def build(scene: Scene) -> QWidget:
        desk = scene.desk()
        connections = Connections(None, desk.tasks, scene.window, doors=())
        scene.window.resize(1240, 820)
        scene.window.show()
        dialog = SettingsDialog(desk, connections, scene.window)
        dialog.open_on(section)
        await scene.wait(lambda: dialog.settled)
        return scene.window

    return build


async def gallery(scene: Scene) -> QWidget:
    """Every control in every state."""
    scene.put(Gallery(scene.desk().theme))
    scene.window.show()
    return scene.window
