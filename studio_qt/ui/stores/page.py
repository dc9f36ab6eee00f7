"""`AgentStoresPage`: what agents remember, in this conversation and shipped (STU-04)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.errors import StudioError
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.stores.agents import AgentList, rows_of
from studio_qt.ui.stores.detail import StoreDetail
from studio_qt.ui.stores.panes import StorePanes
from studio_qt.ui.theme.dressing import hold
from studio_qt.ui.widgets.bars import EmptyState
from studio_qt.ui.widgets.basics import label
from studio_qt.ui.widgets.inputs import SearchField

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio_qt.engine.player import CharacterPlayer

__all__ = ["AgentStoresPage", "StoreDetail", "StorePanes"]

_QUIET_MS = 150
_LIST, _LEAST_LIST, _LEAST_HEIGHT = 304, 170, 120
_ROOMY = 640
"""Pixels in which the list has room beside a store."""


class AgentStoresPage(QWidget):
    """The list of agents, and the store of the one that is chosen.

    `closed`: it is done with. `entry_wanted` carries the id of an entry of the conversation that
    is to be shown, `notice` a sentence and its kind. Making it takes the time of several turns of
    the loop: `detail`, and its panes, may be made in others, before.
    """

    closed = Signal()
    entry_wanted = Signal(str)
    notice = Signal(str, str)

    def __init__(self, desk: Desk, documents: Documents, detail: StoreDetail | None = None) -> None:
        super().__init__()
        self._desk, self._documents = desk, documents
        self._player: CharacterPlayer | None = None
        self._offs: list[Callable[[], None]] = []
        self._conversation = self._wanted = ""
        self.filter = SearchField(desk.theme, "Filter agents", "storeFilter")
        self.list = AgentList(desk.theme)
        self.detail = detail or StoreDetail(desk, documents)
        self._empty = EmptyState(
            desk.theme,
            "database",
            "No agent is chosen",
            "Choose an agent at the left to see what it remembers, turn by turn.",
            name="storesEmpty",
        )
        self._stack = QStackedWidget()
        self._words = label(
            "A link leads to the one row of that store. Private stores are never offered to the "
            "narrator.",
            "quiet",
            wrap=True,
        )
        self._split = QSplitter(Qt.Orientation.Horizontal)
        hold(self, self._split, self._stack, self.detail)
        self._moved = False
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_QUIET_MS)
        self._quiet.timeout.connect(self.refresh)
        self._build()
        self._connect()

    @property
    def settled(self) -> bool:
        """Whether nothing is read, written or drawn any more."""
        listing = "list the agents" in self._desk.tasks.names
        return not self._quiet.isActive() and not listing and self.detail.settled

    def show_player(self, player: CharacterPlayer | None) -> None:
        """Show the agents of an open player; None shows nothing."""
        for off in self._offs:
            off()
        self._offs.clear()
        self._player = player
        self.detail.clear()
        self._stack.setCurrentWidget(self._empty)
        if player is None:
            self._quiet.stop()
            self.list.show_rows([])
            return
        self._offs = [
            player.on("store", self._on_store),
            player.on("reload", lambda _said: self._quiet.start()),
            player.on("entries", self._on_entries),
        ]
        self._conversation = player.conversation_id
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Look anew which agents there are, and how much each remembers."""
        if self._player is not None:
            listing = self._list_agents(self._player)
            self._desk.tasks.start(listing, name="list the agents")

    async def _list_agents(self, player: CharacterPlayer) -> None:
        try:
            agents = player.agents()
            rows = await asyncio.to_thread(
                rows_of,
                agents,
                lambda agent_id: len(player.store_text(agent_id)),
                lambda agent_id: player.default_text(agent_id) is not None,
            )
        except StudioError:
            return  # closed, or an agent went meanwhile: another reload or player follows
        if self._player is not player:
            return
        self.list.show_rows(rows)
        known = {agent.id for agent in agents}
        if self.detail.agent_id and self.detail.agent_id not in known:
            self.detail.clear()
            self._stack.setCurrentWidget(self._empty)
        if self._wanted in known:
            self.list.choose(self._wanted)
        elif not self.detail.agent_id and rows:
            largest = next((row.id for row in rows if row.size > 2), rows[0].id)
            self.list.choose(largest)
        self._wanted = ""

    def show_agent(self, agent_id: str) -> None:
        """Go to the store of an agent."""
        if not self.list.choose(agent_id):
            self._wanted = agent_id
            self.refresh()

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the list its share, until the user moves the handle; above, where it is narrow."""
        super().resizeEvent(event)
        narrow = self.width() < self._desk.theme.scaled(_ROOMY)
        way = Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal
        if way != self._split.orientation():
            self._split.setOrientation(way)
            self._words.setVisible(not narrow)
            self._moved = False
        if self._moved:
            return
        if narrow:
            self._split.setSizes([self.height() // 4, self.height() * 3 // 4])
        else:
            width = min(_LIST, max(_LEAST_LIST, self.width() * 3 // 10))
            self._split.setSizes([width, max(0, self.width() - width)])

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.list.setFocus(event.reason())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    # Slots

    def _on_chosen(self, agent_id: str) -> None:
        player = self._player
        if player is None or agent_id == self.detail.agent_id:
            return
        agent = next((one for one in player.agents() if one.id == agent_id), None)
        if agent is not None:
            self._stack.setCurrentWidget(self.detail)
            self.detail.show_agent(player, agent)

    def _on_moved(self) -> None:
        self._moved = True

    def _on_store(self, _said: object) -> None:
        if self.isVisible():
            self._quiet.start()

    def _on_entries(self, _said: object) -> None:
        """Another conversation has other stores."""
        player = self._player
        if player is not None and self._conversation != player.conversation_id:
            self._conversation = player.conversation_id
            agent_id = self.detail.agent_id
            self.detail.clear()
            self._quiet.start()
            if agent_id:
                self._on_chosen(agent_id)

    def _connect(self) -> None:
        self.filter.textChanged.connect(self.list.filter)
        self.filter.down_wanted.connect(self.list.setFocus)
        self.list.chosen.connect(self._on_chosen)
        self.detail.closed.connect(self.closed)
        self.detail.show_wanted.connect(self.entry_wanted)
        self.detail.notice.connect(self.notice)

    def _build(self) -> None:
        self.setObjectName("agentStores")
        self.setAccessibleName("Agent stores")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._split)
        side = QFrame(self._split)
        self._split.addWidget(self._stack)
        side.setObjectName("storeSide")
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addWidget(label("Agent stores", "name"))
        column.addWidget(self.filter)
        inside = QVBoxLayout()
        inside.setContentsMargins(0, 4, 0, 0)
        inside.addWidget(self.list)
        column.addLayout(inside, 1)
        column.addWidget(self._words)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.detail)
        split = self._split
        split.setObjectName("storesSplit")
        split.setChildrenCollapsible(False)
        split.setStretchFactor(1, 1)
        split.splitterMoved.connect(self._on_moved)
        side.setMinimumSize(_LEAST_LIST, _LEAST_HEIGHT)
