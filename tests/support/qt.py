"""Waiting inside coroutines on the qasync loop, without ever nesting a Qt loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["signal", "until"]


async def signal(emitter: object, timeout: float = 5.0) -> tuple:
    """Wait for the next emit of a bound Qt signal and return its arguments."""
    heard: asyncio.Future[tuple] = asyncio.get_running_loop().create_future()

    def hear(*arguments: object) -> None:
        if not heard.done():
            heard.set_result(arguments)

    emitter.connect(hear)
    try:
        return await asyncio.wait_for(heard, timeout)
    finally:
        emitter.disconnect(hear)


async def until(condition: Callable[[], bool], timeout: float = 5.0) -> None:
    """Let the loop run until `condition()` holds; raises TimeoutError with its name.

    For what has no signal to wait for; it looks once every 5 ms.
    """
    try:
        async with asyncio.timeout(timeout):
            while not condition():
                await asyncio.sleep(0.005)
    except TimeoutError:
        name = getattr(condition, "__qualname__", repr(condition))
        raise TimeoutError(f"{name} did not hold within {timeout} s") from None
