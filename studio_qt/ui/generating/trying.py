"""The trial of an agent that a model wrote, by the engine."""

from __future__ import annotations

from collections.abc import Sequence

from studio_qt.authoring.generating_code import Example, Trial, Tried
from studio_qt.engine.trying import try_agent
from studio_qt.errors import AgentError, StorageError
from studio_qt.files.source import Source

__all__ = ["trial_in"]


def trial_in(source: Source, agent_id: str) -> Trial:
    """Return the trial for an agent of the character of `source`, which stays as it is."""

    async def trial(path: str, code: str, examples: Sequence[Example]) -> Tried:
        calls = [(example.tool, example.args) for example in examples]
        try:
            tried = await try_agent(source, agent_id, path, code, calls)
        except (AgentError, StorageError) as error:
            return Tried((str(error),))
        faults = tuple(
            one.message if one.line is None else f"Line {one.line}: {one.message}"
            for one in tried.problems
        )
        made = tuple(Example(one.tool, one.args, one.result, one.ok) for one in tried.calls)
        return Tried(faults, made)

    return trial
