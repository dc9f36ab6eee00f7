"""Ways to mend a problem: for each kind of `Fault`, what would set it right.

The names of each kind, in their order:

==================== ================================================================
field-unknown        the field, the one that is meant
field-value          the field, values that would do
field-grants         the field; `place` is the entry
description-missing  –
frontmatter-missing  –
frontmatter-open     –
context-file-missing the name; `place` is the entry that gives the list, () the file
prompt-missing       the name; `place` is the entry
agent-missing        the implementation; `place` is the entry
agent-twice          the id; `place` is the second entry
agent-name           what the manifest says, what config.json says
manifest-missing     –
agent-tag-missing    –
grant-unknown        the id; `place` is the item of the list
grant-refused        the id; `place` is the item of the list
tag-unknown          the tag, the one that is meant
api-unknown          the namespace
hook-unknown         the event
lib-unused           the libraries
lib-missing          the library
lib-module           the library, the agent's file that names it
tool-name            the tool
mapping-unknown      the key
mapping-missing      the key, the path
text-missing         the path
handler-missing      the function, as JavaScript calls it
config-broken        –
==================== ================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from studio_qt.authoring.completing.facts import ProjectFacts
from studio_qt.authoring.enabling import enabled_config, entry_name
from studio_qt.authoring.mending import config, manifests, prompts, punctuation, texts
from studio_qt.authoring.mending.bench import Bench, Mend, Reader
from studio_qt.errors import Fault, Problem
from studio_qt.package.config import CONFIG_FILE

__all__ = ["KINDS", "Mend", "Reader", "file_mends", "mends"]

_Way = Callable[[Bench, Problem, Fault], Iterable[Mend | None]]

_WAYS: Mapping[str, _Way] = {
    **config.WAYS,
    **manifests.WAYS,
    **prompts.WAYS,
    **punctuation.WAYS,
    **texts.WAYS,
}

KINDS = frozenset(_WAYS)
"""The kinds of faults that can be mended."""


def file_mends(path: str, read: Reader) -> list[Mend]:
    """Return what can be done for a file as a whole: an agent that no entry lists is listed."""
    if entry_name(path) is None:
        return []
    bench = Bench(read, ProjectFacts())
    listed = bench.mend(
        f"List {entry_name(path)} in config.json",
        (CONFIG_FILE, lambda text: enabled_config(text, path)),
    )
    return [listed] if listed is not None else []


def mends(problem: Problem, read: Reader, facts: ProjectFacts) -> list[Mend]:
    """Return ways to mend a problem, the best first; none where none is known.

    `read` gives the text of a file of the project as it is now, None where there is none. Where a
    text has changed so that a way does not fit any more, that way is left out.
    """
    fault = problem.fault
    if fault is None or (way := _WAYS.get(fault.kind)) is None:
        return []
    bench = Bench(read, facts)
    found = [mend for mend in way(bench, problem, fault) if mend is not None]
    return list({mend.title: mend for mend in reversed(found)}.values())[::-1]
