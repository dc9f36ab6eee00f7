"""Walking a project's folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from studio_qt.files.tree import is_out_of_sight, walk_tree


def _paths(root: Path) -> list[str]:
    return sorted(found.path for found in walk_tree(root))


def test_everything_below_is_found_with_slashes(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c.txt").write_text("four")
    found = {one.path: one for one in walk_tree(tmp_path)}
    assert sorted(found) == ["a", "a/b", "a/b/c.txt"]
    assert found["a"].is_folder
    assert found["a/b/c.txt"].size == 4


def test_a_link_to_a_folder_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/x.txt").write_text("x")
    (tmp_path / "a/round").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    assert _paths(tmp_path) == ["a", "a/round", "a/x.txt", "nowhere"]


def test_what_is_left_out_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / ".git/objects").mkdir(parents=True)
    (tmp_path / "x.txt").touch()
    assert [one.path for one in walk_tree(tmp_path, lambda path: path == ".git")] == ["x.txt"]


def test_names_that_are_no_text_are_passed_over(tmp_path: Path) -> None:
    try:
        (tmp_path / "bad\udcff.txt").touch()
    except OSError:
        pytest.skip("this file system has only names that are text")
    assert _paths(tmp_path) == []


def test_a_missing_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(walk_tree(tmp_path / "gone"))


@pytest.mark.parametrize(
    ("path", "hidden"),
    [
        ("conversations", True),
        ("notes/conversations", False),
        (".git", True),
        (".gitignore", True),
        ("context/.tides.json", False),
        ("context/.DS_Store", True),
        ("context/.0123456789abcdef.tmp", True),
        ("agents/__pycache__", True),
        ("intro.txt", False),
    ],
)
def test_what_is_not_the_authors_own_work_stays_out_of_sight(path: str, hidden: bool) -> None:
    assert is_out_of_sight(path) is hidden


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_a_pipe_is_no_file_of_a_project(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "a.txt").write_text("a")
    assert _paths(tmp_path) == ["a.txt"]
