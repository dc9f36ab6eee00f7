"""`RawText`: a store as text, coloured, with the line of what is wrong in it."""

from __future__ import annotations

import asyncio
import re

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QShowEvent,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextOption,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextDocumentLayout,
    QPlainTextEdit,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from studio_qt.engine.store_text import dense_store_text, pretty_store_text, read_store_text
from studio_qt.jsontext import JsonObject
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.changes import Change, put_in
from studio_qt.ui.documents.plain import fill_slowly, prepare_slowly
from studio_qt.ui.highlight import Highlighter
from studio_qt.ui.stores.differing import one_change
from studio_qt.ui.stores.mirror import Mirror, spliced
from studio_qt.ui.theme.fonts import editor_font
from studio_qt.ui.widgets.basics import IconView, label

__all__ = ["RawText"]

_QUIET_MS = 500
"""After the last key, before the text is taken for the store."""

_LEAST = 44
"""Pixels of height that are left of the text where its fault takes much room."""

_LARGE = 1 << 19
"""Characters from which on a text is written only when it is looked at, and in fewer lines."""

_MANY = 2_000
"""Lines that are exchanged at once; for more, a document of its own is filled in slices."""

_PLACE = re.compile(r"line (\d+) column (\d+)")


class RawText(QFrame):
    """The text of one side.

    `own`: it has a document of its own, whose text becomes a value when typing pauses (`typed`
    carries it); `typing` tells whether there is text that has not become one yet. Otherwise it
    shows a document of the project.
    """

    typed = Signal(object)
    typing = Signal(bool)
    focused = Signal()

    def __init__(self, desk: Desk, name: str, words: str, *, own: bool) -> None:
        super().__init__()
        self._desk, self._own = desk, own
        self._generation = 0
        self._applying = self._reading = False
        self._fills = 0
        self._value: JsonObject | None = None
        self._later: JsonObject | None = None
        self._size = 0
        self._highlighter: Highlighter | None = None
        self.fault = ""
        self.editor = QPlainTextEdit()
        self._empty = _document(self)
        self._document = self._wanted = self._coming = self._empty
        self._mirror = Mirror(self._empty, "")
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_QUIET_MS)
        self._quiet.timeout.connect(self._read_soon)
        self._says = label("", "fieldError", wrap=True, name=f"{name}Fault")
        self._build(name, words)
        desk.preferences.changed.connect(self._dress)
        desk.theme.changed.connect(self._mark)
        self._dress()

    @property
    def settled(self) -> bool:
        """Whether the text is all there, and has become a value where it can."""
        return not (self._fills or self._reading or self._quiet.isActive())

    @property
    def is_typing(self) -> bool:
        """Whether there is text that is not a value yet."""
        return self._own and (self._quiet.isActive() or self._reading or bool(self.fault))

    # What is shown

    def show_document(self, document: QTextDocument | None) -> None:
        """Show a document of the project, as soon as it can be seen; None is nothing."""
        self._wanted = document or self._empty
        if self.isVisible() or self._wanted is self._empty:
            self._show_wanted()

    def _show_wanted(self) -> None:
        wanted = self._wanted
        if wanted is self._document or wanted is self._coming:
            return
        self._coming = wanted
        if wanted.blockCount() <= _MANY:
            self._hold(wanted)
            return
        self._fills += 1
        if self._desk.tasks.start(self._hold_soon(wanted), name="show the default") is None:
            self._fills -= 1

    async def _hold_soon(self, document: QTextDocument) -> None:
        """Show a long document of the project, unless another is wanted by then."""
        try:
            await prepare_slowly(document)
            if document is self._wanted and isValid(document):
                self._hold(document)
        finally:
            self._fills -= 1
            if self._coming is document:
                self._coming = self._document

    def _hold(self, document: QTextDocument) -> None:
        self._document = self._coming = document
        self._dress()
        self.editor.setDocument(document)
        self._colour()

    def show_value(self, value: JsonObject | None, *, size: int = 0) -> None:
        """Show the text of a value, unless it is what the text says already.

        `size` is about how long its text is: a long one is written when it is looked at.
        """
        self._size = size
        if size > _LARGE and not self.isVisible():
            self._later = value
            if self._document.characterCount() > 1:
                self._take_document(_document(self), "")
                self._value = None
                self._generation += 1
        elif value is not self._value:
            self._later = None
            self._value = value
            self._generation += 1
            self._quiet.stop()
            self._fills += 1
            filling = self._fill(value, self._generation)
            if self._desk.tasks.start(filling, name="write the store") is None:
                self._fills -= 1

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._own:
            self._show_wanted()
        if self._later is not None:
            value, self._later = self._later, None
            self.show_value(value, size=self._size)

    def set_read_only(self, *, read_only: bool) -> None:
        """Let it be looked at alone."""
        self.editor.setReadOnly(read_only)

    def show_fault(self, fault: str) -> None:
        """Say what is wrong with the text, and mark its line."""
        self.fault = fault
        self._says.setText(_sentence(fault) if fault else "")
        self._note.setVisible(bool(fault))
        self._mark()

    def forget(self) -> None:
        """Give up what is typed and not a value yet, for the value that is shown next."""
        if self.is_typing:
            self._quiet.stop()
            self._value = None
            self.typing.emit(False)

    def take_focus(self) -> None:
        """Give the keyboard to the text."""
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def read_now(self) -> None:
        """Take the text for the value without waiting for a pause."""
        if self._quiet.isActive():
            self._quiet.stop()
            self._read_soon()

    # Inside

    async def _fill(self, value: JsonObject | None, generation: int) -> None:
        try:
            write = dense_store_text if self._size > _LARGE else pretty_store_text
            text = await asyncio.to_thread(write, value) if value is not None else ""
            while generation == self._generation:
                document, revision = self._document, self._document.revision()
                before = await self._text_now()
                change = await asyncio.to_thread(one_change, before, text)
                if document is self._document and revision == document.revision():
                    if generation == self._generation:
                        await self._come_to(text, change, generation)
                    return
        finally:
            self._fills -= 1

    async def _come_to(self, text: str, change: Change | None, generation: int) -> None:
        """Change the text, as a step that undo takes back unless it is a large one."""
        if change is not None:
            if change.stop - change.first + len(change.lines) > _MANY:
                await self._fill_new(text, generation)
            else:
                self._applying = True
                put_in(self._document, [change])
                self._applying = False
                if self._highlighter is None:
                    self._colour()
        if generation == self._generation:
            self.show_fault("")

    async def _fill_new(self, text: str, generation: int) -> None:
        """Put a long text into a document of its own, and show that."""
        document = _document(self)
        document.setDefaultFont(self.editor.font())
        await fill_slowly(document, text)
        await prepare_slowly(document)
        if generation != self._generation:
            document.deleteLater()
            return
        self._take_document(document, text)

    def _take_document(self, document: QTextDocument, text: str) -> None:
        """Show another text of one's own, and forget the one before."""
        old, self._document = self._document, document
        self._mirror = Mirror(document, text)
        self.editor.setDocument(document)
        document.contentsChange.connect(self._on_changed)
        self._colour()
        if old is not self._empty:
            old.deleteLater()

    def _on_changed(self, _at: int, removed: int, added: int) -> None:
        if (removed or added) and self._own and not self._applying and not self.editor.isReadOnly():
            self._quiet.start()
            self.typing.emit(True)

    def _read_soon(self) -> None:
        self._reading = True
        reading = self._read(self._generation, self._document.revision())
        if self._desk.tasks.start(reading, name="read the store") is None:
            self._reading = False

    async def _read(self, generation: int, revision: int) -> None:
        value, fault = None, ""
        try:
            text = await self._text_now()
            value = await asyncio.to_thread(read_store_text, text, self._value)
        except ValueError as error:
            fault = str(error)
        finally:
            self._reading = False
        if generation != self._generation or revision != self._document.revision():
            return  # there is another text by now
        self.show_fault(fault)
        if value is not None:
            self._value = value
            self.typing.emit(False)
            self.typed.emit(value)

    async def _text_now(self) -> str:
        """Return the text of one's own document, without having Qt put it together."""
        mirror = self._mirror
        parts = mirror.parts
        text, meant = await asyncio.to_thread(spliced, *parts)
        mirror.settle(parts, text)
        return meant

    def _mark(self) -> None:
        found = _PLACE.search(self.fault)
        marks = []
        if self.fault and found is not None:
            mark = QTextEdit.ExtraSelection()
            mark.cursor = QTextCursor(self._document.findBlockByNumber(int(found[1]) - 1))
            mark.format.setBackground(QColor(self._desk.theme.colour("redbg")))
            mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            marks.append(mark)
        self.editor.setExtraSelections(marks)

    def _colour(self) -> None:
        if self._highlighter is not None:
            self._highlighter.close()
            self._highlighter.deleteLater()
            self._highlighter = None
        if self._own or self._document is not self._empty:
            theme = self._desk.theme
            self._highlighter = Highlighter(self._document, "json", theme, self.editor)

    def _dress(self) -> None:
        chosen = self._desk.preferences.window
        font = editor_font(chosen.editor_face, chosen.editor_size)
        self.editor.setFont(font)
        if self._document.defaultFont() != font:
            self._document.setDefaultFont(font)

    def _build(self, name: str, words: str) -> None:
        editor = self.editor
        editor.setObjectName(name)
        editor.setAccessibleName(words)
        editor.setAccessibleDescription(
            "JSON. The store is what it says as soon as typing pauses and the text is whole."
            if self._own
            else "JSON, a file of the project; it is saved with the other files."
        )
        editor.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        editor.setFrameShape(QFrame.Shape.NoFrame)
        editor.setMinimumHeight(_LEAST)  # rather than the words below, where there is little room
        editor.setTabChangesFocus(True)
        editor.setDocument(self._empty)
        if self._own:
            self._empty.contentsChange.connect(self._on_changed)
        self._note = QWidget()
        row = QHBoxLayout(self._note)
        row.setContentsMargins(12, 4, 12, 6)
        row.setSpacing(8)
        row.addWidget(IconView(self._desk.theme, "alert", "err", 14), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._says, 1)
        self._note.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(editor, 1)
        column.addWidget(self._note)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.editor.setFocus(event.reason())


def _document(parent: QWidget) -> QTextDocument:
    document = QTextDocument(parent)
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    option = document.defaultTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)  # as the editor's, which lays it out anew else
    document.setDefaultTextOption(option)
    return document


def _sentence(fault: str) -> str:
    """Return a fault of the text as a sentence that begins with the line."""
    found = _PLACE.search(fault)
    if found is None:
        return f"This is not a store: {fault}."
    what = fault.split(": line", maxsplit=1)[0].strip()
    return f"Line {found[1]}, column {found[2]}: {what}. The store stays as it was until then."
