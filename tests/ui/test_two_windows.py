"""Two windows on one character, as two starts of the program make them: nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton

from studio_qt.ui.keeping import project_memory
from studio_qt.ui.remembering import ProjectMemory
from studio_qt.ui.tasks import Tasks
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage
from tests.ui.incoming.parcels import FILES, packed

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-11", "PERS-04")]

PLAIN = {**FILES, "config.json": json.dumps({"name": "Kay"})}


def zipped(tmp_path: Path) -> Path:
    return packed(tmp_path / "kay.zip", PLAIN)


async def test_the_second_one_says_at_once_who_writes_and_goes_on_when_it_is_free(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    place = zipped(tmp_path)
    first = await Stage(place).open()
    await first.send("[[say Good evening.]]")
    second = await stage_on(place)
    assert any("is being used by" in one for one in second.window.pages.toasts.texts)
    second.input.put("And to you.")
    second.press(Qt.Key.Key_Return)
    await until(lambda: "send" not in second.window.tasks.names)
    assert second.input.toPlainText() == "And to you."  # the message is not gone
    await first.close()
    button = second.find("toastAction")
    assert isinstance(button, QAbstractButton)
    button.click()
    await until(lambda: second.window.session.player is not None and second.window.settled, 20)
    await second.shows("Good evening.")
    assert second.window.session.player is not None
    assert second.window.session.player.refusal is None
    assert second.input.toPlainText() == "And to you."
    await second.send("[[say Well.]]")
    await second.shows("Good evening.", "Well.")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_what_was_half_written_in_both_is_there_the_next_time(
    order: tuple[int, int], stage_on: OpenStage, tmp_path: Path
) -> None:
    place = zipped(tmp_path)
    stages = [await Stage(place).open(), await Stage(place).open()]
    for stage, text in zip(stages, ("From the first.", "From the second."), strict=True):
        stage.input.put(text)
    for at in order:
        await stages[at].close()
    again = await stage_on(place)
    assert again.window.chat.draft == "From the first.\n\nFrom the second."
    assert not list(project_memory(place).glob("session-*.json"))


async def test_unsaved_text_of_both_comes_back_and_the_second_shows_the_firsts_tabs(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    project = write_package(tmp_path / "ada")
    first = await Stage(project).open()
    first.window.pages.open_file("intro.txt")
    await until(lambda: first.window.pages.editors.current_path == "intro.txt")
    await until(lambda: "remember the project" not in first.window.tasks.names)
    await first.window.pages.memory._write()
    second = await Stage(project).open()
    await until(lambda: second.window.pages.editors.paths == ["intro.txt"])
    for stage, path in ((first, "intro.txt"), (second, "description.txt")):
        document = await stage.window.inside.documents.open(path)
        document.text.setPlainText(f"Unsaved in {path}")
    await first.close()
    await second.close()
    again = await stage_on(project)
    unsaved = again.window.inside.documents
    await until(lambda: set(unsaved.unsaved) == {"intro.txt", "description.txt"})
    assert "Unsaved" not in (project / "intro.txt").read_text()


HOLDER = """
import asyncio, sys
from pathlib import Path
from studio_qt.files.lock import FolderLock
from studio_qt.ui.keeping import project_memory
memory = project_memory(Path(sys.argv[1]))
lock = FolderLock(memory / "window-1")
assert lock.try_acquire() is None
(memory / "session.json").write_text('{"draft": "of the other", "tabs": {"x": 1}}')
print("has it", flush=True)
sys.stdin.read()
"""


async def test_a_window_of_another_process_keeps_its_own(tmp_path: Path) -> None:
    place = zipped(tmp_path)
    words = [sys.executable, "-c", HOLDER, str(place)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "has it\n"
        tasks = Tasks(None)
        facts: dict[str, object] = {"draft": "of mine"}
        memory = ProjectMemory(tasks, lambda: facts, tasks)
        assert await memory.begin(place) == {"tabs": {"x": 1}}
        await memory.end()
        kept = json.loads((project_memory(place) / "session.json").read_text())
        assert kept["draft"] == "of the other"
        other.kill()
        other.wait()
    assert (await memory.begin(place))["draft"] == "of the other\n\nof mine"
    await memory.end()
    await tasks.close()
    tasks.deleteLater()
