"""The entries of config.json that make instances of a prompt file, read and written (SUB-03).

A bare file name is enough for an instance that its frontmatter describes. One that is wired to
other agents, overrides a field or has an id of its own is an object (the graduation rule).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.package.ids import tool_name_of
from studio_qt.package.subagents.fields import FIELDS
from studio_qt.package.subagents.loading import SUB_AGENT, SUFFIX
from studio_qt.package.subagents.prompt import GRANTS, PromptFile
from studio_qt.package.subagents.scalars import scalar_text

__all__ = [
    "FOLDER",
    "PRIVATE",
    "SHARED",
    "Instance",
    "entry_for",
    "instances_of",
    "listed_in",
    "own_id",
    "private_of",
    "shared_of",
    "stem_of",
]

FOLDER = "agents/"
SHARED, PRIVATE = GRANTS
_WIRING = ("id", "implementation", "promptFile")


@dataclass(frozen=True, slots=True)
class Instance:
    """An entry of `agents`: its place in the list, the id of what it makes, and the entry itself.

    `fields` are the frontmatter fields that it overrides.
    """

    index: int
    agent_id: str
    entry: JsonValue

    @property
    def fields(self) -> frozenset[str]:
        """The overridden fields; null overrides nothing."""
        entry = self.entry if isinstance(self.entry, dict) else {}
        return frozenset(name for name in FIELDS if entry.get(name) is not None)

    @property
    def tool(self) -> str:
        """The name of the tool that the narrator's model is offered."""
        return tool_name_of(self.agent_id)


def stem_of(path: str) -> str:
    """Return what a prompt file is called: "marcus" for `agents/marcus.subagent.md`."""
    return path.rpartition("/")[2].removesuffix(SUFFIX)


def own_id(path: str, prompt: PromptFile) -> str:
    """Return the id that a prompt file gives itself: its field `id`, else its stem (SUB-02)."""
    found = prompt.fields.get("id")
    given = scalar_text(found.lines).strip() if found is not None else ""
    return given or stem_of(path)


def listed_in(config: JsonObject) -> list[JsonValue]:
    """Return the entries of `agents`; raises ValueError where that is no list."""
    listed = config.get("agents")
    if listed is None:
        return []
    if not isinstance(listed, list):
        raise ValueError('"agents" must be a list')
    return listed


def instances_of(listed: Sequence[JsonValue], path: str, prompt: PromptFile) -> list[Instance]:
    """Return the entries that make an instance of a prompt file, in their order."""
    name = path.removeprefix(FOLDER)
    found = []
    for index, entry in enumerate(listed):
        if entry == name:
            found.append(Instance(index, own_id(path, prompt), entry))
        elif isinstance(entry, dict) and entry.get("implementation") == SUB_AGENT:
            agent_id = entry.get("id")
            if entry.get("promptFile") == name and isinstance(agent_id, str):
                found.append(Instance(index, agent_id, entry))
    return found


def shared_of(entry: JsonValue) -> tuple[str, ...]:
    """Return the ids that an entry grants; what is no text is left out."""
    items = entry.get(SHARED) if isinstance(entry, dict) else None
    return tuple(one for one in items if isinstance(one, str)) if isinstance(items, list) else ()


def private_of(entry: JsonValue) -> tuple[JsonValue, ...]:
    """Return the private agents that an entry declares, as they are written there."""
    items = entry.get(PRIVATE) if isinstance(entry, dict) else None
    return tuple(items) if isinstance(items, list) else ()


def entry_for(
    path: str,
    natural_id: str,
    old: JsonValue,
    changes: Mapping[str, JsonValue],
    *,
    agent_id: str,
) -> JsonValue:
    """Return the entry of an instance: a bare file name where that says it all, else an object.

    `old` is the entry so far, None for none; all that it holds is kept. `changes` are the keys
    that get another value, those with None are taken out. `natural_id` is the id that the prompt
    file gives itself.
    """
    name = path.removeprefix(FOLDER)
    entry: JsonObject = dict(old) if isinstance(old, dict) else {}
    for key, value in {"id": agent_id, "implementation": SUB_AGENT, "promptFile": name}.items():
        entry.setdefault(key, value)
    for key, change in changes.items():
        if change is None:
            entry.pop(key, None)
        else:
            entry[key] = change
    carries = any(_says(key, value) for key, value in entry.items() if key not in _WIRING)
    is_plain = entry["id"] == natural_id and name.endswith(SUFFIX)
    return name if is_plain and not carries else entry


def _says(key: str, value: JsonValue) -> bool:
    """Whether a key of an entry says anything; an unknown one does in any case."""
    if key in GRANTS:
        return value is not None and value != []
    return key not in FIELDS or value is not None
