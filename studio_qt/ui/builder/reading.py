"""What the Builder reads before it shows a form, and again when something changed under it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio_qt.authoring.subagentfacts import SubAgentFacts, read_facts
from studio_qt.authoring.subagentform import Opened, read_form
from studio_qt.errors import ModelError, Problem, StudioError
from studio_qt.files.folder import FolderSource
from studio_qt.files.overlay import OverlaySource
from studio_qt.files.source import Source
from studio_qt.providers.tokens import estimate

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer
    from studio_qt.ui.documents.documents import Documents

__all__ = ["Surroundings", "read_all", "read_surroundings", "source_of"]

_AT_ONCE = 200
"""Messages that are taken between two turns of the loop."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the player tells: models by lane, estimates of messages and of stores by agent."""

    models: Mapping[str, str]
    messages: Sequence[int] = ()
    stores: Mapping[str, int] | None = None
    character: str = ""


def source_of(documents: Documents) -> Source:
    """Return the project's files under the unsaved texts; raises StudioError without a project."""
    if documents.root is None:
        raise StudioError("Open a project first; sub-agents belong to one.")
    documents.flush()
    return OverlaySource(documents.buffers, FolderSource(documents.root))


async def read_all(
    source: Source,
    opened: Opened,
    *,
    again: bool,
    threshold: int,
    problems: Sequence[Problem],
) -> tuple[Opened, SubAgentFacts]:
    """Return form and facts as the files are now; `again` reads the form of `opened` anew.

    Raises StudioError.
    """

    def read() -> tuple[Opened, SubAgentFacts]:
        now = opened
        if again:
            now = _read_again(source, opened)
        facts = read_facts(
            source,
            now.agent_id,
            named=now.form.context_files,
            given=now.form.private,
            threshold=threshold,
            problems=problems,
        )
        return now, facts

    return await asyncio.to_thread(read)


def _read_again(source: Source, opened: Opened) -> Opened:
    """Return the same instance as it is now; it may have another place, or another id.

    Raises StudioError where only other instances of its file are left.
    """
    if opened.instance is None:
        return read_form(source, opened.path)
    now = read_form(source, opened.path, opened.instance.index)
    same = [one for one in now.instances if one.agent_id == opened.agent_id]
    if same:
        return now if now.instance in same else read_form(source, opened.path, same[0].index)
    known = {one.agent_id for one in opened.instances}
    if now.instances and (now.instance is None or now.agent_id in known):
        raise StudioError(f"config.json does not list “{opened.agent_id}” any more.")
    return now


async def read_surroundings(player: CharacterPlayer | None, stores: Sequence[str]) -> Surroundings:
    """Return what the player tells now; models that cannot be told are left out."""
    if player is None:
        return Surroundings({})
    there = {agent.id for agent in player.agents()}
    sizes: dict[str, int] = {}
    for name in stores:
        if name in there:
            with suppress(StudioError):  # gone since
                sizes[name] = estimate(player.store_text(name))
        await asyncio.sleep(0)
    messages: list[int] = []
    for start in range(0, len(player), _AT_ONCE):
        entries = player.entries(start, min(start + _AT_ONCE, len(player)))
        messages += [
            estimate(str(entry.get("content") or ""))
            for entry in entries
            if entry.get("role") in ("user", "assistant")
        ]
        await asyncio.sleep(0)
    models: dict[str, str] = {}
    for lane in ("main", "worker"):
        try:
            models[lane] = (
                "Rehearsal"
                if player.rehearses
                else await player.model_of("main" if lane == "main" else "worker")
            )
        except ModelError:
            continue
    return Surroundings(models, messages, sizes, player.character.name)
