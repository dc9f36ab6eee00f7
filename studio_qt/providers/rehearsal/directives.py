"""What a user's text tells Rehearsal to do: `[[call …]]`, `[[say …]]`, `[[slow …]]`, `[[fail …]]`.

A directive ends at the `]]` that balances its brackets, in `call` with those inside JSON strings
left out; where nothing balances within 10,000 brackets, at the next `]]`. What looks like a
directive and is none stays text. At most 100 are read from one message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from studio_qt.jsontext import JsonObject, decode_object

__all__ = [
    "CallStep",
    "Directives",
    "FailStep",
    "SayStep",
    "SlowStep",
    "Step",
    "parse_arguments",
    "parse_directives",
]

_MOST = 100
_MOST_MARKS = 10_000
_LONGEST_WAIT = 600.0
_OPENING = re.compile(r"\[\[\s*(call|say|slow|fail)(?=\s|\]\])")
_CALL = re.compile(r"\s*([^\s\[\]{}\"]+)\s*(.*)", re.DOTALL)
_SLOW = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*s?\s*")
_FAIL = re.compile(r"\s*([1-9]\d\d)(?:\s+(.*?))?\s*", re.DOTALL)
_MARKS = re.compile(r"[\[\]]")
_MARKS_OF_JSON = re.compile(r"\\.|[\[\]\"]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CallStep:
    """Call `name`; `arguments` is None when `arguments_text` is no JSON object."""

    name: str
    arguments: JsonObject | None
    arguments_text: str


@dataclass(frozen=True, slots=True)
class SayStep:
    """Answer exactly this text."""

    text: str


@dataclass(frozen=True, slots=True)
class SlowStep:
    """Take this many seconds for the answer, 600 at most."""

    seconds: float


@dataclass(frozen=True, slots=True)
class FailStep:
    """Fail with this HTTP status; `text` may be empty."""

    status: int
    text: str


Step = CallStep | SayStep | SlowStep | FailStep


@dataclass(frozen=True, slots=True)
class Directives:
    """The steps of a message in the order written, and its text without them.

    `malformed` are the pieces that look like directives and are none; they also stay in `rest`.
    """

    steps: tuple[Step, ...]
    rest: str
    malformed: tuple[str, ...] = ()

    @property
    def calls(self) -> tuple[CallStep, ...]:
        """The calls, in order."""
        return tuple(step for step in self.steps if isinstance(step, CallStep))

    @property
    def others(self) -> tuple[Step, ...]:
        """Everything but the calls, in order."""
        return tuple(step for step in self.steps if not isinstance(step, CallStep))

    @property
    def seconds(self) -> float:
        """How long the answer shall take: the sum of all `[[slow …]]`, 600 at most."""
        waits = (step.seconds for step in self.steps if isinstance(step, SlowStep))
        return min(sum(waits), _LONGEST_WAIT)

    @property
    def decides(self) -> bool:
        """Whether anything but the pace is told."""
        return any(not isinstance(step, SlowStep) for step in self.steps)


def parse_directives(text: str) -> Directives:
    """Return what `text` tells; never raises."""
    steps: list[Step] = []
    rest: list[str] = []
    malformed: list[str] = []
    at = 0
    for _ in range(_MOST):
        opening = _OPENING.search(text, at)
        if opening is None:
            break
        end = _end(text, opening.end(), strings=opening[1] == "call")
        if end < 0:
            malformed.append(text[opening.start() :])
            break
        rest.append(text[at : opening.start()])
        at = end + 2
        step = _step(opening[1], text[opening.end() : end])
        if step is None:
            malformed.append(text[opening.start() : at])
            rest.append(malformed[-1])
        else:
            steps.append(step)
    rest.append(text[at:])
    return Directives(tuple(steps), "".join(rest).strip(), tuple(malformed))


def parse_arguments(text: str) -> JsonObject | None:
    """Return the object that `text` spells, None when it spells none; blank text is `{}`."""
    try:
        return decode_object(text) if text.strip() else {}
    except ValueError:
        return None


def _step(word: str, body: str) -> Step | None:
    match word:
        case "say":
            return SayStep(body[1:])
        case "slow":
            slow = _SLOW.fullmatch(body)
            return SlowStep(min(float(slow[1]), _LONGEST_WAIT)) if slow else None
        case "fail":
            fail = _FAIL.fullmatch(body)
            return FailStep(int(fail[1]), fail[2] or "") if fail else None
    call = _CALL.fullmatch(body)
    if call is None:
        return None
    spelled = call[2].strip() or "{}"
    return CallStep(call[1], parse_arguments(spelled), spelled)


def _end(text: str, start: int, *, strings: bool) -> int:
    """Return where the closing `]]` is, -1 without one."""
    depth = 0
    quoted = False
    marks = (_MARKS_OF_JSON if strings else _MARKS).finditer(text, start)
    for mark in islice(marks, _MOST_MARKS):
        found = mark.group()
        if found == '"':
            quoted = not quoted
        elif quoted or found.startswith("\\"):
            continue
        elif found == "[":
            depth += 1
        elif depth:
            depth -= 1
        elif text.startswith("]]", mark.start()):
            return mark.start()
    return text.find("]]", start)
