"""Markdown to blocks, with the author's text kept.

CommonMark would drop or change what people write in stories and models in answers: single line
breaks, a leading `---`, "1986. A good year", `List<int>`, `&amp;`, an indented verse. All of these
come out as they were written. Nothing is ever fetched: an image is shown as its Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from studio_qt.ui.prose.blocks import Block, Span, mark_speech

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["parse", "split_live"]

_LIST_LINE = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_BLOCK_LINE = re.compile(r"\s*(?:[>#|]|```|~~~)")
_INDENTED = re.compile(r"[ \t]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_FENCE_END = re.compile(r"\s{0,3}(```+|~~~+)\s*\Z")
_URL = re.compile(r"https?://[^\s<>\"“”]*[^\s<>\"“”.,;:!?'’)\]*_]")
_SURE = 12
"""Characters after which an unfinished line can no longer become the mark of a list item."""
_BULLETS = {"-": "–", "*": "•", "+": "+"}
_INDENT, _STAR, _BACKSLASH, _ANGLE = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
_LITERAL = str.maketrans({_INDENT: "\u00a0", _STAR: "*", _BACKSLASH: "\\", _ANGLE: ">"})
"""Stand-ins for characters that Markdown would take for its own; no text may hold them."""

_NO_QUOTE = re.compile(r"(?m)^([ \t]{0,3})>(?=[^\s>])")
_NO_ESCAPE = re.compile(r"(?<=:)\\(?=[^a-zA-Z0-9\s])|\\(?=\n)")
_LANGUAGE = re.compile(r"[\w+#.-]*\Z")


def parse(text: str, *, live: bool = False, goes_on: bool = False) -> tuple[Block, ...]:
    """Return the blocks of a text; `live` closes emphasis that is still being written.

    `goes_on`: it is what follows a place that `split_live` has found.
    """
    source = _keep_indents(_keep_signs(text.replace("\r\n", "\n").replace("\r", "\n")))
    if live:
        source = _close_emphasis(source)
    lines = source.split("\n")
    return tuple(_Walker(_parser().parse(source), lines, goes_on=goes_on).blocks())


def split_live(text: str, frozen: int = 0) -> int:
    """Return how much of a growing text is final: the place after its last safe blank line.

    Safe is a blank line outside a code fence whose next block is there and is no list item and
    not indented, because those may still belong to a list before it. Starts at `frozen`, an
    earlier answer; 0 when nothing is final.
    """
    place, fenced, blank = frozen, "", False
    for line in _LINE.findall(text[frozen:]):
        bare = line.strip(" \t\r\n")
        if found := _FENCE.match(line):
            mark = found[1]
            if not fenced:
                fenced = mark
            elif mark.startswith(fenced) and _FENCE_END.match(line):
                fenced = ""
                place, blank = place + len(line), False
                continue
        elif not fenced and not bare:
            blank = True
        if blank and bare and (line.endswith("\n") or len(line) > _SURE):
            opens = fenced and fenced == (found[1] if found else "")
            if (not fenced or opens) and not _LIST_LINE.match(line) and not _INDENTED.match(line):
                frozen = place
            blank = False
        place += len(line)
    return frozen


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # 40 ms that the first paint need not wait for

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    return parser.disable(
        ["entity", "html_block", "html_inline", "lheading", "code", "reference", "autolink"]
    )


def _keep_signs(text: str) -> str:
    """Return the text with what is no emphasis and no escape to people out of Markdown's way."""
    if "\\" in text:
        text = text.replace("\\\\", _BACKSLASH * 2).replace("¯\\", f"¯{_BACKSLASH}")
        text = _NO_ESCAPE.sub(_BACKSLASH, text)
    if ">" in text:  # ">:(" is a face, "> so" is a quotation
        text = _NO_QUOTE.sub(rf"\1{_ANGLE}", text)
    return re.sub(r"(?<=\d)\*(?=\d)", _STAR, text)


