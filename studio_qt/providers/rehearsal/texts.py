"""Strings for parameters: which part of the user's words a text parameter wants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.rehearsal.numbers import Dice
from studio_qt.providers.rehearsal.phrases import Action, topic_of, trimmed
from studio_qt.providers.rehearsal.schema import examples_of
from studio_qt.providers.rehearsal.wish import Wish
from studio_qt.providers.rehearsal.words import clip, content_stems, fold, split_name, word_set

__all__ = ["Role", "candidates", "is_not_notation", "listed", "plain_strings", "role_of"]

_LONGEST = 2000


class Role(Enum):
    """What a text parameter wants."""

    NOTATION = "dice, as 2d6+1"
    KEY = "a short name"
    TOPIC = "what is looked for"
    WHOLE = "the request as it was said"
    CONTENT = "what is to be kept"
    FORMAT = "a text of a fixed form"


_NOTATION = re.compile(
    r"\d*d\d+|\\d[*+?]?\)?d\(?\\d|\]\)?[*+?]?\)?d\(?\[|\bNdM\b|\bXdY\b", re.IGNORECASE
)
_NAMES: tuple[tuple[Role, frozenset[str]], ...] = (
    (Role.NOTATION, word_set("notation dice")),
    (Role.WHOLE, word_set("request question prompt task instruction instructions input")),
    (Role.KEY, word_set("key name id title label category tag slug")),
    (
        Role.TOPIC,
        word_set(
            "query search term terms keyword keywords topic subject q about pattern what which who "
            "entry item place city location"
        ),
    ),
)
_FORMATS: dict[str, tuple[str, str]] = {
    "date": (r"\d{4}-\d\d-\d\d", "2000-01-01"),
    "date-time": (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?Z?", "2000-01-01T00:00:00Z"),
    "time": (r"\b\d\d:\d\d(?::\d\d)?Z?\b", "12:00:00Z"),
    "email": (r"[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190}\w", "someone@example.com"),
    "uri": (r"https?://[^\s<>\"]{1,1000}[^\s<>\".,;!?]", "https://example.com/"),
    "url": (r"https?://[^\s<>\"]{1,1000}[^\s<>\".,;!?]", "https://example.com/"),
    "uuid": (
        r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "00000000-0000-4000-8000-000000000000",
    ),
    "ipv4": (r"\b\d{1,3}(?:\.\d{1,3}){3}\b", "192.0.2.1"),
    "hostname": (r"\b[\w-]+(?:\.[\w-]+)+\b", "example.com"),
}
_PREPOSITIONS = {
    "in|at|near|for": word_set("city place location where country room area region town"),
    "to|with|at": word_set("to recipient target destination person character npc"),
    "from": word_set("from source origin sender"),
    "by": word_set("by author creator"),
    "as": word_set("as style tone mood title"),
}
_STATED = re.compile(
    r"^(?P<key>.{1,60}?)(?:\s+(?:is|are|was|were|equals|as)\s+|\s*[:=]\s*)"
    r"(?P<value>.+)$",
    re.DOTALL | re.IGNORECASE,
)
_PLAIN = (
    "1",
    "a",
    "A",
    "abc",
    "a1",
    "0",
    "2d6",
    "1d6",
    "2000-01-01",
    "12:00",
    "en",
    "aaaa",
    "id-1",
)


def role_of(name: str, schema: JsonObject) -> Role:
    """Return what the parameter wants, by format, name and description."""
    if schema.get("format") in _FORMATS:
        return Role.FORMAT
    parts = set(split_name(name))
    if _looks_like_dice(schema):
        return Role.NOTATION
    return next((role for role, names in _NAMES if parts & names), Role.CONTENT)


def candidates(
    wish: Wish, role: Role, name: str, schema: JsonObject, *, required: bool
) -> Iterator[str]:
    """Yield texts out of the user's words, best first; for an optional parameter only sure ones."""
    if role is Role.NOTATION:
        if wish.dice is not None or (required and not examples_of(schema)):
            yield (wish.dice or Dice()).notation()
        return
    if role is Role.FORMAT:
        yield from _of_format(wish.said, str(schema["format"]))
        return
    if role is Role.KEY and wish.key:
        yield wish.key
    named = _named(wish.said, name)
    for text in named:
        yield from _cut_to(text, schema)
    if not required and _is_sought(wish, role):
        yield from _cut_to(wish.topic, schema)
    if not required and (named or not wish.matter):
        return
    for quote in wish.quotes[:3]:
        yield from _cut_to(quote, schema)
    if required:
        for text in _by_role(wish, role, name):
            yield from _cut_to(text, schema)


