"""An entry of `agents` that has an id and an implementation."""

from __future__ import annotations

from dataclasses import dataclass

from studio_qt.jsontext import JsonObject

__all__ = ["Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What config.json asks for: `config` is the whole object, None for a bare name.

    `id` is the full id, `line` the entry's line, and `place` its path in config.json.
    `prompt_file` is set for a sub-agent that is listed by its file name alone.
    """

    id: str
    implementation: str
    line: int
    config: JsonObject | None
    place: tuple[str | int, ...] = ()
    prompt_file: str | None = None
