"""Mends of a config.json that is no JSON: commas, quotes, comments, brackets (PKG-10)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from studio_qt.authoring.mending.bench import Bench, Mend
from studio_qt.errors import Fault, Problem
from studio_qt.jsontext import decode
from studio_qt.package.config import CONFIG_FILE

__all__ = ["WAYS", "repaired"]

_TOKEN = re.compile(
    r"""(?P<blank>\s+)
      | (?P<comment>//[^\n]*|/\*[\s\S]*?\*/|\#[^\n]*)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<single>'(?:[^'\\\n]|\\.)*')
      | (?P<mark>[{}\[\],:])
      | (?P<word>[^\s{}\[\],:"']+)
      | (?P<odd>.)
    """,
    re.VERBOSE,
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_WORDS = {"true", "false", "null"}
_MEANT = {"True": "true", "False": "false", "None": "null", "undefined": "null", "nil": "null"}
_CLOSERS = {"{": "}", "[": "]"}
_TITLES = {
    "extra": "Take the comma out that is too many",
    "comma": "Put the missing comma in",
    "colon": "Put the missing colon in",
    "comment": "Take the comments out",
    "quote": "Put the words in quotes",
    "close": "Close the brackets that are open",
}
_LONGEST = 256 * 1024


def repaired(text: str) -> tuple[str, frozenset[str]] | None:
    """Return a text that is JSON, and what was done for it; None where that is not plain to see.

    All else stays to the letter.
    """
    if len(text) > _LONGEST:
        return None
    writer = _Writer()
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "odd" or not writer.take(str(token.lastgroup), token[0]):
            return None
    found = writer.finish()
    try:
        decode(found)
    except ValueError:
        return None
    return found, frozenset(writer.done)


@dataclass(slots=True)
class _Writer:
    """Writes tokens out again; what is `due` is a key, a colon, a value, or a comma."""

    parts: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    due: str = "value"
    done: set[str] = field(default_factory=set)
    last: int = -1
    """Where the last part stands that is neither blank nor comment."""

    def take(self, kind: str, text: str) -> bool:
        """Take the next token; False where nobody could tell what is meant."""
        match kind:
            case "blank":
                self.parts.append(text)
                return True
            case "comment":
                self.done.add("comment")
                return True
            case "mark":
                return self._mark(text)
            case "single":
                self.done.add("quote")
                text = json.dumps(re.sub(r"\\'", "'", text[1:-1]), ensure_ascii=False)
            case "word" if not _NUMBER.fullmatch(text) and text not in _WORDS:
                if not _NAME.fullmatch(text):
                    return False
                self.done.add("quote")
                text = _MEANT.get(text) or json.dumps(text, ensure_ascii=False)
        self._begin()
        self._put(text)
        self.due = "colon" if self.due == "key" else "comma"
        return True

    def finish(self) -> str:
        """Return what was written, with all brackets closed."""
        if self.open:
            self.done.add("close")
        while self.open:
            self._drop_comma()
            self.parts.insert(self.last + 1, _CLOSERS[self.open.pop()])
            self.last += 1
        return "".join(self.parts)

    def _mark(self, mark: str) -> bool:
        if mark in "{[":
            self._begin()
            if self.due == "key":
                return False
            self._put(mark)
            self.open.append(mark)
            self.due = "key" if mark == "{" else "value"
        elif mark in "}]":
            if not self.open or _CLOSERS[self.open[-1]] != mark or self.due == "colon":
                return False
            self._drop_comma()
            self._put(mark)
            self.open.pop()
            self.due = "comma"
        elif mark == ":":
            if self.due != "colon":
                return False
            self._put(mark)
            self.due = "value"
        elif self.due == "comma" and self.open:
            self._put(mark)
            self.due = "key" if self.open[-1] == "{" else "value"
        else:
            self.done.add("extra")
        return True

    def _begin(self) -> None:
        """Put what has to stand before a value or a key, right after what is there."""
        if self.due == "comma" and self.open:
            self._insert(",", "comma")
            self.due = "key" if self.open[-1] == "{" else "value"
        elif self.due == "colon":
            self._insert(":", "colon")
            self.due = "value"

    def _insert(self, mark: str, what: str) -> None:
        self.parts.insert(self.last + 1, mark)
        self.last += 1
        self.done.add(what)

    def _put(self, text: str) -> None:
        self.last = len(self.parts)
        self.parts.append(text)

    def _drop_comma(self) -> None:
        if self.last >= 0 and self.parts[self.last] == ",":
            self.parts[self.last] = ""
            self.done.add("extra")


def _config_broken(bench: Bench, _problem: Problem, _fault: Fault) -> Iterator[Mend | None]:
    def edit(text: str) -> str:
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        found = repaired(text.removeprefix("\ufeff"))
        if found is None:
            raise ValueError("nobody can tell what is meant")
        return mark + found[0]

    text = bench.read(CONFIG_FILE)
    found = repaired(text.removeprefix("\ufeff")) if text is not None else None
    if found is not None and isinstance(decode(found[0]), dict):
        (what, *more) = found[1] or {""}
        title = "Mend the punctuation" if more else _TITLES.get(what, "Mend the punctuation")
        yield bench.mend(title, (CONFIG_FILE, edit))


WAYS: Mapping[str, Callable[[Bench, Problem, Fault], Iterator[Mend | None]]] = {
    "config-broken": _config_broken,
}
"""What can be done for each kind."""
