"""Bars above an editor: foreign changes, removed files, broken agents, what others say."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from studio_qt.errors import Problem
from tests.support.qt import until
from tests.ui.editors.conftest import CONTROL, Bench

pytestmark = pytest.mark.qt_loop


async def conflict(bench: Bench) -> None:
    """Edit a file here and in another program."""
    await bench.open("instructions.txt")
    bench.type("mine ")
    bench.write("instructions.txt", "theirs\n")
    await bench.documents.files_changed(frozenset({"instructions.txt"}))


@pytest.mark.clause("STU-01")
async def test_a_clean_editor_follows_the_disk_without_a_word(bench: Bench) -> None:
    await bench.open("instructions.txt")
    bench.write("instructions.txt", "theirs\n")
    await bench.documents.files_changed(frozenset({"instructions.txt"}))
    assert bench.text == "theirs\n"
    assert not bench.shows("noticeBar")


@pytest.mark.clause("STU-01")
async def test_a_foreign_change_under_unsaved_edits_is_offered_for_comparison(
    bench: Bench,
) -> None:
    await conflict(bench)
    assert "changed on disk" in bench.find("noticeText").text()
    assert bench.text == "mine Be Ada.\nShe counts.\n"
    compared: list[str] = []
    bench.page.compare_wanted.connect(compared.append)
    bench.click("noticeAction")
    assert compared == ["instructions.txt"]
    assert bench.read("instructions.txt") == "theirs\n"


async def test_saving_does_not_write_over_a_foreign_change(bench: Bench) -> None:
    await conflict(bench)
    bench.press(Qt.Key.Key_S, CONTROL)
    await bench.idle()
    assert bench.read("instructions.txt") == "theirs\n"
    assert bench.notices[-1][1] == "error"


async def test_ones_own_text_can_be_kept(bench: Bench) -> None:
    await conflict(bench)
    bench.click("noticeSecond")
    await bench.idle()
    assert bench.read("instructions.txt") == "mine Be Ada.\nShe counts.\n"
    assert not bench.shows("noticeBar")


async def test_the_text_of_the_disk_can_be_taken_and_undone(bench: Bench) -> None:
    await conflict(bench)
    bench.click("noticeThird")
    await until(lambda: bench.text == "theirs\n")
    assert not bench.shows("noticeBar")
    bench.press(Qt.Key.Key_Z, CONTROL)
    assert bench.text == "mine Be Ada.\nShe counts.\n"


async def test_a_removed_file_can_be_saved_again(bench: Bench) -> None:
    await bench.open("instructions.txt")
    (bench.root / "instructions.txt").unlink()
    await bench.documents.files_changed(frozenset({"instructions.txt"}))
    assert "not on the disk any more" in bench.find("noticeText").text()
    bench.click("noticeAction")
    await bench.idle()
    assert bench.read("instructions.txt") == "Be Ada.\nShe counts.\n"
    assert not bench.shows("noticeBar")


async def test_a_removed_file_can_be_closed(bench: Bench) -> None:
    await bench.open("instructions.txt")
    (bench.root / "instructions.txt").unlink()
    await bench.documents.files_changed(frozenset({"instructions.txt"}))
    bench.click("noticeSecond")
    await bench.idle()
    if bench.shows("closeSheet"):
        bench.click("closeDiscard")
        await bench.idle()
    assert bench.page.paths == []


@pytest.mark.clause("STU-02")
async def test_a_broken_agent_says_so_above_its_text_until_it_loads(bench: Bench) -> None:
    await bench.open("agents/roller.js")
    told = "It does not load. The version from before keeps running until the agent loads again."
    bench.page.show_problems([Problem("error", "agents/roller.js", 3, told)])
    assert bench.find("noticeText").text() == told
    assert bench.find("noticeBar").property("tone") == "err"
    bench.click("noticeAction")
    assert bench.editor.place == (3, 1)
    bench.page.show_problems([])
    assert not bench.shows("noticeBar")


async def test_others_can_say_something_and_do_something(bench: Bench) -> None:
    await bench.open("agents/roller.js")
    done: list[str] = []
    bench.page.show_notice(
        "agents/roller.js", "Not enabled.", "Enable it", lambda: done.append("on"), key="enable"
    )
    bench.page.show_notice("agents/roller.js", "From elsewhere.", key="foreign", tone="info")
    assert bench.page.current.notices.texts.keys() == {"enable", "foreign"}
    bench.click("noticeAction")
    assert done == ["on"]
    bench.page.take_notice("agents/roller.js", "enable")
    bench.click("noticeClose")
    assert not bench.shows("noticeBar")


async def test_a_notice_for_a_file_that_is_not_open_is_no_error(bench: Bench) -> None:
    bench.page.show_notice("notes.md", "Hello.")
    bench.page.take_notice("notes.md")
    assert not bench.shows("noticeBar")


async def test_in_a_narrow_window_buttons_stand_below_the_words(bench: Bench) -> None:
    await conflict(bench)
    words, button = bench.find("noticeText"), bench.find("noticeAction")

    def below() -> bool:
        foot = words.mapToGlobal(words.rect().bottomLeft()).y()
        return button.mapToGlobal(button.rect().topLeft()).y() >= foot

    assert not below()
    bench.window.resize(420, 500)
    await until(below)
    bench.window.resize(900, 500)
    await until(lambda: not below())


async def test_an_agent_that_is_broken_only_while_it_is_written_moves_no_lines(
    bench: Bench,
) -> None:
    await bench.open("agents/roller.js")
    bench.type("x")
    broken = [Problem("error", "agents/roller.js", 1, "Unexpected x.")]
    bench.page.show_problems(broken)
    assert not bench.shows("noticeBar")
    bench.page.show_problems([])
    bench.page.show_problems(broken)
    await until(lambda: bench.shows("noticeBar"))
    assert bench.find("noticeText").text() == "Unexpected x."
