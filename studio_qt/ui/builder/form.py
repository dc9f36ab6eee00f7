"""`BuilderSheet`: the dialog of the Builder: head, three columns, previews and foot."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio_qt.authoring.subagentchecks import FormProblem, check_form
from studio_qt.authoring.subagentfacts import SubAgentFacts
from studio_qt.authoring.subagentform import Opened, SubAgentForm
from studio_qt.authoring.subagentpreview import preview_of
from studio_qt.package.subagents.loading import SUFFIX
from studio_qt.ui.builder.columns import Columns
from studio_qt.ui.builder.foot import Foot
from studio_qt.ui.builder.grants import GrantsColumn
from studio_qt.ui.builder.head import Head, NoticeLine
from studio_qt.ui.builder.identity import IdentityColumn
from studio_qt.ui.builder.pane import Pane
from studio_qt.ui.builder.previews import Previews
from studio_qt.ui.builder.prompt import PromptColumn
from studio_qt.ui.builder.reading import Surroundings
from studio_qt.ui.desk import Desk
from studio_qt.ui.widgets.basics import (
    Separator,
)
from studio_qt.ui.widgets.sheet import MessageSheet, Sheet

__all__ = ["BuilderSheet", "Parts"]

_CHECK_MS = 40
_WIDTH, _HEIGHT = 1320, 852


@dataclass(frozen=True, slots=True)
class Parts:
    """The columns of the dialog and its previews; each takes some milliseconds to be made."""

    identity: IdentityColumn
    prompt: PromptColumn
    grants: GrantsColumn
    previews: Previews

    @classmethod
    async def make(cls, desk: Desk) -> Parts:
        """Make them one by one, so that the window goes on."""
        identity = IdentityColumn(desk.theme)
        await asyncio.sleep(0)
        prompt = PromptColumn(desk)
        await asyncio.sleep(0)
        grants = GrantsColumn(desk.theme)
        await asyncio.sleep(0)
        previews = Previews(desk.theme)
        await asyncio.sleep(0)
        return cls(identity, prompt, grants, previews)


class BuilderSheet(Sheet):
    """Shows one form over the whole window and tells what the user wants with it.

    `save_wanted` comes only for a form without errors. `left` carries the form that was closed
    without being saved, None where nothing was changed; `stayed` follows when the user thought
    better of it. `edited` follows each change. `delete_wanted`, `file_wanted`, `polish_wanted` and
    `instance_wanted` are what their buttons say.
    """

    save_wanted = Signal()
    left = Signal(object)
    stayed = Signal()
    edited = Signal()
    delete_wanted = Signal()
    file_wanted = Signal()
    polish_wanted = Signal(str)
    instance_wanted = Signal(int)

    widest = _WIDTH

    def __init__(self, desk: Desk, over: QWidget, parts: Parts) -> None:
        super().__init__(desk.theme, over, "Sub-Agent Builder")
        self.setObjectName("builderDialog")
        self._desk = desk
        self._opened, self._facts = Opened(SubAgentForm()), SubAgentFacts()
        self._around = Surroundings({})
        self._form = self._opened.form
        self._busy = False
        self._showing = False
        self._check_timer = QTimer(self)
        self._check_timer.setSingleShot(True)
        self._check_timer.setInterval(_CHECK_MS)
        self._check_timer.timeout.connect(self._check)
        self.identity, self.prompt, self.grants = parts.identity, parts.prompt, parts.grants
        self.previews, self.foot = parts.previews, Foot(desk.theme)
        self._head, self._notice = Head(desk.theme), NoticeLine(desk.theme)
        self._build()
        self._connect()

    async def assemble(self) -> None:
        """Take the parts in one by one: each is dressed, and the window goes on between them."""
        for pane, part in zip(self._panes, (self.identity, self.prompt, self.grants), strict=True):
            await asyncio.sleep(0)
            pane.hold(part)
        await asyncio.sleep(0)
        self._inside.addWidget(self.previews)

    # What is shown

    @property
    def opened(self) -> Opened:
        """What the form was read from."""
        return self._opened

    @property
    def form(self) -> SubAgentForm:
        """The form as it is filled in now."""
        return self.grants.read(self.prompt.read(self.identity.read(self._form)))

    @property
    def surroundings(self) -> Surroundings:
        """What the player has told."""
        return self._around

    @property
    def settled(self) -> bool:
        """Whether what is shown is what was found when the form was last looked at."""
        return not self._check_timer.isActive() and self.prompt.settled

    @property
    def changed(self) -> bool:
        """Whether the user has changed anything."""
        return self.form != self._opened.form

    @property
    def problems(self) -> list[FormProblem]:
        """What is wrong with the form now."""
        return check_form(self.form, self._facts, self._opened)

    def show_form(
        self,
        form: SubAgentForm,
        opened: Opened,
        facts: SubAgentFacts,
        around: Surroundings,
    ) -> None:
        """Show a form that was read from `opened`."""
        self._opened, self._facts, self._around = opened, facts, around
        self._put(form)
        self._head.show_place(opened.path.rpartition("/")[2], around.character)
        self.foot.show_kind(is_new=opened.is_new)
        self._check()

    def show_around(self, around: Surroundings) -> None:
        """Take what the player tells by now."""
        self._around = around
        self._check()

    def say(self, sentence: str, tone: str = "info", *, theirs: bool = False) -> None:
        """Show a sentence below the head, "" for none; see `NoticeLine`."""
        self._notice.say(sentence, tone, theirs=theirs)

    def set_busy(self, *, busy: bool) -> None:
        """Take no second Save while one runs."""
        self._busy = busy
        self._check()

    def begin(self) -> None:
        """Open, with the focus where one begins."""
        self.say("")
        self.lay()
        first = self.identity.name if self._opened.is_new else self.identity.description
        first.setFocus(Qt.FocusReason.OtherFocusReason)
        self._scroll.verticalScrollBar().setValue(0)

    def leave(self) -> None:
        """Close without another question."""
        self.hide()

    # Qt

    def cover(self) -> None:
        """Take the room that the window has, up to the size that the form was drawn for."""
        super().cover()
        over = self._over
        width = min(self._theme.scaled(_WIDTH), over.width() - 32)
        height = min(self._theme.scaled(_HEIGHT), over.height() - 32)
        left, top = (over.width() - width) // 2, (over.height() - height) // 2
        self.card.setFixedWidth(width)
        self.card.setGeometry(left, top, width, height)

    def reject(self) -> None:
        """Close; where something was changed, ask first."""
        if not self.changed:
            self._go(None)
            return
        ask = MessageSheet(
            self._theme,
            self._over,
            "Close without saving?",
            "What you changed here is not saved yet.",
            name="builderDiscard",
            yes="Close without saving",
        )
        ask.accepted.connect(lambda: self._go(self.form))
        ask.rejected.connect(self.stayed)
        ask.lay()

    def event(self, event: QEvent) -> bool:
        """Keep the keys of Save from the actions of the window."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and _saves(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _saves(event):
            self.save()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._check_timer.start()

    # Slots

    def save(self) -> None:
        """Ask for a save, where there is nothing to be mended first."""
        self._check()
        if self.foot.save.isEnabled():
            self.save_wanted.emit()

    def _on_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Scroll to what gets the focus, wherever that comes from."""
        if new is not None and self._scroll.isAncestorOf(new):
            self._scroll.ensureWidgetVisible(new, 8, 8)

    def _take_theirs(self) -> None:
        self._put(self._opened.form)
        self.say("")
        self._check()

    def _go(self, form: SubAgentForm | None) -> None:
        self.leave()
        self.left.emit(form)

    def _on_changed(self) -> None:
        if not self._showing:
            self._check_timer.start()
            self.edited.emit()

    def _on_mended(self, form: SubAgentForm) -> None:
        """Take the mended field into what the form is by now."""
        now = self.form
        shown = self._form
        changes = {
            name: getattr(form, name)
            for name in form.__slots__
            if getattr(form, name) != getattr(shown, name)
        }
        self._put(replace(now, **changes))
        self._check()

    def _put(self, form: SubAgentForm) -> None:
        self._showing = True
        self._form = form
        self.identity.show_form(form, self._opened)
        self.prompt.show_form(form)
        self.grants.show_form(form, self._opened, self._facts)
        self._showing = False

    def _check(self) -> None:
        """Look at the form: what is wrong, what it comes to, whether it can be saved."""
        self._check_timer.stop()
        form = self._form = self.form
        problems: defaultdict[str, list[FormProblem]] = defaultdict(list)
        for problem in check_form(form, self._facts, self._opened):
            problems[problem.field].append(problem)
        around = self._around
        preview = preview_of(
            form, self._opened, self._facts, messages=around.messages, stores=around.stores
        )
        asked = self._asked(form)
        self.identity.show_state(
            form, problems, history_tokens=preview.history, models=around.models, asked=asked
        )
        self.prompt.show_state(form, [] if "body" in asked else problems["body"])
        self.grants.show_state(form, problems)
        self.previews.show_preview(preview, f"{form.name or '…'}{SUFFIX}")
        found = [one for several in problems.values() for one in several]
        errors = [one.field for one in found if one.severity == "error"]
        self.foot.show_state(errors, asked, changed=self.changed, busy=self._busy)

    def _asked(self, form: SubAgentForm) -> list[str]:
        """Return the fields of a new form in which nothing is written yet."""
        if not self._opened.is_new:
            return []
        blank = {"name": form.name, "description": form.description, "body": form.body}
        return [field for field, text in blank.items() if not text.strip()]

    def _dress(self) -> None:
        self.columns.setMinimumHeight(self._theme.scaled(400))

    # Building

    def _build(self) -> None:
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self.column.addWidget(self._head)
        self.column.addWidget(Separator())
        self.column.addWidget(self._notice)
        inside = QWidget()
        inside.setProperty("role", "inside")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._panes = (Pane(), Pane(), Pane(last=True))
        self.columns = Columns(self._theme, self._panes, wide=1080, narrow=720, shares=(37, 53, 42))
        for pane in self._panes:
            self.columns.counted.connect(pane.stand_among)
        column.addWidget(self.columns, 1)
        self._theme.changed.connect(self._dress)
        self._dress()
        column.addWidget(Separator())
        self._inside = column
        self._scroll = QScrollArea()
        self._scroll.setObjectName("builderScroll")
        self._scroll.setAccessibleName("The form")
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidgetResizable(True)
        self._scroll.setWidget(inside)
        self.column.addWidget(self._scroll, 1)
        self.column.addWidget(Separator())
        self.column.addWidget(self.foot)

    def _connect(self) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus)
        for part in (self.identity, self.prompt, self.grants):
            part.changed.connect(self._on_changed)
            part.mended.connect(self._on_mended)
        self.identity.instance_wanted.connect(self.instance_wanted)
        self.prompt.polish_wanted.connect(lambda: self.polish_wanted.emit(self.form.body))
        self._head.closed.connect(self.reject)
        self._notice.theirs_wanted.connect(self._take_theirs)
        self.foot.delete_wanted.connect(self.delete_wanted)
        self.foot.file_wanted.connect(self.file_wanted)
        self.foot.cancelled.connect(self.reject)
        self.foot.save_wanted.connect(self.save)


def _saves(event: QKeyEvent) -> bool:
    held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    return event.matches(QKeySequence.StandardKey.Save) or (
        enter and held == Qt.KeyboardModifier.ControlModifier
    )
