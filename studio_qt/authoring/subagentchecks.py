"""What is wrong with a sub-agent's form, field by field, while it is filled in (STU-06)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from studio_qt.authoring.subagententries import stem_of
from studio_qt.authoring.subagentfacts import Choice, SubAgentFacts
from studio_qt.authoring.subagentform import Opened, SubAgentForm
from studio_qt.errors import Severity
from studio_qt.files.names import name_fault
from studio_qt.files.paths import UnsafePathError, safe_path, same_name
from studio_qt.jsontext import JsonValue
from studio_qt.package.ids import id_fault, tool_name_of
from studio_qt.package.manifest import tool_name_fault
from studio_qt.package.subagents.loading import SUFFIX

__all__ = ["FormProblem", "Mend", "check_form", "granted_names", "short_name", "sizes_of"]

Field = Literal[
    "name",
    "description",
    "body",
    "history",
    "context_files",
    "model",
    "max_tokens",
    "max_rounds",
    "temperature",
    "top_p",
    "debug",
    "shared",
    "private",
]

_MOST_TOKENS, _MOST_ROUNDS = 8192, 10
_LONGEST_DESCRIPTION = 24_000
"""Characters; a frontmatter of over 32 KB is not read."""

_SHORT = 30
"""Characters of a description that says too little to be chosen by."""

_NAME = re.compile(r"[\w.-]+")
_MACRO = re.compile(r"%%([A-Za-z][A-Za-z_]*)(:(?:(?!%%)[^\r\n])*)?%%")
_PLAIN_MACROS = ("CONTEXT", "CHARACTER_INSTRUCTIONS", "HISTORY")


@dataclass(frozen=True, slots=True)
class Mend:
    """What would set a field right: the words of the offer, and the form after it."""

    words: str
    form: SubAgentForm


@dataclass(frozen=True, slots=True)
class FormProblem:
    """A field that is wrong ("error": it cannot be saved so) or doubtful ("warning").

    `text` is the part of the body that is meant, "" for all of the field.
    """

    field: Field
    severity: Severity
    sentence: str
    mend: Mend | None = None
    text: str = ""


def check_form(form: SubAgentForm, facts: SubAgentFacts, opened: Opened) -> list[FormProblem]:
    """Return what is wrong with a form, the first fields first."""
    checks = (
        _name(form, facts, opened),
        _description(form),
        _history(form),
        _numbers(form),
        _macros(form, facts),
        _context(form, facts),
        _shared(form, facts),
        _private(form, facts, opened),
        _mended(opened, form),
    )
    return [problem for check in checks for problem in check]


def granted_names(form: SubAgentForm) -> list[tuple[str, str]]:
    """Return the agents that a form grants, private ones first: id, and its implementation."""
    names = [_private_names(entry) for entry in form.private]
    return [*names, *((agent_id, agent_id) for agent_id in form.shared)]


def short_name(agent_id: str) -> str:
    """Return how a body refers to a granted agent: "memory-store" for `studio.memory-store`."""
    return agent_id.rpartition(".")[2]


def sizes_of(form: SubAgentForm, facts: SubAgentFacts) -> int:
    """Return the estimate for the context files that a form names."""
    return sum(facts.tokens_of(name) or 0 for name in form.context_files)


# Who it is


def _name(form: SubAgentForm, facts: SubAgentFacts, opened: Opened) -> Iterator[FormProblem]:
    if not opened.is_new:
        yield from _tool(opened.agent_id, facts, "warning")
        return
    if sentence := _name_fault(form.name, facts):
        better = re.sub(r"[^\w.-]+", "-", form.name.strip()).strip("-.")
        mend = None
        if better != form.name and better and _name_fault(better, facts) is None:
            mend = Mend(f"Use {better}", replace(form, name=better))
        yield FormProblem("name", "error", sentence, mend)
    else:
        yield from _tool(form.name, facts, "error")


def _name_fault(name: str, facts: SubAgentFacts) -> str | None:
    if not name.strip():
        return "Give it a name."
    if name.startswith("studio."):
        return "Names that begin with studio. are kept for built-in agents."
    if fault := id_fault(name):
        return f"“{name}” {fault}."
    if not _NAME.fullmatch(name):
        return "Use letters, digits, dots, - and _ alone: the name becomes the agent's id."
    if any(same_name(stem_of(one)) == same_name(name) for one in facts.names if _is_prompt(one)):
        return f"There is a sub-agent “{name}” already."
    if fault := name_fault(name + SUFFIX, facts.names):
        return fault
    if any(same_name(one) == same_name(name) for one in facts.ids):
        return f"config.json has an agent “{name}” already."
    return None


def _is_prompt(name: str) -> bool:
    return name.lower().endswith(SUFFIX)


def _tool(agent_id: str, facts: SubAgentFacts, severity: Severity) -> Iterator[FormProblem]:
    tool = tool_name_of(agent_id)
    if fault := tool_name_fault(tool):
        yield FormProblem("name", fault[0], f"It makes the tool name “{tool}”: {fault[1]}.")
    elif tool in facts.tools:
        sentence = (
            f"The tool “{tool}” is {facts.tools[tool]}'s, and the first in config.json has it."
        )
        yield FormProblem("name", severity, sentence)


def _description(form: SubAgentForm) -> Iterator[FormProblem]:
    text = form.description.strip()
    if not text:
        sentence = "Say what it knows and when to call it: the narrator decides by this alone."
        yield FormProblem("description", "error", sentence)
    elif len(text) > _LONGEST_DESCRIPTION:
        sentence = f"Use at most {_LONGEST_DESCRIPTION:,} characters; put the rest into the prompt."
        yield FormProblem("description", "error", sentence)
    elif len(text) < _SHORT:
        sentence = "This is short. Say also when to call it, or it will never be called."
        yield FormProblem("description", "warning", sentence)


# How it acts


def _history(form: SubAgentForm) -> Iterator[FormProblem]:
    tier, _, count = form.history.partition(":")
    if tier == "recent" and (not count.isdecimal() or int(count) < 1):
        mend = Mend("Use 10", replace(form, history="recent:10"))
        yield FormProblem("history", "error", "At least one message has to be sent.", mend)


def _numbers(form: SubAgentForm) -> Iterator[FormProblem]:
    if not 1 <= form.max_tokens <= _MOST_TOKENS:
        bound = max(1, min(_MOST_TOKENS, form.max_tokens))
        why = "over" if form.max_tokens > bound else "under"
        end = "most" if form.max_tokens > bound else "least that"
        sentence = f"{form.max_tokens:,} is {why} {bound:,}, the {end} an answer may have."
        mend = Mend(f"Use {bound:,}", replace(form, max_tokens=bound))
        yield FormProblem("max_tokens", "error", sentence, mend)
    if form.has_grants and not 1 <= form.max_rounds <= _MOST_ROUNDS:
        bound = max(1, min(_MOST_ROUNDS, form.max_rounds))
        mend = Mend(f"Use {bound}", replace(form, max_rounds=bound))
        sentence = f"There can be 1 to {_MOST_ROUNDS} rounds."
        yield FormProblem("max_rounds", "error", sentence, mend)
    if form.temperature is not None and not 0 <= form.temperature <= 2:
        mend = Mend("Leave it out", replace(form, temperature=None))
        yield FormProblem("temperature", "error", "The temperature is 0 to 2.", mend)
    if form.top_p is not None and not 0 <= form.top_p <= 1:
        mend = Mend("Leave it out", replace(form, top_p=None))
        yield FormProblem("top_p", "error", "Top P is 0 to 1.", mend)


def _mended(opened: Opened, form: SubAgentForm) -> Iterator[FormProblem]:
    """Tell of values that could not be read, as long as the form shows what replaces them."""
    attributes: dict[str, Field] = {
        "contextFiles": "context_files",
        "maxTokens": "max_tokens",
        "maxRounds": "max_rounds",
        "topP": "top_p",
        "temperature": "temperature",
        "history": "history",
        "model": "model",
        "debug": "debug",
        "description": "description",
    }
    for name, reason in opened.mended:
        field = attributes[name]
        if getattr(form, field) == getattr(opened.form, field):
            sentence = f"In the file, {name} {reason}. Saving writes what is here."
            yield FormProblem(field, "warning", sentence)


# What it is given


def _macros(form: SubAgentForm, facts: SubAgentFacts) -> Iterator[FormProblem]:
    """Look at each macro once; a body without any text is doubtful too."""
    if not form.body.strip():
        sentence = "Write who it is and what it does; without a prompt it knows nothing of that."
        yield FormProblem("body", "warning", sentence)
    for text, name, rest in dict.fromkeys(
        (found[0], found[1], found[2]) for found in _MACRO.finditer(form.body)
    ):
        problem = _macro(form, facts, name, rest)
        if problem is not None:
            yield replace(problem, text=text)


def _macro(
    form: SubAgentForm, facts: SubAgentFacts, name: str, rest: str | None
) -> FormProblem | None:
    shown = f"%%{name}{rest or ''}%%"
    if name == "STORE" and rest is not None:
        return _store(form, facts, shown, rest[1:])
    if rest is not None or name not in _PLAIN_MACROS:
        sentence = f"{shown} is no macro and is sent as it stands."
        return FormProblem("body", "warning", sentence)
    if name == "HISTORY" and form.history == "none":
        mend = Mend("Show the last 10 messages", replace(form, history="recent:10"))
        sentence = "%%HISTORY%% stands for nothing, since it sees nothing of the conversation."
        return FormProblem("body", "warning", sentence, mend)
    if name == "CONTEXT" and not form.context_files:
        sentence = "%%CONTEXT%% stands for nothing, since no context file is chosen."
        return FormProblem("body", "warning", sentence)
    return None


def _store(
    form: SubAgentForm, facts: SubAgentFacts, shown: str, reference: str
) -> FormProblem | None:
    granted = granted_names(form)
    if any(_answers(reference, *names) for names in granted):
        return None
    if not granted:
        return FormProblem("body", "warning", f"{shown} names no grant: nothing is granted to it.")
    names = ", ".join(short_name(agent_id) for agent_id, _ in granted)
    mend = None
    if not form.private and (one := _giveable(reference, facts)) is not None:
        mend = Mend(f"Give {one}", replace(form, private=(one,)))
    sentence = f"{shown} names no grant. Granted: {names}."
    return FormProblem("body", "warning", sentence, mend)


def _giveable(reference: str, facts: SubAgentFacts) -> str | None:
    return next((one.id for one in facts.private if _answers(reference, one.id, one.id)), None)


def _answers(reference: str, agent_id: str, implementation: str) -> bool:
    """Whether a reference means a granted agent: by its id, the end of that, or its code."""
    return reference in (agent_id, implementation) or agent_id.endswith(f".{reference}")


def _context(form: SubAgentForm, facts: SubAgentFacts) -> Iterator[FormProblem]:
    for name in form.context_files:
        rest = tuple(one for one in form.context_files if one != name)
        mend = Mend("Leave it out", replace(form, context_files=rest))
        if fault := _path_fault(name):
            yield FormProblem("context_files", "error", f"{name}: {fault}", mend)
        elif not facts.has_context(name) and not facts.has_context(safe_path(name)):
            sentence = f"There is no {name} in the context folder."
            yield FormProblem("context_files", "warning", sentence, mend)
    total = sizes_of(form, facts)
    if total > facts.threshold:
        sentence = (
            f"About {total:,} tokens of files go with every call; the settings call that large "
            f"from {facts.threshold:,} on."
        )
        yield FormProblem("context_files", "warning", sentence)


def _path_fault(name: str) -> str | None:
    try:
        return None if safe_path(name) else "That is the whole folder; name a file in it."
    except UnsafePathError as error:
        return str(error)


def _shared(form: SubAgentForm, facts: SubAgentFacts) -> Iterator[FormProblem]:
    for agent_id in dict.fromkeys(form.shared):
        rest = tuple(one for one in form.shared if one != agent_id)
        mend = Mend("Take it out", replace(form, shared=rest))
        choice = facts.shared_choice(agent_id)
        if sentence := _shared_fault(agent_id, choice):
            yield FormProblem("shared", "error", sentence, mend)


def _shared_fault(agent_id: str, choice: Choice | None) -> str | None:
    if choice is None:
        return f"There is no agent “{agent_id}” in config.json that could be shared."
    if choice.is_sub_agent:
        return f"“{agent_id}” is a sub-agent, and none can be granted to another."
    if choice.fault:
        return f"“{agent_id}” does not load, so it cannot be shared."
    return None


def _private(form: SubAgentForm, facts: SubAgentFacts, opened: Opened) -> Iterator[FormProblem]:
    seen: set[str] = set()
    kept = opened.form.private
    for position, entry in enumerate(form.private):
        rest = (*form.private[:position], *form.private[position + 1 :])
        mend = Mend("Take it out", replace(form, private=rest))
        local, _ = _private_names(entry)
        if same_name(local) in seen:
            yield FormProblem("private", "error", f"“{local}” is given twice.", mend)
        elif fault := facts.private_choice(entry).fault:
            severity: Severity = "warning" if entry in kept else "error"
            yield FormProblem("private", severity, fault, mend)
        seen.add(same_name(local))


def _private_names(entry: JsonValue) -> tuple[str, str]:
    """Return the local id and the implementation of a private entry; "" where it has none."""
    if isinstance(entry, str):
        return entry, entry
    value = entry if isinstance(entry, dict) else {}
    local, implementation = value.get("id"), value.get("implementation")
    return (
        local if isinstance(local, str) else "",
        implementation if isinstance(implementation, str) else "",
    )
