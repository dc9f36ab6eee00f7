"""Words for sentences."""

from __future__ import annotations

import pytest

from studio_qt.sentences import listed, shortened


@pytest.mark.parametrize(
    ("words", "told"),
    [((), ""), (("a",), "a"), (("a", "b"), "a and b"), (("a", "b", "c"), "a, b and c")],
)
def test_words_are_listed_with_an_and_before_the_last(words: tuple[str, ...], told: str) -> None:
    assert listed(words) == told


@pytest.mark.parametrize(("text", "told"), [("", ""), ("abc", "abc"), ("abcd", "ab…")])
def test_a_text_that_is_too_long_ends_with_an_ellipsis_within_its_bounds(
    text: str, told: str
) -> None:
    assert shortened(text, 3) == told
