"""Several files written as one step: all or none, and back again."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.errors import StorageError, StudioError
from studio_qt.ui.documents import disk
from studio_qt.ui.documents.rewriting import rewrite
from tests.ui.documents.conftest import Bed, type_at

pytestmark = pytest.mark.qt_loop


@pytest.mark.clause("STU-06")
async def test_open_files_take_one_undoable_step_and_closed_ones_keep_their_form(bed: Bed) -> None:
    document = await bed.opened("agents/a.md", "old\r\n")
    bed.write("config.json", b"\xef\xbb\xbf{}\r\n")
    changes = {"agents/a.md": "new\nmore\n", "config.json": '{"agents": []}\n', "b.txt": "made"}
    done = await rewrite(bed.documents, changes)
    assert done.paths == ("agents/a.md", "config.json", "b.txt")
    assert bed.read("agents/a.md") == b"new\r\nmore\r\n"
    assert not document.modified
    assert bed.read("config.json") == b'\xef\xbb\xbf{"agents": []}\r\n'
    assert bed.read("b.txt") == b"made"
    document.text.undo()
    assert document.plain == "old\n"


async def test_undo_puts_back_every_file_but_those_that_changed_since(bed: Bed) -> None:
    bed.write("a.txt", "a")
    bed.write("b.txt", "b")
    done = await rewrite(bed.documents, {"a.txt": "A", "b.txt": "B", "c.txt": "C"})
    bed.write("b.txt", "theirs")
    assert await done.undo() == ("b.txt",)
    assert bed.read("a.txt") == b"a"
    assert bed.read("b.txt") == b"theirs"
    assert not (bed.root / "c.txt").exists()


async def test_a_removed_file_comes_back_with_its_bytes(bed: Bed) -> None:
    bed.write("a.txt", "one\r\ntwo\r\n")
    done = await rewrite(bed.documents, {"a.txt": None})
    assert not (bed.root / "a.txt").exists()
    await done.undo()
    assert bed.read("a.txt") == b"one\r\ntwo\r\n"


async def test_where_one_cannot_be_written_nothing_is(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await bed.opened("a.txt", "a")
    bed.write("b.txt", "b")
    real = disk.replace_file

    def full(root: Path, path: str, data: bytes) -> None:
        if path == "b.txt":
            raise StorageError("The disk is full.")
        real(root, path, data)

    monkeypatch.setattr(disk, "replace_file", full)
    with pytest.raises(StorageError, match="full"):
        await rewrite(bed.documents, {"a.txt": "A", "b.txt": "B"})
    assert bed.read("a.txt") == b"a"
    assert document.plain == "a"
    assert bed.read("b.txt") == b"b"


async def test_a_file_in_conflict_refuses_the_whole_step(bed: Bed) -> None:
    document = await bed.opened("a.txt", "a")
    bed.write("b.txt", "b")
    type_at(document, "mine ")
    bed.write("a.txt", "theirs")
    await bed.told("a.txt")
    with pytest.raises(StudioError, match=r"a\.txt was changed by another program"):
        await rewrite(bed.documents, {"b.txt": "B", "a.txt": "A"})
    assert bed.read("b.txt") == b"b"
    assert document.plain == "mine a"


async def test_unsaved_text_is_what_is_changed_and_undo_gives_it_back(bed: Bed) -> None:
    document = await bed.opened("a.txt", "saved")
    type_at(document, "un")
    done = await rewrite(bed.documents, {"a.txt": "new"})
    assert bed.read("a.txt") == b"new"
    await done.undo()
    assert document.plain == "unsaved"
