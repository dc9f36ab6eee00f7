"""The command line as real processes, and a small character to call it on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

COUNTER = """
/**
 * @agent test.counter
 * @tool count
 * @tool-description Add to the counter.
 * @tool-params {"type": "object", "properties": {"by": {"type": "integer"}}, "required": ["by"]}
 * @tool explode
 * @tool-description Fail.
 * @command @count countCommand
 */
export function onToolCall(toolName, args, store, studio) {
    if (toolName === "explode") throw new Error("the fuse was too short");
    store.total = (store.total ?? 0) + args.by;
    studio.log(`total ${store.total}`);
    return `total ${store.total}`;
}
export function countCommand(args, store) {
    if (!/^[0-9]+$/.test(args)) return "Give a number.";
    store.total = (store.total ?? 0) + Number(args);
}
"""


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def events(self) -> list[dict]:
        """The lines of stdout as JSON values."""
        return [json.loads(line) for line in self.out.splitlines()]

    def data(self, event: str) -> list:
        """The data of every event of that name, in order."""
        return [line["data"] for line in self.events() if line["event"] == event]


Studio = Callable[..., Done]


@pytest.fixture
def studio() -> Studio:
    """Call `studio-qt` with words and piped lines; waits for its end."""

    def call(*words: object, lines: tuple[str, ...] = ()) -> Done:
        run = subprocess.run(
            [sys.executable, "-m", "studio_qt", *map(str, words)],
            input="".join(f"{line}\n" for line in lines).encode(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        return Done(run.returncode, run.stdout.decode(), run.stderr.decode())

    return call


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen]]:
    """Start `studio-qt` in a process group of its own, with pipes; ends it after the test."""
    running: list[subprocess.Popen] = []

    def start(*words: object, **options: object) -> subprocess.Popen:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        process = subprocess.Popen(
            [sys.executable, "-m", "studio_qt", *map(str, words)],
            start_new_session=True,
            **{**pipes, **options},
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    """A character with an agent of its own that counts."""
    folder = tmp_path / "counter"
    (folder / "agents").mkdir(parents=True)
    config = {"name": "The Counter", "agents": ["test.counter"]}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "instructions.txt").write_text("You count.", encoding="utf-8")
    (folder / "intro.txt").write_text("Shall we count?", encoding="utf-8")
    (folder / "description.txt").write_text("Counts things.", encoding="utf-8")
    (folder / "agents" / "test.counter.js").write_text(COUNTER, encoding="utf-8")
    return folder


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A character without any agent."""
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "config.json").write_text('{"name": "Plain"}', encoding="utf-8")
    (folder / "instructions.txt").write_text("You are plain.", encoding="utf-8")
    return folder
