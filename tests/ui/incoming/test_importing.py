"""Characters from elsewhere in a real window: shown, let in, refused, stopped."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit

from studio_qt.authoring.importing import Incoming, unpack
from studio_qt.authoring.trust import TrustBook
from studio_qt.errors import StudioError
from studio_qt.settings import home_folder
from studio_qt.ui.incoming import work
from studio_qt.ui.window import StudioWindow
from tests.authoring.test_cards import FORMS, V2
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage
from tests.ui.incoming.parcels import (
    FILES,
    REFUSED,
    below,
    drop,
    packed,
    reason,
    said,
    sheet_of,
)

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-11", "PKG-13")]


def test_nothing_of_it_is_imported_before_it_is_asked_for() -> None:
    code = (
        "import sys, studio_qt.ui.furnishing, studio_qt.ui.receiving; "
        "print([n for n in sys.modules if n.startswith(('studio_qt.ui.incoming', "
        "'studio_qt.ui.library', 'studio_qt.authoring.arriving', 'studio_qt.authoring.chats'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def bring(stage: Stage, place: Path, target: Path | None = None) -> None:
    """Drop a file on the window, wait for what is said of it, and write another folder."""
    assert drop(stage.window, place)
    receiving = stage.window.pages.receiving
    await until(lambda: receiving.importing is not None and sheet_of(stage).isVisible())
    await until(lambda: bool(stage.all("importOpen")) or bool(reason(stage)))
    if target is not None:
        field = stage.find("importPlace")
        assert isinstance(field, QLineEdit)
        field.setText(str(target))


async def plays(stage: Stage, place: Path) -> None:
    await until(lambda: stage.window.session.place == place and stage.window.settled, 20)


async def test_a_card_chosen_in_the_dialog_becomes_a_project_that_plays(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "open", lambda _self: None)  # the system's has no window here
    (tmp_path / "hanne.json").write_text(json.dumps(V2), encoding="utf-8")
    stage = await stage_on(write_package(tmp_path / "ada"))
    action = stage.window.inside.desk.actions.find("importCharacter")
    assert action is not None
    action.trigger()
    await until(lambda: bool(stage.window.findChildren(QFileDialog)))
    dialog = stage.window.findChildren(QFileDialog)[0]
    dialog.fileSelected.emit(str(tmp_path / "hanne.json"))
    dialog.close()
    await until(lambda: bool(stage.all("importOpen")))
    for words in ("Import Hanne", "by Ines", "A keeper.", "1 entry", "2 other greetings"):
        assert words in said(stage)
    assert not stage.all("importPlay")
    assert sheet_of(stage).where == tmp_path / "Hanne"  # type: ignore[attr-defined]
    stage.press(Qt.Key.Key_Return, stage.find("importOpen"))
    await plays(stage, tmp_path / "Hanne")
    await stage.shows("Come in, the user.")
    assert stage.window.pages.trusting.sheet is None  # there is no foreign code in a card


@pytest.mark.parametrize("form", ["v1 json", "packed iTXt", "charx", "charx in a jpeg"])
async def test_cards_of_every_form_come_in_by_a_drop(
    form: str, stage_on: OpenStage, tmp_path: Path
) -> None:
    name, data, _ = FORMS[form]
    (tmp_path / name).write_bytes(data)
    stage = await stage_on(None)
    await bring(stage, tmp_path / name, tmp_path / "in")
    stage.click("importOpen")
    await plays(stage, tmp_path / "in")
    assert {"config.json", "card.json", "intro.txt"} <= below(tmp_path / "in")


async def test_a_zip_with_code_is_asked_about_when_it_was_unpacked(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    clutter = {"__MACOSX/kay/._config.json": b"x", "kay/.DS_Store": b"x"}
    zipped = packed(tmp_path / "kay.zip", FILES, root="kay\\", extra=clutter)
    stage = await stage_on(write_package(tmp_path / "ada"))
    await bring(stage, zipped, tmp_path / "in")
    assert "It brings code of its own in JavaScript" in said(stage)
    assert "version 2.1 · by Ines" in said(stage)
    stage.click("importOpen")
    await until(lambda: stage.window.pages.trusting.sheet is not None, 20)
    assert below(tmp_path / "in") >= set(FILES)
    assert stage.window.session.player is None
    record = TrustBook(home_folder()).record(tmp_path / "in")
    assert (record.origin, record.made_here) == ("kay.zip", False)


async def test_a_zip_that_was_dropped_can_be_played_as_it_is(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    zipped = packed(tmp_path / "kay.zip", FILES | {"config.json": '{"name": "Kay"}'})
    stage = await stage_on(write_package(tmp_path / "ada"))
    await bring(stage, zipped)
    stage.click("importPlay")
    await plays(stage, zipped)
    assert stage.window.session.root is None
    assert not list(tmp_path.glob("Kay*"))


@pytest.mark.parametrize("case", REFUSED)
async def test_what_is_refused_says_why_and_writes_nothing(
    case: str, stage_on: OpenStage, tmp_path: Path
) -> None:
    data, why = REFUSED[case]
    (tmp_path / "bad.zip").write_bytes(data)
    project = write_package(tmp_path / "ada")
    stage = await stage_on(project)
    await bring(stage, tmp_path / "bad.zip")
    assert why in reason(stage)
    assert not stage.all("importOpen")
    assert "(" not in reason(stage)  # no words of a library
    assert stage.find("importCancel").accessibleName() == "Close"
    assert stage.find("importAnother").hasFocus()
    stage.press(Qt.Key.Key_Escape, stage.find("importAnother"))
    assert not sheet_of(stage).isVisible()
    assert sorted(one.name for one in tmp_path.iterdir() if one.name != "home") == [
        "ada",
        "bad.zip",
    ]
    assert stage.window.session.place == project


async def test_a_folder_that_is_taken_is_never_written_over(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    zipped = packed(tmp_path / "kay.zip", FILES)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    stage = await stage_on(write_package(tmp_path / "ada"))
    await bring(stage, zipped, tmp_path / "full")
    stage.click("importOpen")
    await until(lambda: "is not empty" in said(stage))
    assert below(tmp_path / "full") == {"mine.txt"}
    field = stage.find("importPlace")
    assert field.hasFocus()
    assert isinstance(field, QLineEdit)
    field.setText("nowhere")
    stage.click("importOpen")
    await until(lambda: "whole path" in said(stage))


async def test_a_place_that_cannot_be_made_says_so_and_keeps_the_sheet(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    stage = await stage_on(write_package(tmp_path / "ada"))
    await bring(stage, packed(tmp_path / "kay.zip", FILES), tmp_path / "file" / "kay")
    stage.click("importOpen")
    await until(stage.find("importPlace").hasFocus)
    assert str(tmp_path / "file") in said(stage)
    assert (tmp_path / "file").read_text() == "no folder"


async def test_the_start_page_plays_a_zip_and_leaves_a_card_to_the_sheet(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    name, data, _ = FORMS["tEXt"]
    (tmp_path / name).write_bytes(data)
    zipped = packed(tmp_path / "kay.zip", FILES | {"config.json": '{"name": "Kay"}'})
    stage = await stage_on(None)
    drop(stage.window.pages.start, tmp_path / name)
    await until(lambda: bool(stage.all("importOpen")))
    stage.press(Qt.Key.Key_Escape, stage.find("importOpen"))
    assert drop(stage.window.pages.start, zipped)
    await plays(stage, zipped)


async def test_of_several_files_the_first_that_is_anything_is_taken(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("Hm.")
    zipped = packed(tmp_path / "kay.zip", FILES)
    stage = await stage_on(write_package(tmp_path / "ada"))
    assert drop(stage.window, tmp_path / "notes.txt", zipped)
    await until(lambda: bool(stage.all("importOpen")))
    assert "Import Kay" in said(stage)


class Gate:
    """Lets unpacking wait before its first file until `open`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.event = threading.Event(), threading.Event()
        self.open = self.event.set

        def slow(incoming: Incoming, folder: Path, told: Callable[[int, int], None]) -> None:
            self.reached.set()
            assert self.event.wait(20)
            unpack(incoming, folder, told)

        monkeypatch.setattr(work, "unpack", slow)


