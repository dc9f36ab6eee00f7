"""Which tool a user's words ask for, and with which arguments.

Each clause that asks for something is compared with every tool: words of the tool's name count
most, then options, parameters and description; a word that many tools share counts less. What
kind of act is asked for (store, recall, forget, search the conversation, look up) decides between
tools about the same matter. Nothing is called below a threshold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.rehearsal.filling import Wish, fill_arguments
from studio_qt.providers.rehearsal.numbers import read_dice
from studio_qt.providers.rehearsal.phrases import (
    Action,
    Clause,
    actions_of_words,
    clauses,
    matter_of,
    quoted,
    topic_of,
    trimmed,
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
    word_set,
)

__all__ = ["Choice", "ToolProfile", "choose", "profile"]

_THRESHOLD = 2.5
_MOST_TOOLS = 128
_MOST_CALLS = 2
_DESCRIPTION = 600
_PLAIN_NAME_WORDS = word_set("tool get agent studio do run my the a of for to and")
_CHANGING = stem_set(
    "roll set add make create give take move open close start stop update send attack write "
    "put remove use play draw change generate spawn equip travel schedule buy sell"
)
_MEMORY = stem_set("memory remember fact facts note notes")
_NOTATION = re.compile(r"\d*d\d+")
_KEEPING = frozenset((Action.STORE, Action.RECALL, Action.FORGET))
_NOTHING = word_set("it that this them these those him her me us you one something again so")


@dataclass(frozen=True, slots=True)
class Choice:
    """A tool to call, with arguments that fit."""

    name: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class ToolProfile:
    """A tool, cut down to what can be compared.

    `weights` maps stems to what they count; `actions` is what the tool does where its words tell.
    """

    name: str
    parameters: JsonValue
    name_words: frozenset[str]
    weights: dict[str, float]
    actions: frozenset[Action]
    keeps_memory: bool


def choose(text: str, tools: Sequence[JsonObject]) -> list[Choice]:
    """Return the calls that `text` asks for, in its order: none, one, or two different ones."""
    profiles = [known for tool in tools[:_MOST_TOOLS] if (known := profile(tool)) is not None]
    spoken = clauses(text) if profiles else []
    shared = Counter(word for one in profiles for word in one.weights)
    chosen: list[tuple[int, Choice]] = []
    for at, clause in enumerate(spoken):
        best = _best(clause, profiles, shared)
        if best is None or any(best.name == choice.name for _, choice in chosen):
            continue
        wish = _wish(text, spoken, at, alone=not _others_ask(spoken, at, profiles, shared))
        arguments = fill_arguments(best.parameters, wish) if wish else None
        if arguments is not None:
            chosen.append((at, Choice(best.name, arguments)))
        if len(chosen) == _MOST_CALLS:
            break
    return [choice for _, choice in chosen]


def profile(tool: JsonObject) -> ToolProfile | None:
    """Return the profile of a tool in the OpenAI function form; None where it has no name."""
    function = tool.get("function")
    if not isinstance(function, dict) or not isinstance(name := function.get("name"), str):
        return None
    told = function.get("description")
    description = told[:_DESCRIPTION] if isinstance(told, str) else ""
    parameters = function.get("parameters")
    parts = split_name(name)
    name_words = frozenset(stem(part) for part in parts if part not in _PLAIN_NAME_WORDS)
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
    if found := actions_of_words(parts):
        return found
    known = parameters.get("properties") if isinstance(parameters, dict) else None
    options: list[str] = []
    for part in known.values() if isinstance(known, dict) else ():
        listed = part.get("enum") if isinstance(part, dict) else None
        options += [fold(str(option)) for option in listed[:40]] if isinstance(listed, list) else []
    if found := actions_of_words(options):
        return found
    first = next(sentences(description), "")
    return actions_of_words(fold(first).replace("look up", "lookup").split()[:10])


def _best(
    clause: Clause, profiles: Iterable[ToolProfile], shared: Counter[str]
) -> ToolProfile | None:
    if not clause.asks:
        return None
    words = _asked_words(clause)
    scored = [(_score(clause, words, one, shared), one) for one in profiles]
    best = max(scored, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] >= _THRESHOLD else None


def _asked_words(clause: Clause) -> list[str]:
    plain = without_quotes(clause.core)
    words = [word for word in content_stems(plain) if word not in GREETINGS]
    words = [word for word in words if not _NOTATION.fullmatch(word)]
    if read_dice(plain) is not None and stem("dice") not in words:
        words.append(stem("dice"))
    return words


def _score(clause: Clause, words: list[str], tool: ToolProfile, shared: Counter[str]) -> float:
    """Return how clearly the clause asks for the tool; 0 where it asks for another kind of act."""
    common = [word for word in words if word in tool.weights]
    score = sum(tool.weights[word] * (1.0 if shared[word] == 1 else 0.7) for word in common[:6])
    named = [word for word in common if word in tool.name_words]
    if named and all(word in tool.weights for word in words):
        score += 1.0
    if clause.action in _KEEPING:
        return _keeping_score(clause, score, named, tool)
    if tool.keeps_memory and tool.actions & _KEEPING and not named:
        return 0.0
    if clause.action is Action.HISTORY:
        return score + 3.0 if Action.HISTORY in tool.actions else score
    if clause.action is Action.LOOKUP:
        return _lookup_score(clause, score, named, tool)
    if clause.wondering and tool.name_words & _CHANGING and not set(named) & _CHANGING:
        return 0.0
    return score if named or len(common) >= 2 else 0.0


def _keeping_score(clause: Clause, score: float, named: list[str], tool: ToolProfile) -> float:
    memory = tool.keeps_memory
    if clause.action in tool.actions and memory:
        return score + 3.0
    if memory and clause.action is Action.RECALL and Action.LOOKUP in tool.actions:
        return score + 2.5
    if tool.actions & _KEEPING or memory:
        return 0.0
    return score if len(named) >= 2 or clause.action in tool.actions else 0.0


def _lookup_score(clause: Clause, score: float, named: list[str], tool: ToolProfile) -> float:
    """Return the score for a search: told outright it goes to any lookup, else to one that fits."""
    if Action.HISTORY in tool.actions and stem("history") not in named:
        return 0.0
    if tool.keeps_memory and tool.actions & _KEEPING:
        return 0.0
    if Action.LOOKUP in tool.actions:
        outright = fold(clause.core).startswith(
            ("look", "search", "find", "check", "consult", "query")
        )
        return score + (3.0 if outright else 2.0)
    if clause.wondering and tool.name_words & _CHANGING and not set(named) & _CHANGING:
        return 0.0
    return score if named else 0.0


def _others_ask(
    spoken: list[Clause], at: int, profiles: list[ToolProfile], shared: Counter[str]
) -> bool:
    """Return whether another clause of the same sentence asks for a tool as well."""
    here = spoken[at].sentence
    others = (one for number, one in enumerate(spoken) if one.sentence == here and number != at)
    return any(_best(one, profiles, shared) is not None for one in others)


def _wish(text: str, spoken: list[Clause], at: int, *, alone: bool) -> Wish | None:
    """Return what there is to fill in, None where the clause is about nothing at all."""
    clause = spoken[at]
    core = _whole_core(text, spoken, at) if alone else clause.core
    said = core if alone else clause.text
    matter = matter_of(core, clause.action)
    if fold(matter) in _NOTHING and clause.action is Action.STORE and at > 0:
        matter = trimmed(spoken[at - 1].text)
    elif clause.action is Action.NONE:
        matter = _behind_verb(core)
    elif not matter or fold(matter) in _nothing_for(clause.action):
        return None
    return Wish.of(
        said,
        matter=matter or core,
        topic=topic_of(matter or core),
        action=clause.action,
        quotes=quoted(said),
    )


def _nothing_for(action: Action) -> frozenset[str]:
    """Return the words that are no matter: "forget it", but "what do you know about me?"."""
    return _NOTHING - {"me", "us"} if action is Action.RECALL else _NOTHING


def _whole_core(text: str, spoken: list[Clause], at: int) -> str:
    """Return the clause's core with the rest of its sentence, which belongs to it."""
    clause = spoken[at]
    start = text.find(clause.core)
    last = [one for one in spoken if one.sentence == clause.sentence][-1]
    end = text.find(last.core, max(start, 0))
    if start < 0 or end < start or last is clause:
        return clause.core
    return trimmed(text[start : end + len(last.core)])


def _behind_verb(core: str) -> str:
    """Return `core` without its first word where that is the verb of a request."""
    first, _, rest = core.partition(" ")
    return rest.strip() if rest and (first.islower() or first.istitle()) else core
