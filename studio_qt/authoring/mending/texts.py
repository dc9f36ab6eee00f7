"""Mends of a character's texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from studio_qt.authoring.mending.bench import Bench, Mend
from studio_qt.errors import Fault, Problem
from studio_qt.jsontext import decode
from studio_qt.package.config import CONFIG_FILE

__all__ = ["WAYS"]


def _text_missing(bench: Bench, _problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    """Begin the text that says who the character is, in a new file or an empty one."""
    (path,) = fault.names
    begun = f"You are {_name(bench)}.\n"
    yield bench.make(f"Make {path}", path, begun)
    if (text := bench.read(path)) is not None and not text.strip():
        yield bench.mend("Begin the text", (path, lambda _text: begun))


def _name(bench: Bench) -> str:
    try:
        config = decode((bench.read(CONFIG_FILE) or "").removeprefix("\ufeff"))
    except ValueError:
        return "the character"
    name = config.get("name") if isinstance(config, dict) else None
    return name.strip() if isinstance(name, str) and name.strip() else "the character"


WAYS: Mapping[str, Callable[[Bench, Problem, Fault], Iterator[Mend | None]]] = {
    "text-missing": _text_missing,
}
"""What can be done for each kind."""
