"""Which lines of two texts stand beside each other."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.ui.compare.rows import LONGEST, Comparison, compare_texts

_TEXTS = st.lists(st.sampled_from(["", "a", "b", "a b", "😀"]), max_size=25).map("\n".join)


def side(found: Comparison, which: int) -> str:
    lines = [row[which] for row in found.rows]
    return "\n".join(line.text for line in lines if line.kind != "filler")


@given(_TEXTS, _TEXTS)
def test_each_side_holds_its_whole_text_in_order(left: str, right: str) -> None:
    found = compare_texts(left, right)
    assert (side(found, 0), side(found, 1)) == (left, right)
    for which in (0, 1):
        numbers = [row[which].number for row in found.rows if row[which].kind != "filler"]
        assert numbers == list(range(1, len(numbers) + 1))


@given(_TEXTS, _TEXTS)
def test_rows_outside_of_changes_are_equal_and_inside_they_are_not(left: str, right: str) -> None:
    found = compare_texts(left, right)
    changed = {row for rows in found.changes for row in rows}
    for at, (one, other) in enumerate(found.rows):
        assert (at in changed) == ("changed" in (one.kind, other.kind))
        assert at in changed or one.text == other.text


def test_counts_and_words_of_a_change() -> None:
    found = compare_texts("one\noil 41 %\nend", "one\noil 38 %\nnew\nend")
    assert (found.removed, found.added) == (1, 2)
    assert found.changes == (range(1, 3),)
    assert [line.spans for line in found.rows[1]] == [((4, 6),), ((4, 6),)]
    assert found.rows[2][0].kind == "filler"


def test_far_equal_lines_of_a_large_text_are_one_row() -> None:
    lines = [f"line {number}" for number in range(50_000)]
    found = compare_texts("\n".join(lines), "\n".join(["new", *lines[:40_000], *lines[40_001:]]))
    assert len(found.rows) < 300
    folds = [row[0] for row in found.rows if row[0].kind == "fold"]
    assert len(folds) == 3 - 1
    assert "39,9" in folds[0].text
    assert found.rows[-1][1].kind == "fold"
    near = found.rows[found.changes[1].start - 1]
    assert (near[0].text, near[0].number, near[1].number) == ("line 39999", 40_000, 40_001)


def test_a_long_line_is_cut_and_says_so() -> None:
    found = compare_texts("x" * (LONGEST + 1_234), "")
    assert found.rows[0][0].text.endswith("… 1,234 more")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (
            "\n".join(f"old {n}" for n in range(40_000)),
            "\n".join(f"new {n}" for n in range(40_000)),
        ),
        ("a b " * 500_000, "b a " * 500_000),
        ("x\n" * 40_000, "x\ny\n" * 20_000),
    ],
    ids=["all changed", "one long line", "few lines"],
)
def test_a_hard_comparison_is_bounded_in_time(left: str, right: str) -> None:
    started = time.process_time()
    compare_texts(left, right)
    assert time.process_time() - started < 5
