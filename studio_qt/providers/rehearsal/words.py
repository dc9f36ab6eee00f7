"""Words of a text, cut down to stems that two texts can share.

English first, safe for everything else: letters are compared case-folded and NFKC-normalised, only
ASCII words lose endings, and scripts without spaces are cut into pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

__all__ = [
    "GREETINGS",
    "STOP_WORDS",
    "clip",
    "content_stems",
    "fold",
    "sentences",
    "split_name",
    "stem",
    "stem_set",
    "stems",
    "word_list",
    "word_set",
]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NAME_BREAK = re.compile(
    r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=\D)(?=\d)|(?<=\d)(?=\D)"
)
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{2,}")
_SENTENCE = re.compile(r"[^.!?…。！？\n]+(?:[.!?…。！？]+[\"'”’)]*|\n|$)")
_ENDINGS = (
    ("iness", "y"),
    ("ments", ""),
    ("ment", ""),
    ("ness", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ings", ""),
    ("ing", ""),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("ed", ""),
    ("ers", ""),
    ("er", ""),
    ("ly", ""),
    ("s", ""),
)


def word_list(words: str) -> list[str]:
    """Return the words of a list written as one text, in order."""
    return words.split()


def word_set(words: str) -> frozenset[str]:
    """Return the words of a list written as one text."""
    return frozenset(words.split())


STOP_WORDS = word_set(
    """a about above after again all also am an and any anything are as at be because been being but
    by can could did do does doing done down for from get give go going got had has have having he
    her here hers him his how i if in into is it its just let like make may me might mine more most
    much must my myself need no not now of off ok okay on once one only or other our ours out over
    own please quite really same shall she should so some something such than that the their them
    then there these they thing this those though through to too try under until up us use very want
    was we well were what when where which while who whom why will with would yes you your yours
    yourself i'm i'd i'll i've it's that's what's let's don't can't you're we're isn't didn't kindly
    call tool whenever asked user character model given return returns"""
)
"""Words that say nothing about what is asked for."""

GREETINGS = word_set(
    """hello hi hey hiya howdy greetings good morning afternoon evening night day bye goodbye
    farewell cheers thanks thank welcome nice lovely great fine cool wow haha lol hmm hm oh ah yeah
    yep nope sure right alright pleased meet see later soon today doing going friend dear love
    sorry sweet awesome wonderful amazing glad happy feeling feel bonjour salut hola ciao hallo
    guten tag danke merci gracias"""
)
"""Small talk: a clause that holds nothing else never asks for a tool."""

_FAMILIES = (
    "roll throw toss reroll",
    "dice die dices d4 d6 d8 d10 d12 d20 d100",
    "memory memories memorize memorise remember",
    "delete remove erase forget wipe",
    "search find seek lookup query",
    "history conversation transcript chat",
    "weather forecast temperature",
    "item object",
    "buy purchase",
    "big large",
    "picture image photo",
    "begin start",
    "end stop finish",
    "money gold coin",
    "fight attack strike hit",
)


def fold(text: str) -> str:
    """Return `text` as it is compared: NFKC, case-folded, with plain apostrophes."""
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return the stem of one folded word; synonyms of a family share one stem."""
    return _FAMILY_OF.get(word) or _FAMILY_OF.get(cut := _cut(word)) or cut


def stem_set(words: str) -> frozenset[str]:
    """Return the stems of the words of a list written as one text."""
    return frozenset(stem(word) for word in words.split())


def stems(text: str) -> list[str]:
    """Return the stems of all words in order, stop words included."""
    return [stem(word) for word in _words(fold(text))]


def content_stems(text: str) -> list[str]:
    """Return the stems of the words that carry meaning, in order, each once."""
    kept = (stem(word) for word in _words(fold(text)) if word not in STOP_WORDS and len(word) > 1)
    return list(dict.fromkeys(kept))


def split_name(name: str) -> list[str]:
    """Return the words of an identifier: snake_case, kebab-case, dotted or camelCase."""
    return [fold(part) for part in _NAME_BREAK.split(name[:200]) if part]


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, stripped; a line break ends one as well."""
    for match in _SENTENCE.finditer(text):
        if sentence := match.group().strip():
            yield sentence


def clip(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters, cut at a word where possible, then `…`."""
    if len(text) <= limit:
        return text
    head = text[: max(limit - 1, 0)]
    space = head.rfind(" ")
    return (head[:space] if space > limit // 2 else head).rstrip(" ,;:") + "…"


def _words(folded: str) -> Iterator[str]:
    for match in _WORD.finditer(folded):
        word = match.group()
        run = _UNSPACED.search(word)
        if run is None:
            yield word.removesuffix("'s")
        else:
            yield from (run.group()[at : at + 2] for at in range(len(run.group()) - 1))


def _cut(word: str) -> str:
    if not word.isascii() or len(word) < 4:
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return _undouble(word.removesuffix(ending) + instead)
    return word.removesuffix("e") if len(word) > 4 else word


def _undouble(word: str) -> str:
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return word.removesuffix("e") if len(word) > 4 else word


_FAMILY_OF: dict[str, str] = {}
for _family in _FAMILIES:
    _head = _family.split()[0]
    for _member in _family.split():
        _FAMILY_OF[_member] = _head
        _FAMILY_OF.setdefault(_cut(_member), _head)
