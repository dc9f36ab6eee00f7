"""What is made in this program counts as made here (SUB-14)."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.authoring.trust import TrustBook
from studio_qt.settings import home_folder
from studio_qt.terminal.new import new_project
from studio_qt.ui.opening.sample import sample_project


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
