"""The connection in use: one provider, and which models the main and the worker lane mean."""

from __future__ import annotations

import asyncio
import copy
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from studio_qt.errors import ModelError, StudioError
from studio_qt.providers import ProfileStore, open_provider
from studio_qt.providers.model import ModelInfo, Provider
from studio_qt.settings import PlayerSettings, home_folder

__all__ = ["DEFAULT_WINDOW", "REHEARSAL_URL", "Connection", "Lane", "Models"]

REHEARSAL_URL = "rehearsal:"
DEFAULT_WINDOW = 32_768
"""Tokens of a context window that nobody states (INTERFACES, Sub-agents)."""
_LIST_SECONDS = 10.0

Lane = Literal["main", "worker"]
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Connection:
    """Where to ask and which models to use, as the user chose; None where nothing was chosen."""

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    model: str | None = None
    worker_model: str | None = None

    @property
    def url(self) -> str:
        """The address to ask: Rehearsal without a choice; raises StudioError with only a key."""
        if self.base_url:
            return self.base_url
        if self.api_key:
            raise StudioError(
                "An API key was given without a base URL. Give base_url as well, for example "
                "https://openrouter.ai/api/v1, or leave the key out to play with Rehearsal."
            )
        return REHEARSAL_URL

    @property
    def rehearses(self) -> bool:
        """Whether the built-in offline model answers."""
        return self.url.startswith(REHEARSAL_URL)


class Models:
    """A provider with the models of both lanes; made anew when the connection changes.

    `suggestion` is the package's model: used for the main lane only when the user chose none and
    the endpoint offers it (PKG-15). Raises StudioError for a connection that cannot be used.
    """

    def __init__(
        self, connection: Connection, settings: PlayerSettings, suggestion: str | None
    ) -> None:
        self.connection = connection
        self.provider: Provider = open_provider(
            connection.url,
            connection.api_key,
            settings=settings,
            profiles=ProfileStore(home_folder() / "profiles.json"),
        )
        self._settings = settings
        self._suggestion = suggestion
        self._lists: list[Sequence[ModelInfo]] = []  # none or one; views of one connection share it
        self._preferred: Callable[[], str] = str

    def preferring(self, model: Callable[[], str]) -> Models:
        """Return a view of this connection whose main lane is another model; "" is no wish.

        What the endpoint does not offer any more is passed over.
        """
        view = copy.copy(self)
        view._preferred = model
        return view

    @property
    def label(self) -> str:
        """Who answers, for people: "Rehearsal", a model's id, or a request to choose one."""
        if self.connection.rehearses:
            return "Rehearsal"
        wish = self._preferred()
        if wish and self._may_offer(wish):
            return wish
        return self.connection.model or self._suggestion or "no model chosen"

    async def offered(self) -> Sequence[ModelInfo]:
        """Return the models that the endpoint lists for chats, () without a list; ModelError."""
        if self.connection.rehearses:
            return ()
        if self._lists == [()]:
            self._lists.clear()  # it may answer now
        return [info for info in await self._list() if info.kind == "chat"]

    async def lane(self, lane: Lane) -> ModelInfo:
        """Return the model that a lane means; raises ModelError when one has to be chosen."""
        chosen = await self._main()
        if lane == "worker":
            chosen = self.connection.worker_model or chosen
        if chosen:
            found = await self._described(chosen)
        else:
            found = self._only_choice(await self._list())
        takes_tools = self._settings.model_takes_tools
        return found if takes_tools is None else replace(found, takes_tools=takes_tools)

    def window(self, model: ModelInfo) -> int:
        """Return the context window in tokens that requests are fitted to."""
        return self._settings.context_window or model.context_length or DEFAULT_WINDOW

    async def close(self) -> None:
        """Close the provider's connections."""
        await self.provider.close()

    async def _main(self) -> str | None:
        """Return what the main lane was given, by the conversation or else by the connection."""
        wish = self._preferred()
        if not wish or self.connection.rehearses:
            return self.connection.model
        await self._described(wish)  # so that the list is known where there is one
        return wish if self._may_offer(wish) else self.connection.model

    def _may_offer(self, model: str) -> bool:
        """Whether the endpoint lists a model, or has no list that is known."""
        listed = self._lists[0] if self._lists else ()
        return not listed or any(info.id == model for info in listed)

    async def _described(self, chosen: str) -> ModelInfo:
        """Return what the endpoint's list tells of a model; a list that fails tells nothing."""
        try:
            async with asyncio.timeout(_LIST_SECONDS):
                offered = await self._list()
        except (ModelError, TimeoutError) as error:
            _log.info("The model list could not be read: %s", error)
            offered = ()
            self._lists[:] = [offered]
        return next((info for info in offered if info.id == chosen), ModelInfo(chosen))

    async def _list(self) -> Sequence[ModelInfo]:
        if not self._lists:
            self._lists[:] = [await self.provider.list_models()]
        return self._lists[0]

    def _only_choice(self, offered: Sequence[ModelInfo]) -> ModelInfo:
        chats = [info for info in offered if info.kind == "chat"]
        for info in chats:
            if info.id == self._suggestion:
                return info
        if len(chats) == 1:
            return chats[0]
        examples = ", ".join(info.id for info in chats[:5])
        raise ModelError(
            "No model is chosen. Give model= (or --model) the id of one that the endpoint offers"
            + (f", for example: {examples}." if examples else "; it lists none.")
        )