def _keep_indents(text: str) -> str:
    """Return the text with the indents of plain lines, which Markdown drops, as hard spaces."""
    if not re.search(r"(?m)^[ \t]", text):
        return text
    lines, in_list, blank, fenced = [], False, True, ""
    for line in text.split("\n"):
        found, bare = _FENCE.match(line), line.strip(" \t")
        if found and not fenced:
            fenced = found[1]
            in_list = in_list and line[0] in " \t"
        elif found and found[1].startswith(fenced) and _FENCE_END.match(line):
            fenced = ""
        elif not fenced:
            if _LIST_LINE.match(line):
                in_list = True
            elif bare and blank and line[0] not in " \t":
                in_list = False
            if not in_list and bare and not _BLOCK_LINE.match(line):
                said = line.lstrip(" \t")
                indent = line[: len(line) - len(said)].expandtabs(4)
                line = _INDENT * len(indent) + said  # noqa: PLW2901
        blank = not bare
        lines.append(line)
    return "\n".join(lines)


def _close_emphasis(text: str) -> str:
    """Return the text with `**`, `*` or a backtick closed that its last paragraph leaves open."""
    start = text.rfind("\n\n") + 1
    last = text[start:].rstrip()
    if last.endswith(("*", "`", "\\")) or "```" in text[start:]:
        return text
    if last.count("`") % 2:
        return text.rstrip() + "`"
    bare = re.sub(r"`[^`]*`|\\\*|(?m:^\s*\*\s)|\s\*\s", "", last)
    strong = bare.count("**")
    single = bare.count("*") - 2 * strong
    return text.rstrip() + "*" * (single % 2) + "**" * (strong % 2)


class _Walker:
    """Turns the parser's tokens into blocks."""

    def __init__(self, tokens: Sequence[Token], lines: Sequence[str], *, goes_on: bool) -> None:
        self._tokens = tokens
        self._lines = lines
        self._goes_on = goes_on
        self._quoted = 0
        self._depth = 0
        self._marker = ""
        self._heading = 0
        self._empty: list[bool] = []
        self._row: list[tuple[Span, ...]] = []
        self._rows: list[tuple[tuple[Span, ...], ...]] | None = None
        self._source: Sequence[str] = ()

    def blocks(self) -> Iterator[Block]:
        for token in self._tokens:
            for block in self._block(token):
                self._empty = [False] * len(self._empty)
                yield block
            self._follow(token)

    def _block(self, token: Token) -> Iterator[Block]:
        """Yield what a token is to be seen as; marks around nothing are seen as written."""
        match token.type:
            case "bullet_list_open" | "ordered_list_open" | "table_open" if self._marker:
                yield self._text(())
            case "inline" if self._rows is not None:
                self._row.append(_spans(token))
            case "inline":
                yield self._text(self._heading_spans(token) if self._heading else _spans(token))
            case "fence":
                if self._marker:
                    yield self._text(())
                yield self._code(token)
            case "hr":
                if self._marker:
                    yield self._text(())
                yield self._rule(token)
            case "table_close":
                yield self._table()
            case "list_item_close" if self._marker:
                yield self._text(())
            case "blockquote_close" if self._empty and self._empty[-1]:
                yield self._text((Span(">"),))

    def _follow(self, token: Token) -> None:
        match token.type:
            case "blockquote_open":
                self._quoted += 1
                self._empty.append(True)
            case "blockquote_close":
                self._quoted -= 1
                self._empty.pop()
            case "bullet_list_open" | "ordered_list_open":
                self._depth += 1
            case "bullet_list_close" | "ordered_list_close":
                self._depth -= 1
            case "list_item_open":
                self._marker = _BULLETS.get(token.markup) or f"{token.info}{token.markup}"
            case "heading_open":
                self._heading = int(token.tag[1:])
            case "heading_close":
                self._heading = 0
            case "table_open":
                self._rows = []
                self._source = self._lines[token.map[0] : token.map[1]] if token.map else []
            case "table_close":
                self._rows = None
            case "tr_close" if self._rows is not None:
                self._rows.append(tuple(self._row))
                self._row = []

    def _text(self, spans: tuple[Span, ...]) -> Block:
        marker, self._marker = self._marker, ""
        return Block(
            "heading" if self._heading else "text",
            spans,
            marker=marker,
            depth=self._depth,
            quoted=self._quoted,
            level=self._heading,
        )

    def _heading_spans(self, token: Token) -> tuple[Span, ...]:
        """Return what a heading says, the # at its end included."""
        line = self._lines[token.map[0]] if token.map else ""
        written = line.strip().lstrip("> \t").lstrip("#").strip().translate(_LITERAL)
        if not token.content:
            return (Span(line.strip().lstrip("> \t")),)
        said = token.content.translate(_LITERAL)
        rest = written[len(said) :] if written.startswith(said) else ""
        return (*_spans(token), Span(rest)) if rest.strip() else _spans(token)

    def _code(self, token: Token) -> Block:
        """Return a block of code; what stands behind the fence and names no language is shown."""
        text = token.content.removesuffix("\n").translate(_LITERAL)
        info = token.info.strip().translate(_LITERAL)
        if not text.strip():
            line = self._lines[token.map[0]] if token.map else f"{token.markup}{info}"
            written = line[max(line.find(token.markup), 0) :].translate(_LITERAL)
            text = f"{written}\n{text}".strip()
        elif not _LANGUAGE.match(info):
            text = f"{info}\n{text}"
        return Block("code", (Span(text, code=True),), depth=self._depth, quoted=self._quoted)

    def _table(self) -> Block:
        """Return a table; one with more cells in a row than in its head is shown as written."""
        rows = tuple(self._rows or ())
        width = len(rows[0]) if rows else 0
        if any(_cells(line) > width for line in self._source):
            text = "\n".join(line.strip() for line in self._source).translate(_LITERAL)
            return self._text((Span(text),))
        return Block("table", rows=rows, quoted=self._quoted)

    def _rule(self, token: Token) -> Block:
        line = token.map[0] if token.map else 0
        follows = self._goes_on or any(self._lines[:line])
        if follows and not (line and self._lines[line - 1].strip()):
            return Block("rule", marker=self._lines[line].strip(), quoted=self._quoted)
        return self._text((Span(self._lines[line].strip().translate(_LITERAL)),))


