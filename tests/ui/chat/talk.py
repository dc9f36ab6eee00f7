"""A conversation without a player behind it, for models and views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Entry = dict[str, Any]


class Talk:
    """Has entries, says what changes, as a player does."""

    def __init__(self, entries: list[Entry] | None = None) -> None:
        self.conversation_id = "conversation_01"
        self.kept = list(entries or [])
        self._heard: dict[str, list[Callable[[object], None]]] = {}
        self._made = len(self.kept)

    def __len__(self) -> int:
        return len(self.kept)

    def __bool__(self) -> bool:
        return True

    def entries(self, start: int, stop: int) -> list[Entry]:
        return [dict(entry) for entry in self.kept[start:stop]]

    def store_text(self, _agent: str) -> str:
        return "{}"

    def on(self, name: str, heard: Callable[[object], None]) -> Callable[[], None]:
        listeners = self._heard.setdefault(name, [])
        listeners.append(heard)
        return lambda: listeners.remove(heard)

    def say(self, name: str, payload: object) -> None:
        for heard in tuple(self._heard.get(name, ())):
            heard(payload)

    def turn(self, state: str) -> None:
        self.say("turn", {"state": state, "stopped": False, "detail": ""})

    def entry(self, role: str, content: str, turn: int, **more: Any) -> Entry:
        self._made += 1
        return {"id": f"n{self._made}", "role": role, "content": content, "turn": turn, **more}

    def replace(self, start: int, stop: int, fresh: list[Entry]) -> None:
        self.kept[start:stop] = fresh
        self.say("entries", {"start": start, "removed": stop - start, "added": len(fresh)})

    def append(self, entry: Entry) -> None:
        self.replace(len(self), len(self), [entry])


def long_talk(messages: int, words: str = "Some words of a message. ") -> Talk:
    """Return a talk of questions and replies of different lengths."""
    return Talk(
        [
            {
                "id": f"e{at}",
                "turn": at // 2 + 1,
                "role": "assistant" if at % 2 else "user",
                "content": f"{('question', 'reply')[at % 2]} {at // 2}. {words * (at * 7 % 23)}",
            }
            for at in range(messages)
        ]
    )
