"""The walker finds what is seeded, and nothing where all is well."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio_qt.ui.theme.theme import Theme
from tests.ui.look import pixels, walker
from tests.ui.look.gallery import Gallery
from tests.ui.look.tabbing import left_out_by_tab
from tests.ui.look.walker import Fault
from tests.ui.look.walking import walk

Make = Callable[..., QWidget]


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    theme = Theme("dark")
    theme.apply()
    return theme


@pytest.fixture
def page(theme: Theme) -> Iterator[Make]:
    """Show widgets in a column of 300 by 200 px."""
    made: list[QWidget] = []

    def show(*widgets: QWidget, laid: bool = True) -> QWidget:
        page = QWidget()
        page.setObjectName("page")
        page.setProperty("role", "pane")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        page.setMinimumSize(1, 1)
        page.resize(300, 200)
        column = QVBoxLayout(page) if laid else None
        for widget in widgets:
            widget.setParent(page)
            if column is not None:
                column.addWidget(widget)
        activate(page)
        made.append(page)
        return page

    yield show
    for one in made:
        one.close()
        one.deleteLater()


def named(widget: QWidget, name: str) -> QWidget:
    widget.setObjectName(name)
    widget.setAccessibleName(name)
    return widget


def activate(window: QWidget) -> None:
    window.show()
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)


def kinds(faults: list[Fault]) -> list[str]:
    return [fault.kind for fault in faults]


@pytest.mark.parametrize("choice", ["dark", "light", "contrast"])
def test_the_gallery_of_all_controls_has_no_fault(theme: Theme, choice: str) -> None:
    theme.choose(choice)
    gallery = Gallery(theme)
    gallery.resize(1600, 1120)
    activate(gallery)
    try:
        high = theme.tokens.high_contrast
        assert [str(fault) for fault in walk(gallery, high_contrast=high)] == []
    finally:
        gallery.close()
        gallery.deleteLater()


def test_a_label_without_room_is_clipped(page: Make) -> None:
    label = QLabel("These words need more room than they have.")
    label.setFixedWidth(80)
    assert kinds(walker.clipped(page(label))) == ["clipped"]


def test_a_wrapped_label_without_height_is_clipped(page: Make) -> None:
    label = QLabel("These words need more lines than they have, and so the last ones are cut.")
    label.setWordWrap(True)
    label.setFixedSize(120, 20)
    assert kinds(walker.clipped(page(label))) == ["clipped"]


def test_a_button_whose_words_do_not_fit_is_clipped(page: Make) -> None:
    button = QPushButton("Open another folder")
    button.setFixedWidth(60)
    assert kinds(walker.clipped(page(button))) == ["clipped"]


def test_what_sticks_out_of_its_parent_is_clipped(page: Make) -> None:
    label = QLabel("Here")
    label.setGeometry(280, 10, 60, 20)
    assert kinds(walker.clipped(page(label, laid=False))) == ["clipped"]


def test_what_can_only_be_scrolled_up_and_down_must_not_be_too_wide(page: Make) -> None:
    wide = QLabel("Here and there and everywhere")
    wide.setMinimumSize(500, 800)
    area = QScrollArea()
    area.setWidget(wide)
    shown = page(area)
    assert walker.clipped(shown) == []
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    assert kinds(walker.clipped(shown)) == ["clipped"]


def test_controls_on_one_another_overlap(page: Make) -> None:
    first, second = QPushButton("First"), QPushButton("Second")
    first.setGeometry(10, 10, 100, 30)
    second.setGeometry(60, 20, 100, 30)
    assert kinds(walker.overlapping(page(first, second, laid=False))) == ["overlapping"]


def test_what_floats_may_lie_over_others(page: Make) -> None:
    first, second = QPushButton("First"), QPushButton("Newest")
    second.setProperty("kind", "float")
    first.setGeometry(10, 10, 100, 30)
    second.setGeometry(60, 20, 100, 30)
    assert walker.overlapping(page(first, second, laid=False)) == []


@pytest.mark.parametrize(("tip", "found"), [("", ["elided"]), ("the whole name", [])])
def test_a_row_that_is_cut_needs_a_tip(page: Make, tip: str, found: list[str]) -> None:
    rows = QListWidget()
    rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    item = QListWidgetItem("a name that is far longer than any row of this list can be " * 3)
    item.setToolTip(tip)
    rows.addItem(item)
    assert kinds(walker.elided(page(rows))) == found


def test_a_tab_that_is_cut_needs_a_tip(page: Make) -> None:
    tabs = QTabBar()
    tabs.setUsesScrollButtons(False)
    tabs.setElideMode(Qt.TextElideMode.ElideRight)
    for number in range(6):
        tabs.addTab(f"a long name of a tab {number}")
    shown = page(tabs)
    assert set(kinds(walker.elided(shown))) == {"elided"}
    for number in range(6):
        tabs.setTabToolTip(number, tabs.tabText(number))
    assert walker.elided(shown) == []


def test_rows_laid_out_before_the_stylesheet_are_told(page: Make) -> None:
    rows = QListWidget()
    rows.addItems(["one", "two"])
    rows.setStyleSheet("QListView::item { min-height: 10px; border: none; padding: 0; }")
    assert kinds(walker.low_rows(page(rows))) == ["low rows"]


def test_a_control_without_a_name_is_told(page: Make) -> None:
    button = QToolButton()
    assert kinds(walker.unnamed(page(button))) == ["unnamed", "unnamed"]
    assert walker.unnamed(page(named(QToolButton(), "go"))) == []


def test_a_control_that_tab_does_not_reach_is_told(page: Make) -> None:
    button = named(QPushButton("Go"), "go")
    button.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
    assert kinds(walker.unreachable(page(button))) == ["unreachable"]


def test_a_control_that_keeps_the_focus_for_itself_hides_what_follows(page: Make) -> None:
    class Trap(QPushButton):
        def focusNextPrevChild(self, forward: bool) -> bool:
            return True

    shown = page(named(Trap("Stay"), "trap"), named(QPushButton("Go on"), "on"))
    assert [fault.where for fault in left_out_by_tab(shown)] == ["QPushButton on “Go on”"]


def test_tab_must_not_leave_what_lies_over_the_window(page: Make) -> None:
    sheet, inside = QWidget(), named(QPushButton("In it"), "in")
    QVBoxLayout(sheet).addWidget(inside)
    page(named(sheet, "sheet"), named(QPushButton("Below it"), "below"))
    assert ["leaves" in fault.what for fault in left_out_by_tab(sheet)] == [True]


def test_words_that_are_too_faint_are_told(page: Make) -> None:
    label = QLabel("Can you read this?")
    label.setStyleSheet("color: #55525c;")
    good = QLabel("This can be read.")
    assert kinds(pixels.poor_contrast(page(label, good))) == ["contrast"]


def test_words_on_a_plate_are_measured_against_the_plate(page: Make) -> None:
    label = QLabel("White on light")
    label.setStyleSheet("background: #dddddd; color: #ffffff;")
    assert kinds(pixels.poor_contrast(page(label))) == ["contrast"]


def test_a_faint_passage_of_a_text_is_told(page: Make) -> None:
    area = QPlainTextEdit()
    area.appendHtml('<span style="color:#333038">faint</span> and <b>plain</b>')
    assert kinds(pixels.poor_contrast(page(area))) == ["contrast"]


def test_a_control_whose_focus_cannot_be_seen_is_told(page: Make) -> None:
    dull = named(QPushButton("Dull"), "dull")
    dull.setStyleSheet("QPushButton, QPushButton:focus { border: 1px solid #888; padding: 4px; }")
    bright = named(QPushButton("Bright"), "bright")
    faults = pixels.no_ring(page(dull, bright))
    assert [(fault.kind, "dull" in fault.where) for fault in faults] == [("no ring", True)]
