"""Spelling: only prose, only what is seen, never in the way of a key."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from studio_qt.settings import home_folder
from studio_qt.ui.editors import proofreading, spelling
from studio_qt.ui.editors.proofreading import Proofreader
from studio_qt.ui.highlight import Highlighter
from tests.support.qt import until
from tests.ui.editors.conftest import Bench

pytestmark = [
    pytest.mark.qt_loop,
    pytest.mark.qt_log_ignore("This plugin does not support"),
]

KNOWN = {"the", "sea", "is", "wide", "and", "she", "counts", "waves", "you", "are", "kind"}


class Book:
    """A small dictionary; remembers on which threads it was asked."""

    def __init__(self) -> None:
        self.threads: set[threading.Thread] = set()
        self.asked: list[str] = []

    def check(self, word: str) -> bool:
        self.threads.add(threading.current_thread())
        self.asked.append(word)
        return word.lower() in KNOWN

    def suggest(self, word: str) -> list[str]:
        self.threads.add(threading.current_thread())
        return ["wide", "wife"] if word == "wyde" else []


@pytest.fixture
def book(monkeypatch: pytest.MonkeyPatch) -> Book:
    made = Book()
    monkeypatch.setattr(spelling, "load_dictionary", lambda _language: made)
    return made


def wrong(bench: Bench) -> list[str]:
    marks = bench.editor.marks.wrong_words
    return [line[start:end] for line, spans in marks.items() for start, end in spans]


async def shows(bench: Bench, *words: str) -> None:
    await until(lambda: sorted(wrong(bench)) == sorted(words))


async def test_misspelt_words_of_prose_are_marked(bench: Bench, book: Book) -> None:
    await bench.open("a.md", "The sea is wyde.\n\nShe conts `wavs` %%WAVS%% and waves.\n")
    await shows(bench, "wyde", "conts")
    assert threading.main_thread() not in book.threads


async def test_frontmatter_and_code_are_not_prose(bench: Bench, book: Book) -> None:
    text = "---\nhistry: ful\n---\nThe wyde sea\n\n```js\nlet wavs;\n```\n"
    await bench.open("agents/a.subagent.md", text)
    await shows(bench, "wyde")
    await bench.open("a.js", "// wyde\n")
    await bench.idle()
    assert wrong(bench) == []


async def test_a_word_is_checked_once(bench: Bench, book: Book) -> None:
    await bench.open("a.txt", "wyde wyde\nwyde\n")
    await until(lambda: wrong(bench) == ["wyde"] * 3)
    bench.type("wyde ")
    await until(lambda: len(wrong(bench)) == 4)
    assert book.asked.count("wyde") == 1


async def test_only_lines_on_the_screen_are_checked(bench: Bench, book: Book) -> None:
    await bench.open("a.txt", "the sea\n" * 500 + "wyde\n")
    await until(lambda: "sea" in book.asked)
    assert "wyde" not in book.asked
    bench.place(500)
    await shows(bench, "wyde")


def context_menu(bench: Bench, line: int, column: int) -> QMenu:
    bench.place(line, column)
    place = bench.editor.cursorRect().center() + QPoint(1, 0)
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, place, bench.editor.mapToGlobal(place)
    )
    QApplication.sendEvent(bench.editor.viewport(), event)
    menu = bench.find("editorMenu", QMenu)
    assert isinstance(menu, QMenu)
    return menu


def entry(menu: QMenu, name: str) -> Callable[[], QAction | None]:
    return lambda: next((one for one in menu.actions() if one.objectName() == name), None)


async def test_a_suggestion_replaces_the_word(bench: Bench, book: Book) -> None:
    await bench.open("a.txt", "The wyde sea\n")
    await shows(bench, "wyde")
    menu = context_menu(bench, 1, 6)
    suggestion = entry(menu, "spellSuggestion")
    await until(lambda: suggestion() is not None)
    suggestion().trigger()
    menu.close()
    assert bench.text == "The wide sea\n"
    await shows(bench)


async def test_without_a_suggestion_the_menu_says_so(bench: Bench, book: Book) -> None:
    await bench.open("a.txt", "The wavz sea\n")
    await shows(bench, "wavz")
    menu = context_menu(bench, 1, 6)
    waiting = entry(menu, "spellWaiting")
    await until(lambda: waiting().text() == "No suggestions")
    menu.close()


async def test_a_word_can_be_ignored(bench: Bench, book: Book) -> None:
    await bench.open("a.txt", "The wyde wyde sea\n")
    await until(lambda: len(wrong(bench)) == 2)
    menu = context_menu(bench, 1, 6)
    entry(menu, "spellIgnore")().trigger()
    menu.close()
    await shows(bench)
    assert not (home_folder() / "dictionary.txt").exists()


async def test_a_word_can_be_added_for_good(bench: Bench, book: Book) -> None:
    await bench.open("a.txt", "Graypoint the sea\n")
    await shows(bench, "Graypoint")
    menu = context_menu(bench, 1, 3)
    entry(menu, "spellAdd")().trigger()
    menu.close()
    await shows(bench)
    await bench.idle()
    assert (home_folder() / "dictionary.txt").read_text() == "Graypoint\n"


async def test_words_of_earlier_times_are_known(bench: Bench, book: Book) -> None:
    home_folder().mkdir(parents=True, exist_ok=True)
    (home_folder() / "dictionary.txt").write_text("graypoint\n")
    await bench.open("a.txt", "Graypoint the wyde sea\n")
    await shows(bench, "wyde")


async def test_the_setting_turns_it_off_and_on(bench: Bench, book: Book) -> None:
    await bench.open("a.txt", "The wyde sea\n")
    await shows(bench, "wyde")
    bench.preferences.change_window(spell_check=False)
    await shows(bench)
    assert "turned off" in bench.page.spelling_note
    bench.preferences.change_window(spell_check=True)
    await shows(bench, "wyde")


@pytest.mark.parametrize("missing", ["library", "dictionary"])
async def test_without_library_or_dictionary_the_status_says_why(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    if missing == "library":
        monkeypatch.setitem(sys.modules, "enchant", None)
    else:
        bench.preferences.change_window(spell_language="xx_YY")
    await bench.open("a.txt", "The wyde sea\n")
    await until(lambda: bench.page.spelling_note != "")
    await until(lambda: bench.status is not None and bench.status.spelling != "")
    expected = "not installed" if missing == "library" else "no dictionary for xx_YY"
    assert expected in bench.status.spelling
    assert wrong(bench) == []


async def test_the_word_being_written_is_not_marked_yet(bench: Bench, book: Book) -> None:
    editor = await bench.open("a.txt", "")
    bench.type("wyd")
    await shows(bench, "wyd")
    with_cursor = editor.viewport().grab().toImage()
    bench.type(" ")
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    bench.place(1, 1)
    assert editor.viewport().grab().toImage() != with_cursor


@pytest.mark.parametrize("words", [b"\xff\xfe\x00", b"", None])
async def test_a_damaged_list_of_own_words_leaves_the_check_alone(
    bench: Bench, book: Book, words: bytes | None
) -> None:
    place = home_folder() / "dictionary.txt"
    place.parent.mkdir(parents=True, exist_ok=True)
    if words is None:
        place.mkdir()
    else:
        place.write_bytes(words)
    await bench.open("a.md", "The wyde sea\n")
    await shows(bench, "wyde")


async def test_without_prose_no_dictionary_is_loaded(bench: Bench, book: Book) -> None:
    await bench.open("a.js", "// wyde\n")
    bench.page.current.body.proofreader.look()
    await bench.idle()
    assert not bench.page._speller.active


async def test_a_screen_of_prose_is_looked_at_in_slices(
    bench: Bench, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    slices: list[int] = []
    go_on = Proofreader._go_on

    def note(proofreader: Proofreader) -> None:
        go_on(proofreader)
        slices.append(len(proofreader._found))

    monkeypatch.setattr(proofreading, "_SLICE_SECONDS", -1.0)
    monkeypatch.setattr(Proofreader, "_go_on", note)
    await bench.open("a.md", "".join(f"The sea is wyde and {hour}.\n\n" for hour in "abcdef"))
    await shows(bench, *["wyde"] * 6)
    assert {1, 2, 3, 4, 5, 6} <= set(slices)


async def test_a_paragraph_is_looked_at_word_by_word_and_its_language_asked_once(
    bench: Bench, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, asked = [0], []
    go_on, language_in = Proofreader._go_on, Highlighter.language_in

    def note(proofreader: Proofreader) -> None:
        go_on(proofreader)
        words.append(sum(map(len, proofreader._found.values())))

    def ask(highlighter: Highlighter, line: int) -> str:
        asked.append(line)
        return language_in(highlighter, line)

    monkeypatch.setattr(proofreading, "_SLICE_SECONDS", -1.0)
    monkeypatch.setattr(Proofreader, "_go_on", note)
    monkeypatch.setattr(Highlighter, "language_in", ask)
    await bench.open("a.md", "The sea is wyde. " * 12)
    await shows(bench, *["wyde"] * 12)
    assert max(after - before for before, after in pairwise(words)) == 1
    assert 0 < len(asked) <= words.count(1)
