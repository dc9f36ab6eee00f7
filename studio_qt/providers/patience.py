"""How long an endpoint is waited for."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Patience"]


@dataclass(frozen=True, slots=True)
class Patience:
    """Times in seconds. There is no limit for a whole answer: as long as bytes come, it lives.

    `first_byte` is long, since a local server may load its model first; `after_end` is how long
    usage and the end of the stream may follow the last piece. A busy endpoint is asked `tries`
    times in all, after `backoff`, twice that and so on, or as long as it says; when it says more
    than `longest_wait`, it is left to the user.
    """

    connect: float = 10.0
    first_byte: float = 300.0
    idle: float = 90.0
    after_end: float = 2.0
    tries: int = 4
    backoff: float = 1.0
    longest_wait: float = 90.0
