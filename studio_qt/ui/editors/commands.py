"""The actions of the editors: menus File, Edit and View."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit

from studio_qt.ui.actions import Actions, Place
from studio_qt.ui.editors.code import CodeEditor

if TYPE_CHECKING:
    from studio_qt.ui.editors.page import EditorsPage

__all__ = ["add_actions"]

_CONTROL = "Meta" if sys.platform == "darwin" else "Ctrl"
"""The key with that name also on macOS, where Qt's Ctrl is Command and Command+Tab the system's."""

TextWidget = QLineEdit | QPlainTextEdit | QTextEdit


def add_actions(actions: Actions, page: EditorsPage) -> None:
    """Make them all. What every text field can do goes to the one with the focus."""
    _add_files(actions, page)
    _add_text(actions, page)
    _add_finding(actions, page)
    _add_lines(actions, page)
    _add_looks(actions, page)


def _add_files(actions: Actions, page: EditorsPage) -> None:
    for name, text, slot, keys, section in (
        ("saveFile", "&Save", page.save, "Ctrl+S", 3),
        ("saveAll", "Save a&ll", page.save_all, "Ctrl+Shift+S", 3),
        ("closeTab", "Close the &tab", page.close_current, "Ctrl+W; Ctrl+F4", 4),
        ("reopenTab", "&Reopen the closed tab", page.reopen, "Ctrl+Shift+T", 4),
    ):
        actions.add(name, text, slot, place=Place("File", section), keys=keys)
    for name, text, by, keys in (
        ("nextTab", "Next tab", 1, f"{_CONTROL}+Tab; Ctrl+PgDown"),
        ("previousTab", "Previous tab", -1, f"{_CONTROL}+Shift+Tab; Ctrl+PgUp"),
    ):
        step = _stepper(page, by)
        actions.add(name, text, step, place=Place("View", 4), keys=keys)


def _add_text(actions: Actions, page: EditorsPage) -> None:
    def on_text(run: Callable[[TextWidget], object]) -> Callable[[], object]:
        def slot() -> None:
            if (widget := _text_widget(page)) is not None:
                run(widget)

        return slot

    for name, text, run, keys, section in (
        ("undo", "&Undo", lambda widget: widget.undo(), "Ctrl+Z", 0),
        ("redo", "&Redo", lambda widget: widget.redo(), "Ctrl+Shift+Z; Ctrl+Y", 0),
        ("cut", "Cu&t", lambda widget: widget.cut(), "Ctrl+X", 1),
        ("copy", "&Copy", lambda widget: widget.copy(), "Ctrl+C", 1),
        ("paste", "&Paste", lambda widget: widget.paste(), "Ctrl+V", 1),
        ("selectAll", "Select &all", lambda widget: widget.selectAll(), "Ctrl+A", 1),
    ):
        actions.add(name, text, on_text(run), place=Place("Edit", section), keys=keys)


def _add_finding(actions: Actions, page: EditorsPage) -> None:
    for name, text, slot, keys in (
        ("find", "&Find", page.looking.find, "Ctrl+F"),
        (
            "replace",
            "Find and r&eplace",
            lambda: page.looking.find(replace=True),
            "Ctrl+H; Ctrl+Alt+F",
        ),
        ("findNext", "Find &next", lambda: page.looking.step(1), "F3"),
        ("findPrevious", "Find pre&vious", lambda: page.looking.step(-1), "Shift+F3"),
        ("goToLine", "&Go to line…", page.looking.go_to_line, "Ctrl+G"),
    ):
        actions.add(name, text, slot, place=Place("Edit", 2), keys=keys, owner=page)


def _add_lines(actions: Actions, page: EditorsPage) -> None:
    def on_editor(run: Callable[[CodeEditor], object]) -> Callable[[], object]:
        def slot() -> None:
            if (editor := page.editor) is not None:
                run(editor)

        return slot

    for name, text, run, keys, section in (
        ("toggleComment", "Toggle co&mment", CodeEditor.toggle_comment, "Ctrl+/", 3),
        ("indent", "&Indent", CodeEditor.indent, "Ctrl+]", 3),
        ("unindent", "U&nindent", CodeEditor.unindent, "Ctrl+[", 3),
        ("duplicateLine", "&Duplicate line", CodeEditor.duplicate, "Ctrl+D", 4),
        ("moveLineUp", "Move line up", lambda editor: editor.move_lines(-1), "Alt+Up", 4),
        ("moveLineDown", "Move line down", lambda editor: editor.move_lines(1), "Alt+Down", 4),
        ("deleteLine", "De&lete line", CodeEditor.delete_lines, "Ctrl+Shift+K", 4),
        ("tabMovesFocus", "Tab key moves the &focus, or indents",
         lambda editor: editor.setTabChangesFocus(not editor.tabChangesFocus()), "Ctrl+M", 5),
    ):  # fmt: skip
        actions.add(name, text, on_editor(run), place=Place("Edit", section), keys=keys, owner=page)


def _add_looks(actions: Actions, page: EditorsPage) -> None:
    def wrap() -> None:
        if (editor := page.editor) is not None:
            editor.set_wrapped(wrapped=not editor.wrapped)

    for name, text, slot, keys in (
        ("wordWrap", "&Wrap long lines, or let them run", wrap, "Alt+Z"),
        ("zoomIn", "Larger text", lambda: page.looking.zoom_by(1), "Ctrl++; Ctrl+="),
        ("zoomOut", "Smaller text", lambda: page.looking.zoom_by(-1), "Ctrl+-"),
        ("zoomReset", "Text in its usual size", lambda: page.looking.zoom_to(0), "Ctrl+0"),
    ):
        actions.add(name, text, slot, place=Place("View", 5), keys=keys, owner=page)


def _stepper(page: EditorsPage, by: int) -> Callable[[], object]:
    return lambda: page.step_tab(by)


def _text_widget(page: EditorsPage) -> TextWidget | None:
    """Return the text field with the focus, else the editor in front."""
    focus = QApplication.focusWidget()
    return focus if isinstance(focus, TextWidget) else page.editor
