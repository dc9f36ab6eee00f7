"""What a clause of the user's text offers to fill in."""

from __future__ import annotations

from dataclasses import dataclass, field

from studio_qt.jsontext import JsonValue
from studio_qt.providers.rehearsal import numbers
from studio_qt.providers.rehearsal.numbers import Dice, Figure
from studio_qt.providers.rehearsal.phrases import Action, actions_of_words
from studio_qt.providers.rehearsal.words import fold, split_name, stem, stem_set, stems, word_set

__all__ = ["Wish"]

_NO_OPTION = word_set("a an i the to of it is")
_NO_SWITCH = word_set("is with has")
_NEGATIONS = stem_set("no not without never don't false off disable disabled")


@dataclass(slots=True)
class Wish:
    """What the user's words offer to fill in; figures and quotes are used up as they are taken.

    `said` is the clause as written, `matter` what it is about, `topic` that without articles;
    `known` are the stems that the tool itself speaks of, `key` is the name under which the matter
    is known to be stored, or "".
    """

    said: str
    matter: str
    topic: str
    action: Action = Action.NONE
    quotes: list[str] = field(default_factory=list)
    known: frozenset[str] = frozenset()
    key: str = ""
    figures: list[Figure] = field(init=False)
    dice: Dice | None = field(init=False)
    words: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.figures = numbers.figures(self.said)
        self.dice = numbers.read_dice(self.said)
        self.words = stems(self.said)

    def mentions(self, name: str) -> bool:
        """Return whether all words of a parameter's name were said."""
        parts = [stem(part) for part in split_name(name)]
        return bool(parts) and all(part in self.words for part in parts)

    def mentions_option(self, option: JsonValue) -> bool:
        """Return whether a parameter's option was said, or is the act that was asked for."""
        if isinstance(option, bool) or option is None:
            return False
        if isinstance(option, (int, float)):
            sides = self.dice.sides if self.dice else None
            return option == sides or any(option == one.value for one in self.figures)
        if not isinstance(option, str) or fold(option) in _NO_OPTION:
            return False
        parts = split_name(option)
        if self.action in actions_of_words(parts):
            return True
        return bool(parts) and all(stem(part) in self.words for part in parts)

    def switch(self, name: str) -> bool | None:
        """Return true or false where a parameter's name was said or denied, else None."""
        parts = [stem(part) for part in split_name(name) if part not in _NO_SWITCH]
        if not parts or parts[-1] not in self.words:
            return None
        at = self.words.index(parts[-1])
        beside = {*self.words[max(at - 3, 0) : at], *self.words[at + 1 : at + 2]}
        return not beside & _NEGATIONS
