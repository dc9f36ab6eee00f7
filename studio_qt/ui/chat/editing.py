"""`MessageEditor`: the text of a message, to be changed where it stands."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout

from studio_qt.ui.theme.fonts import chat_font
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, label, text_button

__all__ = ["MessageEditor", "wrap_long_words"]

_MOST_LINES = 16
_LONG_WORD = 2_000


class MessageEditor(QFrame):
    """A field for each text of a message, with Save, Save and send again, and Cancel.

    `saved` carries the texts and whether they are to be answered again. The texts stay until
    whoever saves them says that it went well; `show_failure` says that it did not. `draft`
    names the message for whoever keeps texts that were left.
    """

    saved = Signal(list, bool)
    cancelled = Signal()

    def __init__(self, theme: Theme, texts: Sequence[str], *, resend: bool) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("messageEditor")
        self.setAccessibleName("Edit the message")
        self._resend = resend
        self.draft = ""
        self.fields = [_Field(text) for text in texts]
        self._error = label("", "err", wrap=True, name="editError")
        self._error.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(8)
        for field in self.fields:
            field.save_wanted.connect(self._on_save)
            field.leave_wanted.connect(self.cancelled)
            column.addWidget(field)
        column.addWidget(self._error)
        column.addLayout(self._buttons())

    @property
    def texts(self) -> list[str]:
        """What is in the fields."""
        return [field.toPlainText() for field in self.fields]

    def show_failure(self, text: str) -> None:
        """Say why it could not be saved; the texts stay."""
        self._error.setText(text)
        self._error.setAccessibleName(text)
        self._error.show()
        self.fields[-1].setFocus()

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        save = text_button("Save", "editSave", "plain" if self._resend else "primary")
        save.clicked.connect(lambda: self.saved.emit(self.texts, False))
        if self._resend:
            again = text_button("Save and send again", "editResend", "primary")
            again.clicked.connect(lambda: self.saved.emit(self.texts, True))
            row.addWidget(again)
        row.addWidget(save)
        cancel = text_button("Cancel", "editCancel", "link")
        cancel.clicked.connect(self.cancelled)
        row.addWidget(cancel)
        row.addWidget(ElidedLabel("Ctrl+Enter saves · Esc cancels", "quiet"), 1)
        return row

    def _on_save(self) -> None:
        self.saved.emit(self.texts, False)


class _Field(QPlainTextEdit):
    """One text; as high as it is, up to a number of lines."""

    save_wanted = Signal()
    leave_wanted = Signal()

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setObjectName("editField")
        self.setAccessibleName("Text of the message")
        self.setFont(chat_font())
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        wrap_long_words(self, text)
        self.setPlainText(text)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        self._grow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() == Qt.Key.Key_Escape:
            self.leave_wanted.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and control:
            self.save_wanted.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._grow()

    def _grow(self) -> None:
        line = QFontMetricsF(self.font()).lineSpacing()
        lines = max(2, min(round(self.document().size().height()), _MOST_LINES))
        if (height := round(line * lines) + 18) != self.height():
            self.setFixedHeight(height)


def wrap_long_words(field: QPlainTextEdit, text: str) -> None:
    """Break lines anywhere when a word of `text` is so long that looking for its end would stall.

    Qt looks for the end of a word once for each of its lines.
    """
    mode = QTextOption.WrapMode
    longest = max(map(len, text.split()), default=0)
    wanted = mode.WrapAnywhere if longest > _LONG_WORD else mode.WrapAtWordBoundaryOrAnywhere
    if field.wordWrapMode() != wanted:
        field.setWordWrapMode(wanted)
