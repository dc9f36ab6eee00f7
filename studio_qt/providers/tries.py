"""Asking a busy endpoint again: how often, and after how long."""

from __future__ import annotations

import random

from studio_qt.providers.model import Waiting
from studio_qt.providers.patience import Patience
from studio_qt.providers.refusal import Refusal
from studio_qt.providers.trouble import kind_of, without_key

__all__ = ["Tries"]


class Tries:
    """The tries of one request. A connection that breaks before an answer gets one more.

    `only_once` asks for no second try of either kind: in the middle of a turn whose tools have
    run it is for the user to say how to go on.
    """

    def __init__(self, patience: Patience, *, only_once: bool = False) -> None:
        self._patience = patience
        self._only_once = only_once
        self._asked = 1
        self._loading = 0.0
        self._broken = only_once

    def again_after_break(self) -> bool:
        """Whether to connect anew: once, since an idle connection may have been closed."""
        first, self._broken = not self._broken, True
        return first

    def wait(self, refusal: Refusal, key: str | None) -> Waiting | None:
        """Return how long to wait before the next try, None when it is up to the user."""
        if self._only_once:
            return None
        kind = kind_of(refusal)
        asked_for = refusal.retry_after
        if kind == "loading":
            seconds = self._patience.backoff * 2 if asked_for is None else asked_for
            self._loading += max(seconds, 0.1)
            given_up = self._loading > self._patience.first_byte
            reason = "The model is still loading"
        elif kind == "busy" or (kind == "credit" and refusal.status == 402 and asked_for):
            seconds = self._backoff() if asked_for is None else asked_for
            given_up = self._asked >= self._patience.tries
            self._asked += 1
            reason = "The provider asks for patience"
        else:
            return None
        if given_up or seconds > self._patience.longest_wait:
            return None
        words = without_key(refusal.text, key)
        return Waiting(seconds, f"{reason}: {words}" if words else f"{reason}.")

    def _backoff(self) -> float:
        doubled: float = self._patience.backoff * 2.0 ** (self._asked - 1)
        return doubled * random.uniform(0.8, 1.2)
