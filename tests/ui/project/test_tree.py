"""The project tree: what stands where, and how it follows the disk."""

from __future__ import annotations

import asyncio
import shutil
import sys
from dataclasses import replace
from types import FrameType

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QHoverEvent
from PySide6.QtTest import QTest

from studio_qt.errors import Problem
from studio_qt.ui.project.changes import Inserted, Updated
from studio_qt.ui.project.items import Item
from studio_qt.ui.project.model import StateRole
from tests.support.qt import until
from tests.ui.project.conftest import Bench, OpenBench

pytestmark = pytest.mark.qt_loop


@pytest.mark.clause("STU-01")
async def test_files_stand_in_groups_by_what_they_are_for(bench: Bench) -> None:
    assert bench.names() == [
        *("Character", "Context", "Agents", "Sub-Agents", "Defaults", "Other files")
    ]
    assert bench.names("group:character") == ["config.json", "instructions.txt", "intro.txt"]
    assert bench.names("group:context") == ["lamp.txt", ".secret.json"]
    assert bench.names("group:agents") == ["ada.dice.js"]
    assert bench.names("group:subagents") == ["marcus.subagent.md"]
    assert bench.names("group:defaults") == ["ada.dice.agent.json"]
    assert bench.names("group:other") == ["notes"]
    assert bench.item("group:context").count == 2


@pytest.mark.clause("PKG-02")
async def test_file_mappings_decide_where_files_stand(bench_on: OpenBench) -> None:
    config = '{"fileMappings": {"Instructions": "prompts/ada.txt", "ContextDirectory": "lore"}}'
    bench = await bench_on(
        {"config.json": config, "prompts/ada.txt": "x", "instructions.txt": "y", "lore/a.txt": "z"}
    )
    assert bench.names("group:character") == ["config.json", "prompts/ada.txt"]
    assert bench.names("group:context") == ["a.txt"]
    assert bench.names("group:other") == ["instructions.txt"]


async def test_unsaved_mappings_count_at_once(bench: Bench) -> None:
    document = await bench.documents.open("config.json")
    text = document.text.toPlainText().replace(
        '"agents"', '"fileMappings": {"ContextDirectory": "notes"}, "agents"'
    )
    document.text.setPlainText(text)
    bench.documents.flush()
    await bench.settled()
    assert bench.names("group:context") == ["plan.md"]


async def test_marks_tell_language_tokens_and_what_stays_out_of_the_prompt(bench: Bench) -> None:
    assert bench.item("agents/ada.dice.js").mark == "JS"
    assert bench.item("context/lamp.txt").mark == "1.0k"
    assert bench.item("context/.secret.json").apart
    assert not bench.item("context/.secret.json").mark


async def test_tokens_of_unsaved_text_are_counted(bench: Bench) -> None:
    document = await bench.documents.open("context/lamp.txt")
    document.text.setPlainText("word " * 8000)
    bench.documents.flush()
    await until(lambda: bench.item("context/lamp.txt").mark == "10.0k")


async def test_what_is_not_the_authors_work_is_shown_only_when_asked_for(bench: Bench) -> None:
    assert not bench.has("conversations")
    assert not bench.has(".git")
    await bench.run("showHidden")
    assert bench.has("conversations/conversation_01.json")
    await bench.run("showHidden")
    assert not bench.has("conversations")


async def test_problems_mark_the_file_and_its_folders(bench: Bench) -> None:
    bench.page.show_problems([Problem("error", "notes/plan.md", 2, "is wrong.")])
    model = bench.page.tree.model()
    assert model.index_of("notes/plan.md").data(StateRole) == "error"
    assert model.index_of("notes").data(StateRole) == "error"
    bench.page.show_problems([])
    assert model.index_of("notes").data(StateRole) == ""


async def test_unsaved_text_is_marked(bench: Bench) -> None:
    document = await bench.documents.open("intro.txt")
    document.text.setPlainText("Other.")
    bench.documents.flush()
    spoken = bench.page.tree.model().index_of("intro.txt").data(Qt.ItemDataRole.AccessibleTextRole)
    assert "not saved" in spoken


async def test_enter_and_double_click_open(bench: Bench) -> None:
    bench.choose("intro.txt")
    bench.press(Qt.Key.Key_Return)
    place = bench.place("instructions.txt")
    QTest.mouseDClick(
        bench.page.tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
    )
    assert bench.opened == ["intro.txt", "instructions.txt"]


async def test_arrows_go_through_the_rows_and_fold_groups(bench: Bench) -> None:
    bench.choose("group:character")
    bench.press(Qt.Key.Key_Down)
    assert bench.page.tree.current().path == "config.json"
    bench.press(Qt.Key.Key_Left)
    bench.press(Qt.Key.Key_Left)
    assert not bench.page.tree.isExpanded(bench.page.tree.model().index_of("group:character"))


