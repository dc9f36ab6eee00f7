"""`PromptInspectorPage`: the exact request, before it is sent and after, block by block."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.engine.inspecting import InspectedRequest
from studio_qt.errors import ClosedError, StudioError
from studio_qt.jsontext import encode_pretty
from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.inspector.blocks import BlockList
from studio_qt.ui.inspector.detail import BlockDetail
from studio_qt.ui.inspector.head import InspectorHead
from studio_qt.ui.inspector.places import entry_of, request_of
from studio_qt.ui.inspector.requests import RequestList
from studio_qt.ui.inspector.shaping import Row, shape
from studio_qt.ui.inspector.wording import compared_with, what_it_is
from studio_qt.ui.theme.dressing import hold
from studio_qt.ui.widgets.bars import EmptyState
from studio_qt.ui.widgets.basics import label
from studio_qt.ui.widgets.marked import lay, whole
from studio_qt.ui.widgets.textpane import TextPane

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["PromptInspectorPage"]

_QUIET_MS = 400
"""After the last key, before the next request is looked at."""

_WIDE, _NARROW = 900, 700
_EVENTS = ("entries", "store", "reload", "turn")
"""What may change the next request."""


class PromptInspectorPage(QWidget):
    """Requests by turn at the left, the blocks of one, and a block in full beside or below them.

    `open_wanted` carries the path of a file, `store_wanted` the id of an agent, `entry_wanted` that
    of an entry of the conversation, `settings_wanted` a page of the settings, `notice` a sentence
    and its kind. `wanted`: it is to be shown.
    """

    open_wanted = Signal(str)
    store_wanted = Signal(str)
    entry_wanted = Signal(str)
    wanted = Signal()
    settings_wanted = Signal(str)
    notice = Signal(str, str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._player: CharacterPlayer | None = None
        self._offs: list[Callable[[], None]] = []
        self._draft = ""
        self._turn = 0
        self._text_turn = 0
        self._busy = 0
        self._shown: InspectedRequest | None = None
        self._following: InspectedRequest | None = None
        self._stale = True
        self._other = ""
        self.setObjectName("promptInspector")
        self.setAccessibleName("Prompt Inspector")
        self.setProperty("role", "pane")
        self.requests = RequestList(desk.theme)
        self.head = InspectorHead(desk.theme)
        self.blocks = BlockList(desk.theme)
        self.detail = BlockDetail(desk)
        self.text = TextPane(desk.theme, "inspectorJson", "Request as text")
        self._empty = EmptyState(desk.theme, "prompt", "", "", "Open the settings",
                                 name="inspectorEmpty")  # fmt: skip
        self._views, self._parts = QStackedWidget(), QSplitter()
        self._across = QSplitter(Qt.Orientation.Horizontal)
        hold(self, self._across)
        self._wait = QTimer(self)
        self._refresh = QTimer(self)
        self._build()
        self._connect()
        self._add_actions()

    @property
    def settled(self) -> bool:
        """Whether what is chosen is shown and nothing is on its way."""
        quiet = not self._busy and not self._wait.isActive() and not self._refresh.isActive()
        return not self.isVisible() or (quiet and self.detail.settled)

    @property
    def shown(self) -> InspectedRequest | None:
        """The request that is shown."""
        return self._shown

    def show_player(self, player: CharacterPlayer | None) -> None:
        """Look at another character's requests, None for nobody's."""
        for off in self._offs:
            off()
        self._player, self._shown, self._following = player, None, None
        self._offs = []
        self._turn += 1
        if player is None:
            self.requests.show_requests(None, [])
            self.blocks.show_rows(())
            return
        self._offs = [player.on(event, lambda _: self._changed()) for event in _EVENTS]
        self._offs.append(player.on("request", lambda _: self._refresh.start()))
        self._changed()

    def set_draft(self, text: str) -> None:
        """Take the text of the composer; the next request follows when it has been quiet."""
        if text != self._draft:
            self._draft = text
            self._changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._wait.start()
        self._list()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._stale = self._stale or self._wait.isActive()
        self._wait.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        across, up = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        width, scaled = self.width(), self._desk.theme.scaled
        narrow = width < scaled(_NARROW)
        self._across.setOrientation(up if narrow else across)
        self._parts.setOrientation(across if width >= scaled(_WIDE) else up)

    # Building

    def _build(self) -> None:
        """Fill from the outside in: what is moved is dressed again, with all that is in it."""
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._across)
        side, middle = QWidget(self._across), QWidget(self._across)
        side.setMinimumSize(170, 90)
        listed = QVBoxLayout(side)
        listed.setContentsMargins(0, 0, 0, 8)
        listed.setSpacing(4)
        heading = label("Requests", "name")
        heading.setContentsMargins(16, 12, 16, 4)
        listed.addWidget(heading)
        listed.addWidget(self.requests, 1)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self._views, 1)
        self._views.addWidget(self._parts)
        for part in (self.blocks, self.detail):
            self._parts.addWidget(part)
            self._parts.setCollapsible(self._parts.count() - 1, False)
        self._parts.setSizes([560, 440])
        self._parts.setObjectName("inspectorParts")
        for view in (self.text, self._empty):
            self._views.addWidget(view)
        self._across.setObjectName("inspectorPanes")
        for at in range(2):
            self._across.setCollapsible(at, False)
        self._across.setStretchFactor(1, 1)
        self._across.setSizes([272, 728])
        self.setFocusProxy(self.requests)

    def _connect(self) -> None:
        for timer, pause, slot in (
            (self._wait, _QUIET_MS, self._look_ahead),
            (self._refresh, 30, self._list),
        ):
            timer.setSingleShot(True)
            timer.setInterval(pause)
            timer.timeout.connect(slot)
        self.requests.chosen.connect(self._on_chosen)
        self.blocks.chosen.connect(self._on_block)
        self.blocks.origin_wanted.connect(lambda _row: self.detail.open_origin())
        self.detail.origin_wanted.connect(self._on_origin)
        self.head.view_chosen.connect(lambda _view: self._show_view())
        self.head.copy_wanted.connect(self.copy)
        self.head.message_wanted.connect(self.show_message)
        self.head.found_wanted.connect(lambda text, back: self.seek(text, backward=back))
        self._empty.wanted.connect(lambda: self.settings_wanted.emit("connections"))

    def _add_actions(self) -> None:
        add, place = self._desk.actions.add, Place("Edit", 8)
        for name, text, keys, slot in (
            ("inspectorFind", "Find in the request", "Ctrl+F", self.head.focus_search),
            (
                "inspectorMessage",
                "Show the message of the request",
                "Ctrl+Return",
                self.show_message,
            ),
            ("inspectorCopy", "Copy the request as it is shown", "Ctrl+Shift+C", self.copy),
        ):
            add(name, text, slot, place=place, keys=keys, owner=self)
        add(
            "inspectorCopyText",
            "Copy the block",
            self.detail.copy,
            place=place,
            keys="Ctrl+C",
            owner=self.blocks,
        )

    # What is asked

    def copy(self) -> None:
        """Copy what is shown: the JSON of the messages, or the body as it goes out."""
        if self._shown is None:
            return
        clipboard = QGuiApplication.clipboard()
        if self.head.view == "json":
            clipboard.setText(encode_pretty(self._shown.prepared))
        else:
            clipboard.setText(self._body(self._shown))

    def show_turn(self, turn: int, *, first: bool = False) -> None:
        """Show what was sent in a turn: what led to its reply, or the `first` request of all."""
        if self._player is None:
            return
        number = request_of(self._player.requests(), turn, first=first)
        if not number:
            self.notice.emit(
                f"What was sent in turn {turn:,} is not kept any more: requests are kept in "
                "memory, the newest first, until the character is closed.",
                "info",
            )
            return
        self.wanted.emit()
        self._list()
        self.requests.choose(number)

    def show_message(self) -> None:
        """Go to the message that the request led to, or that it answers."""
        player, shown = self._player, self._shown
        if player is None or shown is None or not shown.about.number:
            return
        about = shown.about
        entry = entry_of(player, about.turn) if about.conversation_id else ""
        if about.conversation_id != player.conversation_id or not entry:
            self.notice.emit("Its message is in another conversation, or removed.", "info")
        else:
            self.entry_wanted.emit(entry)

    def seek(self, text: str, *, backward: bool = False) -> None:
        """Go to the next block, or place, that has a text; the field tells how many there are."""
        if self.head.view != "blocks":
            self._start(self._seek_text(text, backward=backward))
        else:
            self._start(self._seek(text, backward=backward))

    async def _seek_text(self, text: str, *, backward: bool) -> None:
        found = await self.text.seek(text, backward=backward)
        self.head.show_found("" if found or not text else "not found")

    async def _seek(self, text: str, *, backward: bool) -> None:
        rows = self.blocks.rows
        hits = await asyncio.to_thread(_hits, rows, text)
        if [row.key for row in rows] != [row.key for row in self.blocks.rows]:
            return
        if not hits:
            self.head.show_found("not found" if text else "")
            self.detail.seek("")
            return
        current = self.blocks.currentIndex().row()
        if backward:
            at = next((hit for hit in reversed(hits) if hit < current), hits[-1])
        else:
            at = next((hit for hit in hits if hit > current), hits[0])
        self.detail.seek(text)
        self.blocks.choose(rows[at].key)
        self.head.show_found(f"{hits.index(at) + 1} of {len(hits)}")

    # Slots

    def _changed(self) -> None:
        self._stale = True
        if self.isVisible():
            self._wait.start()
            self._refresh.start()

    def _list(self) -> None:
        """List the requests anew; the shown one is read anew when it has come to its end."""
        if self._player is None or not self.isVisible():
            return
        try:
            sent = self._player.requests()
        except ClosedError:
            return
        following = self._following.about if self._following else None
        self.requests.show_requests(following, sent)
        shown = self._shown.about if self._shown else None
        now = {about.number: about for about in sent}
        if shown is not None and shown.number and now.get(shown.number) not in (None, shown):
            self._on_chosen(shown.number)

    def _look_ahead(self) -> None:
        if self._player is not None and self.isVisible():
            self._stale = False
            self._start(self._inspect(self._player))

    def _on_chosen(self, number: int) -> None:
        if self._player is not None:
            self._turn += 1
            self._start(self._load(self._turn, self._player, number))

    def _on_block(self, row: Row) -> None:
        foot = what_it_is(self._shown.about) if self._shown else ""
        self.detail.show_row(row, self._other, foot=foot)

    def _on_origin(self, kind: str, name: str) -> None:
        if kind == "settings":
            self.settings_wanted.emit("persona")
        elif kind == "file":
            self.open_wanted.emit(name)
        elif self._is_preload():
            self.store_wanted.emit(name)
        elif self._player is not None:
            agents = {agent.id: agent.file for agent in self._player.agents()}
            file = agents.get(name, "")
            if file and not file.startswith("studio:"):
                self.open_wanted.emit(file)
            else:
                self.notice.emit(f"{name} is built in; the package has no file of it.", "info")

    def _is_preload(self) -> bool:
        """Whether the block tells what agents said of their stores."""
        row = self.blocks.current
        return row is not None and row.tone == "preload"

    # Loading

    def _start(self, work: Coroutine[object, object, None]) -> None:
        self._busy += 1
        if self._desk.tasks.start(self._counted(work), name="inspect") is None:
            work.close()

    async def _counted(self, work: Coroutine[object, object, None]) -> None:
        try:
            await work
        except ClosedError:
            return
        except StudioError as error:
            self._show_failure(str(error))
        finally:
            self._busy -= 1

    async def _inspect(self, player: CharacterPlayer) -> None:
        found = await player.inspect(self._draft)
        if player is not self._player:
            return
        self._following = found
        self._list()
        if self.requests.number == 0:
            self._turn += 1
            await self._present(self._turn, player, found)

    async def _load(self, turn: int, player: CharacterPlayer, number: int) -> None:
        if number == 0:
            if self._following is not None:
                await self._present(turn, player, self._following)
            return
        found = await player.request(number)
        await self._present(turn, player, found)

    async def _present(self, turn: int, player: CharacterPlayer, found: InspectedRequest) -> None:
        other = compared_with(found.about, player.requests())
        before = await player.request(other.number) if other is not None else None
        rows = await asyncio.to_thread(shape, found, before)
        if turn != self._turn:
            return
        self._shown = found
        same_turn = other is not None and other.turn == found.about.turn and found.about.number
        name = "" if other is None else f"turn {other.turn}"
        self._other = f"round {other.round}" if other is not None and same_turn else name
        self.head.show_request(found, self._other)
        self.head.message.setVisible(bool(found.about.number))
        self.head.show_shares(_shares(rows), found.window, found.reserve)
        self.blocks.show_rows(rows)
        if (row := self.blocks.current) is not None:
            self._on_block(row)
        self._show_view()

    def _show_failure(self, sentence: str) -> None:
        self._empty.show_text("The request cannot be shown", sentence)
        self._views.setCurrentWidget(self._empty)

    def _show_view(self) -> None:
        view = self.head.view
        if self._shown is None:
            return
        self.head.show_tries(len(self._shown.bodies) if view == "body" else 0)
        self._views.setCurrentWidget(self._parts if view == "blocks" else self.text)
        if view != "blocks":
            self._text_turn += 1
            self._start(self._show_text(self._text_turn, self._shown, view))

    async def _show_text(self, turn: int, shown: InspectedRequest, view: str) -> None:
        def make() -> str:
            return encode_pretty(shown.prepared) if view == "json" else self._body(shown)

        laid = await asyncio.to_thread(lambda: lay(whole(make())))
        if turn == self._text_turn:
            await self.text.show_laid(laid)

    def _body(self, shown: InspectedRequest) -> str:
        at = self.head.chosen_try
        body = shown.bodies[at if 0 <= at < len(shown.bodies) else -1]
        return body.decode("utf-8", "replace")


def _shares(rows: tuple[Row, ...]) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for row in rows:
        if not row.cut:
            found[row.tone] += row.tokens
    return found


def _hits(rows: Sequence[Row], text: str) -> list[int]:
    """Return the positions of the rows that have a text, in any case of letters."""
    wanted = text.casefold()
    if not wanted:
        return []
    return [at for at, row in enumerate(rows) if wanted in f"{row.title}\n{row.text}".casefold()]
