"""Splices carry a text over to another, in few characters where the change is small."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.engine.storage.splices import apply_splices, find_splices

TEXTS = st.text(st.sampled_from('ab{}":,é😀'), max_size=2000)


@given(TEXTS, TEXTS)
def test_splices_of_two_texts_make_one_of_the_other(old: str, new: str) -> None:
    assert apply_splices(old, find_splices(old, new)) == new


@given(st.lists(TEXTS, min_size=1, max_size=30), st.data())
def test_splices_survive_moved_and_doubled_parts(parts: list[str], data: st.DataObject) -> None:
    old = "|".join(parts)
    new = "|".join(data.draw(st.lists(st.sampled_from(parts), max_size=30)))
    assert apply_splices(old, find_splices(old, new)) == new


def test_changes_far_apart_in_a_large_text_stay_small() -> None:
    items = [{"name": f"item {n}", "count": n} for n in range(3000)]
    old = json.dumps(items)
    items[10]["count"], items[2900]["count"] = 77_777, 88_888
    splices = find_splices(old, new := json.dumps(items))
    assert apply_splices(old, splices) == new
    assert sum(len(inserted) + removed for _, removed, inserted in splices) < 200


@pytest.mark.parametrize("splice", [[-1, 0, ""], [2, 2, ""], [0, -1, ""], [0, 0], "x", [0, 0, 1]])
def test_what_is_no_splice_of_the_text_is_refused(splice: object) -> None:
    with pytest.raises(ValueError, match="no splice"):
        apply_splices("abc", [splice])