async def test_a_click_folds_and_it_is_remembered(bench: Bench) -> None:
    tree = bench.page.tree
    bench.click("notes")
    assert tree.isExpanded(tree.model().index_of("notes"))
    bench.click("group:context")
    assert not tree.isExpanded(tree.model().index_of("group:context"))
    bench.page.show_project(None, "")
    await bench.settled()
    bench.page.show_project(bench.root, "Ada")
    await bench.settled()
    assert tree.isExpanded(tree.model().index_of("notes"))
    assert not tree.isExpanded(tree.model().index_of("group:context"))


async def test_a_row_is_lit_from_the_first_move_of_the_pointer_on(bench: Bench) -> None:
    view, place = bench.page.tree.viewport(), bench.place("intro.txt")
    bench.page.tree.clearSelection()
    at = QPoint(view.width() - 14, place.y())
    colours = [view.grab().toImage().pixelColor(at)]
    for kind in (QEvent.Type.HoverMove, QEvent.Type.HoverLeave):
        move = QHoverEvent(kind, QPointF(place), QPointF(place), QPointF(place))
        QCoreApplication.sendEvent(view, move)
        colours.append(view.grab().toImage().pixelColor(at))
    assert colours[1] != colours[0] == colours[2]


async def test_tokens_are_counted_after_what_is_needed_sooner(bench: Bench) -> None:
    sooner = asyncio.Event()

    async def wait() -> None:
        await sooner.wait()

    bench.page.count_after(wait)
    (bench.root / "context/new.txt").write_text("word " * 800)
    bench.page.files_changed(frozenset())
    await until(lambda: bench.has("context/new.txt"))
    assert not bench.item("context/new.txt").mark
    sooner.set()
    await bench.settled()
    assert bench.item("context/new.txt").mark == "1.0k"


async def test_the_filter_shows_what_matches_and_gives_the_folds_back(bench: Bench) -> None:
    tree = bench.page.tree
    await bench.filter("pla md")
    assert bench.names() == ["Other files"]
    assert tree.isExpanded(tree.model().index_of("notes"))
    await bench.filter("")
    assert bench.names("group:character") == ["config.json", "instructions.txt", "intro.txt"]
    assert not tree.isExpanded(tree.model().index_of("notes"))


async def test_a_filter_that_matches_nothing_says_so(bench: Bench) -> None:
    await bench.filter("zzz")
    assert bench.find("projectNoMatch").isVisible()
    await bench.filter("")
    assert bench.page.tree.isVisible()


async def test_down_leads_from_the_filter_into_the_rows(bench: Bench) -> None:
    bench.window.activateWindow()
    bench.page.focus_filter()
    QTest.keyClick(bench.find("projectFilter"), Qt.Key.Key_Down)
    assert bench.page.tree.current() is not None


async def test_a_selected_file_is_shown_as_soon_as_it_is_there(bench: Bench) -> None:
    bench.page.select("notes/plan.md")
    assert bench.page.tree.current().path == "notes/plan.md"
    bench.page.select("notes/later.md")
    (bench.root / "notes/later.md").write_text("x")
    bench.page.files_changed(frozenset({"notes/later.md"}))
    await bench.settled()
    assert bench.page.tree.current().path == "notes/later.md"


async def test_changes_on_disk_leave_selection_folds_and_the_typed_name(bench: Bench) -> None:
    tree = bench.page.tree
    bench.click("notes")
    bench.choose("notes/plan.md")
    bench.press(Qt.Key.Key_F2)
    QTest.keyClicks(bench.field, "idea")
    for number in range(30):
        (bench.root / f"notes/a{number}.md").write_text("x")
    (bench.root / "intro.txt").unlink()
    bench.page.files_changed(frozenset())
    await bench.settled()
    assert "a7.md" in bench.names("notes")
    assert not bench.has("intro.txt")
    assert bench.field.text() == "idea.md"
    assert tree.current().path == "notes/plan.md"
    QTest.keyClick(bench.field, Qt.Key.Key_Return)
    await bench.settled()
    assert (bench.root / "notes/idea.md").exists()


async def test_a_vanished_folder_is_told_and_comes_back_by_itself(bench: Bench) -> None:
    away = bench.root.with_name("away")
    bench.root.rename(away)
    bench.page.files_changed(frozenset())
    await bench.settled()
    assert bench.find("projectGone").isVisible()
    wanted: list[bool] = []
    bench.page.another_wanted.connect(lambda: wanted.append(True))
    bench.button("projectGoneButton")
    assert wanted == [True]
    away.rename(bench.root)
    await until(bench.page.tree.isVisible)
    await bench.settled()
    assert bench.has("notes/plan.md")


