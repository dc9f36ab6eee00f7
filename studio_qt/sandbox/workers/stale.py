"""What a worker says when it cannot use what it was started with."""

from __future__ import annotations

__all__ = ["StaleError"]


class StaleError(Exception):
    """The compiled interpreter does not fit; the host has to compile it again."""
