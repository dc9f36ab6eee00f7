"""Dragging and dropping: within the tree, into it and out of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from tests.support.qt import until
from tests.ui.project.conftest import Bench

pytestmark = pytest.mark.qt_loop

_ACTIONS = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
_PLAIN = Qt.KeyboardModifier.NoModifier


def _drop(
    bench: Bench, data: QMimeData, place: QPoint, held: Qt.KeyboardModifier = _PLAIN
) -> QDropEvent:
    """Send what a drag sends to the viewport."""
    viewport = bench.page.tree.viewport()
    left = Qt.MouseButton.LeftButton
    QApplication.sendEvent(viewport, QDragEnterEvent(place, _ACTIONS, data, left, held))
    QApplication.sendEvent(viewport, QDragMoveEvent(place, _ACTIONS, data, left, held))
    event = QDropEvent(QPointF(place), _ACTIONS, data, left, held)
    QApplication.sendEvent(viewport, event)
    return event


def _dragged(bench: Bench, *keys: str) -> QMimeData:
    model = bench.page.tree.model()
    return model.mimeData([model.index_of(key) for key in keys])


def _outside(*places: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(place)) for place in places])
    return data


def _shown(bench: Bench, name: str) -> bool:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    found = bench.window.findChild(object, name)
    return found is not None and found.isVisible()


async def test_a_file_is_moved_onto_a_folder(bench: Bench) -> None:
    event = _drop(bench, _dragged(bench, "intro.txt"), bench.place("notes"))
    await bench.settled()
    assert event.isAccepted()
    assert bench.moved == [("intro.txt", "notes/intro.txt")]
    assert "notes/intro.txt" in bench.disk()


async def test_a_file_dropped_on_a_group_goes_to_the_groups_folder(bench: Bench) -> None:
    _drop(bench, _dragged(bench, "notes/plan.md"), bench.place("group:context"))
    await bench.settled()
    assert "context/plan.md" in bench.disk()


async def test_with_ctrl_held_it_is_copied(bench: Bench) -> None:
    held = Qt.KeyboardModifier.ControlModifier
    _drop(bench, _dragged(bench, "intro.txt"), bench.place("notes"), held)
    await bench.settled()
    assert {"intro.txt", "notes/intro.txt"} <= bench.disk()


async def test_a_drop_where_it_was_moves_nothing(bench: Bench) -> None:
    _drop(bench, _dragged(bench, "intro.txt"), bench.place("instructions.txt"))
    await bench.settled()
    assert bench.moved == []


async def test_foreign_files_and_folders_are_copied_in(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "lore/deep").mkdir(parents=True)
    (tmp_path / "lore/deep/a.txt").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    data = _outside(tmp_path / "lore", tmp_path / "b.txt")
    _drop(bench, data, bench.place("context/lamp.txt"))
    await bench.settled()
    assert {"context/lore/deep/a.txt", "context/b.txt"} <= bench.disk()
    assert (tmp_path / "b.txt").exists()


@pytest.mark.parametrize("answer", ["conflictReplace", "conflictBoth", "conflictSkip"])
async def test_a_taken_name_is_asked_about(bench: Bench, tmp_path: Path, answer: str) -> None:
    (tmp_path / "LAMP.txt").write_text("other")
    _drop(bench, _outside(tmp_path / "LAMP.txt"), bench.place("group:context"))
    await until(lambda: _shown(bench, "conflictSheet"))
    bench.button(answer)
    await bench.settled()
    texts = {path.name: path.read_text()[:5] for path in (bench.root / "context").glob("[Ll]*")}
    assert (
        texts
        == {
            "conflictReplace": {"LAMP.txt": "other"},
            "conflictBoth": {"lamp.txt": "word ", "LAMP-copy.txt": "other"},
            "conflictSkip": {"lamp.txt": "word "},
        }[answer]
    )
    if answer == "conflictReplace":
        bench.page.files.undo()
        await bench.settled()
        assert (bench.root / "context/lamp.txt").read_text().startswith("word ")


async def test_a_drag_out_offers_files_to_other_programs(bench: Bench) -> None:
    data = _dragged(bench, "intro.txt", "notes")
    assert data.hasFormat("text/uri-list")
    assert [Path(url.toLocalFile()) for url in data.urls()] == [
        bench.root / "intro.txt",
        bench.root / "notes",
    ]


async def test_what_is_no_file_is_refused(bench: Bench) -> None:
    data = QMimeData()
    data.setText("words")
    viewport = bench.page.tree.viewport()
    event = QDragMoveEvent(bench.place("notes"), _ACTIONS, data, Qt.MouseButton.LeftButton, _PLAIN)
    QApplication.sendEvent(viewport, event)
    assert not event.isAccepted()
    web = QMimeData()
    web.setUrls([QUrl("https://example.org/x.txt")])
    _drop(bench, web, bench.place("notes"))
    assert "this computer" in bench.notices[-1]
