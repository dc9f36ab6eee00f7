"""What is made in this program counts as made here (SUB-14)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from studio_qt.authoring.trust import TrustBook
from studio_qt.files.birth import birth_of
from studio_qt.settings import home_folder
from studio_qt.terminal.new import new_project
from studio_qt.ui.opening.sample import sample_project
from tests.support.window import write_package
from tests.ui.conftest import OpenStage


@pytest.mark.clause("SUB-14")
def test_a_project_of_the_command_line_is_made_here(tmp_path: Path) -> None:
    new_project(tmp_path / "mine", "lorekeeper")
    assert TrustBook(home_folder()).record(tmp_path / "mine").made_here


def test_the_sample_is_made_here_also_where_it_was_there_before(tmp_path: Path) -> None:
    folder = sample_project(tmp_path)
    (tmp_path / "trust.json").unlink()
    assert sample_project(tmp_path) == folder
    assert TrustBook(tmp_path).record(folder).made_here


def test_a_sample_whose_mark_cannot_be_kept_opens_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "trust.json").mkdir(parents=True)
    (tmp_path / "trust.json" / "full").write_text("x", encoding="utf-8")
    assert (sample_project(tmp_path) / "config.json").exists()
    assert caplog.records


@pytest.mark.qt_loop
@pytest.mark.clause("SUB-14")
@pytest.mark.skipif(birth_of(Path(__file__)) == 0, reason="the file system tells no birth")
async def test_a_project_of_ones_own_plays_unasked_where_it_was_moved_to_and_a_copy_asks(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    write_package(tmp_path / "ada").rename(tmp_path / "moved")
    shutil.copytree(tmp_path / "moved", tmp_path / "copy")
    moved = (await stage_on(tmp_path / "moved", elsewhere=True)).window
    assert moved.session.player is not None
    copy = (await stage_on(tmp_path / "copy", elsewhere=True)).window
    assert copy.session.player is None
    assert copy.session.gate.waiting
