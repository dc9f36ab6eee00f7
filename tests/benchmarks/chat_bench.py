"""What a long conversation costs the window: opening, memory, streaming, scrolling."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # the checkout, for `tests`

Figures = dict[str, float]

_MESSAGES = 10_000
_SAID = (
    "*She counts the rope by feel.* “Forty and a little over.” Then she looks **up**, and waits."
)


async def bench() -> Figures:
    """Run in a process of its own, which has a QApplication."""
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, str(Path(__file__))],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


class Talk:
    """Stands for a player with a conversation, so that nothing but the window is measured."""

    conversation_id = "conversation_01"

    def __init__(self, messages: int) -> None:
        self._entries = [
            {
                "id": f"e{at}",
                "turn": at // 2 + 1,
                "role": "assistant" if at % 2 else "user",
                "content": f"{at}. {_SAID} {'And so on. ' * (at * 7 % 40)}",
            }
            for at in range(messages)
        ]
        self._heard: dict[str, Callable[[object], None]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def entries(self, start: int, stop: int) -> list[dict[str, object]]:
        """Return copies, as a player does."""
        return [dict(entry) for entry in self._entries[start:stop]]

    def on(self, name: str, heard: Callable[[object], None]) -> Callable[[], None]:
        """Take a listener."""
        self._heard[name] = heard
        return lambda: None

    def say(self, name: str, payload: object) -> None:
        """Tell the listener."""
        self._heard[name](payload)

    def append(self, entry: dict[str, object]) -> None:
        """Add an entry, and tell of it."""
        self._entries.append(entry)
        self.say("entries", {"start": len(self) - 1, "removed": 0, "added": 1})


def _memory() -> float:
    import psutil

    return psutil.Process().memory_info().rss / 1e6


def _measure() -> Figures:
    from PySide6.QtCore import QEventLoop
    from PySide6.QtWidgets import QApplication

    from studio_qt.ui.chat.model import ChatModel
    from studio_qt.ui.chat.view import ChatView
    from studio_qt.ui.theme.theme import Theme

    app = QApplication([])
    theme = Theme("dark")
    theme.apply()

    def turn() -> None:
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)

    model = ChatModel()
    view = ChatView(theme, model)
    view.set_name("Ada Byron")
    view.resize(560, 860)
    view.show()
    model.follow(Talk(40))  # type: ignore[arg-type]
    turn()
    talk = Talk(_MESSAGES)
    before = _memory()
    begun = time.perf_counter()
    model.follow(talk)  # type: ignore[arg-type]
    turn()
    opened = 1000 * (time.perf_counter() - begun)
    steps, bar = [], view.verticalScrollBar()
    for _ in range(300):
        begun = time.thread_time()
        bar.setValue(bar.value() - 60)
        turn()
        steps.append(1000 * (time.thread_time() - begun))
    grown = _memory() - before
    jumps = []
    for at in range(30):
        begun = time.perf_counter()
        bar.setValue(bar.maximum() * at // 30)
        turn()
        jumps.append(1000 * (time.perf_counter() - begun))
    view.go_to_end()
    figures = {
        "chat_open_10000_ms": opened,
        "chat_memory_10000_mb": grown,
        "chat_scroll_step_ms": statistics.median(steps),
        "chat_scroll_step_p95_ms": statistics.quantiles(steps, n=20)[-1],
        "chat_jump_ms": statistics.median(jumps),
    }
    figures["chat_token_ms"] = _tokens(talk, model, turn, ["so ", "it ", "goes.", "\n\n"], 4_000)
    figures["chat_token_one_word_ms"] = _tokens(talk, model, turn, ["abcdefgh" * 16], 4_000)
    begun = time.perf_counter()
    for at in range(5_000):
        talk.append({"id": f"l{at}", "turn": 1, "role": "log", "content": f"line {at}"})
    while not model.settled:
        turn()
    figures["chat_log_flood_line_ms"] = 1000 * (time.perf_counter() - begun) / 5_000
    return figures


def _tokens(
    talk: Talk, model: object, turn: Callable[[], None], words: list[str], count: int
) -> float:
    """Return what a token costs the window's thread in time of the processor, drawing included."""
    number = len(talk)
    talk.append({"id": f"u{number}", "turn": 9_000 + number, "role": "user", "content": "Go on."})
    talk.say("turn", {"state": "started", "stopped": False, "detail": ""})
    spent, last = 0.0, time.perf_counter()
    for at in range(count):
        while time.perf_counter() - last < 0.002:  # 500 tokens a second
            begun = time.thread_time()
            turn()
            worked = time.thread_time() - begun
            spent += worked if worked > 2e-4 else 0  # looking for events is no work
        last, begun = time.perf_counter(), time.thread_time()
        talk.say("token", words[at % len(words)])
        spent += time.thread_time() - begun
    talk.append({"id": f"r{number}", "turn": 9_000 + number, "role": "assistant", "content": "x"})
    talk.say("turn", {"state": "finished", "stopped": False, "detail": ""})
    while not model.settled:  # type: ignore[attr-defined]
        turn()
    return 1000 * spent / count


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ["STUDIO_QT_HOME"] = home
        print(json.dumps(_measure()))
