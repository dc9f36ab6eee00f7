"""Which field of a card is which text of a package; the one home for both ways.

================================ ==========================================================
field of the card                place in the package
================================ ==========================================================
name (nickname in V3)            `name` of config.json
description, personality,        `instructions.txt`, each below a heading
scenario, post-history
instructions
system_prompt                    `system-prompt.txt`, below what a character needs
first_mes                        `intro.txt`
creator_notes                    `description.txt`, else the beginning of the description
mes_example                      `context/example-dialogue.txt`
alternate_greetings              `context/.greetings.json`
character_book                   `context/.lorebook.json` for `studio.lorebook`; constant entries
                                 in `context/lorebook.txt`
character_version, creator       `version`, `author` of config.json
picture, assets                  `avatar.*`, `assets/`
everything                       `card.json`, for the way back
================================ ==========================================================
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

from studio_qt.authoring.cards.card import Card
from studio_qt.authoring.cards.macros import portable
from studio_qt.authoring.exporting.plan import CARD
from studio_qt.jsontext import JsonObject, JsonValue, encode_pretty

__all__ = [
    "BOOK",
    "CARD",
    "CONSTANT",
    "EXAMPLES",
    "GREETINGS",
    "KEYS",
    "MACRO",
    "SECTIONS",
    "book_entries",
    "constant_entries",
    "example_text",
    "is_constant",
    "portable_entry",
    "section_texts",
    "texts_of",
]

BOOK = ".lorebook.json"
CONSTANT = "lorebook.txt"
EXAMPLES = "example-dialogue.txt"
GREETINGS = ".greetings.json"

KEYS = ("keys", "secondary_keys")
"""The fields of an entry of a lorebook with the words that call it up."""

SECTIONS: Mapping[str, str] = {
    "description": "Who you are",
    "personality": "Personality",
    "scenario": "Scenario",
    "post_history_instructions": "Before every answer",
}
"""Fields that share `instructions.txt`, with their headings."""

MACRO = "%%CHARACTER_INSTRUCTIONS%%"

_HEADING = re.compile(rf"^## ({'|'.join(SECTIONS.values())})[ \t]*$", re.MULTILINE)
_WHO = re.compile(r"\s*You are [^\n]*\.\s*")
_HOW = re.compile(r"How [^\n]* speaks, by example; none of this has happened\.\s*")
_LINE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_SHOWN = 400
_START = re.compile(r"^[ \t]*<START>[ \t]*$", re.MULTILINE | re.IGNORECASE)


def texts_of(card: Card) -> dict[str, str]:
    """Return the texts of the package that a card becomes, by path; empty ones are left out."""
    name = card.called
    said = {key: portable(card.text(key), name).strip() for key in (*SECTIONS, *_SINGLE)}
    texts = {
        "instructions.txt": _sections(said, name),
        "system-prompt.txt": _prompt(said["system_prompt"]),
        "intro.txt": said["first_mes"],
        "description.txt": said["creator_notes"] or _beginning(said["description"]),
        f"context/{EXAMPLES}": _examples(said["mes_example"], name),
        f"context/{GREETINGS}": _greetings(card, name),
        f"context/{CONSTANT}": _constant(card, name),
        f"context/{BOOK}": _book(card, name),
    }
    return {path: text + "\n" * (not text.endswith("\n")) for path, text in texts.items() if text}


_SINGLE = ("system_prompt", "first_mes", "creator_notes", "mes_example")


def section_texts(instructions: str) -> dict[str, str] | None:
    """Return the fields that share `instructions.txt`; None where it has a heading twice.

    Other headings belong to the field that they stand in, and what stands above the first one,
    but for "You are …", to the description.
    """
    first, *parts = _HEADING.split(instructions.replace("\r\n", "\n"))
    headings = {words: key for key, words in SECTIONS.items()}
    found: dict[str, str] = {}
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        key = headings[heading]
        if key in found:
            return None
        found[key] = text.strip()
    if found and first.strip() and _WHO.fullmatch(first) is None:
        found["description"] = f"{first.strip()}\n\n{found.get('description', '')}".strip()
    return found


def example_text(examples: str) -> str:
    """Return the field that `example-dialogue.txt` is made of."""
    bare = _HOW.sub("", examples.replace("\r\n", "\n"), count=1)
    return bare if bare == examples else _LINE.sub("<START>", bare)


def book_entries(card: Card) -> list[JsonObject]:
    """Return the entries of a card's lorebook."""
    book = card.data.get("character_book")
    entries = book.get("entries") if isinstance(book, dict) else None
    return [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []


def constant_entries(card: Card) -> list[JsonObject]:
    """Return the entries of a card's lorebook that are always there, in the order of the prompt."""
    entries = [one for one in book_entries(card) if is_constant(one)]
    return sorted(entries, key=lambda one: _number(one.get("insertion_order")))


def portable_entry(entry: JsonObject, name: str) -> JsonObject:
    """Return an entry of a lorebook as the agent reads it: without macros, also in its words."""
    made: JsonObject = {**entry, "content": portable(str(entry.get("content") or ""), name)}
    for key in KEYS:
        listed = entry.get(key)
        if isinstance(listed, list):
            made[key] = [portable(one, name) if isinstance(one, str) else one for one in listed]
    return made


def _sections(said: Mapping[str, str], name: str) -> str:
    parts = [f"You are {name}."]
    parts += [f"## {words}\n\n{said[key]}" for key, words in SECTIONS.items() if said[key]]
    return "\n\n".join(parts)


def _prompt(text: str) -> str:
    """Return a system prompt that has the character's instructions in it."""
    return f"{text}\n\n{MACRO}" if text and MACRO not in text else text


def _beginning(description: str) -> str:
    text = " ".join(description.split())
    if len(text) <= _SHOWN:
        return text
    return text[:_SHOWN].rpartition(" ")[0] + "…"


def _examples(text: str, name: str) -> str:
    if not text:
        return ""
    return f"How {name} speaks, by example; none of this has happened.\n\n" + _START.sub(
        "---", text
    )


def _greetings(card: Card, name: str) -> str:
    greetings = [portable(one, name) for one in card.texts("alternate_greetings")]
    return json.dumps(greetings, ensure_ascii=False, indent=2) if greetings else ""


def _constant(card: Card, name: str) -> str:
    """Return the texts of the entries that are always there."""
    contents = (str(one.get("content") or "") for one in constant_entries(card))
    return "\n\n".join(portable(one, name).strip() for one in contents)


def _book(card: Card, name: str) -> str:
    """Return the lorebook for the agent: entries that words call up, macros made portable."""
    book = card.data.get("character_book")
    entries = [portable_entry(one, name) for one in book_entries(card) if not is_constant(one)]
    if not isinstance(book, dict) or not entries:
        return ""
    listed: JsonObject = {**book, "entries": [*entries]}
    return encode_pretty(listed)


def is_constant(entry: JsonObject) -> bool:
    """Whether an entry of a lorebook is always in the prompt."""
    return entry.get("constant") is True and entry.get("enabled") is not False


def _number(value: JsonValue) -> float:
    """Return a number as one that can be compared; one that is too large is the largest."""
    if not isinstance(value, int | float):
        return 0.0
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
