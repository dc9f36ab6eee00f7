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
    "MACRO",
    "SECTIONS",
    "book_entries",
    "section_texts",
    "texts_of",
]

BOOK = ".lorebook.json"
CONSTANT = "lorebook.txt"
EXAMPLES = "example-dialogue.txt"
GREETINGS = ".greetings.json"

SECTIONS: Mapping[str, str] = {
    "description": "Who you are",
    "personality": "Personality",
    "scenario": "Scenario",
    "post_history_instructions": "Before every answer",
}
"""Fields that share `instructions.txt`, with their headings."""

MACRO = "%%CHARACTER_INSTRUCTIONS%%"

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_SHOWN = 400
_START = re.compile(r"^\s*<START>\s*$", re.MULTILINE | re.IGNORECASE)


def texts_of(card: Card) -> dict[str, str]:
    """Return the texts of the package that a card becomes, by path; empty ones are left out."""
    name = card.text("nickname").strip() or card.name
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
    """Return the fields that share `instructions.txt`; None where its headings are others."""
    parts = _HEADING.split(instructions.replace("\r\n", "\n"))
    headings = {words: key for key, words in SECTIONS.items()}
    found: dict[str, str] = {}
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        key = headings.get(heading.strip())
        if key is None or key in found:
            return None
        found[key] = text.strip()
    return found


def book_entries(card: Card) -> list[JsonObject]:
    """Return the entries of a card's lorebook."""
    book = card.data.get("character_book")
    entries = book.get("entries") if isinstance(book, dict) else None
    return [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []


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
    """Return the entries that are always there, in their order."""
    entries = [one for one in book_entries(card) if _is_constant(one)]
    entries.sort(key=lambda one: _number(one.get("insertion_order")))
    return "\n\n".join(portable(str(one.get("content") or ""), name).strip() for one in entries)


def _book(card: Card, name: str) -> str:
    """Return the lorebook for the agent: entries that words call up, macros made portable."""
    book = card.data.get("character_book")
    entries = [
        {**one, "content": portable(str(one.get("content") or ""), name)}
        for one in book_entries(card)
        if not _is_constant(one)
    ]
    if not isinstance(book, dict) or not entries:
        return ""
    listed: JsonObject = {**book, "entries": [*entries]}
    return encode_pretty(listed)


def _is_constant(entry: JsonObject) -> bool:
    return entry.get("constant") is True and entry.get("enabled") is not False


def _number(value: JsonValue) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
