"""Reading web pages for agents: only when the user allows it, and only the public internet."""

from __future__ import annotations

from studio_qt.web.reader import WebReader

__all__ = ["WebReader"]
