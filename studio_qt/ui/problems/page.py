"""`ProblemsPanel`: what is wrong with the package that is open; everything else plays."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio_qt.errors import Problem
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView, label, text_button

__all__ = ["ProblemsPanel"]

_MOST_ROWS = 4
_LOOKS = {"error": ("alert", "err"), "warning": ("warning", "warn")}


class ProblemsPanel(QWidget):
    """A bar that counts, and below it the list; hidden as long as there is nothing to tell."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._problems: Sequence[Problem] = ()
        self._bar = QFrame()
        self._bar.setObjectName("problemsBar")
        self._bar.setAccessibleName("Problems")
        self._icon = IconView(theme, "warning", "warn", 16)
        self._count = label("", "", name="problemsCount")
        self._toggle = text_button("Hide", "problemsToggle", "link")
        self._list = QListWidget()
        self._build()
        theme.changed.connect(self._fill)
        self.hide()

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show these, errors first; the list opens by itself when there is an error."""
        self._problems = sorted(problems, key=lambda problem: problem.severity != "error")
        self._fill()
        self.setVisible(bool(problems))
        self._show_list(shown=bool(problems))

    def _fill(self) -> None:
        self._list.clear()
        for problem in self._problems:
            icon, token = _LOOKS[problem.severity]
            item = QListWidgetItem(self._theme.icon(icon, token, 15), _line(problem))
            item.setToolTip(str(problem))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, str(problem))
            self._list.addItem(item)
        errors = any(problem.severity == "error" for problem in self._problems)
        self._icon.set_icon(*(_LOOKS["error"] if errors else _LOOKS["warning"]))
        self._bar.setProperty("tone", "err" if errors else "warn")
        self._bar.style().polish(self._bar)
        self._count.setText(_counted(self._problems))

    def _show_list(self, *, shown: bool) -> None:
        self._list.setVisible(shown)
        self._toggle.setText("Hide" if shown else "Show")
        self._toggle.setAccessibleName(f"{self._toggle.text()} the problems")
        rows = min(len(self._problems), _MOST_ROWS)
        self._list.setFixedHeight(rows * 32 + 10)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout(self._bar)
        row.setContentsMargins(20, 5, 12, 5)
        row.setSpacing(10)
        row.addWidget(self._icon)
        row.addWidget(self._count)
        row.addStretch(1)
        row.addWidget(self._toggle)
        column.addWidget(self._bar)
        self._list.setObjectName("problemsView")
        self._list.setAccessibleName("Problems of the package")
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._list.setIconSize(QSize(15, 15))
        self._list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column.addWidget(self._list)
        self._toggle.clicked.connect(lambda: self._show_list(shown=self._list.isHidden()))


def _line(problem: Problem) -> str:
    place = problem.file if problem.line is None else f"{problem.file}, line {problem.line}"
    return f"{place}: {problem.message}"


def _counted(problems: Sequence[Problem]) -> str:
    errors = sum(problem.severity == "error" for problem in problems)
    warnings = len(problems) - errors
    words = []
    if errors:
        words.append("1 error" if errors == 1 else f"{errors} errors")
    if warnings:
        words.append("1 warning" if warnings == 1 else f"{warnings} warnings")
    return f"{' and '.join(words)} in this package; everything else plays."
