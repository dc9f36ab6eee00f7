"""Which tool a user's words ask for, and with which arguments.

Each clause that asks for something is compared with every tool: words of the tool's name count
most, then options, parameters and description; a word that many tools share counts less. What
kind of act is asked for (store, recall, forget, search the conversation, look up) decides between
tools about the same matter. Nothing is called below a threshold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from studio_qt.jsontext import JsonObject
from studio_qt.providers.rehearsal.filling import fill_arguments
from studio_qt.providers.rehearsal.phrases import (
    Action,
    Clause,
    clauses,
    matter_of,
    quoted,
    tidied,
    topic_of,
    trimmed,
)
from studio_qt.providers.rehearsal.scoring import ToolProfile, asked_words, profile, score
from studio_qt.providers.rehearsal.wish import Wish
from studio_qt.providers.rehearsal.words import content_stems, fold, stems, word_set

__all__ = ["Choice", "choose"]

_THRESHOLD = 2.5
_MOST_TOOLS = 128
_MOST_CALLS = 2
_SCANNED = 65_536
_KEYED = re.compile(r"^[-*] (?P<key>[\w.-]{1,80}): .{1,400}", re.MULTILINE)
_TOLD = re.compile(r"\w+ (?:[^:\n]{0,40}?)(?:\bthat\s+|:\s+)(\S.*)", re.DOTALL)
_NOTHING = word_set("it that this them these those him her me us you one something again so")


@dataclass(frozen=True, slots=True)
class Choice:
    """A tool to call, with arguments that fit."""

    name: str
    arguments: JsonObject


def choose(text: str, tools: Sequence[JsonObject], background: Sequence[str] = ()) -> list[Choice]:
    """Return the calls that `text` asks for, in its order: none, one, or two different ones.

    `background` tells under which key something to be forgotten was stored.
    """
    text = tidied(text)
    profiles = [known for tool in tools[:_MOST_TOOLS] if (known := profile(tool)) is not None]
    spoken = clauses(text) if profiles else []
    shared = Counter(word for one in profiles for word in one.weights)
    chosen: list[tuple[int, Choice]] = []
    for at, clause in enumerate(spoken):
        best = _best(clause, profiles, shared)
        if best is None or any(best.name == choice.name for _, choice in chosen):
            continue
        wish = _wish(text, spoken, at, best, alone=not _others_ask(spoken, at, profiles, shared))
        if wish is not None and clause.action is Action.FORGET:
            wish.key = _stored_key(wish.topic, background)
        arguments = fill_arguments(best.parameters, wish) if wish else _bare(clause, best)
        if arguments is not None:
            chosen.append((at, Choice(best.name, arguments)))
        if len(chosen) == _MOST_CALLS:
            break
    return [choice for _, choice in chosen]


def _stored_key(topic: str, background: Sequence[str]) -> str:
    """Return the key of the listed line `- key: text` that shares most words with the topic."""
    wanted = set(content_stems(topic))
    best = (0, "")
    for block in background:
        for line in islice(_KEYED.finditer(block, 0, _SCANNED), 500):
            of_key = wanted.intersection(stems(line["key"].replace("_", " ")))
            shared = len(of_key) + len(wanted.intersection(stems(line.group())))
            best = max(best, (shared, line["key"]), key=lambda pair: pair[0])
    return best[1]


def _bare(clause: Clause, tool: ToolProfile) -> JsonObject | None:
    """Return no arguments for a question about nothing in particular, where none are needed."""
    asks = clause.action in (Action.RECALL, Action.HISTORY) and isinstance(tool.parameters, dict)
    return fill_arguments(tool.parameters, Wish("", "", "")) if asks and not _needs(tool) else None


def _needs(tool: ToolProfile) -> bool:
    return isinstance(tool.parameters, dict) and bool(tool.parameters.get("required"))


def _best(
    clause: Clause, profiles: Iterable[ToolProfile], shared: Counter[str]
) -> ToolProfile | None:
    if not clause.asks:
        return None
    words = asked_words(clause)
    scored = [(score(clause, words, one, shared), one) for one in profiles]
    best = max(scored, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] >= _THRESHOLD else None


def _others_ask(
    spoken: list[Clause], at: int, profiles: list[ToolProfile], shared: Counter[str]
) -> bool:
    """Return whether another clause of the same sentence asks for a tool as well."""
    here = spoken[at].sentence
    others = (one for number, one in enumerate(spoken) if one.sentence == here and number != at)
    return any(_best(one, profiles, shared) is not None for one in others)


def _wish(
    text: str, spoken: list[Clause], at: int, tool: ToolProfile, *, alone: bool
) -> Wish | None:
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
    return Wish(
        said,
        matter=matter or core,
        topic=topic_of(matter or core),
        action=clause.action,
        quotes=quoted(said),
        known=frozenset(tool.weights),
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
    """Return what follows the verb of a request: all after an early `that` or a colon, if any."""
    if told := _TOLD.match(core):
        return told[1]
    first, _, rest = core.partition(" ")
    return rest.strip() if rest and (first.islower() or first.istitle()) else core
