"""The cells of what the user and the character said."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio_qt.ui.chat.activity import ActivityLine, FoldLine
from studio_qt.ui.chat.bar import BAR_HEIGHT, MessageBar
from studio_qt.ui.chat.cells import GUTTER, Card, Cell
from studio_qt.ui.chat.editing import MessageEditor
from studio_qt.ui.chat.facts import CallFacts
from studio_qt.ui.chat.rows import Part, Row, Said, Thought, Used, local_time
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.fonts import CHAT_SIZE, chat_font
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView, label, text_button
from studio_qt.ui.widgets.portrait import Portrait

__all__ = ["ReplyCell", "UserCell"]

_STATES = {
    "thinking": "thinking",
    "waiting": "waiting",
    "writing": "streaming",
    "working": "working",
}
_ASIDE = "Put aside: not sent to the model"
_GAP = 18
_THOUGHT = 6_000
"""Characters of the model's reasoning that are shown, its end."""


class _Titled(Cell):
    """A cell with an avatar, a name and a time; its buttons come with the mouse or the keys."""

    def __init__(self, theme: Theme, name: str, kind: str) -> None:
        super().__init__(theme)
        self._row: Row | None = None
        self._bar: MessageBar | None = None
        self._avatar = Portrait(name, kind)
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
        self.nested = [gutter, self._body]

    def begin_edit(self, texts: list[str], *, resend: bool) -> None:
        if self.editor is not None:
            return
        self.editor = MessageEditor(self._theme, texts, resend=resend)
        for one in self.editor.fields:
            one.setFont(chat_font(self.face[0], CHAT_SIZE + self.face[1]))
        self.editor.saved.connect(self.edit_saved)
        self.editor.cancelled.connect(self.end_edit)
        self._show_words(shown=False)
        self._body.insertWidget(1, self.editor)
        self.editor.show()
        self.show_bar()
        self.editor.fields[-1].setFocus(Qt.FocusReason.OtherFocusReason)

    def end_edit(self) -> None:
        editor, self.editor = self.editor, None
        if editor is None:
            return
        focused = editor.isAncestorOf(self.focusWidget() or self)
        self._body.removeWidget(editor)
        editor.hide()
        editor.deleteLater()
        self._show_words(shown=True)
        self.show_bar()
        if focused:
            self.deed_wanted.emit("focus")

    def _show_words(self, *, shown: bool) -> None:
        """Show the texts, or hide them while they are edited."""
        raise NotImplementedError

    def _show_head(self, row: Row) -> None:
        headed = not row.follows and not row.piece
        self._head.setVisible(headed)
        self._avatar.setVisible(headed)
        self._time.setText(local_time(row.time))
        self._time.setVisible(bool(self._time.text()))

    def set_picture(self, picture: object) -> None:
        if self._avatar.kind == "character":
            self._avatar.set_picture(picture if isinstance(picture, QPixmap) else None)

    def _prose(self, name: str) -> ProseView:
        view = ProseView(self._theme)
        view.set_face(*self.face)
        view.expect(self.expected - self.beside)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # that of the message
        view.setAccessibleName(name)
        view.link_wanted.connect(self.link_wanted)
        return view


class UserCell(_Titled):
    """What the user wrote, in a bubble; the buttons stand in the line of the name."""

    beside = GUTTER + 24

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "You", "user")
        self._bubble = bubble = Card()
        bubble.setObjectName("userBubble")
        inside = QVBoxLayout(bubble)
        inside.setContentsMargins(12, 9, 12, 7)
        self._text = self._prose("Your message")
        inside.addWidget(self._text)
        self._body.addWidget(bubble)
        self.nested.insert(0, inside)
        self.frames.append(bubble)
        self._status.hide()
        self._head.setFixedHeight(BAR_HEIGHT)

    @property
    def space_above(self) -> int:
        return 2 if self._row is not None and self._row.piece else 12

    @property
    def views(self) -> list[ProseView]:
        return [self._text]

    def show_row(self, row: Row) -> None:
        self._row = row
        self._show_head(row)
        self._text.show_text(row.text)
        self.show_bar()

    def show_bar(self) -> None:
        wanted = (self.underMouse() or self.chosen == "one") and not self.is_editing
        if wanted and self._bar is None:
            self._bar = MessageBar(self._theme, reply=False)
            self._bar.wanted.connect(self.deed_wanted)
            self._head_row.addWidget(self._bar)
        if self._bar is not None:
            self._bar.setVisible(wanted)

    def _show_words(self, *, shown: bool) -> None:
        self._bubble.setVisible(shown)


