"""After any edits the colours are those of a full reading, and little is read for them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio_qt.ui.highlight.grammar import Grammar, Spans, State, lex
from studio_qt.ui.highlight.lines import Lines
from tests.ui.highlight.samples import PIECES, SAMPLES


class Text:
    """A text that is edited, and its lines; counts what is read."""

    def __init__(self, grammar: Grammar, text: str) -> None:
        self.text = text
        self.lines = Lines(grammar, text.count("\n") + 1)
        self.read = 0

    def edit(self, start: int, end: int, new: str) -> None:
        first = self.text.count("\n", 0, start)
        removed = self.text.count("\n", start, end) + 1
        self.text = self.text[:start] + new + self.text[end:]
        self.lines.replace(first, removed, new.count("\n") + 1)

    def step(self) -> int:
        self.read += 1
        rows = self.text.split("\n")
        return self.lines.step(rows.__getitem__)[0]

    def settle(self) -> list[Spans]:
        rows = self.text.split("\n")
        while not self.lines.settled:
            self.read += 1
            self.lines.step(rows.__getitem__)
        return [self.lines.spans(line) or () for line in range(len(self.lines))]


class Counting(Grammar):
    """A language of brackets: the state is how many are open."""

    start = (0,)
    middle = (0,)

    def line(self, text: str, state: State) -> tuple[Spans, State]:
        (depth,) = state
        assert isinstance(depth, int)
        return ((0, depth + 1, "name"),), (depth + text.count("(") - text.count(")"),)

    def language(self, state: State) -> str:
        return "text"


edits = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.sampled_from((0, 0, 0, 1, 1, 2, 5, 30, 300)),
        st.lists(st.sampled_from(PIECES), max_size=3).map("".join),
        st.integers(0, 4),
    ),
    min_size=10,
    max_size=10,
)
"""Where (a part of the text), how much is replaced, by what, and how many lines are then read."""


@pytest.mark.parametrize("language", SAMPLES)
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(edits=edits)
def test_after_any_edits_the_colours_are_those_of_a_full_reading(
    grammars: Mapping[str, Grammar], language: str, edits: list[tuple[float, int, str, int]]
) -> None:
    """A thousand edits in each language, looked at after every one of them in half the cases."""
    grammar = grammars[language]
    text = Text(grammar, SAMPLES[language])
    text.settle()
    for part, length, new, steps in edits:
        start = int(part * (len(text.text) + 1))
        text.edit(start, min(start + length, len(text.text)), new)
        if steps > 2:
            assert text.settle() == list(lex(grammar, text.text.split("\n")))
        for _ in range(steps):
            if not text.lines.settled:
                text.step()
    assert text.settle() == list(lex(grammar, text.text.split("\n")))


def test_a_change_that_leaves_the_state_is_read_alone() -> None:
    text = Text(Counting(), "\n".join("a(b)" for _ in range(5000)))
    text.settle()
    text.read = 0
    text.edit(2502, 2502, "x")
    text.settle()
    assert text.read == 1


@pytest.mark.clause("STU-01")
def test_a_change_of_the_state_is_read_until_it_is_as_before() -> None:
    text = Text(Counting(), "(\n" + "a\n" * 50 + ")\n" + "b\n" * 50)
    text.settle()
    text.read = 0
    text.edit(0, 1, "")
    text.settle()
    assert text.read == 103
    text.read = 0
    text.edit(0, 0, "(")
    text.edit(3, 3, ")")
    text.settle()
    assert text.read == 2


def test_lines_that_were_inserted_before_an_unread_place_move_it() -> None:
    text = Text(Counting(), "a\n" * 20)
    for _ in range(5):
        text.step()
    text.edit(0, 0, "b\nc\n")
    assert [text.step() for _ in range(4)] == [0, 1, 2, 7]


def test_a_guess_is_replaced_by_what_follows_from_the_lines_before(
    grammars: Mapping[str, Grammar],
) -> None:
    text = Text(grammars["javascript"], "/*\n" + "let a\n" * 10)
    rows = text.text.split("\n")
    assert text.lines.guess(5, rows.__getitem__) == ((0, 3, "keyword"),)
    assert not text.lines.is_fresh(5)
    assert text.settle()[5] == ((0, 5, "comment"),)


def test_a_change_of_lines_that_are_not_there_is_refused() -> None:
    lines = Lines(Counting(), 3)
    with pytest.raises(ValueError, match="no lines 2 to 4 of 3"):
        lines.replace(2, 2, 1)
