"""Large projects and bursts of changes: nothing holds the window up."""

from __future__ import annotations

import asyncio
import itertools
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt

from studio_qt.files.tree import Found
from studio_qt.ui.project.arranging import PAGE, Layout, arrange
from studio_qt.ui.project.changes import Inserted, Removed, changes_between
from studio_qt.ui.project.items import ROOT, Item, walk_items
from studio_qt.ui.project.model import ProjectModel
from studio_qt.ui.project.view import ProjectTree
from tests.ui.project.conftest import Bench, OpenBench


def _found(*paths: str) -> list[Found]:
    folders = {
        "/".join(parts[:end])
        for path in paths
        for parts in [path.split("/")]
        for end in range(1, len(parts))
    }
    return [Found(path, True, 0, 0) for path in folders] + [
        Found(path, False, 1, 1) for path in paths
    ]


def _tree(*paths: str, words: str = "", shown: dict[str, int] | None = None) -> Item:
    return arrange(_found(*paths), Layout(), tokens={}, words=words, shown=shown)


def _rows(model: ProjectModel) -> list[tuple[int, str]]:
    def below(index: object, depth: int) -> list[tuple[int, str]]:
        rows = []
        for row in range(model.rowCount(index)):
            child = model.index(row, 0, index)
            rows.append((depth, model.item(child).key))
            rows += below(child, depth + 1)
        return rows

    return below(QModelIndex(), 0)


def _wanted(item: Item, depth: int = -1) -> list[tuple[int, str]]:
    rows = [] if depth < 0 else [(depth, item.key)]
    for child in item.children:
        rows += _wanted(child, depth + 1)
    return rows


def test_the_steps_between_any_two_trees_lead_from_one_to_the_other(qapp: object) -> None:
    pool = ["config.json", "intro.txt", "context/a.txt", "context/.b.txt", "context/s/c.txt"]
    pool += ["agents/x.js", "agents/y.subagent.md", "n/1.md", "n/2.md", "n/d/3.md", "z.agent.json"]
    model = ProjectModel()
    shown = Item(ROOT, "", "", "group")
    trees = [_tree(*pool[start:end]) for start, end in itertools.combinations(range(12), 2)]
    for tree in [*trees, *reversed(trees[::3])]:
        for change in changes_between(shown, tree):
            model.take(change)
        assert _rows(model) == _wanted(tree)
        shown = tree


def test_equal_trees_need_no_step() -> None:
    assert changes_between(_tree("a/b.txt"), _tree("a/b.txt")) == []


def test_one_new_file_is_one_row() -> None:
    changes = changes_between(_tree("n/1.md", "n/3.md"), _tree("n/1.md", "n/2.md", "n/3.md"))
    inserted = [change for change in changes if isinstance(change, Inserted)]
    assert [item.key for change in inserted for item in change.items] == ["n/2.md"]
    assert not [change for change in changes if isinstance(change, Removed)]


def test_a_folder_with_many_files_shows_some_and_says_how_many_are_left() -> None:
    paths = [f"n/{number}.md" for number in range(PAGE + 500)]
    folder = next(item for item in walk_items(_tree(*paths)) if item.key == "n")
    assert len(folder.children) == PAGE + 1
    assert folder.children[-1].name == "Show more: 500 are left"
    assert [item.name for item in folder.children[:3]] == ["0.md", "1.md", "2.md"]
    assert folder.count == PAGE + 500
    whole = _tree(*paths, shown={"n": PAGE * 3})
    assert len(next(item for item in walk_items(whole) if item.key == "n").children) == PAGE + 500


def test_what_many_folders_hold_goes_in_steps_of_which_none_takes_long() -> None:
    paths = [f"n/f{folder}/{number}.md" for folder in range(50) for number in range(folder * 10)]
    old, new = _tree("config.json", *paths), _tree("config.json")
    sizes = {item.key: sum(1 for _ in walk_items(item)) for item in walk_items(old)}
    model = ProjectModel()
    for change in changes_between(Item(ROOT, "", "", "group"), old):
        model.take(change)
    before = len(model.keys())
    for change in changes_between(old, new):
        model.take(change)
        assert before - len(model.keys()) <= 400
        before = len(model.keys())
    assert sizes["n"] > 10_000
    assert _rows(model) == _wanted(new)


