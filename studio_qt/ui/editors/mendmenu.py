"""`MendMenu`: the menu of quick fixes, in the editor and for a list of problems."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget
from shiboken6 import isValid

from studio_qt.authoring.mending import Mend
from studio_qt.errors import Problem, StudioError
from studio_qt.sentences import shortened
from studio_qt.ui.desk import Desk
from studio_qt.ui.editors.assistant import Assistant

__all__ = ["MendMenu"]

_LONGEST = 72


class MendMenu(QObject):
    """Mends are looked for on another thread; the menu opens when they are there.

    `notice` carries a sentence and "info" or "error"; `mended` a sentence and what takes it back,
    None where the editor does; `made` the path of a new file.
    """

    notice = Signal(str, str)
    mended = Signal(str, object)
    made = Signal(str)

    def __init__(self, desk: Desk, assistant: Assistant, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._assistant = desk, assistant

    def open(self, path: str, problems: Sequence[Problem], over: QWidget, place: QPoint) -> None:
        """Open the menu for a file and problems of a line in it at a place of the screen."""
        self._desk.tasks.start(self._open(path, problems, over, place), name="look for mends")

    def fill(self, menu: QMenu, problem: Problem) -> None:
        """Put mends of a problem on top of a menu that is open, when they are found."""
        first = menu.actions()[0] if menu.actions() else None
        waiting = _entry(menu, "Looking for ways to mend it…", "mendWaiting", first)
        waiting.setEnabled(False)
        if first is not None:
            menu.insertSeparator(first)
        self._desk.tasks.start(self._fill(menu, waiting, problem), name="look for mends")

    def apply(self, mend: Mend) -> None:
        """Do what a mend says."""
        self._desk.tasks.start(self._apply(mend), name="mend")

    # Helpers

    async def _open(
        self, path: str, problems: Sequence[Problem], over: QWidget, place: QPoint
    ) -> None:
        found = [
            (shortened(problem.message, _LONGEST), await self._assistant.mends(problem))
            for problem in problems
        ]
        found.append(("", await self._assistant.file_mends(path)))
        found = [(head, ways) for head, ways in found if ways]
        if not found:
            words = "The program knows no way to mend this line."
            if not problems:
                words = "There is nothing to mend on this line."
            self.notice.emit(words, "info")
            return
        if not isValid(over) or not over.isVisible():
            return
        menu = QMenu(over)
        menu.setObjectName("mendMenu")
        menu.setAccessibleName("Quick fixes")
        for number, (head, ways) in enumerate(found):
            if number:
                menu.addSeparator()
            if head and len(found) > 1:
                _entry(menu, head, "mendProblem", None).setEnabled(False)
            for way in ways:
                self._add(menu, way, None)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)
        menu.setActiveAction(next(one for one in menu.actions() if one.isEnabled()))

    async def _fill(self, menu: QMenu, waiting: QAction, problem: Problem) -> None:
        ways = await self._assistant.mends(problem)
        if not isValid(menu) or not isValid(waiting):
            return  # it was closed meanwhile
        for way in ways:
            self._add(menu, way, waiting)
        waiting.setText("The program knows no way to mend it")
        waiting.setVisible(not ways)

    def _add(self, menu: QMenu, way: Mend, before: QAction | None) -> None:
        entry = _entry(menu, way.title, "mendEntry", before)
        entry.triggered.connect(lambda _checked=False, way=way: self.apply(way))

    async def _apply(self, mend: Mend) -> None:
        try:
            done = await self._assistant.apply(mend)
        except StudioError as error:
            self.notice.emit(str(error), "error")
            return
        undo = done.undo if done is not None else None
        self.mended.emit(f"Done: {mend.title}.", undo)
        for path, seen in mend.seen.items():
            if seen is None:
                self.made.emit(path)


def _entry(menu: QMenu, text: str, name: str, before: QAction | None) -> QAction:
    action = QAction(text.replace("&", "&&"), menu)
    action.setObjectName(name)
    if before is None:
        menu.addAction(action)
    else:
        menu.insertAction(before, action)
    return action
