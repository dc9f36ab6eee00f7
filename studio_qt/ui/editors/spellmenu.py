"""`SpellMenu`: what the context menu offers for a misspelt word."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QTextCursor
from PySide6.QtWidgets import QMenu
from shiboken6 import isValid

from studio_qt.ui.desk import Desk
from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.editors.proofreading import Proofreader
from studio_qt.ui.editors.spelling import Speller

__all__ = ["SpellMenu"]


class SpellMenu(QObject):
    """Suggestions come into the open menu when they are found, since that can take a while."""

    def __init__(
        self, desk: Desk, editor: CodeEditor, speller: Speller, proofreader: Proofreader
    ) -> None:
        super().__init__(editor)
        self._desk, self._editor = desk, editor
        self._speller, self._proofreader = speller, proofreader

    def fill(self, menu: QMenu, position: int) -> None:
        """Put entries for the misspelt word at a place of the text on top, if one is there."""
        found = self._proofreader.wrong_word_at(position)
        if found is None:
            return
        word, start, end = found
        first = menu.actions()[0] if menu.actions() else None
        waiting = _entry(menu, "Looking for suggestions…", "spellWaiting", first)
        waiting.setEnabled(False)
        add = _entry(menu, f"Add “{word}” to the dictionary", "spellAdd", first)
        add.triggered.connect(lambda: self._speller.add(word))
        ignore = _entry(menu, f"Ignore “{word}”", "spellIgnore", first)
        ignore.triggered.connect(lambda: self._speller.ignore(word))
        if first is not None:
            menu.insertSeparator(first)
        self._desk.tasks.start(
            self._suggest(menu, waiting, word, (start, end)), name="suggest spelling"
        )

    async def _suggest(
        self, menu: QMenu, waiting: QAction, word: str, span: tuple[int, int]
    ) -> None:
        suggestions = await self._speller.suggest(word)
        if not isValid(menu) or not isValid(waiting):
            return  # it was closed meanwhile
        for suggestion in suggestions:
            entry = _entry(menu, suggestion, "spellSuggestion", waiting)
            entry.setEnabled(not self._editor.isReadOnly())
            entry.triggered.connect(
                lambda _checked=False, new=suggestion: self._replace(word, span, new)
            )
        waiting.setText("No suggestions")
        waiting.setVisible(not suggestions)

    def _replace(self, word: str, span: tuple[int, int], new: str) -> None:
        """Put a suggestion in the word's place, if it still stands there."""
        cursor = QTextCursor(self._editor.document())
        cursor.setPosition(span[0])
        cursor.setPosition(span[1], QTextCursor.MoveMode.KeepAnchor)
        if cursor.selectedText() == word:
            cursor.insertText(new)


def _entry(menu: QMenu, text: str, name: str, before: QAction | None) -> QAction:
    action = QAction(text.replace("&", "&&"), menu)
    action.setObjectName(name)
    if before is None:
        menu.addAction(action)
    else:
        menu.insertAction(before, action)
    return action
