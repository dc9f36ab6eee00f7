"""One activity of a worker as the host follows it, frame by frame."""

from __future__ import annotations

import asyncio

import pytest

from studio_qt.jsontext import JsonObject
from studio_qt.sandbox.exchange import Exchange
from studio_qt.sandbox.frames import Frame
from studio_qt.sandbox.outcome import BridgeCall


class Silent:
    """A process that takes frames and answers nothing."""

    def send(self, data: bytes, *, idle: bool = False) -> None:
        """Take a frame."""

    def kill(self) -> None:
        """Be ended."""


async def nothing(_call: BridgeCall) -> None:
    """Answer every bridge call with null."""


@pytest.mark.clause("LOOP-07", "BOX-02")
async def test_a_stop_in_the_instant_of_a_bridge_call_still_comes_to_its_end() -> None:
    exchange = Exchange(Silent(), 1, seconds=60, grace=60, bridge=nothing)  # type: ignore[arg-type]
    asked: JsonObject = {"op": "bridge", "call": 1, "id": 1, "method": "history.range"}
    exchange.on_frame(Frame(asked, b"[0, 5]"))
    exchange.abandon()
    exchange.on_frame(Frame({"op": "done", "call": 1, "cause": "stopped"}, b""))
    ending = await asyncio.wait_for(exchange.finished(), 5)
    assert ending.cause == "stopped"
