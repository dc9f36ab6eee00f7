"""What an agent's file exports beside what its manifest promises (EXP-01, MAN-03)."""

from __future__ import annotations

from dataclasses import replace

from studio_qt.errors import Fault, Problem
from studio_qt.package.model import AgentSpec

__all__ = ["able_spec", "hook_handler", "promised_in_vain"]


def able_spec(spec: AgentSpec, exports: frozenset[str]) -> AgentSpec:
    """Return the entry with only those tools and commands that its file can answer."""
    commands = tuple(c for c in spec.manifest.commands if c.handler in exports)
    tools = spec.tools if "onToolCall" in exports else ()
    return replace(spec, tools=tools, manifest=replace(spec.manifest, commands=commands))


def promised_in_vain(spec: AgentSpec, exports: frozenset[str]) -> list[Problem]:
    """Return a problem for everything that a manifest promises and its file does not export."""
    promised: list[tuple[str, int | None, str]] = []
    if spec.tools:
        promised.append(("onToolCall", spec.tools[0].line, "the manifest declares tools"))
    if spec.manifest.preload:
        promised.append(("onLoad", None, "the manifest says @preload true"))
    for command in spec.manifest.commands:
        promised.append((command.handler, command.line, f"{command.name} is to be handled by it"))
    missing = [
        Problem(
            "error", spec.file, line, f"{name} is not exported, but {reason}. Export it.", fault
        )
        for name, line, reason in promised
        for fault in (Fault("handler-missing", (name,)),)
        if name not in exports
    ]
    deaf = sorted(event for event in spec.manifest.hooks if hook_handler(event) not in exports)
    warning = "The manifest declares @hook {}, but {} is not exported; the event is not told."
    return missing + [
        Problem(
            "warning",
            spec.file,
            None,
            warning.format(event, hook_handler(event)),
            Fault("handler-missing", (hook_handler(event),)),
        )
        for event in deaf
    ]


def hook_handler(event: str) -> str:
    """Return the exported name that handles an event: "on" and the event, capitalised."""
    return f"on{event[0].upper()}{event[1:]}"
