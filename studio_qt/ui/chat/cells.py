"""The cells of the transcript: what a row looks like."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from studio_qt.ui.chat.activity import ActivityLine, FoldLine
from studio_qt.ui.chat.rows import Part, Row, Said, Thought, Used, local_time, row_text
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import Avatar, IconButton, IconView, label, text_button

__all__ = ["Cell", "ErrorCell", "LogCell", "ReplyCell", "UserCell", "make_cell"]

GUTTER = 40
"""Pixels left of the text, for the avatar."""

_STATES = {"thinking": "thinking", "waiting": "waiting", "writing": "writing", "working": "working"}


class Cell(QFrame):
    """A piece of the transcript whose height follows its width."""

    resized = Signal()
    link_wanted = Signal(QUrl)
    retry_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heights: dict[int, int] = {}

    @property
    def space_above(self) -> int:
        """Pixels between this cell and the one before."""
        return 18

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

    def forget_height(self) -> None:
        """Measure again when asked the next time."""
        self._heights.clear()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.forget_height()
            done = super().event(event)
            self.resized.emit()
            return done
        return super().event(event)


class _Titled(Cell):
    """A cell with an avatar, a name and a time."""

    def __init__(self, theme: Theme, name: str, kind: str) -> None:
        super().__init__(theme)
        self._row: Row | None = None
        self._avatar = Avatar(name, kind)
        policy = self._avatar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._avatar.setSizePolicy(policy)
        self._head = QWidget()
        self._head_row = head = QHBoxLayout(self._head)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(8)
        self._time = label("", "quiet")
        self._status = label("", "ok")
        head.addWidget(label(name, "name"))
        head.addWidget(self._time)
        head.addStretch(1)
        head.addWidget(self._status)
        self._body = QVBoxLayout()
        self._body.setContentsMargins(0, 0, 0, 0)
        self._body.setSpacing(4)
        self._body.addWidget(self._head)
        gutter = QVBoxLayout()
        gutter.setContentsMargins(0, 0, GUTTER - self._avatar.width(), 0)
        gutter.addWidget(self._avatar)
        gutter.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addLayout(gutter)
        row.addLayout(self._body, 1)

    def _show_time(self, row: Row) -> None:
        self._time.setText(local_time(row.time))
        self._time.setVisible(bool(self._time.text()))

    def _prose(self, name: str) -> ProseView:
        view = ProseView(self._theme)
        view.setAccessibleName(name)
        view.link_wanted.connect(self.link_wanted)
        return view


class UserCell(_Titled):
    """What the user wrote, in a bubble."""

    def __init__(self, theme: Theme, _name: str) -> None:
        super().__init__(theme, "You", "user")
        bubble = QFrame()
        bubble.setObjectName("userBubble")
        inside = QVBoxLayout(bubble)
        inside.setContentsMargins(12, 11, 12, 6)
        self._text = self._prose("Your message")
        inside.addWidget(self._text)
        self._body.addWidget(bubble)
        self._status.hide()

    def show_row(self, row: Row) -> None:
        self._row = row
        self._show_time(row)
        self._text.show_text(row.text)


class ThoughtLine(FoldLine):
    """The model's reasoning, folded away; it is part of no conversation."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "chat", "reasoning")
        self._text = ""

    def show_thought(self, text: str) -> None:
        """Show more of it."""
        if text != self._text:
            self._text = text
            self.set_title(
                f"reasoning · {len(text.split())} words", "Reasoning of the model. Press to read."
            )
            self.refill()

    def _fill(self) -> QWidget:
        view = ProseView(self._theme, size=13, colour="fg2", plain=True)
        view.setAccessibleName("Reasoning")
        view.show_text(self._text)
        return view


