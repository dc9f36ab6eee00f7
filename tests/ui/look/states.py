"""Builders of screens that show one page alone in a state that is not its usual one."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QWidget

from studio_qt.errors import Problem
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.editors.page import EditorsPage
from studio_qt.ui.handbook.page import HandbookPage
from studio_qt.ui.history.page import HistoryPage
from studio_qt.ui.opening.page import OpeningPage
from studio_qt.ui.problems.page import ProblemsPanel
from studio_qt.ui.project.page import ProjectPage
from studio_qt.ui.search.page import SearchPage
from tests.ui.look.scene import NOW, Scene

__all__ = [
    "broken_agent",
    "draft",
    "foreign_change",
    "gone_file",
    "gone_folder",
    "handbook_search",
    "history",
    "no_editor",
    "opening",
    "problems",
    "replacing",
    "shown_file",
]

_W = TypeVar("_W", bound=QWidget)

MANY = (
    Problem("error", "config.json", 12, "“agents” must be a list; put the names in [ ]."),
    Problem("error", "agents/keeper.omens.py", 251, "SyntaxError: invalid syntax"),
    Problem("warning", "agents/keeper.omens.py", 4, "The tool “read_omen” has no description."),
    Problem("error", "agents/keeper.tides.ts", None, "There is no such file. Add it to agents."),
    Problem("warning", "instructions.txt", None, "The file is empty; the character has no voice."),
    *(
        Problem("warning", "context/.tides.json", line, f"Entry {line} has no “name”.")
        for line in range(2, 22)
    ),
)


async def problems(scene: Scene) -> QWidget:
    """A list that is longer than its panel."""
    panel = scene.put(ProblemsPanel(scene.desk().theme))
    scene.window.show()
    panel.show_problems(MANY)
    return scene.window


async def no_editor(scene: Scene) -> QWidget:
    """Editors without a tab."""
    await _editors(scene)
    return scene.window


async def foreign_change(scene: Scene) -> QWidget:
    """Another program has changed what is edited; something is sought that is no pattern."""
    page, documents = await _editors(scene, "instructions.txt")
    QTest.keyClicks(page.editor, "She waits. ")
    (scene.keeper() / "instructions.txt").write_text("You are somebody else.\n", encoding="utf-8")
    await documents.files_changed(frozenset({"instructions.txt"}))
    _trigger(scene.window, "find")
    _press(page, "findExpression")
    QTest.keyClicks(_named(page, "findField", QLineEdit), "(lamp")
    await scene.wait(lambda: _named(page, "noticeBar").isVisible())
    return scene.window


async def gone_file(scene: Scene) -> QWidget:
    """A file that is open was removed."""
    page, documents = await _editors(scene, "instructions.txt")
    (scene.keeper() / "instructions.txt").unlink()
    await documents.files_changed(frozenset({"instructions.txt"}))
    await scene.wait(lambda: _named(page, "noticeBar").isVisible())
    return scene.window


async def broken_agent(scene: Scene) -> QWidget:
    """The agent in front does not load."""
    page, _documents = await _editors(scene, "agents/keeper.signals.ts")
    page.show_problems(
        [Problem("error", "agents/keeper.signals.ts", 6, "SyntaxError: “}” is expected here.")]
    )
    await scene.wait(lambda: _named(page, "noticeBar").isVisible())
    return scene.window


def shown_file(name: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of what is shown of a file that is no text."""

    async def build(scene: Scene) -> QWidget:
        image = QImage(640, 420, QImage.Format.Format_RGB32)
        image.fill(QColor("teal"))
        assert image.save(str(scene.keeper() / "lamp.png"))
        (scene.keeper() / "lamp.bin").write_bytes(bytes(range(256)) * 9)
        await _editors(scene, name)
        return scene.window

    return build


async def draft(scene: Scene) -> QWidget:
    """A new agent gets a name that no file can have."""
    page = await _project(scene)
    page.begin_new("newAgentPython")
    await scene.wait(lambda: bool(page.findChildren(QLineEdit, "treeName")))
    field = _named(page, "treeName", QLineEdit)
    field.selectAll()
    QTest.keyClicks(field, "what?.py")
    await scene.wait(lambda: any(one.isVisible() for one in _faults(page)))
    return scene.window


