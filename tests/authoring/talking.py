"""A talk with the scripted server: real HTTP, streamed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from studio_qt.authoring.asking import Progress, Talk
from studio_qt.authoring.inventory import Inventory, Known
from studio_qt.jsontext import JsonObject
from studio_qt.providers import open_provider
from studio_qt.providers.model import ChatRequest, Provider, StreamEvent
from studio_qt.providers.patience import Patience
from tests.support.model_server import ModelServer

__all__ = ["GOOD", "INVENTORY", "Speaker"]

INVENTORY = Inventory(
    context_files=(".tides.json", "harbour.txt"),
    agents=(Known("studio.memory-store", ("store_memory",)), Known("keeper.dice", ("roll",))),
    sub_agents=(Known("marcus", ("marcus",)),),
    files=("keeper.dice.js", "marcus.subagent.md", "old.py"),
)

GOOD = """---
description: >
  Knows the tides. Call this whenever anyone wants to sail.
contextFiles:
  - .tides.json
maxTokens: 300
---
You are the tide keeper.

%%CONTEXT%%

Answer from the table alone.
"""


class Speaker:
    """Opens talks; keep it open as long as they last."""

    def __init__(
        self, model: ModelServer, key: str | None = None, patience: Patience | None = None
    ) -> None:
        patience = patience or Patience(tries=1)
        self.provider: Provider = open_provider(model.base_url, key, patience=patience)
        self.told: list[Progress] = []

    def talk(self) -> Talk:
        """Return a talk whose steps are in `told`."""
        return Talk(self._stream, self.told.append)

    def _stream(
        self, messages: Sequence[JsonObject], max_tokens: int
    ) -> AsyncIterator[StreamEvent]:
        request = ChatRequest("test-model", messages, max_tokens=max_tokens)
        return self.provider.stream(request)
