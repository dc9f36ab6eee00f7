"""What a language is to the highlighter: a function from a line and a state to spans and a state.

The state at the start of a line holds all that the lines before can mean for it: the stack of a
Pygments lexer, the indentation of YAML, the language of a fenced block. Since nothing else is
looked at, a line may be coloured again alone, and when the state after it is as before, so is the
rest of the text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TypeAlias

__all__ = [
    "LONGEST",
    "MOST",
    "Grammar",
    "Plain",
    "Span",
    "Spans",
    "State",
    "lex",
    "line_of",
    "utf16",
]

State: TypeAlias = tuple[object, ...]
"""Hashable, compared by value."""

Span: TypeAlias = tuple[int, int, str]
"""Start and length in a line, and a kind out of `kinds.LOOKS`."""

Spans: TypeAlias = tuple[Span, ...]

LONGEST = 20_000
"""Characters; a longer line stays plain and hands on the state before it."""

MOST = 1_000
"""Tokens; what comes after them in one line stays plain."""


class Grammar(ABC):
    """A language. `start` is the state of the first line, `middle` the likeliest of any other."""

    start: State
    middle: State

    @abstractmethod
    def line(self, text: str, state: State) -> tuple[Spans, State]:
        """Return the spans of a line without its line break, and the state behind it."""

    @abstractmethod
    def language(self, state: State) -> str:
        """Return the language that a line with this state before it is in."""


class Plain(Grammar):
    """A language without any colour."""

    start = ()
    middle = ()

    def line(self, text: str, state: State) -> tuple[Spans, State]:  # noqa: ARG002
        return (), state

    def language(self, state: State) -> str:  # noqa: ARG002
        return "text"


def lex(grammar: Grammar, lines: Iterable[str]) -> Iterator[Spans]:
    """Yield the spans of each line of a whole text, places counted as Qt does."""
    state = grammar.start
    for text in lines:
        spans, state = line_of(grammar, text, state)
        yield spans


def line_of(grammar: Grammar, text: str, state: State) -> tuple[Spans, State]:
    """Return the spans of one line, places counted as Qt does, and the state behind it."""
    if len(text) > LONGEST:
        return (), state
    spans, state = grammar.line(text, state)
    return utf16(text, spans), state


def utf16(text: str, spans: Spans) -> Spans:
    """Return spans with places in UTF-16 units, as Qt counts them, instead of characters."""
    if not spans or text.isascii() or max(text) <= "\uffff":
        return spans
    places = [0]
    for character in text:
        places.append(places[-1] + 1 + (character > "\uffff"))
    return tuple(
        (places[start], places[start + length] - places[start], kind)
        for start, length, kind in spans
    )
