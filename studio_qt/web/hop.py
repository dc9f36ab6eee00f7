"""One request to one address: checked and pinned before a connection is made (BR-08).

The name is looked up once, every address that it has must be allowed, and the connection goes to
one of these addresses by number. So a name that answers differently the second time gains nothing:
there is no second time. TLS still verifies the name.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

import httpx

from studio_qt.errors import AgentError
from studio_qt.web.ranges import is_local_name, is_public, look_up
from studio_qt.web.url import IPAddress, Url

__all__ = ["PORTS", "Answer", "Door", "Resolver", "open_hop"]

PORTS = frozenset({80, 443, 8080, 8443})
"""Ports on which web pages are served; others are databases, mail, and machines' consoles."""

Resolver = Callable[[str, int], Awaitable[Sequence[IPAddress]]]
Connections = Callable[[], Awaitable[httpx.AsyncHTTPTransport]]


@dataclass(frozen=True, slots=True)
class Door:
    """What lets a request out: how names are looked up, and which addresses and ports may be met.

    The defaults are the real ones; a test that serves on loopback gives its own.
    """

    resolve: Resolver = look_up
    allowed: Callable[[IPAddress], bool] = is_public
    ports: frozenset[int] = PORTS

    async def addresses(self, url: Url) -> Sequence[IPAddress]:
        """Return where `url` may be met; raises AgentError with "blocked" when any is not allowed.

        What a name leads to is not told: an agent learns nothing of the user's network.
        """
        name = url.netloc
        if url.port not in self.ports:
            ports = ", ".join(map(str, sorted(self.ports)))
            raise AgentError(f"{name} is blocked: pages are read from the ports {ports} alone.")
        if isinstance(url.host, str) and is_local_name(url.host):
            raise AgentError(f"{name} is blocked: the name belongs to the user's own network.")
        found = await self._found(url)
        if not found:
            raise AgentError(f"{name} could not be found. Check the spelling and the network.")
        if not all(self.allowed(address) for address in found):
            raise AgentError(f"{name} is blocked: it does not lie in the public internet.")
        return found

    async def _found(self, url: Url) -> Sequence[IPAddress]:
        if isinstance(url.host, str):
            return await self.resolve(url.host, url.port)
        return (url.host,)


class Answer:
    """A server's answer whose headers are there."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.status = response.status_code

    def header(self, name: str) -> str:
        """Return a header, or ""."""
        return str(self._response.headers.get(name, ""))

    async def body(self, limit: int) -> tuple[bytes, bool]:
        """Return the unpacked body, at most its first `limit` bytes, and whether it was longer.

        Packed bytes are unpacked only as far as the limit, so that a small bomb stays small.
        """
        coding = self.header("content-encoding").strip().lower()
        if coding not in ("", "identity", "gzip", "x-gzip"):
            raise AgentError(f"The page came packed as {coding[:40]}, which was not asked for.")
        raw = bytearray()
        async with aclosing(_pieces(self._response)) as pieces:
            async for piece in pieces:
                raw += piece
                if len(raw) > limit:
                    break
        if coding.endswith("gzip"):
            data = await asyncio.to_thread(_unpacked, bytes(raw[:limit]), limit + 1)
        else:
            data = bytes(raw)
        return data[:limit], max(len(raw), len(data)) > limit


async def _pieces(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    async for piece in response.aiter_raw():
        yield piece


def _unpacked(packed: bytes, limit: int) -> bytes:
    """Return at most `limit` bytes of what gzip holds, however many members it has."""
    data = bytearray()
    try:
        while packed and len(data) < limit:
            member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
            data += member.decompress(packed, limit - len(data))
            packed = member.unused_data
    except zlib.error as error:
        if not data:  # else it is rubbish behind a page that is whole
            raise AgentError("The page came damaged and cannot be unpacked.") from error
    return bytes(data)


@asynccontextmanager
async def open_hop(
    connections: Connections, door: Door, url: Url, headers: dict[str, str]
) -> AsyncGenerator[Answer, None]:
    """Send a GET to `url` and give the answer; leaving closes the connection.

    Raises AgentError: blocked, not found, not reached, or a certificate that does not fit.
    """
    addresses = await door.addresses(url)
    transport = await connections()
    try:
        response = await _first_that_answers(transport, url, addresses, headers)
    except httpx.TransportError as error:
        raise AgentError(f"{url.netloc} could not be reached: {_reason(error)}.") from error
    try:
        yield Answer(response)
    except httpx.TransportError as error:
        raise AgentError(f"{url.netloc} broke off: {_reason(error)}.") from error
    finally:
        await response.aclose()


async def _first_that_answers(
    transport: httpx.AsyncHTTPTransport,
    url: Url,
    addresses: Sequence[IPAddress],
    headers: dict[str, str],
) -> httpx.Response:
    for address in addresses[:-1]:
        try:
            return await transport.handle_async_request(_request(url, address, headers))
        except (httpx.ConnectError, httpx.ConnectTimeout):
            continue
    return await transport.handle_async_request(_request(url, addresses[-1], headers))


def _request(url: Url, address: IPAddress, headers: dict[str, str]) -> httpx.Request:
    timeouts = httpx.Timeout(10, connect=5).as_dict()
    return httpx.Request(
        "GET",
        url.at(address),
        headers={"Host": url.netloc, **headers},
        extensions={"sni_hostname": str(url.host), "timeout": timeouts},
    )


def _reason(error: httpx.TransportError) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not to be trusted ({cause.verify_message})"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.TimeoutException):
        return "it does not answer in time"
    if isinstance(error, httpx.ProtocolError):
        return "it does not speak HTTP as it should"
    return "the connection failed"
