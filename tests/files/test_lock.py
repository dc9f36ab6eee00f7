from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio_qt.errors import StorageError
from studio_qt.files import FolderLock, Holder

HOLD = """
import sys
from pathlib import Path
from studio_qt.files import FolderLock
lock = FolderLock(Path(sys.argv[1]), process="other studio")
print(lock.try_acquire(), flush=True)
sys.stdin.read()
"""


def test_a_folder_has_one_holder_and_the_second_is_told_who(tmp_path: Path) -> None:
    first, second = FolderLock(tmp_path / "data", process="studio"), FolderLock(tmp_path / "data")
    assert first.try_acquire() is None and first.held
    assert second.try_acquire() == Holder(os.getpid(), "studio")
    assert not second.held
    with pytest.raises(StorageError, match=f"studio \\(process {os.getpid()}\\)"):
        second.acquire()
    first.release()
    assert second.try_acquire() is None
    second.release()


def test_taking_and_releasing_twice_is_harmless(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    assert lock.try_acquire() is None
    assert lock.try_acquire() is None
    lock.release()
    lock.release()
    with lock:
        assert lock.held
    assert not lock.held


@pytest.mark.clause("PERS-04")
def test_a_kill_gives_the_folder_free(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "None\n"
        lock = FolderLock(tmp_path)
        assert lock.try_acquire() == Holder(child.pid, "other studio")
        child.kill()
        child.wait()
        assert lock.try_acquire() is None
        lock.release()


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="file"):
        FolderLock(tmp_path / "file/data").try_acquire()


def test_a_lock_file_that_is_a_folder_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / ".lock").mkdir()
    with pytest.raises(StorageError):
        FolderLock(tmp_path).try_acquire()


def test_a_holder_that_wrote_nothing_yet_is_still_a_holder(tmp_path: Path) -> None:
    first = FolderLock(tmp_path)
    first.try_acquire()
    (tmp_path / ".lock").write_bytes(b"\xff")
    holder = FolderLock(tmp_path).try_acquire()
    assert holder is not None and holder.pid is None
    assert str(holder) == "another program"
    first.release()


def test_a_lock_is_not_inherited_by_a_child_process(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    lock.try_acquire()
    wait = [sys.executable, "-c", "import sys; print('up', flush=True); sys.stdin.read()"]
    with subprocess.Popen(wait, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        lock.release()
        again = FolderLock(tmp_path)
        assert again.try_acquire() is None
        again.release()
