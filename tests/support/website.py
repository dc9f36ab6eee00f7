"""A web server on loopback that answers each path with what a test gives."""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pytest_asyncio

from studio_qt.web.hop import Door
from studio_qt.web.url import IPAddress

__all__ = ["LOOPBACK", "Site", "door", "moved", "page", "site"]

LOOPBACK = ipaddress.ip_address("127.0.0.1")
Writing = Callable[[asyncio.StreamWriter], Awaitable[None]]


def page(
    body: str | bytes,
    kind: str | None = "text/html; charset=utf-8",
    status: int = 200,
    **headers: str,
) -> bytes:
    """A whole answer; `Content_Encoding` and the like become headers."""
    data = body.encode() if isinstance(body, str) else body
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    if kind is not None:
        given["Content-Type"] = kind
    given["Content-Length"] = str(len(data))
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"HTTP/1.1 {status} Word\r\n{lines}\r\n".encode() + data


def moved(location: str, status: int = 302) -> bytes:
    return page("", status=status, Location=location)


@dataclass
class Site:
    """`pages` maps a path to an answer, or to a coroutine that writes one."""

    port: int = 0
    pages: dict[str, bytes | Writing] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    broke_off: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, path: str = "/", host: str = "site.example", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.requests.append(head)
            answer = self.pages.get(head.split(" ")[1], page("Not here.", status=404))
            try:
                if isinstance(answer, bytes):
                    writer.write(answer)
                    await writer.drain()
                else:
                    await answer(writer)
            except ConnectionError:
                self.broke_off.set()
        writer.close()
        with suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()


@pytest_asyncio.fixture
async def site() -> AsyncIterator[Site]:
    site = Site()
    async with await asyncio.start_server(site.serve, "127.0.0.1", 0) as server:
        site.port = server.sockets[0].getsockname()[1]
        yield site


def door(site: Site, names: Mapping[str, Sequence[str]] | None = None) -> Door:
    """What lets a reader out to the site alone; every name leads there unless `names` is given."""

    async def resolve(name: str, port: int) -> list[IPAddress]:
        found = ["127.0.0.1"] if names is None else names.get(name, ())
        return [ipaddress.ip_address(address) for address in found]

    return Door(resolve, lambda address: address == LOOPBACK, frozenset({site.port}))
