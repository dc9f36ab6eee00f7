"""The handbook's pages: read, put in order, searched, and turned into HTML. No Qt in here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from studio_qt.resources import resource_names, resource_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

__all__ = ["INDEX", "Book", "Hit", "Page", "page_html", "read_book", "slug"]

INDEX = "index"
_FOLDER = "handbook"
_TITLE = re.compile(r"^#\s+(.+?)\s*$", re.MULTILINE)
_LISTED = re.compile(r"^[-*]\s+\[[^\]]*\]\(([\w-]+)\.md\)", re.MULTILINE)
_GROUP = re.compile(r"^(?:#+\s+)?([^\n#|-][^\n]*?):?\s*$", re.MULTILINE)
_MARKS = re.compile(r"[`*_\[\]]|\([^)\s]*\)|^\s*[#>|-]+", re.MULTILINE)
_AROUND = 60


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its file's name without `.md`, its title, and its Markdown."""

    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that has all words of a search, how often, and the words around the first."""

    page: Page
    count: int
    around: str


@dataclass(frozen=True, slots=True)
class Book:
    """All pages under the headings of the first one, in its order."""

    groups: Mapping[str, Sequence[Page]]

    @property
    def pages(self) -> list[Page]:
        """All pages in their order."""
        return [page for pages in self.groups.values() for page in pages]

    def page(self, name: str) -> Page | None:
        """Return a page by its name."""
        return next((page for page in self.pages if page.name == name), None)

    def search(self, words: str) -> list[Hit]:
        """Return the pages that have every word, those with it in their title or often first."""
        wanted = words.casefold().split()
        if not wanted:
            return []
        hits = [hit for page in self.pages if (hit := _hit(page, wanted))]
        return sorted(hits, key=lambda hit: (-_in_title(hit.page, wanted), -hit.count))


def read_book() -> Book:
    """Read the handbook; it reads files, so call it in a thread.

    Pages that the first one does not list come last. Raises StudioError when it is missing.
    """
    names = [name.removesuffix(".md") for name in resource_names(_FOLDER) if name.endswith(".md")]
    pages = {name: _page(name) for name in names}
    index = pages[INDEX]
    groups: dict[str, list[Page]] = {"": [index]}
    placed = {INDEX}
    head = ""
    for block in re.split(r"\n\s*\n", index.text):
        listed = [name for name in _LISTED.findall(block) if name in pages and name not in placed]
        if listed:
            groups.setdefault(head, []).extend(pages[name] for name in listed)
            placed.update(listed)
        elif found := _GROUP.fullmatch(block.strip()):
            head = found[1].rstrip(":")
    left = [page for name, page in pages.items() if name not in placed]
    return Book({**groups, **({"More": left} if left else {})})


@cache
def page_html(text: str) -> str:
    """Return a page's HTML in the subset that Qt draws; looks come from a style sheet.

    It takes up to 40 ms, but only once a page, and may be called on any thread.
    """
    rendered: str = _renderer().render(text)
    return rendered


def slug(heading: str) -> str:
    """Return the name that links use for a heading: "The words" is `the-words`."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _page(name: str) -> Page:
    text = resource_text(f"{_FOLDER}/{name}.md")
    found = _TITLE.search(text)
    return Page(name, found[1] if found else name, text)


def _hit(page: Page, wanted: Sequence[str]) -> Hit | None:
    text, plain = _searched(page.text)
    counts = [text.count(word) for word in wanted]
    if not all(counts):
        return None
    at = max(0, plain.casefold().find(wanted[0]))
    start, end = max(0, at - _AROUND), at + _AROUND
    around = plain[start:end].strip()
    return Hit(page, sum(counts), f"{'…' if start else ''}{around}…")


@cache
def _searched(text: str) -> tuple[str, str]:
    """Return a page without regard to case, and without its marks: a search comes with each key."""
    return text.casefold(), " ".join(_MARKS.sub("", text).split())


def _in_title(page: Page, wanted: Sequence[str]) -> int:
    return sum(word in page.title.casefold() for word in wanted)


def _renderer() -> MarkdownIt:
    from markdown_it import MarkdownIt  # as late as can be: the first paint does not need it

    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    rules = {
        "heading_open": _heading,
        "fence": _code,
        "code_block": _code,
        "table_open": _table,
        "blockquote_open": _quote,
        "blockquote_close": _unquote,
    }
    for name, rule in rules.items():
        made.add_render_rule(name, rule)
    return made


def _heading(
    _it: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, _env: EnvType
) -> str:
    return f'<{tokens[at].tag}><a name="{escape(slug(tokens[at + 1].content))}"></a>'


def _code(
    _it: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, _env: EnvType
) -> str:
    code = escape(tokens[at].content.rstrip("\n"))
    return (
        '<table class="code" width="100%" cellspacing="0" cellpadding="10">'
        f"<tr><td><pre>{code}</pre></td></tr></table>"
    )


def _table(
    _it: RendererHTML, _tokens: Sequence[Token], _at: int, _options: OptionsDict, _env: EnvType
) -> str:
    return '<table class="grid" width="100%" cellspacing="0" cellpadding="7">'


def _quote(
    _it: RendererHTML, _tokens: Sequence[Token], _at: int, _options: OptionsDict, _env: EnvType
) -> str:
    return '<table class="quote" cellspacing="0" cellpadding="8"><tr><td>'


def _unquote(
    _it: RendererHTML, _tokens: Sequence[Token], _at: int, _options: OptionsDict, _env: EnvType
) -> str:
    return "</td></tr></table>"
