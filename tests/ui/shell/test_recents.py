"""The list of projects that were opened before."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from studio_qt.ui import recents as module
from studio_qt.ui.recents import MOST, Recents
from tests.support.probe import Probe

DAY = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path, qapp: QApplication) -> Path:
    return tmp_path / "home"


def test_the_latest_project_is_first_and_there_once(home: Path, tmp_path: Path) -> None:
    recents = Recents(home)
    for hours, name in enumerate(("a", "b", "a")):
        recents.note(tmp_path / name, DAY + timedelta(hours=hours))
    assert [one.path.name for one in recents.entries] == ["a", "b"]
    recents.flush()
    assert Recents(home).entries == recents.entries


def test_no_more_are_kept_than_can_be_looked_through(home: Path, tmp_path: Path) -> None:
    recents = Recents(home)
    for hours in range(MOST + 5):
        recents.note(tmp_path / str(hours), DAY + timedelta(hours=hours))
    recents.flush()
    assert len(Recents(home).entries) == MOST
    assert recents.entries[0].path.name == str(MOST + 4)


def test_a_change_of_another_window_is_kept(home: Path, tmp_path: Path) -> None:
    first, second = Recents(home), Recents(home)
    first.note(tmp_path / "a", DAY)
    first.flush()
    second.note(tmp_path / "b", DAY + timedelta(hours=1))
    second.flush()
    first.note(tmp_path / "c", DAY + timedelta(hours=2))
    first.flush()
    QCoreApplication.sendPostedEvents()
    assert [one.path.name for one in first.entries] == ["c", "b", "a"]


def test_a_forgotten_project_is_left_alone(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "a"
    project.mkdir()
    recents = Recents(home)
    heard: list[int] = []
    recents.changed.connect(lambda: heard.append(len(recents.entries)))
    recents.note(project)
    recents.remove(project)
    recents.flush()
    assert (heard, project.exists()) == ([1, 0], True)


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"projects": 3}', "\x00", '{"a": 1}'])
def test_a_broken_file_counts_as_empty_and_says_so(home: Path, text: str) -> None:
    home.mkdir()
    (home / "recents.json").write_text(text, encoding="utf-8")
    recents = Recents(home)
    assert recents.entries == ()
    assert "recents.json" in recents.notice


def test_entries_that_are_none_are_passed_over(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    good = {"path": str(tmp_path / "a"), "opened": "2026-11-01T12:00:00"}
    odd = [
        3,
        None,
        {},
        {"path": ""},
        {"path": "a/b", "opened": "2026-11-01"},
        {**good, "opened": 5},
    ]
    (home / "recents.json").write_text(json.dumps({"projects": [*odd, good]}), encoding="utf-8")
    assert [one.path.name for one in Recents(home).entries] == ["a"]


def test_what_cannot_be_written_is_still_known(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(module, "write_atomic", refuse)
    recents = Recents(home)
    recents.note(tmp_path / "a", DAY)
    recents.note(tmp_path / "b", DAY + timedelta(hours=1))
    recents.flush()
    assert [one.path.name for one in recents.entries] == ["b", "a"]
    monkeypatch.undo()
    recents.note(tmp_path / "c", DAY + timedelta(hours=2))
    recents.flush()
    assert [one.path.name for one in Recents(home).entries] == ["c", "b", "a"]


def test_the_list_is_written_on_a_thread_and_is_there_when_all_is_written(
    home: Path, tmp_path: Path
) -> None:
    recents = Recents(home)
    with Probe.get().looking(home) as acts:
        recents.note(tmp_path / "a", DAY)
        recents.remove(tmp_path / "b")
    assert [str(one) for one in acts] == []
    recents.flush()
    assert [one.path.name for one in Recents(home).entries] == ["a"]
