"""What went wrong, said to the user: the kind of trouble, and a sentence that says what to do."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from studio_qt.errors import ModelError
from studio_qt.providers.refusal import Refusal

__all__ = ["BrokenError", "Trouble", "explained", "kind_of", "without_key"]

Trouble: TypeAlias = Literal[
    "key", "credit", "model", "slow", "long", "busy", "loading", "moved", "server", "odd", "other"
]

_BY_STATUS: dict[int, Trouble] = {
    401: "key",
    402: "credit",
    403: "key",
    404: "model",
    405: "model",
    408: "slow",
    413: "long",
    429: "busy",
    503: "busy",
    504: "slow",
    524: "slow",
    529: "busy",
}
_CREDIT = re.compile(r"insufficient_quota|insufficient (credit|balance|funds|quota)|billing")
_LONG = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|prompt is too long|too many tokens"
    r"|input is too long|reduce the length|exceeds? (the )?(available )?context|n_ctx"
    r"|maximum (input|prompt) length"
)
_LOADING = re.compile(r"(model|server)[^.]{0,40}(is )?(still )?(loading|being loaded|starting)")
_LOADING_SHORT = re.compile(r"\bloading model\b")
_BUSY = re.compile(r"overloaded|rate.?limit|too many requests|try again later")
_MODEL = re.compile(r"model_not_found|model[^.]{0,60}(not found|does not exist|not exist)")
_KEYS = re.compile(r"\b(sk|pk|rk|gsk|xai|api)[-_][\w*.-]{6,}|\bBearer \S+|\bAIza[\w-]{10,}")
_SECRET = 8
"""Shorter keys are placeholders such as "none" or "ollama", and words of the message."""

_SENTENCES: dict[Trouble, str] = {
    "key": "{place} refused the key{status}. Check the API key of this connection.",
    "credit": "{place} says that the account has no credit left{status}. Add credit, or choose "
    "another connection.",
    "model": '{place} does not know the model "{model}" or this address{status}. Choose a model '
    "that it lists, and check the base URL: it often ends with /v1.",
    "slow": "{place} took too long{status}. Try again, or choose a smaller model.",
    "long": "The conversation is too long for the model{status}. Start a new conversation, remove "
    "messages or context files, or choose a model with a larger context window.",
    "busy": "{place} is busy or wants fewer requests{status}. Wait a little and try again.",
    "loading": "{place} is still loading the model{status}. Try again in a while.",
    "moved": "{place} has moved{status}. Put the new address into the base URL.",
    "server": "{place} failed{status}. Try again; if it stays, look at the server's own log.",
    "odd": "{place} answered with something else than was asked for{status}. Check the base URL: "
    "it often ends with /v1, and another program may listen there.",
    "other": "{place} refused the request{status}.",
}
_PAGE = (
    "{place} answered with a web page instead of a model's answer{status}. Check the base URL: it "
    "often ends with /v1, and a proxy or a login page may stand between."
)


class BrokenError(ModelError):
    """The connection broke off, before or in the middle of an answer."""


def kind_of(refusal: Refusal) -> Trouble:
    """Return the kind of trouble; words count before the status, which servers choose freely."""
    status, words = refusal.status, refusal.words
    if status in {402, 403, 429, None} and _CREDIT.search(words):
        return "credit"
    if status in {400, 413, 422, 500, None} and _LONG.search(words):
        return "long"
    if _LOADING_SHORT.search(words) or (status in {500, 503, None} and _LOADING.search(words)):
        return "loading"
    if status in {400, 422, None} and _MODEL.search(words):
        return "model"
    if status is None:
        return "busy" if _BUSY.search(words) else "other"
    if status < 300:
        return "odd"
    if status < 400:
        return "moved"
    return _BY_STATUS.get(status, "server" if status >= 500 else "other")


def explained(refusal: Refusal, place: str, model: str, key: str | None) -> ModelError:
    """Return the error for the user, with the server's own words, shortened and without keys."""
    template = _PAGE if refusal.page else _SENTENCES[kind_of(refusal)]
    status = "" if refusal.status is None else f" ({refusal.status})"
    sentence = template.format(place=place, model=model, status=status)
    words = without_key(refusal.text, key)
    return ModelError(
        f'{sentence} It said: "{words}"' if words else sentence,
        status=refusal.status,
        retry_after=refusal.retry_after,
    )


def without_key(text: str, key: str | None) -> str:
    """Return `text` with the key, and everything that looks like one, replaced."""
    if key and len(key) >= _SECRET:
        text = text.replace(key, "(key)")
    return _KEYS.sub("(key)", text)
