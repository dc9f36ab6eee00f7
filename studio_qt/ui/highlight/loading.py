"""The grammars of all languages, made once on a thread, where Pygments is imported."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping

from studio_qt.ui.highlight.grammar import Grammar, Plain
from studio_qt.ui.highlight.prose import Markdown, SubAgent, Text
from studio_qt.ui.importing import beside_a_window

__all__ = ["Grammars", "make_grammars"]

_log = logging.getLogger(__name__)


def make_grammars() -> Mapping[str, Grammar]:
    """Return the grammar of each language; imports Pygments and compiles for up to 0.2 s."""
    from studio_qt.ui.highlight.lexers.json import Json
    from studio_qt.ui.highlight.lexers.lua import CLOSER, Lua
    from studio_qt.ui.highlight.lexers.markdown import Markdown as MarkdownLine
    from studio_qt.ui.highlight.lexers.python import Python
    from studio_qt.ui.highlight.lexers.script import JavaScript, TypeScript
    from studio_qt.ui.highlight.lexers.yaml import Yaml
    from studio_qt.ui.highlight.table import TableGrammar

    grammars: dict[str, Grammar] = {
        "json": TableGrammar("json", Json()),
        "yaml": Yaml(),
        "javascript": TableGrammar("javascript", JavaScript()),
        "typescript": TableGrammar("typescript", TypeScript()),
        "python": TableGrammar("python", Python(), looks_far=True),
        "lua": TableGrammar("lua", Lua(), fields={CLOSER: ""}),
        "text": Text(),
    }
    inline = TableGrammar("markdown", MarkdownLine(), looks_far=True)
    # A fenced block of Markdown has no fenced blocks itself, so that none nest without end.
    markdown = Markdown(inline, {**grammars, "markdown": inline}.__getitem__)
    return grammars | {"markdown": markdown, "subagent": SubAgent(grammars["yaml"], markdown)}


class Grammars:
    """The grammars as soon as a thread has made them; until then, and after a failure, none.

    `made` are those that somebody has made already.
    """

    def __init__(self, made: Mapping[str, Grammar] | None = None) -> None:
        self._made = made
        self._thread: threading.Thread | None = None

    @property
    def ready(self) -> bool:
        """Whether `of` gives what there is; False while the thread works and before."""
        return self._made is not None

    def load(self) -> None:
        """Begin, if that has not been done."""
        if self._thread is None:
            # No daemon: Python ends those at its exit, and Qt the process where they import then.
            self._thread = threading.Thread(target=self._load, name="grammars")
            self._thread.start()

    def of(self, language: str) -> Grammar:
        """Return the grammar of a language, `Plain` for one that is unknown or not there."""
        return (self._made or {}).get(language) or Plain()

    def _load(self) -> None:
        try:
            with beside_a_window():
                self._made = make_grammars()
        except Exception:  # noqa: BLE001 - a border: without Pygments, or with a broken one, texts stay plain
            _log.exception("Highlighting could not be loaded; texts stay without colours")
            self._made = {}
