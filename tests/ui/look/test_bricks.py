"""The shared controls: what they tell, what keys do in them, and that they never flash."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bars import EmptyState, Meter, NoticeBar, SectionTitle
from studio_qt.ui.widgets.basics import give_icon, label
from studio_qt.ui.widgets.choicecard import ChoiceCard
from studio_qt.ui.widgets.inputs import Card, FormRow, NumberField, Pill, SearchField, Segments
from studio_qt.ui.widgets.sheet import MessageSheet, Sheet


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    theme = Theme("dark")
    theme.apply()
    return theme


@pytest.fixture
def window(theme: Theme) -> Iterator[QWidget]:
    window = QWidget()
    window.setMinimumSize(1, 1)
    window.resize(500, 400)
    QVBoxLayout(window)
    window.show()
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    yield window
    window.close()
    window.deleteLater()


def put(window: QWidget, widget: QWidget) -> None:
    layout = window.layout()
    assert layout is not None
    layout.addWidget(widget)
    widget.show()


def spoken(widget: QWidget) -> tuple[str, str]:
    face = QAccessible.queryAccessibleInterface(widget)
    return face.text(QAccessible.Text.Name), face.text(QAccessible.Text.Description)


def test_a_notice_has_buttons_only_for_what_can_be_done(theme: Theme, window: QWidget) -> None:
    bar = NoticeBar(theme)
    put(window, bar)
    bar.show_notice("intro.txt changed on the disk.", tone="info", action="Compare")
    shown = {each.objectName() for each in bar.findChildren(QPushButton) if each.isVisible()}
    assert (shown, bar.text) == ({"noticeAction"}, "intro.txt changed on the disk.")
    wanted: list[str] = []
    bar.action_wanted.connect(lambda: wanted.append("action"))
    bar.closed.connect(lambda: wanted.append("closed"))
    for name in ("noticeAction", "noticeClose"):
        QTest.mouseClick(bar.findChild(QWidget, name), Qt.MouseButton.LeftButton)
    assert (wanted, bar.isVisible()) == (["action", "closed"], False)


def test_escape_clears_a_search_field_and_is_passed_on_when_it_is_empty(
    theme: Theme, window: QWidget
) -> None:
    field = SearchField(theme, "Filter files", "filter")
    put(window, field)
    QTest.keyClicks(field, "lamp")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert spoken(field)[0] == "Filter files"
    down: list[int] = []
    field.down_wanted.connect(lambda: down.append(1))
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert down == [1]


def test_a_row_of_a_form_tells_what_is_wrong_with_its_field(theme: Theme, window: QWidget) -> None:
    field = QLineEdit()
    row = FormRow(theme, "Answer cap", field)
    put(window, row)
    row.show_state("error", "9,000 is over 8,192.")
    assert spoken(field) == ("Answer cap", "9,000 is over 8,192.")
    assert field.property("state") == "error"
    row.show_state("")
    assert (spoken(field)[1], field.property("state")) == ("", None)


def test_the_wheel_turns_a_number_only_in_the_field_that_has_the_focus(window: QWidget) -> None:
    field, other = NumberField("rounds", "Rounds", 0, 10), QPushButton("Other")
    for each in (field, other):
        put(window, each)
    field.setValue(5)
    for focused, value in ((other, 5), (field, 6)):
        focused.setFocus()
        QApplication.sendEvent(field, wheel(field))
        assert field.value() == value


def wheel(field: QWidget) -> QWheelEvent:
    middle = QPointF(field.rect().center())
    none, up = QPoint(), QPoint(0, 120)
    phase, button = Qt.ScrollPhase.NoScrollPhase, Qt.MouseButton.NoButton
    held = Qt.KeyboardModifier.NoModifier
    return QWheelEvent(middle, middle, none, up, button, held, phase, False)


def test_a_meter_warns_before_it_is_full_and_tells_its_count(theme: Theme, window: QWidget) -> None:
    meter = Meter(theme, "Context", "contextMeter", warn_at=0.9)
    put(window, meter)
    tones = []
    for share in (0.5, 0.95, 1.5):
        meter.show_value(share, "23.2k of 24.6k")
        tones.append(meter.tone)
    assert tones == ["okfill", "warnfill", "err"]
    assert meter.accessibleName() == "Context: 23.2k of 24.6k"


def test_a_card_is_as_high_as_its_words_need(theme: Theme, window: QWidget) -> None:
    card = Card("card", "A card")
    card.add(label("Nineteen years with one lamp and one logbook, wrong once. " * 3, wrap=True))
    assert card.heightForWidth(200) > card.heightForWidth(400) > 40
    put(window, card)
    clicks: list[int] = []
    card.clicked.connect(lambda: clicks.append(1))
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert clicks == [1]


def test_one_of_the_segments_is_taken(window: QWidget) -> None:
    parts = Segments([("tree", "Tree"), ("raw", "Raw text")], "form", "Form")
    put(window, parts)
    chosen: list[str] = []
    parts.chosen.connect(chosen.append)
    QTest.mouseClick(parts.findChild(QPushButton, "formRaw"), Qt.MouseButton.LeftButton)
    assert (parts.choice, chosen) == ("raw", ["raw"])
    with pytest.raises(KeyError):
        parts.choose("nothing")


def test_nothing_is_a_window_of_its_own_before_it_has_a_parent(theme: Theme) -> None:
    made = [
        EmptyState(theme, "search", "Nothing", "Try fewer letters.", "Search", name="empty"),
        FormRow(theme, "Name", QLineEdit(), "a hint"),
        SectionTitle("Recent"),
        Pill("private", "warn"),
    ]
    assert not any(window.isVisible() for window in QApplication.topLevelWidgets())
    for each in made:
        each.deleteLater()


def test_a_button_takes_its_icon_with_it_and_the_theme_forgets_it(theme: Theme) -> None:
    button = QPushButton("Play")
    give_icon(theme, button, "play")
    assert button.iconSize().width() > button.iconSize().height()  # room before the words
    button.deleteLater()
    QApplication.sendPostedEvents(None, 0)
    QApplication.processEvents()
    theme.choose("light")
    theme.choose("dark")


def test_tab_goes_round_in_a_sheet_both_ways(theme: Theme, window: QWidget) -> None:
    put(window, QPushButton("Below the veil"))
    sheet = MessageSheet(theme, window, "Delete?", "It goes.", name="ask", yes="Delete")
    sheet.lay()
    stops = []
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Backtab):
        QTest.keyClick(QApplication.focusWidget(), key)
        stops.append(QApplication.focusWidget().objectName())
    assert stops == ["askConfirm", "askClose", "askConfirm", "askClose"]
    sheet.reject()


def test_a_sheet_grows_with_the_size_of_the_interface(theme: Theme, window: QWidget) -> None:
    window.resize(1200, 600)
    sheet = MessageSheet(theme, window, "Delete?", "It goes.", name="ask")
    try:
        theme.set_sizes(26)
        sheet.lay()
        assert sheet.card.width() == 2 * MessageSheet.widest
    finally:
        theme.set_sizes(13)
        sheet.reject()


def test_tab_comes_to_the_taken_one_of_a_group(theme: Theme, window: QWidget) -> None:
    sheet = Sheet(theme, window, "Export")
    parts = Segments([("zip", "Zip"), ("card", "Card"), ("charx", "CHARX")], "kind", "Kind")
    name = QLineEdit()
    name.setObjectName("name")
    sheet.column.addWidget(parts)
    sheet.column.addWidget(name)
    sheet.lay()
    parts.choose("card")
    name.setFocus()
    QTest.keyClick(name, Qt.Key.Key_Tab)
    assert QApplication.focusWidget().objectName() == "kindCard"
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is name
    sheet.deleteLater()


def test_a_sheet_is_not_laid_twice(theme: Theme, window: QWidget) -> None:
    first = Sheet(theme, window, "Keys")
    second, other = Sheet(theme, window, "Keys"), Sheet(theme, window, "Walls")
    for sheet in (first, second, other):
        sheet.lay()
    assert [sheet.is_open for sheet in (first, second, other)] == [True, False, True]
    other.reject()
    first.reject()
    second.lay()
    assert second.is_open


def test_a_card_fits_its_words_also_where_they_get_their_look_later(
    theme: Theme, window: QWidget
) -> None:
    card = ChoiceCard(theme, "card", icon="globe")
    card.show_words("Another provider", "Any address that speaks the format")
    put(window, card)
    QCoreApplication.sendPostedEvents()
    before = card.minimumHeight()
    name = next(one for one in card.findChildren(QLabel) if one.text() == "Another provider")
    for pixels, is_higher in ((40, True), (9, False)):
        name.setStyleSheet(f"font-size: {pixels}px")
        QCoreApplication.sendPostedEvents()
        layout = card.layout()
        assert layout is not None
        assert card.minimumHeight() == layout.sizeHint().height()
        assert (card.minimumHeight() > before) is is_higher
