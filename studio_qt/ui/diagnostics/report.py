"""What a report of a fault needs: versions, walls, the kind of connection, the end of the log."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studio_qt import __version__
from studio_qt.sandbox.languages import available_languages
from studio_qt.ui.diagnostics.logfile import StudioLog

__all__ = ["Facts", "report"]

_LOG_LINES = 60
_LONGEST = 400
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")
_PRIVATE = frozenset({"extra_body"})
"""Fields of a profile whose values a user writes."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the window knows. `connection` is a kind ("Rehearsal", "LM Studio"), never an address.

    `profile` is what the endpoint was learned to accept; `project` "folder", "zip" or "".
    """

    qt: str = ""
    screens: Sequence[str] = ()
    theme: str = ""
    walls: Sequence[str] = ()
    connection: str = ""
    profile: Mapping[str, object] = field(default_factory=dict)
    project: str = ""


def report(facts: Facts, log: StudioLog) -> str:
    """Return the report: no key, no text of the user, the home folder as ~.

    It reads files, so call it in a thread.
    """
    parts = (
        ("Character Studio", _program(facts)),
        ("Libraries", list(_libraries())),
        ("Languages of agents", list(_languages())),
        ("Walls around agents", list(facts.walls) or ["No agent code runs."]),
        ("Connection", list(_connection(facts))),
        ("End of the log", log.tail(_LOG_LINES) or ["Nothing has been logged."]),
    )
    text = "\n\n".join("\n".join([title, *_indented(lines)]) for title, lines in parts)
    return log.masked(text.replace(str(Path.home()), "~")) + "\n"


def _program(facts: Facts) -> list[str]:
    names = sorted(name for name in os.environ if name.startswith(("STUDIO_", "QT_")))
    lines = [
        f"version {__version__}",
        f"Python {platform.python_version()} ({platform.python_implementation()})",
        f"Qt {facts.qt}",
        f"system {platform.platform()}, {platform.machine()}",
        f"screens {', '.join(facts.screens)}",
        f"theme {facts.theme}",
        f"open {facts.project or 'nothing'}",
        f"frozen {'yes' if getattr(sys, 'frozen', False) else 'no'}",
    ]
    return [*lines, f"set in the environment: {', '.join(names) or 'nothing'}"]


def _libraries() -> Iterator[str]:
    try:
        required = importlib.metadata.requires("studio-qt") or []
    except importlib.metadata.PackageNotFoundError:
        yield "not known: the program is not installed as a package"
        return
    found = (_REQUIREMENT.match(line) for line in required if "extra ==" not in line)
    for name in sorted({match[0] for match in found if match}, key=str.lower):
        try:
            yield f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            yield f"{name} is missing"


def _languages() -> Iterator[str]:
    for language, reason in available_languages().items():
        yield f"{language}: {reason or 'yes'}"


def _connection(facts: Facts) -> Iterator[str]:
    yield facts.connection or "none"
    for name, value in facts.profile.items():
        private = name in _PRIVATE and bool(value)
        yield f"{name}: {'set' if private else value}"


def _indented(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        cut = line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
        yield f"  {cut}"
