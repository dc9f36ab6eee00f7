"""Words for sentences."""

from __future__ import annotations

import pytest

from studio_qt.sentences import listed


@pytest.mark.parametrize(
    ("words", "told"),
    [((), ""), (("a",), "a"), (("a", "b"), "a and b"), (("a", "b", "c"), "a, b and c")],
)
def test_words_are_listed_with_an_and_before_the_last(words: tuple[str, ...], told: str) -> None:
    assert listed(words) == told
