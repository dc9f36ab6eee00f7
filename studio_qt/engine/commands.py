"""@ commands: run at once, without a model (EXP-03)."""

from __future__ import annotations

from dataclasses import dataclass

from studio_qt.engine.session import Session

__all__ = ["CommandResult", "run_command", "split_command"]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended; `error` is the sentence that keeps a dialog open."""

    ok: bool
    error: str | None = None


def split_command(line: str) -> tuple[str, str]:
    """Return the command's name with its @ and the unparsed rest of the line.

    The name ends at the first white space; the @ may be left out.
    """
    parts = line.strip().split(maxsplit=1)
    name = parts[0] if parts else ""
    return name if name.startswith("@") else f"@{name}", parts[1] if len(parts) > 1 else ""


async def run_command(session: Session, line: str) -> CommandResult:
    """Run one command; whatever goes wrong is in the result, never raised."""
    name, rest = split_command(line)
    owned = session.registration.commands.get(name)
    if owned is None:
        known = ", ".join(session.registration.commands) or "none"
        return CommandResult(False, f"There is no command {name}. Commands: {known}.")
    outcome = await session.call(owned.agent.id, owned.command.handler, (rest,), "direct")
    if not outcome.ok:
        return CommandResult(False, f"{name} failed. {outcome.error}")
    if isinstance(outcome.value, str) and outcome.value:
        return CommandResult(False, outcome.value)
    return CommandResult(True)
