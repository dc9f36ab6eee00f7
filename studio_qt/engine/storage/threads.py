"""Blocking work off the loop that is finished even when the one who waits for it is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import TypeVar

__all__ = ["unbroken"]

_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)


async def unbroken(work: Callable[[], _Result]) -> _Result:
    """Run `work` in a thread and wait for its end, also through a cancellation.

    So nothing else touches the same file meanwhile. A cancellation is raised when the work is
    done; an error that it hides is logged.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with contextlib.suppress(asyncio.CancelledError):  # raised again below
                await asyncio.wait([task])
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("Work failed whose result nobody waits for", exc_info=error)
        raise
