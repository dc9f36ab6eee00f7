"""What is open: one truth about unsaved text, atomic saves, and files that others change."""

from __future__ import annotations

import asyncio
import errno
import os
import threading

import pytest
from PySide6.QtGui import QTextCursor

from studio_qt.errors import StorageError, StudioError
from studio_qt.files import FolderSource, OverlaySource, UnsafePathError
from studio_qt.ui.documents import disk, documents, following, memory
from tests.support.qt import signal, until
from tests.ui.documents.conftest import Bed, type_at

pytestmark = pytest.mark.qt_loop


@pytest.mark.clause("STU-01")
async def test_unsaved_text_is_what_an_overlay_reads_at_once_after_a_flush(bed: Bed) -> None:
    document = await bed.opened("agents/a.js", "one\r\ntwo\r\n")
    overlay = OverlaySource(bed.documents.buffers, FolderSource(bed.root))
    type_at(document, "new\n")
    assert document.modified
    bed.documents.flush()
    assert overlay.read_bytes("agents/a.js") == b"new\r\none\r\ntwo\r\n"
    assert bed.read("agents/a.js") == b"one\r\ntwo\r\n"


@pytest.mark.clause("STU-01")
async def test_buffers_are_told_soon_after_the_last_key_without_a_flush(bed: Bed) -> None:
    document = await bed.opened("a.txt", "text")
    told = signal(bed.documents.buffers_changed, 1)
    type_at(document, "x")
    assert await told == (frozenset({"a.txt"}),)
    assert dict(bed.documents.buffers) == {"a.txt": "xtext"}


async def test_a_clean_document_has_no_buffer(bed: Bed) -> None:
    document = await bed.opened("a.txt", "text")
    type_at(document, "x")
    bed.documents.flush()
    document.text.undo()
    bed.documents.flush()
    assert not document.modified
    assert document.state == "clean"
    assert dict(bed.documents.buffers) == {}


async def test_typing_back_what_was_there_makes_it_clean(bed: Bed) -> None:
    document = await bed.opened("a.txt", "text")
    type_at(document, "x")
    cursor = QTextCursor(document.text)
    cursor.deleteChar()
    assert document.modified
    await until(lambda: not document.modified, 1)


@pytest.mark.clause("STU-01")
async def test_a_save_writes_the_text_and_undo_survives_it(bed: Bed) -> None:
    document = await bed.opened("a.txt", "old")
    type_at(document, "very ")
    await bed.documents.save(document)
    assert bed.read("a.txt") == b"very old"
    assert document.state == "clean"
    document.text.undo()
    assert document.modified
    assert document.plain == "old"


async def test_undo_to_the_text_before_a_save_that_ran_while_typing_is_unsaved(bed: Bed) -> None:
    document = await bed.opened("a.txt", "old")
    type_at(document, "1")
    saving = bed.tasks.start(bed.documents.save(document), name="save")
    assert saving is not None
    while not document.lock.locked():
        await asyncio.sleep(0)
    type_at(document, "2", 1)
    await saving
    assert bed.read("a.txt") == b"1old"
    assert document.modified
    while document.text.isUndoAvailable():
        document.text.undo()
    bed.documents.flush()
    assert document.plain == "old"
    assert document.modified, "the disk has 1old"


async def test_a_save_of_an_unedited_document_leaves_the_same_bytes(bed: Bed) -> None:
    for number, data in enumerate(
        [b"a\rb\r\nc\nd", b"\xff\xfeh\x00i\x00", b"\xef\xbb\xbfx\r\n", b"caf\xe9\x81", b"", b"\n"]
    ):
        document = await bed.opened(f"{number}.txt", data)
        assert document.state == "clean"
        await bed.documents.save(document)
        assert bed.read(f"{number}.txt") == data


