"""Figures, number words and dice in a text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from studio_qt.providers.rehearsal.words import fold, word_list

__all__ = ["NUMBER_WORDS", "Dice", "Figure", "figures", "read_dice"]

_UNITS = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = word_list("twenty thirty forty fifty sixty seventy eighty ninety")
_WORDS = {word: value for value, word in enumerate(_UNITS)}
_WORDS |= {word: 10 * value for value, word in enumerate(_TENS, 2)}
_WORDS |= {"hundred": 100, "thousand": 1000, "dozen": 12, "pair": 2, "couple": 2, "twice": 2}
_WORDS |= {"thrice": 3}
_ONE_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_SPELLED = rf"(?:{'|'.join(_TENS)})-(?:{'|'.join(_UNITS[1:10])})|{_ONE_WORD}"
NUMBER_WORDS = _SPELLED
"""A pattern of numbers written as words, folded."""

_FIGURE = re.compile(
    rf"(?<![\w.,])(?P<figure>[-+−]?\d{{1,15}}(?:\.\d{{1,15}})?)(?![\d%])|\b(?P<word>{_SPELLED})\b"
)
_NUMBER = rf"(?:\d{{1,4}}|{_SPELLED})"
_NOTATION = re.compile(r"(?<![\w.])(?:(\d{1,3}) ?)?d(\d{1,4}|%)(?:\s*([+\-−])\s*(\d{1,4}))?(?!\w)")
_SIDED = re.compile(rf"\b(?P<sides>{_NUMBER})[- ]?(?:sided|faced|sides)\b")
_DICE = re.compile(
    rf"\b(?P<count>{_NUMBER}|an?|the|another|some|these)\s+(?:\w+\s+|of\s+)?"
    rf"(?:{_NUMBER}[- ]?(?:sided|faced)\s+)?(?:di[ce]e?|dices|d\d+s?)\b"
)
_WITH_SIDES = re.compile(rf"\bwith\s+(?P<sides>{_NUMBER})\s+(?:sides|faces)\b")
_EXTRA = re.compile(rf"\b(?P<sign>plus|minus|add(?:ing)?)\s+(?P<value>{_NUMBER})\b")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and where its words stand in the folded text."""

    value: int | float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice that a text speaks of; None where it does not say."""

    count: int | None = None
    sides: int | None = None
    extra: int = 0

    def notation(self) -> str:
        """Return `2d6+1`, with one die of six sides where nothing else was said."""
        tail = f"{self.extra:+d}" if self.extra else ""
        return f"{self.count or 1}d{self.sides or 6}{tail}"


def figures(text: str) -> list[Figure]:
    """Return the numbers of a text in order; `twenty-one` and `three hundred` are one each."""
    found: list[Figure] = []
    for match in _FIGURE.finditer(fold(text)):
        value = _value(match["figure"] or match["word"])
        last = found[-1] if found else None
        if match["word"] in ("hundred", "thousand") and last and match.start() - last.end <= 1:
            found[-1] = Figure(last.value * value, last.start, match.end())
        else:
            found.append(Figure(value, *match.span()))
    return found


def read_dice(text: str) -> Dice | None:
    """Return the first dice that `text` names, as `2d6+1` or in words; None without any."""
    folded = fold(text)
    if noted := _NOTATION.search(folded):
        count, sides, sign, extra = noted.groups()
        value = int(extra or 0) * (-1 if sign and sign in "-−" else 1)
        return Dice(int(count) if count else None, 100 if sides == "%" else int(sides), value)
    spoken = _DICE.search(folded)
    sided = _SIDED.search(folded) or _WITH_SIDES.search(folded)
    if spoken is None and sided is None:
        return None
    return Dice(
        _count(spoken["count"]) if spoken else None,
        int(_value(sided["sides"])) if sided else None,
        _extra(folded),
    )


def _value(word: str) -> int | float:
    if word in _WORDS:
        return _WORDS[word]
    tens, _, unit = word.partition("-")
    if tens in _WORDS and unit in _WORDS:
        return _WORDS[tens] + _WORDS[unit]
    plain = word.replace("−", "-")
    return float(plain) if "." in plain else int(plain)


def _count(word: str) -> int | None:
    if word in ("a", "an", "another"):
        return 1
    return None if word in ("the", "some", "these") else int(_value(word))


def _extra(folded: str) -> int:
    match = _EXTRA.search(folded)
    if match is None:
        return 0
    return int(_value(match["value"])) * (-1 if match["sign"] == "minus" else 1)
