"""`CodeEditor`: the text of a file, with numbers, marks and the keys of an editor for code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QPlainTextDocumentLayout,
    QPlainTextEdit,
    QToolTip,
    QWidget,
)

from studio_qt.ui.editors import editing
from studio_qt.ui.editors.brackets import bracket_pair
from studio_qt.ui.editors.dropping import local_files
from studio_qt.ui.editors.endless import has_endless_line, has_endless_word, what_grew
from studio_qt.ui.editors.gutter import Gutter
from studio_qt.ui.editors.indents import detect_indent, width_of
from studio_qt.ui.editors.markpaint import MarkPainter
from studio_qt.ui.editors.marks import Marks
from studio_qt.ui.editors.offsets import Offsets
from studio_qt.ui.editors.painting import Row
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.tips import plain_tip
from studio_qt.ui.widgets.viewports import give_viewport

__all__ = ["CodeEditor", "Face"]

_TOP = 8
_BRACKETS_AFTER_MS = 40
_LOOKED_AT = 400
"""Lines that are looked at to find out how a file is indented."""

_COUNTED = 50_000
_SEPARATOR = "\u2028"


class Face(NamedTuple):
    """The face and size of the text, and how many columns a tab takes."""

    font: QFont
    tab_width: int


class CodeEditor(QPlainTextEdit):
    """An editor on a document that belongs to somebody else.

    `typed` carries what a key, or an input method, has put into the text; `zoom_wanted` steps;
    `files_dropped` local paths; `menu_wanted` the context menu before it is shown, and the place in
    the text; `seen` comes when other lines may be on the screen, `grew_long` when `is_long` does.
    """

    typed = Signal(str)
    zoom_wanted = Signal(int)
    files_dropped = Signal(list)
    menu_wanted = Signal(object, int)
    seen = Signal()
    grew_long = Signal()

    def __init__(
        self,
        theme: Theme,
        text: QTextDocument,
        language: str,
        face: Face,
        *,
        plain: str | None = None,
        wrapped: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """`plain` is the text of the document with line feeds, where that is known already."""
        super().__init__(parent)
        self._theme = theme
        self._language = language
        self._face: Face | None = None
        self._comment: Callable[[int], editing.Marks] = lambda _position: (None, None)
        self._is_code: Callable[[int], bool] = lambda _position: True
        self._current = QRect()
        self.teller: Callable[[QPoint], object] | None = None
        """Tells about the place of the viewport where the pointer rests, in the tip's stead."""
        self.marks = Marks(text)
        self.is_long = False
        """Whether a line is so long that it is always wrapped, and not coloured; see `endless`."""
        self._painter = MarkPainter(theme, self.marks)
        self.setObjectName("codeEditor")
        give_viewport(self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.gutter = Gutter(theme, self.marks, self.rows, self)
        self.set_wrapped(wrapped=wrapped)
        self.set_face(face)
        self._endless = False
        known = text.toRawText().replace("\u2029", "\n") if plain is None else plain
        if has_endless_line(known, "\n"):
            self._be_long()
        elif has_endless_word(known, "\n"):
            self._break_anywhere()
        text.setDefaultFont(face.font)
        self.setDocument(text)  # last: each change of the look would lay it out once more
        self._step = detect_indent(_first_lines(text, _LOOKED_AT))
        self._bracket_timer = QTimer(self)
        self._bracket_timer.setSingleShot(True)
        self._bracket_timer.setInterval(_BRACKETS_AFTER_MS)
        self._connect()
        self._fit_gutter()

    # Properties

    @property
    def language(self) -> str:
        """The language of the text."""
        return self._language

    @property
    def step(self) -> str:
        """One step of indentation: as the file has it, else as the user prefers."""
        return self._step or " " * self._tab_width

    @property
    def wrapped(self) -> bool:
        """Whether long lines are wrapped."""
        return self.lineWrapMode() is QPlainTextEdit.LineWrapMode.WidgetWidth

    @property
    def place(self) -> tuple[int, int]:
        """Line and column of the cursor, counted from 1, in characters."""
        cursor = self.textCursor()
        column, text = cursor.positionInBlock(), cursor.block().text()
        if cursor.block().length() - 1 != len(text):
            column = Offsets(text).index(column)
        return cursor.blockNumber() + 1, column + 1

    @property
    def selected(self) -> int:
        """The length of the selection in characters; a very long one in Qt's units."""
        cursor = self.textCursor()
        length = cursor.selectionEnd() - cursor.selectionStart()
        return len(cursor.selectedText()) if length < _COUNTED else length

    @property
    def _tab_width(self) -> int:
        return self._face.tab_width if self._face is not None else 2

    # What the owner sets

    def set_language(
        self,
        language: str,
        comment: Callable[[int], editing.Marks],
        is_code: Callable[[int], bool],
    ) -> None:
        """Take a language; of each place, how comments are written there, and whether it is code.

        Code is all that is neither string nor comment.
        """
        self._language, self._comment, self._is_code = language, comment, is_code

    def set_face(self, face: Face) -> None:
        """Take face and size, and the width of a tab."""
        if face == self._face:
            return
        self._face = face
        self.setFont(face.font)
        self.document().setDefaultFont(face.font)
        self.setTabStopDistance(QFontMetricsF(face.font).horizontalAdvance(" ") * face.tab_width)
        self.gutter.set_face(face.font)
        self._fit_gutter()

    def set_wrapped(self, *, wrapped: bool) -> None:
        """Wrap long lines at words, or let them run out to the right."""
        modes = QPlainTextEdit.LineWrapMode
        mode = modes.WidgetWidth if wrapped or self.is_long else modes.NoWrap
        if mode is not self.lineWrapMode():
            self.setLineWrapMode(mode)

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the cursor at a place, counted from 1, and show it in the middle."""
        block = self.document().findBlockByNumber(min(line, self.blockCount()) - 1)
        text = block.text()
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + Offsets(text).unit(min(column - 1, len(text))))
        self.setTextCursor(cursor)
        self.centerCursor()

    def select(self, start: int, end: int) -> None:
        """Select a part, and show it."""
        cursor = self.textCursor()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        outside = not self.viewport().rect().contains(self.cursorRect(cursor))
        self.setTextCursor(cursor)
        if outside:
            self.centerCursor()

    def repaint_marks(self) -> None:
        """Draw again after a change of `marks`."""
        self.viewport().update()
        self.gutter.update()

    def release(self) -> None:
        """Let go of the document, which may end before this widget does."""
        self._bracket_timer.stop()
        self.teller = None
        self.document().contentsChange.disconnect(self._on_text)
        self.marks.set_problems(())
        other = QTextDocument(self)
        other.setDocumentLayout(QPlainTextDocumentLayout(other))
        self.setDocument(other)

    # What actions do

    def indent(self) -> None:
        """Move the selected lines to the right."""
        self._edit(lambda cursor: editing.indent_lines(cursor, self.step))

    def unindent(self) -> None:
        """Move the selected lines to the left."""
        width = width_of(self.step, self._tab_width)
        self._edit(lambda cursor: editing.unindent_lines(cursor, width))

    def toggle_comment(self) -> None:
        """Make the selected lines comments, or text again."""
        marks = self._comment(self.textCursor().selectionStart())
        self._edit(lambda cursor: editing.toggle_comment(cursor, marks))

    def duplicate(self) -> None:
        """Copy the selected lines below themselves."""
        self._edit(editing.duplicate_lines)

    def move_lines(self, step: int) -> None:
        """Move the selected lines a line up (-1) or down (1)."""
        self._edit(lambda cursor: editing.move_lines(cursor, step))

    def delete_lines(self) -> None:
        """Remove the selected lines."""
        self._edit(editing.delete_lines)

    # The screen

    def rows(self, area: QRectF) -> Iterator[Row]:
        """Yield the lines that are on the screen within an area of the viewport."""
        block = self.firstVisibleBlock()
        offset = self.contentOffset()
        top = self.blockBoundingGeometry(block).translated(offset).top()
        left, first, last = offset.x(), area.top(), area.bottom()
        while top <= last and block.isValid():
            height = self.blockBoundingRect(block).height()  # 0 where it is not visible
            if height and top + height >= first:
                yield Row(block, left, top, height)
            top += height
            block = block.next()

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.isReadOnly() or not self._on_key(event):
            super().keyPressEvent(event)
        if (text := event.text()) and not self.isReadOnly():
            self.typed.emit(text)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        super().inputMethodEvent(event)
        if (text := event.commitString()) and not event.preeditString():
            self.typed.emit(text)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_wanted.emit(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            super().wheelEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu(event.pos())
        menu.setObjectName("editorMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.menu_wanted.emit(menu, self.cursorForPosition(event.pos()).position())
        menu.popup(event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            if self.teller is not None:
                self.teller(event.pos())
                return True
            tip = plain_tip(self.tip_at(event.pos()))
            QToolTip.showText(event.globalPos(), tip, self.viewport())
            return True
        return super().viewportEvent(event)

    def tip_at(self, place: QPoint) -> str:
        """Return what is to be told about a place of the viewport."""
        line = self.cursorForPosition(place).blockNumber()
        return "\n".join(problem.message for problem in self.marks.problems_at(line))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if event.mimeData().hasUrls():
            self.files_dropped.emit(local_files(event.mimeData()))
            event.acceptProposedAction()
        else:
            super().dropEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if not self.wrapped:  # Qt would lay out all lines anew, which are as long as before
            old = QSize(event.size().width(), event.oldSize().height())
            event = QResizeEvent(event.size(), old)
        super().resizeEvent(event)
        self._place_gutter()
        self._current = self._line_area()
        self.seen.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        rows = list(self.rows(QRectF(event.rect()))) if self.marks.are_any else []
        painter = QPainter(self.viewport())
        painter.fillRect(self._line_area(), self._theme.colour("hover"))
        if rows:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._painter.paint_under(painter, rows)
        painter.end()
        super().paintEvent(event)
        if rows:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            focused = self.hasFocus()
            self._painter.paint_over(painter, rows, self.textCursor(), focused=focused)
            painter.end()

    # Slots

    def _on_cursor(self) -> None:
        area = self._line_area()
        if area != self._current:
            for place in (area, self._current):
                self.viewport().update(place)
                self.gutter.update(0, place.top(), self.gutter.width(), place.height())
            self._current = area
        self.gutter.set_current(self.textCursor().blockNumber())
        if self.marks.brackets is not None:
            self.marks.brackets = None
            self.viewport().update()
        self._bracket_timer.start()

    def _on_update(self, area: QRect, by: int) -> None:
        if by:
            self.gutter.scroll(0, by)
            self._current = self._line_area()
            self.seen.emit()
        else:
            self.gutter.update(0, area.top(), self.gutter.width(), area.height())

    def _on_text(self, at: int, removed: int, added: int) -> None:
        grew = "" if self.is_long else what_grew(self.document(), at, added)
        if grew == "line":
            self._be_long()
            self.grew_long.emit()
        elif grew and not self._endless:
            self._break_anywhere()
        self.marks.edited(at, removed, added)
        self.seen.emit()

    def _break_anywhere(self) -> None:
        """Wrap at any letter from now on."""
        self._endless = True
        self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)

    def _be_long(self) -> None:
        """Always wrap, at any letter, from now on."""
        self.is_long = True
        self._break_anywhere()
        self.set_wrapped(wrapped=True)

    def _find_brackets(self) -> None:
        place = self.textCursor().position()
        self.marks.brackets = bracket_pair(self.document(), place, self._is_code)
        if self.marks.brackets is not None:
            self.viewport().update()

    # Helpers

    def _connect(self) -> None:
        self.cursorPositionChanged.connect(self._on_cursor)
        self.updateRequest.connect(self._on_update)
        self.blockCountChanged.connect(self._fit_gutter)
        self.document().contentsChange.connect(self._on_text)
        self._bracket_timer.timeout.connect(self._find_brackets)
        self._theme.changed.connect(self.repaint_marks)

    def _fit_gutter(self) -> None:
        width = self.gutter.fit(self.blockCount())
        if width != self.viewportMargins().left():
            self.setViewportMargins(width, _TOP, 0, 0)
            self._place_gutter()

    def _place_gutter(self) -> None:
        inside, width = self.contentsRect(), self.viewportMargins().left()
        self.gutter.setGeometry(inside.left(), inside.top() + _TOP, width, inside.height() - _TOP)

    def _line_area(self) -> QRect:
        """Return the place of the line with the cursor, across the whole width."""
        place = self.cursorRect()
        return QRect(0, place.top(), self.viewport().width(), place.height())

    def _on_key(self, event: QKeyEvent) -> bool:
        """Do what a key means here; False leaves it to Qt."""
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        plain = held in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if event.matches(QKeySequence.StandardKey.MoveToStartOfLine):
            self._edit(lambda cursor: editing.smart_home(cursor, select=False))
        elif event.matches(QKeySequence.StandardKey.SelectStartOfLine):
            self._edit(lambda cursor: editing.smart_home(cursor, select=True))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain:
            self._edit(lambda cursor: editing.break_line(cursor, self.step, self._language))
        elif event.key() == Qt.Key.Key_Backtab and not self.tabChangesFocus():
            self.unindent()
        elif event.key() == Qt.Key.Key_Tab and plain and not self.tabChangesFocus():
            self._tab()
        elif event.key() == Qt.Key.Key_Backspace and plain:
            return self._erase()
        elif event.text() in (")", "]", "}"):
            self._close_block()
            return False
        else:
            return False
        return True

    def _tab(self) -> None:
        cursor = self.textCursor()
        document = cursor.document()
        if document.findBlock(cursor.selectionStart()) != document.findBlock(cursor.selectionEnd()):
            self.indent()
        else:
            self._edit(lambda cursor: editing.insert_step(cursor, self.step))

    def _erase(self) -> bool:
        cursor = self.textCursor()
        done = editing.erase_step(cursor, self.step)
        if done:
            self.setTextCursor(cursor)
        return done

    def _close_block(self) -> None:
        """Put a closing bracket that begins a line one step to the left, before it is typed."""
        cursor = self.textCursor()
        line = cursor.block().text()
        alone = line.strip() == "" and line and cursor.positionInBlock() == len(line)
        if alone and not cursor.hasSelection() and self._language not in ("text", "markdown"):
            self.unindent()

    def _edit(self, change: Callable[[QTextCursor], QTextCursor]) -> None:
        if not self.isReadOnly():
            self.setTextCursor(change(self.textCursor()))
            self.ensureCursorVisible()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste lines as lines: separators of other programs are line ends here."""
        text = source.text()
        if _SEPARATOR in text:
            self.textCursor().insertText(text.replace(_SEPARATOR, "\n"))
        else:
            super().insertFromMimeData(source)


def _first_lines(text: QTextDocument, count: int) -> Iterator[str]:
    block: QTextBlock = text.firstBlock()
    for _ in range(min(count, text.blockCount())):
        yield block.text()
        block = block.next()
