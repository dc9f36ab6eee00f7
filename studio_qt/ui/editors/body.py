"""`TextBody`: the editor of a text with its find bar, colours, spelling and reckoning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from studio_qt.errors import Problem
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.document import Document
from studio_qt.ui.editors.code import CodeEditor, Face
from studio_qt.ui.editors.editing import Marks
from studio_qt.ui.editors.proofreading import Proofreader
from studio_qt.ui.editors.reckoner import Reckoner
from studio_qt.ui.editors.reckoning import Reckoned
from studio_qt.ui.editors.spelling import Speller
from studio_qt.ui.editors.spellmenu import SpellMenu
from studio_qt.ui.editors.status import EditorStatus
from studio_qt.ui.highlight import Highlighter, comment_marks, is_prose, language_of
from studio_qt.ui.theme.fonts import mono_font

if TYPE_CHECKING:
    from studio_qt.ui.editors.findbar import FindBar

__all__ = ["TextBody"]

_STATUS_MS = 30
_PROSE = ("", "heading", "emphasis", "strong", "struck", "link")
"""The kinds of text in which spelling is checked."""


class TextBody(QWidget):
    """`status_changed` follows cursor and text by 30 ms; `notice` is a sentence for the user.

    `searched` carries each `Query` that the user makes.
    """

    status_changed = Signal()
    searched = Signal(object)
    notice = Signal(str, str)

    def __init__(self, desk: Desk, document: Document, speller: Speller) -> None:
        super().__init__()
        self.setObjectName("textBody")
        self._desk, self._document, self._speller = desk, document, speller
        self._zoom = 0
        self._tokens: int | None = None
        language = language_of(document.path)
        self.editor = CodeEditor(
            desk.theme,
            document.text,
            language,
            self._face(),
            plain=document.plain,
            wrapped=is_prose(language),
        )
        self.highlighter = Highlighter(document.text, language, desk.theme, self.editor)
        self._find_bar: FindBar | None = None
        self.reckoner = Reckoner(desk.tasks, document, self)
        self.proofreader = Proofreader(self.editor, speller, self._not_prose)
        self._spell_menu = SpellMenu(desk, self.editor, speller, self.proofreader)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_STATUS_MS)
        self._build()
        self._connect()
        self.set_path(document.path)
        self.reckoner.wake()

    @property
    def find_bar(self) -> FindBar:
        """The find bar; made when somebody looks for something, since few tabs need one."""
        if self._find_bar is None:
            from studio_qt.ui.editors.findbar import FindBar

            bar = FindBar(self._desk.theme, self._desk.tasks, self.editor)
            bar.notice.connect(lambda text: self.notice.emit(text, "info"))
            bar.searched.connect(self.searched)
            self._column.insertWidget(0, bar)
            self._find_bar = bar
        return self._find_bar

    # Methods

    def status(self, *, spelling: str) -> EditorStatus:
        """Return what the status bar shows; `spelling` is why nothing is checked."""
        editor, document = self.editor, self._document
        line, column = editor.place
        problems = editor.marks.problems_at(line - 1)
        return EditorStatus(
            line,
            column,
            editor.selected,
            editor.language,
            document.encoding,
            document.line_end,
            editor.step,
            self._tokens,
            read_only=editor.isReadOnly(),
            problem=problems[0].message if problems else "",
            spelling=spelling if is_prose(editor.language) else "",
        )

    def set_path(self, path: str) -> None:
        """Take the language of a path."""
        language = language_of(path)
        new = language != self.editor.language
        self.editor.set_language(language, self._comment_marks, self._is_code)
        self.editor.setAccessibleName(f"Text of {path}")
        self.editor.setAccessibleDescription("Tab indents; Ctrl+M lets Tab move the focus.")
        if new:
            self.highlighter.set_language(language)
            self.editor.set_wrapped(wrapped=is_prose(language))

    def set_zoom(self, zoom: int) -> None:
        """Write so many pixels larger or smaller than the user prefers."""
        self._zoom = zoom
        self.dress()

    def dress(self) -> None:
        """Take the face, the size and the tab width that the user prefers."""
        self.editor.set_face(self._face())

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Mark the lines of these."""
        self.editor.marks.set_problems(problems)
        self.editor.repaint_marks()
        self._timer.start()

    def keep(self) -> dict[str, object]:
        """Return where the reader is."""
        cursor, bar = self.editor.textCursor(), self.editor.verticalScrollBar()
        return {
            "anchor": cursor.anchor(),
            "position": cursor.position(),
            "scroll": bar.value(),
            "wrapped": self.editor.wrapped,
        }

    def restore(self, kept: Mapping[str, object]) -> None:
        """Go where the reader was; what does not fit the text any more is left out."""
        wrapped = kept.get("wrapped")
        if isinstance(wrapped, bool):
            self.editor.set_wrapped(wrapped=wrapped)
        last = self._document.text.characterCount() - 1
        anchor, position = kept.get("anchor"), kept.get("position")
        if isinstance(anchor, int) and isinstance(position, int):
            cursor = QTextCursor(self._document.text)
            cursor.setPosition(max(0, min(anchor, last)))
            cursor.setPosition(max(0, min(position, last)), QTextCursor.MoveMode.KeepAnchor)
            self.editor.setTextCursor(cursor)
        scroll = kept.get("scroll")
        if isinstance(scroll, int):
            self.editor.verticalScrollBar().setValue(scroll)

    def release(self) -> None:
        """Let go of the document."""
        self.highlighter.close()
        self.proofreader.stop()
        self.reckoner.stop()
        self._timer.stop()
        self._desk.preferences.changed.disconnect(self.dress)
        self._speller.changed.disconnect(self._timer.start)
        if self._find_bar is not None:
            self._find_bar.finder.release()
        self.editor.release()

    # Slots

    def _on_reckoned(self, answer: Reckoned) -> None:
        self._tokens = answer.tokens
        self.editor.marks.set_changes(answer.changes)
        self.editor.gutter.update()
        self.status_changed.emit()

    def _tell_soon(self) -> None:
        """Tell once in 30 ms, also while keys come faster than that."""
        if not self._timer.isActive():
            self._timer.start()

    def _on_menu(self, menu: QMenu, position: int) -> None:
        self._spell_menu.fill(menu, position)

    # Helpers

    def _face(self) -> Face:
        chosen = self._desk.preferences.window
        font = mono_font(max(6, chosen.editor_size + self._zoom))
        if chosen.editor_face:
            font.setFamilies([chosen.editor_face, *font.families()])
        return Face(font, chosen.tab_width)

    def _comment_marks(self, position: int) -> Marks:
        return comment_marks(self.highlighter.language_at(position))

    def _is_code(self, position: int) -> bool:
        return not self.highlighter.kind_at(position).startswith(("string", "comment"))

    def _not_prose(self, line: int) -> list[tuple[int, int]] | None:
        """Return the macros and the code in a line; None in frontmatter and in fenced code."""
        if not is_prose(self.highlighter.language_in(line)):
            return None
        return [
            (start, start + length)
            for start, length, kind in self.highlighter.spans(line)
            if kind.partition(".")[0] not in _PROSE
        ]

    def _connect(self) -> None:
        editor = self.editor
        editor.cursorPositionChanged.connect(self._tell_soon)
        editor.selectionChanged.connect(self._tell_soon)
        editor.menu_wanted.connect(self._on_menu)
        self._timer.timeout.connect(self.status_changed)
        self._speller.changed.connect(self._timer.start)
        self.reckoner.reckoned.connect(self._on_reckoned)
        self.highlighter.settled_changed.connect(self.proofreader.wake)
        self._desk.preferences.changed.connect(self.dress)

    def _build(self) -> None:
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.editor, 1)
        self.setFocusProxy(self.editor)
