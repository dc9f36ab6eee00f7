"""Runs in a process of its own: HTML in, its title and readable text out.

No HTML parser is safe from pages made to take for ever, and none can be interrupted. So a page is
parsed here, where it can be killed, where memory is bounded, and where a parser that is tricked
holds nothing: no key, no open file, no address of the user's.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resiliparse.parse.html import HTMLTree, Node

__all__ = ["SECONDS", "main", "read"]

SECONDS = 4.5
"""After so many seconds the process ends itself, whether or not anyone still waits for it."""

_MEMORY = 2 << 30
_LONGEST_TITLE = 300
_SKIPPED = ["nav", "svg", "template", "iframe", "object", "canvas", "dialog"]
_DEPTH = 4
_SHORT, _THIN = 500, 5  # a main part this short counts as missed in a page of five times its text


def main() -> None:
    """Read `{"limit": characters, "seconds": at most}`, a line break and HTML; write a `read`."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    faulthandler.dump_traceback_later(SECONDS, exit=True, file=nowhere)
    with os.fdopen(0, "rb") as given:
        head, _, markup = given.read().partition(b"\n")
    asked = json.loads(head)
    faulthandler.dump_traceback_later(min(SECONDS, asked["seconds"]), exit=True, file=nowhere)
    import resiliparse.extract.html2text  # noqa: F401  (before the walls go up)

    _raise_walls()
    found = read(markup.decode("utf-8", "replace"), int(asked["limit"]))
    with os.fdopen(1, "wb") as answer:
        answer.write(json.dumps(found).encode())
    os._exit(0)  # taking the tree apart node by node can take longer than building it


def read(markup: str, limit: int) -> dict[str, object]:
    """Return `title` (None without one), `text` of at most `limit` characters, and `truncated`."""
    from resiliparse.parse.html import HTMLTree

    tree = HTMLTree.parse(markup)
    title = " ".join((tree.title or "").split())[:_LONGEST_TITLE]
    whole = _text(tree, main=False)
    _bring_forward(tree)
    text = _text(tree, main=True)
    if len(text) < _SHORT and len(whole) > _THIN * len(text):
        text = whole
    return {"title": title or None, "text": text[:limit], "truncated": len(text) > limit}


def _bring_forward(tree: HTMLTree) -> None:
    """Leave only what the page itself calls its main part, if it does, and put it deeper.

    The extractor takes lists near the root for menus, which on plain pages they are not; menus
    are still known by their tags and classes.
    """
    document, body = tree.document, tree.body
    if document is None or body is None:
        return
    mains = list(document.query_selector_all("main, [role=main]"))
    outer = inner = _division(tree)
    for _ in range(_DEPTH):
        inner = _moved(_division(tree), inner)
    if len(mains) == 1:
        _moved(mains[0], inner)
    while (node := body.first_child) is not None:  # asking for all children takes for ever
        if len(mains) == 1:
            body.remove_child(node)
        else:
            _moved(node, inner)
    _moved(outer, body)


def _division(tree: HTMLTree) -> Node:
    made = tree.create_element("div")
    if made is None:
        raise ValueError("the tree is gone")
    return made


def _moved(node: Node, parent: Node) -> Node:
    parent.append_child(node)
    return node


def _text(tree: HTMLTree, *, main: bool) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    text = extract_plain_text(
        tree, main_content=main, alt_texts=False, links=False, skip_elements=_SKIPPED
    )
    return text.replace("\xa0", " ").strip()


def _raise_walls() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not every system has them
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
