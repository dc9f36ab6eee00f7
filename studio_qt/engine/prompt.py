"""What the model is sent, built as blocks by plain functions (SYS-01 to SYS-07)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from studio_qt.jsontext import JsonObject
from studio_qt.package.model import ContextFile, Texts
from studio_qt.package.resolver import CONTEXT, DEFAULTS, INSTRUCTIONS, INTRODUCTION, SYSTEM_PROMPT

__all__ = ["CONTEXT_PREFIX", "Block", "Part", "fixed_blocks", "persona_text", "system_text"]

INSTRUCTIONS_MACRO = "%%CHARACTER_INSTRUCTIONS%%"

CONTEXT_PREFIX = (
    "What follows is background about this character and its world. "
    "Much of it will not matter at any given moment; use a part of it only when the conversation "
    "calls for it."
)

BlockKind = Literal["system", "context", "persona", "preload", "intro"]
OriginKind = Literal["file", "agent", "entry", "settings", "studio"]
Paths = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message and where it comes from.

    `name` is a path in the package, an agent's id or an entry's id; "" for the user's settings
    and for our own words ("studio").
    """

    kind: OriginKind
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """One message of a request with its origin, before the turns begin.

    `origin` names the files or agents that the text comes from, and `parts` holds what each of
    them gave, for the prompt inspector.
    """

    kind: BlockKind
    message: JsonObject
    origin: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()

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


def fixed_blocks(
    texts: Texts,
    preload: Sequence[tuple[str, str]],
    persona: str,
    paths: Paths = DEFAULTS,
) -> list[Block]:
    """Return everything that precedes the turns, in order; empty blocks are left out.

    `preload` holds (agent id, text) pairs in load order (SYS-05); `persona` is a `persona_text`;
    `paths` are those of the resolver, for the origins.
    """
    blocks: list[Block] = []
    if system := system_text(texts):
        message: JsonObject = {"role": "system", "content": system}
        blocks.append(Block("system", message, parts=tuple(_system_parts(texts, paths))))
    if texts.context:
        files = tuple(file.name for file in texts.context)
        parts = tuple(_context_parts(texts.context, paths[CONTEXT] or ""))
        blocks.append(_file_block("context", parts, files))
    if persona:
        blocks.append(_file_block("persona", (Part("settings", "", persona),), ()))
    if preload:
        loaded = tuple(Part("agent", agent, text) for agent, text in preload)
        blocks.append(_file_block("preload", loaded, tuple(agent for agent, _ in preload)))
    if texts.introduction and texts.introduction.strip():
        intro: JsonObject = {"role": "assistant", "content": texts.introduction}
        part = Part("file", paths[INTRODUCTION] or "", texts.introduction)
        blocks.append(Block("intro", intro, parts=(part,)))
    return blocks


def _file_block(kind: BlockKind, parts: tuple[Part, ...], origin: tuple[str, ...]) -> Block:
    text = "\n\n".join(part.text for part in parts)
    return Block(kind, {"role": "user", "content": text, "isFile": True}, origin, parts)


def _system_parts(texts: Texts, paths: Paths) -> Iterator[Part]:
    """Yield the pieces of the template and, between them, the instructions."""
    instructions = Part("file", paths[INSTRUCTIONS] or "", texts.instructions or "")
    if texts.system_prompt is None:
        yield instructions
        return
    for at, piece in enumerate(texts.system_prompt.split(INSTRUCTIONS_MACRO)):
        if at and instructions.text:
            yield instructions
        if piece:
            yield Part("file", paths[SYSTEM_PROMPT] or "", piece)


def _context_parts(files: Iterable[ContextFile], folder: str) -> Iterator[Part]:
    yield Part("studio", "", CONTEXT_PREFIX)
    for file in files:
        yield Part("file", f"{folder}/{file.name}", file.text)