async def test_characters_that_qt_takes_for_line_ends_survive_an_edit(bed: Bed) -> None:
    text = "\ufffea\u00a0b\u2028c\u2029d\ufdd0e\ufdd1f\ufdd2g\ufddeh\x0b\x0c\x85\u200b\ufeff😀"
    document = await bed.opened("a.txt", text)
    assert document.plain == text
    assert document.text.blockCount() == 1
    type_at(document, "x\n")
    await bed.documents.save(document)
    assert bed.read("a.txt").decode() == "x\n" + text


async def test_mixed_line_ends_stay_on_lines_that_were_not_touched(bed: Bed) -> None:
    document = await bed.opened("a.txt", "one\r\ntwo\nthree\r\nfour\rfive")
    assert document.mixed_line_ends
    type_at(document, "new\n", document.text.findBlockByNumber(2).position())
    await bed.documents.save(document)
    assert bed.read("a.txt") == b"one\r\ntwo\nnew\r\nthree\r\nfour\rfive"
    type_at(document, "0")
    await bed.documents.save(document)
    assert bed.read("a.txt") == b"0one\r\ntwo\nnew\r\nthree\r\nfour\rfive"


async def test_what_an_encoding_cannot_hold_is_saved_as_utf_8_with_a_notice(bed: Bed) -> None:
    document = await bed.opened("a.txt", b"caf\xe9")
    assert document.encoding == "cp1252"
    type_at(document, "→ ")
    await bed.documents.save(document)
    assert bed.read("a.txt") == "→ café".encode()
    assert document.encoding == "utf-8"
    assert document.state == "clean"
    assert "cp1252" in bed.notices[0]


@pytest.mark.parametrize("data", [b"\x00\x01", b"a" * (16 * 1024 * 1024 + 1)], ids=["NUL", "large"])
async def test_what_is_no_text_is_refused_by_name(bed: Bed, data: bytes) -> None:
    bed.write("a.bin", data)
    with pytest.raises(StudioError, match=r"a\.bin"):
        await bed.documents.open("a.bin")
    assert bed.documents.documents == ()


async def test_what_is_not_there_or_outside_is_refused(bed: Bed) -> None:
    (bed.root / "folder").mkdir()
    with pytest.raises(StudioError, match="not there"):
        await bed.documents.open("none.txt")
    with pytest.raises(StudioError, match="folder"):
        await bed.documents.open("folder")
    with pytest.raises(UnsafePathError):
        await bed.documents.open("../outside.txt")


async def test_opening_twice_at_once_gives_one_document(bed: Bed) -> None:
    bed.write("a.txt", "x" * 200_000)
    first, second = await asyncio.gather(bed.documents.open("a.txt"), bed.documents.open("./a.txt"))
    assert first is second
    assert first.plain == "x" * 200_000
    assert not first.text.isUndoAvailable()


@pytest.mark.clause("STU-01")
async def test_a_clean_document_follows_the_disk_in_one_undoable_step(bed: Bed) -> None:
    document = await bed.opened("a.txt", "".join(f"line {n}\n" for n in range(100)))
    cursor = QTextCursor(document.text.findBlockByNumber(50))
    bed.write("a.txt", bed.read("a.txt").replace(b"line 3\n", b"").replace(b"line 90", b"LINE 90"))
    await bed.told("a.txt")
    assert document.state == "clean"
    assert cursor.block().text() == "line 50"
    assert "LINE 90" in document.plain
    assert "line 3\n" not in document.plain
    document.text.undo()
    assert document.plain == "".join(f"line {n}\n" for n in range(100))
    assert document.modified
    assert dict(bed.documents.buffers) == {}


@pytest.mark.clause("STU-01")
async def test_a_foreign_change_under_unsaved_text_is_a_conflict_and_never_overwritten(
    bed: Bed,
) -> None:
    document = await bed.opened("a.txt", "base")
    type_at(document, "mine ")
    bed.write("a.txt", "theirs")
    await bed.told("a.txt")
    assert document.state == "conflict"
    assert document.plain == "mine base"
    with pytest.raises(StudioError, match="another program"):
        await bed.documents.save(document)
    assert bed.read("a.txt") == b"theirs"
    assert await bed.documents.disk_text(document) == "theirs"
    await bed.documents.save(document, over_foreign=True)
    assert bed.read("a.txt") == b"mine base"
    assert document.state == "clean"


