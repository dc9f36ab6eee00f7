"""The cells of the transcript: what all have in common, log entries and errors."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from studio_qt.ui.chat.editing import MessageEditor
from studio_qt.ui.chat.rows import Kind, Row
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView, label, text_button

__all__ = ["GUTTER", "Card", "Cell", "ErrorCell", "LogCell"]

GUTTER = 40
"""Pixels left of the text, for the avatar."""


class Card(QFrame):
    """A frame around texts, whose height follows its width and nothing else."""

    def sizeHint(self) -> QSize:
        """Return the least size: for any other the texts would be laid at a width of no use."""
        return self.minimumSizeHint()


class Cell(QFrame):
    """A piece of the transcript whose height follows its width; shows one row after another.

    `name` is that of its row. `chosen` marks it as gone to with the keys, "one" with a ring, or as
    one of several, "many". `nested` are the layouts inside, `frames` the widgets that have some of
    these. `deed_wanted` carries what was pressed below a message.
    """

    beside = GUTTER
    """Pixels beside the texts."""

    resized = Signal()
    link_wanted = Signal(QUrl)
    retry_wanted = Signal()
    deed_wanted = Signal(str)
    edit_saved = Signal(list, bool)
    edit_left = Signal(list)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heights: dict[int, int] = {}
        self.kind: Kind = "log"
        self.made_for = ""  # whom it calls the character
        self.name = ""
        self.chosen = ""
        self.nested: list[QLayout] = []
        self.frames: list[QWidget] = []
        self.face: tuple[str, int] = ("", 0)
        self.expected = 0
        self.editor: MessageEditor | None = None

    @property
    def space_above(self) -> int:
        """Pixels between this cell and the one before."""
        return 18

    @property
    def is_editing(self) -> bool:
        """Whether its text is being changed."""
        return self.editor is not None

    @property
    def views(self) -> list[ProseView]:
        """The texts that it shows, from top to bottom."""
        return []

    @property
    def tool_views(self) -> list[ProseView]:
        """The texts of tool calls that are unfolded."""
        return []

    def unfold(self, text: str) -> ProseView | None:  # noqa: ARG002
        """Show where a tool was given a text, or answered it; None where that is not here."""
        return None

    @property
    def has_selection(self) -> bool:
        """Whether text in it is selected."""
        return any(view.textCursor().hasSelection() for view in self.views)

    def place(self, left: int, top: int, width: int, height: int) -> None:
        """Stand at a place; `height` has the space above in it."""
        gap = self.space_above
        wanted = (left, top + gap, width, height - gap)
        if (self.x(), self.y(), self.width(), self.height()) != wanted:
            self.setGeometry(*wanted)
        if self.isHidden():
            self.show()

    def expect(self, width: int) -> None:
        """Make ready for being so wide, which spares a first text to be laid twice."""
        self.expected = width
        for view in self.views:
            view.expect(width - self.beside)

    def height_for(self, width: int) -> int:
        """Return the height at a width, in pixels."""
        if width not in self._heights:
            layout = self.layout()
            if layout is None:
                return 0
            height = layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else -1
            self._heights = {width: height if height >= 0 else layout.totalSizeHint().height()}
        return self._heights[width]

    def show_row(self, row: Row) -> None:
        """Show another state of the row."""
        raise NotImplementedError

    def rest(self) -> None:
        """Forget what belongs to the row that was shown."""
        for view in self.views:
            view.rest()
        if self.editor is not None:
            self.edit_left.emit(self.editor.texts)
            self.end_edit()
        self.mark("")

    def folds(self) -> frozenset[int]:
        """Return which of its parts are unfolded."""
        return frozenset()

    def set_folds(self, opened: frozenset[int]) -> None:
        """Unfold these parts, and fold the others."""

    def set_face(self, face: str, larger: int) -> None:
        """Show texts in another face, so many pixels `larger`."""
        self.face = (face, larger)
        for view in self.views:
            view.set_face(face, larger)
        self.freshen()

    def set_picture(self, picture: object) -> None:
        """Show a picture (QPixmap) of who speaks, None for initials."""

    def set_last(self, last: bool, *, goes_on: bool = False) -> None:  # noqa: FBT001
        """Say whether it is the last reply, whose buttons are always there, and can go on."""

    def begin_edit(self, texts: list[str], *, resend: bool) -> None:
        """Let the text be changed; only messages can be."""

    def end_edit(self) -> None:
        """Show the text again."""

    def mark(self, chosen: str) -> None:
        """Take it as gone to, "one" or "many", or not; the view draws that."""
        if chosen != self.chosen:
            self.chosen = chosen
            self.show_bar()
            if parent := self.parentWidget():
                parent.update()

    def show_bar(self) -> None:
        """Show its buttons as long as the mouse or the keys are at it."""

    def freshen(self) -> None:
        """Measure everything inside anew when asked the next time.

        Qt does that itself, but only with the next turn of the loop.
        """
        self._heights.clear()
        for layout in self.nested:
            layout.invalidate()
        for frame in self.frames:
            frame.updateGeometry()
        if (outer := self.layout()) is not None:
            outer.invalidate()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.show_bar()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.show_bar()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._heights.clear()
            done = super().event(event)
            self.resized.emit()
            return done
        return super().event(event)


class LogCell(Cell):
    """An entry that an agent wrote with studio.log: dim, and never sent to the model."""

    beside = GUTTER + 48

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        card = Card()
        card.setObjectName("logCard")
        inside = QHBoxLayout(card)
        inside.setContentsMargins(12, 11, 12, 6)
        inside.setSpacing(10)
        inside.addWidget(IconView(theme, "note", "fg3", 14), 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout()
        column.setSpacing(2)
        self._agent = label("", "quiet")
        self._text = ProseView(theme, size=13, colour="fg2", plain=True)
        self._text.link_wanted.connect(self.link_wanted)
        column.addWidget(self._agent)
        column.addWidget(self._text)
        inside.addLayout(column, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(GUTTER, 0, 0, 0)
        row.addWidget(card)
        self.nested, self.frames = [column, inside], [card]

    @property
    def space_above(self) -> int:
        return 10

    @property
    def views(self) -> list[ProseView]:
        return [self._text]

    def show_row(self, row: Row) -> None:
        self._agent.setText(row.agent)
        self._agent.setVisible(bool(row.agent) and not row.piece)
        self._text.setAccessibleName(f"Log entry: {row.text[:80]}")
        self._text.show_text(row.text)


class ErrorCell(Cell):
    """What went wrong with the last message, and a way to try again."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._card = Card()
        inside = QHBoxLayout(self._card)
        inside.setContentsMargins(12, 11, 12, 9)
        inside.setSpacing(10)
        self._icon = IconView(theme, "alert", "err", 16)
        self._text = ProseView(theme, size=13, plain=True)
        self._text.setAccessibleName("Error")
        self._retry = text_button("Retry", "chatRetry")
        self._retry.clicked.connect(self.retry_wanted)
        inside.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        inside.addWidget(self._text, 1)
        inside.addWidget(self._retry, 0, Qt.AlignmentFlag.AlignTop)
        row = QHBoxLayout(self)
        row.setContentsMargins(GUTTER, 0, 0, 0)
        row.addWidget(self._card)
        self.nested, self.frames = [inside], [self._card]

    @property
    def space_above(self) -> int:
        return 12

    @property
    def views(self) -> list[ProseView]:
        return [self._text]

    def show_row(self, row: Row) -> None:
        quiet = row.key == "unanswered"
        self._card.setObjectName("logCard" if quiet else "errorCard")
        self._card.style().polish(self._card)
        self._icon.set_icon("info" if quiet else "alert", "fg3" if quiet else "err")
        self._text.show_plain(row.text)
        self._retry.setText("Answer it" if quiet else "Retry")
        self._retry.setAccessibleName(self._retry.text())
        self._retry.setVisible(quiet or bool(row.detail))
