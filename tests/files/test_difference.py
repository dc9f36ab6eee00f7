from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.files.difference import Block, line_blocks, word_spans

_LINES = st.lists(st.sampled_from(["", "a", "b", "c", "d"]), max_size=40)


@given(_LINES, _LINES)
def test_blocks_make_up_both_texts_and_alternate(left: list[str], right: list[str]) -> None:
    blocks = line_blocks(left, right)
    assert [place for block in blocks for place in block.left] == list(range(len(left)))
    assert [place for block in blocks for place in block.right] == list(range(len(right)))
    assert all(one.same != other.same for one, other in itertools.pairwise(blocks))
    for block in blocks:
        lines = [left[place] for place in block.left], [right[place] for place in block.right]
        assert (lines[0] == lines[1]) == block.same


def test_lines_that_occur_once_are_found_again_between_repeated_ones() -> None:
    left = ["{", "one", "}", "{", "two", "}"]
    right = ["{", "new", "}", "{", "one", "}", "{", "two", "}"]
    same = [block for block in line_blocks(left, right) if block.same]
    assert sum(len(block.left) for block in same) == 6


def test_equal_texts_are_one_block_and_empty_ones_none() -> None:
    assert line_blocks(["a", "b"], ["a", "b"]) == [Block(True, range(2), range(2))]
    assert line_blocks([], []) == []
    assert line_blocks([], ["a"]) == [Block(False, range(0), range(1))]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (["x"] * 30_000, ["y"] * 30_000),
        (["x", "y"] * 15_000, ["y", "x", "x"] * 10_000),
        ([f"{n}" for n in range(60_000)], [f"{n}" for n in reversed(range(60_000))]),
        (["x", "y", ""] * 66, ["y", "", "x", "x"] * 50),
    ],
    ids=["all other", "few lines", "reversed", "at the bound"],
)
def test_a_hard_case_is_bounded_in_time(left: list[str], right: list[str]) -> None:
    started = time.process_time()
    line_blocks(left, right)
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("left", "right", "spans"),
    [
        ("oil 41 %, wick 6", "oil 38 %, wick 6", ([(4, 6)], [(4, 6)])),
        ("a b", "a new b", ([], [(2, 6)])),
        ("quite another", "(((((((((((((", ([], [])),
        ("same", "same", ([], [])),
        ("x " * 400, "y " * 400, ([], [])),
    ],
)
def test_words_that_differ_are_marked(left: str, right: str, spans: object) -> None:
    assert word_spans(left, right) == spans
