"""`complete` and `hover`: which completions are asked at a place, by the kind of file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from studio_qt.authoring.completing.bridge import bridge_offers
from studio_qt.authoring.completing.completion import Completion, Spot
from studio_qt.authoring.completing.configuration import config_offers
from studio_qt.authoring.completing.facts import ProjectFacts
from studio_qt.authoring.completing.frontmatter import frontmatter_offers, is_in_frontmatter
from studio_qt.authoring.completing.macros import prompt_macros, text_macros
from studio_qt.authoring.completing.manifest import is_in_manifest, manifest_offers
from studio_qt.authoring.completing.matching import ranked
from studio_qt.package.builtins import SUFFIXES
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.subagents.loading import SUFFIX

__all__ = ["Hover", "complete", "hover"]

Offers = Callable[[Spot, ProjectFacts], list[Completion]]


@dataclass(frozen=True, slots=True)
class Hover:
    """What is told about the word from `start` to `end`: a head, and sentences in paragraphs."""

    start: int
    end: int
    head: str
    text: str


def complete(
    path: str,
    text: str,
    position: int,
    project: ProjectFacts,
    *,
    whole: bool = True,
    quoted: bool = False,
) -> list[Completion]:
    """Return what can be put at a place, the likeliest first, as far as it fits what is typed.

    `text` may be a piece of the file around `position`; `whole` says whether it begins where the
    file does, without which only what a line tells is offered. `quoted`: the place is in a string
    or a comment of code. Places are counted in characters.
    """
    spot = Spot(path, text[:position], text[position:], whole, quoted)
    return ranked(_offers(spot, project), text, position)


def hover(
    path: str,
    text: str,
    position: int,
    project: ProjectFacts,
    *,
    whole: bool = True,
    quoted: bool = False,
) -> Hover | None:
    """Return what is known of the word at a place; the rest as in `complete`."""
    spot = Spot(path, text[:position], text[position:], whole, quoted, anything=True)
    for item in _offers(spot, project):
        start = min(item.start, position)
        if text[start : item.end].strip("\"'") == item.label and item.help:
            return Hover(start, item.end, _head(item), item.help)
    return None


def _head(item: Completion) -> str:
    """Return the name, with its parameters, its type or what counts without it."""
    if item.kind in ("method", "handler") or not item.detail:
        return item.label + item.detail
    default = "" if item.kind != "field" or item.detail == "needed" else "default: "
    return f"{item.label}  {default}{item.detail}"


def _offers(spot: Spot, project: ProjectFacts) -> list[Completion]:
    path = spot.path
    if path.endswith(SUFFIX):
        if is_in_frontmatter(spot):
            return frontmatter_offers(spot, project)
        return prompt_macros(spot, project)
    if path == CONFIG_FILE:
        return config_offers(spot, project) if spot.whole else []
    if path == project.system_prompt:
        return text_macros(spot)
    language = SUFFIXES.get(PurePosixPath(path).suffix)
    if language is None or not path.startswith("agents/") or path.startswith("agents/lib/"):
        return []
    if is_in_manifest(spot, language):
        return manifest_offers(spot, language, project)
    return bridge_offers(spot, language)
