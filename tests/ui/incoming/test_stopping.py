"""An import that is stopped has written nothing, whenever the stop comes."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit

from studio_qt.authoring.importing import Incoming, unpack
from studio_qt.authoring.trust import TrustBook
from studio_qt.settings import home_folder
from studio_qt.ui.incoming import work
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage
from tests.ui.incoming.parcels import FILES, drop, packed, said, sheet_of

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-11")]


class Late:
    """Holds the work when everything is written, before the window hears of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.written, self.go_on = threading.Event(), threading.Event()

        def held(incoming: Incoming, folder: Path, told: Callable[[int, int], None]) -> None:
            unpack(incoming, folder, told)
            self.written.set()
            assert self.go_on.wait(20)

        monkeypatch.setattr(work, "unpack", held)


async def importing(stage_on: OpenStage, tmp_path: Path, target: Path) -> Stage:
    """Begin an import into a folder."""
    stage = await stage_on(write_package(tmp_path / "ada"))
    assert drop(stage.window, packed(tmp_path / "kay.zip", FILES))
    await until(lambda: bool(stage.all("importOpen")))
    field = stage.find("importPlace")
    assert isinstance(field, QLineEdit)
    field.setText(str(target))
    stage.click("importOpen")
    return stage


@pytest.mark.parametrize("times", [1, 3])
async def test_in_the_last_moment(
    times: int, stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Late(monkeypatch)
    target = tmp_path / "in" / "deep" / "kay"
    stage = await importing(stage_on, tmp_path, target)
    await until(late.written.is_set)
    assert (target / "config.json").exists()
    for _ in range(times):
        stage.click("importCancel")
        await asyncio.sleep(0)
    late.go_on.set()
    await until(lambda: "Stopped. Nothing was written." in said(stage))
    assert not (tmp_path / "in").exists()
    assert TrustBook(home_folder()).record(target).origin == ""


async def test_a_folder_that_was_there_stays_empty(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Late(monkeypatch)
    (tmp_path / "in").mkdir()
    stage = await importing(stage_on, tmp_path, tmp_path / "in")
    await until(late.written.is_set)
    stage.click("importCancel")
    late.go_on.set()
    await until(lambda: "Stopped. Nothing was written." in said(stage))
    assert list((tmp_path / "in").iterdir()) == []


async def test_what_cannot_be_taken_back_is_said(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Late(monkeypatch)
    stage = await importing(stage_on, tmp_path, tmp_path / "in")
    await until(late.written.is_set)

    def held(_folder: Path) -> None:
        raise PermissionError(13, "another program has a file of it open")

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", held)
        stage.click("importCancel")
        late.go_on.set()
        await until(lambda: "was written already" in said(stage))
    assert "another program has a file of it open. Delete it yourself." in said(stage)
    assert "Nothing was written" not in said(stage)
    assert sheet_of(stage).isVisible()


async def test_a_window_that_closes_in_the_last_moment_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Late(monkeypatch)

    async def stage_on(project: Path | None) -> Stage:
        return await Stage(project).open()

    stage = await importing(stage_on, tmp_path, tmp_path / "in" / "kay")
    await until(late.written.is_set)
    threading.Timer(0.1, late.go_on.set).start()
    await stage.close()
    assert not (tmp_path / "in").exists()
