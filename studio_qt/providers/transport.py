"""HTTP, the thin shell: connections, timers, and the words for what can go wrong on the way.

It is imported when the first request is made, because httpx takes a while to import.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager

import httpx

from studio_qt.errors import ModelError
from studio_qt.providers.patience import Patience
from studio_qt.providers.trouble import BrokenError

__all__ = ["Reply", "Transport"]

_REFUSAL_BYTES = 65_536


class Reply:
    """A server's answer whose headers are there; the body comes by `pieces` or `beginning`."""

    def __init__(self, response: httpx.Response, timers: Timers) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = {k.lower(): v for k, v in response.headers.items()}
        self._response = response
        self._timers = timers

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the body, unpacked, as it arrives; raises ModelError when it breaks or stalls."""
        async with aclosing(_chunks(self._response)) as chunks:
            while True:
                with self._timers.failures():
                    async with asyncio.timeout_at(self._timers.deadline()):
                        piece = await anext(chunks, None)
                if piece is None:
                    return
                self._timers.heard()
                if piece:
                    yield piece

    def hurry(self) -> None:
        """Everything that matters is there: wait only a moment for more."""
        self._timers.hurry()

    async def beginning(self) -> bytes:
        """Return the body of a refusal, at most its first 64 KB; what breaks off there is all."""
        data = b""
        try:
            async for piece in self.pieces():
                data += piece
                if len(data) >= _REFUSAL_BYTES:
                    break
        except ModelError:
            return data
        return data


class Timers:
    """Until the first byte, then from byte to byte."""

    def __init__(self, patience: Patience, place: str) -> None:
        self._patience = patience
        self._place = place
        self._loop = asyncio.get_running_loop()
        self._first_until: float | None = self._loop.time() + patience.first_byte
        self._limit = patience.idle

    def heard(self) -> None:
        """A byte has come: from now on the idle timer counts."""
        self._first_until = None

    def hurry(self) -> None:
        """Wait only a moment for what may still follow an answer."""
        self._limit = min(self._limit, self._patience.after_end)

    def deadline(self) -> float:
        """Return the loop time at which the next byte must have come."""
        return self._first_until or self._loop.time() + self._limit

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Turn what the network does into a ModelError that says what to do."""
        try:
            yield
        except TimeoutError as error:
            raise ModelError(self._silence()) from error
        except httpx.ConnectTimeout as error:
            raise ModelError(
                f"{self._place} cannot be reached: no connection within "
                f"{self._patience.connect:g} s. Check the network and the base URL."
            ) from error
        except httpx.ProxyError as error:
            raise ModelError(f"The proxy on the way to {self._place} failed: {error}") from error
        except httpx.ConnectError as error:
            raise ModelError(_unreachable(self._place, error)) from error
        except httpx.DecodingError as error:
            raise ModelError(
                f"{self._place} sent an answer that cannot be unpacked: {error}. Try again."
            ) from error
        except httpx.TransportError as error:
            raise BrokenError(
                f"The connection to {self._place} broke off. Try again, or go on from what came."
            ) from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise ModelError(f"{self._place} is no usable address: {error}") from error

    def _silence(self) -> str:
        if self._first_until is not None:
            return (
                f"{self._place} has not begun to answer within {self._patience.first_byte:g} s. "
                "It may still be loading the model: try again, or choose a smaller one."
            )
        return (
            f"{self._place} stopped in the middle of its answer: nothing came for "
            f"{self._limit:g} s. Try again, or go on from what came."
        )


class Transport:
    """One pool of connections to one server; used on one loop. `loopback` asks no proxy."""

    def __init__(self, place: str, patience: Patience, *, loopback: bool) -> None:
        self._place = place
        self._patience = patience
        plain = loopback and place.startswith("http:")
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(None, connect=patience.connect, write=patience.idle),
            trust_env=not loopback,
            # Reading all certificates takes 20 ms; where TLS is never spoken, none are trusted.
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True,
        )

    @asynccontextmanager
    async def open(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> AsyncIterator[Reply]:
        """Send a request and give the answer when its headers are there; leaving closes it."""
        timers = Timers(self._patience, self._place)
        with timers.failures():
            request = self._client.build_request(method, url, headers=headers, content=body)
            async with asyncio.timeout_at(timers.deadline()):
                response = await self._client.send(request, stream=True)
        try:
            yield Reply(response, timers)
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()


async def _chunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    async for piece in response.aiter_bytes():
        yield piece


def _unreachable(place: str, error: httpx.ConnectError) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return (
                f"The certificate of {place} is not trusted ({cause.reason}). Check the base URL; "
                "a server of your own may need http:// instead of https://."
            )
        cause = cause.__cause__ or cause.__context__
    return (
        f"Nothing answers at {place}. Start the server, or correct the base URL of this connection."
    )
