from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from studio_qt.files import FolderSource, Source, UnsafePathError
from studio_qt.files import folder as folder_module


@pytest.fixture
def source(tmp_path: Path) -> FolderSource:
    root = tmp_path / "Aria"
    (root / "context/deep").mkdir(parents=True)
    (root / "context/b.txt").write_text("b")
    (root / "context/a b é.md").write_text("a")
    (root / "context/.dot").write_text("dot")
    (root / "context/deep/c.txt").write_text("c")
    return FolderSource(root)


@pytest.mark.clause("PKG-01")
def test_a_folder_lists_only_its_own_files_in_order(source: FolderSource) -> None:
    assert isinstance(source, Source)
    assert source.name == "Aria"
    assert source.list_folder("context") == (".dot", "a b é.md", "b.txt")
    assert source.list_folder("context/") == source.list_folder("./context")
    assert source.list_folder("nowhere") == ()
    assert source.list_folder("context/b.txt") == ()


def test_only_a_regular_file_exists(source: FolderSource) -> None:
    assert source.exists("context/deep/c.txt")
    assert not source.exists("context")
    assert not source.exists("context/none")
    assert not source.exists("context/b.txt/x")
    assert not source.exists("x" * 5000)


def test_reading_what_is_no_file_says_what_it_is(source: FolderSource) -> None:
    assert source.read_bytes("context/b.txt") == b"b"
    with pytest.raises(FileNotFoundError):
        source.read_bytes("context/none")
    with pytest.raises(IsADirectoryError):
        source.read_bytes("context")


@pytest.mark.clause("PKG-04")
@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "C:/x", "a\\b", "context/../../x"])
def test_every_question_about_an_unsafe_path_is_refused(source: FolderSource, path: str) -> None:
    for ask in (source.exists, source.read_bytes, source.list_folder):
        with pytest.raises(UnsafePathError):
            ask(path)


@pytest.mark.clause("PKG-04")
def test_a_link_out_is_listed_but_never_read(source: FolderSource, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s")
    (source.root / "context/link").symlink_to(tmp_path / "secret")
    assert "link" in source.list_folder("context")
    with pytest.raises(UnsafePathError):
        source.read_bytes("context/link")
    with pytest.raises(UnsafePathError):
        source.exists("context/link")


def test_a_link_to_itself_is_no_file(source: FolderSource) -> None:
    (source.root / "loop").symlink_to(source.root / "loop")
    assert not source.exists("loop")
    with pytest.raises(OSError, match=r"loop|link"):
        source.read_bytes("loop")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are no files on Windows")
def test_a_pipe_is_never_opened(source: FolderSource) -> None:
    os.mkfifo(source.root / "pipe")
    assert not source.exists("pipe")
    assert source.list_folder("") == ()
    with pytest.raises(OSError, match="ordinary"):
        source.read_bytes("pipe")


def test_an_enormous_file_is_not_read(
    source: FolderSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "FILE_LIMIT", 0)
    with pytest.raises(OSError, match="large"):
        source.read_bytes("context/b.txt")


def test_the_current_folder_has_its_real_name(
    source: FolderSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(source.root)
    assert FolderSource(Path()).name == "Aria"