class ThoughtLine(FoldLine):
    """The model's reasoning, folded away; it is part of no conversation."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "chat", "reasoning")
        self._text = ""
        self._words = 0

    def show_thought(self, text: str) -> None:
        """Show more of it."""
        if text == self._text:
            return
        more = text.startswith(self._text[-_THOUGHT:], max(0, len(self._text) - _THOUGHT))
        known = len(self._text) if more else 0
        self._words = (self._words if more else 0) + text.count(" ", known)
        self._text = text
        self.set_title(
            f"reasoning · {self._words + 1} words", "Reasoning of the model. Press to read."
        )
        self.refill()

    def _fill(self) -> QWidget:
        view = ProseView(self._theme, size=13, colour="fg2", plain=True)
        view.setAccessibleName("Reasoning")
        left = len(self._text) - _THOUGHT
        note = f"… {left:,} characters before this are left out\n" if left > 0 else ""
        view.show_plain(note + self._text[-_THOUGHT:])
        return view


class ReplyCell(_Titled):
    """What the character said and which tools it used; also while it is being written."""

    def __init__(self, theme: Theme, name: str, facts: CallFacts | None = None) -> None:
        super().__init__(theme, name, "character")
        self._facts = facts
        self._name = name
        self._parts: list[QWidget] = []
        self._last = False
        self._waiting = _Dots()
        self._foot = QWidget()
        foot = QHBoxLayout(self._foot)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(6)
        self._mark_icon = IconView(theme, "stopped", "warn", 13)
        self._mark = label("", "quiet")
        self._goes_on = text_button("Continue", "chatContinue", kind="link")
        self._goes_on.setAccessibleDescription("Let the reply go on where it broke off")
        self._goes_on.clicked.connect(lambda: self.deed_wanted.emit("continue"))
        policy = self._goes_on.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._goes_on.setSizePolicy(policy)
        self._goes_on.hide()
        foot.addWidget(self._mark_icon)
        foot.addWidget(self._mark)
        foot.addSpacing(4)
        foot.addWidget(self._goes_on)
        foot.addStretch(1)
        self._body.addWidget(self._waiting)
        self._body.addWidget(self._foot)
        self._head.setFixedHeight(BAR_HEIGHT)
        self._bar_room = QWidget()
        self._bar_room.setFixedHeight(BAR_HEIGHT)
        self._bar_column = QVBoxLayout(self._bar_room)
        self._bar_column.setContentsMargins(0, 0, 0, 0)
        self._body.addWidget(self._bar_room)

    @property
    def space_above(self) -> int:
        row = self._row
        if row is not None and row.piece:
            return 10
        return 8 if row is not None and row.follows else _GAP

    @property
    def views(self) -> list[ProseView]:
        return [part for part in self._parts if isinstance(part, ProseView)]

    @property
    def tool_views(self) -> list[ProseView]:
        lines = [part for part in self._parts if isinstance(part, ActivityLine)]
        return [view for line in lines for view in line.views]

    def unfold(self, text: str) -> ProseView | None:
        for part in self._parts:
            if isinstance(part, ActivityLine) and (view := part.view_of(text)) is not None:
                self.freshen()
                return view
        return None

    def show_row(self, row: Row) -> None:
        self._row = row
        self._show_head(row)
        self._show_parts(row)
        self._show_state(row)
        if self.is_editing:
            self._show_words(shown=False)
        self.show_bar()

    def folds(self) -> frozenset[int]:
        return frozenset(
            at for at, part in enumerate(self._parts) if isinstance(part, FoldLine) and part.is_open
        )

    def set_folds(self, opened: frozenset[int]) -> None:
        for at, part in enumerate(self._parts):
            if isinstance(part, FoldLine) and part.is_open != (at in opened):
                part.button.setChecked(at in opened)

    def set_last(self, last: bool, *, goes_on: bool = False) -> None:  # noqa: FBT001
        self._goes_on.setVisible(goes_on)
        if last != self._last:
            self._last = last
            self.show_bar()
            self.freshen()

    def show_bar(self) -> None:
        """Show the buttons: below the last reply, and where there are several, always.

        No other keeps room for them: they come into the line of the name, or over the words.
        """
        row = self._row
        if row is None:
            return
        done = row.foot and not row.state and row.key != "introduction" and not self.is_editing
        stays = self._last or row.choice[1] > 1
        here = stays or self.underMouse() or self.chosen == "one"
        self._bar_room.setVisible(done and stays)
        if done and here and self._bar is None:
            self._bar = MessageBar(self._theme, reply=True)
            self._bar.wanted.connect(self.deed_wanted)
        if self._bar is not None:
            self._bar.show_choice(*row.choice)
            self._put_bar(self._bar, low=stays)
            self._bar.setVisible(done and here)

    def _put_bar(self, bar: MessageBar, *, low: bool) -> None:
        """Put the buttons below the reply, into the line of the name, or over the first words."""
        wanted: QBoxLayout | None = None if self._head.isHidden() else self._head_row
        if low:
            wanted = self._bar_column
        for layout in (self._head_row, self._bar_column):
            if layout is not wanted:
                layout.removeWidget(bar)
        if wanted is None:
            bar.setParent(self)
            bar.resize(bar.sizeHint().width(), BAR_HEIGHT)
            bar.move(self.width() - bar.width(), 0)
            bar.raise_()
        elif wanted.indexOf(bar) < 0:
            wanted.addWidget(bar)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._bar is not None and self._bar.parentWidget() is self:
            self._bar.move(self.width() - self._bar.width(), 0)

    def rest(self) -> None:
        self._last = False
        super().rest()

    def _show_words(self, *, shown: bool) -> None:
        for part in self.views:
            part.setVisible(shown)

    def _show_parts(self, row: Row) -> None:
        for place, part in enumerate(row.parts):
            widget = self._part_at(place, part)
            last = place == len(row.parts) - 1
            match part:
                case Said(text):
                    assert isinstance(widget, ProseView)
                    if last and _grows(row):
                        widget.grow_to(text)
                    else:
                        widget.show_text(text, cut=last and row.unfinished)
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
                made = ActivityLine(self._theme, self._facts)
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
        rate = f" · {row.detail}" if row.state == "writing" and row.detail else ""
        self._status.setText(_STATES.get(row.state, "") + rate)
        self._status.setVisible(running)
        said = bool(row.parts) and isinstance(row.parts[-1], Said)
        idle = _grows(row) and row.state != "working" and not (row.state == "writing" and said)
        self._waiting.show_text(row.detail if row.state == "waiting" else "", running=idle)
        mark = "Stopped" if row.stopped else "Cut at the length limit"
        self._mark.setText(_ASIDE if row.rejected and not row.stopped else mark)
        self._foot.setVisible((row.stopped or row.cut or row.rejected) and not running)


def _grows(row: Row) -> bool:
    """Whether more may come at the end of a row; pieces that others follow are done."""
    return bool(row.state) and row.piece == row.pieces - 1


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
