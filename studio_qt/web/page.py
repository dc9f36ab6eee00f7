"""A page's readable text, extracted in a process that is killed when it takes too long."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from studio_qt.errors import AgentError
from studio_qt.jsontext import decode_object

__all__ = ["Page", "read_page"]

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from studio_qt.web.child import main; main()"
)
_KEPT_VARIABLES = ("SYSTEMROOT", "WINDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_LONGEST_ANSWER = 1 << 20
_TOO_HARD = "The page could not be read: it is too long or too tangled to make text of it."


@dataclass(frozen=True, slots=True)
class Page:
    """What is readable of a page; `truncated` when the text was cut."""

    title: str | None
    text: str
    truncated: bool


async def read_page(markup: str, limit: int, *, seconds: float = 5) -> Page:
    """Return title and text of HTML, at most `limit` characters; raises AgentError on failure."""
    process = _Process(markup, limit, seconds)
    try:
        async with asyncio.timeout(seconds):
            answer = await asyncio.to_thread(process.run)
    except TimeoutError as error:
        raise AgentError(_TOO_HARD) from error
    except OSError as error:
        raise AgentError(f"The page could not be read: no process for it ({error}).") from error
    finally:
        process.kill()
    return _page(answer)


def _page(answer: bytes) -> Page:
    try:
        found = decode_object(answer)
        title, text = found["title"], found["text"]
        return Page(title if isinstance(title, str) else None, str(text), bool(found["truncated"]))
    except (ValueError, KeyError) as error:  # it was ended by its own limits
        raise AgentError(_TOO_HARD) from error


class _Process:
    """The process of one page; `run` blocks on a thread, `kill` ends it from the loop."""

    def __init__(self, markup: str, limit: int, seconds: float) -> None:
        head = json.dumps({"limit": limit, "seconds": seconds})
        self._data = f"{head}\n{markup}".encode("utf-8", "replace")
        self._guard = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False

    def run(self) -> bytes:
        """Return what the process wrote, b"" when it was killed; raises OSError without one."""
        with self._guard:
            if self._killed:
                return b""
            self._process = process = _start()
        with process:
            try:
                answer = _exchange(process, self._data)
            finally:
                process.kill()
        return answer

    def kill(self) -> None:
        """End the process at once, or see to it that it never starts; twice is harmless."""
        with self._guard:
            self._killed = True
            if self._process is not None:
                self._process.kill()


def _exchange(process: subprocess.Popen[bytes], data: bytes) -> bytes:
    if process.stdin is None or process.stdout is None:
        return b""
    try:
        process.stdin.write(data)
        process.stdin.close()
    except OSError:  # it has died already; what it wrote says nothing
        return b""
    return process.stdout.read(_LONGEST_ANSWER)


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        _command(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
        start_new_session=True,  # Ctrl-C in a terminal is for the application alone
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _command() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, "--page-reader"]
    path = [str(Path(entry).absolute()) for entry in sys.path if entry]
    return [sys.executable, "-I", "-c", _BOOT, json.dumps(path)]
