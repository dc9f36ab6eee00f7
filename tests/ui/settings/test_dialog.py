"""The settings: generated from their declarations, taken at once, told where they are wrong."""

from __future__ import annotations

import asyncio

import pytest
import pytest_asyncio
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QWidget

from studio_qt.ui.settings.declared import Declared, declared, read_number, shown
from studio_qt.ui.settings.page import SettingsDialog
from studio_qt.ui.settings.rows import SettingRow
from studio_qt.ui.settings.sections import SECTIONS
from tests.support.qt import until
from tests.ui.settings.conftest import OpenRoom, Room

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-10")]


def dialog(room: Room) -> SettingsDialog:
    found = room.window.findChild(SettingsDialog, "settingsDialog")
    assert isinstance(found, SettingsDialog)
    return found


@pytest_asyncio.fixture
async def room(room_with: OpenRoom) -> Room:
    opened = await room_with()
    made = SettingsDialog(opened.desk, opened.connections, opened.window)
    opened.window.show()
    made.open_on()
    await opened.idle()
    return opened


async def go(room: Room, page: str) -> None:
    """Go to a page as a user does: by its row at the left."""
    pages = dialog(room).pages
    names = [section.name for section in SECTIONS]
    item = pages.item(names.index(page))
    place = pages.visualItemRect(item).center()
    QTest.mouseClick(pages.viewport(), Qt.MouseButton.LeftButton, pos=place)
    await room.idle()
    assert room.shown(f"settings_{page}")


def enter(room: Room, name: str, text: str) -> None:
    room.type(f"setting_{name}", text)
    room.press(Qt.Key.Key_Return, f"setting_{name}")


@pytest.mark.parametrize("section", [section.name for section in SECTIONS])
async def test_every_page_opens_and_has_the_settings_that_are_declared_for_it(
    room: Room, section: str
) -> None:
    await go(room, section)
    for each in declared(section):
        field = room.find(f"setting_{each.name}")
        assert field.isVisible(), each.name
        assert field.accessibleName() == each.setting.label


async def test_a_number_is_taken_at_once_kept_and_can_be_reset(room: Room) -> None:
    await go(room, "caps")
    assert not room.shown("reset_max_rounds")
    enter(room, "max_rounds", "25")
    assert room.preferences.player.max_rounds == 25
    room.click("reset_max_rounds")
    assert room.preferences.player.max_rounds == 10
    assert room.words("setting_max_rounds") == "10"
    assert not room.shown("reset_max_rounds")


@pytest.mark.parametrize(
    ("typed", "reason"),
    [("0", "1 or more"), ("1000", "100 or less"), ("many", "no number"), ("", "no number")],
)
async def test_what_cannot_be_is_told_beside_the_field_and_not_taken(
    room: Room, typed: str, reason: str
) -> None:
    await go(room, "caps")
    enter(room, "max_rounds", typed)
    assert reason in room.words("trouble_max_rounds")
    assert room.shown("trouble_max_rounds")
    assert reason in room.find("setting_max_rounds").accessibleDescription()
    assert room.preferences.player.max_rounds == 10
    assert room.words("setting_max_rounds") == typed
    enter(room, "max_rounds", "7")
    assert not room.shown("trouble_max_rounds")
    assert room.preferences.player.max_rounds == 7


async def test_a_wrong_value_stays_to_be_mended_while_others_change(room: Room) -> None:
    await go(room, "caps")
    enter(room, "max_rounds", "1000")
    enter(room, "size_warning_tokens", "30,000")
    assert room.words("setting_max_rounds") == "1000"
    assert room.preferences.player.size_warning_tokens == 30_000
    room.click("reset_max_rounds")
    assert not room.shown("trouble_max_rounds")


async def test_what_is_typed_counts_after_a_pause_without_enter(room: Room) -> None:
    await go(room, "sampling")
    room.type("setting_temperature", "0,7")
    assert room.preferences.player.temperature is None
    await until(lambda: room.preferences.player.temperature == 0.7)


async def test_what_is_typed_counts_when_the_sheet_is_closed(room: Room) -> None:
    await go(room, "persona")
    room.type("setting_persona", "Grey eyes.")
    room.press(Qt.Key.Key_Escape, "setting_persona")
    assert not dialog(room).is_open
    assert room.preferences.player.persona == "Grey eyes."


