"""Kills a process that edits and saves, again and again, and looks at what is left.

The child (`python -m tests.support.edit_killing FOLDER SEED`) has an application, a qasync loop and
open documents without a window. Each edit is a function of the seed, the file and its number
alone, so that the parent knows every text that there ever was. After the kill each file in the
project must hold one of them, whole, and what comes back as the unsaved text must be at least as
new as the last edit that was acknowledged two seconds before.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio_qt.files.encoding import decode_text
from studio_qt.ui.documents.unsaved import UnsavedStore
from studio_qt.ui.keeping import project_memory

if TYPE_CHECKING:
    from studio_qt.ui.documents.document import Document

__all__ = ["kill_edits"]

SAFE_SECONDS = 2.0
FILES = {"a.txt": b"one\r\ntwo\nthree\r\n", "agents/b.js": b"x = 1\n" * 4000, "c.md": b""}
_SNIPPETS = ["x", "\n", "wörds and 😀 ", "line\nline\n", "\u2029", "-" * 2000]


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `text` at a place, or take `removed` characters away from there."""

    place: int
    removed: int
    text: str


@dataclass(frozen=True, slots=True)
class Start:
    """What a round begins with: the texts that come back, and what the disk has."""

    seed: int
    texts: dict[str, str]
    disk: dict[str, str]


def edit(seed: int, path: str, number: int, length: int) -> Edit:
    """Return what edit `number` of a file with `length` characters is."""
    chance = random.Random(f"{seed} {path} {number}")
    place = chance.randint(0, length)
    if length > 30_000 or chance.random() < 0.2:
        return Edit(place, min(length - place, chance.randint(1, 3000)), "")
    return Edit(place, 0, chance.choice(_SNIPPETS))


def apply(text: str, change: Edit) -> str:
    """Return the text after an edit."""
    return text[: change.place] + change.text + text[change.place + change.removed :]


def kill_edits(place: Path, rounds: int, seed: int) -> tuple[int, float]:
    """Edit and kill `rounds` times in one project; returns acknowledged edits and the worst loss.

    The loss is in seconds: the age of the oldest acknowledged edit that did not come back. Raises
    AssertionError with the round where more than two seconds were lost or a file was damaged.
    """
    chance = random.Random(seed)
    project = place / "project"
    for path, data in FILES.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(data)
    edits, worst = 0, 0.0
    for number in range(rounds):
        start = Start(seed + number, recovered(project), _all_on_disk(project))
        try:
            lines, killed = _edit_and_kill(project, start.seed, chance)
            loss = _check(project, start, lines, killed)
        except AssertionError as error:
            raise AssertionError(f"round {number} of seed {seed}: {error}") from error
        edits, worst = edits + len(lines) - 1, max(worst, loss)
    return edits, worst


def recovered(project: Path) -> dict[str, str]:
    """Return the text of each file as the next start has it: unsaved where there is a copy."""
    copies, broken = UnsavedStore(project_memory(project) / "unsaved").read()
    assert broken == []
    unsaved = {copy.path: copy.text for copy in copies}
    return {path: unsaved.get(path, _on_disk(project, path)) for path in FILES}


def _all_on_disk(project: Path) -> dict[str, str]:
    return {path: _on_disk(project, path) for path in FILES}


def _on_disk(project: Path, path: str) -> str:
    return decode_text((project / path).read_bytes(), path).text


def _edit_and_kill(project: Path, seed: int, chance: random.Random) -> tuple[list[dict], float]:
    command = [sys.executable, "-m", "tests.support.edit_killing", str(project), str(seed)]
    lines: list[bytes] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as child:
        assert child.stdout is not None
        lines.append(child.stdout.readline())
        until = time.monotonic() + chance.uniform(0.0, 4.0)
        for line in child.stdout:
            lines.append(line)
            if time.monotonic() >= until:
                break
        while time.monotonic() < until + chance.random() * 0.01:
            pass
        killed = time.monotonic()
        child.kill()
        lines += child.stdout.readlines()
    return [json.loads(line) for line in lines if line.endswith(b"\n")], killed


def _check(project: Path, start: Start, lines: list[dict], killed: float) -> float:
    """Return the seconds of unsaved text that are lost."""
    assert lines, "the child said nothing"
    assert lines[0]["texts"] == {path: _mark(text) for path, text in start.texts.items()}
    assert "conflict" not in lines[0]["states"]
    assert lines[0]["leftovers"] == [], "a save that was killed left something for good"
    files = {entry.name for entry in project.rglob("*") if entry.is_file()}
    assert {name for name in files if not name.endswith(".tmp")} == {Path(p).name for p in FILES}
    now, loss = recovered(project), 0.0
    for path in FILES:
        acks = [line for line in lines[1:] if line["path"] == path]
        marks = _marks(start, path, len(acks) + 1)
        assert [ack["text"] for ack in acks] == marks[1 : len(acks) + 1], path
        whole = {_mark(start.disk[path]), *marks}
        assert _mark(_on_disk(project, path)) in whole, f"{path} is damaged"
        found = [at for at, mark in enumerate(marks) if mark == _mark(now[path])]
        assert found, f"what came back of {path} was never typed"
        loss = max([loss, *(killed - ack["time"] for ack in acks[found[-1] :])])
    assert loss <= SAFE_SECONDS, f"{loss:.2f} s of unsaved text are lost"
    return loss


def _marks(start: Start, path: str, count: int) -> list[str]:
    """Return the marks of the texts that a file had, and of those that it may just have got."""
    texts = [start.texts[path]]
    for number in range(count):
        texts.append(apply(texts[-1], edit(start.seed, path, number, len(texts[-1]))))
    return [_mark(text) for text in texts]


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _say(**line: object) -> None:
    os.write(1, json.dumps(line).encode() + b"\n")


def _child(folder: str, seed: str) -> None:
    from PySide6.QtWidgets import QApplication
    from qasync import QEventLoop

    app = QApplication([])
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    loop.run_until_complete(_edit(Path(folder), int(seed)))


async def _edit(project: Path, seed: int) -> None:
    from studio_qt.ui.documents.documents import Documents
    from studio_qt.ui.tasks import Tasks

    documents = Documents(Tasks())
    await documents.set_project(project)
    opened = {path: await documents.open(path) for path in FILES}
    _say(
        texts={path: _mark(document.plain) for path, document in opened.items()},
        leftovers=[place.name for place in project.rglob("*.tmp")],
        states=[document.state for document in opened.values()],
    )
    chance, counts = random.Random(seed), dict.fromkeys(FILES, 0)
    while True:
        path = chance.choice(list(FILES))
        document = opened[path]
        _type(document, edit(seed, path, counts[path], len(document.plain)))
        counts[path] += 1
        _say(path=path, text=_mark(document.plain), time=time.monotonic())
        await asyncio.sleep(chance.choice([0, 0, 0.01, 0.05, 0.3]))
        if chance.random() < 0.15:
            await documents.save(document)
        if chance.random() < 0.1:
            await documents.files_changed(frozenset())


def _type(document: Document, change: Edit) -> None:
    from PySide6.QtGui import QTextCursor

    from studio_qt.ui.documents.plain import to_document, utf16_length

    text = document.plain
    cursor = QTextCursor(document.text)
    end = change.place + change.removed
    cursor.setPosition(utf16_length(to_document(text[: change.place])))
    cursor.setPosition(utf16_length(to_document(text[:end])), QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(to_document(change.text))


if __name__ == "__main__":
    _child(*sys.argv[1:])
