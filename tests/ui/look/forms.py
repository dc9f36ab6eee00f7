"""Builders of the forms over the window."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from studio_qt.ui.configform.page import ConfigForm
from studio_qt.ui.exporting.page import Exporting
from tests.ui.look.scene import Scene

__all__ = ["configuration", "export"]


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


async def export(scene: Scene) -> QWidget:
    """The export sheet, before the work."""
    desk = scene.desk()
    documents = scene.documents(desk)
    keeper = scene.keeper()
    (keeper / "context" / ".wreck-list.txt").write_text("wreck\n" * 20_000, encoding="utf-8")
    await documents.set_project(keeper)
    exporting = Exporting(desk, documents, scene.window)
    scene.window.resize(1100, 940)
    scene.window.show()
    exporting.open()
    await scene.wait(lambda: exporting.sheet is not None and exporting.sheet.is_open)
    assert exporting.sheet is not None
    exporting.sheet.place.setText("/home/ines/Characters/lantern-keeper-1.0.0.zip")
    return scene.window
