"""What `studio.web.fetch` does where the user allows it (BR-08)."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import replace

import httpx

from studio_qt import __version__
from studio_qt.errors import AgentError, ClosedError
from studio_qt.jsontext import JsonObject
from studio_qt.web.content import decode, kind_of, media_type
from studio_qt.web.hop import Answer, Door, open_hop
from studio_qt.web.page import Page, read_page
from studio_qt.web.url import Url, parse_url

__all__ = ["WebReader"]

_AT_ONCE = 4
_BODY_BYTES = 5_000_000
_DEFAULT_CHARS, _LEAST_CHARS, _MOST_CHARS = 8000, 500, 30_000
_HEADERS = {
    "User-Agent": f"CharacterStudio/{__version__} (reads single pages for a user; no crawler)",
    "Accept": "text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.8,*/*;q=0.1",
    "Accept-Encoding": "gzip",
    "Connection": "close",
}
_CONTROLS = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HOPS = 5


class WebReader:
    """Fetches web pages and returns their readable text; one a player, used on one loop.

    Only http(s), only the public internet, on every hop of a redirect; no proxy of the
    environment, no cookies, no referrer, no authentication. `door` and `tls` are for tests that
    serve on loopback. At most four pages are read at once; more wait.
    """

    def __init__(self, *, door: Door | None = None, tls: ssl.SSLContext | None = None) -> None:
        self._door = door or Door()
        self._tls = tls
        self._transport: httpx.AsyncHTTPTransport | None = None
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._closed = False

    async def fetch(
        self, url: str, max_chars: int | None = None, *, seconds: float = 20.0
    ) -> JsonObject:
        """Return `{url, status, contentType, title, text, truncated}` of a page.

        `url` in the result is the one after redirects, `title` None for all but HTML. `max_chars`
        is 8000 if None, and kept between 500 and 30,000; `seconds` bounds everything together.
        `truncated` also tells that the page was over 5 MB and only its beginning was read. A
        status that means failure is a result, too.

        Raises AgentError: "not a valid URL", "only http(s)", "blocked", or what else went wrong.
        """
        if self._closed:
            raise ClosedError("This web reader is closed.")
        limit = _clamped(max_chars)
        first = parse_url(url)
        try:
            async with asyncio.timeout(seconds), self._places:
                return await self._follow(first, limit)
        except TimeoutError as error:
            raise AgentError(
                f"{first.netloc} took longer than {seconds:g} s. Try again, or another page."
            ) from error

    async def close(self) -> None:
        """Close the connections; afterwards `fetch` raises ClosedError. Twice is harmless."""
        self._closed = True
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.aclose()

    async def _follow(self, url: Url, limit: int) -> JsonObject:
        for _ in range(_HOPS + 1):
            async with open_hop(self._connections, self._door, url, _HEADERS) as answer:
                location = answer.header("location")
                if answer.status not in _REDIRECTS or not location:
                    return await _result(url, answer, limit)
            url = url.join(location)
        raise AgentError(f"The page redirects more than {_HOPS} times; the last was to {url}.")

    async def _connections(self) -> httpx.AsyncHTTPTransport:
        if self._tls is None:  # reading all certificates takes 20 ms
            self._tls = await asyncio.to_thread(httpx.create_ssl_context, trust_env=False)
        if self._closed:
            raise ClosedError("This web reader is closed.")
        if self._transport is None:
            self._transport = httpx.AsyncHTTPTransport(
                verify=self._tls,
                trust_env=False,
                # A connection serves one request: two names at one address must not share it.
                limits=httpx.Limits(max_keepalive_connections=0),
            )
        return self._transport


async def _result(url: Url, answer: Answer, limit: int) -> JsonObject:
    header = answer.header("content-type")
    kind_of(header or "text/plain", b"")  # what cannot be read is not downloaded
    body, cut = await answer.body(_BODY_BYTES)
    page = await _page(body, header, limit)
    return {
        "url": str(url),
        "status": answer.status,
        "contentType": media_type(header),
        "title": page.title,
        "text": page.text,
        "truncated": page.truncated or cut,
    }


async def _page(body: bytes, header: str, limit: int) -> Page:
    markup = kind_of(header, body) == "markup"
    text = await asyncio.to_thread(decode, body, header, markup=markup)
    if markup:
        page = await read_page(text, limit)
        return replace(page, text=page.text.translate(_CONTROLS))
    text = text.replace("\r\n", "\n").translate(_CONTROLS).strip()
    return Page(None, text[:limit], len(text) > limit)


def _clamped(max_chars: int | None) -> int:
    wanted = _DEFAULT_CHARS if max_chars is None else max_chars
    return max(_LEAST_CHARS, min(_MOST_CHARS, wanted))
