"""The words of the dialogs: what can be generated, and what is asked and sent for each."""

from __future__ import annotations

from collections.abc import Mapping

from studio_qt.ui.generating.sheet import Kind

__all__ = ["KINDS"]

_NAMES_ALONE = (
    "Sent to the worker model: what you type, and the names of context files, agents and tools. "
    "Never what stands in your files."
)
_TEXTS = (
    "Sent to the worker model: what you type, the character's name, instructions, description and "
    "introduction."
)

KINDS: Mapping[str, Kind] = {
    "subagent": Kind(
        "subagent",
        "Generate a sub-agent",
        "What should it do?",
        "It knows the tide table of the bay and says when boats can cross. The narrator should "
        "ask it whenever anyone wants to sail.",
        _NAMES_ALONE,
    ),
    "agent": Kind(
        "agent",
        "Generate an agent",
        "What should it do?",
        "Keeps the lamp's oil: burns some with every reply, can be refilled, and tells the model "
        "when it runs low. @oil shows how much is left.",
        f"{_NAMES_ALONE} What it writes runs in the sandbox before you see it.",
    ),
    "instructions": Kind(
        "instructions",
        "Generate the instructions",
        "Who is the character?",
        "The keeper of a lighthouse who never leaves it, dry and kind, and who hides that there "
        "is a second lamp.",
        _TEXTS,
    ),
    "description": Kind(
        "description",
        "Generate the description",
        "What should people know before they begin?",
        "That she keeps the lamp, that the fog brings visitors, and that she bargains.",
        _TEXTS,
    ),
    "introduction": Kind(
        "introduction",
        "Generate the introduction",
        "How does a conversation begin?",
        "A storm night. The visitor knocks, and she counts rope before she opens.",
        _TEXTS,
    ),
}
"""By the key of each: "subagent", "agent", or the kind of a text."""
