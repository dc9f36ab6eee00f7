"""How Rehearsal speaks when nobody told it what to say: in the words of the character's own texts.

Every such answer ends with `MARK` on a line of its own, so that it can never be taken for the
answer of a language model.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from studio_qt.jsontext import JsonValue, decode
from studio_qt.providers.rehearsal.reading import ToolAnswer, Turn
from studio_qt.providers.rehearsal.words import clip, content_stems, fold, sentences, stems
from studio_qt.sentences import listed

__all__ = ["MARK", "answer", "unmarked"]

MARK = "— rehearsal"
"""The last line of every answer that was not told word for word."""

_SHORT = 1200
_SCANNED = 65_536
_MOST_WORDS = 12
_RESULT_LEADS = ("", "Here is what came of it: ", "So it stands: ", "This is what I have: ")
_FACT_LEADS = ("", "This much I know: ", "As far as I know: ", "What comes to mind: ")
_WHO = re.compile(
    r"\bwho (?:are|r) (?:you|u)\b|\byour name\b|\bwhat are you\b|\babout yourself\b|"
    r"\bintroduce yourself\b",
    re.IGNORECASE,
)
_LINE_ENDS = ("", " Go on.", " What else?", " Tell me more.")
_GENERIC = (
    "I am listening.",
    "I hear you.",
    "I have nothing to add to that yet.",
    "Let us see where that leads.",
)
_EMPTY = ("I am here. Write something, and I will answer.", "I am waiting for a word from you.")
_ORDERS = re.compile(
    r"\b(?:must|should|never|always|respond|reply|answer|tools?|user|model|json|markdown|prompt|"
    r"instructions?|do not|don't|call)\b|%%|[{}<>]",
    re.IGNORECASE,
)
_ENDS = (".", "!", "?", "…", "。", "！", "？", ")", '"', "”")
_LABEL = re.compile(r"background|not always relevant", re.IGNORECASE)
_BULLET = re.compile(r"^(?:[\s#>*\-–•]|\d+[.)]\s)+(?=\S)")
_SECTION = re.compile(r"^#+\s*", re.MULTILINE)
_SECRET = re.compile(r"\b(?:hid|secret|never|private|spoiler|reveal|rule|format)", re.IGNORECASE)
_STAGE = re.compile(r"\*[^*\n]{1,2000}\*")
_OF_ITSELF = re.compile(
    r"You(?:'re|’re|'ve|’ve)?\s+(?:are|were|have|live|lived|like|love|speak|keep|work|worked|came|come|"
    r"grew|know|collect|measure|sell|teach|study|play|sing|travel|trust)\b|You(?:'re|’re)\b"
)
_TO_FIRST = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"\b[Yy]ou(?: are|'re|’re)\b", "I am"),
        (r"\b[Yy]ou were\b", "I was"),
        (r"\b[Yy]ou have\b|\b[Yy]ou['’]ve\b", "I have"),
        (r"\bYour\b", "My"),
        (r"\byour\b", "my"),
        (r"\byours\b", "mine"),
        (r"\byourself\b", "myself"),
        (r"(?<=\b(?:to|of|at|by))(\s)you\b|(?<=\b(?:for))(\s)you\b", r" me"),
        (r"\b[Yy]ou\b", "I"),
    )
)


def answer(turn: Turn, text: str, malformed: Sequence[str] = ()) -> str:
    """Return the answer to `text` in the character's voice, with `MARK` below it.

    Tool results come first where there are any. The same turn always gives the same answer, and
    never the one that stands right before it.
    """
    seed = zlib.crc32(f"{turn.length}\n{text[:4000]}".encode("utf-8", "replace"))
    before = {unmarked(reply) for reply in turn.replies}
    options = list(islice(_options(turn, text, seed), 64))
    fresh = [option for option in options if option not in before] or options
    unread = [f"I could not read {clip(piece, 200)}." for piece in malformed]
    return "\n\n".join([*unread, fresh[0], MARK])


def unmarked(text: str) -> str:
    """Return `text` without the mark of a rehearsal."""
    return text.removesuffix(MARK).rstrip() if text.endswith(MARK) else text


def _options(turn: Turn, text: str, seed: int) -> Iterator[str]:
    """Yield answers, the one to take first; the rest are for when it has just been said."""
    if turn.results:
        said = [_reported(result) for result in turn.results[:20]]
        told = ("\n\n" if any("\n" in one for one in said) else " ").join(said)
        yield from (f"{lead}{told}" for lead in _turned(_RESULT_LEADS, seed))
        return
    if not text.strip():
        yield from _turned(_EMPTY, seed)
        return
    facts = _relevant(turn.background, text)
    if facts:
        told = " ".join(facts)
        yield from (f"{lead}{told}" for lead in _turned(_FACT_LEADS, seed))
        return
    lines = _own_lines(turn) or list(_GENERIC)
    if not _WHO.search(text):
        lines = _turned(lines, seed)
    for end in _turned(_LINE_ENDS, seed >> 8):
        yield from (f"{line}{end}" if line.endswith(".") else line for line in lines)


def _turned(items: Sequence[str], seed: int) -> list[str]:
    at = seed % len(items)
    return [*items[at:], *items[:at]]


def _reported(result: ToolAnswer) -> str:
    text = unmarked(result.text.strip())
    if not text:
        return f"It is done ({result.name})." if result.name else "It is done."
    if text[0] in "{[" and len(text) <= _SCANNED:
        with suppress(ValueError):  # what is no JSON after all is told as it stands
            text = _prose(decode(text), 0)
    text = clip(text, _SHORT)
    return text if "\n" in text or text.endswith(_ENDS) else f"{text}."


def _prose(value: JsonValue, depth: int) -> str:
    """Return JSON in words: `total 7, rolls 3 and 4`."""
    if isinstance(value, dict) and depth < 6:
        pairs = (f"{_spaced(key)} {_prose(part, depth + 1)}" for key, part in value.items())
        return ", ".join(islice(pairs, 40)) or "nothing"
    if isinstance(value, list) and depth < 6:
        parts = [_prose(part, depth + 1) for part in value[:40]]
        return listed(parts) if parts else "nothing"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, (str, int, float)) else "more"


def _spaced(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).replace("_", " ")


def _relevant(background: Iterable[str], text: str) -> list[str]:
    """Return the sentence of context and preload that shares most words with the text.

    Two, where two share as many.
    """
    wanted = frozenset(content_stems(text[:4000])[:_MOST_WORDS])
    if not wanted:
        return []
    starts = re.compile("|".join(re.escape(word) for word in sorted(wanted)))
    found = [
        (shared, sentence)
        for block in background
        for sentence in islice(sentences(block[:_SCANNED]), 2000)
        if 8 <= len(sentence) <= 400 and sentence[0] != "#" and starts.search(fold(sentence))
        if (shared := len(wanted.intersection(stems(sentence)))) and not _LABEL.search(sentence)
    ]
    most = max((shared for shared, _ in found), default=0)
    return [_told(sentence) for shared, sentence in found if shared == most][:2]


def _told(sentence: str) -> str:
    text = _BULLET.sub("", sentence).strip("*_ ")
    return text if text.endswith(_ENDS) else f"{text}."


def _own_lines(turn: Turn) -> list[str]:
    """Return what the character can say of itself: instructions turned to `I`, and its intro."""
    about = [
        _first_person(line)
        for at, part in enumerate(_SECTION.split(turn.system[:8000]))
        if at == 0 or not _SECRET.search(part.partition("\n")[0])
        for line in islice(sentences(part), 40)
        if _OF_ITSELF.match(line) and not _ORDERS.search(line) and len(line) <= 300
    ]
    spoken = _STAGE.sub(" ", turn.intro[:4000])
    intro = [line for line in islice(sentences(spoken), 12) if 4 <= len(line) <= 300]
    return [_told(line) for line in [*about[:8], *(line.strip('“”"„«» ') for line in intro)]]


def _first_person(line: str) -> str:
    for pattern, instead in _TO_FIRST:
        line = pattern.sub(instead, line)
    return line