def _spans(inline: Token) -> tuple[Span, ...]:
    spans: list[Span] = []
    state = {"strong": 0, "em": 0, "s": 0}
    link, before = "", 0
    for token in inline.children or ():
        if token.tag in state and token.nesting:
            state[token.tag] += token.nesting
        elif token.type == "link_open":
            link, before = str(token.attrs.get("href", "")), len(spans)
        elif token.type == "link_close":
            if len(spans) == before:  # nothing to click on: shown as written
                spans.append(Span(f"[]({link})", link=link))
            link = ""
        else:
            text, target = _content(token, link)
            look = {
                "bold": state["strong"] > 0,
                "italic": state["em"] > 0,
                "strike": state["s"] > 0,
            }
            spans.append(Span(text, code=token.type == "code_inline", link=target, **look))
    return mark_speech([piece for span in spans if span.text for piece in _with_links(span)])


def _content(token: Token, link: str) -> tuple[str, str]:
    if token.type in ("softbreak", "hardbreak"):
        return "\n", link
    if token.type == "image":
        source = str(token.attrs.get("src", ""))
        title = f' "{token.attrs["title"]}"' if token.attrs.get("title") else ""
        return f"![{token.content}]({source}{title})", source
    content = token.content.translate(_LITERAL)
    if token.type == "code_inline" and not content.strip():
        content = f"{token.markup}{content}{token.markup}"
    return content, link


def _with_links(span: Span) -> Iterator[Span]:
    """Cut addresses out of a span, so that they can be clicked."""
    if span.code or span.link or "://" not in span.text:
        yield span
        return
    place = 0
    for found in _URL.finditer(span.text):
        if found.start() > place:
            yield replace(span, text=span.text[place : found.start()])
        yield replace(span, text=found[0], link=found[0])
        place = found.end()
    if place < len(span.text):
        yield replace(span, text=span.text[place:])


def _cells(line: str) -> int:
    """Return how many cells a line of a table has."""
    bare = line.strip().removeprefix("|").removesuffix("|")
    return len(re.findall(r"(?<!\\)\|", bare)) + 1
