"""Ctrl-C: stops a reply and keeps what has come; at the prompt it leaves."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import select
import signal
import socket
import sys
import time
from itertools import chain
from pathlib import Path

import pytest

from studio_qt.terminal.prompt import interruptible

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


@pytest.mark.parametrize("start", [signal.SIG_DFL, signal.SIG_IGN], ids=["usual", "ignored"])
def test_ctrl_c_in_a_terminal_stops_first_and_leaves_at_the_prompt(
    plain: Path, started, start: signal.Handlers
) -> None:
    import pty

    def take_terminal() -> None:
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, start)  # a shell has what it starts with & ignore it

    terminal, side = pty.openpty()
    process = started("play", plain, stdin=side, stdout=side, stderr=side, preexec_fn=take_terminal)
    os.close(side)
    screen = _Screen(terminal)
    screen.wait("> ")
    os.write(terminal, b"[[slow 60]] [[say aaa bbb ccc ddd eee fff ggg hhh]]\n")
    screen.wait("\naaa")
    os.write(terminal, b"\x03")
    screen.wait("(stopped)")
    screen.wait("> ")
    os.write(terminal, b"\x03")
    assert process.wait(30) == 0
    os.close(terminal)


def test_ctrl_c_that_comes_before_a_prompt_waits_is_heard() -> None:
    ours, its = socket.socketpair()
    press = map(ctypes.CDLL(None)["raise"], [signal.SIGINT])
    wait = map(functools.partial(os.read, ours.fileno()), [1])
    with ours, its, pytest.raises(KeyboardInterrupt), interruptible():
        sum(chain(press, wait))  # as in `input`, nothing looks for Ctrl-C between the two
