"""The texts of a character, as those who help to write them tell them apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from studio_qt.package.resolver import (
    CONTEXT,
    DESCRIPTION,
    INSTRUCTIONS,
    INTRODUCTION,
    SYSTEM_PROMPT,
)
from studio_qt.package.subagents.loading import SUFFIX

__all__ = ["KIND_WORDS", "TextKind", "kind_of_text"]

TextKind = Literal["subagent", "instructions", "system", "introduction", "description", "context"]

KIND_WORDS: Mapping[TextKind, str] = {
    "subagent": "the prompt of a sub-agent: what a specialist model is told before it answers",
    "instructions": "the instructions of an AI character: who it is, how it speaks and acts",
    "system": "the system prompt of an AI character, with the rules for the model that plays it",
    "introduction": "the first message of an AI character, which opens every conversation",
    "description": "the short description of an AI character, read by people who choose one",
    "context": "background knowledge that an AI character is given",
}
"""What each is, for a model."""

_KEYS: Mapping[str, TextKind] = {
    INSTRUCTIONS: "instructions",
    SYSTEM_PROMPT: "system",
    INTRODUCTION: "introduction",
    DESCRIPTION: "description",
}
_PROSE = (".txt", ".md", ".markdown")


def kind_of_text(path: str, places: Mapping[str, str | None]) -> TextKind | None:
    """Return what a file is, None where nobody helps to write it.

    `places` are the paths of a resolver, by the keys of `fileMappings`.
    """
    for key, kind in _KEYS.items():
        if places.get(key) == path:
            return kind
    if path.startswith("agents/"):
        return "subagent" if path.endswith(SUFFIX) and path.count("/") == 1 else None
    folder = places.get(CONTEXT)
    inside = bool(folder) and path.startswith(f"{folder}/")
    return "context" if inside and path.lower().endswith(_PROSE) else None
