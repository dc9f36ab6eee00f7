"""Reading a sub-agent's prompt file: when the character loads, and again at each call (SUB-10)."""

from __future__ import annotations

from dataclasses import replace

from studio_qt.errors import Problem
from studio_qt.files.source import Source
from studio_qt.package.model import AgentSpec, SubAgentSpec
from studio_qt.package.reading import read_text
from studio_qt.package.subagents.effective import Overrides, effective_meta
from studio_qt.package.subagents.prompt import PromptFile, read_prompt

__all__ = ["prompt_path", "read_again", "read_prompt_file"]

_LARGEST = 512 * 1024


def prompt_path(name: str) -> str:
    """Return the path in the package of a prompt file that config.json names."""
    return f"agents/{name}"


def read_prompt_file(source: Source, path: str) -> PromptFile | Problem:
    """Return the file taken apart, or why it cannot be read; an absent one is a problem too."""
    reading = read_text(source, path, limit=_LARGEST)
    if reading.problem is not None:
        return reading.problem
    if reading.text is None:
        return Problem("error", path, None, "is missing; put it there, or mend its name.")
    return read_prompt(reading.text)


def read_again(source: Source, agent: AgentSpec) -> tuple[SubAgentSpec, tuple[Problem, ...]]:
    """Return the sub-agent as its prompt file is now, and what is wrong with the file.

    The overrides of config.json and the grants stay those of loading. Where the file became
    unusable, the sub-agent that `agent` holds is returned and an error says why. Raises
    ValueError for an agent that is no sub-agent.
    """
    known = agent.sub_agent
    if known is None:
        raise ValueError(f"{agent.id} is no sub-agent")
    prompt = read_prompt_file(source, known.prompt_file)
    if isinstance(prompt, Problem):
        return known, (prompt,)
    overrides = Overrides(agent.config, lambda _name: agent.line)
    meta, problems = effective_meta(agent.id, prompt, known.prompt_file, overrides)
    if meta is None:
        return known, problems
    return replace(known, meta=meta, body=prompt.prompt), problems