async def test_an_emptied_field_is_as_the_provider_decides(room: Room) -> None:
    await go(room, "sampling")
    enter(room, "max_tokens", "500")
    assert room.preferences.player.max_tokens == 500
    enter(room, "max_tokens", "")
    assert room.preferences.player.max_tokens is None
    field = room.find("setting_max_tokens")
    assert isinstance(field, QLineEdit)
    assert field.placeholderText() == "as the provider decides"


async def test_arrows_count_up_and_down_within_the_range(room: Room) -> None:
    await go(room, "editor")
    for _ in range(9):
        room.press(Qt.Key.Key_Up, "setting_tab_width")
    room.press(Qt.Key.Key_Down, "setting_tab_width")
    room.press(Qt.Key.Key_Return, "setting_tab_width")
    assert room.preferences.window.tab_width == 7


async def test_switches_and_choices_are_taken_with_a_click_or_a_key(room: Room) -> None:
    await go(room, "agents")
    room.click("setting_web_access")
    assert room.preferences.player.web_access is True
    check = room.find("setting_web_access")
    assert isinstance(check, QCheckBox)
    assert check.text() == "On"
    await go(room, "models")
    room.press(Qt.Key.Key_Down, "setting_model_takes_tools")
    assert room.preferences.player.model_takes_tools is True
    await go(room, "appearance")
    room.click("setting_themeDark")
    assert room.preferences.window.theme == "dark"


async def test_faces_come_from_the_system_when_they_are_asked_for(room: Room) -> None:
    await go(room, "appearance")
    box = room.find("setting_chat_face")
    assert isinstance(box, QComboBox)
    assert box.count() == 1
    room.press(Qt.Key.Key_Down, "setting_chat_face")
    assert box.count() > 1
    assert room.preferences.window.chat_face == box.itemText(1)


async def test_a_face_that_is_gone_is_still_shown(room: Room) -> None:
    room.preferences.change_window(editor_face="Garamond Mono Pro")
    await go(room, "editor")
    box = room.find("setting_editor_face")
    assert isinstance(box, QComboBox)
    assert box.currentText() == "Garamond Mono Pro"


async def test_the_name_and_the_words_of_the_persona_are_kept(room: Room) -> None:
    await go(room, "persona")
    enter(room, "persona_name", "Ada")
    text = room.find("setting_persona")
    assert isinstance(text, QPlainTextEdit)
    room.type("setting_persona", "An engineer.")
    room.press(Qt.Key.Key_Tab, "setting_persona")
    room.find("setting_persona_name").setFocus()
    assert (room.preferences.player.persona_name, room.preferences.player.persona) == (
        "Ada",
        "An engineer.",
    )


async def test_a_change_from_elsewhere_is_shown(room: Room) -> None:
    await go(room, "editor")
    room.preferences.change_window(editor_size=20)
    assert room.words("setting_editor_size") == "20"


