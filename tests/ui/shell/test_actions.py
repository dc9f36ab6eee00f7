"""The registry of actions, and the menus that are made from it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu

from studio_qt.settings import home_folder
from studio_qt.ui.actions import MENUS, Actions, Place, keys_text, title
from studio_qt.ui.menus import MenuBar, StudioMenus
from studio_qt.ui.recents import Recents
from tests.ui.shell.conftest import Bench

pytestmark = pytest.mark.qt_loop


def words(menu: QMenu) -> list[str]:
    """What a menu lists; a line between sections is "-"."""
    listed = [action for action in menu.actions() if action.isVisible()]
    return ["-" if action.isSeparator() else title(action) for action in listed]


async def test_an_action_runs_by_its_keys(bench: Bench) -> None:
    ran = []
    bench.desk.actions.add("one", "&One", lambda: ran.append(1), place=Place("File"), keys="Ctrl+7")
    QTest.keyClick(bench.window, Qt.Key.Key_7, Qt.KeyboardModifier.ControlModifier)
    assert ran == [1]


async def test_keys_with_an_owner_work_only_where_it_has_the_focus(bench: Bench) -> None:
    ran = []
    left, right = bench.put(QLineEdit()), bench.put(QLineEdit())
    bench.desk.actions.add(
        "mine", "Mine", lambda: ran.append(1), place=Place("Edit"), keys="Ctrl+7", owner=left
    )
    for field in (right, left):
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_7, Qt.KeyboardModifier.ControlModifier)
    assert ran == [1]


async def test_a_name_is_given_once(bench: Bench) -> None:
    actions = bench.desk.actions
    actions.add("one", "One", print, place=Place("File"))
    with pytest.raises(ValueError, match="'one'"):
        actions.add("one", "Two", print, place=Place("File"))
    actions.remove("one")
    actions.remove("one")
    assert actions.find("one") is None
    actions.add("one", "Two", print, place=Place("File"))


async def test_unknown_keys_and_menus_are_refused(bench: Bench) -> None:
    with pytest.raises(ValueError, match=r"Ctrl\+Foo"):
        bench.desk.actions.add("one", "One", print, place=Place("File"), keys="Ctrl+Foo")
    with pytest.raises(ValueError, match="'Files'"):
        Place("Files")


async def test_shared_keys_go_to_the_action_nearest_to_the_focus(bench: Bench) -> None:
    ran: list[str] = []
    left, right = bench.put(QLineEdit()), bench.put(QLineEdit())
    owners = {"window": None, "inside": bench.inside, "left": left}
    for name, owner in owners.items():
        bench.desk.actions.add(
            name,
            name,
            lambda name=name: ran.append(name),
            place=Place("Edit"),
            keys="Ctrl+7",
            owner=owner,
        )
    for field in (left, right, left):
        field.setFocus()
        for _ in range(2):  # Qt would go from one to the next
            QTest.keyClick(field, Qt.Key.Key_7, Qt.KeyboardModifier.ControlModifier)
    assert ran == ["left", "left", "inside", "inside", "left", "left"]
    bench.desk.actions.find("left").setEnabled(False)
    QTest.keyClick(left, Qt.Key.Key_7, Qt.KeyboardModifier.ControlModifier)
    assert ran[-1] == "inside"


async def test_keys_that_one_owner_has_twice_are_found(bench: Bench) -> None:
    left, right = bench.put(QLineEdit()), bench.put(QLineEdit())
    add, place = bench.desk.actions.add, Place("Edit")
    for name, owner in (("left", left), ("right", right), ("all", None)):
        add(name, name, print, place=place, keys="Ctrl+7", owner=owner)
    assert bench.desk.actions.clashes() == []
    add("again", "A", print, place=place, keys="F9; Ctrl+7")
    assert bench.desk.actions.clashes() == [("Ctrl+7", "all", "again")]


async def test_words_are_shown_without_the_mark_of_their_letter(bench: Bench) -> None:
    action = bench.desk.actions.add(
        "one", "&Salt && &pepper…", print, place=Place("File"), keys="F2; Ctrl+7"
    )
    assert title(action) == "Salt & pepper…"
    assert keys_text(action) == "F2, Ctrl+7"


async def test_the_bar_has_the_menus_in_order_and_hides_the_empty(bench: Bench) -> None:
    bar = MenuBar(bench.window, bench.desk.actions)
    assert [title(one) for one in bench.window.menuBar().actions()] == list(MENUS)
    assert not any(one.isVisible() for one in bench.window.menuBar().actions())
    bench.desk.actions.add("one", "One", print, place=Place("Tools"))
    assert bar.menu("Tools").menuAction().isVisible()
    bench.desk.actions.remove("one")
    assert not bar.menu("Tools").menuAction().isVisible()


async def test_sections_stand_in_their_order_whenever_actions_come(bench: Bench) -> None:
    actions = bench.desk.actions
    actions.add("last", "Last", print, place=Place("File", 9))
    bar = MenuBar(bench.window, actions)
    for name, section in (("middle", 3), ("first", 0), ("later", 3), ("second", 0)):
        actions.add(name, name.capitalize(), print, place=Place("File", section))
    expected = ["-", "First", "Second", "-", "Middle", "Later", "-", "Last"]
    assert words(bar.menu("File")) == expected  # Qt itself folds a line at the top away


def studio(bench: Bench, conversation: QMenu | None = None) -> StudioMenus:
    return StudioMenus(
        bench.window, bench.desk.theme, conversation, lambda: ("One <wall>.",), bench.desk.actions
    )


async def test_every_action_is_in_a_menu_with_a_name_and_words(bench: Bench) -> None:
    menus = studio(bench)
    for action in bench.desk.actions.all():
        menu = menus.bar.menu(bench.desk.actions.place(action).menu)
        assert action in menu.actions()
        assert action.objectName().isidentifier()
        assert title(action).strip()
    assert bench.desk.actions.clashes() == []


async def test_letters_of_a_menu_differ(bench: Bench) -> None:
    studio(bench)
    letters = [
        action.text()[action.text().index("&") + 1].lower()
        for action in bench.window.menuBar().actions()
    ]
    assert len(set(letters)) == len(letters)


async def test_quitting_and_about_go_where_macos_has_them(bench: Bench) -> None:
    studio(bench)
    roles = {
        action.objectName(): action.menuRole()
        for action in bench.desk.actions.all()
        if action.menuRole() is not QAction.MenuRole.NoRole
    }
    assert roles == {"quit": QAction.MenuRole.QuitRole, "about": QAction.MenuRole.AboutRole}


async def test_the_theme_in_force_is_marked(bench: Bench) -> None:
    studio(bench)
    find = bench.desk.actions.find
    assert find("themeDark").isChecked()
    find("themeLight").trigger()
    assert bench.desk.theme.choice == "light"
    bench.desk.theme.choose("system")
    marked = [one for one in ("System", "Light", "Dark") if find(f"theme{one}").isChecked()]
    assert marked == ["System"]


async def test_conversations_are_listed_below_the_actions(bench: Bench) -> None:
    conversation = QMenu("&Conversation", bench.window)
    new = bench.desk.actions.add("new", "New", print, place=Place("Conversation"))
    first, second = QAction("First visit", conversation), QAction("Storm night", conversation)
    conversation.addActions([new, first])
    menus = studio(bench, conversation)
    shown = [title(one) for one in bench.window.menuBar().actions() if one.isVisible()]
    assert shown == ["File", "View", "Conversation", "Help"]
    bench.desk.actions.add("fork", "Fork", print, place=Place("Conversation", 1))
    ours = menus.bar.menu("Conversation")
    asked: list[int] = []
    conversation.aboutToShow.connect(lambda: asked.append(1))
    ours.aboutToShow.emit()
    conversation.addAction(second)
    first.deleteLater()
    QCoreApplication.sendPostedEvents(first, QEvent.Type.DeferredDelete.value)
    assert words(ours) == ["-", "New", "-", "Fork", "-", "Storm night"]
    assert asked == [1]


async def test_recent_projects_are_in_the_file_menu(bench: Bench, tmp_path: Path) -> None:
    menus, recents = studio(bench), Recents(home_folder(), bench.window)
    opened: list[Path] = []
    menus.open_wanted.connect(opened.append)
    menus.offer_recents(recents)
    menu = bench.window.findChild(QMenu, "recentMenu")
    menu.aboutToShow.emit()
    assert [action.isEnabled() for action in menu.actions()] == [False]
    recents.note(tmp_path / "Salt & Co", datetime(2026, 1, 1, tzinfo=UTC))
    menu.aboutToShow.emit()
    assert [title(action) for action in menu.actions()] == [str(tmp_path / "Salt & Co")]
    menu.actions()[0].trigger()
    assert opened == [tmp_path / "Salt & Co"]


async def test_actions_without_a_menu_bar_are_listed_in_order(bench: Bench) -> None:
    actions = Actions(bench.window)
    actions.add("b", "B", print, place=Place("File"))
    actions.add("a", "A", print, place=Place("File"))
    assert [action.objectName() for action in actions.all()] == ["b", "a"]
