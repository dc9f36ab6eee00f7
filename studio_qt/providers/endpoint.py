"""Where a server is: base URLs as people type them, made whole, and the kind that they tell."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, urlsplit, urlunsplit

from studio_qt.errors import StudioError

__all__ = ["Endpoint", "ServerKind"]

ServerKind = Literal[
    "openai",
    "venice",
    "openrouter",
    "deepseek",
    "mistral",
    "groq",
    "anthropic",
    "gemini",
    "ollama",
    "lmstudio",
    "llamacpp",
    "vllm",
    "unknown",
]

_HOSTS: dict[str, ServerKind] = {
    "openai.com": "openai",
    "venice.ai": "venice",
    "openrouter.ai": "openrouter",
    "deepseek.com": "deepseek",
    "mistral.ai": "mistral",
    "groq.com": "groq",
    "anthropic.com": "anthropic",
    "googleapis.com": "gemini",
}
_PORTS: dict[int, ServerKind] = {
    11434: "ollama",
    1234: "lmstudio",
    8080: "llamacpp",
    9931: "llamacpp",
    8000: "vllm",
}
_ROUTES = re.compile(r"(/chat/completions|/completions|/models|/chat)$")
_EXPECTED = (
    "use http:// or https:// and the address of an OpenAI-compatible server, "
    'for example http://127.0.0.1:11434/v1, or "rehearsal:" for the built-in offline model.'
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible server.

    `base` has no trailing slash, no credentials, and identifies the endpoint in profiles and
    messages; `root` and `query` make the addresses that are asked.
    """

    base: str
    root: str
    query: str
    kind: ServerKind
    loopback: bool

    @classmethod
    def parse(cls, base_url: str) -> Endpoint:
        """Return the endpoint that `base_url` means, with or without slash, /v1 or full route.

        Without a scheme, https is taken, but http for numbers and for names of the local network.
        `localhost` becomes 127.0.0.1, since some systems try ::1 first, and so does 0.0.0.0, which
        servers print. Raises
        StudioError for other schemes and for what is no address.
        """
        parts = _split(base_url)
        host = parts.hostname or ""
        if host in {"localhost", "0.0.0.0"}:
            host = "127.0.0.1"
        place = f"[{host}]" if ":" in host else host
        if parts.port is not None:
            place = f"{place}:{parts.port}"
        path = _whole_path(parts.path, _kind(host, parts.port))
        login, at, _ = parts.netloc.rpartition("@")
        base = urlunsplit((parts.scheme, place, path, "", ""))
        root = urlunsplit((parts.scheme, login + at + place, path, "", ""))
        return cls(base, root, parts.query, _kind(host, parts.port), _is_loopback(host))

    def url(self, route: str) -> str:
        """Return the address of `route`, such as "chat/completions"."""
        query = f"?{self.query}" if self.query else ""
        return f"{self.root}/{route}{query}"


def _split(base_url: str) -> SplitResult:
    typed = base_url.strip()
    if "://" not in typed and not re.match(r"^[a-z][a-z0-9+.-]*:(?!\d)", typed, re.IGNORECASE):
        typed = f"{_scheme_for(typed)}://{typed}"
    try:
        parts = urlsplit(typed)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable or re.search(r"\s", typed):
        raise StudioError(f'"{_shown(base_url)}" is no base URL: {_EXPECTED}')
    return parts


def _scheme_for(typed: str) -> str:
    host = urlsplit(f"//{typed}").hostname or "" if "[" not in typed else "::1"
    local = "." not in host or host.endswith((".local", ".lan", ".home.arpa"))
    return "http" if local or _address(host) else "https"


def _shown(base_url: str) -> str:
    """Return what was typed without what could be a password."""
    return re.sub(r"//[^/@]*@", "//", base_url.strip())[:200]


def _whole_path(path: str, kind: ServerKind) -> str:
    path = re.sub(r"/{2,}", "/", path).rstrip("/")
    while (shorter := _ROUTES.sub("", path).rstrip("/")) != path:
        path = shorter
    if kind == "gemini" and path in {"", "/v1beta"}:
        return "/v1beta/openai"
    if kind in {"openrouter", "venice"} and path in {"", "/api"}:
        return "/api/v1"
    return path or "/v1"


def _kind(host: str, port: int | None) -> ServerKind:
    for name, kind in _HOSTS.items():
        if host == name or host.endswith(f".{name}"):
            return kind
    if port is not None and (host == "localhost" or _address(host)):
        return _PORTS.get(port, "unknown")
    return "unknown"


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_loopback(host: str) -> bool:
    address = _address(host)
    return address is not None and address.is_loopback
