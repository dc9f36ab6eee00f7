"""`ProblemsPanel`: what is wrong with the package that is open; everything else plays (PKG-10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QStackedWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from studio_qt.errors import Problem
from studio_qt.ui.actions import Actions, Place
from studio_qt.ui.problems.view import ProblemRole, ProblemTree
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bars import EmptyState

__all__ = ["ProblemsPanel"]


class ProblemsPanel(QWidget):
    """Problems by file, those with errors first.

    `jump_wanted` carries a path and a line from 1, 0 where a problem has none; `counted` how many
    errors and warnings there are. With `actions`, copying and going from one to the next are in
    menus and have keys.
    """

    jump_wanted = Signal(str, int)
    counted = Signal(int, int)

    def __init__(
        self, theme: Theme, actions: Actions | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.mender: Callable[[QMenu, Problem], object] | None = None
        """Puts ways to mend a problem on top of a menu that is open."""
        self._problems: list[Problem] = []
        self._view = ProblemTree(theme)
        self._empty = EmptyState(
            theme,
            "check-circle",
            "No problems",
            "Whatever is wrong with a file of the project is listed here.",
            name="problemsEmpty",
        )
        self._pages = QStackedWidget()
        self._build()
        if actions is not None:
            self._add_actions(actions)

    @property
    def problems(self) -> Sequence[Problem]:
        """What is listed, in its order."""
        return tuple(self._problems)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """List these; the current one stays so if it is among them."""
        ordered = _in_order(problems)
        if ordered != self._problems:
            current = self._current()
            self._problems = ordered
            self._fill(current)
        self._pages.setCurrentWidget(self._view if ordered else self._empty)
        errors = sum(problem.severity == "error" for problem in ordered)
        self.counted.emit(errors, len(ordered) - errors)

    def copy(self) -> None:
        """Copy the selected problem, or all of a selected file; without a selection, all."""
        chosen: list[Problem] = []
        for item in self._view.selectedItems():
            chosen += _problems_of(item)
        lines = [str(problem) for problem in chosen or self._problems]
        if lines:
            QGuiApplication.clipboard().setText("\n".join(lines))

    def step(self, by: int) -> None:
        """Go to the next problem, or with -1 to the one before, and jump there."""
        items = [one for file in self._files() for one in _children(file)]
        if not items:
            return
        current = self._view.currentItem()
        place = items.index(current) if current in items else (-1 if by > 0 else 0)
        item = items[(place + by) % len(items)]
        self._view.setCurrentItem(item)
        self._jump(item)

    # Building

    def _build(self) -> None:
        self.setObjectName("problemsPanel")
        self.setAccessibleName("Problems")
        self._pages.addWidget(self._view)
        self._pages.addWidget(self._empty)
        self._pages.setCurrentWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        self._view.jump.connect(self._jump)
        self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._view.customContextMenuRequested.connect(self._show_menu)

    def _add_actions(self, actions: Actions) -> None:
        place = Place("Edit", 9)
        actions.add("nextProblem", "Next problem", lambda: self.step(1), place=place, keys="F8")
        before = "Previous problem"
        actions.add("previousProblem", before, lambda: self.step(-1), place=place, keys="Shift+F8")
        actions.add(
            "copyProblems", "Copy problems", self.copy, place=place, keys="Ctrl+C", owner=self._view
        )

    def _fill(self, current: Problem | None) -> None:
        closed = {item.text(0) for item in self._files() if not item.isExpanded()}
        self._view.clear()
        for path, group in groupby(self._problems, key=lambda problem: problem.file):
            file = self._view.add_file(path, list(group))
            file.setExpanded(path not in closed)
            for item in _children(file):
                if item.data(0, ProblemRole) == current:
                    self._view.setCurrentItem(item)

    # Slots

    def _jump(self, item: QTreeWidgetItem) -> None:
        problem = item.data(0, ProblemRole)
        if isinstance(problem, Problem):
            self.jump_wanted.emit(problem.file, problem.line or 0)

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setObjectName("problemsMenu")
        menu.setAccessibleName("Problems")
        menu.addAction("&Copy", self.copy)
        menu.addAction("Copy &all", self._copy_all)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._view.viewport().mapToGlobal(place))
        if self.mender is not None and (problem := self._current()) is not None:
            self.mender(menu, problem)

    def _copy_all(self) -> None:
        self._view.clearSelection()
        self.copy()

    # Helpers

    def _files(self) -> list[QTreeWidgetItem]:
        view = self._view
        found = (view.topLevelItem(row) for row in range(view.topLevelItemCount()))
        return [item for item in found if item is not None]

    def _current(self) -> Problem | None:
        item = self._view.currentItem()
        problem = item.data(0, ProblemRole) if item is not None else None
        return problem if isinstance(problem, Problem) else None


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    found = (item.child(row) for row in range(item.childCount()))
    return [child for child in found if child is not None]


def _problems_of(item: QTreeWidgetItem) -> list[Problem]:
    """Return the problem of a row, or all of a file's."""
    problem = item.data(0, ProblemRole)
    if isinstance(problem, Problem):
        return [problem]
    return [one for child in _children(item) for one in _problems_of(child)]


def _in_order(problems: Sequence[Problem]) -> list[Problem]:
    """Put files with errors first, and in each file errors before warnings, by line."""
    wrong = {problem.file for problem in problems if problem.severity == "error"}
    return sorted(
        dict.fromkeys(problems),
        key=lambda problem: (
            problem.file not in wrong,
            problem.file != "config.json",
            problem.file,
            problem.severity != "error",
            problem.line or 0,
        ),
    )
