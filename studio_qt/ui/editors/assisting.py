"""`Assisting`: completions, help and quick fixes of all tabs; what they need is made when used."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu
from shiboken6 import isValid

from studio_qt.errors import Problem, StudioError
from studio_qt.ui.actions import Place as MenuPlace
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.importing import import_directly

if TYPE_CHECKING:
    from studio_qt.ui.editors.assistant import Assistant
    from studio_qt.ui.editors.completer import Completer
    from studio_qt.ui.editors.hovering import Hovering
    from studio_qt.ui.editors.mendmenu import MendMenu
    from studio_qt.ui.editors.page import EditorsPage
    from studio_qt.ui.editors.view import EditorView

__all__ = ["Assisting"]

_CONTROL = "Meta" if sys.platform == "darwin" else "Ctrl"
"""The key with that name also on macOS, where Qt's Ctrl+Space is the system's."""

_MODULES = ("assistant", "completer", "hovering", "mendmenu")
_ENDS = ('"', "'", "`", "*/", "]]")
"""What may end a string or a comment within a line."""

_LANGUAGES = frozenset({"json", "subagent", "javascript", "typescript", "python", "lua", "text"})


class _Helpers:
    """What helps in a tab."""

    def __init__(self, completer: Completer, hovering: Hovering) -> None:
        self.completer = completer
        self.hovering = hovering


class _Text:
    """What completions know of the text of a tab."""

    def __init__(self, view: EditorView) -> None:
        self.view = view

    @property
    def path(self) -> str:
        return self.view.path

    def is_quoted(self, position: int) -> bool:
        """Whether a place is in a string or a comment, as the colours tell.

        A line that has just grown has none at its end: there its beginning tells.
        """
        if (body := self.view.body) is None:
            return False
        kind = body.highlighter.kind_at(position)
        block = body.editor.document().findBlock(position)
        if not kind and not any(sign in block.text() for sign in _ENDS):
            kind = body.highlighter.kind_at(block.position())
        return kind.startswith(("string", "comment"))


class Assisting(QObject):
    """Imports what it needs on another thread at the first use, so that no key waits for it.

    `mended` carries a sentence and a coroutine function that takes it back, or None.
    """

    mended = Signal(str, object)

    def __init__(self, desk: Desk, documents: Documents, page: EditorsPage) -> None:
        super().__init__(page)
        self._desk, self._documents, self._page = desk, documents, page
        self._assistant: Assistant | None = None
        self._menu: MendMenu | None = None
        self._helpers: dict[EditorView, _Helpers] = {}
        self._add_actions()

    @property
    def assistant(self) -> Assistant | None:
        """What knows the project; None before the first use."""
        return self._assistant

    def attach(self, view: EditorView) -> None:
        """Help in a tab whose text is there."""
        if view.body is None:
            return
        editor = view.body.editor
        editor.typed.connect(lambda text: self._on_typed(view, text))
        editor.gutter.mend_wanted.connect(lambda line: self._mend_line(view, line))
        editor.teller = lambda place: self._in(view, lambda made: made.hovering.show_at(place))

    def completer(self, view: EditorView) -> Completer | None:
        """Return what completes in a tab; None before the first use."""
        helpers = self._helpers.get(view)
        return helpers.completer if helpers is not None else None

    def hovering(self, view: EditorView) -> Hovering | None:
        """Return what explains words in a tab; None before the first use."""
        helpers = self._helpers.get(view)
        return helpers.hovering if helpers is not None else None

    def fill_menu(self, menu: QMenu, problem: Problem) -> None:
        """Put the ways to mend a problem on top of a menu that is open."""
        if problem.fault is not None:
            self._with(lambda: self._mend_menu().fill(menu, problem) if isValid(menu) else None)

    def files_changed(self) -> None:
        """Read the names of the project anew when they are needed next."""
        if self._assistant is not None:
            self._assistant.forget()

    # What the user wants

    def complete(self) -> None:
        """Open the list at the cursor."""
        self._here(lambda helpers: helpers.completer.ask())

    def explain(self) -> None:
        """Show what is known of the word at the cursor."""
        self._here(self._explain)

    def mend(self) -> None:
        """Offer ways to mend the line with the cursor."""
        view = self._page.current
        if view is not None and view.body is not None:
            self._mend_line(view, view.body.editor.textCursor().blockNumber())

    def add_types(self) -> None:
        """Put the types of the bridge into the project, for other editors."""
        self._desk.tasks.start(self._add_types(), name="add types")

    # Slots

    def _on_typed(self, view: EditorView, text: str) -> None:
        """Look for completions where the file can have any."""
        if view.body is None or view.body.editor.language not in _LANGUAGES:
            return
        if view.body.editor.language == "text" and text != "%" and view not in self._helpers:
            return  # nothing but macros can be completed
        self._in(view, lambda helpers: helpers.completer.typed(text))

    def _explain(self, helpers: _Helpers) -> None:
        if not helpers.hovering.show_here():
            self._page.notice.emit("Nothing is known of this word.", "info")

    def _mend_line(self, view: EditorView, line: int) -> None:
        self._in(view, lambda _helpers: self._open_menu(view, line))

    def _open_menu(self, view: EditorView, line: int) -> None:
        self._close_all()
        if view.body is None:
            return
        editor = view.body.editor
        if editor.textCursor().blockNumber() != line:
            editor.go_to(line + 1)
        place = editor.viewport().mapToGlobal(editor.cursorRect().bottomLeft())
        problems = editor.marks.problems_at(line)
        self._mend_menu().open(view.path, problems, editor, place)

    # Helpers

    async def _add_types(self) -> None:
        await asyncio.to_thread(import_directly, "studio_qt.ui.editors.typefiles")
        from studio_qt.ui.editors.typefiles import add_types

        try:
            done = await add_types(self._documents)
        except StudioError as error:
            self._page.notice.emit(str(error), "error")
            return
        words = "The types of the bridge are in types/studio.d.ts."
        self.mended.emit(words, done.undo if done.paths else None)

    def _here(self, run: Callable[[_Helpers], object]) -> None:
        if (view := self._page.current) is not None and view.body is not None:
            self._in(view, run)

    def _in(self, view: EditorView, run: Callable[[_Helpers], object]) -> None:
        """Do something in a tab, unless it has been closed until that can be done."""

        def on_ready() -> None:
            if isValid(view) and view.body is not None and isValid(view.body.editor):
                run(self._made(view))

        self._with(on_ready)

    def _with(self, run: Callable[[], object]) -> None:
        """Do something with the modules that may have to be imported first."""
        if self._assistant is not None:
            run()
            return
        self._desk.tasks.start(self._prepare(run), name="prepare completions")

    async def _prepare(self, run: Callable[[], object]) -> None:
        for name in _MODULES:
            await asyncio.to_thread(import_directly, f"studio_qt.ui.editors.{name}")
        if self._assistant is None:
            from studio_qt.ui.editors.assistant import Assistant

            self._assistant = Assistant(self._desk.tasks, self._documents, self)
        run()

    def _made(self, view: EditorView) -> _Helpers:
        helpers = self._helpers.get(view)
        if helpers is None:
            from studio_qt.ui.editors.completer import Completer
            from studio_qt.ui.editors.hovering import Hovering

            assert view.body is not None
            assert self._assistant is not None
            editor, text, theme = view.body.editor, _Text(view), self._desk.theme
            completer = Completer(theme, editor, text, self._assistant)
            hovering = Hovering(theme, editor, text, self._assistant)
            completer.nothing.connect(self._on_nothing)
            editor.destroyed.connect(lambda: self._helpers.pop(view, None))
            helpers = self._helpers[view] = _Helpers(completer, hovering)
        return helpers

    def _on_nothing(self) -> None:
        self._page.notice.emit("There is nothing to complete here.", "info")

    def _mend_menu(self) -> MendMenu:
        if self._menu is None:
            from studio_qt.ui.editors.mendmenu import MendMenu

            assert self._assistant is not None
            self._menu = MendMenu(self._desk, self._assistant, self)
            self._menu.notice.connect(self._page.notice)
            self._menu.mended.connect(self.mended)
            self._menu.made.connect(self._show_made)
        return self._menu

    def _show_made(self, path: str) -> None:
        self._desk.tasks.start(self._page.open(path), name="open")

    def _close_all(self) -> None:
        for helpers in self._helpers.values():
            helpers.completer.close()
            helpers.hovering.close()

    def _add_actions(self) -> None:
        add, page = self._desk.actions.add, self._page
        for name, text, slot, keys in (
            ("completeHere", "C&omplete", self.complete, f"{_CONTROL}+Space; Ctrl+I"),
            ("explainHere", "Explain the &word", self.explain, "Shift+F1"),
            ("quickFix", "&Quick fix…", self.mend, "Ctrl+."),
        ):
            add(name, text, slot, place=MenuPlace("Edit", 6), keys=keys, owner=page)
        words = "Add types for other editors"
        add("addTypes", words, self.add_types, place=MenuPlace("Tools", 8))
