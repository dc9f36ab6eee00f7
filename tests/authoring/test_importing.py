"""Zips from elsewhere, unpacked as a whole into one folder, or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from studio_qt.authoring.importing import Incoming, folder_for, open_zip, unpack
from studio_qt.errors import PackageError, StudioError
from studio_qt.files import UnsafePathError, ZipSource
from studio_qt.files.archive import ZipLimits
from studio_qt.files.lock import FolderLock

pytestmark = pytest.mark.clause("PKG-13")

CONFIG = '{"name": "Kay"}'


def zipped(files: dict[str, str | bytes], kinds: dict[str, int] | None = None) -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (kinds or {}).get(path, 0) << 16
            archive.writestr(entry, content)
    return data.getvalue()


def incoming(files: dict[str, str | bytes], **options: object) -> Incoming:
    return open_zip(ZipSource(zipped(files), name="kay.zip", **options))  # type: ignore[arg-type]


def below(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_a_nested_root_backslashes_and_clutter_become_a_plain_project(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "kay/config.json": CONFIG,
        "kay\\agents\\a.js": "x",
        "kay/context/.sea.txt": "Sea",
        "__MACOSX/kay/._config.json": "x",
        "kay/.DS_Store": "x",
    }
    unpack(incoming(files), tmp_path / "out")
    assert below(tmp_path / "out") == {
        "config.json": CONFIG.encode(),
        "agents/a.js": b"x",
        "context/.sea.txt": b"Sea",
    }


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"config.json": CONFIG, "../out.txt": "x"}, "refused"),
        ({"config.json": CONFIG, "a/../../out.txt": "x"}, "refused"),
        ({"config.json": CONFIG, "/etc/x": "x"}, "refused"),
        ({"config.json": CONFIG, "C:/x": "x"}, "refused"),
        ({"config.json": CONFIG, "A.txt": "x", "a.txt": "y"}, "differ only in case"),
        ({"config.json": CONFIG, "a": "x", "a/b": "y"}, "file and a folder"),
        ({"notes.txt": "x"}, "no config.json"),
    ],
)
def test_what_is_dangerous_or_no_character_is_refused_with_a_reason(
    files: dict[str, str | bytes], why: str
) -> None:
    with pytest.raises(PackageError, match=why):
        incoming(files)


def test_links_and_bombs_are_refused() -> None:
    kinds = {"link": stat.S_IFLNK | 0o777}
    with pytest.raises(PackageError, match="is a link"):
        ZipSource(zipped({"config.json": CONFIG, "link": "/etc/passwd"}, kinds))
    with pytest.raises(PackageError, match="more than"):
        incoming({"config.json": CONFIG, "big": b"0" * 3_000_000}, limits=ZipLimits(1_000_000))


def test_nothing_is_written_where_something_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StudioError, match="not empty"):
        unpack(incoming({"config.json": CONFIG}), tmp_path)
    assert below(tmp_path) == {"mine.txt": b"mine"}


def test_where_one_file_fails_nothing_is_left(tmp_path: Path) -> None:
    def broken() -> bytes:
        raise OSError("the disk is gone")

    half = Incoming("k", {"config.json": CONFIG.encode, "a.txt": broken})
    with pytest.raises(StudioError):
        unpack(half, tmp_path / "out")
    out = Incoming("k", {"config.json": CONFIG.encode, "../b.txt": b"".join})  # type: ignore[dict-item]
    with pytest.raises(UnsafePathError):
        unpack(out, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "folder"),
    [("Kay", "Kay 2"), ("a/b:c", "a b c"), ("", "Character"), ("con", "con character")],
)
def test_a_folder_is_called_after_the_character(tmp_path: Path, name: str, folder: str) -> None:
    (tmp_path / "Kay").mkdir()
    assert folder_for(tmp_path, name).name == folder


@pytest.mark.parametrize("sign", ["😀", "漢", "é", "a"])
def test_a_name_of_any_signs_is_no_longer_than_a_folder_may_be_called(
    tmp_path: Path, sign: str
) -> None:
    for _ in range(2):
        folder = folder_for(tmp_path, sign * 300)
        unpack(Incoming(sign, {"config.json": lambda: b"{}"}), folder)
        assert folder.name.startswith(sign * 40)


KILLED = """
import os, signal, sys
from pathlib import Path
from studio_qt.authoring.importing import Incoming, unpack
def kill():
    os.kill(os.getpid(), signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
unpack(Incoming("Kay", {"a.txt": lambda: b"a", "b.txt": lambda: kill()}), Path(sys.argv[1]))
"""


def test_what_a_killed_import_has_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    words = [sys.executable, "-c", KILLED, str(tmp_path / "Kay")]
    assert subprocess.run(words, check=False).returncode != 0
    (left,) = tmp_path.iterdir()
    assert left.name != "Kay"
    used = FolderLock(tmp_path / f"{left.name}0")
    used.acquire()  # of one that still runs
    for folder in tmp_path.iterdir():
        os.utime(folder, (0, 0))
    fresh = tmp_path / f"{left.name}1"  # of one that has not locked it yet
    fresh.mkdir()
    unpack(incoming({"config.json": CONFIG}), tmp_path / "Kay")
    assert {one.name for one in tmp_path.iterdir()} == {"Kay", f"{left.name}0", fresh.name}
    used.release()
