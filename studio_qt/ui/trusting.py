"""`Trusting`: asks whether foreign code may run, and does what the answer says (STU-07)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.guarding import Question
from studio_qt.ui.permission.page import PermissionSheet
from studio_qt.ui.permission.wording import title

if TYPE_CHECKING:
    from studio_qt.ui.session import StudioSession

__all__ = ["Trusting"]


class Trusting(QObject):
    """The question of a window, and its answers.

    A character that waits is asked about at once, once for each state of its code; what has
    changed under one that runs is only told by `changed`, with a sentence, since the user may be
    typing. `waiting` carries the title and the reason why nothing plays, `going_on` the name of
    what is opened after a yes.
    """

    waiting = Signal(str, str)
    changed = Signal(str)
    going_on = Signal(str)
    settings_wanted = Signal(str)
    notice = Signal(str, str)

    def __init__(
        self, desk: Desk, session: StudioSession, over: QWidget, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._desk, self._session, self._over = desk, session, over
        self._gate = session.gate
        self._told: frozenset[str] = frozenset()
        self._sheet: PermissionSheet | None = None
        self._asking = asyncio.Lock()
        session.untrusted.connect(self._on_untrusted)
        session.opening.connect(self._close_sheet)
        self._gate.changed.connect(self._on_changed)
        desk.actions.add(
            "permissions",
            "What its &code may do…",
            self.review,
            place=Place("Character", 5),
            keys="Ctrl+Alt+W",
        )

    @property
    def sheet(self) -> PermissionSheet | None:
        """The question that is asked, where one is."""
        return self._sheet

    def review(self) -> None:
        """Show what the code may do, with the question where there is one; the user wants it."""
        self._desk.tasks.start(self._ask(by_hand=True), name="permissions")

    # Slots

    def _on_untrusted(self) -> None:
        self._desk.tasks.start(self._ask(by_hand=False), name="permissions")

    def _on_changed(self) -> None:
        held = self._gate.held
        if held - self._told:
            files = ", ".join(sorted(path.rpartition("/")[2] for path in held)[:3])
            self.changed.emit(
                f"{files} changed outside Character Studio. What ran before runs on until you "
                "agree."
            )
        self._told = held

    # Asking

    async def _ask(self, *, by_hand: bool) -> None:
        async with self._asking:
            await self._ask_now(by_hand=by_hand)

    async def _ask_now(self, *, by_hand: bool) -> None:
        question = await self._gate.question()
        if question is None:
            if by_hand:
                self.notice.emit("Open a character first, to see what its code may do.", "info")
            return
        if self._gate.waiting:
            self.waiting.emit(title(question), self._reason())
            if not by_hand and (self._gate.was_refused(question) or self._is_asked(question)):
                return
        self._close_sheet()
        sheet = PermissionSheet(
            self._desk.theme, self._over, question, self._desk.preferences.player
        )
        self._sheet = sheet
        sheet.agreed.connect(lambda mine, web: self._agree(question, mine=mine, web=web))
        sheet.refused.connect(lambda: self._gate.refuse(question))
        sheet.withdrawn.connect(lambda: self._withdraw(question))
        sheet.web_chosen.connect(self._choose_web)
        sheet.settings_wanted.connect(self.settings_wanted)
        sheet.finished.connect(lambda _result: self._forget(sheet))
        for _ in sheet.pieces():
            await asyncio.sleep(0)
        if self._sheet is sheet:  # else it was put away meanwhile
            sheet.ask(by_hand=by_hand)

    def _reason(self) -> str:
        text = "Its code does not run before you agree, so nobody answers."
        if self._session.root is not None:
            text += " The files can be read and edited."
        return text

    def _is_asked(self, question: Question) -> bool:
        """Whether the user is before a question about this very code."""
        sheet = self._sheet
        told = question.permissions
        return sheet is not None and sheet.is_open and sheet.question.permissions == told

    def _close_sheet(self, _name: str = "") -> None:
        """Put away a question about code that is another by now; that is no answer."""
        if self._sheet is not None:
            sheet, self._sheet = self._sheet, None
            sheet.blockSignals(True)
            sheet.reject()
            sheet.deleteLater()

    def _forget(self, sheet: PermissionSheet) -> None:
        if self._sheet is sheet:
            self._sheet = None

    # Answers

    def _agree(self, question: Question, *, mine: bool, web: bool) -> None:
        self._desk.tasks.start(self._agreed(question, mine=mine, web=web), name="trust")

    async def _agreed(self, question: Question, *, mine: bool, web: bool) -> None:
        if self._session.place != question.place:
            return
        await self._gate.agree(question)
        if mine:
            await self._gate.never_ask()
        chosen = self._gate.web
        if web != (self._desk.preferences.player.web_access if chosen is None else chosen):
            await self._gate.allow_web(web)
        if self._session.player is None:
            self.going_on.emit(question.place.name)
        await self._session.play()
        self._session.take_settings()

    def _choose_web(self, allowed: bool) -> None:  # noqa: FBT001 - a slot
        async def choose() -> None:
            await self._gate.allow_web(allowed)
            self._session.take_settings()

        self._desk.tasks.start(choose(), name="trust")

    def _withdraw(self, question: Question) -> None:
        async def withdraw() -> None:
            self._gate.refuse(question)
            await self._gate.withdraw()
            await self._session.stop_playing()

        self._desk.tasks.start(withdraw(), name="trust")
