"""What files were before is kept, within bounds, and can be taken back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from studio_qt.errors import StudioError
from studio_qt.ui.documents.history import LocalHistory
from studio_qt.ui.keeping import project_memory
from tests.ui.documents.conftest import Bed, type_at


def reload(folder: Path, **bounds: int) -> LocalHistory:
    history = LocalHistory(folder, **bounds)
    history.load()
    return history


def contents(history: LocalHistory, path: str) -> list[bytes]:
    return [history.data(version) for version in history.versions(path)]


def test_versions_come_the_newest_first_and_survive_a_restart(tmp_path: Path) -> None:
    history = LocalHistory(tmp_path / "history")
    for data in (b"one", b"two", b"\x00\xff"):
        history.keep("a.txt", data, "before saving")
    again = reload(tmp_path / "history")
    assert contents(again, "a.txt") == [b"\x00\xff", b"two", b"one"]
    assert [version.size for version in again.versions("a.txt")] == [2, 3, 3]
    assert len({version.id for version in again.versions("a.txt")}) == 3


def test_the_same_content_twice_in_a_row_is_one_version_and_one_object(tmp_path: Path) -> None:
    history = LocalHistory(tmp_path)
    assert history.keep("a.txt", b"one", "before saving") is not None
    assert history.keep("a.txt", b"one", "foreign change") is None
    history.keep("a.txt", b"two", "before saving")
    history.keep("a.txt", b"one", "before saving")
    history.keep("b.txt", b"one", "deleted")
    assert contents(history, "a.txt") == [b"one", b"two", b"one"]
    assert len(list(tmp_path.rglob("*.z"))) == 2


def test_a_file_keeps_its_most_versions_the_latest_and_the_first(tmp_path: Path) -> None:
    history = LocalHistory(tmp_path, most=50)
    for number in range(80):
        history.keep("a.txt", f"{number}".encode(), "before saving")
    kept = contents(reload(tmp_path), "a.txt")
    assert len(kept) == 50
    assert kept[:20] == [f"{number}".encode() for number in range(79, 59, -1)]
    assert kept[-1] == b"0"
    assert len(list(tmp_path.rglob("*.z"))) == 50


def test_a_project_keeps_its_most_bytes_and_drops_the_oldest(tmp_path: Path) -> None:
    history = LocalHistory(tmp_path, most_bytes=100_000)
    for number in range(10):
        history.keep(f"{number % 3}.txt", os.urandom(20_000), "before saving")
    total = sum(place.stat().st_size for place in tmp_path.rglob("*.z"))
    assert 60_000 < total <= 100_000
    assert all(history.versions(f"{number}.txt") for number in range(3))
    assert contents(reload(tmp_path), "0.txt") == contents(history, "0.txt")


def test_versions_follow_a_renamed_file_and_folder(tmp_path: Path) -> None:
    history = LocalHistory(tmp_path)
    history.keep("old/a.txt", b"one", "before saving")
    history.keep("older.txt", b"two", "before saving")
    history.moved("old", "new")
    history.write_back()
    again = reload(tmp_path)
    assert contents(again, "new/a.txt") == [b"one"]
    assert again.versions("old/a.txt") == []
    assert again.versions("new/a.txt")[0].path == "new/a.txt"
    assert contents(again, "older.txt") == [b"two"]


def test_a_broken_list_or_object_harms_no_other(tmp_path: Path) -> None:
    history = LocalHistory(tmp_path)
    history.keep("a.txt", b"one", "before saving")
    history.keep("b.txt", b"two", "before saving")
    next(iter((tmp_path / "files").iterdir())).write_text("{")
    again = LocalHistory(tmp_path)
    assert len(again.load()) == 1
    (path,) = [path for path in ("a.txt", "b.txt") if again.versions(path)]
    (version,) = again.versions(path)
    for place in tmp_path.rglob("*.z"):
        place.write_bytes(b"x")
    with pytest.raises(StudioError, match="Take another"):
        again.data(version)


def test_without_a_project_nothing_is_kept(tmp_path: Path) -> None:
    history = LocalHistory(None)
    history.load()
    assert history.keep("a.txt", b"one", "before saving") is None
    assert history.versions("a.txt") == []


@pytest.mark.qt_loop
async def test_a_save_keeps_what_was_there_and_a_foreign_change_what_was_seen(bed: Bed) -> None:
    document = await bed.opened("a.txt", b"caf\xe9\r\n")
    type_at(document, "x")
    await bed.documents.save(document)
    bed.write("a.txt", "theirs")
    await bed.told("a.txt")
    (bed.root / "a.txt").unlink()
    await bed.told("a.txt")
    history = bed.documents.history
    assert [(version.reason, history.data(version)) for version in history.versions("a.txt")] == [
        ("deleted", b"theirs"),
        ("foreign change", b"xcaf\xe9\r\n"),
        ("before saving", b"caf\xe9\r\n"),
    ]


@pytest.mark.qt_loop
async def test_a_conflict_that_is_overwritten_keeps_what_the_other_program_wrote(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    type_at(document, "x")
    bed.write("a.txt", "theirs")
    await bed.documents.save(document, over_foreign=True)
    (version,) = bed.documents.history.versions("a.txt")
    assert await bed.documents.history.text(version) == "theirs"


@pytest.mark.qt_loop
async def test_a_version_is_taken_back_as_one_step_and_loses_no_unsaved_text(bed: Bed) -> None:
    document = await bed.opened("a.txt", "one\ntwo\n")
    type_at(document, "new\n")
    await bed.documents.save(document)
    type_at(document, "unsaved\n")
    (version,) = bed.documents.history.versions("a.txt")
    await bed.documents.restore(document, version)
    assert (document.plain, document.state) == ("one\ntwo\n", "modified")
    assert bed.read("a.txt") == b"new\none\ntwo\n"
    latest = bed.documents.history.versions("a.txt")[0]
    assert (latest.reason, bed.documents.history.data(latest)) == (
        "restored",
        b"unsaved\nnew\none\ntwo\n",
    )
    document.text.undo()
    assert document.plain == "unsaved\nnew\none\ntwo\n"


@pytest.mark.qt_loop
async def test_a_file_that_is_about_to_be_removed_can_be_remembered(bed: Bed) -> None:
    bed.write("a.txt", "text")
    await bed.documents.remember("a.txt")
    await bed.documents.remember("none.txt")
    (version,) = bed.documents.history.versions("a.txt")
    assert (version.reason, version.size) == ("deleted", 4)


async def test_a_history_that_cannot_be_written_stops_no_save(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    lists = project_memory(bed.root) / "history" / "files"
    lists.parent.mkdir(parents=True, exist_ok=True)
    lists.write_text("in the way")
    type_at(document, "x")
    await bed.documents.save(document)
    assert bed.read("a.txt") == b"xbase"
    assert document.state == "clean"
    assert "what it was before could not be kept" in bed.notices[-1]
