"""`studio-qt export`."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.terminal.conftest import Studio

pytestmark = pytest.mark.clause("STU-11")


def test_a_project_becomes_a_zip_that_plays(studio: Studio, counter: Path, tmp_path: Path) -> None:
    place = tmp_path / "out.zip"
    done = studio("export", counter, place)
    assert done.code == 0, done.err
    assert "played one turn, without network" in done.out
    texts = ["config.json", "description.txt", "instructions.txt", "intro.txt"]
    assert zipfile.ZipFile(place).namelist() == ["agents/test.counter.js", *texts]
    played = studio("call", place, "count", '{"by": 2}')
    assert "total 2" in played.out


def test_what_does_not_play_is_told_in_one_line_and_nothing_is_written(
    studio: Studio, counter: Path, tmp_path: Path
) -> None:
    (counter / "agents" / "test.counter.js").write_text("/** @agent test.counter */\nnosuch();\n")
    done = studio("export", counter, tmp_path / "out.zip")
    assert done.code == 1
    assert "nosuch" in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "out.zip").exists()


def test_a_folder_that_is_not_there_is_named(studio: Studio, counter: Path, tmp_path: Path) -> None:
    done = studio("export", counter, tmp_path / "nosuch" / "out.zip")
    assert done.code == 1
    folder = tmp_path / "nosuch"
    assert done.err == (
        f"studio-qt: {folder} cannot be written: it does not exist; make it or choose another "
        "folder.\n"
    )
    assert not folder.exists()


def test_nothing_is_written_over_what_somebody_wrote(
    studio: Studio, counter: Path, tmp_path: Path
) -> None:
    config, notes = counter / "config.json", tmp_path / "notes.zip"
    notes.write_text("Mine.")
    before = config.read_text()
    for place in (config, notes):
        done = studio("export", counter, place)
        assert done.code == 1
        assert "Choose another name" in done.err
    assert (config.read_text(), notes.read_text()) == (before, "Mine.")
    empty = tmp_path / "out.zip"
    empty.touch()
    for _ in range(2):  # and over the zip from before
        assert studio("export", counter, empty).code == 0
