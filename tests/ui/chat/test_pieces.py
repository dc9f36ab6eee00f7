"""Long texts, cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.ui.chat.pieces import LARGE, Cutter, cut_text

LONG = {
    "one word": "x" * 500_000,
    "one line": "word " * 200_000,
    "paragraphs": "A paragraph of words.\n\n" * 20_000,
    "lines": "a line\n" * 60_000,
    "code": "Before\n\n```py\n" + "x = 1\n" * 9_000 + "```\nafter",
    "unclosed fence": "~~~\n" + "y = 2\n\n" * 9_000,
    "emoji": "👩‍👩‍👧‍👦" * 20_000,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_pieces_hold_the_whole_text_and_none_is_large(text: str) -> None:
    pieces = cut_text(text)
    assert "".join(text[piece.start : piece.stop] for piece in pieces) == text
    assert max(piece.stop - piece.start for piece in pieces) <= 2 * LARGE


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_text_that_grows_is_cut_where_the_whole_is(text: str) -> None:
    text = text[:40_000]
    cutter = Cutter()
    for end in range(0, len(text), 997):
        cutter.follow(text[:end])
        assert "".join(text[p.start : p.stop] for p in cutter.done) == text[: cutter_end(cutter)]
    cutter.follow(text)
    assert "".join(text[p.start : p.stop] for p in [*cutter.done, cutter.last(text)]) == text


def cutter_end(cutter: Cutter) -> int:
    return cutter.done[-1].stop if cutter.done else 0


def test_code_that_is_cut_is_code_in_every_piece() -> None:
    text = LONG["code"]
    pieces = [piece.of(text) for piece in cut_text(text)]
    assert len(pieces) > 5
    assert pieces[0].endswith("\n```")
    assert all(piece.startswith("```py\n") for piece in pieces[1:-1])
    assert pieces[-1].endswith("```\nafter")


def test_paragraphs_are_cut_between_and_lists_are_kept_together() -> None:
    paragraph = "Words of a paragraph, some of them. " * 20
    pieces = cut_text((paragraph + "\n\n") * 20)
    text = (paragraph + "\n\n") * 20
    assert all(piece.of(text).startswith("Words") for piece in pieces)
    listed = "- an item that goes on\n\n  with more\n\n" * 110
    assert len(cut_text(listed[: LARGE + 500])) == 1


def test_a_short_text_is_one_piece() -> None:
    (piece,) = cut_text("short")
    assert piece.of("short") == "short"


@given(st.text(alphabet="ab \n`~-*", max_size=60).map(lambda text: text * 300))
def test_nothing_is_lost_whatever_the_text(text: str) -> None:
    assert "".join(text[piece.start : piece.stop] for piece in cut_text(text)) == text
