"""Builders of screens in which something is chosen, sought or set, and of who answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QWidget

from studio_qt.providers.connections import SavedConnection
from studio_qt.providers.discovery import Door
from studio_qt.ui.answering.page import WhoAnswers
from studio_qt.ui.connections import Connections
from studio_qt.ui.palette.page import Palette
from studio_qt.ui.settings.page import SettingsDialog
from tests.support.local_servers import lm_studio, locked_llama_cpp
from tests.support.model_server import failure, text, tool_call
from tests.ui.look.scene import Scene

__all__ = ["answering", "connection", "no_match", "setting"]


async def no_match(scene: Scene) -> QWidget:
    """The palette with words that nothing has."""
    opened = Palette(scene.desk(), scene.window)
    scene.window.resize(1200, 800)
    scene.window.show()
    opened.open_commands()
    await scene.wait(lambda: opened.is_open)
    QTest.keyClicks(opened.input, "xyzzy")
    return scene.window


def setting(search: str = "", wrong: str = "") -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of settings that were sought, or of one with a value that it refuses."""

    async def build(scene: Scene) -> QWidget:
        _connections, dialog = _settings(scene)
        dialog.open_on("caps")
        await scene.wait(lambda: dialog.settled)
        if search:
            QTest.keyClicks(dialog.search, search)
        if wrong:
            field = dialog.findChild(QLineEdit, "setting_max_rounds")
            assert field is not None
            field.setFocus()
            field.selectAll()
            QTest.keyClicks(field, wrong)
            QTest.keyClick(field, Qt.Key.Key_Return)
        await scene.wait(lambda: dialog.settled)
        return scene.window

    return build


def connection(verdict: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of a connection that was tested: it "works", or wants a "key"."""

    async def build(scene: Scene) -> QWidget:
        server = scene.enter(lm_studio())
        if verdict == "works":
            server.script(text("Yes."), tool_call("ready", {"ok": True}))
        else:
            refused = failure(401, {"error": {"message": "Incorrect API key provided."}})
            server.script(refused, refused)
        connections, dialog = _settings(scene)
        saved = SavedConnection(name="LM Studio", base_url=server.base_url, model="qwen3-32b")
        connections.save(saved, choose=True)
        dialog.open_on("connections")
        await scene.wait(lambda: dialog.settled and not connections.looking)
        _press(dialog, "connectionTest")
        spoken = _named(dialog, "connectionVerdict")
        await scene.wait(lambda: spoken.isVisible() and not scene.running("test connection"))
        return scene.window

    return build


def answering(which: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of who answers: a server "found", one that wants a "key", "another"."""

    async def build(scene: Scene) -> QWidget:
        desk = scene.desk()
        servers = [scene.enter(lm_studio()), scene.enter(locked_llama_cpp())]
        doors = [Door(server.port, "?") for server in servers]
        connections = Connections(None, desk.tasks, scene.window, doors=doors)
        page = scene.put(WhoAnswers(desk, connections))
        scene.window.show()
        await scene.wait(lambda: connections.looked_at is not None and not connections.looking)
        if which != "another":
            port = servers[which == "key"].port
            _press(page, f"answering-found-127.0.0.1:{port}")
            return scene.window
        _press(page, "answering-other")
        QTest.keyClicks(_named(page, "answeringAddress", QLineEdit), "http://127.0.0.1:1/v1")
        _press(page, "answeringTest")
        await scene.wait(lambda: not scene.running("test connection"))
        return scene.window

    return build


# Helpers


def _settings(scene: Scene) -> tuple[Connections, SettingsDialog]:
    desk = scene.desk()
    connections = Connections(None, desk.tasks, scene.window, doors=())
    scene.window.resize(1240, 820)
    scene.window.show()
    return connections, SettingsDialog(desk, connections, scene.window)


def _named(root: QWidget, name: str, kind: type[QWidget] = QWidget) -> QWidget:
    found = root.findChild(kind, name)
    assert found is not None, f"there is no {name}"
    return found


def _press(root: QWidget, name: str) -> None:
    button = _named(root, name, QAbstractButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
