"""Opening, failing, remembering and closing the window."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTreeWidget,
    QWidget,
)

from studio_qt.engine import stage as engine_stage
from studio_qt.errors import StudioError
from studio_qt.sandbox import AgentCode, Limits, SandboxedAgent, SandboxHost
from studio_qt.sandbox.host import Role
from studio_qt.settings import home_folder
from studio_qt.ui import create_window
from studio_qt.ui.app import run, take_picture
from studio_qt.ui.opening.sample import sample_project
from studio_qt.ui.pages import Pages
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.state import WindowState, load_state, save_state
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

qt_loop = pytest.mark.qt_loop


def test_importing_the_package_loads_no_qt() -> None:
    code = "import sys, studio_qt.ui; print('PySide6' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_window_needs_no_network_code_before_its_first_paint() -> None:
    code = (
        "import sys, studio_qt.ui.window; "
        "print([n for n in ('httpx', 'markdown_it', 'watchdog', 'pygments', 'jsonschema') "
        "if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_pages_that_take_input_come_without_what_loads_a_character() -> None:
    code = (
        "import sys, studio_qt.ui.pages, studio_qt.ui.interior; "
        "print([n for n in ('httpx', 'markdown_it', 'watchdog', 'pygments', 'jsonschema', 'yaml', "
        "'msgspec', 'difflib', 'html', 'platformdirs', 'datetime', 'studio_qt.package.loader', "
        "'studio_qt.providers.connect', 'studio_qt.ui.chat.view', 'studio_qt.ui.prose.view', "
        "'studio_qt.ui.statusline', 'studio_qt.ui.menus', 'studio_qt.ui.editors.findbar', "
        "'studio_qt.ui.furnishing') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """The later pages, and with them the character, wait until this is set."""
    event, furnish = asyncio.Event(), Pages.furnish

    async def wait(pages: Pages) -> None:
        await event.wait()
        await furnish(pages)

    monkeypatch.setattr(Pages, "furnish", wait)
    return event


async def _first_pages(project: Path) -> Stage:
    stage = Stage(project)
    window = stage.window
    window.show()
    await until(lambda: window.centralWidget().objectName() == "interior")
    await until(lambda: window.chat.isVisible() and bool(window.pages.project.paths))
    await until(lambda: "take up the project" not in window.tasks.names)
    return stage


@qt_loop
async def test_a_message_is_written_while_the_character_opens(
    tmp_path: Path, held: asyncio.Event
) -> None:
    stage = await _first_pages(write_package(tmp_path / "ada"))
    assert stage.input.isVisible()
    assert not stage.window.chat.transcript.isVisible()
    stage.type("Good day")
    stage.press(Qt.Key.Key_Return)  # nobody is there yet to send it to
    held.set()
    await until(lambda: stage.window.settled)
    assert stage.window.chat.draft == "Good day"
    assert "A countess" in stage.text
    await stage.close()


@qt_loop
async def test_who_is_at_work_in_the_tree_stays_there_when_the_character_comes(
    tmp_path: Path, held: asyncio.Event
) -> None:
    stage = await _first_pages(write_package(tmp_path / "ada"))
    stage.window.pages.project.tree.setFocus()
    held.set()
    await until(lambda: stage.window.settled)
    assert stage.window.focusWidget() is stage.window.pages.project.tree
    await stage.close()


@qt_loop
async def test_closing_before_the_later_pages_are_there_keeps_what_was_written(
    tmp_path: Path, held: asyncio.Event
) -> None:
    stage = await _first_pages(write_package(tmp_path / "ada"))
    stage.type("Half a sen")
    await stage.close()
    held.set()
    again = await Stage(tmp_path / "ada").open()
    assert again.window.chat.draft == "Half a sen"
    await again.close()


@qt_loop
async def test_the_window_is_there_before_the_character(tmp_path: Path) -> None:
    window = create_window(write_package(tmp_path / "ada"))
    assert window.objectName() == "studioWindow"
    window.show()
    assert window.isVisible()
    assert window.centralWidget().objectName() == "curtain"
    await until(lambda: window.settled)
    assert window.chat.isVisible()
    await window.shutdown()
    window.close()
    await asyncio.sleep(0)


@qt_loop
async def test_a_window_that_is_not_shown_opens_its_project_all_the_same(tmp_path: Path) -> None:
    window = create_window(write_package(tmp_path / "ada"))
    await until(lambda: window.settled)
    assert "A countess" in window.chat.transcript.toPlainText()
    await window.shutdown()


class _Telling(SandboxHost):
    """A sandbox in which every agent takes long to load, as Python agents do once."""

    def __init__(self, *, on_notice: Callable[[str], None]) -> None:
        super().__init__(on_notice=on_notice)
        self._say = on_notice

    async def load(
        self, code: AgentCode, limits: Limits, *, role: Role = "agents"
    ) -> SandboxedAgent:
        self._say(f"Preparing {code.agent_id}.")
        return await super().load(code, limits, role=role)


@qt_loop
async def test_what_opening_waits_for_is_told_on_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_stage, "SandboxHost", _Telling)
    window = create_window(write_package(tmp_path / "ada"))
    told: list[str] = []
    await until(lambda: window.centralWidget().objectName() == "interior")
    page = window.inside.opening.findChild(QLabel, "openingText")
    window.session.toast.connect(lambda *_: told.append(page.text()))
    await until(lambda: window.settled)
    assert told
    assert all(text.startswith("Preparing ") for text in told)
    assert window.pages.toasts.texts == []
    window.session.toast.emit("Later.", "info")
    assert window.pages.toasts.texts == ["Later."]
    await window.shutdown()


@qt_loop
@pytest.mark.usefixtures("python_ready")
async def test_without_a_project_it_is_the_start_page_which_opens_the_sample(
    stage_on: OpenStage,
) -> None:
    stage = await stage_on(None)
    assert stage.find("startPage").isVisible()
    stage.window.open_sample()
    await until(lambda: stage.window.settled, 20)
    assert "Lantern Keeper" in stage.window.windowTitle()
    assert (home_folder() / "samples" / "lantern-keeper" / "config.json").is_file()
    await stage.send("please roll two dice for me")
    assert "roll_dice" in stage.text


def test_the_sample_is_copied_once_and_stays_the_users(tmp_path: Path) -> None:
    folder = sample_project(tmp_path)
    (folder / "intro.txt").write_text("Mine.", encoding="utf-8")
    assert sample_project(tmp_path) == folder
    assert (folder / "intro.txt").read_text(encoding="utf-8") == "Mine."
    assert [path.name for path in folder.parent.iterdir()] == ["lantern-keeper"]


@qt_loop
@pytest.mark.clause("PKG-01", "PKG-13")
async def test_a_zip_plays_like_a_folder(stage_on: OpenStage, tmp_path: Path) -> None:
    folder = write_package(tmp_path / "ada")
    target = tmp_path / "ada.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for path in folder.rglob("*"):
            archive.write(path, path.relative_to(folder))
    stage = await stage_on(target)
    await stage.send("[[call roll {}]][[say ok]]")
    assert "You rolled 6" in stage.text


@qt_loop
@pytest.mark.clause("PKG-10")
async def test_a_broken_config_is_told_and_can_be_tried_again(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada", {"config.json": '{\n "name": "Ada",\n'})
    stage = await stage_on(folder)
    assert stage.find("openingPage").isVisible()
    assert "config.json" in stage.find("openingText").text()
    assert stage.find("openingTitle").text() == "ada cannot be opened"
    write_package(folder)
    stage.click("openingRetry")
    await until(lambda: stage.window.chat.isVisible() and stage.window.settled)
    assert "A countess" in stage.text


@qt_loop
@pytest.mark.usefixtures("python_ready")
@pytest.mark.clause("PKG-10")
@pytest.mark.parametrize("what", ["missing", "empty.zip"])
async def test_what_is_no_package_is_told(stage_on: OpenStage, tmp_path: Path, what: str) -> None:
    if what.endswith(".zip"):
        (tmp_path / what).write_bytes(b"PK nonsense")
    stage = await stage_on(tmp_path / what)
    assert what in stage.find("openingText").text()
    stage.click("openingSample")
    await until(lambda: "Lantern" in stage.window.windowTitle(), 20)


@qt_loop
async def test_a_fault_of_ours_while_opening_is_told_as_well(
    stage_on: OpenStage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("studio_qt.ui.session._SLOW", ("studio_qt.no_such_part",))
    stage = await stage_on(write_package(tmp_path / "ada"))
    assert "no_such_part" in stage.find("openingText").text()
    assert "ModuleNotFoundError" in caplog.text


@qt_loop
@pytest.mark.clause("PKG-10")
async def test_problems_are_listed_and_the_rest_plays(stage_on: OpenStage, tmp_path: Path) -> None:
    folder = write_package(
        tmp_path / "ada",
        {"agents/test.broken.js": "/** no manifest */\nexport const x = 1;\n"},
        agents=["test.roller", "test.broken", "test.nowhere"],
    )
    stage = await stage_on(folder)
    view = stage.find("problemsView", QTreeWidget)
    assert isinstance(view, QTreeWidget)
    files = [view.topLevelItem(row) for row in range(view.topLevelItemCount())]
    assert [file.text(0) for file in files] == ["config.json", "agents/test.broken.js"]
    assert "test.nowhere" in files[0].child(0).text(0)
    await stage.send("[[call roll {}]][[say ok]]")
    assert "You rolled 6" in stage.text


@qt_loop
async def test_a_healthy_package_shows_no_problems(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    assert stage.all("problemsView") == []


@qt_loop
async def test_a_changed_package_is_shown_after_a_reload(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada")
    stage = await stage_on(folder)
    await stage.send("[[say before]]")
    write_package(folder, {"description.txt": "A new description."})
    await stage.shows("A new description.", "before")


@qt_loop
async def test_the_pages_let_go_of_a_player_before_it_is_closed(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What asks a closed player, such as a change of settings, fails."""
    stage = await stage_on(write_package(tmp_path / "ada"))
    player = stage.window.session.player
    assert player is not None
    close, shown = player.close, []

    async def slowly() -> None:
        shown.append(stage.find("chatView").isVisible())
        stage.window.inside.preferences.change_window(interface_size=15)
        await close()
        stage.window.inside.preferences.change_window(interface_size=16)

    monkeypatch.setattr(player, "close", slowly)
    stage.window.open_project(write_package(tmp_path / "bob", name="Bob"))
    await until(lambda: "Bob" in stage.window.windowTitle(), 20)
    assert shown == [False]


