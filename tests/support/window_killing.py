"""Kills a whole window while somebody types in its editors and its chat, opens tabs and saves.

The child (`python -m tests.support.window_killing FOLDER SEED`) tells of each thing what it will be
before it types, and once more when it is so. After the kill each file must hold a text that there
was, and what comes back as unsaved text, as tabs and as the half-written message must be at least
as new as what was so two seconds before.
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
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from studio_qt.files.encoding import decode_text
from studio_qt.ui.documents.unsaved import UnsavedStore
from studio_qt.ui.keeping import project_memory
from tests.support.window import Stage, write_package

if TYPE_CHECKING:
    from studio_qt.ui.editors.code import CodeEditor

__all__ = ["kill_windows"]

SAFE_SECONDS = 2.0
FILES = ("a.txt", "instructions.txt", "agents/test.roller.js", "notes/long.md")
WORDS = ("so", "wörds and 😀", "it goes", "forty fathoms")
Line = dict[str, object]
Marks = dict[str, str]


def kill_windows(place: Path, rounds: int, seed: int) -> tuple[int, float]:
    """Type and kill `rounds` times in one project; returns what was typed and the worst loss.

    The loss is in seconds. Raises AssertionError with the round where something was lost or
    damaged.
    """
    chance = random.Random(seed)
    project = write_package(place / "project", {"notes/long.md": "# Night\n\nSo it goes.\n" * 9000})
    (project / "a.txt").write_bytes(b"one\r\ntwo\nthree\r\n")
    done, worst = 0, 0.0
    for number in range(rounds):
        before, disk = recovered(project), on_disk(project)
        try:
            lines, killed = _type_and_kill(project, seed + number, chance)
            loss = _check(project, before, disk, lines, killed)
        except AssertionError as error:
            raise AssertionError(f"round {number} of seed {seed}: {error}") from error
        done, worst = done + sum("time" in line for line in lines), max(worst, loss)
    return done, worst


def recovered(project: Path) -> Marks:
    """Return the marks of what the next start has: texts by path, "tabs" and "draft"."""
    copies, broken = UnsavedStore(project_memory(project) / "unsaved").read()
    assert broken == []
    texts = {**on_disk(project), **{copy.path: _mark(copy.text) for copy in copies}}
    kept = project_memory(project) / "session.json"
    facts = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    tabs = {tab["path"] for tab in facts.get("tabs", {}).get("tabs", [])}
    tabs |= {copy.path for copy in copies if on_disk(project)[copy.path] != _mark(copy.text)}
    return {**texts, "tabs": _of_tabs(tabs), "draft": _mark(facts.get("draft", ""))}


def on_disk(project: Path) -> Marks:
    """Return the marks of the files."""
    return {path: _mark(decode_text((project / path).read_bytes(), path).text) for path in FILES}


def _type_and_kill(project: Path, seed: int, chance: random.Random) -> tuple[list[Line], float]:
    command = [sys.executable, "-m", "tests.support.window_killing", str(project), str(seed)]
    lines: list[bytes] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as child:
        assert child.stdout is not None
        lines.append(child.stdout.readline())
        until = time.monotonic() + chance.uniform(0.0, 4.0)
        for line in child.stdout:
            lines.append(line)
            if time.monotonic() >= until:
                break
        time.sleep(chance.random() * 0.02)
        killed = time.monotonic()
        child.kill()
        lines += child.stdout.readlines()
    return [json.loads(line) for line in lines if line.endswith(b"\n")], killed


def _check(project: Path, before: Marks, disk: Marks, lines: list[Line], killed: float) -> float:
    """Return the seconds of work that are lost."""
    assert lines, "the child said nothing"
    assert lines[0]["start"] == before, "the window did not come back as it was"
    files = {entry.relative_to(project).as_posix() for entry in project.rglob("*.*")}
    assert files.issuperset(FILES)
    now, loss = recovered(project), 0.0
    for what in (*FILES, "tabs", "draft"):
        said = [line for line in lines[1:] if line["what"] == what]
        was = [before[what], *(str(line["mark"]) for line in said if "time" in line)]
        planned = {str(line["mark"]) for line in said}
        assert now[what] in {*was, *planned}, f"what came back of {what} was never there"
        newest = max((at for at, mark in enumerate(was) if mark == now[what]), default=len(was))
        times = [float(str(line["time"])) for line in said if "time" in line]
        loss = max([loss, *(killed - at for at in times[newest:])])
        if what in FILES:
            mark = on_disk(project)[what]
            assert mark in {disk[what], *was, *planned}, f"{what} is damaged"
    assert loss <= SAFE_SECONDS, f"{loss:.2f} s of work are lost"
    return loss


def _of_tabs(paths: Iterable[str]) -> str:
    """Return the mark of tabs, in whatever order; unsaved texts have theirs in any case."""
    return _mark(json.dumps(sorted(paths)))


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# The child -------------------------------------------------------------------------------------


def _say(**line: object) -> None:
    os.write(1, json.dumps(line).encode() + b"\n")


class _Typist:
    """Somebody in front of the window."""

    def __init__(self, stage: Stage, chance: random.Random) -> None:
        self.stage, self.chance = stage, chance
        self.pages = stage.window.pages
        self.documents = stage.window.session.documents

    def start(self) -> Marks:
        """Return the marks of what the window came back with."""
        project = self.documents.root
        assert project is not None
        open_now = {one.path: _mark(one.plain) for one in self.documents.documents}
        return {
            **on_disk(project),
            **{path: mark for path, mark in open_now.items() if path in FILES},
            "tabs": _of_tabs(self.pages.editors.paths),
            "draft": _mark(self.stage.window.chat.draft),
        }

    async def act(self) -> None:
        """Do one thing."""
        match self.chance.randrange(8):
            case 0 | 1:
                self._write()
            case 2:
                await self._close()
            case 3:
                if self.pages.editors.current is not None:
                    await self.pages.editors.saved(self.pages.editors.current)
            case _:
                await self._edit(self.chance.choice(FILES))

    def _write(self) -> None:
        chat = self.stage.window.chat
        words = self.chance.choice(WORDS) + " "
        if len(chat.draft) > 400:
            _say(what="draft", mark=_mark(words))
            chat.draft = words
        else:
            _say(what="draft", mark=_mark(chat.draft + words))
            self._type(self.stage.input, words)
        _say(what="draft", mark=_mark(chat.draft), time=time.monotonic())

    async def _close(self) -> None:
        """Close a tab without unsaved text; that of others would be asked about."""
        editors = self.pages.editors
        clean = [view for view in editors.views if not view.unsaved]
        if clean:
            left = [view.path for view in editors.views if view is not clean[0]]
            _say(what="tabs", mark=_of_tabs(left))
            editors.departures.leave([clean[0]])
            while clean[0] in editors.views:
                await asyncio.sleep(0.005)
            _say(what="tabs", mark=_of_tabs(editors.paths), time=time.monotonic())

    async def _edit(self, path: str) -> None:
        editors = self.pages.editors
        if path not in editors.paths:
            _say(what="tabs", mark=_of_tabs([*editors.paths, path]))
        await editors.open(path)
        _say(what="tabs", mark=_of_tabs(editors.paths), time=time.monotonic())
        editor, document = editors.editor, self.documents.find(path)
        assert editor is not None
        assert document is not None
        words = self.chance.choice(WORDS)
        self._go_to_end(editor)
        _say(what=path, mark=_mark(document.plain + words))
        self._type(editor, words)
        _say(what=path, mark=_mark(document.plain), time=time.monotonic())

    def _go_to_end(self, editor: CodeEditor) -> None:
        from PySide6.QtGui import QTextCursor

        editor.moveCursor(QTextCursor.MoveOperation.End)

    def _type(self, field: object, words: str) -> None:
        """Press a key for each letter; what no key has comes as from an input method."""
        from PySide6.QtGui import QInputMethodEvent
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QApplication, QWidget

        assert isinstance(field, QWidget)
        if words.isascii():
            QTest.keyClicks(field, words)
            return
        event = QInputMethodEvent()
        event.setCommitString(words)
        QApplication.sendEvent(field, event)


async def _work(project: Path, seed: int) -> None:
    stage = await Stage(project).open()
    while stage.window.tasks.names:
        await asyncio.sleep(0.01)
    typist = _Typist(stage, random.Random(seed))
    _say(start=typist.start())
    while True:
        await typist.act()
        await asyncio.sleep(typist.chance.choice([0, 0, 0.01, 0.05, 0.3]))


def _child(folder: str, seed: str) -> None:
    from PySide6.QtWidgets import QApplication
    from qasync import QEventLoop

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    loop.run_until_complete(_work(Path(folder), int(seed)))


if __name__ == "__main__":
    _child(*sys.argv[1:])
