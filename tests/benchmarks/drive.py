"""Drives every screen of the real window with keys, wheel and clicks, as somebody fast would."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QWidget,
)

from studio_qt.authoring.trust import TrustBook
from studio_qt.settings import home_folder
from studio_qt.ui.settings.sections import SECTIONS
from tests.benchmarks.stalls import Stalls
from tests.benchmarks.typing_bench import source
from tests.support.qt import until
from tests.support.window import Stage, write_package

__all__ = ["PATHS", "SCREENS", "Driver", "write_large"]

_PACE = 0.02
"""Seconds between two keys."""

_PATIENCE = 60
_PATHS = {"javascript": "notes/big.js", "python": "notes/big.py", "markdown": "context/big.md"}
PATHS = _PATHS
"""The large file of each language in the large project."""

_TYPED = "const tide = call(hour, 'ebb');\nreturn `${tide}`; /* so */ {[()]}\n"
_SENTENCE = "the lamp goes round and the rope is counted by feel before the fog comes down"
_WORDS = _SENTENCE.split()


def write_large(folder: Path, files: int = 300) -> Path:
    """Make a project of so many files; three of them are large."""
    python = "".join(
        f"def tide_{n}(hour: int, store: dict) -> str:\n"
        f'    """Say what the tide does at {n}."""\n'
        f"    height = hour / 12 * {n}  # metres\n"
        f'    return f"The tide is high: {{height:.1f}} m." if height > 3 else "low"\n\n'
        for n in range(1000)
    )
    prose = "".join(
        f"## Night {n}\n\nShe *counts* the **rope** by `feel`; {_SENTENCE}.\n\n- one\n- two\n\n"
        for n in range(2300)
    )
    contents = {
        _PATHS["javascript"]: source(5000),
        _PATHS["python"]: python,
        _PATHS["markdown"]: prose[:300_000],
    }
    for number in range(files - len(contents) - 6):
        place = ("context/night", "context/day", "notes", "context")[number % 4]
        contents[f"{place}/page-{number:03}.md"] = f"# Page {number}\n\n{' '.join(_WORDS * 12)}\n"
    return write_package(folder, contents, contextRoot="context")


class Driver:
    """Hands and eyes in front of a window; what happens is counted to `meter.screen`."""

    def __init__(self, stage: Stage, meter: Stalls, folder: Path) -> None:
        self.stage, self.meter, self.folder = stage, meter, folder
        self.window, self.pages = stage.window, stage.window.pages

    async def act(self, name: str) -> None:
        """Press the keys of an action; without keys choose it in its menu."""
        action = self.window.inside.desk.actions.find(name)
        assert action is not None, name
        self.window.activateWindow()
        action.trigger()
        await self.rest()

    async def rest(self, seconds: float = _PACE) -> None:
        await asyncio.sleep(seconds)

    async def idle(self) -> None:
        """Wait until nothing moves."""
        await until(lambda: self.window.settled and not self.window.tasks.names, _PATIENCE)
        await self.rest(0.3)

    async def type(self, field: QWidget, text: str) -> None:
        for letter in text:
            if letter == "\n":
                QTest.keyClick(field, Qt.Key.Key_Return)
            else:
                QTest.keyClicks(field, letter)
            await self.rest()

    async def press(
        self,
        field: QWidget,
        *keys: Qt.Key,
        held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        for key in keys:
            QTest.keyClick(field, key, held)
            await self.rest()

    async def wheel(self, widget: QWidget, steps: Iterable[int]) -> None:
        for step in steps:
            place = QPointF(widget.rect().center())
            QApplication.sendEvent(
                widget,
                QWheelEvent(
                    place,
                    QPointF(widget.mapToGlobal(place.toPoint())),
                    QPoint(0, 0),
                    QPoint(0, step),
                    Qt.MouseButton.NoButton,
                    Qt.KeyboardModifier.NoModifier,
                    Qt.ScrollPhase.NoScrollPhase,
                    False,
                ),
            )
            await self.rest()

    async def click(self, name: str) -> None:
        await until(lambda: any(self.stage.all(name)), _PATIENCE)
        QTest.mouseClick(self.stage.all(name)[0], Qt.MouseButton.LeftButton)
        await self.rest()

    async def open(self, path: str) -> QPlainTextEdit:
        """Open a file and return its editor."""
        self.pages.open_file(path)
        editors = self.pages.editors
        await until(lambda: editors.current_path == path and editors.editor is not None, _PATIENCE)
        assert editors.editor is not None
        await self.rest()
        return editors.editor

    async def project(self, place: Path) -> None:
        TrustBook(home_folder()).made_here(place)  # else a sheet asks, and lies over all screens
        self.window.open_project(place)
        await self.rest()
        await self.idle()


# The screens ----------------------------------------------------------------------------------


async def _start(driver: Driver) -> None:
    page = driver.pages.start
    await driver.wheel(page, [-120] * 10 + [120] * 10)
    await driver.press(page, *[Qt.Key.Key_Tab] * 20)
    await driver.click("startNew")
    await driver.rest(0.5)
    await driver.type(driver.stage.all("newName")[0], "Ada of the fog")
    await driver.press(driver.stage.all("newName")[0], Qt.Key.Key_Escape)
    await driver.idle()


async def _sample(driver: Driver) -> None:
    await driver.project(driver.folder / "sample")


async def _large(driver: Driver) -> None:
    await driver.project(driver.folder / "large")


async def _tree(driver: Driver) -> None:
    tree = driver.pages.project.tree
    tree.setFocus()
    key = Qt.Key
    await driver.press(tree, key.Key_Home, *[key.Key_Down, key.Key_Right] * 20)
    await driver.press(tree, *[key.Key_PageDown] * 10, *[key.Key_PageUp] * 10)
    await driver.wheel(tree.viewport(), [-120] * 30 + [120] * 30)
    await driver.act("filterFiles")
    field = driver.window.findChild(QLineEdit, "projectFilter")
    assert field is not None
    await driver.type(field, "page 1 night")
    await driver.idle()
    await driver.press(field, *[key.Key_Backspace] * 12)
    await driver.idle()
    await driver.act("collapseTree")
    await driver.act("refreshTree")
    await driver.idle()


async def _tabs(driver: Driver) -> None:
    names = [f"context/page-{number:03}.md" for number in range(3, 31, 4)]
    for path in [*names, "config.json", "instructions.txt", "agents/test.roller.js"]:
        await driver.open(path)
    for _ in range(20):
        await driver.act("nextTab")
    await driver.idle()


def _typing(language: str) -> Callable[[Driver], Awaitable[None]]:
    async def typing(driver: Driver) -> None:
        editor = await driver.open(_PATHS[language])
        middle = editor.document().findBlockByNumber(editor.blockCount() // 2)
        editor.setTextCursor(QTextCursor(middle))
        editor.centerCursor()
        await driver.idle()
        await driver.type(editor, _TYPED * 3)
        key = Qt.Key
        await driver.press(editor, *[key.Key_Backspace] * 10, *[key.Key_Down] * 30)
        await driver.press(editor, *[key.Key_PageDown] * 15, *[key.Key_PageUp] * 15)
        await driver.wheel(editor.viewport(), [-120] * 20)
        for name in ("toggleComment", "duplicateLine", "moveLineUp", "moveLineDown"):
            await driver.act(name)
        held = Qt.KeyboardModifier.ControlModifier
        await driver.press(editor, key.Key_Home, key.Key_End, held=held)
        for _ in range(15):
            await driver.act("undo")
        await driver.idle()

    return typing


async def _find(driver: Driver) -> None:
    await driver.open(_PATHS["javascript"])
    await driver.act("replace")
    field, other = (driver.stage.all(name)[0] for name in ("findField", "replaceField"))
    await driver.type(field, "height")
    await driver.rest(0.5)
    await driver.press(field, *[Qt.Key.Key_Return] * 15)
    await driver.type(other, "depth")
    await driver.click("replaceOne")
    await driver.click("replaceAll")
    await driver.idle()
    await driver.act("undo")
    await driver.idle()
    await driver.press(field, Qt.Key.Key_Escape)


async def _palette(driver: Driver) -> None:
    for name, words in (("goTo", "page 1"), ("palette", "theme"), ("goTo", ":40")):
        await driver.act(name)
        field = driver.stage.all("paletteInput")[0]
        await driver.type(field, words)
        await driver.press(field, *[Qt.Key.Key_Down] * 8, Qt.Key.Key_Escape)
    await driver.idle()


async def _search(driver: Driver) -> None:
    await driver.act("showSearch")
    field = driver.window.findChild(QLineEdit, "searchField")
    assert field is not None
    for words in ("rope", "tide"):
        field.selectAll()
        await driver.type(field, words)
        await driver.press(field, Qt.Key.Key_Return)
        await until(lambda: driver.pages.search.settled, _PATIENCE)
    for _ in range(10):
        await driver.act("nextResult")
    await driver.idle()
    await driver.act("showProject")


async def _problems(driver: Driver) -> None:
    editor = await driver.open("agents/test.roller.js")
    await driver.type(editor, "export const = 1;\n")
    await driver.rest(1.5)
    await driver.act("showProblems")
    for _ in range(5):
        await driver.act("nextProblem")
    for _ in range(30):
        await driver.act("undo")
    config = await driver.open("config.json")
    await driver.type(config, "{{")
    await driver.rest(1)
    while config.document().isUndoAvailable():
        config.undo()
    await driver.idle()


async def _history(driver: Driver) -> None:
    path = _PATHS["javascript"]
    editor = await driver.open(path)
    for text in ("// one\n", "// two\n", "// three\n"):
        await driver.type(editor, text)
        await driver.act("saveFile")
        await driver.idle()
    await driver.act("localHistory")
    await driver.rest(0.5)
    versions = driver.window.findChild(QListWidget, "historyList")
    assert versions is not None
    versions.setCurrentRow(versions.count() - 1)
    await driver.press(versions, Qt.Key.Key_Return)
    comparing = driver.pages.comparing
    await until(lambda: comparing.stack.currentWidget() is comparing.page, _PATIENCE)
    await until(lambda: comparing.settled, _PATIENCE)
    await driver.rest(0.3)
    for name in ("compareNext", "comparePrevious"):
        await driver.click(name)
    await driver.wheel(comparing.page, [-120] * 20)
    await driver.click("compareClose")
    await driver.act("showProject")
    await driver.idle()


async def _settings(driver: Driver) -> None:
    await driver.act("settings")
    await driver.rest(0.3)
    pages = driver.window.findChild(QListWidget, "settingsPages")
    assert pages is not None
    for _ in range(2):
        pages.setFocus()
        await driver.press(pages, Qt.Key.Key_Home)
        for _section in SECTIONS:
            await driver.press(pages, Qt.Key.Key_Down)
            await driver.rest(0.1)
    field = driver.stage.all("settingsSearch")[0]
    await driver.type(field, "temperature")
    await driver.press(field, Qt.Key.Key_Escape)
    await driver.click("settingsClose")
    await driver.idle()


async def _forms(driver: Driver) -> None:
    """The forms over the window: for a sub-agent, for config.json, and the sheet that exports."""
    for action, name in (
        ("newSubAgentForm", "builderDescription"),
        ("configForm", "configName"),
        ("exportAction", "exportAuthor"),
    ):
        await driver.act(action)
        await until(lambda name=name: bool(driver.stage.all(name)), _PATIENCE)
        await driver.idle()
        await driver.type(driver.stage.all(name)[0], "counts")
        await driver.rest(0.3)
        await driver.press(driver.stage.all(name)[0], Qt.Key.Key_Escape)
        if asked := driver.stage.all("builderDiscardConfirm"):
            await driver.press(asked[0], Qt.Key.Key_Space)
        await driver.idle()


async def _pages(driver: Driver) -> None:
    """Stores, inspector, tester, conversations and agent log, one after the other."""
    for name in ("Stores", "Inspector", "Tester", "Conversations", "Agentlog"):
        await driver.act(f"show{name}")
        await driver.idle()
    await driver.act("showProject")


async def _handbook(driver: Driver) -> None:
    await driver.act("handbook")
    page = driver.pages.handbook.page
    assert page is not None
    await until(lambda: page.settled, _PATIENCE)
    for _ in range(page.list.count()):
        await driver.press(page.list, Qt.Key.Key_Down)
        await driver.rest(0.05)
    await driver.wheel(page.reader.viewport(), [-120] * 20)
    await driver.type(page.search, "store")
    await driver.press(page, Qt.Key.Key_Escape)
    driver.window.activateWindow()
    await driver.idle()


async def _streaming(driver: Driver) -> None:
    chat = driver.window.chat
    words = itertools.islice(itertools.cycle([*_WORDS, "\n\n**Then**", "`so`"]), 5000)
    driver.stage.input.put(f"[[slow 6]][[say {' '.join(words)}]]")
    await driver.press(driver.stage.input, Qt.Key.Key_Return)
    await until(lambda: chat.running, _PATIENCE)
    while chat.running:
        await driver.type(driver.stage.input, "so it ")
        await driver.wheel(chat.transcript.viewport(), [120, -120])
    await driver.idle()
    await driver.press(driver.stage.input, *[Qt.Key.Key_Backspace] * 12)


async def _turns(driver: Driver) -> None:
    field = driver.stage.input
    driver.stage.window.chat.draft = ""
    for number in range(6):
        field.put(f'[[call roll {{"sides": {number + 2}}}]][[say And **{number}** it is.]]')
        await driver.press(field, Qt.Key.Key_Return)
        await driver.rest(0.2)
        await driver.idle()
    await driver.wheel(driver.window.chat.transcript.viewport(), [240] * 20 + [-240] * 20)
    driver.window.chat.open_find()
    find = driver.stage.all("findInChat") or driver.stage.all("chatFindField")
    for one in find[:1]:
        await driver.type(one, "rope")
        await driver.press(one, Qt.Key.Key_Escape)
    await driver.idle()


async def _edits(driver: Driver) -> None:
    driver.window.chat.go_to_messages()
    await driver.rest()
    await driver.act("messageEdit")
    await driver.rest(0.2)
    for field in driver.stage.all("editField")[:1]:
        await driver.type(field, "Changed. ")
        await driver.press(field, Qt.Key.Key_Return, held=Qt.KeyboardModifier.ControlModifier)
    await driver.idle()
    driver.window.chat.go_to_messages()
    await driver.act("messageRetry")
    await driver.idle()


async def _resize(driver: Driver) -> None:
    for width in (*range(1440, 1000, -20), *range(1000, 1440, 20)):
        driver.window.resize(width, 900 - (1440 - width) // 4)
        await driver.rest()
    driver.window.resize(1440, 900)
    for name in ("toggleSide", "toggleBottom", "toggleChat") * 2:
        await driver.act(name)
    await driver.idle()


async def _theme(driver: Driver) -> None:
    for name in ("themeLight", "themeDark", "themeContrast", "themeDark"):
        await driver.act(name)
        await driver.rest(0.4)
    await driver.idle()


SCREENS: dict[str, Callable[[Driver], Awaitable[None]]] = {
    "start": _start,
    "open sample": _sample,
    "open 300 files": _large,
    "tree": _tree,
    "ten tabs": _tabs,
    "type javascript": _typing("javascript"),
    "type python": _typing("python"),
    "type markdown": _typing("markdown"),
    "find, replace": _find,
    "palette": _palette,
    "search in files": _search,
    "problems": _problems,
    "history, compare": _history,
    "settings": _settings,
    "forms": _forms,
    "pages": _pages,
    "handbook": _handbook,
    "chat, streaming": _streaming,
    "chat, tool calls": _turns,
    "chat, edits": _edits,
    "resize": _resize,
    "theme": _theme,
}
"""What is driven, in this order, in one window."""
