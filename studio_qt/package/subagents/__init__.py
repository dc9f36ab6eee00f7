"""Sub-agents: prompt files with frontmatter, the overrides of config.json, and grants."""

from __future__ import annotations

from studio_qt.package.subagents.effective import Overrides, effective_meta
from studio_qt.package.subagents.fields import DEFAULT_PARAMS, FIELDS
from studio_qt.package.subagents.prompt import PromptFile, read_prompt
from studio_qt.package.subagents.size import PromptSize, prompt_size
from studio_qt.package.subagents.writing import rewrite_prompt, write_frontmatter

__all__ = [
    "DEFAULT_PARAMS",
    "FIELDS",
    "Overrides",
    "PromptFile",
    "PromptSize",
    "effective_meta",
    "prompt_size",
    "read_prompt",
    "rewrite_prompt",
    "write_frontmatter",
]
