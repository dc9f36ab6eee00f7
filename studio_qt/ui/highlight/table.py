"""A lexer of Pygments as a grammar: its tables run over one line, from one stack to the next.

Importing this loads Pygments; only `loading` does so, on a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from re import Match
from typing import TypeAlias

from pygments.lexer import LexerContext, RegexLexer
from pygments.token import (
    Comment,
    Generic,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    String,
    _TokenType,
)

from studio_qt.ui.highlight.grammar import LONGEST, MOST, Grammar, Span, Spans, State
from studio_qt.ui.highlight.lexers.groups import Callback

__all__ = ["TableGrammar"]

_EFFORT = 500_000
"""Characters that a lexer which looks far may have before it in one line, over all its tokens."""
_DEEPEST = 100
"""States on a stack; below it a text that only opens things would cost more with each line."""

_Target: TypeAlias = tuple[str, ...] | str | int | None
_Matcher: TypeAlias = Callable[[str, int], Match[str] | None]
_Compiled: TypeAlias = tuple[_Matcher, _TokenType | Callback | None, _Target]
_Rule: TypeAlias = tuple[_Matcher, str | Callback, _Target]

_KINDS: Mapping[_TokenType, str] = {
    Comment: "comment",
    Comment.Special: "comment.tag",
    String: "string",
    String.Escape: "string.escape",
    String.Interpol: "string.escape",
    String.Regex: "string.escape",
    String.Backtick: "code",
    String.Special: "string.tag",
    Literal.Scalar: "string",
    Number: "number",
    Keyword: "keyword",
    Operator.Word: "keyword",
    Name.Tag: "key",
    Name.Attribute: "key",
    Name.Property: "key",
    Name.Label: "key",
    Name.Function: "name",
    Name.Class: "name",
    Name.Builtin: "name",
    Name.Exception: "name",
    Name.Decorator: "name",
    Name.Variable.Magic: "name",
    Generic.Heading: "heading",
    Generic.Emph: "emphasis",
    Generic.Strong: "strong",
    Generic.EmphStrong: "strong.emphasis",
    Generic.Deleted: "struck",
    Generic.Output: "list",
    Generic.Traceback: "mark",
    Generic.Prompt: "link",
    Generic.Subheading: "link.address",
}
"""A type has the kind of the nearest one above it that is named; `Name` alone has none."""


class TableGrammar(Grammar):
    """The tables of `lexer`, which may look no further than the end of a line.

    `fields` are what its callbacks keep in the context beside the stack, with the values at the
    start; a list there is a tuple in the state. `kinds` names types otherwise than usual. With
    `looks_far`, each token may mean a look to the end of the line: a long line of many tokens is
    then coloured as far as that takes little time.
    """

    def __init__(
        self,
        language: str,
        lexer: RegexLexer,
        *,
        fields: Mapping[str, object] | None = None,
        kinds: Mapping[_TokenType, str] | None = None,
        looks_far: bool = False,
    ) -> None:
        self._language = language
        self._looks_far = looks_far
        self._lexer = lexer
        self._names = tuple(fields or ())
        self._kinds: dict[_TokenType, str] = {**_KINDS, **(kinds or {})}
        # Pygments has no public name for a lexer's tables with their expressions compiled.
        compiled: Mapping[str, list[_Compiled]] = lexer._tokens  # type: ignore[attr-defined]
        self._table = {state: [self._rule(*rule) for rule in compiled[state]] for state in compiled}
        self.start = (("root",), *(fields or {}).values())
        self.middle = self.start

    def language(self, state: State) -> str:  # noqa: ARG002
        return self._language

    def line(self, text: str, state: State) -> tuple[Spans, State]:
        """Run the tables over a line.

        Other than in Pygments' own loop no rule is tried behind the last character, where an
        empty match would decide about the next line without having seen it.
        """
        context = self._context(text + "\n", state)
        text, end, table = context.text, len(context.text), self._table
        found: list[tuple[int, int, str]] = []
        effort = _EFFORT if self._looks_far else LONGEST * MOST
        pos = 0
        for _ in range(MOST):
            effort -= end - pos
            if pos >= end or effort < 0:
                break
            for match, action, target in table[context.stack[-1]]:
                hit = match(text, pos)
                if hit is None:
                    continue
                if callable(action):
                    context.pos = pos
                    for place, token, value in action(self._lexer, hit, context):
                        found.append((place, place + len(value), self._kind(token)))
                    pos = context.pos
                else:
                    stop = hit.end()
                    if action:
                        found.append((pos, stop, action))
                    pos = stop
                if target is not None:
                    _move(context.stack, target)
                break
            else:
                if text[pos] == "\n":
                    context.stack = ["root"]
                pos += 1
        return _spans(found, end - 1), self._state(context)

    def _rule(
        self, match: _Matcher, action: _TokenType | Callback | None, target: _Target
    ) -> _Rule:
        """Return a rule with the kind of its token instead of the token."""
        if action is None:
            return match, "", target
        return match, self._kind(action) if isinstance(action, _TokenType) else action, target

    def _kind(self, token: _TokenType) -> str:
        kind = self._kinds.get(token)
        if kind is None:
            kind = "" if token.parent is None else self._kind(token.parent)
            self._kinds[token] = kind
        return kind

    def _context(self, text: str, state: State) -> LexerContext:
        stack, *values = state
        assert isinstance(stack, tuple)
        context = LexerContext(text, 0, list(stack))
        for name, value in zip(self._names, values, strict=True):
            setattr(context, name, list(value) if isinstance(value, tuple) else value)
        return context

    def _state(self, context: LexerContext) -> State:
        values = (getattr(context, name) for name in self._names)
        plain = (tuple(value) if isinstance(value, list) else value for value in values)
        return (tuple(context.stack), *plain)


def _spans(found: list[tuple[int, int, str]], end: int) -> Spans:
    """Return what was found as spans: without the line break, neighbours of a kind in one."""
    spans: list[Span] = []
    for start, stop, kind in found:
        length = min(stop, end) - start
        if not kind or length <= 0:
            continue
        if spans and spans[-1][2] == kind and spans[-1][0] + spans[-1][1] == start:
            spans[-1] = (spans[-1][0], spans[-1][1] + length, kind)
        else:
            spans.append((start, length, kind))
    return tuple(spans)


def _move(stack: list[str], target: tuple[str, ...] | str | int) -> None:
    """Go to another state, as the tables of Pygments say it."""
    if isinstance(target, int):
        del stack[max(len(stack) + target, 1) :]
        return
    for name in (target,) if isinstance(target, str) else target:
        if name == "#pop":
            del stack[max(len(stack) - 1, 1) :]
        else:
            stack.append(stack[-1] if name == "#push" else name)
    if len(stack) > _DEEPEST:
        del stack[1:]