def is_not_notation(part: tuple[str, JsonValue]) -> bool:
    """Tell which properties can wait: dice go into a notation first, where there is one."""
    name, schema = part
    return not (isinstance(schema, dict) and role_of(name, schema) is Role.NOTATION)


def _is_sought(wish: Wish, role: Role) -> bool:
    """Return whether an optional parameter holds what the user looks for."""
    seeking = wish.action in (Action.RECALL, Action.FORGET, Action.HISTORY, Action.LOOKUP)
    return seeking and role is Role.TOPIC and not set(content_stems(wish.topic)) <= wish.known


def plain_strings(wish: Wish, schema: JsonObject) -> list[JsonValue]:
    """Return texts to try when nothing that was said fits."""
    made: list[JsonValue] = [
        _FORMATS[form][1] for form in [schema.get("format")] if form in _FORMATS
    ]
    made += re.findall(r"[^\s]{1,60}", wish.said)[:30]
    made += list(_PLAIN)
    least = schema.get("minLength")
    if isinstance(least, int) and 0 < least <= _LONGEST:
        text = wish.matter or "rehearsal"
        made.append((f"{text} " * (least // len(text) + 1))[: least + len(text)].strip())
        made += ["a" * least, "1" * least, "A" * least]
    return [*made, ""]


def listed(text: str, quotes: list[str]) -> list[str]:
    """Return the things that a text lists with commas and `and`; quoted ones where there are."""
    if quotes:
        return list(quotes)
    parts = re.split(r"\s*(?:,|;|\band\b|&)\s*", text)
    return [topic_of(part) for part in parts if part.strip()]


def _looks_like_dice(schema: JsonObject) -> bool:
    told = [schema.get(key) for key in ("description", "pattern", "default", "examples", "title")]
    return any(_NOTATION.search(str(text)[:400]) for text in told if text is not None)


def _of_format(said: str, form: str) -> Iterator[str]:
    if match := re.search(_FORMATS[form][0], said, re.IGNORECASE):
        yield match.group()


def _named(said: str, name: str) -> list[str]:
    """Return what stands behind the parameter's name, or behind the preposition that it means."""
    parts = [re.escape(part) for part in split_name(name)]
    folded = "".join(low if len(low := char.lower()) == 1 else char for char in said)
    found = []
    if parts and len(name) > 2:
        label = r"[\s_-]?".join(parts)
        pattern = rf"\b{label}(?:\s*[:=]\s*|\s+(?:is|of|called|named)\s+)(\S.*)"
        found += [said[match.start(1) :] for match in re.finditer(pattern, folded)]
    for words, names in _PREPOSITIONS.items():
        if set(split_name(name)) & names:
            match = re.search(rf"\b(?:{words})\s+(\w.*)", folded)
            found += [said[match.start(1) :]] if match else []
    return [trimmed(re.split(r"[,;]| and ", text)[0]) for text in found[:2]]


def _by_role(wish: Wish, role: Role, name: str) -> Iterator[str]:
    stated = _STATED.match(wish.matter) if wish.action is Action.STORE else None
    seeking = wish.action in (Action.RECALL, Action.FORGET, Action.HISTORY, Action.LOOKUP)
    match role:
        case Role.WHOLE:
            yield wish.said
        case Role.KEY:
            yield topic_of(stated["key"]) if stated else _key(wish.topic)
        case Role.TOPIC:
            yield wish.topic
        case Role.CONTENT if stated and name.endswith("value"):
            yield trimmed(stated["value"])
        case Role.CONTENT:
            yield wish.topic if seeking else wish.matter
    yield from (wish.topic, wish.matter, wish.said)


def _key(topic: str) -> str:
    """Return the words of `topic` that carry meaning, as they were written."""
    kept = [word for word in topic.split() if content_stems(word)]
    return clip(" ".join(kept[:6]) or topic, 60).rstrip("…")


def _cut_to(text: str, schema: JsonObject) -> Iterator[str]:
    """Yield `text` in the length that the schema allows."""
    text = text.strip()[:_LONGEST]
    most = schema.get("maxLength")
    if isinstance(most, (int, float)) and len(text) > most:
        text = clip(text, int(most) + 1).rstrip("…")[: int(most)].strip() if most >= 1 else ""
    if text:
        yield text
        pattern = schema.get("pattern")
        if isinstance(pattern, str):
            snake = re.sub(r"\W+", "_", fold(text)).strip("_")
            yield from (snake, snake.replace("_", "-"), text.upper(), *text.split()[:12])
