"""`studio-qt associate` as a command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from studio_qt.terminal.associating import launching
from tests.terminal.associating.conftest import Desktop
from tests.terminal.conftest import Studio

pytestmark = pytest.mark.clause("STU-11")

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="for a Linux desktop")


@linux
def test_it_says_what_opens_and_takes_it_back(desktop: Desktop, studio: Studio) -> None:
    done = studio("associate")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Files that end in .charx open in Character Studio.\n")
    assert (desktop.folders.data / "applications/studio-qt.desktop").is_file()
    done = studio("associate", "--remove")
    assert done.out == "Character Studio opens no files by a double click any more.\n"
    assert not desktop.all_files()


@linux
def test_what_is_in_the_way_is_told_in_one_line(desktop: Desktop, studio: Studio) -> None:
    place = desktop.folders.data / "applications/studio-qt.desktop"
    place.mkdir(parents=True)
    done = studio("associate")
    assert done.code == 1
    assert f"{place} is there already" in done.err
    assert len(done.err.splitlines()) == 1


@linux
def test_folders_that_cannot_be_written_are_told(desktop: Desktop, studio: Studio) -> None:
    desktop.folders.data.parent.mkdir(parents=True)
    desktop.folders.data.write_text("no folder")
    done = studio("associate")
    assert done.code == 1
    assert f"{desktop.folders.data / 'applications'} cannot be written" in done.err
    assert studio("associate", "--remove").code == 0
    assert desktop.folders.data.read_text() == "no folder"


@linux
def test_a_desktop_that_fills_up_half_way_is_cleared_by_removal(
    desktop: Desktop, studio: Studio
) -> None:
    (desktop.folders.data / "icons").parent.mkdir(parents=True)
    (desktop.folders.data / "icons").write_text("no folder")
    assert studio("associate").code == 1
    assert studio("associate", "--remove").code == 0
    assert [*desktop.all_files()] == [str(desktop.folders.data / "icons")]


def test_wrong_words_end_with_two(studio: Studio) -> None:
    assert studio("associate", "now").code == 2


def test_it_is_started_without_a_look_at_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    monkeypatch.setattr(sys, "executable", str(python))
    assert launching.launcher() == (str(python), "-P", "-m", "studio_qt")
    if sys.platform != "win32":
        (tmp_path / "studio-qt").write_text("#!/bin/sh\n")
        (tmp_path / "studio-qt").chmod(0o755)
        assert launching.launcher() == (str(tmp_path / "studio-qt"),)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert launching.launcher() == (str(python),)