async def gone_folder(scene: Scene) -> QWidget:
    """The folder of the project was removed."""
    page = await _project(scene)
    shutil.rmtree(scene.keeper())
    page.files_changed(frozenset())
    await scene.wait(lambda: bool(page.findChildren(QWidget, "projectGone")))
    await scene.wait(lambda: _named(page, "projectGone").isVisible())
    return scene.window


async def opening(scene: Scene) -> QWidget:
    """A character whose Python is being prepared; the wheel stands still."""
    page = scene.put(OpeningPage(scene.desk().theme))
    scene.window.show()
    page.show_opening("Lantern Keeper")
    page.show_progress("Python is prepared once, which takes about ten seconds.")
    page.rest()
    return scene.window


async def replacing(scene: Scene) -> QWidget:
    """What a replacement in all files would do."""
    desk = scene.desk()
    documents = scene.documents(desk)
    await documents.set_project(scene.keeper())
    page = scene.put(SearchPage(desk, documents))
    scene.window.show()
    page.show_project(scene.keeper())
    page.focus("lamp")
    _press(page, "searchReplace")
    QTest.keyClicks(_named(page, "searchReplacement", QLineEdit), "beacon")
    page.search()
    await scene.wait(lambda: page.settled)
    return scene.window


async def history(scene: Scene) -> QWidget:
    """The earlier versions of a file that was saved twice, long ago."""
    desk = scene.desk()
    documents = scene.documents(desk)
    await documents.set_project(scene.keeper())
    document = await documents.open("intro.txt")
    for text in ("The first idea.", "The first idea, and a second."):
        document.text.setPlainText(text)
        await documents.save(document)
    kept = documents.history._files
    kept["intro.txt"] = [
        one._replace(time=NOW.timestamp() - 5_400 * (3 - place))
        for place, one in enumerate(kept["intro.txt"])
    ]
    page = scene.put(HistoryPage(desk, documents))
    scene.window.show()
    page.show_path("intro.txt")
    await scene.wait(lambda: len(page.versions) > 0)
    return scene.window


async def handbook_search(scene: Scene) -> QWidget:
    """The pages of the handbook that have a word, and the word in one of them."""
    page = scene.put(HandbookPage(scene.desk()))
    scene.window.show()
    page.open_page("agent-code")
    await scene.wait(lambda: page.settled)
    QTest.keyClicks(page.search, "network")
    return scene.window


# Helpers


async def _editors(scene: Scene, *paths: str) -> tuple[EditorsPage, Documents]:
    desk = scene.desk()
    documents = scene.documents(desk)
    await documents.set_project(scene.keeper())
    page = scene.put(EditorsPage(desk, documents))
    scene.window.show()
    for path in paths:
        await page.open(path)
    return page, documents


async def _project(scene: Scene) -> ProjectPage:
    desk = scene.desk()
    documents = scene.documents(desk)
    await documents.set_project(scene.keeper())
    page = scene.put(ProjectPage(desk, documents))
    scene.window.show()
    page.show_project(scene.keeper(), "Lantern Keeper")
    await scene.wait(lambda: page.settled and page.tree.model().rowCount() > 3)
    return page


def _named(root: QWidget, name: str, kind: type[_W] = QWidget) -> _W:  # type: ignore[assignment]
    found = root.findChild(kind, name)
    assert found is not None, f"there is no {name}"
    return found


def _faults(page: QWidget) -> list[QWidget]:
    return page.window().findChildren(QWidget, "treeNameFault")


def _press(root: QWidget, name: str) -> None:
    QTest.mouseClick(_named(root, name, QAbstractButton), Qt.MouseButton.LeftButton)


def _trigger(root: QWidget, name: str) -> None:
    action = root.findChild(QAction, name)
    assert action is not None, f"there is no {name}"
    action.trigger()
