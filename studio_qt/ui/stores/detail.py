"""`StoreDetail`: one agent's store, live and shipped, with its past."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from studio_qt.engine.roster import LoadedAgent
from studio_qt.jsontext import JsonObject
from studio_qt.package.defaults import without_tool_call_ids
from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.stores.agents import size_words
from studio_qt.ui.stores.finding import Finding
from studio_qt.ui.stores.head import StoreHead
from studio_qt.ui.stores.live import LiveStore
from studio_qt.ui.stores.model import LEFT, RIGHT
from studio_qt.ui.stores.moments import Moment, Moments
from studio_qt.ui.stores.pairing import MISSING
from studio_qt.ui.stores.panes import StorePanes
from studio_qt.ui.stores.past import PastPanel
from studio_qt.ui.stores.shipped import ShippedStore
from studio_qt.ui.stores.telling import change_words, turn_words
from studio_qt.ui.tasks import sentence
from studio_qt.ui.theme.dressing import hold
from studio_qt.ui.widgets.bars import NoticeBar
from studio_qt.ui.widgets.basics import text_button
from studio_qt.ui.widgets.sheet import MessageSheet
from studio_qt.ui.widgets.tips import plain_tip

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["StoreDetail"]

_TALL, _PAST, _LOW_PAST = 640, 224, 174
"""The height from which the past has all its room, and the heights of the past."""


class StoreDetail(QWidget):
    """`closed` follows the cross, `show_wanted` carries the id of an entry of the conversation.

    `panes` may be made before, in another turn of the loop.
    """

    closed = Signal()
    show_wanted = Signal(str)
    notice = Signal(str, str)

    def __init__(self, desk: Desk, documents: Documents, panes: StorePanes | None = None) -> None:
        super().__init__()
        self._desk, self._documents = desk, documents
        self._player: CharacterPlayer | None = None
        self._agent: LoadedAgent | None = None
        self._moved = False
        self.live = LiveStore(desk.tasks, self)
        self.shipped = ShippedStore(documents, desk.tasks, self)
        self.head = StoreHead(desk.theme)
        self.bar = NoticeBar(desk.theme)
        self.panes = panes or StorePanes(desk)
        self.panes.applied.connect(self._apply)
        self.past = PastPanel(desk.theme)
        self.finding = Finding(desk.tasks, self.head, self.panes)
        self._save = text_button("Save default", "storeSaveDefault", "primary")
        self.moments = Moments(desk.tasks, self.past, self.live, self)
        self._build()
        self._connect()
        self._add_actions()

    @property
    def agent_id(self) -> str:
        """Whose store is shown; "" for nobody's."""
        return self._agent.id if self._agent is not None else ""

    @property
    def settled(self) -> bool:
        """Whether everything is read, written and drawn."""
        tasks = {"save the store", "follow the store", "show store"}
        busy = tasks.intersection(self._desk.tasks.names) or not self.moments.settled
        raws = all(raw.settled for raw in self.panes.raws)
        return not busy and raws and self.live.settled and self.shipped.settled

    def show_agent(self, player: CharacterPlayer, agent: LoadedAgent) -> None:
        """Show the store of an agent."""
        self.panes.raws[LEFT].read_now()
        self._player, self._agent = player, agent
        self.head.show_agent(agent)
        self.moments.open(player, agent.id)
        self._desk.tasks.start(self._open(player, agent), name="show store")

    async def _open(self, player: CharacterPlayer, agent: LoadedAgent) -> None:
        await self.shipped.open(player, agent.id)
        if self._agent is agent:  # else another was chosen meanwhile
            await self.live.open(player, agent.id, self.shipped.value)
            self.moments.read_soon(at_once=True)

    def clear(self) -> None:
        """Show nobody's store."""
        self._player = self._agent = None
        self.moments.clear()
        self.live.close()
        self.shipped.close()

    def take_focus(self) -> None:
        """Give the keyboard to the live side."""
        self.panes.panes[LEFT].take_focus()

    # Showing

    @property
    def _moment(self) -> Moment | None:
        return self.moments.moment

    def _show(self) -> None:
        """Show what both sides are by now."""
        live, shipped = self.live.value, self.shipped.value
        if self._moment is not None:
            self.panes.show_values(
                self._moment.value, live if live is not None else MISSING, editable=(False, False)
            )
        elif live is None:
            self.panes.show_values({}, {}, editable=(False, False))
        else:
            self.panes.show_values(
                live,
                shipped if shipped is not None else live,  # beside itself nothing is marked
                editable=(True, shipped is not None and not self.shipped.reason),
            )
        self._show_texts()
        self._show_empty()
        self._show_words()
        self._say()

    def _show_texts(self) -> None:
        own, theirs = self.panes.raws
        value = self._moment.value if self._moment is not None else self.live.value
        own.show_value(value, size=self.live.size)
        own.set_read_only(read_only=self._moment is not None or self.live.value is None)
        document = self.shipped.document
        theirs.show_document(document.text if document is not None else None)
        theirs.set_read_only(read_only=document is None or bool(self.shipped.reason))
        theirs.show_fault(self.shipped.fault)

    def _show_empty(self) -> None:
        live, right = self.panes.panes
        nothing = self.live.value == {} and not self.shipped.value and self._moment is None
        live.show_empty(empty=nothing)
        has_text = self.shipped.document is not None and bool(self.shipped.fault)
        none = self.shipped.value is None and self._moment is None
        right.show_empty(empty=none and not has_text)
        if has_text and none:
            right.show_raw(raw=True)
        else:
            right.show_raw(raw=self.head.modes.choice == "raw" and self._moment is None)

    def _show_words(self) -> None:
        live, right = self.panes.panes
        conversation = self._player.conversation_id if self._player is not None else ""
        moment = self._moment
        if moment is None:
            live.title.set_whole("Live")
            live.second.set_whole(f"{conversation}, as of now")
            right.title.set_whole("Default (shipped)")
            right.second.set_whole("for new conversations")
        else:
            live.title.set_whole(turn_words(moment.change))
            live.second.set_whole(f"as {change_words(moment.change)} left it")
            right.title.set_whole("Now")
            right.second.set_whole(f"{conversation}, as of now")
        size = size_words(self.live.size)
        live.foot.set_whole(size if moment is None else "")
        right.foot.set_whole(size if moment else self.shipped.reason or self.shipped.path)
        self._show_state()

    def _show_state(self) -> None:
        live, right = self.panes.panes
        words = {
            "saved": "Saved with every call",
            "saving": "Saving …",
            "waiting": "Waits for the running call …",
            "conflict": "Changed by an agent meanwhile",
            "failed": "Not saved",
        }
        typing, past = self.panes.raws[LEFT].is_typing, self._moment is not None
        now = "Being typed …" if typing else words[self.live.state]
        live.state.set_whole("" if past else now)
        live.foot.setVisible(self.live.state == "saved")  # the state needs its room
        modified = self.shipped.modified and not past
        right.state.set_whole(now if past else "Not saved yet" if modified else "")
        right.state.setVisible(modified or past)  # else its room is the path's
        self._save.setVisible(modified)
        self.head.default.setEnabled(not self.shipped.reason and self.live.value is not None)
        self.head.default.setToolTip(plain_tip(self.shipped.reason))
        self.head.reset.setEnabled(self.live.value is not None)

    def _say(self) -> None:
        """Say above the panes what is to be decided."""
        if self.live.state == "conflict":
            self.bar.show_notice(
                f"{self.agent_id} was changed by an agent while you were editing it. "
                "Nothing of either is lost: undo gives back what you do not take.",
                action="Keep mine",
                link="Take theirs",
                closable=False,
            )
        elif self.live.state == "failed":
            self.bar.show_notice(
                f"{self.live.fault} What you have edited is kept here.",
                tone="err",
                action="Try again",
                closable=False,
            )
        elif self._moment is not None:
            change = self._moment.change
            self.bar.show_notice(
                f"{turn_words(change)}, as {change_words(change)} left it, beside what it is now.",
                tone="info",
                action="Restore this",
                link="Back to now",
                closable=False,
            )
        else:
            self.bar.hide()

    # Acting

    def _apply(self, side: int, value: JsonObject) -> None:
        if side == LEFT:
            self.live.edit(value)
        else:
            self.shipped.edit(value)

    def set_default(self) -> None:
        """Open what the store is now in the Default section, without call ids, not saved yet."""
        if self.live.value is not None and not self.shipped.reason:
            self.past.to_now()
            self._desk.tasks.start(self._snapshot(self.live.value), name="show store")

    async def _snapshot(self, value: JsonObject) -> None:
        pruned = await asyncio.to_thread(without_tool_call_ids, value)
        assert isinstance(pruned, dict)
        self.shipped.edit(pruned)
        self.panes.panes[RIGHT].take_focus()
        self.notice.emit(
            f"The snapshot is in Default (shipped), without call ids and not saved yet. Prune what "
            f"is only playtest, then save {self.shipped.path}.",
            "info",
        )

    def save_default(self) -> None:
        """Write the default to its file."""
        self._desk.tasks.start(self.shipped.save(), name="save the default", on_error=self._fail)

    def ask_reset(self) -> None:
        """Ask whether the live store is to begin anew."""
        if self.live.value is None:
            return
        what = "the default that is shipped" if self.shipped.value is not None else "nothing"
        sheet = MessageSheet(
            self._desk.theme,
            self.window(),
            "Reset this store?",
            f"What {self.agent_id} has stored in this conversation is replaced by {what}. "
            "Undo, and the history below, give it back.",
            name="storeResetSheet",
            yes="Reset to default",
        )
        sheet.accepted.connect(self._reset)
        sheet.lay()

    def _reset(self) -> None:
        self.past.to_now()
        self.live.edit(dict(self.shipped.value or {}), reset=True)

    def _on_undo(self, side: int) -> None:
        self.live.undo() if side == LEFT else self.shipped.undo()

    def _on_redo(self, side: int) -> None:
        self.live.redo() if side == LEFT else self.shipped.redo()

    def _on_bar(self, *, link: bool) -> None:
        if self.live.state == "conflict":
            self._settle_conflict(theirs=link)
        elif self.live.state == "failed":
            self.live.retry()
        elif link:
            self.past.to_now()
        elif self._moment is not None:
            self.past.restore_wanted.emit(self._moment.change)

    def _settle_conflict(self, *, theirs: bool) -> None:
        own = self.panes.raws[LEFT]
        if theirs:
            own.forget()
            self.live.take_theirs()
        else:
            own.read_now()
            self.live.keep_mine()

    # Slots

    def _on_live(self) -> None:
        self._show()
        self.moments.read_soon()

    def _on_live_state(self) -> None:
        self._show_state()
        self._say()

    def _on_typing(self, typing: bool) -> None:  # noqa: FBT001 - a signal's argument
        self.live.hold(held=typing)
        self._show_state()

    def _on_mode(self, mode: str) -> None:
        self.panes.show_raw(raw=mode == "raw")
        self._show_empty()

    def _fail(self, error: Exception) -> None:
        self.notice.emit(sentence(error), "error")

    # Building

    def _connect(self) -> None:
        self.live.changed.connect(self._on_live)
        self.live.state_changed.connect(self._on_live_state)
        self.shipped.changed.connect(self._show)
        self.shipped.state_changed.connect(self._show_state)
        head = self.head
        head.modes.chosen.connect(self._on_mode)
        head.reset.clicked.connect(self.ask_reset)
        head.default.clicked.connect(self.set_default)
        head.close_button.clicked.connect(self.closed)
        self._save.clicked.connect(self.save_default)
        self.bar.action_wanted.connect(lambda: self._on_bar(link=False))
        self.bar.link_wanted.connect(lambda: self._on_bar(link=True))
        self.panes.undo_wanted.connect(self._on_undo)
        self.panes.redo_wanted.connect(self._on_redo)
        self.panes.deeds.notice.connect(self.notice)
        own = self.panes.raws[LEFT]
        own.typed.connect(self.live.edit)
        own.typing.connect(self._on_typing)
        self.moments.changed.connect(self._show)
        self.moments.notice.connect(self.notice)
        self.past.show_wanted.connect(self.show_wanted)
        self.panes.views[LEFT].typing_changed.connect(self._on_field)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the past its share, until the user moves the handle."""
        super().resizeEvent(event)
        if not self._moved:
            past = self._desk.theme.scaled(_PAST if self.height() >= _TALL else _LOW_PAST)
            self._split.setSizes([max(0, self.height() - past), past])

    def _on_moved(self) -> None:
        self._moved = True

    def _on_field(self) -> None:
        """A field in the live tree was opened or closed; agents' changes wait for it."""
        self.live.hold(held=self.panes.views[LEFT].is_typing or self.panes.raws[LEFT].is_typing)

    def _add_actions(self) -> None:
        add, place = self._desk.actions.add, Place("Character", 5)
        for name, text, keys, slot in (
            ("storeSaveDefaultNow", "Save the default of the store", "Ctrl+S", self.save_default),
            ("storeSetDefault", "Set the store as default", "Ctrl+Shift+D", self.set_default),
            ("storeResetNow", "Reset the store to its default…", "Ctrl+Shift+R", self.ask_reset),
            ("storeFindNow", "Find in the store", "Ctrl+F", self.finding.open),
        ):
            add(name, text, slot, place=place, keys=keys, owner=self)

    def _build(self) -> None:
        self.setObjectName("storeDetail")
        self.panes.panes[RIGHT].foot_buttons.addWidget(self._save)
        self._save.setAccessibleDescription("Writes the file that is shipped with the character.")
        split = self._split = QSplitter(Qt.Orientation.Vertical, self)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(split)
        upper = QWidget(split)
        hold(split, upper, self.panes)
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.head, self.bar):
            column.addWidget(widget)
        column.addWidget(self.panes, 1)
        split.setObjectName("storeSplit")
        split.addWidget(self.past)
        split.setChildrenCollapsible(False)
        split.setStretchFactor(0, 1)
        split.splitterMoved.connect(self._on_moved)
        self.past.setMinimumHeight(96)