async def _longest_stall(until: asyncio.Task[None]) -> float:
    """Return the longest time, in ms, that the loop was not ours while a task ran."""
    longest, last = 0.0, time.perf_counter()
    while not until.done():
        await asyncio.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    await until
    return longest * 1000


@pytest.mark.qt_loop
async def test_a_tree_of_20_000_files_stays_usable(bench_on: OpenBench, tmp_path: Path) -> None:
    bench = await bench_on()
    for folder in range(100):
        place = bench.root / f"notes/f{folder}"
        place.mkdir()
        for number in range(200):
            (place / f"{number}.md").touch()
    bench.page.files_changed(frozenset())
    stalls = [await _longest_stall(asyncio.ensure_future(bench.settled()))]
    assert bench.item("group:other").count == 20_001
    while stalls[-1] > 100 and len(stalls) < 4:  # others may share the processors
        bench.page.show_project(bench.root, "Ada")
        stalls.append(await _longest_stall(asyncio.ensure_future(bench.settled())))
    assert min(stalls) < 100
    await bench.filter("f77 199")
    assert bench.has("notes/f77/199.md")
    bench.page.select("notes/f99/5.md")
    await bench.filter("")
    assert bench.page.tree.current().path == "notes/f99/5.md"


@pytest.mark.qt_loop
async def test_a_thousand_files_changed_at_once_keep_what_is_selected(bench: Bench) -> None:
    bench.click("notes")
    bench.choose("notes/plan.md")
    stalls: list[float] = []
    while not stalls or (stalls[-1] > 100 and len(stalls) < 4):
        for number in range(1000):
            (bench.root / f"notes/{number}.md").unlink(missing_ok=True)
        bench.page.files_changed(frozenset())
        await bench.settled()
        for number in range(1000):
            (bench.root / f"notes/{number}.md").write_text("x")
        bench.page.files_changed(frozenset())
        stalls.append(await _longest_stall(asyncio.ensure_future(bench.settled())))
    assert min(stalls) < 100
    assert bench.page.tree.current().path == "notes/plan.md"
    assert bench.item("notes").count == 1001
    assert not bench.has("notes/900.md")
    for _ in range(3):
        bench.choose("more:notes")
        bench.press(Qt.Key.Key_Return)
        await bench.settled()
    assert bench.has("notes/900.md")
    assert not bench.has("more:notes")


@pytest.mark.qt_loop
async def test_files_that_only_change_move_no_row_and_lay_nothing_out(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [bench.root / f"context/{number}.md" for number in range(250)]
    for file in files:
        file.write_text("old")
    bench.page.files_changed(frozenset())
    await bench.settled()
    tree, model = bench.page.tree, bench.page.tree.model()
    bench.choose("context/99.md")
    place = tree.verticalScrollBar().value()
    told: list[object] = []
    for signal in (model.rowsInserted, model.rowsRemoved, model.layoutChanged, model.modelReset):
        signal.connect(lambda *given: told.append(given))
    monkeypatch.setattr(ProjectTree, "doItemsLayout", lambda _tree: told.append("laid out"))
    for file in files:
        file.write_text("many more words than before " * 40)
    bench.page.files_changed(frozenset())
    await bench.settled()
    assert bench.item("context/99.md").mark == "0.3k"
    assert told == []
    assert tree.current().path == "context/99.md"
    assert tree.verticalScrollBar().value() == place


@pytest.mark.qt_loop
async def test_a_file_behind_show_more_can_be_selected(bench: Bench) -> None:
    for number in range(PAGE + 200):
        (bench.root / f"notes/{number}.md").write_text("x")
    bench.page.files_changed(frozenset())
    await bench.settled()
    assert not bench.has(f"notes/{PAGE + 150}.md")
    bench.page.select(f"notes/{PAGE + 150}.md")
    await bench.settled()
    assert bench.page.tree.current().path == f"notes/{PAGE + 150}.md"
