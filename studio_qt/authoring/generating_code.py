"""Generate for an agent in code: written, read, run in the sandbox, or refused (STU-09)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from studio_qt.authoring.answers import Fence, fences
from studio_qt.authoring.asking import Answer, Talk, message
from studio_qt.authoring.generating import Generated, Wish, refused
from studio_qt.authoring.inventory import Inventory
from studio_qt.authoring.teaching import fix_request
from studio_qt.authoring.teaching_code import SUFFIXES, agent_format, agent_request
from studio_qt.jsontext import JsonObject, decode
from studio_qt.package.manifest import parse_manifest
from studio_qt.package.model import Language, Manifest

__all__ = ["Example", "GeneratedAgent", "Trial", "Tried", "generate_agent"]

_TOKENS = 6_000
_LONGEST = 60_000
_SHOWN_BACK = 24_000
_MOST_EXAMPLES = 6
_TAG = re.compile(r"(@agent[ \t]+)(\S+)")


@dataclass(frozen=True, slots=True)
class Example:
    """A call that shows a tool at work; `result` and `ok` are there after the trial."""

    tool: str
    args: JsonObject
    result: str = ""
    ok: bool = False


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a trial: sentences on what is wrong, and the examples with their results."""

    faults: tuple[str, ...]
    examples: tuple[Example, ...] = ()


Trial = Callable[[str, str, Sequence[Example]], Awaitable[Tried]]
"""Loads code as the file of that path in the character, runs it in the sandbox, and calls it."""


@dataclass(frozen=True, slots=True)
class GeneratedAgent:
    """An agent's file that runs, and example calls for the tool tester, as they ended."""

    file: Generated
    tools: tuple[str, ...]
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    code: str = ""
    tools: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def generate_agent(
    talk: Talk, wish: Wish, language: Language, inventory: Inventory, trial: Trial
) -> GeneratedAgent:
    """Return an agent that loads, starts and answers its example calls.

    The model is told once what is wrong. Raises RefusedError with the reason, and ModelError.
    """
    path = f"agents/{wish.name}{SUFFIXES[language]}"
    asked = agent_request(inventory.told(), wish.name, wish.text.strip())
    messages = [message("system", agent_format(language)), message("user", asked)]
    answer = await talk.ask(messages, _TOKENS, "Writing the agent")
    found = await _judge(answer, wish.name, language, path, inventory, trial)
    if found.faults:
        messages += [
            message("assistant", answer.text[:_SHOWN_BACK] or "(nothing)"),
            message("user", fix_request(list(found.faults))),
        ]
        answer = await talk.ask(messages, _TOKENS, "Mending what did not run")
        found = await _judge(answer, wish.name, language, path, inventory, trial)
    if found.faults:
        raise refused(answer.text, found.faults, "agent")
    return GeneratedAgent(Generated(path, found.code, found.notes), found.tools, found.examples)


async def _judge(
    answer: Answer, name: str, language: Language, path: str, inventory: Inventory, trial: Trial
) -> _Found:
    found = _read(answer, name, language, path, inventory)
    if found.faults:
        return found
    tried = await trial(path, found.code, found.examples)
    failed = tuple(
        f"The example call of {one.tool} failed: {one.result[:400]}"
        for one in tried.examples
        if not one.ok
    )
    return replace(found, faults=tried.faults or failed, examples=tried.examples)


def _read(answer: Answer, name: str, language: Language, path: str, inventory: Inventory) -> _Found:
    """Take an answer apart, and look at the manifest without running anything."""
    blocks = fences(answer.text)
    code = _code_of(blocks)
    if not code and "@agent" in answer.text and not blocks:
        code = answer.text.strip() + "\n"
    if not code:
        return _Found(faults=("There is no file in a code fence with an @agent tag in it.",))
    if answer.cut:
        return _Found(faults=("It broke off at the length limit; write a shorter agent.",))
    if len(code) > _LONGEST:
        return _Found(faults=(f"The file has {len(code):,} characters; write a shorter agent.",))
    code = _TAG.sub(lambda tag: tag[1] + name, code, count=1)
    manifest, problems = parse_manifest(code, language, path)
    faults = [f"Line {one.line}: {one.message}" for one in problems]
    faults += _manifest_faults(manifest, inventory)
    tools = tuple(tool.name for tool in manifest.tools)
    examples, fault = _examples_of(blocks, tools)
    notes = (fault,) if fault else ()
    if fault and tools and not faults:
        notes = (f"{fault} Try its tools in the tool tester.",)
    return _Found(code, tools, examples, tuple(faults), notes)


def _manifest_faults(manifest: Manifest, inventory: Inventory) -> list[str]:
    if manifest.agent is None:
        return ["The file has no manifest with an @agent tag at its beginning."]
    faults = [
        f'There is a tool "{tool.name}" already; give yours another name.'
        for tool in manifest.tools
        if tool.name in inventory.tools
    ]
    if not (manifest.tools or manifest.commands or manifest.hooks or manifest.preload):
        faults.append("It declares no tool, no command, no hook and no preload; it does nothing.")
    if manifest.libs:
        faults.append("It declares @lib; write it without libraries.")
    return faults


def _code_of(blocks: Sequence[Fence]) -> str:
    """Return the longest block with a manifest; the others are parts or earlier tries."""
    found = [block.text for block in blocks if "@agent" in block.text]
    return max(found, key=len).strip() + "\n" if found else ""


def _examples_of(blocks: Sequence[Fence], tools: Sequence[str]) -> tuple[tuple[Example, ...], str]:
    """Return the example calls, and what is amiss with them."""
    for block in reversed(blocks):
        if "@agent" in block.text:
            continue
        try:
            value = decode(block.text)
        except ValueError:
            continue
        calls = value if isinstance(value, list) else [value]
        made = [
            Example(call["tool"], call.get("args") or {})  # type: ignore[arg-type]
            for call in calls
            if isinstance(call, dict)
            and call.get("tool") in tools
            and isinstance(call.get("args") or {}, dict)
        ]
        if made:
            return tuple(made[:_MOST_EXAMPLES]), ""
    return (), "The model gave no example calls." if tools else ""
