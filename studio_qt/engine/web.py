"""The player's door to web pages: opened with the first page, closed with the player (BR-08)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio_qt.jsontext import JsonObject

if TYPE_CHECKING:
    from studio_qt.web import WebReader

__all__ = ["Web"]

_SECONDS = 20.0
_SHARE = 0.8
"""Of the time that an agent's call has left: a page that does not come is told to the agent."""


class Web:
    """Reads pages with one `WebReader`, which is made, and imported, on first need."""

    def __init__(self, reader: WebReader | None = None) -> None:
        self._reader = reader

    async def fetch(self, url: str, max_chars: int | None, call_seconds: float) -> JsonObject:
        """Return a page for an agent's call that may last `call_seconds` in all.

        Raises AgentError as `WebReader.fetch` does.
        """
        if self._reader is None:
            from studio_qt.web import WebReader

            self._reader = WebReader()
        seconds = min(_SECONDS, _SHARE * call_seconds)
        return await self._reader.fetch(url, max_chars, seconds=seconds)

    async def close(self) -> None:
        """Close the reader, if there is one; twice is harmless."""
        if self._reader is not None:
            await self._reader.close()
