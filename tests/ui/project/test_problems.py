"""The list of problems."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow, QTreeWidget, QWidget

from studio_qt.errors import Problem
from studio_qt.ui.actions import Actions
from studio_qt.ui.problems.page import ProblemsPanel
from studio_qt.ui.theme.theme import Theme

FAULTS = [
    Problem("warning", "intro.txt", None, "is empty; write how it begins."),
    Problem("warning", "agents/a.js", 9, "declares a hook without a handler; add it."),
    Problem("error", "agents/a.js", 12, "does not compile; mend the line."),
    Problem("error", "config.json", 3, '"agents" must be a list; put the names in [ ].'),
]


class Bench:
    def __init__(self) -> None:
        self.window = QMainWindow()
        self.window.setMinimumSize(240, 200)
        self.window.resize(560, 300)
        self.theme = Theme("dark", self.window)
        self.theme.apply()
        self.actions = Actions(self.window)
        self.panel = ProblemsPanel(self.theme, self.actions)
        self.window.setCentralWidget(self.panel)
        self.jumps: list[tuple[str, int]] = []
        self.counts: list[tuple[int, int]] = []
        self.panel.jump_wanted.connect(lambda *place: self.jumps.append(place))
        self.panel.counted.connect(lambda *counts: self.counts.append(counts))
        self.window.show()
        self.panel.show_problems(FAULTS)

    @property
    def view(self) -> QTreeWidget:
        return self.panel.findChild(QTreeWidget, "problemsView")

    def rows(self) -> list[tuple[str, list[str]]]:
        files = [self.view.topLevelItem(row) for row in range(self.view.topLevelItemCount())]
        return [
            (file.text(0), [file.child(row).text(0) for row in range(file.childCount())])
            for file in files
        ]

    def place(self, file: int, row: int) -> QPoint:
        return self.view.visualItemRect(self.view.topLevelItem(file).child(row)).center()


@pytest.fixture
def bench(qapp: object) -> Iterator[Bench]:
    made = Bench()
    yield made
    made.window.close()
    made.window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.mark.clause("PKG-10")
def test_files_with_errors_come_first_and_errors_first_in_each(bench: Bench) -> None:
    assert bench.rows() == [
        ("config.json", [FAULTS[3].message]),
        ("agents/a.js", [FAULTS[2].message, FAULTS[1].message]),
        ("intro.txt", [FAULTS[0].message]),
    ]
    assert bench.counts == [(2, 2)]


def test_enter_and_double_click_jump_to_the_line(bench: Bench) -> None:
    QTest.mouseDClick(
        bench.view.viewport(),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        bench.place(1, 0),
    )
    bench.view.setCurrentItem(bench.view.topLevelItem(2).child(0))
    QTest.keyClick(bench.view, Qt.Key.Key_Return)
    assert bench.jumps == [("agents/a.js", 12), ("intro.txt", 0)]


def test_keys_go_from_one_problem_to_the_next_and_around(bench: Bench) -> None:
    for _ in range(5):
        bench.actions.find("nextProblem").trigger()
    bench.actions.find("previousProblem").trigger()
    assert [path for path, _ in bench.jumps] == [
        *("config.json", "agents/a.js", "agents/a.js", "intro.txt", "config.json", "intro.txt")
    ]


def test_problems_are_copied_as_text(bench: Bench) -> None:
    bench.view.setFocus()
    bench.view.setCurrentItem(bench.view.topLevelItem(1).child(0))
    QTest.keyClick(bench.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == str(FAULTS[2])
    bench.view.clearSelection()
    bench.panel.copy()
    assert len(QGuiApplication.clipboard().text().splitlines()) == 4


def test_the_current_problem_stays_so_when_others_come_and_go(bench: Bench) -> None:
    bench.view.setCurrentItem(bench.view.topLevelItem(1).child(0))
    bench.view.topLevelItem(2).setExpanded(False)
    bench.panel.show_problems(FAULTS[:3])
    assert bench.view.currentItem().text(0) == FAULTS[2].message
    assert not bench.view.topLevelItem(1).isExpanded()


def test_without_problems_the_panel_says_so(bench: Bench) -> None:
    bench.panel.show_problems([])
    assert bench.counts[-1] == (0, 0)
    empty = bench.panel.findChild(QWidget, "problemsEmpty")
    assert empty.isVisible()
    assert empty.accessibleName() == "No problems"
    assert not bench.view.isVisible()


def test_a_long_sentence_takes_the_lines_that_it_needs(bench: Bench) -> None:
    bench.panel.show_problems([Problem("error", "a.txt", 1, "is wrong in many ways. " * 12)])
    item = bench.view.topLevelItem(0).child(0)
    wide = bench.view.visualItemRect(item).height()
    bench.window.resize(300, 300)
    QCoreApplication.processEvents()
    assert bench.view.visualItemRect(item).height() > wide > 40