class ReplyCell(_Titled):
    """What the character said and which tools it used; also while it is being written."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, "character")
        self._name = name
        self._parts: list[QWidget] = []
        self._follows = False
        self._waiting = _Dots()
        self._foot = QWidget()
        foot = QHBoxLayout(self._foot)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(6)
        self._mark_icon = IconView(theme, "stopped", "warn", 13)
        self._mark = label("", "quiet")
        foot.addWidget(self._mark_icon)
        foot.addWidget(self._mark)
        foot.addStretch(1)
        self._copy = IconButton(
            theme, "copy", "Copy this reply", name="copyReply", kind="tiny", size=14
        )
        self._copy.clicked.connect(self._on_copy)
        self._head_row.addWidget(self._copy)
        self._body.addWidget(self._waiting)
        self._body.addWidget(self._foot)

    @property
    def space_above(self) -> int:
        return 8 if self._follows else 18

    def show_row(self, row: Row) -> None:
        self._row = row
        self._follows = row.follows
        self._head.setVisible(not row.follows)
        self._avatar.setVisible(not row.follows)
        self._show_time(row)
        self._show_parts(row)
        self._show_state(row)

    def _show_parts(self, row: Row) -> None:
        for place, part in enumerate(row.parts):
            widget = self._part_at(place, part)
            last = place == len(row.parts) - 1
            match part:
                case Said(text):
                    assert isinstance(widget, ProseView)
                    if last and row.state:
                        widget.grow_to(text)
                    else:
                        widget.show_text(text, cut=last and row.stopped)
                case Used(calls):
                    assert isinstance(widget, ActivityLine)
                    widget.show_calls(calls, running=bool(row.state))
                case Thought(text):
                    assert isinstance(widget, ThoughtLine)
                    widget.show_thought(text)
        while len(self._parts) > len(row.parts):
            self._drop(self._parts.pop())

    def _part_at(self, place: int, part: Part) -> QWidget:
        """Return the widget for a part: the one that stands there where it fits, else a new one."""
        kinds = {Said: ProseView, Used: ActivityLine, Thought: ThoughtLine}
        if place < len(self._parts):
            standing = self._parts[place]
            if isinstance(standing, kinds[type(part)]):
                return standing
            while len(self._parts) > place:
                self._drop(self._parts.pop())
        made: QWidget
        match part:
            case Said():
                made = self._prose(f"Reply of {self._name}")
            case Used():
                made = ActivityLine(self._theme)
            case Thought():
                made = ThoughtLine(self._theme)
        self._body.insertWidget(1 + place, made)
        self._parts.append(made)
        return made

    def _drop(self, widget: QWidget) -> None:
        self._body.removeWidget(widget)
        widget.hide()
        widget.deleteLater()

    def _show_state(self, row: Row) -> None:
        running = bool(row.state)
        self._status.setText(_STATES.get(row.state, ""))
        self._status.setVisible(running)
        self._copy.setVisible(not running)
        said = bool(row.parts) and isinstance(row.parts[-1], Said)
        idle = running and row.state != "working" and not (row.state == "writing" and said)
        self._waiting.show_text(row.detail if row.state == "waiting" else "", running=idle)
        mark = "Stopped" if row.stopped else "Put aside: not sent to the model"
        self._mark.setText(mark)
        self._foot.setVisible((row.stopped or row.rejected) and not running)

    def _on_copy(self) -> None:
        if self._row is not None:
            QGuiApplication.clipboard().setText(self._row.text or row_text(self._row, self._name))


class LogCell(Cell):
    """An entry that an agent wrote with studio.log: dim, and never sent to the model."""

    def __init__(self, theme: Theme, _name: str) -> None:
        super().__init__(theme)
        card = QFrame()
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

    @property
    def space_above(self) -> int:
        return 10

    def show_row(self, row: Row) -> None:
        self._agent.setText(row.agent)
        self._agent.setVisible(bool(row.agent))
        self._text.setAccessibleName(f"Log entry: {row.text[:80]}")
        self._text.show_text(row.text)


class ErrorCell(Cell):
    """What went wrong with the last message, and a way to try again."""

    def __init__(self, theme: Theme, _name: str) -> None:
        super().__init__(theme)
        self._card = QFrame()
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

    @property
    def space_above(self) -> int:
        return 12

    def show_row(self, row: Row) -> None:
        quiet = row.key == "unanswered"
        self._card.setObjectName("logCard" if quiet else "errorCard")
        self._card.style().polish(self._card)
        self._icon.set_icon("info" if quiet else "alert", "fg3" if quiet else "err")
        self._text.show_plain(row.text)
        self._retry.setText("Answer it" if quiet else "Retry")
        self._retry.setAccessibleName(self._retry.text())
        self._retry.setVisible(quiet or bool(row.detail))


class _Dots(QWidget):
    """Three dots that breathe while nothing has come yet, with a sentence beside them."""

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 2)
        row.setSpacing(8)
        self._dots = label("", "ok")
        self._dots.setFixedWidth(40)
        self._text = label("", "quiet", wrap=True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row.addWidget(self._dots)
        row.addWidget(self._text, 1)
        self._count = 0
        self._timer = QTimer(self)
        self._timer.setInterval(320)
        self._timer.timeout.connect(self._step)

    def show_text(self, text: str, *, running: bool) -> None:
        """Show a sentence; without `running` all goes away."""
        self.setVisible(running)
        self._text.setText(text)
        if running and not self._timer.isActive():
            self._step()
            self._timer.start()
        elif not running:
            self._timer.stop()

    def _step(self) -> None:
        self._count = self._count % 3 + 1
        self._dots.setText("●" * self._count)


def make_cell(kind: str, theme: Theme, name: str) -> Cell:
    """Return an empty cell for rows of a kind; `name` is the character's."""
    kinds = {"user": UserCell, "reply": ReplyCell, "log": LogCell, "error": ErrorCell}
    return kinds[kind](theme, name)
