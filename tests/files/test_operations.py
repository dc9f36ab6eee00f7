"""Making, moving, copying and removing files: wholly or not at all, and never over another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio_qt.errors import StorageError
from studio_qt.files import operations


def _tree(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_a_new_file_brings_the_folders_that_it_needs(tmp_path: Path) -> None:
    operations.make_file(tmp_path, "agents/lib/x.js", b"1")
    assert _tree(tmp_path) == {"agents/lib/x.js": "1"}


def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(StorageError, match=r"a\.txt"):
        operations.make_file(tmp_path, "a.txt", b"new")
    with pytest.raises(StorageError):
        operations.make_folder(tmp_path, "a.txt")
    assert _tree(tmp_path) == {"a.txt": "old"}


def test_moving_never_takes_the_place_of_another(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    with pytest.raises(StorageError, match=r"already something called .*b\.txt"):
        operations.move_inside(tmp_path, "a.txt", "b.txt")
    assert _tree(tmp_path) == {"a.txt": "a", "b.txt": "b"}


def test_a_folder_moves_with_what_is_in_it_but_not_into_itself(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/x.txt").write_text("x")
    operations.move_inside(tmp_path, "a/b", "c/b")
    assert _tree(tmp_path) == {"c/b/x.txt": "x"}
    with pytest.raises(StorageError, match="into itself"):
        operations.move_inside(tmp_path, "c", "c/b/c")


def test_only_the_case_of_a_name_may_change(tmp_path: Path) -> None:
    (tmp_path / "Notes.txt").write_text("n")
    operations.move_inside(tmp_path, "Notes.txt", "notes.txt")
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.txt"]


def test_what_is_gone_cannot_be_moved_and_the_sentence_says_so(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="not there any more"):
        operations.move_inside(tmp_path, "a.txt", "b.txt")


def test_a_copied_folder_appears_whole(tmp_path: Path) -> None:
    source = tmp_path / "outside"
    (source / "deep").mkdir(parents=True)
    (source / "deep/x.txt").write_text("x")
    root = tmp_path / "root"
    root.mkdir()
    operations.copy_in(source, root, "context/outside")
    assert _tree(root) == {"context/outside/deep/x.txt": "x"}
    with pytest.raises(StorageError, match="already"):
        operations.copy_in(source, root, "context/outside")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_a_copy_leaves_out_what_would_never_end(tmp_path: Path) -> None:
    source = tmp_path / "outside"
    source.mkdir()
    (source / "x.txt").write_text("x")
    (source / "round").symlink_to(source, target_is_directory=True)
    (source / "link.txt").symlink_to(source / "x.txt")
    (source / "nowhere").symlink_to(source / "missing")
    os.mkfifo(source / "pipe")
    (tmp_path / "root").mkdir()
    operations.copy_in(source, tmp_path / "root", "outside")
    assert _tree(tmp_path / "root") == {"outside/x.txt": "x", "outside/link.txt": "x"}
    with pytest.raises(StorageError, match="no ordinary file"):
        operations.copy_in(source / "pipe", tmp_path / "root", "pipe")


def test_a_folder_is_not_copied_into_itself(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(StorageError, match="into itself"):
        operations.copy_in(tmp_path / "a", tmp_path, "a/copy")
    assert list((tmp_path / "a").iterdir()) == []


def test_a_failed_copy_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    with pytest.raises(StorageError, match=r"x\.txt"):
        operations.copy_in(tmp_path / "missing.txt", tmp_path / "root", "x.txt")
    assert list((tmp_path / "root").iterdir()) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o500)
    with pytest.raises(StorageError, match="permissions"):
        operations.make_file(tmp_path, "a/x.txt", b"")
    (tmp_path / "a").chmod(0o700)


def test_what_was_kept_can_be_put_back(tmp_path: Path) -> None:
    root, shelf = tmp_path / "root", tmp_path / "shelf"
    (root / "a/b").mkdir(parents=True)
    (root / "a/b/x.txt").write_text("x")
    kept = operations.keep_copy(root, "a", shelf)
    operations.remove_for_good(root, "a")
    assert _tree(root) == {}
    operations.put_back(kept, root, "a")
    assert _tree(root) == {"a/b/x.txt": "x"}


def test_paths_that_lead_out_are_refused(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/out").symlink_to(tmp_path)
    for path in ("../x.txt", "/x.txt", "out/x.txt"):
        with pytest.raises(Exception, match=r"package"):
            operations.make_file(tmp_path / "root", path, b"")
    assert not (tmp_path / "x.txt").exists()


def test_a_link_itself_is_removed_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/x.txt").write_text("x")
    (tmp_path / "root").mkdir()
    (tmp_path / "root/link").symlink_to(tmp_path / "outside", target_is_directory=True)
    operations.remove_for_good(tmp_path / "root", "link")
    assert (tmp_path / "outside/x.txt").exists()
    assert not (tmp_path / "root/link").is_symlink()


def test_a_trash_that_fails_is_told_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_path: str) -> None:
        raise OSError("no trash on this disk")

    monkeypatch.setattr("send2trash.send2trash", fail)
    (tmp_path / "x.txt").touch()
    with pytest.raises(StorageError, match=r"x\.txt cannot be moved to the trash: no trash"):
        operations.to_trash(tmp_path, "x.txt")
    assert (tmp_path / "x.txt").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="where the trash lies is told by Linux alone")
def test_the_trash_of_the_system_takes_a_file(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/x.txt").write_text("x")
    code = (
        "import sys; from pathlib import Path; from studio_qt.files.operations import to_trash; "
        "to_trash(Path(sys.argv[1]), 'x.txt')"
    )
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "root")], check=True, env=environment
    )
    assert not (tmp_path / "root/x.txt").exists()
    assert [one.read_text() for one in tmp_path.rglob("x.txt")] == ["x"]
