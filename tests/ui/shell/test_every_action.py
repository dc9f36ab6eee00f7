"""Every action of the real window: in a menu, with words, and with keys that no other has."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from studio_qt.ui.actions import MENUS, title
from studio_qt.ui.palette.shortcuts import ShortcutSheet
from tests.support.qt import until
from tests.support.window import write_package
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop

KEYLESS = {
    "about": "looked at once",
    "addTypes": "done once in a project",
    "chooseWithStores": "a choice that stays",
    "collapseTree": "one click in the tree's head",
    "compareSaved": "offered above the editor when there is something to compare",
    "conversationOpen": "Enter in the list",
    "conversationClear": "throws away, so it is not done by a slip",
    "messageDeleteFromThen": "rare beside the one with keys",
    "messageForkThen": "rare beside the one with keys",
    "newAgentJavascript": "made from the menu of the tree",
    "newAgentLua": "made from the menu of the tree",
    "newAgentPython": "made from the menu of the tree",
    "newAgentTypescript": "made from the menu of the tree",
    "newContextFile": "made from the menu of the tree",
    "newFolder": "made from the menu of the tree",
    "newSubAgent": "made from the menu of the tree",
    "openFile": "Enter in the tree",
    "openLog": "looked at when something is wrong",
    "openSample": "opened once",
    "polishFix": "in the menu of Polish, which has keys",
    "polishHarden": "in the menu of Polish, which has keys",
    "polishInviting": "in the menu of Polish, which has keys",
    "polishTighten": "in the menu of Polish, which has keys",
    "polishVivid": "in the menu of Polish, which has keys",
    "polishVoice": "in the menu of Polish, which has keys",
    "revealFile": "differs on every system",
    "showHidden": "a choice that stays",
    "showWalls": "looked at once",
    "themeContrast": "chosen once",
    "themeDark": "chosen once",
    "themeLight": "chosen once",
    "themeSystem": "chosen once",
}
"""Actions without keys, and why; every other one must have some."""


async def test_every_action_is_in_its_menu_with_words_and_keys(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    window = (await stage_on(write_package(tmp_path / "ada"))).window
    actions, bar = window.inside.desk.actions, window.pages.menus.bar
    missing = []
    for action in actions.all():
        name = action.objectName()
        assert name.isidentifier(), name
        assert title(action)[:1].isupper(), name
        if action not in bar.menu(actions.place(action).menu).actions():
            missing.append(f"{name} is in no menu")
        if not action.shortcuts() and name not in KEYLESS:
            missing.append(f"{name} has no keys; give it some, or tell above why not")
    assert missing == []
    assert actions.clashes() == []


async def test_no_two_entries_of_a_menu_have_the_same_words(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    window = (await stage_on(write_package(tmp_path / "ada"))).window
    for name in MENUS:
        entries = [one for one in window.pages.menus.bar.menu(name).actions() if one.text()]
        words = [title(one) for one in entries]
        assert len(set(words)) == len(words), (name, words)


async def test_every_key_is_in_the_list_of_keys(stage_on: OpenStage, tmp_path: Path) -> None:
    window = (await stage_on(write_package(tmp_path / "ada"))).window
    window.inside.desk.actions.find("showKeys").trigger()
    sheet = window.findChild(ShortcutSheet)
    told = "\n".join(sheet.texts)
    for action in window.inside.desk.actions.all():
        if action.shortcuts():
            assert title(action).removesuffix("…") in told
    QTest.keyClick(sheet.field, Qt.Key.Key_Escape)


async def test_the_palette_finds_files_and_commands_of_the_open_project(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    palette = stage.window.pages.palette
    held = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(stage.window, Qt.Key.Key_P, held)
    assert palette.is_open
    QTest.keyClicks(palette.input, "> dark theme")
    QTest.keyClick(palette.input, Qt.Key.Key_Return)
    assert stage.window.theme.choice == "dark"
    assert stage.find("paletteField", QWidget).isVisible()


@pytest.mark.parametrize("width", [1440, 1080, 700, 420])
async def test_the_field_of_the_palette_never_lies_over_a_menu(
    stage_on: OpenStage, tmp_path: Path, width: int
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    stage.window.resize(width, 700)
    await until(lambda: stage.window.width() == width)
    field, bar = stage.find("paletteField"), stage.window.inside.bar
    ends = [bar.actionGeometry(one).right() for one in bar.actions() if one.isVisible()]
    assert field.x() > max(ends) or not field.isVisible()
    assert field.geometry().right() <= width or not field.isVisible()
