"""Ctrl-C: stops a reply and keeps what has come; at the prompt it leaves."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="uses process groups and a pty")


def _read_until(process, event: str) -> dict:
    """Return the data of the next event of that name; others are passed over."""
    for line in process.stdout:
        said = json.loads(line)
        if said["event"] == event:
            return said["data"]
    raise AssertionError(f"no {event}: {process.stderr.read().decode()}")


@pytest.mark.clause("LOOP-07")
def test_ctrl_c_stops_a_reply_and_the_talk_goes_on(plain: Path, started) -> None:
    process = started("play", plain, "--json")
    process.stdin.write(b"[[slow 60]] [[say one two three four five six seven eight]]\n")
    process.stdin.flush()
    _read_until(process, "token")
    os.killpg(process.pid, signal.SIGINT)
    assert _read_until(process, "turn") == {"state": "finished", "stopped": True, "detail": ""}
    process.stdin.write(b"[[say Still here.]]\n")
    process.stdin.close()
    process.stdin = None
    assert _read_until(process, "message")["content"] == "Still here."
    assert process.wait(60) == 0
    stored = json.loads((plain / "conversations" / "conversation_01.json").read_text("utf-8"))
    cut = next(entry for entry in stored["messages"] if entry.get("stopped"))
    assert "one two three".startswith(cut["content"].strip()[:3])


def test_ctrl_c_reaches_no_agent(counter: Path, started) -> None:
    agent = counter / "agents" / "test.counter.js"
    source = agent.read_text(encoding="utf-8").replace("return `total", "return `call ${++calls}:")
    agent.write_text(source + "\nlet calls = 0;\n", encoding="utf-8")
    process = started("play", counter, "--json")
    process.stdin.write(b'[[call count {"by": 1}]] [[slow 60]] [[say one two three four five]]\n')
    process.stdin.flush()
    assert _read_until(process, "toolCall")["result"].startswith("call 1:")
    _read_until(process, "token")
    os.killpg(process.pid, signal.SIGINT)
    process.stdin.write(b'[[call count {"by": 1}]]\n')
    process.stdin.close()
    process.stdin = None
    assert _read_until(process, "toolCall")["result"].startswith("call 2:")
    assert process.wait(60) == 0


class _Screen:
    """What came out of a terminal and has not been waited for yet."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._seen = ""

    def wait(self, wanted: str) -> None:
        deadline = time.monotonic() + 30
        while wanted not in self._seen:
            assert time.monotonic() < deadline, self._seen
            if select.select([self._terminal], [], [], 0.1)[0]:
                self._seen += os.read(self._terminal, 4096).decode(errors="replace")
        self._seen = self._seen.partition(wanted)[2]


def test_ctrl_c_in_a_terminal_stops_first_and_leaves_at_the_prompt(plain: Path, started) -> None:
    import pty

    terminal, side = pty.openpty()
    process = started(
        "play", plain, stdin=side, stdout=side, stderr=side, preexec_fn=_take_terminal
    )
    os.close(side)
    screen = _Screen(terminal)
    screen.wait("> ")
    os.write(terminal, b"[[slow 60]] [[say aaa bbb ccc ddd eee fff ggg hhh]]\n")
    screen.wait("\naaa")
    os.write(terminal, b"\x03")
    screen.wait("(stopped)")
    screen.wait("> ")
    assert _interrupted_at_the_prompt(process, terminal) == 0
    os.close(terminal)


def _interrupted_at_the_prompt(process, terminal: int) -> int:
    """Press Ctrl-C until it is heard: between showing a prompt and waiting, it is not."""
    for _ in range(10):
        os.write(terminal, b"\x03")
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(4)
    raise AssertionError("Ctrl-C did not end the program")


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
