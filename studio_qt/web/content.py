"""What came: which kinds of content can be read, and in which characters they are written."""

from __future__ import annotations

import codecs
import re
from email.message import Message

from studio_qt.errors import AgentError

__all__ = ["decode", "kind_of", "media_type"]

_MARKUP = frozenset({"text/html", "application/xhtml+xml"})
_TEXT = frozenset(
    {
        "application/json",
        "application/markdown",
        "application/toml",
        "application/x-ndjson",
        "application/x-yaml",
        "application/xml",
        "application/yaml",
    }
)
_NOT_TEXT = frozenset({"text/event-stream"})  # it never ends
_META = re.compile(rb"""<meta[^>]{0,400}?charset\s*=\s*["']?\s*([a-zA-Z0-9_:.-]{1,40})""", re.I)
_XML = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([a-zA-Z0-9_:.-]{1,40})""", re.I)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PREFIX = 4096  # bytes in which a page names its characters
_SAFE = re.compile(
    r"utf-8|utf-16(-[bl]e)?|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|gb2312|gbk|gb18030|big5"
    r"|big5hkscs|euc_\w+|iso2022_\w+|shift_jis\w*|hz|johab|tis-620|ptcp154|kz1048"
)
_WEB_MEANING = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}


def media_type(header: str) -> str:
    """Return the type of a Content-Type header, lower case, without its parameters."""
    return header.partition(";")[0].strip().lower()[:100]


def kind_of(header: str, body: bytes) -> str:
    """Return "markup" or "text"; raises AgentError for what is neither.

    A server that names no type is taken at what the body begins with.
    """
    kind = media_type(header)
    if kind in _MARKUP or (not kind and _looks_like_markup(body)):
        return "markup"
    readable = kind in _TEXT or kind.endswith(("+json", "+xml")) or kind.startswith("text/")
    if kind and (not readable or kind in _NOT_TEXT):
        raise AgentError(f"The page is of the type {kind}, which cannot be read as text.")
    if b"\0" in body[:_PREFIX] and not body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise AgentError("The page is no text.")
    return "text"


def decode(body: bytes, header: str, *, markup: bool) -> str:
    """Return the body as text; what does not fit its characters becomes U+FFFD.

    A byte-order mark counts first, then the header, then what the page says of itself; without
    any it is UTF-8, or Windows-1252 where it is not.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    named = _codec(_charset(header)) or _codec(_own_charset(body, markup=markup))
    if named is not None:
        return body.decode(named, "replace")
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(body)  # it may be cut off anywhere
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _looks_like_markup(body: bytes) -> bool:
    return body[:_PREFIX].lstrip().lower().startswith((b"<!doctype html", b"<html"))


def _charset(header: str) -> str:
    message = Message()
    message["content-type"] = header
    return message.get_content_charset() or ""


def _own_charset(body: bytes, *, markup: bool) -> str:
    start = body[:_PREFIX]
    match = (_META.search(start) if markup else None) or _XML.match(start)
    name = match[1].decode("ascii").lower() if match else ""
    return "utf-8" if name.startswith("utf-16") else name  # it could not have been read so far


def _codec(name: str) -> str | None:
    """Return Python's name of a charset: only real ones, no `zip`, `idna` or `unicode_escape`."""
    try:
        found = codecs.lookup(name).name if name else ""
    except (LookupError, ValueError):
        return None
    return _WEB_MEANING.get(found, found) if _SAFE.fullmatch(found) else None
