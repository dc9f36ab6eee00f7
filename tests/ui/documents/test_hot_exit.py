"""Unsaved text outlives the application, whatever ends it, and is never mixed with the disk's."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from studio_qt.errors import StudioError
from studio_qt.ui.documents.unsaved import Unsaved, UnsavedStore
from studio_qt.ui.keeping import project_memory
from tests.support.qt import until
from tests.ui.documents.conftest import Bed, type_at

pytestmark = pytest.mark.qt_loop
NewBed = Callable[[], Awaitable[Bed]]


def copies(bed: Bed) -> list[Unsaved]:
    return UnsavedStore(project_memory(bed.root) / "unsaved").read()[0]


async def test_unsaved_text_is_on_the_disk_within_a_second_without_help(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    type_at(document, "mine ")
    await until(lambda: [copy.text for copy in copies(bed)] == ["mine base"], 1)


async def test_unsaved_text_is_on_the_disk_while_typing_goes_on_and_on(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")

    def kept() -> bool:
        type_at(document, "x")
        return bool(copies(bed))

    await until(kept, 1.5)


async def test_unsaved_text_comes_back_and_undo_leads_to_the_disks(new_bed: NewBed) -> None:
    bed = await new_bed()
    document = await bed.opened("a.txt", "base\u2029\u00a0\r\n")
    type_at(document, "mine\n")
    await bed.documents.shutdown()
    assert bed.read("a.txt") == "base\u2029\u00a0\r\n".encode()
    again = await new_bed()
    (document,) = again.documents.documents
    assert (document.path, document.state) == ("a.txt", "modified")
    assert document.plain == "mine\nbase\u2029\u00a0\n"
    assert dict(again.documents.buffers) == {"a.txt": "mine\r\nbase\u2029\u00a0\r\n"}
    document.text.undo()
    again.documents.flush()
    assert (document.plain, document.state) == ("base\u2029\u00a0\n", "clean")


async def test_a_disk_that_changed_meanwhile_is_a_conflict(new_bed: NewBed) -> None:
    bed = await new_bed()
    type_at(await bed.opened("a.txt", "base"), "mine ")
    await bed.documents.shutdown()
    bed.write("a.txt", "theirs")
    again = await new_bed()
    (document,) = again.documents.documents
    assert (document.plain, document.state) == ("mine base", "conflict")
    assert await again.documents.disk_text(document) == "theirs"
    await again.told("a.txt")
    assert document.state == "conflict"
    again.write("a.txt", "mine base")
    await again.told("a.txt")
    assert document.state == "clean"


async def test_a_disk_that_has_the_unsaved_text_already_is_no_conflict(new_bed: NewBed) -> None:
    bed = await new_bed()
    type_at(await bed.opened("a.txt", "base"), "mine ")
    await bed.documents.shutdown()
    bed.write("a.txt", "mine base")
    again = await new_bed()
    assert [document.state for document in again.documents.documents] == ["clean"]
    await until(lambda: copies(again) == [])


@pytest.mark.parametrize("now", [None, b"\0"], ids=["removed", "binary"])
async def test_unsaved_text_of_a_file_that_is_no_text_any_more_comes_back(
    new_bed: NewBed, now: bytes | None
) -> None:
    bed = await new_bed()
    type_at(await bed.opened("a/b.txt", "base"), "mine ")
    await bed.documents.shutdown()
    (bed.root / "a/b.txt").unlink()
    if now is not None:
        bed.write("a/b.txt", now)
    again = await new_bed()
    (document,) = again.documents.documents
    assert (document.plain, document.modified) == ("mine base", True)
    assert document.state == ("gone" if now is None else "conflict")
    if now is not None:
        (bed.root / "a/b.txt").unlink()
        await again.told()
    await again.documents.save(document)
    assert again.read("a/b.txt") == b"mine base"


@pytest.mark.clause("STU-01")
async def test_a_saved_reverted_or_closed_document_leaves_no_copy(bed: Bed) -> None:
    documents = [
        await bed.opened(f"{name}.txt", "base") for name in ("saved", "reverted", "closed")
    ]
    for document in documents:
        type_at(document, "x")
    bed.documents.flush()
    await until(lambda: len(copies(bed)) == 3)
    await bed.documents.save(documents[0])
    await bed.documents.revert(documents[1])
    await bed.documents.close(documents[2])
    await until(lambda: copies(bed) == [])
    assert bed.documents.find("closed.txt") is None
    assert bed.read("closed.txt") == b"base"
    (version,) = bed.documents.history.versions("closed.txt")
    assert version.reason == "closed unsaved"
    assert await bed.documents.history.text(version) == "xbase"


async def test_a_document_closed_to_be_kept_comes_back(new_bed: NewBed) -> None:
    bed = await new_bed()
    document = await bed.opened("a.txt", "base")
    type_at(document, "x")
    await bed.documents.close(document, keep=True)
    assert dict(bed.documents.buffers) == {}
    await bed.documents.shutdown()
    again = await new_bed()
    assert [one.plain for one in again.documents.documents] == ["xbase"]


async def test_going_to_another_project_and_back_keeps_each_ones_text(
    bed: Bed, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    type_at(await bed.opened("a.txt", "base"), "x")
    await bed.documents.set_project(other)
    assert bed.documents.documents == ()
    assert dict(bed.documents.buffers) == {}
    await bed.documents.set_project(None)
    await bed.documents.set_project(bed.root)
    assert [document.plain for document in bed.documents.documents] == ["xbase"]


async def test_the_copy_follows_a_renamed_file(new_bed: NewBed) -> None:
    bed = await new_bed()
    document = await bed.opened("a.txt", "base")
    type_at(document, "x")
    bed.documents.flush()
    (bed.root / "a.txt").rename(bed.root / "b.txt")
    bed.documents.moved("a.txt", "b.txt")
    await until(lambda: [copy.path for copy in copies(bed)] == ["b.txt"])
    await bed.documents.shutdown()
    again = await new_bed()
    assert [(one.path, one.state) for one in again.documents.documents] == [("b.txt", "modified")]


async def test_a_rename_over_an_open_file_closes_it_and_keeps_its_text(bed: Bed) -> None:
    one, two = await bed.opened("1.txt", "1"), await bed.opened("2.txt", "2")
    type_at(one, "x")
    type_at(two, "y")
    (bed.root / "1.txt").replace(bed.root / "2.txt")
    bed.documents.moved("1.txt", "2.txt")
    assert bed.documents.documents == (one,)
    await until(lambda: [copy.text for copy in copies(bed)] == ["x1"])
    await until(lambda: len(bed.documents.history.versions("2.txt")) == 1)
    (version,) = bed.documents.history.versions("2.txt")
    assert await bed.documents.history.text(version) == "y2"


async def test_encoding_and_line_ends_chosen_for_unsaved_text_come_back(new_bed: NewBed) -> None:
    bed = await new_bed()
    document = await bed.opened("a.txt", "one\ntwo")
    document.convert(encoding="utf-16-le", line_end="\r\n")
    assert document.state == "modified"
    await bed.documents.shutdown()
    again = await new_bed()
    (document,) = again.documents.documents
    assert (document.encoding, document.line_end) == ("utf-16-le", "\r\n")
    await again.documents.save(document)
    assert again.read("a.txt") == b"\xff\xfe" + "one\r\ntwo".encode("utf-16-le")


async def test_a_broken_copy_does_not_stop_the_others(
    new_bed: NewBed, caplog: pytest.LogCaptureFixture
) -> None:
    bed = await new_bed()
    type_at(await bed.opened("a.txt", "base"), "x")
    await bed.documents.shutdown()
    folder = project_memory(bed.root) / "unsaved"
    (folder / "broken.unsaved").write_bytes(b"{")
    again = await new_bed()
    assert [one.plain for one in again.documents.documents] == ["xbase"]
    assert (folder / "broken.unsaved").exists()
    assert "broken.unsaved" in caplog.text


async def test_a_copy_that_cannot_be_written_is_told_once_and_tried_again(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await bed.opened("a.txt", "base")
    write = os.open

    def full(path: object, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, "full")
        return write(path, flags, mode)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", full)
        for _ in range(3):
            type_at(document, "x")
            bed.documents.flush()
            await until(lambda: bed.tasks.names == [])
    assert len(bed.notices) == 1
    assert "full" in bed.notices[0]
    bed.documents.flush()
    await until(lambda: [copy.text for copy in copies(bed)] == ["xxxbase"])


async def test_what_no_copy_keeps_is_told_before_it_is_left(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await bed.opened("a.txt", "base")
    type_at(document, "x")
    assert await bed.documents.secure() == ()

    def full(_path: object, _flags: int, _mode: int = 0o777) -> int:
        raise OSError(errno.ENOSPC, "full")

    type_at(document, "y")
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", full)
        assert await bed.documents.secure() == ("a.txt",)
    assert await bed.documents.secure() == ()


async def test_two_windows_on_one_project_keep_their_texts_apart(new_bed: NewBed) -> None:
    one, two = await new_bed(), await new_bed()
    type_at(await one.opened("a.txt", "base"), "one ")
    type_at(await two.documents.open("a.txt"), "two ")
    type_at(await two.opened("b.txt", "base"), "two ")
    await two.documents.shutdown()
    await until(lambda: [copy.text for copy in copies(one)] == ["one base"])
    await one.documents.shutdown()
    again = await new_bed()
    assert {(each.path, each.plain) for each in again.documents.documents} == {
        ("a.txt", "one base"),
        ("b.txt", "two base"),
    }


async def test_a_project_is_left_only_when_a_save_has_ended(bed: Bed, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("another file")
    document = await bed.opened("a.txt", "base")
    type_at(document, "x")
    saving = bed.tasks.start(bed.documents.save(document), name="save")
    assert saving is not None
    while not document.lock.locked():
        await asyncio.sleep(0)
    await bed.documents.set_project(other)
    await saving
    assert bed.read("a.txt") == b"xbase"
    assert (other / "a.txt").read_text() == "another file"
    with pytest.raises(StudioError, match="closed"):
        await bed.documents.save(document)


async def test_a_rename_during_a_save_loses_nothing(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    type_at(document, "x")
    saving = bed.tasks.start(bed.documents.save(document), name="save")
    assert saving is not None
    while not document.lock.locked():
        await asyncio.sleep(0)
    (bed.root / "a.txt").rename(bed.root / "b.txt")
    bed.documents.moved("a.txt", "b.txt")
    await saving
    assert bed.read("b.txt") == b"xbase"
    assert (document.path, document.state) == ("b.txt", "clean")
