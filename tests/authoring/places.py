"""A text with a bar where the cursor is, and what is offered there."""

from __future__ import annotations

from studio_qt.authoring.completing import Completion, Hover, ProjectFacts, complete, hover
from studio_qt.authoring.completing.facts import AgentFacts, FileFacts

__all__ = ["FACTS", "labels", "offered", "taken", "told"]

MEMORY = AgentFacts("studio.memory-store", "studio:agents/studio.memory-store.js", "Remembers.",
                    ("store_memory", "recall_memory"))  # fmt: skip
SUB = AgentFacts("studio.sub-agent", "studio:agents/studio.sub-agent.js", "Runs prompts.")
MAPS = AgentFacts("keeper.maps", "agents/keeper.maps.ts", "Knows the coast.", ("show_map",))
PRIVATE = AgentFacts("marcus.studio.memory-store", "", "Remembers.", short="studio.memory-store")
MARCUS = AgentFacts(
    "marcus", "agents/marcus.subagent.md", "Ask the pilot.", ("marcus",), True,
    granted=(PRIVATE, MAPS),
)  # fmt: skip
FACTS = ProjectFacts(
    agents=(MEMORY, MAPS, MARCUS),
    implementations=(MEMORY, SUB, MAPS),
    prompts=("marcus.subagent.md", "namer.subagent.md"),
    context_files=(
        FileFacts(".tides.json", 4200),
        FileFacts("graypoint.txt", 900),
        FileFacts("the lamp, room.txt", 12),
    ),
    libraries={"dice": "agents/lib/dice.js", "weighted-choice": "studio:agents/lib/x.js"},
    files=("config.json", "instructions.txt", "texts/intro.txt", "agents/keeper.maps.ts"),
)
"""A project with one of each."""


def offered(path: str, marked: str, facts: ProjectFacts = FACTS, **how: bool) -> list[Completion]:
    """Return what is offered at the bar."""
    before, after = marked.split("|", 1)
    return complete(path, before + after, len(before), facts, **how)


def labels(path: str, marked: str, facts: ProjectFacts = FACTS, **how: bool) -> list[str]:
    """Return the names of what is offered at the bar."""
    return [item.label for item in offered(path, marked, facts, **how)]


def taken(path: str, marked: str, label: str, facts: ProjectFacts = FACTS) -> str:
    """Return the text, with a bar for the cursor, after an offer was taken."""
    text = marked.replace("|", "", 1)
    item = next(one for one in offered(path, marked, facts) if one.label == label)
    at = len(item.insert) - item.back
    whole = text[: item.start] + item.insert[:at] + "|" + item.insert[at:] + text[item.end :]
    for edit in sorted(item.also, key=lambda one: -one.at):
        whole = whole[: edit.at] + edit.text + whole[edit.at :]
    return whole


def told(path: str, marked: str, facts: ProjectFacts = FACTS, **how: bool) -> Hover | None:
    """Return what is told about the word at the bar."""
    before, after = marked.split("|", 1)
    return hover(path, before + after, len(before), facts, **how)
