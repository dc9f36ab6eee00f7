"""Builders of the forms over the window."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from studio_qt.ui.configform.page import ConfigForm
from tests.ui.look.scene import Scene

__all__ = ["configuration"]


async def configuration(scene: Scene) -> QWidget:
    """The form for config.json, with an instance chosen."""
    desk = scene.desk()
    documents = scene.documents(desk)
    await documents.set_project(scene.keeper())
    form = ConfigForm(desk, documents, scene.window)
    scene.window.resize(1320, 852)
    scene.window.show()
    form.open()
    await scene.wait(lambda: form.sheet is not None and form.sheet.is_open)
    assert form.sheet is not None
    form.sheet.rows.choose("keeper.tides")
    return scene.window
