"""`ChatModel`: which rows the transcript has, kept up to date from the player's events."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio_qt.jsontext import JsonObject
from studio_qt.ui.chat.asking import Asked
from studio_qt.ui.chat.live import Live
from studio_qt.ui.chat.places import Places, alike, item_name
from studio_qt.ui.chat.rows import Row, Said, State, build_rows, split_row
from studio_qt.ui.chat.seen import Seen
from studio_qt.ui.chat.slots import Slot, build_slots

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["FRAME_MS", "ChatModel"]

FRAME_MS = 33
"""Events reach the view joined, at most once in so many milliseconds."""

_SHARE = 3
"""A frame that took long to draw is followed by a pause of so many times its length."""

_KEPT = 64
"""Rows that are kept when they are built."""

_LONGEST_ERROR = 2_000
"""Characters of a failure that are shown."""

_PATIENCE_MS = 400
"""Until it is told that an answer waits, and for what."""

_NEAR = 400
"""Rows before the end among which the beginning of the running reply is looked for."""

UNANSWERED = "This message has not been answered."


class ChatModel(QObject):
    """The rows of a whole conversation: first the head, then those of the entries, then the tail.

    The head is what is given to `follow`; the tail is the reply that is being written, and a
    failure. Of the entries only the places are known; `row` builds one when it is asked for.
    `spliced(start, removed, added)` tells of rows that came or went, `touched` of one that is to
    be shown anew; `flushed` follows when all has been told. `asked_changed` comes when an answer is
    asked for, waits for long, begins or is given up. A model follows one player at a time.
    """

    spliced = Signal(int, int, int)
    touched = Signal(int)
    flushed = Signal()
    running_changed = Signal(bool)
    asked_changed = Signal()
    replaced = Signal()  # another conversation, or an emptied one: all rows are new

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._player: CharacterPlayer | None = None
        self._offs: list[Callable[[], None]] = []
        self._conversation = ""
        self._head: list[Row] = []
        self._places = Places()
        self._items: list[Slot | Row] = []
        self._base: tuple[Slot, Row] | None = None
        self._clean: tuple[int, int] | None = None
        self._cache: OrderedDict[tuple[str, int], list[Row]] = OrderedDict()
        self._error: Row | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.flush)
        self._flushed = 0.0
        self._cost = 0.0
        self._running = False
        self._seen = Seen()
        self._live = Live()
        self._asked: Asked | None = None
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self._on_slow)

    # What there is to see

    def __len__(self) -> int:
        return len(self._items)

    def __bool__(self) -> bool:
        return True

    @property
    def slot_count(self) -> int:
        """How many rows the entries have."""
        return len(self._places.slots)

    @property
    def running(self) -> bool:
        """Whether a reply is being written, or is to be as soon as its turn can begin."""
        return self._running

    @property
    def asked(self) -> Asked | None:
        """The answer that was asked for and has not begun."""
        return self._asked

    @property
    def settled(self) -> bool:
        """Whether nothing is waiting to be shown."""
        return not self._running and not self._timer.isActive()

    @property
    def conversation(self) -> str:
        """The id of the conversation that is shown."""
        return self._conversation

    def row(self, at: int) -> Row:
        """Return a row, built when it is not kept; raises IndexError where there is none."""
        found = self._items[at]
        return found if isinstance(found, Row) else self._built(found)

    def slot(self, at: int) -> Slot | None:
        """Return where a row is in the conversation, None for one of head and tail."""
        found = self._items[at]
        return found if isinstance(found, Slot) else None

    def name(self, at: int) -> str:
        """Return what no other row has."""
        return item_name(self._items[at])

    def guess(self, at: int, width: int) -> int:
        """Return about how high a row is, in pixels."""
        found = self._items[at]
        if isinstance(found, Slot):
            return found.guess(width)
        return Slot(found.kind, "", 0, 0, chars=len(found.text), lines=1).guess(width)

    def at_entry(self, index: int) -> int | None:
        """Return the row that an entry is shown in; None where it is not shown."""
        place = self._places.of_entry(index)
        at = len(self._head) + place if place is not None else len(self._items)
        return at if at < len(self._items) else None

    def last_reply_at(self) -> int | None:
        """Return the row at which the last reply ends, of those near the end."""
        for at in range(len(self._items) - 1, max(len(self._head), len(self) - _NEAR) - 1, -1):
            if self._items[at].kind == "reply":
                return at
        return None

    def unfinished_at(self) -> int | None:
        """Return the row of the last reply where it broke off and nothing was asked since."""
        at = None if self._running else self.last_reply_at()
        slot = self.slot(at) if at is not None else None
        if at is None or slot is None or self._places.slots[-1].turn != slot.turn:
            return None
        return at if self.row(at).unfinished else None

    def last_reply(self) -> Row | None:
        """Return what was answered to the last message, whole as far as it is no long one."""
        at = self.last_reply_at()
        row = self._whole(self._items[at]) if at is not None else None
        return row if row is not None and row.turn >= self._places.last_turn else None

    def whole(self, at: int) -> Row:
        """Return a row with all its pieces in one."""
        return self._whole(self._items[at])

    def question(self, index: int | None) -> int | None:
        """Return the user entry at or before an entry, the last one for None."""
        return self._places.question(index)

    def texts(self, start: int = 0, stop: int | None = None) -> list[Row]:
        """Return every row, or those from `start` up to `stop`, each whole, for all of the text."""
        wanted = [item for item in self._items[start:stop] if _begins(item)]
        return [self._whole(item) for item in wanted]

    # What can be done

    def follow(self, player: CharacterPlayer, head: Sequence[Row] = ()) -> None:
        """Show an open player's conversation and its changes, below `head`."""
        self.leave()
        self._player = player
        self._head = list(head)
        handlers: Mapping[str, Callable[[object], None]] = {
            "token": self._on_token,
            "reasoning": self._on_reasoning,
            "turn": self._on_turn,
            "entries": self._on_entries,
            "toolStart": self._on_tool_start,
            "toolCall": self._on_tool_call,
        }
        self._offs = [player.on(name, handler) for name, handler in handlers.items()]
        self._start_over()

    def set_head(self, head: Sequence[Row]) -> None:
        """Show other rows above the conversation, which stays as it is."""
        if list(head) != self._head:
            self._head = list(head)
            self._tell(0)
            self.flushed.emit()

    def leave(self) -> None:
        """Stop following."""
        for off in self._offs:
            off()
        self._offs.clear()
        self._timer.stop()
        self._patience.stop()
        self._player = self._asked = None
        self._set_running(False)

    def show_error(self, text: str, *, retry: bool) -> None:
        """Show a failure below the last row; `retry`: it can be tried again."""
        state: State = "waiting" if retry else ""
        shown = text if len(text) <= _LONGEST_ERROR else f"{text[:_LONGEST_ERROR]}…"
        self._error = Row("error", f"error {time.monotonic()}", (Said(shown),), detail=state)
        self.flush()

    def ask(self, text: str = "") -> Asked:
        """Show that an answer was asked for, to the message `text` if that is a new one."""
        player = self._player
        asked = self._asked = Asked(text, player.conversation_id if player is not None else "")
        self._error = None
        self._patience.start()
        self._set_running(True)
        self.flush()
        self.asked_changed.emit()
        return asked

    def give_up(self, asked: Asked | None) -> None:
        """Show that what was asked for does not come any more; nothing where it has begun."""
        if asked is None or asked is not self._asked:
            return
        self._set_running(False)
        self._asked = None
        self._patience.stop()
        self.flush()
        self.asked_changed.emit()

    def clear_error(self) -> None:
        """Remove the failure."""
        if self._error is not None:
            self._error = None
            self.flush()

    # Events

    def _on_token(self, text: object) -> None:
        self._live.say(str(text))
        self._soon()

    def _on_reasoning(self, text: object) -> None:
        self._live.think(str(text))
        self._soon()

    def _on_turn(self, said: object) -> None:
        assert isinstance(said, Mapping)
        match said["state"]:
            case "started":
                self._begin()
                self._live = Live()
                self._error = None
                self._set_running(True)
            case "finished":
                self._seen.keep_thought(self._places.last_turn, self._live.thought)
                self._live = Live()
                self._set_running(self._asked is not None)
            case state:
                self._live.state = "waiting" if state == "waiting" else "thinking"
                self._live.detail = str(said["detail"])
        self._touch_last_turn()
        self._soon()

    def _on_entries(self, said: object) -> None:
        assert isinstance(said, Mapping)
        start, added = said["start"], said["added"]
        if self._player is None:
            return
        length = len(self._player)
        if self._player.conversation_id != self._conversation or not length:
            self._start_over()
            return
        if self._running:
            roles = {entry.get("role") for entry in self._player.entries(start, start + added)}
            if "assistant" in roles:
                self._live.drop_text()
        self._change(start, length - start - added)
        self._soon()

    def _on_tool_start(self, said: object) -> None:
        assert isinstance(said, Mapping)
        number = said.get("toolCallId")
        if isinstance(number, int):
            self._live.started[number] = time.monotonic()
            self._seen.call_began(number, self._store(said))
        self._live.state = "working"
        self._live.detail = str(said["toolName"])
        self._soon()

    def _on_tool_call(self, said: object) -> None:
        assert isinstance(said, Mapping)
        number = said.get("toolCallId")
        self._seen.call_ended(said, self._live.started, self._store(said))
        if isinstance(number, int) or said.get("parentToolCallId") is not None:
            self._touch_last_turn()
        self._soon()

    # Inside

    def _begin(self) -> None:
        """Let what was asked for be the turn that begins."""
        asked, self._asked = self._asked, None
        self._patience.stop()
        if asked is not None:
            asked.begun = True
            self.asked_changed.emit()

    def _is_at(self, asked: Asked) -> bool:
        return self._player is not None and asked.conversation == self._player.conversation_id

    def _on_slow(self) -> None:
        if self._asked is not None:
            self._asked.slow = True
            self.flush()
            self.asked_changed.emit()

    def _store(self, said: Mapping[str, object]) -> str:
        return self._seen.store(self._player, str(said.get("agentId") or ""))

    def _built(self, slot: Slot) -> Row:
        known = (slot.key, slot.first)
        rows = self._cache.get(known)
        if rows is None:
            rows = self._cache[known] = self._build(slot)
            if len(self._cache) > _KEPT:
                self._cache.popitem(last=False)
        else:
            self._cache.move_to_end(known)
        return rows[min(slot.piece, len(rows) - 1)]

    def _build(self, slot: Slot) -> list[Row]:
        return split_row(self._complete(slot))

    def _complete(self, slot: Slot) -> Row:
        """Return the whole row that a slot is, or is a piece of."""
        made = build_rows(self._read(slot.first, slot.stop))
        row = made[0] if made else Row(slot.kind, slot.key, ())
        marked = replace(
            row, follows=slot.follows, choice=slot.choice, foot=slot.foot, key=slot.key
        )
        return self._seen.complete(marked)

    def _whole(self, item: Slot | Row) -> Row:
        if isinstance(item, Slot):
            return self._complete(item)
        return replace(item, follows=True) if item.piece else item

    def _touch_last_turn(self) -> None:
        """Let the rows of the last turn be built anew: what the window has seen has changed."""
        at = self._places.last_question()
        self._change(self._places.slots[at].first if self._places.slots else 0, 0)

    def _change(self, start: int, behind: int) -> None:
        """Note that entries before `start` and the last `behind` ones are as they were."""
        before, after = self._clean or (start, behind)
        self._clean = (min(before, start), min(after, behind))

    def _start_over(self) -> None:
        if self._asked is not None and not self._is_at(self._asked):
            self._set_running(False)
            self._asked = None
        self._live = Live()
        self._seen = Seen()
        self._error = None
        self._cache.clear()
        self._clean = None
        player = self._player
        self._conversation = player.conversation_id if player is not None else ""
        length = len(player) if player is not None else 0
        self._places = Places(self._index(0, length), length)
        self._items = [*self._head, *self._with_tail()]
        self._timer.stop()
        self.replaced.emit()
        self.flushed.emit()

    def _set_running(self, running: bool) -> None:  # noqa: FBT001
        if running != self._running:
            self._running = running
            self.running_changed.emit(running)

    def _soon(self) -> None:
        if self._timer.isActive():
            return
        waited = (time.monotonic() - self._flushed) * 1000
        frame = max(FRAME_MS, _SHARE * self._cost)
        self._timer.start(max(0, round(frame - waited)))

    def catch_up(self) -> None:
        """Have the rows be those of the entries as they are now; else they may lag by a frame."""
        if self._clean is not None:
            self.flush()

    def flush(self) -> None:
        """Tell now what has changed, without waiting for the frame."""
        self._timer.stop()
        begun = time.monotonic()
        same = self._places.last_question()
        if self._clean is not None and self._player is not None:
            same = self._refresh(*self._clean)
            self._clean = None
        self._tell(len(self._head) + same)
        self.flushed.emit()
        self._flushed = time.monotonic()
        self._cost = (self._flushed - begun) * 1000

    def _tell(self, same: int) -> None:
        """Publish the rows; the first `same` stored ones are as they were, where they are shown."""
        old, new = self._items, [*self._head, *self._with_tail()]
        start = min(same, len(old), len(new))
        most = min(len(old), len(new))
        while start < most and alike(old[start], new[start]):
            start += 1
        end = 0
        while end < most - start and alike(old[-1 - end], new[-1 - end]):
            end += 1
        self._items = new
        removed, added = len(old) - start - end, len(new) - start - end
        while removed and added and item_name(old[start]) == item_name(new[start]):
            self.touched.emit(start)
            start, removed, added = start + 1, removed - 1, added - 1
        if removed or added:
            self.spliced.emit(start, removed, added)
        for slot in self._places.slots[max(0, same - len(self._head)) :]:
            slot.dirty = False

    def _refresh(self, clean: int, behind: int) -> int:
        """Find rows again; returns how many slots stay before them."""
        assert self._player is not None
        low = self._places.refresh(clean, behind, len(self._player), self._index)
        self._cache.clear()
        self._base = None
        return low

    def _with_tail(self) -> list[Slot | Row]:
        """Return the slots, and in the place of the running reply its rows."""
        slots = self._places.slots
        last = slots[-1] if slots else None
        if self._asked is not None:
            return [*slots, *self._asked.rows()]
        if self._running:
            turn = self._player_turn() or 0
            if last and last.kind == "reply" and last.turn == turn and not last.rejected:
                if self._base is None or self._base[0] is not last:
                    self._base = (last, self._complete(last))
                return [*slots[: len(slots) - last.pieces], *self._live.rows(self._base[1])]
            follows = any(_goes_on(slot, turn) for slot in slots[-_NEAR:])
            base = Row("reply", "live", (), turn, follows=follows, foot=True)
            return [*slots, *self._live.rows(base)]
        if self._error is not None:
            return [*slots, self._error]
        if last is not None and last.kind == "user":
            return [*slots, Row("error", "unanswered", (Said(UNANSWERED),))]
        return list(slots)

    def _read(self, start: int, stop: int) -> list[JsonObject]:
        """Return entries; none while the player is at another conversation and has not said so."""
        player = self._player
        if player is None or player.conversation_id != self._conversation:
            return []
        return player.entries(start, stop)

    def _index(self, start: int, stop: int) -> list[Slot]:
        running = self._player_turn() if self._running and self._asked is None else None
        return build_slots(self._read(start, stop), start, running)

    def _player_turn(self) -> int | None:
        """Return the turn that is being answered."""
        if self._player is None or not len(self._player):
            return None
        (last,) = self._player.entries(len(self._player) - 1, len(self._player))
        turn = last.get("turn")
        return turn if isinstance(turn, int) else None


def _goes_on(slot: Slot, turn: int) -> bool:
    return slot.kind == "reply" and slot.turn == turn and not slot.rejected


def _begins(item: Slot | Row) -> bool:
    """Whether the text of a row, whole, is taken from this piece; head and tail have their own."""
    return isinstance(item, Row) or item.piece == 0
