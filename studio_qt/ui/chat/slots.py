"""Where the rows of a transcript are in a conversation, without building them. No Qt in here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from studio_qt.jsontext import JsonObject, encode
from studio_qt.ui.chat.pieces import LARGE, cut_text
from studio_qt.ui.chat.rows import Kind

__all__ = ["Slot", "build_slots"]

_LINE = 20
_BASE = {"user": 66, "reply": 62, "log": 60, "error": 60, "about": 160}


@dataclass(slots=True, eq=False)
class Slot:
    """One row: the entries that it is made of, and what is known without building it.

    `first` and `stop` are positions in the conversation; `stop` takes in the results of its
    calls. A long row is several slots, `piece` of `pieces`. `choice` is (which, of how many)
    responses of its turn it shows; `foot` marks the row under which they are chosen. `chars` and
    `lines` guess how high it is.
    """

    kind: Kind
    key: str
    first: int
    stop: int
    turn: int = 0
    rejected: bool = False
    follows: bool = False
    response: object = None
    choice: tuple[int, int] = (0, 1)
    foot: bool = False
    chars: int = 0
    lines: int = 0
    tools: bool = False
    piece: int = 0
    pieces: int = 1
    dirty: bool = field(default=True)

    @property
    def name(self) -> str:
        """What no other row has: the key, and which piece of it this is."""
        return f"{self.key}/{self.piece}" if self.piece else self.key

    def same(self, other: Slot) -> bool:
        """Whether another slot shows the same, wherever it is in the conversation."""
        return self._face() == other._face()

    def guess(self, width: int) -> int:
        """Return about how high it is at a width, in pixels."""
        lines = max(self.lines, self.chars * 8 // max(width, 80))
        base = _BASE[self.kind] if not self.piece else 10
        return base + lines * _LINE + (28 if self.tools else 0)

    def _face(self) -> tuple[object, ...]:
        return (
            self.kind,
            self.key,
            self.stop - self.first,
            self.rejected,
            self.follows,
            self.choice,
            self.foot,
            self.chars,
            self.piece,
            self.pieces,
        )


def build_slots(
    entries: Sequence[JsonObject], first: int, running: int | None = None
) -> list[Slot]:
    """Return the slots of a stretch of entries that begins at a turn, at position `first`.

    Replies that were put aside have none where their turn has another reply, or is `running`; of
    several that were all put aside the last one stays (PERS-05).
    """
    shown = _shown(entries, running)
    slots: list[Slot] = []
    for at, entry in enumerate(entries):
        turn = _number(entry.get("turn"))
        match entry.get("role"):
            case "user" | "log" as role:
                if text := _text(entry):
                    slots.append(
                        _slot("user" if role == "user" else "log", entry, first + at, text)
                    )
            case "assistant" if not entry.get("rejected") or shown.get(turn) == _response(entry):
                _reply(slots, entry, first + at)
            case "tool":
                _result(slots, entry, first + at)
    return _whole(slots, _choices(entries))


def _reply(slots: list[Slot], entry: JsonObject, at: int) -> None:
    """Add an entry of the model, to the reply before it where it goes on."""
    text, tools = _text(entry), isinstance(entry.get("tool_calls"), list)
    if not text and not (tools and entry["tool_calls"]):
        return
    slot = _slot("reply", entry, at, text)
    slot.tools = tools
    last = slots[-1] if slots else None
    if last and last.kind == "reply" and last.turn == slot.turn and last.rejected == slot.rejected:
        last.stop = at + 1
        last.chars += slot.chars
        last.lines += slot.lines
        last.pieces += slot.pieces - 1
        last.tools = last.tools or slot.tools
        return
    spoken = next((one for one in reversed(slots) if one.kind != "log"), None)
    slot.follows = spoken is not None and spoken.kind == "reply" and spoken.turn == slot.turn
    slots.append(slot)


def _result(slots: list[Slot], entry: JsonObject, at: int) -> None:
    """Let the reply that asked for a result reach to it."""
    turn, rejected = _number(entry.get("turn")), bool(entry.get("rejected"))
    for slot in reversed(slots):
        if slot.kind != "log":
            if slot.kind == "reply" and slot.turn == turn and slot.rejected == rejected:
                slot.stop = max(slot.stop, at + 1)
            return


def _slot(kind: Kind, entry: JsonObject, at: int, text: str) -> Slot:
    return Slot(
        kind,
        str(entry.get("id", "")) or f"at{at}",
        at,
        at + 1,
        turn=_number(entry.get("turn")),
        rejected=bool(entry.get("rejected")),
        response=_response(entry),
        chars=len(text),
        lines=text.count("\n") + 1,
        pieces=len(cut_text(text)) if len(text) > LARGE else 1,
    )


def _whole(slots: list[Slot], choices: dict[int, list[object]]) -> list[Slot]:
    """Mark the last row of each reply, and make several slots of long ones."""
    feet: set[int] = set()
    for slot in reversed(slots):
        if slot.kind == "reply" and slot.turn not in feet:
            feet.add(slot.turn)
            slot.foot = True
            made = choices.get(slot.turn, [])
            if len(made) > 1 and slot.response in made:
                slot.choice = (made.index(slot.response), len(made))
    if all(slot.pieces == 1 for slot in slots):
        return slots
    return [piece for slot in slots for piece in _split(slot)]


def _split(slot: Slot) -> list[Slot]:
    if slot.pieces == 1:
        return [slot]
    return [
        Slot(
            slot.kind,
            slot.key,
            slot.first,
            slot.stop,
            turn=slot.turn,
            rejected=slot.rejected,
            follows=slot.follows,
            response=slot.response,
            choice=slot.choice,
            foot=slot.foot,
            tools=slot.tools and piece == 0,
            piece=piece,
            pieces=slot.pieces,
            chars=slot.chars // slot.pieces,
            lines=slot.lines // slot.pieces,
        )
        for piece in range(slot.pieces)
    ]


def _shown(entries: Sequence[JsonObject], running: int | None) -> dict[int, object]:
    """Return which of the responses put aside each turn shows: the last, where none is active."""
    shown: dict[int, object] = {}
    active = {running}
    for entry in entries:
        if entry.get("role") == "assistant":
            turn = _number(entry.get("turn"))
            shown[turn] = _response(entry)
            if not entry.get("rejected"):
                active.add(turn)
    return {turn: response for turn, response in shown.items() if turn not in active}


def _choices(entries: Sequence[JsonObject]) -> dict[int, list[object]]:
    """Return the responses of the turns that have several, in the order made."""
    found: dict[int, list[object]] = {}
    for entry in entries:
        if entry.get("role") in ("assistant", "tool"):
            made = found.setdefault(_number(entry.get("turn")), [])
            if (response := _response(entry)) not in made:
                made.append(response)
    return found


def _response(entry: JsonObject) -> object:
    return entry.get("response", bool(entry.get("rejected")))


def _number(turn: object) -> int:
    return turn if isinstance(turn, int) else 0


def _text(entry: JsonObject) -> str:
    content = entry.get("content")
    if isinstance(content, str):
        return content
    return "" if content is None else encode(content)
