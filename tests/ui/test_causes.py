"""What makes windows stall, and never happens on this one's thread once its pages are made.

Times differ from machine to machine; their causes do not. The player's own small writes, which
have to be down before anything is acknowledged, are let through: all that is in `conversations`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget

from studio_qt.settings import home_folder
from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.highlight.highlighter import Highlighter
from studio_qt.ui.highlight.lines import Lines
from tests.support.probe import Act, Probe
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop

MANY = 1000
LINES = 5000


def large(folder: Path) -> Path:
    """Make a project with a file of 5,000 lines."""
    code = "".join(f"const tide{n} = `high ${{{n}}}`; // metres\n" for n in range(LINES))
    return write_package(folder, {"notes/big.js": code})


async def opened(stage: Stage, path: str) -> CodeEditor:
    """Open a file, and wait until it is coloured."""
    editors = stage.window.pages.editors
    await editors.open(path)
    editor = editors.editor
    assert editor is not None
    highlighter = editor.document().findChild(Highlighter) or editor.parent().findChild(Highlighter)
    if highlighter is not None:
        await until(lambda: highlighter.settled, 20)
    await at_rest(stage)
    return editor


async def at_rest(stage: Stage) -> None:
    await until(lambda: stage.window.settled and not stage.window.tasks.names, 20)


def found(acts: Iterable[Act], *kinds: str) -> list[str]:
    """Return what is to blame, as sentences."""
    return [str(act) for act in acts if act.kind in kinds and "/conversations/" not in act.what]


async def act(stage: Stage, name: str) -> None:
    action = stage.window.inside.desk.actions.find(name)
    assert action is not None
    action.trigger()
    await asyncio.sleep(0)


@pytest.mark.clause("STU-01")
async def test_a_key_in_a_large_file_reads_compiles_imports_and_takes_the_text_never(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(large(tmp_path / "ada"))
    editor = await opened(stage, "notes/big.js")
    editor.setTextCursor(QTextCursor(editor.document().findBlockByNumber(LINES // 2)))
    QTest.keyClicks(editor, "x")  # what is made once
    with Probe.get().looking(tmp_path, home_folder()) as acts:
        for keys in ("let a = '", "`/*(", "]}"):
            QTest.keyClicks(editor, keys)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Backspace, Qt.Key.Key_PageDown, Qt.Key.Key_Tab):
            QTest.keyClick(editor, key)
    assert [str(one) for one in acts] == []


async def test_a_key_lexes_a_few_lines_at_once_and_the_rest_in_turns(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await stage_on(large(tmp_path / "ada"))
    editor = await opened(stage, "notes/big.js")
    steps: list[Lines] = []
    step = Lines.step
    monkeypatch.setattr(Lines, "step", lambda *given: steps.append(given[0]) or step(*given))
    editor.setTextCursor(QTextCursor(editor.document().findBlockByNumber(10)))
    QTest.keyClicks(editor, "/*")  # turns all that follows into a comment
    assert len(steps) < LINES // 10
    await until(lambda: len(steps) > LINES // 2)


@pytest.mark.clause("STU-01")
async def test_typing_until_it_is_told_and_played_reads_no_file_on_the_window_s_thread(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(large(tmp_path / "ada"))
    editor = await opened(stage, "instructions.txt")
    heard: list[None] = []
    stage.window.session.reloaded.connect(lambda: heard.append(None))
    with Probe.get().looking(tmp_path, home_folder()) as acts:
        QTest.keyClicks(editor, "Count. ")
        await until(lambda: bool(heard), 20)
        await at_rest(stage)
    assert found(acts, "open", "import") == []


async def test_opening_a_file_and_saving_it_leave_the_disk_to_threads(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(large(tmp_path / "ada"))
    await opened(stage, "intro.txt")
    with Probe.get().looking(tmp_path, home_folder()) as acts:
        editor = await opened(stage, "notes/big.js")
        QTest.keyClicks(editor, "// ")
        await act(stage, "saveFile")
        await until(lambda: not stage.window.session.documents.unsaved)
        await at_rest(stage)
    assert found(acts, "open", "import") == []


async def test_tree_search_and_history_leave_the_disk_to_threads(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(large(tmp_path / "ada"))
    await opened(stage, "intro.txt")
    search = stage.window.pages.search
    with Probe.get().looking(tmp_path, home_folder()) as acts:
        await act(stage, "refreshTree")
        await at_rest(stage)
        await act(stage, "showSearch")
        search.focus("countess")
        search.search()
        await until(lambda: search.settled)
        await act(stage, "localHistory")
        await at_rest(stage)
    assert found(acts, "open", "import") == []


async def test_the_start_and_another_look_leave_files_to_threads(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    with Probe.get().looking(home_folder()) as acts:
        stage = await stage_on(write_package(tmp_path / "ada"))
        await at_rest(stage)
    written = [one for one in acts if one.written and "trust.py" not in one.stack]  # by the stage
    assert found(written, "open") == []
    with Probe.get().looking(home_folder()) as acts:
        for choice in ("light", "dark", "contrast"):
            stage.window.theme.choose(choice)
        await at_rest(stage)
    assert found([one for one in acts if one.written], "open") == []


async def test_a_turn_in_the_chat_imports_nothing_and_reads_no_file_of_the_project(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await stage.send("[[call roll {}]][[say One.]]")
    with Probe.get().looking(tmp_path, home_folder()) as acts:
        await stage.send("[[call roll {}]][[say *Two.*\n\n- three\n- four\n\n```\nfive\n```]]")
        await stage.shows("five")
    assert found(acts, "open", "import") == []


async def test_the_settings_turn_their_pages_without_imports(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await act(stage, "settings")
    await until(lambda: bool(stage.all("settingsPages")))
    pages = stage.find("settingsPages", QListWidget)
    with Probe.get().looking(tmp_path, home_folder()) as acts:
        for _ in range(pages.count()):
            QTest.keyClick(pages, Qt.Key.Key_Down)
        await asyncio.sleep(0)
    assert found(acts, "open", "import") == []


async def test_a_thousand_files_that_change_at_once_are_looked_at_once_or_twice(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = tmp_path / "ada"
    files = {f"context/page-{n}.md": "one" for n in range(MANY)}
    stage = await stage_on(write_package(folder, files, contextRoot="context"))
    await at_rest(stage)
    told: list[frozenset[str]] = []
    stage.window.session.files_changed.connect(told.append)
    resets, loads = watched(stage)
    with Probe.get().looking(tmp_path) as acts:
        await asyncio.to_thread(write_all, folder, list(files))
        await until(lambda: bool(told), 20)
        await asyncio.sleep(0.7)  # a second burst would be told within half a second
        await at_rest(stage)
    assert found(acts, "open", "import", "compile") == []
    assert len(told) <= 5
    assert resets() == 0
    assert loads() <= len(told) + 1


def write_all(folder: Path, paths: Iterable[str]) -> None:
    for path in paths:
        (folder / path).write_text("two")


def watched(stage: Stage) -> tuple[Callable[[], int], Callable[[], int]]:
    """Count resets of the tree's rows, and reloads of the package, from now on."""
    resets: list[None] = []
    loads: list[None] = []
    model = stage.window.pages.project.tree.model()
    model.modelReset.connect(lambda: resets.append(None))
    stage.window.session.reloaded.connect(lambda: loads.append(None))
    return lambda: len(resets), lambda: len(loads)
