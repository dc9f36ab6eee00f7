"""How requests are put in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from studio_qt.engine.requests import SentRequest

__all__ = [
    "compared_with",
    "listed",
    "ordinal",
    "request_line",
    "request_title",
    "sent_line",
    "what_it_is",
]

_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


def ordinal(number: int) -> str:
    """Return "1st", "2nd", "11th" and so on."""
    teen = 10 <= number % 100 <= 20
    return f"{number}{'th' if teen else _SUFFIXES.get(number % 10, 'th')}"


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return names in a row, the last ones as a count: "a, b and 3 others"."""
    if len(names) <= most:
        return ", ".join(names)
    rest = len(names) - most + 1
    return f"{', '.join(names[: most - 1])} and {rest} others"


def request_title(about: SentRequest) -> str:
    """Return who asks, and for which time in this turn or call."""
    if about.state == "next":
        return "Next"
    if about.agent_id:
        return f"{about.agent_id}, round {about.round}"
    return f"Narrator, {ordinal(about.round)}"


def request_line(about: SentRequest, following: SentRequest | None) -> str:
    """Return what a request came after, or what it led to; `following` is the next round."""
    if about.state == "next":
        return "with your draft"
    if about.state == "failed":
        return f"failed: {about.error}" if about.error else "failed"
    if about.state == "stopped":
        return "stopped"
    if about.after:
        return f"after {listed(about.after, 2)} answered"
    if about.state == "sent":
        return "waiting for the answer"
    if following is not None and following.after:
        return f"asked for {listed(following.after, 2)}"
    return f"answered · {about.model}" if about.agent_id else "answered"


def sent_line(about: SentRequest, size: int) -> str:
    """Return size, time and usage of a request in one line."""
    facts = [about.model or "no model", f"{size:,} bytes"]
    if about.tries > 1:
        facts.append(f"{about.tries} tries")
    if about.time:
        facts.append(f"sent {datetime.fromtimestamp(about.time):%H:%M:%S}")
    if about.first_token is not None:
        facts.append(f"first token {about.first_token:.2f} s")
    if about.seconds is not None:
        facts.append(f"{about.seconds:.2f} s in all")
    if about.usage is not None and not about.usage.estimated:
        usage = about.usage
        facts.append(f"{usage.prompt_tokens:,} tokens read, {usage.completion_tokens:,} written")
    return " · ".join(facts)


def what_it_is(about: SentRequest) -> str:
    """Return whether all this went out, would go out, or was read by Rehearsal."""
    if not about.number:
        return "This is what would go out now; nothing was sent."
    if about.size is None:
        return "Rehearsal has read this; nothing left this computer."
    return "What is shown is what went out, byte for byte."


def compared_with(about: SentRequest, requests: Sequence[SentRequest]) -> SentRequest | None:
    """Return the request that marks compare with: the last one of an earlier turn, same asker.

    Where an agent has not asked in an earlier turn, it is the round before.
    """
    same = [
        one
        for one in requests
        if one.agent_id == about.agent_id and (not about.number or one.number < about.number)
    ]
    earlier = [one for one in same if one.turn < about.turn or not about.number]
    found = earlier or same
    return found[-1] if found else None
