"""Quick fixes: the menu by its keys, the sign beside the line, and what they do to files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from studio_qt.package import load_package
from tests.support.qt import until
from tests.ui.editors.conftest import CONTROL, Bench

pytestmark = [
    pytest.mark.qt_loop,
    pytest.mark.qt_log_ignore("This plugin does not support"),  # a menu without a display
]

SUB = "agents/marcus.subagent.md"
TEXT = "---\ndescription: Ask him.\nhistroy: full\n---\nYou are Marcus.\n"
CONFIG = '{\n  "name": "Ada",\n  "agents": ["marcus.subagent.md"]\n}\n'
Key = Qt.Key


class Mender:
    """Opens the menu and chooses from it."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.undoes: list[object] = []
        bench.page.assisting.mended.connect(lambda _text, undo: self.undoes.append(undo))

    async def at(self, path: str, text: str, line: int, config: str = CONFIG) -> None:
        """Open a file of a character at a line, with the problems that it has."""
        self.bench.write("config.json", config)
        await self.bench.open(path, text)
        self.bench.page.show_problems(load_package(self.bench.root).problems)
        self.bench.place(line, 1)

    @property
    def menu(self) -> QMenu | None:
        menus = self.bench.editor.findChildren(QMenu, "mendMenu")
        return next((menu for menu in menus if menu.isVisible()), None)

    async def offered(self) -> list[str]:
        self.bench.press(Key.Key_Period, CONTROL)
        await until(lambda: self.menu is not None)
        assert self.menu is not None
        return [entry.text() for entry in self.menu.actions()]

    async def choose(self, title: str) -> None:
        assert self.menu is not None
        entry = next(one for one in self.menu.actions() if one.text() == title)
        while self.menu.activeAction() is not entry:
            QTest.keyClick(self.menu, Key.Key_Down)
        QTest.keyClick(self.menu, Key.Key_Return)
        await until(lambda: self.undoes != [] or self.bench.notices != [])
        await self.bench.idle()


@pytest.fixture
def mender(bench: Bench) -> Mender:
    return Mender(bench)


@pytest.mark.clause("STU-08")
async def test_a_mend_is_chosen_by_keys_and_taken_back_by_undo(mender: Mender) -> None:
    bench = mender.bench
    await mender.at(SUB, TEXT, 3)
    assert await mender.offered() == ["Write history", "Take histroy out"]
    await mender.choose("Write history")
    assert bench.text == TEXT.replace("histroy", "history")
    assert bench.read(SUB) == TEXT  # what is open is changed there, and saved by its author
    assert mender.undoes == [None]
    bench.editor.setFocus()
    bench.press(Key.Key_Z, CONTROL)
    assert bench.text == TEXT


async def test_several_files_are_changed_as_one_step_that_can_be_taken_back(
    mender: Mender,
) -> None:
    bench = mender.bench
    text = TEXT.replace("histroy: full", "shared-agents: [studio.memory-store]")
    await mender.at(SUB, text, 3, CONFIG.replace("[", '["studio.memory-store", '))
    await mender.offered()
    await mender.choose("Move shared-agents to config.json")
    assert "shared-agents" not in bench.read(SUB)
    assert '"shared-agents"' in bench.read("config.json")
    assert load_package(bench.root).agents[1].sub_agent is not None
    (undo,) = mender.undoes
    assert callable(undo)
    await undo()
    assert bench.read(SUB) == text
    assert "shared-agents" not in bench.read("config.json")


async def test_a_file_that_a_mend_makes_is_opened(mender: Mender) -> None:
    text = TEXT.replace("histroy: full", "contextFiles: [sea.txt]")
    await mender.at(SUB, text, 3)
    await mender.offered()
    await mender.choose("Make context/sea.txt")
    await until(lambda: mender.bench.page.current_path == "context/sea.txt")


async def test_problems_of_one_line_are_told_apart_in_the_menu(mender: Mender) -> None:
    config = CONFIG.replace('"marcus.subagent.md"', '"t.new", "t.newer"')
    await mender.at("config.json", config, 3, config)
    offered = await mender.offered()
    assert offered[0].startswith('the agent "t.new" is missing')
    assert "Make agents/t.new.js (JavaScript)" in offered
    assert "Make agents/t.newer.lua (Lua)" in offered
    assert mender.menu is not None
    first = mender.menu.activeAction()
    assert first is not None
    assert first.isEnabled()
    mender.menu.close()


async def test_where_there_is_nothing_to_mend_that_is_said(mender: Mender) -> None:
    await mender.at(SUB, TEXT, 1)
    mender.bench.press(Key.Key_Period, CONTROL)
    await until(lambda: mender.bench.notices != [])
    assert mender.bench.notices == [("There is nothing to mend on this line.", "info")]


async def test_an_agent_that_is_not_listed_is_listed(mender: Mender) -> None:
    await mender.at("agents/omens.py", '"""\n@agent omens\n"""\n', 1)
    assert await mender.offered() == ["List omens in config.json"]
    await mender.choose("List omens in config.json")
    assert mender.bench.read("config.json") == CONFIG.replace('md"]', 'md", "omens"]')


async def test_the_sign_beside_the_line_opens_the_menu(mender: Mender) -> None:
    bench = mender.bench
    await mender.at(SUB, TEXT, 1)
    row = next(row for row in bench.editor.rows(bench.editor.viewport().rect().toRectF())
               if row.block.blockNumber() == 2)  # fmt: skip
    place = QPoint(12, round(row.top + row.height / 2))
    QTest.mouseClick(bench.editor.gutter, Qt.MouseButton.LeftButton, pos=place)
    await until(lambda: mender.menu is not None)
    assert bench.editor.textCursor().blockNumber() == 2
    assert mender.menu is not None
    mender.menu.close()


async def test_what_has_changed_since_the_menu_opened_is_not_written_over(
    mender: Mender,
) -> None:
    await mender.at(SUB, TEXT, 3)
    await mender.offered()
    cursor = mender.bench.editor.textCursor()
    cursor.insertText("x")
    await mender.choose("Write history")
    assert mender.bench.text == TEXT.replace("histroy", "xhistroy")
    assert "has changed meanwhile" in mender.bench.notices[0][0]


async def test_the_menu_of_a_list_of_problems_gets_the_same_mends(
    mender: Mender, project: Path
) -> None:
    bench = mender.bench
    await mender.at(SUB, TEXT, 1)
    problem = next(one for one in load_package(project).problems if one.fault)
    menu = QMenu(bench.window)
    menu.addAction("Copy")
    menu.popup(QPoint(0, 0))
    bench.page.assisting.fill_menu(menu, problem)
    await until(lambda: any(one.text() == "Write history" for one in menu.actions()))
    shown = [one.text() for one in menu.actions() if one.isVisible() and one.text()]
    assert shown == ["Write history", "Take histroy out", "Copy"]
    next(one for one in menu.actions() if one.text() == "Write history").trigger()
    await until(lambda: mender.undoes == [None])
    assert bench.text == TEXT.replace("histroy", "history")
    menu.close()
