"""Builders of screens where the editor helps: the list, the card of a word, the quick fixes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget

from studio_qt.package import load_package
from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.editors.page import EditorsPage
from tests.ui.look.scene import Scene

__all__ = ["completing", "explaining", "mending"]

Build = Callable[[Scene], Awaitable[QWidget]]

_MARCUS = "agents/marcus.subagent.md"
_PROMPT = """---
description: >
  Marcus Vane, harbour pilot. Call him when anyone asks what he knows.
histroy: recent:6
maxTokens: 600
contextFiles:
  - .tides.json
---
You are Marcus Vane, pilot of the harbour at Graypoint.

## What you know

"""
_TYPED = {
    "fields": (_MARCUS, 5, "m"),
    "macros": (_MARCUS, 13, "%%"),
    "bridge": ("agents/keeper.signals.ts", 1, "studio."),
    "agents": ("config.json", 6, '"'),
}


def completing(state: str) -> Build:
    """The list of completions in a file; `state` is a key of `_TYPED`."""
    path, line, typed = _TYPED[state]

    async def build(scene: Scene) -> QWidget:
        page, editor = await _editor(scene, path)
        editor.go_to(line)
        if state == "bridge":
            editor.go_to(editor.blockCount())
        QTest.keyClick(editor, Qt.Key.Key_Return)
        QTest.keyClick(editor, Qt.Key.Key_Up)
        QTest.keyClicks(editor, typed)
        view = page.current
        assert view is not None

        def is_open() -> bool:
            completer = page.assisting.completer(view)
            assistant = page.assisting.assistant
            known = assistant is not None and assistant.knows
            return known and completer is not None and completer.is_open

        await scene.wait(is_open)
        QTest.keyClick(editor, Qt.Key.Key_Down)
        return scene.window

    return build


async def explaining(scene: Scene) -> QWidget:
    """The card of a field, by its key."""
    page, editor = await _editor(scene, _MARCUS)
    editor.go_to(6, 3)
    page.assisting.explain()
    view = page.current
    assert view is not None

    def is_shown() -> bool:
        hovering = page.assisting.hovering(view)
        return hovering is not None and hovering.card is not None

    await scene.wait(is_shown)
    return scene.window


async def mending(scene: Scene) -> QWidget:
    """The ways to mend a line."""
    page, editor = await _editor(scene, _MARCUS)
    editor.go_to(4)
    page.assisting.mend()
    await scene.wait(lambda: bool(editor.findChildren(QMenu, "mendMenu")))
    menu = editor.findChildren(QMenu, "mendMenu")[0]
    scene.at_end(menu.close)
    return menu


async def _editor(scene: Scene, path: str) -> tuple[EditorsPage, CodeEditor]:
    desk = scene.desk()
    documents = scene.documents(desk)
    keeper = scene.keeper()
    (keeper / _MARCUS).write_text(_PROMPT, encoding="utf-8")
    config = keeper / "config.json"
    entry = (
        '{ "id": "keeper.marcus", "implementation": "studio.sub-agent",'
        f' "promptFile": "{_MARCUS.rpartition("/")[2]}",'
        ' "private-agents": ["studio.memory-store"] },\n    '
    )
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace('"keeper.boats"', f'{entry}"keeper.boats"'), encoding="utf-8")
    await documents.set_project(keeper)
    page = scene.put(EditorsPage(desk, documents))
    scene.window.show()
    scene.window.activateWindow()
    await page.open(path)
    page.show_problems(load_package(keeper).problems)
    assert page.editor is not None
    return page, page.editor
