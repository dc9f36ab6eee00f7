"""How the changes of a store are put in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from studio_qt.engine.store_history import StoreChange

__all__ = ["change_words", "count_changes", "sign_of_change", "turn_tip", "turn_words"]

_WORDS = {
    "created": "began with its default",
    "hand": "edited by hand",
    "undo": "put back by an edit of the conversation",
    "reset": "reset to its default",
    "fork": "copied with the fork",
    "outside": "changed by another program",
    "preload": "loaded",
}
_MOST = 4


def sign_of_change(change: StoreChange) -> str:
    """Return what a change did to the text, as one sign."""
    if change.removed and change.inserted:
        return "±"
    return "+" if change.inserted or not change.removed else "−"


def change_words(change: StoreChange) -> str:
    """Say what changed a store: the tool with its call's number, a command, a hook."""
    if change.kind == "tool":
        number = f" #{change.tool_call_id}" if change.tool_call_id else " by hand"
        return f"{change.tool or 'a tool call'}{number}"
    if change.kind in ("command", "hook"):
        return f"{change.kind} {change.cause}"
    return _WORDS[change.kind]


def turn_words(change: StoreChange) -> str:
    """Say when a change was."""
    if not change.turn:
        return "Before turn 1"
    return f"{'After turn' if change.ended else 'Turn'} {change.turn:,}"


def turn_tip(turn: int, changes: Sequence[StoreChange]) -> str:
    """Say what changed in a turn: "Turn 7: store_memory #12, at 21:43, +40 −2 characters"."""
    name = f"Turn {turn:,}" if turn else "Before turn 1"
    if not changes:
        return f"{name}: no change"
    if len(changes) > 1:
        named = ", ".join(change_words(change) for change in changes[:_MOST])
        more = " and more" if len(changes) > _MOST else ""
        return f"{name}, {len(changes)} changes: {named}{more}"
    one = changes[0]
    extent = f"+{one.inserted:,} −{one.removed:,} characters"
    return ", ".join(filter(None, (f"{name}: {change_words(one)}", _time_words(one.time), extent)))


def count_changes(changes: Sequence[StoreChange]) -> str:
    """Say how many changes there are, and in how many turns."""
    if not changes:
        return "no changes yet"
    count, turns = len(changes), len({change.turn for change in changes})
    return (
        f"{count:,} {'change' if count == 1 else 'changes'} in "
        f"{turns:,} {'turn' if turns == 1 else 'turns'}"
    )


def _time_words(time: str) -> str:
    try:
        moment = datetime.fromisoformat(time.replace("Z", "+00:00")).astimezone()
    except ValueError:
        return ""
    return f"at {moment.strftime('%H:%M')}"
