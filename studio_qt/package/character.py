"""`CharacterPackage`: a loaded character, frozen, with everything that was wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from studio_qt.errors import Problem
from studio_qt.files.source import Source
from studio_qt.jsontext import JsonObject
from studio_qt.package.defaults import read_default_store
from studio_qt.package.model import AgentSpec, Language, SubAgentSpec, Texts
from studio_qt.package.registration import Registration
from studio_qt.package.resolver import Resolver
from studio_qt.package.subagents.reading import read_again
from studio_qt.package.texts import read_context_file, read_texts

__all__ = ["CharacterPackage"]


@dataclass(frozen=True, slots=True)
class CharacterPackage:
    """What `load_package` made of a folder or zip.

    Code, manifests and config are as they were when it was loaded; texts, context files and
    default stores are read anew at each call, so that unsaved edits and changed files count.

    `problems` holds every problem that was there at loading, those of the texts, the default
    stores and `registration` included. `unplayable` pairs agent ids with the reason why they
    cannot run here; a character with any is not played (LANG-01). `foreign_languages` are those
    of the code files that are no shipped built-ins (SUB-14). `hash` is a SHA-256 in hex over the
    sorted pairs of path and SHA-256 of the files that were read. `broken` are the ids of entries
    that are listed and could not be loaded.
    """

    source: Source
    config: JsonObject
    name: str
    version: str | None
    model: str | None
    resolver: Resolver
    agents: tuple[AgentSpec, ...]
    registration: Registration
    problems: tuple[Problem, ...]
    unplayable: tuple[tuple[str, str], ...]
    foreign_languages: frozenset[Language]
    hash: str
    broken: frozenset[str] = frozenset()

    def read_texts(self) -> Texts:
        """Read the character's texts and context files as they are now."""
        return read_texts(self.resolver)

    def read_context_file(self, name: str) -> str | None:
        """Return a file's text, by its path relative to the context folder (BR-05).

        None when it is absent or the name leads out; dot-files and subfolders are readable.
        Bytes that are not UTF-8 become U+FFFD.
        """
        return read_context_file(self.resolver, name)

    def default_store(self, agent_id: str) -> str | None:
        """Return the JSON text of the agent's first state (PKG-09), None when there is none.

        What is not a JSON object counts as none; loading reports it as a problem.
        """
        return read_default_store(self.source, agent_id)[0]

    def read_sub_agent(self, agent: AgentSpec) -> tuple[SubAgentSpec, tuple[Problem, ...]]:
        """Read a sub-agent's prompt file as it is now, an open editor's text first (SUB-10).

        Overrides and grants stay. Where the file became unusable, the sub-agent that `agent`
        holds is returned, with an error that says why. Raises ValueError for another agent.
        """
        return read_again(self.source, agent)
