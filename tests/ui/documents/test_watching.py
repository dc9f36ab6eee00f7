"""Documents under a real watcher: other programs write as they like."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from studio_qt.files.watching import FolderWatcher
from tests.support.qt import until
from tests.ui.documents.conftest import Bed, type_at

pytestmark = pytest.mark.qt_loop

PATIENCE = 20
"""Seconds; how soon a change is told is measured by the benchmarks, on a machine that rests."""


@pytest_asyncio.fixture
async def watched(bed: Bed) -> AsyncIterator[Bed]:
    """A bed whose documents hear of every change on the disk."""

    def heard(paths: frozenset[str]) -> None:
        bed.tasks.start(bed.documents.files_changed(paths), name="follow")

    watcher = FolderWatcher(bed.root, heard)
    await watcher.start()
    yield bed
    await watcher.close()


@pytest.mark.clause("STU-01")
async def test_a_save_by_rename_of_another_program_is_followed(watched: Bed) -> None:
    document = await watched.opened("agents/a.js", "old")
    new = watched.write("agents/a.js~", "new")
    new.replace(watched.root / "agents/a.js")
    await until(lambda: document.plain == "new", PATIENCE)
    assert document.state == "clean"


async def test_a_file_that_is_emptied_and_filled_in_place_is_followed(watched: Bed) -> None:
    document = await watched.opened("a.txt", "old text")
    with (watched.root / "a.txt").open("wb") as file:
        file.write(b"new ")
        file.flush()
        file.write(b"text")
    await until(lambda: document.plain == "new text", PATIENCE)
    document.text.undo()
    assert document.plain == "old text"


async def test_own_saves_in_a_row_are_never_taken_for_anothers(watched: Bed) -> None:
    document = await watched.opened("a.txt", "base")
    states: set[str] = set()
    document.state_changed.connect(lambda: states.add(document.state))
    for _ in range(5):
        type_at(document, "x")
        await watched.documents.save(document)
    type_at(document, "y")
    await until(lambda: watched.documents.idle and not watched.tasks.names)
    assert states <= {"clean", "modified"}
    assert document.plain == "yxxxxxbase"


async def test_a_root_that_goes_and_comes_back_leaves_unsaved_text_alone(watched: Bed) -> None:
    document = await watched.opened("a.txt", "base")
    type_at(document, "x")
    away = watched.root.with_name("away")
    watched.root.rename(away)
    await until(lambda: document.state == "gone", PATIENCE)
    away.rename(watched.root)
    await until(lambda: document.state == "modified", PATIENCE)
    assert document.plain == "xbase"
    await watched.documents.save(document)
    assert watched.read("a.txt") == b"xbase"


async def test_a_burst_of_changes_is_followed_by_all_that_are_open(watched: Bed) -> None:
    documents = [await watched.opened(f"{number}.txt", "old") for number in range(20)]
    for number in range(1000):
        watched.write(f"{number}.txt", f"new {number}")
    await until(lambda: all(document.plain.startswith("new") for document in documents), PATIENCE)
    assert {document.state for document in documents} == {"clean"}


async def test_a_folder_that_is_back_before_anybody_looked_for_it_is_seen_again(bed: Bed) -> None:
    """No watcher tells of a folder that is, at its next look, what it was at the last."""
    document = await bed.opened("a.txt", "base")
    type_at(document, "x")
    away = bed.root.with_name("away")
    bed.root.rename(away)
    states: list[str] = []

    def come_back() -> None:
        states.append(document.state)
        if document.state == "gone":
            away.rename(bed.root)

    document.state_changed.connect(come_back)
    await bed.told()
    assert states == ["gone"]
    await until(lambda: document.state == "modified", PATIENCE)
