"""What a server says when it does not answer: one `Refusal` out of many shapes of body."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from studio_qt.jsontext import JsonObject, JsonValue, decode, encode
from studio_qt.providers.lenient import as_count, as_list, as_object, as_text, dig, objects_in
from studio_qt.sentences import shortened

__all__ = ["Refusal", "RefusedError", "read_refusal", "read_retry_after", "refusal_in"]

_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal: `status` None where the server named none, `text` as the server wrote it.

    `param` is the field that it names apart from the text, a path with dots or ""; `code` is its
    own word for the kind of error, or "".
    """

    status: int | None
    text: str
    param: str = ""
    code: str = ""
    retry_after: float | None = None
    page: bool = False  # an HTML page: nothing of this interface has answered

    @property
    def words(self) -> str:
        """Everything that was said, in lower case, to look for causes."""
        return f"{self.code} {self.param} {self.text}".lower()


class RefusedError(Exception):
    """The server refused inside an exchange; never leaves the provider as it is.

    Its own text says little, because tracebacks are logged and a refusal may repeat the key.
    """

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"refused with status {refusal.status}")
        self.refusal = refusal


def read_refusal(
    status: int, body: bytes, headers: Mapping[str, str], now: datetime | None = None
) -> Refusal:
    """Return what an answer of status 300 and more says; `headers` with names in lower case."""
    wait = read_retry_after(headers.get("retry-after", ""), now or datetime.now(UTC))
    text = body.decode("utf-8", "replace").strip()
    if text[:1] == "<":
        return Refusal(status, _page_words(text), retry_after=wait, page=True)
    try:
        value = decode(text) if text else None
    except ValueError:
        return Refusal(status, _short(text), retry_after=wait)
    found = refusal_in(value, wholly=True)
    if found is None:
        return Refusal(status, _short(text), retry_after=wait)
    return Refusal(status, found.text, found.param, found.code, wait or found.retry_after)


def refusal_in(value: JsonValue, *, wholly: bool = False) -> Refusal | None:
    """Return the refusal that a JSON value holds, None when it holds none.

    A chunk or an answer counts only by its `error`; `wholly` (the body of a failure) takes other
    shapes as well: `message`, `detail`, a bare string.
    """
    if isinstance(value, list):
        found = [refusal for item in value if (refusal := refusal_in(item, wholly=wholly))]
        return found[0] if found else None
    if wholly and isinstance(value, str) and value:
        return Refusal(None, _short(value))
    body = as_object(value)
    error = body.get("error")
    if error:
        beside = as_text(body.get("message")) if not isinstance(error, dict) else ""
        return _of_error(error, beside)
    if body.get("object") == "error" or (wholly and body):
        return _of_error(body, "")
    return None


def read_retry_after(value: str, now: datetime) -> float | None:
    """Return the seconds that a Retry-After header means: a number, or a date; None for neither."""
    value = value.strip()
    try:
        return (
            max(0.0, float(value)) if re.fullmatch(r"-?\d+(\.\d+)?", value) else _until(value, now)
        )
    except (ValueError, TypeError, OverflowError):
        return None


def _until(value: str, now: datetime) -> float | None:
    if not value:
        return None
    moment = parsedate_to_datetime(value)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _of_error(error: JsonValue, beside: str) -> Refusal:
    """Read an error object, a text, or the whole body of a failure."""
    if not isinstance(error, dict):
        said = error if isinstance(error, str) else encode(error)
        return Refusal(None, _short(f"{said}: {beside}" if beside else said))
    detail = error.get("detail")
    text = as_text(error.get("message")) or as_text(detail) or as_text(error.get("msg"))
    param = as_text(error.get("param"))
    if isinstance(detail, list) or isinstance(error.get("message"), (list, dict)):
        text, param = _of_details(as_list(detail) or error.get("message"))
    raw = _raw(dig(error, "metadata.raw"))
    if raw and raw not in text:
        text = f"{text}: {raw}" if text else raw
    code, kind = error.get("code"), as_text(error.get("type"))
    status = as_count(code)
    return Refusal(
        status if status is not None and 400 <= status <= 599 else None,
        _short(text or encode(error)),
        param,
        " ".join(word for word in (as_text(code), kind) if word),
        _wait_in(error),
    )


def _of_details(details: JsonValue) -> tuple[str, str]:
    """Read a list of faults as FastAPI and Mistral give them: text, and path of the first."""
    rows = objects_in(details if isinstance(details, list) else as_object(details).get("detail"))
    texts, paths = [], []
    for row in rows:
        path = ".".join(str(part) for part in as_list(row.get("loc")) if part != "body")
        texts.append(f"{path}: {as_text(row.get('msg'))}" if path else as_text(row.get("msg")))
        paths.append(path)
    return "; ".join(texts) or encode(details), next(iter(paths), "")


def _raw(value: JsonValue) -> str:
    """Return the provider's own words inside a router's error; they are often JSON in a string."""
    if isinstance(value, str):
        try:
            inner = refusal_in(decode(value), wholly=True)
        except ValueError:
            inner = None
        return inner.text if inner else value
    return encode(value) if value else ""


def _wait_in(error: JsonObject) -> float | None:
    """Return the wait that stands in the body (Gemini's RetryInfo, OpenRouter's headers)."""
    for row in objects_in(error.get("details")):
        if match := re.fullmatch(r"(\d+(\.\d+)?)s", as_text(row.get("retryDelay"))):
            return float(match[1])
    inner = as_count(dig(error, "metadata.headers.Retry-After"))
    return None if inner is None else float(inner)


def _page_words(page: str) -> str:
    title = re.search(r"<title[^>]*>(.*?)</title>", page, re.IGNORECASE | re.DOTALL)
    words = title[1] if title else re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page, flags=re.S)
    return _short(html.unescape(words))


def _short(text: str) -> str:
    return shortened(" ".join(text.split()), _LONGEST)
