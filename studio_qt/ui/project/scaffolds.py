"""New files that are valid from the first moment: their text, and the entry of config.json."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from studio_qt.files.names import name_fault
from studio_qt.files.paths import same_name

__all__ = ["SCAFFOLDS", "Scaffold"]

_AGENT_NAME = re.compile(r"[\w.-]+")
_CODE = (".js", ".ts", ".py", ".lua")


class Scaffold(NamedTuple):
    """A kind of new file.

    `group` is where it stands in the tree, `ending` what its name ends in whatever was typed,
    `proposed` the stem that is offered. `source` is its file in `resources/scaffolds/`, "" for an
    empty file; a folder has the kind "folder".
    """

    kind: str
    words: str
    group: str
    ending: str = ""
    proposed: str = "new-file"
    source: str = ""

    @property
    def is_agent(self) -> bool:
        """Whether it is code that config.json lists by its bare name."""
        return self.ending in _CODE

    @property
    def is_listed(self) -> bool:
        """Whether config.json has to list it."""
        return self.is_agent or self.kind == "subagent"

    def file_name(self, typed: str) -> str:
        """Return the name of the file for what was typed: the ending is added where it lacks."""
        name = typed.strip()
        if not self.ending or name.lower().endswith(self.ending):
            return name
        if self.kind == "text" and "." in name.lstrip("."):
            return name
        return name + self.ending

    def fault(self, typed: str, taken: Sequence[str]) -> str | None:
        """Return what is wrong with a name, as a sentence, or None."""
        if not typed.strip():
            return "Give it a name."
        name = self.file_name(typed)
        if fault := name_fault(name, taken):
            return fault
        return self._id_fault(name[: -len(self.ending)], taken) if self.is_listed else None

    def text(self, name: str) -> str:
        """Return the content of the new file `name`."""
        if not self.source:
            return ""
        from studio_qt.authoring.scaffolding import scaffold_text  # the start needs none

        stem = name[: -len(self.ending)] if self.ending else name
        return scaffold_text(self.source, stem)

    def entry(self, name: str) -> str:
        """Return what config.json lists for the file `name`."""
        return name[: -len(self.ending)] if self.is_agent else name

    def _id_fault(self, stem: str, taken: Sequence[str]) -> str | None:
        from studio_qt.package.ids import id_fault

        if fault := id_fault(stem):
            return f"“{stem}” {fault}."
        if not _AGENT_NAME.fullmatch(stem):
            return "Use letters, digits, dots, - and _ alone: the name becomes the agent's id."
        if stem.startswith("studio."):
            return "Names that begin with studio. are kept for built-in agents."
        if not self.is_agent:
            return None
        for other in taken:
            base, _, ending = other.rpartition(".")
            if f".{ending.lower()}" in _CODE and same_name(base) == same_name(stem):
                return f"“{other}” is an agent of this name already."
        return None


def _agent(kind: str, words: str, ending: str) -> Scaffold:
    return Scaffold(kind, words, "group:agents", ending, "my.new-agent", f"agent{ending}")


SCAFFOLDS: Mapping[str, Scaffold] = {
    "newFile": Scaffold("text", "New file", "", ".txt"),
    "newFolder": Scaffold("folder", "New folder", "", proposed="new-folder"),
    "newContextFile": Scaffold(
        "text", "New context file", "group:context", ".txt", "new-place", "context.txt"
    ),
    "newSubAgent": Scaffold(
        "subagent",
        "New sub-agent file",
        "group:subagents",
        ".subagent.md",
        "new-sub-agent",
        "sub-agent.subagent.md",
    ),
    "newAgentJavascript": _agent("javascript", "New agent in JavaScript", ".js"),
    "newAgentTypescript": _agent("typescript", "New agent in TypeScript", ".ts"),
    "newAgentPython": _agent("python", "New agent in Python", ".py"),
    "newAgentLua": _agent("lua", "New agent in Lua", ".lua"),
}
"""The kinds of new files, by the names of the actions that make them."""