@qt_loop
async def test_closing_leaves_no_task_and_no_process(tmp_path: Path) -> None:
    stage = await Stage(write_package(tmp_path / "ada")).open()
    await stage.send("[[call roll {}]][[say ok]]")
    assert psutil.Process().children(recursive=True)
    await stage.close()
    assert psutil.Process().children(recursive=True) == []
    assert asyncio.all_tasks() == {asyncio.current_task()}


@qt_loop
async def test_closing_while_a_reply_runs_keeps_what_has_come(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada")
    first = await Stage(folder).open()
    words = " ".join(f"word{number}" for number in range(200))
    first.input.put(f"[[slow 30]][[say {words}]]")
    first.click("chatSend")
    await until(lambda: "word3 " in first.text.split("Ada Byron")[-1])
    await first.close()
    second = await stage_on(folder)
    assert "word3 " in second.text.split("Ada Byron")[-1]
    assert "(stopped)" in second.text


@qt_loop
async def test_closing_while_it_opens_is_in_order(tmp_path: Path) -> None:
    window = create_window(write_package(tmp_path / "ada"))
    window.show()
    await until(lambda: window.tasks.names == ["open"])
    closed = asyncio.Event()
    window.closed.connect(closed.set)
    window.close()
    window.close()
    await asyncio.wait_for(closed.wait(), 10)
    assert psutil.Process().children(recursive=True) == []


@qt_loop
async def test_every_control_has_a_name_that_can_be_spoken(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada", agents=["test.roller", "test.nowhere"])
    stage = await stage_on(folder)
    await stage.send("[[call roll {}]][[say ok]]")
    await stage.send("[[fail 500 x]]")
    stage.all("toolActivity")[0].click()
    stage.type("@")
    window = stage.window
    controls = (QAbstractButton, QLineEdit, QPlainTextEdit, QTreeWidget)
    unnamed = [
        (type(widget).__name__, widget.objectName())
        for widget in [window, *window.findChildren(QWidget)]
        if isinstance(widget, controls) or widget.focusPolicy().value & 1
        if widget.isVisible() and not widget.objectName().startswith("qt_")
        if not QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)
    ]
    assert unnamed == []
    nameless = [
        (type(widget).__name__, widget.parent().objectName())
        for widget in window.findChildren(QWidget)
        if isinstance(widget, controls) and not widget.objectName()
    ]
    assert nameless == []


@qt_loop
async def test_the_theme_can_be_changed_while_it_is_open(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await stage.send("[[call roll {}]][[say “Light” and *dark*]]")
    for _ in range(4):
        stage.all("toolActivity")[0].click()
    stage.window.theme.choose("dark")
    await until(lambda: stage.window.theme.settled)
    dark = stage.window.grab().toImage()
    stage.window.theme.choose("light")
    await until(lambda: stage.window.theme.settled)
    light = stage.window.grab().toImage()
    assert dark.pixelColor(5, 200).lightness() < 60
    assert light.pixelColor(5, 200).lightness() > 200
    assert "“Light” and dark" in stage.text


@qt_loop
async def test_the_window_remembers_its_place_and_theme(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "ada")
    first = await Stage(folder).open()
    first.window.resize(777, 555)
    first.window.theme.choose("dark")
    await first.close()
    second = await Stage(folder).open()
    assert (second.window.width(), second.window.height()) == (777, 555)
    assert second.window.theme.choice == "dark"
    second.window.theme.choose("system")
    await second.close()


@qt_loop
async def test_a_theme_of_the_environment_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_QT_THEME", "dark")
    stage = await Stage(write_package(tmp_path / "ada")).open()
    assert stage.window.theme.choice == "dark"
    await stage.close()
    assert Preferences(home_folder()).window.theme == "system"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
def test_the_end_of_the_session_closes_in_order(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "ada")
    code = (
        "import sys, studio_qt.ui.window as w\n"
        "from pathlib import Path\n"
        "old = w.StudioWindow._on_settled\n"
        "def opened(self): old(self); print('open', flush=True)\n"
        "w.StudioWindow._on_settled = opened\n"
        "from studio_qt.ui.app import run\n"
        f"code = run(Path({str(folder)!r}), None); print('closed', code)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "open\n"
    child.terminate()
    out, _ = child.communicate(timeout=20)
    assert (out, child.returncode) == ("closed 0\n", 0)
    assert (home_folder() / "window.json").is_file()


def test_a_state_that_is_not_readable_falls_back_to_the_defaults(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert load_state(tmp_path) == WindowState()
    (tmp_path / "window.json").write_text("{ nonsense", encoding="utf-8")
    assert load_state(tmp_path) == WindowState()
    assert "not readable" in caplog.text
    (tmp_path / "window.json").write_text(
        json.dumps({"version": 1, "geometry": 7, "panes": [], "project": None}), encoding="utf-8"
    )
    assert load_state(tmp_path) == WindowState()
    kept = WindowState("abc", {"across": [1, 2, 3]}, "/somewhere")
    save_state(tmp_path / "new", kept)
    assert load_state(tmp_path / "new") == kept


@qt_loop
async def test_a_picture_is_taken_when_everything_is_drawn(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    target = tmp_path / "shot.png"
    await take_picture(stage.window, target)
    picture = QImage(str(target))
    assert (picture.width(), picture.height()) == (1440, 900)
    with pytest.raises(StudioError, match="cannot be written"):
        await take_picture(stage.window, tmp_path / "no" / "folder.png")


@pytest.mark.parametrize("whole", [True, False])
def test_the_program_writes_a_picture_and_ends(tmp_path: Path, qapp: object, whole: bool) -> None:
    files = {} if whole else {"config.json": "{"}
    folder = write_package(tmp_path / "ada", files)
    target = tmp_path / "shot.png"
    assert run(folder, target) == 0
    assert not QImage(str(target)).isNull()
    assert not (home_folder() / "window.json").exists()


@pytest.mark.clause("BOX-01")
@qt_loop
async def test_help_shows_the_walls_around_agents(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    stage.window.pages.menus.show_walls()
    sheet = stage.window.findChild(QWidget, "message")
    assert sheet is not None
    labels = "".join(label.text() for label in sheet.findChildren(QLabel))
    assert "The environment of a worker is empty." in labels or "No agent code runs" in labels
