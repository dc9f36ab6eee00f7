"""`ChatModel`: what the transcript shows, kept up to date from the player's events."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio_qt.jsontext import encode
from studio_qt.ui.chat.rows import Call, Part, Row, Said, State, Thought, Used, build_rows

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["FRAME_MS", "ChatModel"]

FRAME_MS = 33
"""Events reach the view joined, at most once in so many milliseconds."""

_SHARE = 3
"""A frame that took long to draw is followed by a pause of so many times its length."""

CHUNK = 80
"""Entries that are shown at first, and more with each "Show earlier"."""

UNANSWERED = "This message has not been answered."


@dataclass(slots=True)
class _Live:
    """The reply that is being written, as far as it is no entry yet.

    `started` holds when tool calls began, by their toolCallId.
    """

    pieces: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    state: State = "thinking"
    detail: str = ""
    started: dict[int, float] = field(default_factory=dict)

    def after(self, stored: tuple[Part, ...]) -> tuple[Part, ...]:
        """Return what it shows: its thoughts, what is stored already, and the growing text."""
        thought = (Thought("".join(self.thoughts)),) if self.thoughts else ()
        said = (Said("".join(self.pieces)),) if self.pieces else ()
        return (*thought, *stored, *said)


class ChatModel(QObject):
    """Rows of the last part of the conversation, with the reply that is being written.

    `changed` says that `rows` are new. A model follows one player at a time.
    """

    changed = Signal()
    running_changed = Signal(bool)
    replaced = Signal()  # another conversation, or an emptied one

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._player: CharacterPlayer | None = None
        self._offs: list[Callable[[], None]] = []
        self._conversation = ""
        self._first = 0
        self._stored: list[Row] = []
        self._error: Row | None = None
        self._dirty = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._flush)
        self._flushed = 0.0
        self._cost = 0.0
        self._running = False
        self._seconds: dict[int, float] = {}
        self._inner: dict[int, list[Call]] = {}
        self._thought: dict[int, str] = {}
        self._live = _Live()

    # What there is to see

    @property
    def rows(self) -> list[Row]:
        """The rows, oldest first; the running reply and a failure last."""
        rows = self._with_live(list(self._stored)) if self._running else list(self._stored)
        if self._error is not None:
            rows.append(self._error)
        elif rows and not self._running and rows[-1].kind == "user":
            rows.append(Row("error", "unanswered", (Said(UNANSWERED),), state=""))
        return rows

    @property
    def running(self) -> bool:
        """Whether a reply is being written."""
        return self._running

    @property
    def earlier(self) -> int:
        """How many entries before the first row are not shown."""
        return self._first

    @property
    def settled(self) -> bool:
        """Whether nothing is waiting to be shown."""
        return not self._running and not self._timer.isActive()

    # What can be done

    def follow(self, player: CharacterPlayer) -> None:
        """Show an open player's conversation and its changes."""
        self.leave()
        self._player = player
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

    def leave(self) -> None:
        """Stop following."""
        for off in self._offs:
            off()
        self._offs.clear()
        self._timer.stop()
        self._player = None
        self._set_running(False)

    def show_earlier(self) -> None:
        """Take in another stretch of earlier entries."""
        self._first = self._boundary(self._first - CHUNK)
        self._dirty = True
        self._flush()

    def show_error(self, text: str, *, retry: bool) -> None:
        """Show a failure below the last row; `retry`: it can be tried again."""
        state: State = "waiting" if retry else ""
        self._error = Row("error", f"error {time.monotonic()}", (Said(text),), detail=state)
        self._flush()

    def clear_error(self) -> None:
        """Remove the failure."""
        if self._error is not None:
            self._error = None
            self._flush()

    # Events

    def _on_token(self, text: object) -> None:
        self._live.pieces.append(str(text))
        self._live.state = "writing"
        self._soon()

    def _on_reasoning(self, text: object) -> None:
        self._live.thoughts.append(str(text))
        self._live.state = "thinking"
        self._soon()

    def _on_turn(self, said: object) -> None:
        assert isinstance(said, Mapping)
        match said["state"]:
            case "started":
                self._live = _Live()
                self._error = None
                self._set_running(True)
            case "finished":
                self._keep_thoughts()
                self._live = _Live()
                self._set_running(False)
            case state:
                self._live.state = "waiting" if state == "waiting" else "thinking"
                self._live.detail = str(said["detail"])
        self._dirty = True
        self._soon()

    def _on_entries(self, said: object) -> None:
        assert isinstance(said, Mapping)
        start, removed, added = said["start"], said["removed"], said["added"]
        if self._player is None:
            return
        if self._player.conversation_id != self._conversation or not len(self._player):
            self._start_over()
            return
        if removed == 0:
            roles = {entry.get("role") for entry in self._player.entries(start, start + added)}
            if "assistant" in roles:
                self._live.pieces.clear()
        self._dirty = True
        self._soon()

    def _on_tool_start(self, said: object) -> None:
        assert isinstance(said, Mapping)
        number = said.get("toolCallId")
        if isinstance(number, int):
            self._live.started[number] = time.monotonic()
        self._live.state = "working"
        self._live.detail = str(said["toolName"])
        self._soon()

    def _on_tool_call(self, said: object) -> None:
        assert isinstance(said, Mapping)
        number, parent = said.get("toolCallId"), said.get("parentToolCallId")
        if isinstance(parent, int):
            self._inner.setdefault(parent, []).append(_inner_call(said))
        elif isinstance(number, int) and number in self._live.started:
            self._seconds[number] = time.monotonic() - self._live.started.pop(number)
        self._dirty = True
        self._soon()

    # Inside

    def _keep_thoughts(self) -> None:
        if self._live.thoughts:
            self._thought[self._turn()] = "".join(self._live.thoughts)

    def _turn(self) -> int:
        return next((row.turn for row in reversed(self._stored) if row.kind == "user"), 0)

    def _start_over(self) -> None:
        self._live = _Live()
        self._seconds.clear()
        self._inner.clear()
        self._thought.clear()
        self._error = None
        self._conversation = self._player.conversation_id if self._player is not None else ""
        self._first = self._boundary(self._length() - CHUNK)
        self._dirty = True
        self.replaced.emit()
        self._flush()

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

    def _flush(self) -> None:
        self._timer.stop()
        begun = time.monotonic()
        if self._dirty and self._player is not None:
            self._dirty = False
            self._first = min(self._first, self._length())
            stored = build_rows(self._player.entries(self._first, self._length()))
            self._stored = [self._timed(row) for row in stored]
        self.changed.emit()
        self._flushed = time.monotonic()
        self._cost = (self._flushed - begun) * 1000

    def _length(self) -> int:
        return len(self._player) if self._player is not None else 0

    def _boundary(self, index: int) -> int:
        """Return the place of the user entry at or before `index`, at most one chunk back."""
        index = max(index, 0)
        if self._player is None or index == 0:
            return 0
        low = max(index - CHUNK, 0)
        entries = self._player.entries(low, index + 1)
        back = (at for at in range(len(entries) - 1, -1, -1) if entries[at].get("role") == "user")
        return low + next(back, 0)

    def _with_live(self, rows: list[Row]) -> list[Row]:
        """Return the rows with the running reply at their end."""
        turn = self._turn()
        last = rows[-1] if rows else None
        state, detail = self._live.state, self._live.detail
        if last and last.kind == "reply" and last.turn == turn and not last.rejected:
            rows[-1] = replace(last, parts=self._live.after(last.parts), state=state, detail=detail)
        else:
            follows = any(_goes_on(row, turn) for row in rows)
            parts = self._live.after(())
            live = Row("reply", "live", parts, turn, follows=follows, state=state, detail=detail)
            rows.append(live)
        return rows

    def _timed(self, row: Row) -> Row:
        """Return a row with what this window has seen of its calls: durations, inner calls."""
        parts: list[Part] = [
            Used(tuple(self._timed_call(call) for call in part.calls))
            if isinstance(part, Used)
            else part
            for part in row.parts
        ]
        if row.kind == "reply" and not row.follows and row.turn in self._thought:
            parts.insert(0, Thought(self._thought[row.turn]))
        return replace(row, parts=tuple(parts))

    def _timed_call(self, call: Call) -> Call:
        if call.number is None:
            return call
        inner = call.inner or tuple(self._inner.get(call.number, ()))
        return replace(call, seconds=self._seconds.get(call.number), inner=inner)


def _goes_on(row: Row, turn: int) -> bool:
    return row.kind == "reply" and row.turn == turn and not row.rejected


def _inner_call(said: Mapping[str, object]) -> Call:
    number = said.get("toolCallId")
    arguments: object = said.get("args") or {}
    return Call(
        name=str(said["toolName"]),
        arguments=encode(arguments),
        result=str(said["result"]),
        agent=str(said["agentId"]),
        number=number if isinstance(number, int) else None,
    )
