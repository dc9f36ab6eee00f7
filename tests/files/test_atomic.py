from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from studio_qt.errors import StorageError
from studio_qt.files import atomic, remove_leftovers, storage_errors, write_atomic

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and folder syncs are POSIX")


@pytest.mark.clause("PERS-04")
@pytest.mark.parametrize("durable", [True, False])
def test_a_file_is_made_and_replaced_whole(tmp_path: Path, *, durable: bool) -> None:
    path = tmp_path / "a.json"
    write_atomic(path, "ü\r\n", durable=durable)
    assert path.read_bytes() == "ü\r\n".encode()
    write_atomic(path, b"\x00\xff", durable=durable)
    assert path.read_bytes() == b"\x00\xff"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.clause("PERS-04")
def test_the_new_content_is_on_the_disk_before_it_has_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def note_sync(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        steps.append("sync folder" if is_folder else "sync file")
        fsync(descriptor)

    def note_replace(self: Path, target: Path) -> Path:
        steps.append("replace")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_replace)
    write_atomic(tmp_path / "a", "x")
    assert steps[:2] == ["sync file", "replace"]
    assert steps[2:] == (["sync folder"] if os.name == "posix" else [])
    write_atomic(tmp_path / "a", "x", durable=False)
    assert steps[-1] == "replace"


@pytest.mark.clause("PERS-04")
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    write_atomic(path, "old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="disk is full") as caught:
        write_atomic(path, "new")
    assert str(tmp_path) in str(caught.value)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"nowhere.*does not exist"):
        write_atomic(tmp_path / "nowhere/a", "x")


def test_a_folder_in_the_files_place_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    with pytest.raises(StorageError):
        write_atomic(tmp_path / "a", "x")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


@posix
def test_the_mode_of_a_file_is_kept_and_a_new_one_follows_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "a"
    (tmp_path / "plain").write_text("")
    write_atomic(path, "x")
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode
    path.chmod(0o640)
    write_atomic(path, "y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real/a")
    write_atomic(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real/a").read_text() == "new"


def test_a_file_that_is_held_for_a_moment_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "_PATIENCE", 5.0)
    replace, refusals = Path.replace, iter(range(3))

    def held(self: Path, target: Path) -> Path:
        if next(refusals, None) is not None:
            raise PermissionError(errno.EACCES, "in use")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", held)
    write_atomic(tmp_path / "a", "x")
    assert (tmp_path / "a").read_text() == "x"


def test_a_very_long_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250)
    write_atomic(path, "x")
    assert path.read_text() == "x"


def test_what_a_killed_writer_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in (".0123456789abcdef.tmp", "keep.tmp", ".lock"):
        (tmp_path / name).write_text("x")
    remove_leftovers(tmp_path)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".lock", "keep.tmp"]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permissions"),
        (errno.EDQUOT, "quota"),
        (errno.EIO, os.strerror(errno.EIO)),
    ],
)
def test_a_system_error_becomes_a_sentence_about_the_folder(code: int, words: str) -> None:
    with pytest.raises(StorageError, match=words) as caught, storage_errors(Path("data")):
        raise OSError(code, os.strerror(code))
    assert str(caught.value).startswith("data cannot be written")