async def test_a_change_is_shown_by_its_row_and_a_theme_by_none(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows that were ever shown hear of each change; most have nothing to do."""
    refreshed: list[str] = []
    refresh, dress = SettingRow.refresh, SettingRow._dress

    def note(row: SettingRow) -> None:
        refreshed.append(row.declared.name)
        refresh(row)

    def note_dress(row: SettingRow) -> None:
        refreshed.append(f"dress {row.declared.name}")
        dress(row)

    monkeypatch.setattr(SettingRow, "refresh", note)
    monkeypatch.setattr(SettingRow, "_dress", note_dress)
    await go(room, "appearance")
    refreshed.clear()
    room.preferences.change_window(chat_size=19)
    assert refreshed == ["chat_size"]
    refreshed.clear()
    room.desk.theme.choose("dark" if room.desk.theme.tokens.name == "light" else "light")
    assert refreshed == []


async def test_a_search_finds_rows_of_all_pages_which_can_be_changed_there(room: Room) -> None:
    room.type("settingsSearch", "size")
    await room.idle()
    found = [each.name for each in declared() if room.shown(f"foundRow_{each.name}")]
    assert {"interface_size", "chat_size", "editor_size", "size_warning_tokens"} <= set(found)
    assert "temperature" not in found
    room.type("found_chat_size", "20")
    room.press(Qt.Key.Key_Return, "found_chat_size")
    assert room.preferences.window.chat_size == 20


async def test_a_search_finds_pages_by_what_is_on_them_and_goes_there(room: Room) -> None:
    room.type("settingsSearch", "keychain")
    await room.idle()
    room.click("page_connections")
    await room.idle()
    assert room.shown("settings_connections")
    assert room.words("settingsSearch") == ""


async def test_a_search_without_a_find_says_so(room: Room) -> None:
    room.type("settingsSearch", "zebra")
    await room.idle()
    assert "zebra" in room.words("settingsNothing")
    room.press(Qt.Key.Key_Escape, "settingsSearch")
    assert dialog(room).is_open
    assert room.words("settingsSearch") == ""
    room.press(Qt.Key.Key_Escape, "settingsSearch")
    assert not dialog(room).is_open


async def test_words_of_a_page_and_of_a_row_together_find_the_row(room: Room) -> None:
    room.type("settingsSearch", "editor size")
    await room.idle()
    found = [each.name for each in declared() if room.shown(f"foundRow_{each.name}")]
    assert found == ["editor_size"]


async def test_pages_are_gone_through_with_the_keyboard(room: Room) -> None:
    room.press(Qt.Key.Key_Down, "settingsSearch")
    assert room.find("settingsPages").hasFocus()
    room.press(Qt.Key.Key_Down, "settingsPages")
    await room.idle()
    assert room.shown("settings_models")


async def test_the_languages_of_agents_are_told(room: Room) -> None:
    await go(room, "agents")
    page = room.find("settings_agents")
    assert page.findChild(QWidget, "language_lua") is not None


async def test_where_keys_and_files_are_is_told(room: Room) -> None:
    await go(room, "trust")
    await room.idle()
    assert "Test Keyring" in room.words("trustKeys")
    assert room.find("open_logs").accessibleName().endswith("Log")


async def test_every_control_has_a_name_for_assistive_technology(room: Room) -> None:
    for section in SECTIONS:
        await go(room, section.name)
        for kind in (QLineEdit, QComboBox, QCheckBox, QPlainTextEdit):
            for control in room.find(f"settings_{section.name}").findChildren(kind):
                inner = isinstance(control.parent(), QComboBox)
                assert inner or control.accessibleName(), (section.name, control.objectName())


async def test_closing_and_opening_again_shows_the_last_page(room: Room) -> None:
    await go(room, "editor")
    room.click("settingsClose")
    dialog(room).open_on()
    assert room.shown("settings_editor")
    dialog(room).open_on("persona")
    await asyncio.sleep(0)
    assert room.shown("settings_persona")


@pytest.mark.parametrize("size", [(440, 460), (760, 600)])
async def test_in_a_small_window_nothing_is_cut_off_at_the_right(
    room: Room, size: tuple[int, int]
) -> None:
    room.window.resize(*size)
    for section in SECTIONS:
        dialog(room).show_page(section.name)
        await room.idle()
        page = room.find(f"settings_{section.name}")
        assert page.width() <= room.find(f"settingsScroll_{section.name}").width()
        for each in declared(section.name):
            field = room.find(f"setting_{each.name}")
            right = field.mapTo(page, field.rect().topRight()).x()
            assert right <= page.width(), each.name
    assert room.shown("settingsSearch")
    assert room.find("settingsPages").width() < 100
    room.window.resize(1240, 820)
    assert room.find("settingsPages").width() > 100


NUMBERS = [
    ("32000", int, 32_000),
    ("32,000", int, 32_000),
    ("32 000", int, 32_000),
    ("1_000", int, 1_000),
    ("0,7", float, 0.7),
    (" .5 ", float, 0.5),
]


@pytest.mark.parametrize(("text", "kind", "number"), NUMBERS)
def test_numbers_are_read_as_people_write_them(text: str, kind: type, number: float) -> None:
    assert read_number(text, kind) == number


@pytest.mark.parametrize("each", declared(), ids=lambda each: each.name)
def test_what_a_field_shows_of_a_default_is_read_as_the_same(each: Declared) -> None:
    if each.kind in (int, float) and each.default is not None:
        assert read_number(shown(each.default), each.kind) == each.default
