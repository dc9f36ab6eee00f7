"""`Completer`: opens the list of completions in one editor, and takes from it what is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QApplication

from studio_qt.authoring.completing import Completion
from studio_qt.ui.documents.plain import to_document
from studio_qt.ui.editors.assistant import Assistant
from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.editors.completionlist import CompletionList
from studio_qt.ui.editors.excerpts import Excerpt, excerpt_at
from studio_qt.ui.editors.helpcard import HelpCard, place_near
from studio_qt.ui.theme.theme import Theme

__all__ = ["Completer", "Place"]

_BESIDE = 4
_LOOKED_ON = frozenset({QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride})
_LEFT = frozenset({QEvent.Type.FocusOut, QEvent.Type.Hide})
_ELSEWHERE = frozenset({QEvent.Type.MouseButtonPress, QEvent.Type.Wheel})


class Place(Protocol):
    """What is known of an editor's text."""

    @property
    def path(self) -> str:
        """The file's path in the project."""
        ...

    def is_quoted(self, position: int) -> bool:
        """Whether a place is in a string or a comment."""
        ...


class Completer(QObject):
    """The list opens by itself where an author would want it, and when it is asked for.

    Tab takes the current completion. Enter takes it only after the user has chosen it with the
    arrow keys, or has asked for the list: else it begins a line, as it does without a list.
    `nothing`: the list was asked for, and there is nothing to be offered.
    """

    nothing = Signal()

    def __init__(
        self, theme: Theme, editor: CodeEditor, place: Place, assistant: Assistant
    ) -> None:
        super().__init__(editor)
        self._theme, self._editor, self._place = theme, editor, place
        self._assistant = assistant
        self._list: CompletionList | None = None
        self._card: HelpCard | None = None
        self._excerpt: Excerpt | None = None
        self._chosen = self._asked = False
        self._start = 0
        self._waiting: tuple[int, bool] | None = None
        assistant.facts_changed.connect(self._on_facts)

    @property
    def is_open(self) -> bool:
        """Whether the list is shown."""
        return self._list is not None and self._list.isVisible()

    @property
    def items(self) -> list[Completion]:
        """What is offered."""
        return list(self._list.items) if self._list is not None and self.is_open else []

    # What happens

    def typed(self, text: str) -> None:
        """Open the list after a key where it is wanted; letters go on filtering it."""
        if not self.is_open and text.isprintable() and text and self._may_open():
            self._look(asked=False)

    def ask(self) -> None:
        """Open the list because the user wants it."""
        if not self._may_open():
            return
        self._look(asked=True)
        if not self.is_open and self._assistant.knows:
            self.nothing.emit()

    def close(self) -> None:
        """Take the list away."""
        if self._list is None or not self.is_open:
            return
        editor = self._editor
        editor.removeEventFilter(self)
        editor.viewport().removeEventFilter(self)
        editor.cursorPositionChanged.disconnect(self._follow)
        self._list.hide()
        if self._card is not None:
            self._card.hide()

    def take(self, item: Completion | None = None) -> None:
        """Put a completion, else the current one, into the text: one step of undo."""
        item = item or (self._list.current if self._list is not None else None)
        found = self._excerpt
        self.close()
        if item is None or found is None or self._editor.isReadOnly():
            return
        cursor = QTextCursor(self._editor.document())
        cursor.beginEditBlock()
        cursor.setPosition(found.unit(item.start))
        cursor.setPosition(found.unit(item.end), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(to_document(item.insert))
        for edit in sorted(item.also, key=lambda one: -one.at):
            other = QTextCursor(self._editor.document())
            other.setPosition(found.unit(edit.at))
            other.insertText(edit.text)
        cursor.endEditBlock()
        cursor.setPosition(cursor.position() - item.back)
        self._editor.setTextCursor(cursor)
        self._editor.ensureCursorVisible()
        if item.again and self._may_open():
            self._look(asked=False)

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._editor and kind in _LOOKED_ON and isinstance(event, QKeyEvent):
            return self._on_key(event, really=kind == QEvent.Type.KeyPress)
        if watched is self._editor and kind == QEvent.Type.Resize:
            QTimer.singleShot(0, self, self._follow)  # when the lines stand where they belong
        elif kind in (_LEFT if watched is self._editor else _ELSEWHERE):
            self.close()
        return False

    # Slots

    def _on_key(self, event: QKeyEvent, *, really: bool) -> bool:
        """Do what a key means to the list; False leaves it to the editor."""
        act = self._meaning(event)
        if act is None:
            if really and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.close()
            return False
        if really:
            act()
        else:
            event.accept()  # no shortcut of the window gets it
        return True

    def _meaning(self, event: QKeyEvent) -> Callable[[], None] | None:
        shown = self._list
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if shown is None or held != Qt.KeyboardModifier.NoModifier:
            return None
        match event.key():
            case Qt.Key.Key_Escape:
                return self.close
            case Qt.Key.Key_Down:
                return lambda: self._step(1)
            case Qt.Key.Key_Up:
                return lambda: self._step(-1)
            case Qt.Key.Key_PageDown:
                return lambda: self._step(8, around=False)
            case Qt.Key.Key_PageUp:
                return lambda: self._step(-8, around=False)
            case Qt.Key.Key_Tab if not self._editor.tabChangesFocus():
                return self.take
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self._chosen or self._asked:
                return self.take
        return None

    def _step(self, by: int, *, around: bool = True) -> None:
        self._chosen = True
        if self._list is not None:
            self._list.step(by, around=around)

    def _follow(self) -> None:
        """Filter by what is typed by now; elsewhere in the text there is nothing to complete."""
        if self.is_open:
            self._look(asked=self._asked)

    def _on_facts(self) -> None:
        """Look again with the names that are known by now."""
        waiting, self._waiting = self._waiting, None
        if self.is_open:
            self._look(asked=self._asked)
        elif waiting is not None and self._may_open():
            position, asked = waiting
            if self._editor.textCursor().position() == position:
                self._look(asked=asked)
                if asked and not self.is_open:
                    self.nothing.emit()

    # Helpers

    def _may_open(self) -> bool:
        editor = self._editor
        if QApplication.focusWidget() not in (editor, None):
            return False  # the user went on meanwhile
        return not editor.isReadOnly() and not editor.textCursor().hasSelection()

    def _look(self, *, asked: bool) -> None:
        """Find what fits at the cursor, and show or close the list."""
        editor = self._editor
        position = editor.textCursor().position()
        found = excerpt_at(editor.document(), position)
        items = self._assistant.complete(
            self._place.path, found, quoted=self._place.is_quoted(max(0, position - 1))
        )
        items = [item for item in items if item.eager or asked or self.is_open]
        if items and self.is_open and found.unit(items[0].start) != self._start:
            items = []  # this is another word
        if not self._assistant.knows:
            self._waiting = position, asked
            self._assistant.freshen()
        if not items or (not asked and _is_written(items, found)):
            self.close()
            return
        self._assistant.freshen()
        self._excerpt, self._start = found, found.unit(items[0].start)
        self._show(items, found, asked=asked)

    def _show(self, items: list[Completion], found: Excerpt, *, asked: bool) -> None:
        shown = self._made()
        fresh = not self.is_open
        kept = shown.current if not fresh and self._chosen else None
        shown.fill(items, found.text[items[0].start : found.at])
        if fresh:
            self._chosen, self._asked = False, asked
            self._editor.installEventFilter(self)
            self._editor.viewport().installEventFilter(self)
            self._editor.cursorPositionChanged.connect(self._follow)
        elif kept is not None:
            names = [item.label for item in items]
            if kept.label in names:
                shown.step(names.index(kept.label))
            else:
                self._chosen = False
        self._stand(items[0], found)
        shown.show()
        shown.raise_()
        self._tell()
        if fresh:
            shown.tell()

    def _made(self) -> CompletionList:
        if self._list is None or self._list.parentWidget() is not self._editor.window():
            self._list = CompletionList(self._theme, self._editor.window())
            self._list.taken.connect(self.take)
            self._list.moved.connect(self._tell)
            self._card = HelpCard(self._theme, self._editor.window(), "completionHelp")
            self._editor.destroyed.connect(self._list.deleteLater)
            self._editor.destroyed.connect(self._card.deleteLater)
        return self._list

    def _stand(self, item: Completion, found: Excerpt) -> None:
        """Put the list below the beginning of the word."""
        editor, shown = self._editor, self._made()
        cursor = QTextCursor(editor.document())
        cursor.setPosition(found.unit(min(item.start, found.at)))
        line = editor.cursorRect(cursor)
        now = editor.cursorRect()
        if line.top() != now.top():
            line = now
        window = editor.window()
        corner = editor.viewport().mapTo(window, line.topLeft()) - QPoint(shown.lead, 0)
        shown.move(place_near(QRect(corner, line.size()), shown.rect(), window.rect()))

    def _tell(self) -> None:
        """Show the help of the current completion beside the list."""
        shown, card = self._list, self._card
        if shown is None or card is None:
            return
        item = shown.current
        if item is None or not item.help:
            card.hide()
            return
        card.fill("", item.help)
        place = self._beside(shown.geometry(), card.rect())
        card.setVisible(place is not None)
        if place is not None:
            card.move(place)
            card.raise_()

    def _beside(self, shown: QRect, card: QRect) -> QPoint | None:
        """Return where the help stands: right, left, below or above the list; None for nowhere."""
        editor, room = self._editor, self._editor.window().rect()
        line = editor.cursorRect()
        line.moveTopLeft(editor.viewport().mapTo(editor.window(), line.topLeft()))
        top = max(0, min(shown.y(), room.bottom() - card.height()))
        places = (
            QPoint(shown.right() + _BESIDE, top),
            QPoint(shown.x() - _BESIDE - card.width(), top),
            QPoint(shown.x(), shown.bottom() + _BESIDE),
            QPoint(shown.x(), min(shown.top(), line.top()) - _BESIDE - card.height()),
        )
        inside = (place for place in places if room.contains(card.translated(place)))
        free = (place for place in inside if not card.translated(place).intersects(line))
        return next(free, None)


def _is_written(items: list[Completion], found: Excerpt) -> bool:
    """Whether the one thing that fits is there already."""
    item = items[0]
    return len(items) == 1 and found.text[item.start : item.end] in (item.insert, item.label)
