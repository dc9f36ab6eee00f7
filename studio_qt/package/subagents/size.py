"""How much a sub-agent sends with every call (SUB-11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from studio_qt.package.model import SubAgentSpec, Texts

__all__ = ["PromptSize", "prompt_size"]

_CHARACTERS_PER_TOKEN = 4
_INSTRUCTIONS = "%%CHARACTER_INSTRUCTIONS%%"


class Reader(Protocol):
    """A character whose texts can be read; every `CharacterPackage` is one."""

    def read_texts(self) -> Texts:
        """Read the character's texts."""
        ...

    def read_context_file(self, name: str) -> str | None:
        """Read a file of the context folder."""
        ...


@dataclass(frozen=True, slots=True)
class PromptSize:
    """The size of a prompt before history, stores and the request; `tokens` is an estimate."""

    characters: int

    @property
    def tokens(self) -> int:
        """Four characters a token, rounded up."""
        return -(-self.characters // _CHARACTERS_PER_TOKEN)


def prompt_size(sub_agent: SubAgentSpec, package: Reader) -> PromptSize:
    """Return the size of body, context files and, where they are asked for, the instructions.

    Reads the files as they are now.
    """
    texts = [sub_agent.body]
    texts += [package.read_context_file(name) or "" for name in sub_agent.meta.context_files]
    if _INSTRUCTIONS in sub_agent.body:
        texts.append(package.read_texts().instructions or "")
    return PromptSize(sum(map(len, texts)))
