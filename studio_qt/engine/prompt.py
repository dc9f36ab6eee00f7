"""What the model is sent, built as blocks by plain functions (SYS-01 to SYS-07)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from studio_qt.jsontext import JsonObject
from studio_qt.package.model import ContextFile, Texts

__all__ = ["CONTEXT_PREFIX", "Block", "fixed_blocks", "persona_text", "system_text"]

INSTRUCTIONS_MACRO = "%%CHARACTER_INSTRUCTIONS%%"

CONTEXT_PREFIX = (
    "What follows is background about this character and its world. "
    "Much of it will not matter at any given moment; use a part of it only when the conversation "
    "calls for it."
)

BlockKind = Literal["system", "context", "persona", "preload", "intro"]


@dataclass(frozen=True, slots=True)
class Block:
    """One message of a request with its origin, before the turns begin.

    `origin` names the files or agents that the text comes from, for the prompt inspector.
    """

    kind: BlockKind
    message: JsonObject
    origin: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The message's content."""
        return str(self.message["content"])


def system_text(texts: Texts) -> str:
    """Return the system prompt: the template with its macro filled in, one pass (SYS-01, SYS-02).

    Without a template the instructions alone; without either, an empty string.
    """
    instructions = texts.instructions or ""
    if texts.system_prompt is None:
        return instructions
    return instructions.join(texts.system_prompt.split(INSTRUCTIONS_MACRO))


def persona_text(name: str | None, description: str | None) -> str:
    """Return what the model is told of the user: the name in a sentence, then the description.

    Without a name the description stands alone, as it was written; without either, "".
    """
    called = " ".join((name or "").split())
    words = (description or "").strip()
    if not called:
        return words
    sentence = f"The user's name is {called}."
    return f"{sentence}\n\n{words}" if words else sentence


def fixed_blocks(texts: Texts, preload: Sequence[tuple[str, str]], persona: str) -> list[Block]:
    """Return everything that precedes the turns, in order; empty blocks are left out.

    `preload` holds (agent id, text) pairs in load order (SYS-05); `persona` is a `persona_text`.
    """
    blocks: list[Block] = []
    if system := system_text(texts):
        blocks.append(Block("system", {"role": "system", "content": system}))
    if texts.context:
        blocks.append(_file_block("context", _context_text(texts.context), _names(texts.context)))
    if persona:
        blocks.append(_file_block("persona", persona, ()))
    if preload:
        text = "\n\n".join(text for _, text in preload)
        blocks.append(_file_block("preload", text, tuple(agent for agent, _ in preload)))
    if texts.introduction and texts.introduction.strip():
        intro: JsonObject = {"role": "assistant", "content": texts.introduction}
        blocks.append(Block("intro", intro))
    return blocks


def _file_block(kind: BlockKind, text: str, origin: tuple[str, ...]) -> Block:
    return Block(kind, {"role": "user", "content": text, "isFile": True}, origin)


def _context_text(files: Iterable[ContextFile]) -> str:
    return "\n\n".join([CONTEXT_PREFIX, *(file.text for file in files)])


def _names(files: Iterable[ContextFile]) -> tuple[str, ...]:
    return tuple(file.name for file in files)
