"""`Composer`: the field to write in, with Send, Stop and the way to the commands."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QInputMethodEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from studio_qt.ui.chat.editing import wrap_long_words
from studio_qt.ui.theme.fonts import chat_font
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, label

__all__ = ["WIDEST", "ChatInput", "Composer", "joined"]

WIDEST = 760
"""Pixels of a column of text; what is wider is tiring to read."""

MOST_LINES = 8
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ChatInput(QPlainTextEdit):
    """A field that grows to eight lines. Enter sends, Shift+Enter breaks the line.

    `command_wanted`: @ was typed into the empty field; the field stays empty. What is pasted or
    put here never asks for a command.
    """

    send_wanted = Signal()
    stop_wanted = Signal()
    command_wanted = Signal()
    focus_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.setObjectName("chatInput")
        self.setAccessibleName("Message")
        self.setFont(chat_font())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        self._grow()

    @property
    def has_words(self) -> bool:
        """Whether there is anything but white space, found without copying the text."""
        block = self.document().begin()
        while block.isValid() and not block.text().strip():
            block = block.next()
        return block.isValid()

    def set_face(self, face: str, pixels: int) -> None:
        """Write in another face, "" for that of the interface."""
        self.setFont(chat_font(face, pixels))
        self._grow()

    def put(self, text: str) -> None:
        """Replace the text; this can be undone."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        wrap_long_words(self, text)
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.stop_wanted.emit()
        elif event.key() in _ENTER and not self._composing:
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.insertPlainText("\n")
                self.ensureCursorVisible()
            else:
                self.send_wanted.emit()
        elif event.text() == "@" and self._empty():
            self.command_wanted.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """As in keyPressEvent; while letters are being composed, Enter belongs to the method."""
        self._composing = bool(event.preeditString())
        if event.commitString() == "@" and self._empty():
            event.accept()
            self.command_wanted.emit()
        else:
            super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Files are no text: whoever drops them here means the window."""
        is_file = any(url.isLocalFile() for url in source.urls())
        return not is_file and super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste as plain text."""
        text = source.text().replace("\r\n", "\n").replace("\r", "\n")
        wrap_long_words(self, text)
        self.insertPlainText(text)
        self.ensureCursorVisible()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._grow()

    def sizeHint(self) -> QSize:
        return QSize(200, self.minimumHeight())

    def _empty(self) -> bool:
        return self.document().isEmpty() and not self._composing

    def _grow(self) -> None:
        """Take as many lines as the text has, up to the most."""
        line = QFontMetricsF(self.font()).lineSpacing()
        lines = max(1, round(self.document().size().height()))
        self.setFixedHeight(round(line * min(lines, MOST_LINES)) + 4)
        policy = Qt.ScrollBarPolicy
        many = lines > MOST_LINES
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if many else policy.ScrollBarAlwaysOff
        )


class Composer(QFrame):
    """The field in its frame, with its buttons.

    `send_wanted` carries the text, which stays in the field until `clear` is called.
    """

    send_wanted = Signal(str)
    stop_wanted = Signal()
    command_wanted = Signal()
    undo_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self.setAccessibleName("Write a message")
        self.setProperty("ring", False)
        self._column = QVBoxLayout(self)
        self._running = False
        self._ready = False
        self.input = ChatInput()
        self._commands = IconButton(theme, "at", "Run a command", name="chatCommands")
        self._undo = IconButton(
            theme, "undo", "Undo the last edit of the conversation", name="chatUndo"
        )
        self._hint = label("", "quiet", name="chatHint")
        self._send = IconButton(
            theme, "send", "Send", name="chatSend", token="onaccent", size=18, kind="send"
        )
        self._stop = IconButton(
            theme, "stop", "Stop the reply", name="chatStop", token="onaccent", size=18, kind="send"
        )
        self._build()
        self.input.textChanged.connect(self._show_state)
        self.input.focus_changed.connect(self._on_focus)
        self.input.send_wanted.connect(self._on_send)
        self.input.stop_wanted.connect(self._on_stop)
        self.input.command_wanted.connect(self.command_wanted)
        self._undo.clicked.connect(self.undo_wanted)
        self._commands.clicked.connect(self.command_wanted)
        self._send.clicked.connect(self._on_send)
        self._stop.clicked.connect(self._on_stop)
        self._show_state()

    def set_name(self, name: str) -> None:
        """Say whom the message goes to."""
        self.input.setPlaceholderText(f"Write to {name}, or @ for a command")

    def set_ready(self, ready: bool) -> None:  # noqa: FBT001
        """Allow sending, or not yet."""
        self._ready = ready
        self._show_state()

    def set_running(self, running: bool) -> None:  # noqa: FBT001
        """Show Stop in the place of Send, or the other way round."""
        focused = self._send.hasFocus() or self._stop.hasFocus()
        self._running = running
        self._show_state()
        if focused:
            self.input.setFocus()

    def take(self) -> str:
        """Return the text and empty the field."""
        text = self.input.toPlainText()
        self.input.put("")
        return text

    def give_back(self, text: str) -> None:
        """Put a text that could not be sent before what is in the field now."""
        self.input.put(joined(text, self.input.toPlainText()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.input.setFocus(Qt.FocusReason.MouseFocusReason)
        super().mousePressEvent(event)

    def _build(self) -> None:
        column = self._column
        column.setContentsMargins(14, 12, 8, 8)
        column.setSpacing(8)
        column.addWidget(self.input)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._commands)
        row.addWidget(self._undo)
        row.addStretch(1)
        row.addWidget(self._hint)
        row.addWidget(self._send)
        row.addWidget(self._stop)
        column.addLayout(row)

    def _show_state(self) -> None:
        text = self.input.has_words
        self._send.setVisible(not self._running)
        self._stop.setVisible(self._running)
        self._send.setEnabled(text and self._ready)
        self._commands.setEnabled(self._ready)
        self._undo.setEnabled(self._ready and not self._running)
        if self._running:
            self._hint.setText("Esc stops")
        else:
            self._hint.setText("Enter sends · Shift+Enter breaks the line" if text else "")

    def _on_focus(self, focused: bool) -> None:  # noqa: FBT001
        self.setProperty("ring", focused)
        self.style().unpolish(self)
        self.style().polish(self)
        margin = 13 if focused else 14
        self._column.setContentsMargins(margin, margin - 2, margin - 6, margin - 6)

    def _on_send(self) -> None:
        text = self.input.toPlainText()
        if text.strip() and self._ready and not self._running:
            self.send_wanted.emit(text)

    def _on_stop(self) -> None:
        if self._running:
            self.stop_wanted.emit()


def joined(text: str, now: str) -> str:
    """Return a text that could not be sent, and after it what is in the field now."""
    return f"{text}\n{now}" if now.strip() else text
