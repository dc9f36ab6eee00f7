"""`ToolTesterPage`: any tool or command by hand, with what it gave, changed and said."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.engine.offers import Offer
from studio_qt.errors import ClosedError
from studio_qt.jsontext import JsonObject
from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.tester.arguments import ArgumentsForm
from studio_qt.ui.tester.calls import Call, Report, make_call
from studio_qt.ui.tester.choice import CallList
from studio_qt.ui.tester.outcome import OutcomeView
from studio_qt.ui.tester.recent import Made, RecentCalls
from studio_qt.ui.theme.dressing import hold
from studio_qt.ui.widgets.bars import EmptyState
from studio_qt.ui.widgets.basics import ElidedLabel, IconView, give_icon, label, text_button

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["ToolTesterPage"]

_WIDE, _NARROW = 900, 700


class ToolTesterPage(QWidget):
    """What can be called at the left, its arguments, and what came of the call.

    Calls are made by the player as it stands, so that unsaved code is what is tested. `open_wanted`
    carries the path of an agent's file, `notice` a sentence and its kind.
    """

    open_wanted = Signal(str)
    notice = Signal(str, str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._player: CharacterPlayer | None = None
        self._offs: list[Callable[[], None]] = []
        self._offer: Offer | None = None
        self._running: asyncio.Task[None] | None = None
        self._last: Report | None = None
        self._recent = RecentCalls()
        self._soon = QTimer(self)
        self.setObjectName("toolTester")
        self.setAccessibleName("Tool tester")
        self.setProperty("role", "pane")
        theme = desk.theme
        self.list = CallList(theme)
        self.arguments = ArgumentsForm(theme)
        self.outcome = OutcomeView(desk)
        self._name = ElidedLabel("", "toolName")
        self._agent = text_button("", "testerAgent", "link")
        self._refused = label("", "warn", wrap=True, name="testerRefused")
        self._fault = label("", "fieldError", wrap=True, name="testerFault")
        self._run = text_button("Run", "testerRun", "primary")
        self._stop = text_button("Stop", "testerStop")
        self._reset = text_button("Start over", "testerReset", "link")
        self._empty = EmptyState(
            theme,
            "flask",
            "Nothing to call",
            "The agents of this character have no tools and no commands. Add an agent that has.",
            name="testerEmpty",
        )
        self._pages, self._parts = QStackedWidget(), QSplitter()
        self._across = QSplitter(Qt.Orientation.Horizontal)
        hold(self, self._across, self._pages, self._parts)
        self._build()
        self._connect()
        self._add_actions()

    @property
    def settled(self) -> bool:
        """Whether no call runs and the last report is drawn."""
        quiet = self._running is None and not self._soon.isActive()
        return not self.isVisible() or (quiet and self.outcome.settled)

    @property
    def recent(self) -> tuple[Made, ...]:
        """The last calls, the newest first."""
        return self._recent.calls

    def show_player(self, player: CharacterPlayer | None) -> None:
        """Call the agents of another character, None for nobody's."""
        self.stop()
        for off in self._offs:
            off()
        self._player, self._offs = player, []
        self.outcome.show_report(None)
        if player is not None:
            self._offs = [player.on("reload", lambda _: self._soon.start())]
        self._list()

    def show_project(self, place: Path | None) -> None:
        """Take up the calls that were made in a project."""
        self._desk.tasks.start(self._take_up(place), name="tester calls")

    def show_tool(self, agent_id: str, name: str) -> None:
        """Go to a tool, ready to be filled in."""
        self.list.search.clear()
        self._list()
        self.list.choose("tool", agent_id, name)

    def run(self) -> None:
        """Make the call as it is filled in."""
        offer, player = self._offer, self._player
        if offer is None or player is None or self._running is not None:
            return
        fault = offer.refused or self.arguments.fault
        self._show_fault(fault)
        if not fault:
            self._start(player, Call.of(offer, self.arguments.args, self.arguments.line))

    def stop(self) -> None:
        """Stop the call that runs; its store stays as it was."""
        if self._running is not None:
            self._running.cancel()

    def repeat(self, made: Made | None = None) -> None:
        """Make a call again, without one the last."""
        calls = self._recent.calls
        again = made or (calls[0] if calls else None)
        if again is not None and self.take(again):
            self.run()

    def take(self, made: Made) -> bool:
        """Fill in an earlier call; whether there still is what it called."""
        call = made.call
        self.list.search.clear()
        if not self.list.choose(call.kind, call.agent_id, call.name):
            self.notice.emit(
                f"{call.agent_id} has no {call.kind} {call.name} any more, so it cannot be called.",
                "warn",
            )
            return False
        self.arguments.put(call.args if call.kind == "tool" else call.line)
        return True

    async def keep(self, agent_id: str, calls: Sequence[tuple[str, JsonObject, str]]) -> None:
        """Put calls of an agent's tools among the last ones, the first of them on top.

        Each is a tool, its arguments and what came of it.
        """
        for tool, args, result in reversed(calls):
            call = Call("tool", tool, agent_id, args)
            await self._recent.add(Report(call, "ok", result, 0.0, time.time()))
        self.list.show_recent(self._recent.calls)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.list.tree.setFocus(event.reason())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._list()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        across, up = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        width, scaled = self.width(), self._desk.theme.scaled
        narrow = width < scaled(_NARROW)
        self._across.setOrientation(up if narrow else across)
        self._parts.setOrientation(across if narrow or width >= scaled(_WIDE) else up)

    # Building

    def _build(self) -> None:
        """Fill from the outside in: what is moved is dressed again, with all that is in it."""
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._across)
        for widget in (self.list, self._pages):
            self._across.addWidget(widget)
            self._across.setCollapsible(self._across.count() - 1, False)
        self._pages.addWidget(self._parts)
        self._pages.addWidget(self._empty)
        self._parts.setObjectName("testerPanes")
        for part in (self._call_side(), self.outcome):
            self._parts.addWidget(part)
            self._parts.setCollapsible(self._parts.count() - 1, False)
        self._parts.setSizes([420, 420])
        self._across.setObjectName("testerAcross")
        self.list.setMinimumSize(180, 190)
        self._across.setStretchFactor(1, 1)
        self._across.setSizes([250, 750])

    def _call_side(self) -> QWidget:
        side = QWidget()
        side.setMinimumWidth(280)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconView(self._desk.theme, "flask", "accent2", 16))
        head.addWidget(self._name, 1)
        head.addWidget(self._agent)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        give_icon(self._desk.theme, self._run, "play", "onaccent", 13)
        give_icon(self._desk.theme, self._stop, "stop", "fg2", 13)
        foot.addWidget(self._run)
        foot.addWidget(self._stop)
        foot.addStretch(1)
        foot.addWidget(self._reset)
        column = QVBoxLayout(side)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._refused)
        column.addWidget(self.arguments, 1)
        column.addWidget(self._fault)
        column.addLayout(foot)
        return side

    def _connect(self) -> None:
        self._soon.setSingleShot(True)
        self._soon.setInterval(50)
        self._soon.timeout.connect(self._list)
        self.list.chosen.connect(self._on_chosen)
        self.list.taken.connect(self.take)
        self.list.repeat_wanted.connect(self.repeat)
        self.arguments.changed.connect(lambda: self._show_fault(""))
        self._agent.clicked.connect(self._on_agent)
        self._run.clicked.connect(self.run)
        self._run.setToolTip("Ctrl+Enter")
        self._stop.clicked.connect(self.stop)
        self._reset.clicked.connect(lambda: self.arguments.show_offer(self._offer))

    def _add_actions(self) -> None:
        add, place = self._desk.actions.add, Place("Tools", 2)
        for name, text, keys, slot in (
            ("testerRunCall", "Run the tool", "Ctrl+Return; Ctrl+Enter", self.run),
            ("testerStopCall", "Stop the tool", "Ctrl+.", self.stop),
            ("testerRepeat", "Repeat the last call of a tool", "Ctrl+Shift+R", self.repeat),
        ):
            add(name, text, slot, place=place, keys=keys, owner=self)

    # Slots

    def _list(self) -> None:
        if self._player is None or not self.isVisible():
            return
        try:
            offers = self._player.offers()
        except ClosedError:
            return
        self.list.show_offers(offers)
        self._pages.setCurrentWidget(self._parts if offers else self._empty)

    def _on_chosen(self, offer: Offer | None) -> None:
        before, self._offer = self._offer, offer
        self._name.set_whole(offer.name if offer else "Nothing is chosen")
        self._agent.setText(offer.agent_id if offer else "")
        self._agent.setAccessibleName(f"Open {offer.agent_id}" if offer else "")
        self._agent.setVisible(offer is not None and not offer.file.startswith("studio:"))
        self._refused.setText(offer.refused if offer else "")
        self._refused.setVisible(bool(offer and offer.refused))
        self._show_running(running=self._running is not None)
        self._show_fault("")
        if _same_form(before, offer):
            self.arguments.tell(offer.description if offer else "")
        else:
            self.arguments.show_offer(offer)

    def _on_agent(self) -> None:
        if self._offer is not None:
            self.open_wanted.emit(self._offer.file)

    def _show_fault(self, sentence: str) -> None:
        self._fault.setText(sentence)
        self._fault.setVisible(bool(sentence))

    def _show_running(self, *, running: bool) -> None:
        refused = self._offer is None or bool(self._offer.refused)
        self._run.setEnabled(not running and not refused)
        self._stop.setEnabled(running)

    # Calling

    def _start(self, player: CharacterPlayer, call: Call) -> None:
        self.outcome.show_running(f"{call.name} has been called…")
        self._show_running(running=True)
        self._last = self.outcome.report
        self._running = self._desk.tasks.start(self._call(player, call), name="tester call")
        if self._running is not None:
            self._running.add_done_callback(lambda _task: self._on_ended())

    async def _call(self, player: CharacterPlayer, call: Call) -> None:
        report = await make_call(player, call)
        await self._recent.add(report)
        self._last = report

    def _on_ended(self) -> None:
        """The call is over, or was stopped before it began."""
        self._running = None
        self._show_running(running=False)
        self.outcome.show_report(self._last)
        self.list.show_recent(self._recent.calls)

    async def _take_up(self, place: Path | None) -> None:
        await self._recent.load(place)
        self.list.show_recent(self._recent.calls)


def _same_form(before: Offer | None, offer: Offer | None) -> bool:
    """Whether what is filled in still belongs to what is chosen, as after a reload."""
    if before is None or offer is None:
        return before is offer
    ones = [(one.kind, one.agent_id, one.name, one.parameters) for one in (before, offer)]
    return ones[0] == ones[1]
