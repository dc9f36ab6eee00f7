"""What a row of the hostile suite is, and what may never come of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from studio_qt.sandbox import Cause, Outcome

__all__ = ["MUST_NOT", "REFUSED", "Attack"]

REFUSED = (None, "", "nothing", False, [], {})
_ENDED = (Cause.OUT_OF_TIME, Cause.OUT_OF_MEMORY, Cause.FAILED)
_UNSET: Any = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One hostile agent: `source` is the body of its handler `wild(args, store, studio, context)`.

    `must_not` is a key of MUST_NOT, or "load" for an agent whose `top` may not get through loading.
    `top` stands before the handlers, on the top level of the module. `leaves` is the value that a
    call which is harmless in the end must return. A `slow` one runs into its time limit. `spoils`
    says that the agent breaks itself, so that only its neighbour has to answer afterwards.
    """

    language: str
    kind: str
    name: str
    source: str = ""
    must_not: str = "reach"
    top: str = ""
    apis: tuple[str, ...] = ()
    memory_mb: int = 64
    leaves: Any = _UNSET
    slow: bool = False
    spoils: bool = False

    def __str__(self) -> str:
        return f"{self.language}, {self.kind}: {self.name}"


def _not_finish(_: Attack, outcome: Outcome) -> bool:
    return outcome.cause in _ENDED and outcome.store is None and bool(outcome.error)


def _not_reach(_: Attack, outcome: Outcome) -> bool:
    return outcome.cause is Cause.FAILED or (outcome.ok and outcome.value in REFUSED)


def _not_pass(_: Attack, outcome: Outcome) -> bool:
    ended = outcome.cause in (Cause.FAILED, Cause.OUT_OF_MEMORY, Cause.OUT_OF_TIME)
    return ended and outcome.store is None and bool(outcome.error)


def _not_change(attack: Attack, outcome: Outcome) -> bool:
    return outcome.ok and outcome.value == attack.leaves


def _not_crash(_: Attack, outcome: Outcome) -> bool:
    return outcome.ok or outcome.cause in _ENDED


MUST_NOT: Mapping[str, Callable[[Attack, Outcome], bool]] = MappingProxyType(
    {
        "finish": _not_finish,  # it would run, or grow, for ever
        "reach": _not_reach,  # what it looks for is not there, or is refused
        "ask": _not_reach,  # the host never hears of a request that is not declared
        "pass": _not_pass,  # the result is no message that the host takes
        "change": _not_change,  # the value arrives as plain data and does nothing
        "crash": _not_crash,  # however it ends, the worker and the others live
    }
)
