"""A conversation as a file to read or to take elsewhere: Markdown, HTML or JSON.

Pure functions of entries as `CharacterPlayer.conversation_entries` gives them. Nothing that was
written is swallowed, whatever it looks like; control characters are shown as their pictures, but in
JSON, which holds every character as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from studio_qt.engine.export_html import html_pieces
from studio_qt.engine.export_markdown import markdown_pieces
from studio_qt.engine.export_parts import About, Chosen, chosen_entries
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject, decode, encode

__all__ = ["FORMATS", "About", "Chosen", "Format", "export_pieces", "export_text", "read_json"]

_Pieces = Callable[[Sequence[JsonObject], About, Chosen], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: its name for people, its suffix, and what makes it."""

    name: str
    suffix: str
    pieces: _Pieces


def export_pieces(
    entries: Sequence[JsonObject], about: About, kind: str, chosen: Chosen | None = None
) -> Iterator[str]:
    """Yield the text of a file piece by piece, about one an entry: for progress, in a thread.

    `kind` is "markdown", "html" or "json"; raises StudioError for another. Responses that were put
    aside, inner calls, logs and tools are left out unless they are `chosen`.
    """
    if kind not in FORMATS:
        raise StudioError(f"There is no format {kind!r}; take one of {', '.join(FORMATS)}.")
    return FORMATS[kind].pieces(entries, about, chosen or Chosen())


def export_text(
    entries: Sequence[JsonObject], about: About, kind: str, chosen: Chosen | None = None
) -> str:
    """Return the whole text of a file; arguments and errors as of `export_pieces`."""
    return "".join(export_pieces(entries, about, kind, chosen))


def read_json(text: str) -> list[JsonObject]:
    """Return the entries of a JSON file that was exported; raises StudioError for another text."""
    try:
        value = decode(text)
    except ValueError as error:
        raise StudioError(f"This is no JSON ({error}).") from error
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        raise StudioError('An object with a list of "messages" was expected.')
    return [entry for entry in messages if isinstance(entry, dict)]


def _json_pieces(entries: Sequence[JsonObject], about: About, chosen: Chosen) -> Iterator[str]:
    """Yield an object that can be read back, and also put into a folder of conversations."""
    head = {
        "id": about.conversation_id,
        "title": about.title,
        "character": about.character,
        "updated": about.updated,
    }
    yield "{\n" + "".join(f"  {encode(key)}: {encode(value)},\n" for key, value in head.items())
    yield '  "messages": ['
    before = "\n    "
    for entry in chosen_entries(entries, chosen):
        yield f"{before}{encode(entry)}"
        before = ",\n    "
    yield "\n  ]\n}\n"


FORMATS: Mapping[str, Format] = {
    "markdown": Format("Markdown", ".md", markdown_pieces),
    "html": Format("HTML", ".html", html_pieces),
    "json": Format("JSON", ".json", _json_pieces),
}
"""The formats by the names that `export_pieces` takes."""
