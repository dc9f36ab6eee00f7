"""Numbers of tokens as the Builder writes them, and the sentences below its choices."""

from __future__ import annotations

__all__ = ["history_sentence", "in_thousands", "model_sentence"]


def in_thousands(tokens: int) -> str:
    """Return a number of tokens as a list has it: "0.6k", "31k"."""
    if tokens < 50:
        return str(tokens)
    thousands = tokens / 1000
    return f"{thousands:.0f}k" if thousands >= 24 else f"{thousands:.1f}k"


def history_sentence(history: str, tokens: int) -> str:
    """Say what a sub-agent is that sees so much; `tokens` is the estimate for it right now."""
    if history == "none":
        return "Consultant: it sees the request alone, and what it is given."
    if history == "full":
        return f"Auditor: about {_about(tokens)} tokens a call right now, and growing."
    return f"Observer: about {_about(tokens)} tokens a call right now."


def model_sentence(lane: str, model: str) -> str:
    """Say which model a lane means; `model` is "" where that is not known."""
    words = "the conversation's main model" if lane == "main" else "the worker model"
    return f"{words}, now {model}" if model else f"{words} of your settings"


def _about(tokens: int) -> str:
    return str(tokens) if tokens < 1000 else in_thousands(tokens)