async def test_a_stop_in_the_middle_leaves_nothing(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    zipped = packed(tmp_path / "kay.zip", FILES)
    stage = await stage_on(write_package(tmp_path / "ada"))
    await bring(stage, zipped, tmp_path / "in" / "kay")
    stage.click("importOpen")
    await until(gate.reached.is_set)
    assert stage.find("importProgress").isVisible()
    stage.press(Qt.Key.Key_Escape, stage.find("importCancel"))
    gate.open()
    await until(lambda: "Stopped. Nothing was written." in said(stage))
    assert not below(tmp_path / "in")
    stage.click("importOpen")  # and once more, to the end
    await until(lambda: stage.window.pages.trusting.sheet is not None, 20)


async def test_a_window_that_closes_in_the_middle_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    zipped = packed(tmp_path / "kay.zip", FILES)
    stage = await Stage(write_package(tmp_path / "ada")).open()
    await bring(stage, zipped, tmp_path / "in" / "kay")
    stage.click("importOpen")
    await until(gate.reached.is_set)
    threading.Timer(0.1, gate.open).start()
    await stage.close()
    assert not below(tmp_path / "in")


async def test_a_card_named_on_the_command_line_leads_to_the_sheet(tmp_path: Path) -> None:
    name, data, _ = FORMS["tEXt"]
    (tmp_path / name).write_bytes(data)
    stage = Stage(None)
    stage.window.deleteLater()
    stage.window = StudioWindow(tmp_path / name)
    await stage.open()
    await until(lambda: bool(stage.all("importOpen")))
    assert "Import Hanne" in said(stage)
    await stage.close()


async def test_a_picture_for_the_project_is_copied_and_a_card_is_asked_about(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    for name, form in (("sea.png", ""), ("hanne.png", "tEXt")):
        plain = b"\x89PNG\r\n\x1a\n plain"
        (tmp_path / name).write_bytes(FORMS[form][1] if form else plain)
    (tmp_path / "tides.json").write_text("[1, 2]")
    project = write_package(tmp_path / "ada")
    stage = await stage_on(project)
    places = [tmp_path / name for name in ("sea.png", "hanne.png", "tides.json")]
    assert drop(stage.window.pages.editors, *places)
    await until(lambda: bool(stage.all("importOpen")))
    await until((project / "tides.json").exists)
    assert (project / "sea.png").exists()
    assert not (project / "hanne.png").exists()
    assert "Import Hanne" in said(stage)


async def test_files_dropped_on_the_message_field_are_the_windows_and_text_is_the_fields(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    zipped = packed(tmp_path / "kay.zip", FILES)
    stage = await stage_on(write_package(tmp_path / "ada"))
    drop(stage.input.viewport(), zipped)
    await until(lambda: bool(stage.all("importOpen")))
    assert stage.input.toPlainText() == ""
    text = QMimeData()
    text.setText("Good evening.")
    stage.input.insertFromMimeData(text)
    assert stage.input.toPlainText() == "Good evening."


async def test_nothing_is_taken_while_a_sheet_asks(stage_on: OpenStage, tmp_path: Path) -> None:
    zipped = packed(tmp_path / "kay.zip", FILES)
    stage = await stage_on(write_package(tmp_path / "ada"))
    await bring(stage, zipped)
    assert not drop(stage.window, zipped)
    QTest.keyClick(stage.find("importCancel"), Qt.Key.Key_Escape)
    assert drop(stage.window, zipped)
    await until(lambda: bool(stage.all("importOpen")))


async def test_a_fault_of_ours_is_told_in_the_sheet(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_place: Path) -> None:
        raise StudioError("The disk is gone. Plug it in again.")

    stage = await stage_on(write_package(tmp_path / "ada"))
    stage.window.pages.receiving.ask_address()
    await until(lambda: bool(stage.all("addressFetch")))
    stage.click("addressCancel")
    monkeypatch.setattr("studio_qt.ui.incoming.page.look_at", fails)
    await bring(stage, packed(tmp_path / "kay.zip", FILES))
    assert "Plug it in again" in reason(stage)
