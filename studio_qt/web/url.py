"""Addresses as agents give them, brought into one form before anything is decided (BR-08).

A host has many spellings: `127.1`, `2130706433`, `0x7f.0.0.1`, `①②⑦.0.0.1`, `%3127.0.0.1`. Here
each becomes the one that it means, as the WHATWG URL standard reads it, so that whoever checks
and whoever connects speak of the same host.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urljoin

import idna

from studio_qt.errors import AgentError

__all__ = ["IPAddress", "Url", "parse_url", "shown"]

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_LONGEST = 4000  # characters
_SHAPE = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#]*)([^#]*)", re.IGNORECASE)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?:.*@)?(\[[^\]]*\]|[^:\[\]]*)(?::(\d*))?", re.DOTALL)
_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+", re.IGNORECASE)
_KEPT = "/?:@!$&'()*+,;=%~[]|"  # in a path and query; all else goes as %XX
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Url:
    """An http(s) address in one form.

    `host` is a lower-case ASCII name without a final dot, or an address; `path` begins with a
    slash, holds the query, and is ASCII. A name and password in the address are left out, never
    sent.
    """

    scheme: str
    host: str | IPAddress
    port: int
    path: str

    @property
    def netloc(self) -> str:
        """Host and, unless it is the scheme's own, port: as the `Host` header has it."""
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{bracketed(self.host)}{port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}"

    def at(self, address: IPAddress) -> str:
        """The address with the host replaced by where it was found, for the connection."""
        return f"{self.scheme}://{bracketed(address)}:{self.port}{self.path}"

    def join(self, location: str) -> Url:
        """Where a redirect leads; raises as `parse_url` does."""
        try:
            return parse_url(urljoin(str(self), location.strip()))
        except ValueError as error:
            raise _invalid(location, "the page redirects there") from error


def parse_url(text: str) -> Url:
    """Return the address that `text` spells.

    Raises AgentError with "not a valid URL", or "only http(s)" for another scheme.
    """
    text = text.strip()
    match = _SHAPE.match(text)
    scheme = match[1].lower() if match else _scheme_of(text)
    if scheme and scheme not in _PORTS:
        raise AgentError(f"{shown(text)}: only http(s) addresses can be read, not {scheme}.")
    if match is None or len(text) > _LONGEST or not text.isprintable() or " " in match[2]:
        raise _invalid(text, "write it whole, for example https://example.com/page")
    parts = _AUTHORITY.fullmatch(match[2])
    if parts is None or "\\" in match[2]:
        raise _invalid(text, "its host cannot be read")
    port = int(parts[2][:6]) if parts[2] else _PORTS[scheme]
    if not 0 < port < 65536:
        raise _invalid(text, f"there is no port {port}")
    return Url(scheme, _host(parts[1], text), port, _path(match[3]))


def shown(text: str) -> str:
    """Return an address short and printable, for a message."""
    clean = "".join(sign if sign.isprintable() else "?" for sign in text[:200])
    return clean + ("…" if len(text) > 200 else "") or "An empty text"


def bracketed(host: str | IPAddress) -> str:
    """Return a host as it stands in a URL: IPv6 in brackets."""
    return f"[{host}]" if isinstance(host, ipaddress.IPv6Address) else str(host)


def _scheme_of(text: str) -> str:
    match = _SCHEME.match(text)
    return match[1].lower() if match else ""


def _invalid(text: str, reason: str) -> AgentError:
    return AgentError(f"{shown(text)} is not a valid URL: {reason}.")


def _path(rest: str) -> str:
    whole = rest if rest.startswith("/") else f"/{rest}"
    return quote(whole, safe=_KEPT)


def _host(spelling: str, text: str) -> str | IPAddress:
    if spelling.startswith("["):
        try:
            return ipaddress.IPv6Address(unquote(spelling[1:-1]))
        except ValueError as error:
            raise _invalid(text, "the address in brackets cannot be read") from error
    name = _ascii(unquote(spelling), text).lower().removesuffix(".")
    if not _NAME.fullmatch(name) or len(name) > 253:
        raise _invalid(text, "its host cannot be read")
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        return _ipv4(name, text)
    return name


def _ascii(name: str, text: str) -> str:
    if name.isascii():
        return name
    try:
        return idna.encode(name, uts46=True).decode("ascii")
    except (UnicodeError, ValueError) as error:
        raise _invalid(text, "its host is no name that can be looked up") from error


def _ipv4(name: str, text: str) -> ipaddress.IPv4Address:
    """Read one to four numbers, each decimal, octal (0…) or hex (0x…); the last fills the rest."""
    try:
        *first, last = [_number(part) for part in name.split(".")]
        if len(first) > 3 or any(part > 255 for part in first) or last >= 256 ** (4 - len(first)):
            raise ValueError(name)
    except ValueError as error:
        raise _invalid(text, "its host looks like a number and is no address") from error
    value = last + sum(part << (24 - 8 * place) for place, part in enumerate(first))
    return ipaddress.IPv4Address(value)


def _number(part: str) -> int:
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8 if part.startswith("0") and part != "0" else 10)
