"""Looking for text in files: what is found, where, and within what time."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from studio_qt.errors import StudioError
from studio_qt.ui.search.engine import (
    MOST,
    FileHits,
    Query,
    Skipped,
    replace_file,
    replace_text,
    search_project,
    search_text,
    text_mark,
)
from studio_qt.ui.search.included import Included


def _search(root: Path, query: Query, buffers: dict[str, str] | None = None) -> list[FileHits]:
    found = search_project(root, buffers or {}, query, threading.Event())
    return [one for one in found if isinstance(one, FileHits)]


def _places(text: str, query: Query) -> list[tuple[int, int, str]]:
    return [(hit.line, hit.column, hit.found) for hit in search_text(text, query)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (Query("rope"), ["Rope", "rope", "rope"]),
        (Query("rope", case=True), ["rope", "rope"]),
        (Query("rope", word=True), ["Rope", "rope"]),
        (Query("r.pe"), []),
        (Query("r.pe", expression=True), ["Rope", "rope", "rope"]),
        (Query("^rope$", expression=True), ["rope"]),
        (Query("x*", expression=True), []),
        (Query(".", word=True), []),
    ],
)
def test_options_say_what_matches(query: Query, found: list[str]) -> None:
    assert [place[2] for place in _places("Rope!\nropes\nrope\n", query)] == found


def test_columns_count_as_editors_do() -> None:
    assert _places("a\n\U0001f6a2 é rope\n", Query("rope")) == [(2, 6, "rope")]


def test_a_match_over_lines_is_shown_by_its_first() -> None:
    (hit,) = search_text("one\ntwo\n", Query(r"one\ntwo", expression=True))
    assert (hit.line, hit.found, hit.after) == (1, "one…", "")


def test_long_lines_are_cut_around_the_match() -> None:
    (hit,) = search_text("x" * 5000 + "rope" + "y" * 5000, Query("rope"))
    assert hit.before.startswith("…")
    assert len(hit.before + hit.found + hit.after) < 250
    assert hit.column == 5001


@pytest.mark.clause("STU-01")
def test_unsaved_text_is_searched_instead_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("rope")
    (tmp_path / "b.txt").write_text("lamp")
    found = _search(tmp_path, Query("lamp"), {"a.txt": "a lamp", "new.txt": "lamp\r\nlamp"})
    assert [(file.path, file.unsaved, len(file.hits)) for file in found] == [
        ("a.txt", True, 1),
        ("new.txt", True, 2),
        ("b.txt", False, 1),
    ]


def test_only_texts_of_the_author_are_searched(tmp_path: Path) -> None:
    for path in ("conversations/c.json", ".git/x", "node_modules/x.js", "context/.tides.json"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("rope")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0rope")
    (tmp_path / "wide.txt").write_bytes("\ufeffrope".encode("utf-16-le"))
    assert [file.path for file in _search(tmp_path, Query("rope"))] == [
        "wide.txt",
        "context/.tides.json",
    ]


@pytest.mark.parametrize(
    ("pattern", "taken"),
    [
        ("", ["agents/a.js", "context/b.json", "notes.txt"]),
        ("agents", ["agents/a.js"]),
        ("*.json, *.JS", ["agents/a.js", "context/b.json"]),
        ("!*.json", ["agents/a.js", "notes.txt"]),
        ("context/*", ["context/b.json"]),
        (" , ", ["agents/a.js", "context/b.json", "notes.txt"]),
    ],
)
def test_patterns_say_which_files_are_searched(pattern: str, taken: list[str]) -> None:
    paths = ["agents/a.js", "context/b.json", "notes.txt"]
    assert [path for path in paths if Included(pattern).takes(path)] == taken


def test_a_search_ends_after_the_first_two_thousand(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text("x\n" * 1500)
    found = _search(tmp_path, Query("x"))
    assert [len(file.hits) for file in found] == [1500, 500]
    assert MOST == 2000


@pytest.mark.parametrize("pattern", ["(", "[a", "(?P<x", "*"])
def test_an_expression_that_cannot_be_read_is_told(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(StudioError, match="cannot be read"):
        _search(tmp_path, Query(pattern, expression=True))


def test_a_catastrophic_expression_costs_a_second_a_file_and_three_at_most(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a" * 60 + "!")
    query = Query(r"(a|aa)+$", expression=True)
    begun = time.monotonic()
    (skipped,) = search_project(tmp_path, {}, query, threading.Event())
    assert isinstance(skipped, Skipped)
    assert "too long" in skipped.why
    assert time.monotonic() - begun < 3


def test_other_threads_run_while_an_expression_does() -> None:
    ended = threading.Event()

    def search() -> None:
        with pytest.raises(StudioError, match="too long"):
            search_text("a" * 60 + "!", Query(r"(a|aa)+$", expression=True))
        ended.set()

    thread = threading.Thread(target=search)
    thread.start()
    turns = 0
    while not ended.wait(0.001):
        turns += 1
    thread.join()
    assert turns > 100


def test_a_search_that_is_stopped_reads_no_further(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    stop = threading.Event()
    stop.set()
    assert list(search_project(tmp_path, {}, Query("x"), stop)) == []


def test_replacing_takes_words_as_they_are_and_groups_of_expressions() -> None:
    assert replace_text("a.b a.b", Query("a.b", template=r"\1")) == (r"\1 \1", 2)
    query = Query(r"(\w+)@(?P<host>\w+)", expression=True, template=r"\g<host> at \1")
    assert replace_text("me@home", query) == ("home at me", 1)
    assert replace_text("x", Query("x", template="")) == ("", 1)


@pytest.mark.parametrize("template", [r"\2", r"\g<nope>"])
def test_a_replacement_that_cannot_be_read_is_told(template: str) -> None:
    with pytest.raises(StudioError, match="replacement"):
        replace_text("x", Query("x", expression=True, template=template))


def test_a_file_keeps_encoding_and_line_ends(tmp_path: Path) -> None:
    content = "\ufeffrope é\r\nrope\r\n".encode()
    (tmp_path / "a.txt").write_bytes(content)
    mark = text_mark("rope é\nrope\n")
    assert replace_file(tmp_path, "a.txt", Query("rope$", expression=True, template="seil"), mark)
    assert (tmp_path / "a.txt").read_bytes() == "\ufeffrope é\r\nseil\r\n".encode()


def test_a_file_that_changed_since_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("rope")
    with pytest.raises(StudioError, match="has changed"):
        replace_file(tmp_path, "a.txt", Query("rope", template="x"), text_mark("other"))
    assert (tmp_path / "a.txt").read_text() == "rope"
