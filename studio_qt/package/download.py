"""A package by URL: fetched within limits, checked as any other zip (CONS-04)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from studio_qt.errors import PackageError
from studio_qt.files import ZipLimits, ZipSource

if TYPE_CHECKING:
    import httpx

__all__ = ["download_file", "download_package", "is_url"]

Told = Callable[[int, int], None]

_MOST_REDIRECTS = 5
_TOTAL_SECONDS = 600.0
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_url(where: object) -> bool:
    """Whether a package is given by an address instead of a path."""
    return isinstance(where, str) and where.lower().startswith(("http://", "https://"))


async def download_package(url: str, *, limits: ZipLimits | None = None) -> ZipSource:
    """Fetch a zip and open it; nothing is written.

    Only https is fetched, and http to this machine itself; the same holds for every redirect.
    Raises PackageError that says what went wrong: the address, the server, the size, the zip.
    """
    limits = limits or ZipLimits()
    data, name = await download_file(url, limits=limits)
    return await asyncio.to_thread(ZipSource, data, name=name or "character.zip", limits=limits)


async def download_file(
    url: str, *, limits: ZipLimits | None = None, told: Told | None = None
) -> tuple[bytes, str]:
    """Fetch a file and return its bytes and its name, "" where the address has none.

    `told` gets how many bytes have come, and of how many (0: the server does not say). What is
    fetched, and PackageError, are as with `download_package`.
    """
    try:
        async with asyncio.timeout(_TOTAL_SECONDS):
            data, last = await _fetch(url, limits or ZipLimits(), told)
    except TimeoutError as error:
        raise PackageError(f"{url} took longer than {_TOTAL_SECONDS:.0f} s; try again.") from error
    return data, unquote(PurePosixPath(urlsplit(last).path).name)


async def _fetch(url: str, limits: ZipLimits, told: Told | None) -> tuple[bytes, str]:
    import httpx

    address = _checked(url)
    timeout = httpx.Timeout(30.0, connect=15.0)
    async with httpx.AsyncClient(timeout=timeout, follow_redirects=False) as client:
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                async with client.stream("GET", address) as reply:
                    if reply.next_request is None:
                        return await _body(reply, url, limits, told), address
                    address = _checked(str(reply.next_request.url))
            except httpx.HTTPError as error:
                raise PackageError(
                    f"{url} could not be fetched: {error or type(error).__name__}. "
                    "Check the address and the connection."
                ) from error
    raise PackageError(f"{url} leads from one address to the next without end.")


async def _body(reply: httpx.Response, url: str, limits: ZipLimits, told: Told | None) -> bytes:
    if reply.status_code != 200:
        raise PackageError(f"{url} answered with {reply.status_code}. Check the address.")
    length = reply.headers.get("content-length", "")
    whole = int(length) if length.isdecimal() else 0
    data = bytearray()
    async for piece in reply.aiter_bytes():
        data += piece
        if told is not None:
            told(len(data), whole)
        if len(data) > limits.unpacked:
            size = limits.unpacked // (1024 * 1024)
            raise PackageError(f"{url} is larger than {size} MB, the most that is opened.")
    return bytes(data)


def _checked(url: str) -> str:
    """Return an address that may be fetched; raises PackageError for any other."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        known = parts.port is None or parts.port > 0
    except ValueError as error:
        raise PackageError(f"{url} is no address: {error}.") from error
    safe = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    if not host or not known or not safe:
        raise PackageError(
            f"{url} is not fetched: packages come by https, or by http from this machine itself."
        )
    return url
