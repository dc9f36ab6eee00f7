"""How clearly a clause asks for a tool."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.rehearsal.numbers import NUMBER_WORDS, read_dice
from studio_qt.providers.rehearsal.phrases import (
    Action,
    Clause,
    actions_of_words,
    without_quotes,
)
from studio_qt.providers.rehearsal.words import (
    GREETINGS,
    content_stems,
    fold,
    sentences,
    split_name,
    stem,
    stem_set,
    stems,
    word_set,
)

__all__ = ["ToolProfile", "asked_words", "profile", "score"]

_DESCRIPTION = 600
_PLAIN_NAME_WORDS = word_set("tool get agent studio do run my the a of for to and")
_CHANGING = stem_set(
    "roll set add make create give take move open close start stop update send attack write "
    "put remove use play draw change generate spawn equip travel schedule buy sell"
)
_MEMORY = stem_set("memory remember recall")
_KEPT = stem_set("fact facts note notes user told learn knowledge diary journal")
_KEEPING = frozenset((Action.STORE, Action.RECALL, Action.FORGET))
_NO_WORD = re.compile(rf"\d*d\d+|\d{{1,3}}|{NUMBER_WORDS}")
_DECIDING_ROLL = re.compile(r"\b(?:roll|throw)\s+for\b")
_LOOKS_UP = re.compile(r"\blooks?\s+(?:(?:it|things|facts|words)\s+)?up\b")
_ADDRESSED = re.compile(r"(?:ask|consult|call|tell|use|run|try|let|have|query)\b")
_OUTRIGHT = re.compile(
    r"(?:look|search|find|check|consult|query|research|read\s+up)\b|"
    r"what\s+(?:do|can|did|else\s+do)\s+you\s+(?:\w+\s+)?(?:know|tell|find)\b"
)


@dataclass(frozen=True, slots=True)
class ToolProfile:
    """A tool, cut down to what can be compared.

    `weights` maps stems to what they count; `actions` is what the tool does where its words tell;
    `of_memory` whether it speaks of remembering.
    """

    name: str
    parameters: JsonValue
    name_words: frozenset[str]
    weights: dict[str, float]
    actions: frozenset[Action]
    of_memory: bool


def profile(tool: JsonObject) -> ToolProfile | None:
    """Return the profile of a tool in the OpenAI function form; None where it has no name."""
    function = tool.get("function")
    if not isinstance(function, dict) or not isinstance(name := function.get("name"), str):
        return None
    told = function.get("description")
    description = told[:_DESCRIPTION] if isinstance(told, str) else ""
    parameters = function.get("parameters")
    parts = split_name(name)
    named = " ".join(part for part in parts if part not in _PLAIN_NAME_WORDS)
    name_words = frozenset(stems(named))
    weights = dict.fromkeys(content_stems(description), 0.8)
    for word, weight in _of_parameters(parameters):
        weights[word] = max(weights.get(word, 0.0), weight)
    weights |= dict.fromkeys(name_words, 2.0)
    return ToolProfile(
        name,
        parameters,
        name_words,
        weights,
        _actions(parts, description, parameters),
        bool(weights.keys() & _MEMORY),
    )


def _of_parameters(parameters: JsonValue) -> Iterator[tuple[str, float]]:
    known = parameters.get("properties") if isinstance(parameters, dict) else None
    for name, part in list(known.items())[:40] if isinstance(known, dict) else ():
        yield from ((stem(word), 0.8) for word in split_name(name) if len(word) > 2)
        if not isinstance(part, dict):
            continue
        yield from ((word, 0.4) for word in content_stems(str(part.get("description", ""))[:200]))
        options = part.get("enum")
        for option in options[:40] if isinstance(options, list) else ():
            yield from ((word, 1.2) for word in content_stems(str(option)[:60]))


def _actions(parts: list[str], description: str, parameters: JsonValue) -> frozenset[Action]:
    """Return what a tool does: by its name, else its options, else how its description begins."""
    if found := actions_of_words([*parts, "".join(parts)]):
        return found
    known = parameters.get("properties") if isinstance(parameters, dict) else None
    options: list[str] = []
    for part in known.values() if isinstance(known, dict) else ():
        listed = part.get("enum") if isinstance(part, dict) else None
        options += [fold(str(option)) for option in listed[:40]] if isinstance(listed, list) else []
    if found := actions_of_words(options):
        return found
    first = next(sentences(description), "")
    return actions_of_words(_LOOKS_UP.sub("lookup", fold(first)).split()[:10])


def asked_words(clause: Clause) -> list[str]:
    """Return the stems that a clause is compared by; dice in any notation count as `dice`."""
    plain = without_quotes(clause.core)
    words = [word for word in content_stems(plain) if word not in GREETINGS]
    words = [word for word in words if not _NO_WORD.fullmatch(word)]
    if (read_dice(plain) or _DECIDING_ROLL.search(fold(plain))) and stem("dice") not in words:
        words.append(stem("dice"))
    return words


def score(clause: Clause, words: list[str], tool: ToolProfile, shared: Counter[str]) -> float:
    """Return how clearly the clause asks for the tool; 0 where it asks for another kind of act.

    `words` come from `asked_words`; `shared` counts the tools that know a word.
    """
    common = [word for word in words if word in tool.weights]
    named = {word for word in common if word in tool.name_words}
    base = sum(tool.weights[word] * (1.0 if shared[word] == 1 else 0.7) for word in common[:6])
    whole = len(common) >= 2 and len(common) == len(words)
    if whole or (named and len(common) == len(words)):
        base += 1.0
    if named and named == tool.name_words:
        base += 0.6
    if named and _ADDRESSED.match(fold(clause.core)):
        base += 1.5
    match clause.action:
        case Action.STORE | Action.RECALL | Action.FORGET:
            return _keeping_score(clause.action, base, named, tool)
        case Action.HISTORY:
            return base + 3.0 if Action.HISTORY in tool.actions else base
        case Action.LOOKUP:
            return _lookup_score(clause, base, common, tool, whole=whole)
    if _keeps_memory(tool) and (clause.wondering or not named):
        return 0.0
    if _changes_unasked(clause, named, tool):
        return 0.0
    return base if named or len(common) >= 2 else 0.0


def _keeping_score(action: Action, base: float, named: set[str], tool: ToolProfile) -> float:
    if action in tool.actions:
        return base + (3.0 if tool.of_memory else 2.5 if tool.weights.keys() & _KEPT else 0.0)
    if tool.of_memory and action is Action.RECALL and Action.LOOKUP in tool.actions:
        return base + 2.5
    return base if len(named) >= 2 and not _keeps_memory(tool) else 0.0


def _lookup_score(
    clause: Clause, base: float, common: list[str], tool: ToolProfile, *, whole: bool
) -> float:
    """Return the score for a search: told outright it goes to any lookup, else to one that fits.

    `whole` says that the tool knows all words of the clause.
    """
    named = tool.name_words.intersection(common)
    if Action.HISTORY in tool.actions and stem("history") not in named:
        return 0.0
    if _keeps_memory(tool) or _changes_unasked(clause, named, tool):
        return 0.0
    if Action.LOOKUP not in tool.actions:
        return base if named or whole else 0.0
    if _OUTRIGHT.match(fold(clause.core)):
        return base + 2.5
    return base + 2.0 if common else 0.0


def _keeps_memory(tool: ToolProfile) -> bool:
    return tool.of_memory and bool(tool.actions & _KEEPING)


def _changes_unasked(clause: Clause, named: Set[str], tool: ToolProfile) -> bool:
    """Return whether a mere question would make the tool change something."""
    return clause.wondering and bool(tool.name_words & _CHANGING) and not named & _CHANGING