@pytest.mark.clause("STU-01")
async def test_a_save_notices_a_foreign_change_that_nobody_told(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    type_at(document, "mine ")
    bed.write("a.txt", "theirs")
    with pytest.raises(StudioError, match="another program"):
        await bed.documents.save(document)
    assert document.state == "conflict"
    assert bed.read("a.txt") == b"theirs"


async def test_a_conflict_ends_when_the_disk_is_as_before_or_as_the_text(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    type_at(document, "mine ")
    bed.write("a.txt", "theirs")
    await bed.told()
    bed.write("a.txt", "base")
    await bed.told()
    assert document.state == "modified"
    bed.write("a.txt", "mine base")
    await bed.told()
    assert document.state == "clean"


async def test_revert_takes_the_disks_text_and_can_be_undone(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    type_at(document, "mine ")
    bed.write("a.txt", "theirs")
    await bed.told()
    await bed.documents.revert(document)
    assert (document.plain, document.state) == ("theirs", "clean")
    document.text.undo()
    assert (document.plain, document.state) == ("mine base", "modified")


async def test_the_echo_of_an_own_save_changes_nothing(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    type_at(document, "x")
    await bed.documents.save(document)
    type_at(document, "y")
    revision = document.text.revision()
    await bed.told("a.txt")
    assert document.state == "modified"
    assert document.text.revision() == revision


async def test_a_removed_file_is_gone_and_follows_when_it_returns(bed: Bed) -> None:
    document = await bed.opened("a/b.txt", "base")
    (bed.root / "a/b.txt").unlink()
    (bed.root / "a").rmdir()
    await bed.told("a")
    assert document.state == "gone"
    assert document.plain == "base"
    bed.write("a/b.txt", "back")
    await bed.told("a")
    assert (document.state, document.plain) == ("clean", "back")


async def test_saving_a_document_whose_file_is_gone_makes_it_again(bed: Bed) -> None:
    document = await bed.opened("a/b.txt", "base")
    (bed.root / "a/b.txt").unlink()
    (bed.root / "a").rmdir()
    await bed.told()
    await bed.documents.save(document)
    assert bed.read("a/b.txt") == b"base"
    assert document.state == "clean"


async def test_a_root_that_vanishes_and_returns_leaves_documents_as_they_were(bed: Bed) -> None:
    clean = await bed.opened("a.txt", "clean")
    edited = await bed.opened("b.txt", "edited")
    type_at(edited, "x")
    away = bed.root.with_name("away")
    bed.root.rename(away)
    await bed.told()
    assert [clean.state, edited.state] == ["gone", "gone"]
    with pytest.raises(StorageError, match="not there any more"):
        await bed.documents.save(edited)
    assert not bed.root.exists()
    away.rename(bed.root)
    await bed.told()
    assert [clean.state, edited.state] == ["clean", "modified"]
    assert edited.plain == "xedited"


async def test_a_file_that_became_binary_is_a_conflict_and_the_text_stays(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    bed.write("a.txt", b"\x00\x01")
    await bed.told()
    assert (document.state, document.plain) == ("conflict", "base")
    assert "NUL" in bed.notices[0]
    with pytest.raises(StudioError):
        await bed.documents.save(document)


async def test_a_burst_of_a_thousand_files_reads_open_ones_alone(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await bed.opened("0.txt", "0")
    for number in range(1000):
        bed.write(f"{number}.txt", "new")
    reads: list[str] = []
    read = disk.read_text
    monkeypatch.setattr(
        disk, "read_text", lambda root, path: reads.append(path) or read(root, path)
    )
    await bed.told(*(f"{number}.txt" for number in range(1000)))
    assert reads == ["0.txt"]
    assert document.plain == "new"


async def test_documents_follow_a_renamed_folder(bed: Bed) -> None:
    document = await bed.opened("old/a.txt", "base")
    other = await bed.opened("older.txt", "base")
    type_at(document, "x")
    bed.documents.flush()
    (bed.root / "old").rename(bed.root / "new")
    told = signal(bed.documents.buffers_changed)
    bed.documents.moved("old", "new")
    assert (document.path, other.path) == ("new/a.txt", "older.txt")
    assert dict(bed.documents.buffers) == {"new/a.txt": "xbase"}
    bed.documents.flush()
    told.close()
    await bed.documents.save(document)
    assert bed.read("new/a.txt") == b"xbase"


async def test_save_all_saves_what_it_can_and_names_the_rest(bed: Bed) -> None:
    one, two = await bed.opened("1.txt", "1"), await bed.opened("2.txt", "2")
    type_at(one, "x")
    type_at(two, "x")
    bed.write("1.txt", "theirs")
    with pytest.raises(StudioError, match=r"1\.txt"):
        await bed.documents.save_all()
    assert bed.read("2.txt") == b"x2"
    assert bed.documents.unsaved == ("1.txt",)


async def test_a_full_disk_leaves_file_and_text(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    document = await bed.opened("a.txt", "base")
    type_at(document, "x")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StorageError, match="full"):
            await bed.documents.save(document)
    assert bed.read("a.txt") == b"base"
    assert (document.plain, document.state) == ("xbase", "modified")


async def test_files_are_read_written_and_compared_on_other_threads_alone(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, seen = threading.get_ident(), set()

    def watch(module: object, name: str) -> None:
        work = getattr(module, name)

        def noted(*arguments: object) -> object:
            assert threading.get_ident() != here, f"{name} ran on the thread of the window"
            seen.add(name)
            return work(*arguments)

        monkeypatch.setattr(module, name, noted)

    watch(disk, "read_text")
    watch(documents, "encode_text")
    watch(documents, "save_file")
    watch(following, "changes_between")
    watch(memory, "open_store")
    await bed.documents.set_project(bed.root)
    document = await bed.opened("a.txt", "base")
    bed.write("a.txt", "theirs")
    await bed.told()
    type_at(document, "x")
    await bed.documents.save(document)
    assert len(seen) == 5


async def test_what_a_killed_save_left_is_removed_with_the_next_start(bed: Bed) -> None:
    document = await bed.opened("a/b.txt", "base")
    type_at(document, "x")
    document.being_written = "of a save that never ended"
    bed.documents.flush()
    await bed.documents.set_project(None)
    bed.write("a/.0123456789abcdef.tmp", "half")
    bed.write("a/mine.tmp", "of the user")
    await bed.documents.set_project(bed.root)
    assert {entry.name for entry in (bed.root / "a").iterdir()} == {"b.txt", "mine.tmp"}
    assert [one.plain for one in bed.documents.documents] == ["xbase"]


async def test_a_conflict_whose_edits_are_undone_follows_the_disk(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    type_at(document, "x")
    bed.write("a.txt", "theirs")
    await bed.told()
    assert document.state == "conflict"
    document.text.undo()
    await until(lambda: document.state == "clean", 2)
    assert document.plain == "theirs"


async def test_saving_without_unsaved_text_follows_a_disk_that_nobody_told_of(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    bed.write("a.txt", "theirs")
    await bed.documents.save(document)
    assert (document.plain, document.state) == ("theirs", "clean")
    assert bed.read("a.txt") == b"theirs"


async def test_a_read_only_file_is_not_replaced(bed: Bed) -> None:
    document = await bed.opened("a.txt", "base")
    (bed.root / "a.txt").chmod(0o444)
    type_at(document, "x")
    with pytest.raises(StorageError, match="read-only"):
        await bed.documents.save(document)
    assert bed.read("a.txt") == b"base"
    assert document.state == "modified"
    (bed.root / "a.txt").chmod(0o644)
    await bed.documents.save(document)
    assert bed.read("a.txt") == b"xbase"
