"""Checking a sub-agent's file that a model wrote, and mending what loses nothing (STU-09)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from studio_qt.authoring.inventory import Inventory
from studio_qt.jsontext import JsonValue
from studio_qt.package.model import SubAgentMeta
from studio_qt.package.subagents import PromptFile, effective_meta, read_prompt, write_frontmatter
from studio_qt.package.subagents.prompt import GRANTS, KNOWN
from studio_qt.package.subagents.scalars import list_items

__all__ = ["Checked", "check_prompt", "macros_of"]

_MACRO = re.compile(r"%%[^%\s][^%\r\n]*%%")
_PLAIN = frozenset({"%%CONTEXT%%", "%%HISTORY%%", "%%CHARACTER_INSTRUCTIONS%%"})
_STORE = re.compile(r"%%STORE:[\w.-]+%%")
_LONGEST_BODY = 24_000
_LONGEST_DESCRIPTION = 2_000
_MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Checked:
    """A file as it would be kept, with what the model has to mend and what its author should know.

    `faults` are grave; `doubts` can be mended without the model by taking something out, which
    `settled` does, and says in `notes`.
    """

    meta: SubAgentMeta | None = None
    body: str = ""
    faults: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    invented: tuple[str, ...] = field(default=(), repr=False)

    @property
    def problems(self) -> list[str]:
        """Everything to tell the model."""
        return [*self.faults, *self.doubts]

    @property
    def text(self) -> str:
        """The whole file; only fields that differ from their defaults are in it."""
        assert self.meta is not None
        fields: dict[str, JsonValue] = {**self.meta.as_json()}
        del fields["id"]
        return write_frontmatter(fields) + self.body.strip("\n") + "\n"

    def settled(self) -> Checked:
        """Return it without what it cannot have."""
        body, notes = self.body, list(self.notes)
        for macro in dict.fromkeys(_MACRO.findall(body)):
            if not _is_known(macro):
                body = _without(body, macro)
                notes.append(f"{macro} was taken out of the prompt: there is no such macro.")
        if self.invented:
            names = _some(self.invented)
            notes.append(f"Taken out, since the context folder does not have it: {names}.")
        if self.meta is not None and not self.meta.context_files:
            body = _without(body, "%%CONTEXT%%")
        if self.meta is not None and self.meta.history == "none":
            body = _without(body, "%%HISTORY%%")
        body = body.strip("\n")
        faults = self.faults if body.strip() else (*self.faults, _EMPTY)
        return replace(self, body=body, doubts=(), faults=faults, notes=tuple(notes))


_EMPTY = "There is no prompt below the second line ---; write it there."


def macros_of(text: str) -> list[str]:
    """Return the macros of a text in their order, spelled as they are."""
    return _MACRO.findall(text)


def check_prompt(text: str, name: str, inventory: Inventory) -> Checked:
    """Check a whole file by the package's own readers; what they clamp or default is mended."""
    prompt = read_prompt(text)
    if not prompt.head:
        said = "; ".join(note.message for note in prompt.notes)
        return Checked(faults=(f"The file {said}",))
    meta, problems = effective_meta(name, _known_only(prompt), f"{name}.subagent.md")
    faults = [one.message for one in problems if one.severity == "error"]
    notes = [*_wished_grants(prompt)]
    doubts = [
        f'"{field}" is no field of a sub-agent; leave it out.'
        for field in prompt.fields
        if field not in KNOWN and field not in GRANTS
    ]
    body = prompt.prompt.strip("\n")
    if not body.strip():
        faults.append(_EMPTY)
    elif len(body) > _LONGEST_BODY:
        faults.append(f"The prompt has {len(body):,} characters; write at most 2,000.")
    if meta is not None and len(meta.description) > _LONGEST_DESCRIPTION:
        count = len(meta.description)
        faults.append(f"The description has {count:,} characters; write at most 600.")
    if meta is None:
        return Checked(None, body, tuple(faults), tuple(doubts), tuple(notes))
    known, invented = _context(meta.context_files, inventory)
    if invented:
        there = ", ".join(inventory.context_files[:40]) or "none; leave contextFiles out"
        doubts.append(f"There is no context file {_some(invented)}. There are: {there}.")
    meta = replace(meta, id=name, context_files=known)
    doubts += _macro_doubts(body, meta)
    notes += _store_notes(body)
    return Checked(meta, body, tuple(faults), tuple(doubts), tuple(notes), invented)


def _some(names: Sequence[str]) -> str:
    """Return names for a sentence, the first of many."""
    shown = ", ".join(name[:80] for name in names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown


def _known_only(prompt: PromptFile) -> PromptFile:
    """Leave out what is told in other words, and the id, which is the file's name."""
    fields = {name: found for name, found in prompt.fields.items() if name in KNOWN[1:]}
    return replace(prompt, fields=fields)


def _context(names: Sequence[str], inventory: Inventory) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files that are meant, and the names that mean none."""
    found = {name: inventory.context_file(name) for name in names}
    known = dict.fromkeys(file for file in found.values() if file is not None)
    return tuple(known), tuple(name for name, file in found.items() if file is None)


def _macro_doubts(body: str, meta: SubAgentMeta) -> list[str]:
    used = dict.fromkeys(macros_of(body))
    doubts = [f"There is no macro {macro}; leave it out." for macro in used if not _is_known(macro)]
    if "%%CONTEXT%%" in used and not meta.context_files:
        doubts.append("%%CONTEXT%% stands in the prompt without contextFiles; leave it out.")
    if "%%HISTORY%%" in used and meta.history == "none":
        doubts.append("%%HISTORY%% stands in the prompt with history none; leave it out.")
    return doubts


def _is_known(macro: str) -> bool:
    return macro in _PLAIN or _STORE.fullmatch(macro) is not None


def _wished_grants(prompt: PromptFile) -> list[str]:
    notes = []
    for name in GRANTS:
        if name in prompt.fields:
            wished = ", ".join(list_items(prompt.fields[name].lines)) or "some"
            kind = name.partition("-")[0]
            notes.append(
                f"It asks for {kind} agents: {wished}. Give them in the builder, if you agree."
            )
    return notes


def _store_notes(body: str) -> list[str]:
    refs = dict.fromkeys(_STORE.findall(body))
    return [
        f"The prompt reads {macro}: give it an agent {macro[len('%%STORE:') : -2]} as a grant."
        for macro in refs
    ]


def _without(body: str, macro: str) -> str:
    """Take a macro out, with its line where that holds nothing else."""
    alone = re.compile(rf"^[ \t]*{re.escape(macro)}[ \t]*\n?", re.MULTILINE)
    return alone.sub("", body).replace(macro, "")