async def test_an_emptied_project_still_has_its_groups(bench: Bench) -> None:
    shutil.rmtree(bench.root)
    bench.root.mkdir()
    bench.page.files_changed(frozenset())
    await bench.settled()
    assert bench.names() == ["Character", "Context", "Agents", "Sub-Agents"]


async def test_a_config_that_breaks_keeps_the_layout(bench_on: OpenBench) -> None:
    bench = await bench_on(
        {"config.json": '{"fileMappings": {"ContextDirectory": "lore"}}', "lore/a.txt": "x"}
    )
    (bench.root / "config.json").write_text("{ broken")
    bench.page.files_changed(frozenset({"config.json"}))
    await bench.settled()
    assert bench.names("group:context") == ["a.txt"]


async def test_changes_of_what_is_not_shown_cost_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[object] = []
    monkeypatch.setattr(
        "studio_qt.ui.project.following.scan_folder", lambda *given, **_: looked.append(given)
    )
    bench.page.files_changed(frozenset({"conversations/conversation_01.json", ".git/HEAD"}))
    await bench.settled()
    assert looked == []


async def test_long_names_of_stores_break_at_a_dot(bench: Bench) -> None:
    long = "keeper.marcus.studio.memory-store.agent.json"
    (bench.root / long).write_text("{}")
    bench.page.files_changed(frozenset({long}))
    await bench.settled()
    tree = bench.page.tree
    height = tree.visualRect(tree.model().index_of(long)).height()
    assert height > tree.visualRect(tree.model().index_of("ada.dice.agent.json")).height()
    bench.window.resize(600, 800)
    await until(lambda: tree.visualRect(tree.model().index_of(long)).height() < height)


async def test_rows_are_laid_out_for_another_width_only_where_a_name_breaks_anew(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the midst of a window that is being resized."""
    long, tree = "keeper.marcus.studio.memory-store.agent.json", bench.page.tree
    (bench.root / long).write_text("{}")
    bench.page.files_changed(frozenset({long}))
    await bench.settled()
    asked: list[int] = []
    monkeypatch.setattr(tree, "scheduleDelayedItemsLayout", lambda: asked.append(tree.width()))
    for width in (290, 600, 580, 560):
        bench.window.resize(width, 800)
        await until(lambda width=width: bench.page.width() == width)  # type: ignore[misc]
    assert len(asked) == 1
    monkeypatch.undo()
    tree.scheduleDelayedItemsLayout()


async def test_a_layout_of_thousands_of_rows_asks_python_for_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, model = bench.page.tree, bench.page.tree.model()
    rows = tuple(Item(f"n{number}", f"n{number}", f"n{number}", "text") for number in range(2000))
    model.take(Inserted("group:other", None, rows))
    calls: list[str] = []

    def note(frame: FrameType, event: str, _given: object) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    sys.setprofile(note)
    tree.doItemsLayout()
    sys.setprofile(None)
    assert tree.visualRect(model.index_of("n1999")).height() > 20
    assert len(calls) < 50
    assert not {"data", "flags", "index", "parent", "rowCount", "sizeHint"} & set(calls)


async def test_what_can_be_done_with_a_row_depends_on_what_it_is(bench: Bench) -> None:
    model, flag = bench.page.tree.model(), Qt.ItemFlag
    keys = ("group:other", "notes", "config.json")
    group, folder, file = (model.index_of(key).flags() for key in keys)
    for flags in (group, folder, file):
        assert flags & flag.ItemIsSelectable
        assert flags & flag.ItemIsDropEnabled
    assert not group & (flag.ItemIsEditable | flag.ItemIsDragEnabled)
    assert folder & flag.ItemIsEditable
    assert folder & flag.ItemIsDragEnabled
    assert file == folder | flag.ItemNeverHasChildren
    assert model.flags(QModelIndex()) == flag.ItemIsDropEnabled


async def test_rows_that_only_look_different_are_not_laid_out_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When another program saves a thousand files, their marks change and nothing else."""
    tree, model = bench.page.tree, bench.page.tree.model()
    asked: list[int] = []
    monkeypatch.setattr(tree, "scheduleDelayedItemsLayout", lambda: asked.append(1))
    tree.hold(on=True)
    for key in list(model.keys())[1:]:
        model.take(Updated(replace(model.item(model.index_of(key)), mark="1k")))
    tree.hold(on=False)
    assert asked == []
    tree.hold(on=True)
    tree.doItemsLayout()
    tree.hold(on=False)
    assert asked == [1]
    monkeypatch.undo()
    tree.scheduleDelayedItemsLayout()


async def test_without_a_project_the_page_says_what_to_do(bench: Bench) -> None:
    bench.page.show_project(None, "")
    await bench.settled()
    assert bench.find("projectNone").isVisible()
    await bench.run("newFile")
    assert "Open a project" in bench.notices[-1]
