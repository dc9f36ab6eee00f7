"""Heights of rows, summed in a tree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio_qt.ui.chat.heights import Heights

Change = tuple[int, int, list[int]]
changes = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 6), st.lists(st.integers(0, 90), max_size=6)),
    max_size=20,
)


@given(changes, st.integers(0, 40), st.integers(0, 90))
def test_sums_are_those_of_a_list_whatever_was_spliced_and_set(
    spliced: list[Change], row: int, height: int
) -> None:
    heights, plain = Heights(), list[int]()
    for start, removed, fresh in spliced:
        start = min(start, len(plain))  # noqa: PLW2901
        heights.splice(start, removed, fresh)
        plain[start : start + removed] = fresh
    if row < len(plain):
        heights.set(row, height)
        plain[row] = height
    assert heights.total == sum(plain)
    assert [heights.before(at) for at in range(len(plain) + 1)] == [
        sum(plain[:at]) for at in range(len(plain) + 1)
    ]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=60), st.integers(-20, 3_000))
def test_the_row_at_a_place_is_the_one_that_covers_it(plain: list[int], y: int) -> None:
    heights = Heights(plain)
    row = heights.at(y)
    if 0 <= y < heights.total:
        assert heights.before(row) <= y < heights.before(row) + heights[row]
    else:
        assert row == (0 if y < 0 else len(plain) - 1)
