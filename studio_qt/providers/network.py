"""All that is imported up to the end of a first request, imported at once: do it on a thread.

httpx and what it stands on import most of their modules when they are first used, which takes 40 ms
of whoever asks.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module

__all__: list[str] = []

for _name in ("httpx", "httpcore", "anyio.streams.tls", "anyio._backends._asyncio"):
    with suppress(ImportError):  # a later version may have it elsewhere; then it comes when used
        import_module(_name)
