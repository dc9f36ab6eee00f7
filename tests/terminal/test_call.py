"""`studio-qt call`: one tool by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.terminal.call import store_changes
from tests.terminal.conftest import Studio


def test_call_prints_the_result_and_what_changed(studio: Studio, counter: Path) -> None:
    first = studio("call", counter, "count", '{"by": 2}', "--data-dir", "kept")
    second = studio("call", counter, "count", '{"by": 3}', "--data-dir", "kept")
    assert (first.code, second.code) == (0, 0)
    assert first.out.splitlines()[0] == "total 2"
    assert second.out.splitlines()[0] == "total 5"
    assert '-  "total": 2' in second.out
    assert '+  "total": 5' in second.out
    assert "log: total 5" in second.err


def test_call_names_the_languages_of_foreign_code(studio: Studio, counter: Path) -> None:
    done = studio("call", counter, "count", '{"by": 2}')
    assert "agent code of its own (JavaScript)" in done.err.splitlines()[0]


@pytest.mark.parametrize(
    ("tool", "arguments", "complaint"),
    [
        ("nosuch", "{}", "nosuch"),
        ("count", '{"by": "two"}', "by"),
        ("explode", "{}", "the fuse was too short"),
    ],
)
def test_a_call_that_fails_says_what_a_model_would_be_told(
    studio: Studio, counter: Path, tool: str, arguments: str, complaint: str
) -> None:
    done = studio("call", counter, tool, arguments)
    assert done.code == 1
    assert complaint in done.err.splitlines()[-1]


def test_the_change_is_a_readable_difference_for_each_store() -> None:
    before = {"a": '{"n":1,"m":2}', "b": "{}"}
    lines = list(store_changes(before, {"a": '{"n":1,"m":3}', "b": "{}", "c": '{"new":true}'}))
    assert [line for line in lines if line[0] in "+-"] == [
        "--- a before",
        "+++ a after",
        '-  "m": 2',
        '+  "m": 3',
        "--- c before",
        "+++ c after",
        "-{}",
        "+{",
        '+  "new": true',
        "+}",
    ]
