"""Every error that leaves the library, and `Problem`, the fault that stops nothing.

::

    StudioError
    ├── PackageError      the character cannot be opened at all
    ├── ModelError        the provider refused, failed or broke off
    ├── AgentError        agent code failed, or a tool call could not reach it
    │   └── BudgetExhausted   the user's cap on agent tokens is spent
    ├── StorageError      the data folder cannot be written or belongs to another process
    └── ClosedError       something was used after it had been closed

Each message names the thing, says what was expected, and how to go on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

__all__ = [
    "AgentError",
    "BudgetExhausted",
    "ClosedError",
    "Fault",
    "ModelError",
    "PackageError",
    "Problem",
    "Severity",
    "StorageError",
    "StudioError",
]

Severity = Literal["error", "warning"]


class StudioError(Exception):
    """The root of everything that this library raises for bad input or a failing world."""


class PackageError(StudioError):
    """No such folder, a refused archive, or a `config.json` that is not JSON (PKG-10).

    `file` and `line` say where it is wrong inside the package, None where no place can be named.
    """

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.file = file
        self.line = line


class ModelError(StudioError):
    """A provider refused, failed or broke off (LOOP-08).

    `status` is the HTTP status or None where no answer came; `retry_after` is the number of
    seconds that the provider asked to wait, or None.
    """

    def __init__(
        self, message: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class AgentError(StudioError):
    """A tool call that could not be made or failed; the text is what a model would be told."""


class BudgetExhausted(AgentError):  # noqa: N818  (a fixed public name)
    """A cap on the tokens that agents may spend is used up (CAP-03)."""


class StorageError(StudioError):
    """A folder that cannot be written; names it. What was not written stays in memory."""


class ClosedError(StudioError):
    """Something was used after `close()`."""


class Fault(NamedTuple):
    """What a problem is about, for whoever mends it: a kind, and the names that belong to it.

    `place` is the path of an entry in config.json, for example ("agents", 2, "private-agents", 0).
    The kinds, and what the names of each are, stand in `studio_qt.authoring.mending`.
    """

    kind: str
    names: tuple[str, ...] = ()
    place: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault in a package that leaves everything else playing (PKG-10).

    `file` is the path inside the package with forward slashes; `line` counts from 1, None where a
    line has no meaning. `fault` is there where the program may know a way to mend it.
    """

    severity: Severity
    file: str
    line: int | None
    message: str
    fault: Fault | None = field(default=None, compare=False)

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{self.severity}: {place}: {self.message}"
