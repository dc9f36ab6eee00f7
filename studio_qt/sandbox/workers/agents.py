"""The service of the native agent workers."""

from __future__ import annotations

from studio_qt.sandbox.workers.channel import Channel
from studio_qt.sandbox.workers.javascript import JavaScriptAgent
from studio_qt.sandbox.workers.service import Service

__all__ = ["serve"]


def serve(channel: Channel) -> None:
    """Answer load and call frames until the host closes."""
    Service(channel, JavaScriptAgent).serve()
