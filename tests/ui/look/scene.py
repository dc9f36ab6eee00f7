"""A place in which screens are built: a folder, a desk, windows; all of it is closed at the end."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from studio_qt.resources import copy_resources
from studio_qt.settings import cache_folder
from studio_qt.ui.actions import Actions
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.session import Connection
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from tests.support.qt import until
from tests.support.window import Stage

__all__ = ["NOW", "Scene"]

NOW = datetime(2026, 11, 14, 21, 43, tzinfo=UTC)
"""When everything happens that a screen shows the time of."""

_T = TypeVar("_T")
_W = TypeVar("_W", bound=QWidget)


class Scene:
    """What one screen needs. `folder` is empty at first; settings live in `folder/home`.

    Use it as `async with Scene(folder)`: on leaving, windows, tasks and projects are closed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stages: list[Stage] = []
        self._windows: list[tuple[QMainWindow, Desk]] = []
        self.failures: list[Exception] = []
        """What went wrong in tasks of desks; `wait` raises it."""
        self._documents: list[Documents] = []
        self._before: dict[str, str | None] = {}
        self._stack = ExitStack()
        self.theme: Theme | None = None

    async def __aenter__(self) -> Scene:
        (self.folder / "home").mkdir(parents=True, exist_ok=True)
        self._set("STUDIO_QT_CACHE", str(cache_folder()))  # what takes long to make
        self._set("STUDIO_QT_HOME", str(self.folder / "home"))
        for name in ("HOME", "USERPROFILE"):  # so that paths are shown as ~/…
            self._set(name, str(self.folder))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
        for documents in self._documents:
            await documents.shutdown()
        for window, desk in self._windows:
            await desk.tasks.close()
            window.close()
            window.deleteLater()
        for stage in self._stages:
            await stage.close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    # What screens are built with

    def enter(self, manager: AbstractContextManager[_T]) -> _T:
        """Begin what ends with the scene, and return it."""
        return self._stack.enter_context(manager)

    def at_end(self, act: Callable[[], object]) -> None:
        """Have something done before everything is closed."""
        self._stack.callback(act)

    def desk(self) -> Desk:
        """Return the desk of a window that has nothing on it yet; see `put`."""
        window = QMainWindow()
        window.setObjectName("window")
        window.setMinimumSize(300, 300)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        window.setCentralWidget(inside)
        self.theme = Theme("dark", window)
        self.theme.apply()
        desk = Desk(self.theme, Tasks(window), Actions(window), Preferences(None, window))
        desk.tasks.failed.connect(self.failures.append)
        self._windows.append((window, desk))
        return desk

    def documents(self, desk: Desk) -> Documents:
        """Return open texts for the last desk; they are shut down at the end."""
        documents = Documents(desk.tasks, self.window)
        self._documents.append(documents)
        return documents

    def put(self, widget: _W) -> _W:
        """Let a widget fill the window of the last desk."""
        inside = self._windows[-1][0].centralWidget()
        layout = inside.layout()
        assert layout is not None
        layout.addWidget(widget)
        return widget

    @property
    def window(self) -> QMainWindow:
        """The window of the last desk."""
        return self._windows[-1][0]

    async def stage(
        self, project: Path | None, connection: Connection | None = None, *, elsewhere: bool = False
    ) -> Stage:
        """Open the real window on a project; `connection` answers instead of Rehearsal."""
        stage = Stage(project, connection, elsewhere=elsewhere)
        stage.window.resize(1600, 1000)  # the panes take their widths from that
        self._stages.append(stage)
        await stage.open()
        if stage.window.session.player is not None:
            meter = stage.find("contextMeter")
            await self.wait(lambda: bool(meter.toolTip()))  # it comes after the chat
        self.theme = stage.window.theme
        return stage

    def keeper(self) -> Path:
        """Return a copy of the Lantern Keeper with one conversation, whose times are fixed."""
        folder = self.folder / "Lantern Keeper"
        if not folder.exists():
            copy_resources("templates/lantern-keeper", folder)
            talk = folder / "conversations" / "conversation_01"
            talk.parent.mkdir(parents=True, exist_ok=True)
            talk.with_suffix(".json").write_text(json.dumps(_talk(), indent=2), encoding="utf-8")
        return folder

    def copy(self, name: str, title: str, description: str) -> Path:
        """Return a small project with another name."""
        folder = self.folder / title
        copy_resources(f"templates/{name}", folder)
        config = folder / "config.json"
        whole = json.loads(config.read_text(encoding="utf-8"))
        whole["name"] = title
        config.write_text(json.dumps(whole, indent=2), encoding="utf-8")
        (folder / "description.txt").write_text(description, encoding="utf-8")
        shutil.rmtree(folder / "conversations", ignore_errors=True)
        return folder

    def running(self, task: str) -> bool:
        """Whether a task of the last desk runs."""
        return task in self._windows[-1][1].tasks.names

    async def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until `condition()` holds, or raise what went wrong meanwhile."""
        await until(lambda: bool(self.failures) or condition(), 20)
        if self.failures:
            raise self.failures[0]

    def _set(self, name: str, value: str) -> None:
        self._before[name] = os.environ.get(name)
        os.environ[name] = value


def _talk() -> dict[str, object]:
    """Return a conversation of two turns; tools are called in the first."""
    return {
        "id": "conversation_01",
        "title": "Storm night",
        "created": _time(0),
        "updated": _time(1),
        "messages": [
            _said(0, "user", "*I set the rope on the table.* “Forty fathoms. It’s all there.”"),
            _said(0, "assistant", "", tool_calls=[_call(1, "store_memory", {"text": _PROMISE})]),
            _said(0, "tool", "Stored: rope", name="store_memory", tool_call_id="call_1")
            | {"toolCallId": 1, "agentId": "studio.memory-store"},
            _said(
                0,
                "assistant",
                "*She counts it by feel, one loop to each breath of the foghorn.* “Forty and a "
                "little over. Marcus said you would. He did not say **dry**.”",
            ),
            _said(1, "user", "“Ask Marcus whether I can cross before the fog comes down.”"),
            _said(
                1,
                "assistant",
                "*The speaking tube coughs, and his voice comes up it like something hauled on a "
                "chain.* “Slack water at ten past four,” *she repeats, already turning the lamp "
                "down to save oil.* “After that you will be crossing on the fog’s terms.”",
            ),
        ],
    }


_PROMISE = "The visitor brought forty fathoms of rope, as promised."


def _time(minutes: int) -> str:
    return (NOW - timedelta(minutes=2 - minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _said(turn: int, role: str, text: str, **others: object) -> dict[str, object]:
    return {"role": role, "content": text, "turn": turn + 1, "time": _time(turn), **others}


def _call(number: int, name: str, arguments: dict[str, str]) -> dict[str, object]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "id": f"call_{number}",
        "type": "function",
        "function": function,
        "toolCallId": number,
    }
