"""Texts: Markdown with code inside, sub-agents, plain text; macros stand out in each."""

from __future__ import annotations

import re
from collections.abc import Callable

from studio_qt.ui.highlight.grammar import Grammar, Span, Spans, State
from studio_qt.ui.highlight.languages import FENCED

__all__ = ["Markdown", "SubAgent", "Text", "with_macros"]

_MACRO = re.compile(r"%%(?:STORE:(?:(?!%%).)*|[A-Z][A-Z0-9_]*)%%")
_FENCE = re.compile(r"((?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])[ \t])*[ \t]*)(`{3,}|~{3,})[ \t]*([^`]*)$")


def with_macros(text: str, spans: Spans) -> Spans:
    """Lay the macros of a prompt over what else there is in a line (SYS-01, SUB-10)."""
    if "%%" not in text:
        return spans
    macros = [(hit.start(), len(hit[0]), "macro") for hit in _MACRO.finditer(text)]
    rest = list(spans)
    for start, length, _ in macros:
        rest = [part for span in rest for part in _around(span, start, start + length)]
    return tuple(sorted([*rest, *macros]))


def _around(span: Span, start: int, end: int) -> list[Span]:
    """Return what is left of a span before and after a place."""
    first, length, kind = span
    last = first + length
    if last <= start or first >= end:
        return [span]
    sides = ((first, start - first, kind), (end, last - end, kind))
    return [side for side in sides if side[1] > 0]


class Text(Grammar):
    """Plain text, with macros."""

    start = ()
    middle = ()

    def line(self, text: str, state: State) -> tuple[Spans, State]:
        return with_macros(text, ()), state

    def language(self, state: State) -> str:  # noqa: ARG002
        return "text"


class Markdown(Grammar):
    """Markdown; in a fenced block the state is ("fence", mark, language, state within).

    `inline` reads a line outside such blocks, `grammar_of` gives the grammar of a language.
    """

    def __init__(
        self, inline: Grammar, grammar_of: Callable[[str], Grammar], *, macros: bool = True
    ) -> None:
        self._inline = inline
        self._grammar_of = grammar_of
        self._macros = macros
        self.start = inline.start
        self.middle = inline.middle

    def line(self, text: str, state: State) -> tuple[Spans, State]:
        spans, state = self._line(text, state)
        return (with_macros(text, spans) if self._macros else spans), state

    def language(self, state: State) -> str:
        if state[0] != "fence":
            return "markdown"
        _, _, name, within = state
        assert isinstance(name, str) and isinstance(within, tuple)
        return self._grammar_of(name).language(within) if name else "text"

    def _line(self, text: str, state: State) -> tuple[Spans, State]:
        if state[0] == "fence":
            return self._in_fence(text, state)
        if state == self.start and (opened := _FENCE.match(text)):
            return self._open(opened)
        return self._inline.line(text, state)

    def _open(self, opened: re.Match[str]) -> tuple[Spans, State]:
        start, mark = opened.start(2), opened[2]
        word = re.match(r"[\w+-]*", opened[3])
        name = FENCED.get(word[0].lower(), "") if word else ""
        within = self._grammar_of(name).start if name else ()
        spans: list[Span] = [(start, len(opened[0]) - start, "code")]
        if opened.end(1):
            before, _ = self._inline.line(opened[1], self.start)
            spans = [*before, *spans]
        return tuple(spans), ("fence", mark, name, within)

    def _in_fence(self, text: str, state: State) -> tuple[Spans, State]:
        _, mark, name, within = state
        assert isinstance(mark, str) and isinstance(name, str) and isinstance(within, tuple)
        bare = text.strip(" \t>")
        if len(bare) >= len(mark) and not bare.strip(mark[0]):
            start = text.index(mark[0])
            return ((start, len(bare), "code"),), self.start
        if not name:
            return (((0, len(text), "code"),) if text else ()), state
        spans, within = self._grammar_of(name).line(text, within)
        return spans, ("fence", mark, name, within)


class SubAgent(Grammar):
    """A `.subagent.md`: YAML between two lines `---`, then Markdown (SUB-01).

    The state is ("head",) before the first line that is not blank, then ("yaml", state within),
    then ("body", state within).
    """

    def __init__(self, yaml: Grammar, markdown: Grammar) -> None:
        self._yaml = yaml
        self._markdown = markdown
        self.start = ("head",)
        self.middle = ("body", markdown.middle)

    def line(self, text: str, state: State) -> tuple[Spans, State]:
        part = state[0]
        fence = text.removeprefix("\ufeff").rstrip() == "---"
        if part == "head":
            return self._head(text, state, fence=fence)
        within = state[1]
        assert isinstance(within, tuple)
        if part == "yaml" and fence:
            return ((0, 3, "mark"),), ("body", self._markdown.start)
        grammar = self._yaml if part == "yaml" else self._markdown
        spans, within = grammar.line(text, within)
        return spans, (part, within)

    def language(self, state: State) -> str:
        if state[0] == "head":
            return "yaml"
        grammar = self._yaml if state[0] == "yaml" else self._markdown
        within = state[1]
        assert isinstance(within, tuple)
        return grammar.language(within)

    def _head(self, text: str, state: State, *, fence: bool) -> tuple[Spans, State]:
        if fence:
            return ((text.index("-"), 3, "mark"),), ("yaml", self._yaml.start)
        if not text.strip("\ufeff \t"):
            return (), state
        spans, within = self._markdown.line(text, self._markdown.start)
        return spans, ("body", within)
