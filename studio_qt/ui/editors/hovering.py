"""`Hovering`: what is known of a word, and what is wrong with its line, in a card beside it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QCursor, QKeyEvent, QKeySequence, QMouseEvent, QTextCursor

from studio_qt.errors import Problem
from studio_qt.ui.editors.assistant import Assistant
from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.editors.completer import Place
from studio_qt.ui.editors.excerpts import excerpt_at
from studio_qt.ui.editors.helpcard import HelpCard, place_near
from studio_qt.ui.theme.theme import Theme

__all__ = ["Hovering"]

_PATIENCE_MS = 250
"""How long the pointer may be elsewhere on its way into the card."""

_NEAR = 6
_LEFT = frozenset({QEvent.Type.FocusOut, QEvent.Type.Hide})
_KEYS = frozenset({Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_Meta})


class Hovering(QObject):
    """Shows the card where the pointer rests, or at the cursor when it is asked for.

    It goes with the next key, click or turn of the wheel, and when the pointer leaves the word.
    """

    def __init__(
        self, theme: Theme, editor: CodeEditor, place: Place, assistant: Assistant
    ) -> None:
        super().__init__(editor)
        self._theme, self._editor, self._place = theme, editor, place
        self._assistant = assistant
        self._card: HelpCard | None = None
        self._word = QRect()
        self._span = (0, 0)
        self._by_mouse = self._tracked = False
        self._leaving = QTimer(self)
        self._leaving.setSingleShot(True)
        self._leaving.setInterval(_PATIENCE_MS)
        self._leaving.timeout.connect(self._on_left)

    @property
    def card(self) -> HelpCard | None:
        """The card that is shown."""
        return self._card if self._card is not None and self._card.isVisible() else None

    def show_at(self, place: QPoint) -> None:
        """Show what is known of the word at a place of the viewport."""
        editor = self._editor
        cursor = editor.cursorForPosition(place)
        at = editor.cursorRect(cursor)
        beside = abs(at.center().x() - place.x()) > 2 * editor.fontMetrics().averageCharWidth()
        if beside or not at.adjusted(-999, -2, 999, 2).contains(place):
            cursor = QTextCursor(cursor.block()) if at.top() <= place.y() <= at.bottom() else cursor
            if not self._problems(cursor.blockNumber()):
                return
            self._show(cursor, words=False)
        else:
            self._show(cursor, words=True)
        self._by_mouse = True

    def show_here(self) -> bool:
        """Show what is known of the word at the cursor; False where that is nothing."""
        self._editor.ensureCursorVisible()
        self._show(self._editor.textCursor(), words=True)
        self._by_mouse = False
        return self.card is not None

    def close(self) -> None:
        """Take the card away."""
        self._leaving.stop()
        if self.card is None or self._card is None:
            return
        self._card.hide()
        editor = self._editor
        editor.removeEventFilter(self)
        editor.viewport().removeEventFilter(self)
        editor.viewport().setMouseTracking(self._tracked)
        editor.verticalScrollBar().valueChanged.disconnect(self._stand)

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._editor:
            if kind == QEvent.Type.Resize:
                QTimer.singleShot(0, self, self._stand)  # when the lines stand where they belong
            elif kind in _LEFT:
                self.close()
            elif isinstance(event, QKeyEvent):
                return self._on_key(event)
        elif kind in (QEvent.Type.MouseButtonPress, QEvent.Type.Wheel):
            self.close()
        elif kind == QEvent.Type.Leave and self._by_mouse:
            self._leaving.start()
        elif kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent) and self._by_mouse:
            if self._word.contains(event.position().toPoint()):
                self._leaving.stop()
            elif not self._leaving.isActive():
                self._leaving.start()
        return False

    # Slots

    def _on_key(self, event: QKeyEvent) -> bool:
        """Escape does nothing else than to take the card away; other keys do what they do."""
        if event.key() in _KEYS or event.type() == QEvent.Type.KeyRelease:
            return False
        is_escape = event.key() == Qt.Key.Key_Escape
        if event.type() == QEvent.Type.ShortcutOverride:
            if is_escape:
                event.accept()
            return is_escape
        self.close()
        return is_escape

    def _on_left(self) -> None:
        card = self.card
        if card is not None and card.rect().contains(card.mapFromGlobal(QCursor.pos())):
            self._leaving.start()
        else:
            self.close()

    # Helpers

    def _problems(self, line: int) -> list[Problem]:
        return self._editor.marks.problems_at(line)

    def _show(self, cursor: QTextCursor, *, words: bool) -> None:
        editor, position = self._editor, cursor.position()
        problems = self._problems(cursor.blockNumber())
        told = None
        start = end = position
        if words:
            found = excerpt_at(editor.document(), position)
            quoted = self._place.is_quoted(max(0, position - 1))
            self._assistant.freshen()
            told = self._assistant.hover(self._place.path, found, quoted=quoted)
            if told is not None:
                start, end = found.unit(told.start), found.unit(told.end)
        if told is None and not problems:
            self.close()
            return
        can_mend = any(problem.fault is not None for problem in problems)
        keys = QKeySequence("Ctrl+.").toString(QKeySequence.SequenceFormat.NativeText)
        foot = f"{keys} mends it" if can_mend else ""
        head, text = (told.head, told.text) if told is not None else ("", "")
        self._lay(head, text, problems, foot, (start, end))

    def _stand(self) -> None:
        """Put the card below its word, wherever that is by now."""
        editor, window, card = self._editor, self._editor.window(), self.card
        if card is None:
            return
        first, last = QTextCursor(editor.document()), QTextCursor(editor.document())
        first.setPosition(self._span[0])
        last.setPosition(self._span[1])
        word = editor.cursorRect(first).united(editor.cursorRect(last))
        if not editor.viewport().rect().intersects(word):
            self.close()
            return
        self._word = word.adjusted(-_NEAR, -_NEAR, _NEAR, _NEAR)
        line = QRect(editor.viewport().mapTo(window, word.topLeft()), word.size())
        card.move(place_near(line, card.rect(), window.rect()))
        card.raise_()

    def _lay(
        self, head: str, text: str, problems: list[Problem], foot: str, span: tuple[int, int]
    ) -> None:
        editor, window = self._editor, self._editor.window()
        self.close()
        if self._card is None or self._card.parentWidget() is not window:
            self._card = HelpCard(self._theme, window)
            editor.destroyed.connect(self._card.deleteLater)
        self._card.fill(head, text, problems=problems, foot=foot)
        self._span = span
        self._card.show()
        editor.installEventFilter(self)
        editor.viewport().installEventFilter(self)
        self._tracked = editor.viewport().hasMouseTracking()
        editor.viewport().setMouseTracking(True)
        editor.verticalScrollBar().valueChanged.connect(self._stand)
        self._stand()
        if self.card is not None:
            self._card.tell()
