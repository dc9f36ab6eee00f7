"""Which model servers run on this computer: the usual ports are asked what they are.

Only what any program on this computer could ask is asked, and never a key is sent. A port whose
answer looks like no list of models is left alone after that one question. httpx is imported when
it is needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from studio_qt.jsontext import JsonObject, JsonValue, decode, encode_bytes
from studio_qt.providers.lenient import as_count, as_object, as_text, dig, objects_in
from studio_qt.providers.listing import read_models
from studio_qt.providers.model import ModelInfo

if TYPE_CHECKING:
    import httpx

__all__ = ["USUAL_DOORS", "Door", "FoundServer", "find_servers"]

_HOST = "127.0.0.1"
_MOST_BYTES = 4 << 20
_MOST_ASKED = 6
"""Models that Ollama is asked about one by one: those that are loaded first."""


@dataclass(frozen=True, slots=True)
class Door:
    """A port where a kind of server usually listens, and the name it has for people."""

    port: int
    name: str


USUAL_DOORS = (
    Door(1234, "LM Studio"),
    Door(11434, "Ollama"),
    Door(8080, "llama.cpp"),
    Door(9931, "llama.cpp"),
    Door(5001, "KoboldCpp"),
    Door(8000, "vLLM"),
    Door(5000, "text-generation-webui"),
    Door(1337, "Jan"),
    Door(4891, "GPT4All"),
    Door(30000, "SGLang"),
)
"""The default ports of section "Servers on this computer" in the handbook's page on the wire."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that answered.

    `loaded` are the ids of models in memory, None where it does not tell; `needs_key` when it
    asks for one; `takes_tools` is what it tells of the models that would answer, None for nothing.
    """

    name: str
    base_url: str
    models: tuple[ModelInfo, ...] = ()
    loaded: tuple[str, ...] | None = None
    needs_key: bool = False

    @property
    def address(self) -> str:
        """Host and port, as people read them."""
        return self.base_url.removeprefix("http://").removesuffix("/v1")

    @property
    def chats(self) -> tuple[ModelInfo, ...]:
        """The models that chat, the loaded ones first."""
        chats = [info for info in self.models if info.kind == "chat"]
        return tuple(sorted(chats, key=lambda info: info.id not in (self.loaded or ())))

    @property
    def takes_tools(self) -> bool | None:
        """Whether the loaded models, or else any, take tools."""
        ready = [info for info in self.chats if info.id in (self.loaded or ())] or self.chats
        told = [info.takes_tools for info in ready if info.takes_tools is not None]
        return any(told) if told else None


@dataclass(frozen=True, slots=True)
class _Said:
    """An answer: status 0 for none; `value` None where it was no JSON."""

    status: int = 0
    value: JsonValue = None

    @property
    def refused(self) -> bool:
        """Whether it asks for a key in the way of such servers: web pages ask otherwise."""
        return self.status in {401, 403} and isinstance(self.value, dict)

    @property
    def body(self) -> JsonObject:
        """The object of a good answer, else an empty one."""
        return as_object(self.value) if self.status == 200 else {}


async def find_servers(
    doors: Sequence[Door] = USUAL_DOORS, *, connect: float = 0.3, patience: float = 1.0
) -> tuple[FoundServer, ...]:
    """Return the servers behind the doors, in their order; all are asked at once.

    Times are in seconds: for a connection, and for everything that one server is asked.
    """
    import httpx

    limits = httpx.Timeout(patience, connect=connect)
    # No certificate is ever asked for: it is http, on this computer.
    async with httpx.AsyncClient(timeout=limits, trust_env=False, verify=False) as client:
        found = await asyncio.gather(*(_look(client, door, patience) for door in doors))
    return tuple(server for server in found if server is not None)


async def _look(client: httpx.AsyncClient, door: Door, patience: float) -> FoundServer | None:
    asked = _Asked(client, f"http://{_HOST}:{door.port}")
    server: FoundServer | None = None
    try:
        async with asyncio.timeout(patience):
            server = await _plain(asked, door)
            if server is not None:
                server = await _identified(asked, server)
            if server is not None and server.name == "Ollama":
                server = await _described(asked, server)
    except TimeoutError:
        return server  # what it has told so far
    return server


async def _plain(asked: _Asked, door: Door) -> FoundServer | None:
    """Ask for the list of models; None when nothing like a model server answers."""
    base_url = f"{asked.root}/v1"
    said = await asked.get("/v1/models")
    if said.status == 404:  # an Ollama of old
        said = await asked.get("/api/tags")
    if said.refused:
        return FoundServer(door.name, base_url, needs_key=True)
    rows = said.value if said.status == 200 else None
    if not (isinstance(rows, list) or {"data", "models"} & said.body.keys()):
        return None
    models = await asyncio.to_thread(read_models, rows)
    owners = {as_text(row.get("owned_by")) for row in objects_in(said.body.get("data"))}
    return FoundServer(_OWNERS.get(next(iter(owners), ""), door.name), base_url, models)


_OWNERS = {"vllm": "vLLM", "sglang": "SGLang", "llamacpp": "llama.cpp", "koboldcpp": "KoboldCpp"}


async def _identified(asked: _Asked, server: FoundServer) -> FoundServer:
    """Ask the routes that tell servers apart."""
    native, older, tags, props, kobold = await asyncio.gather(
        asked.get("/api/v1/models"),
        asked.get("/api/v0/models"),
        asked.get("/api/ps"),
        asked.get("/props"),
        asked.get("/api/extra/version"),
    )
    if as_text(kobold.body.get("result")) == "KoboldCpp":
        return _serving(server, "KoboldCpp")
    if _is_lm_studio(native.body.get("models"), "key") or _is_lm_studio(
        older.body.get("data"), "state"
    ):
        return _lm_studio(server, native.body, older.body)
    if isinstance(tags.body.get("models"), list):
        rows = objects_in(tags.body.get("models"))
        loaded = tuple(as_text(row.get("name")) or as_text(row.get("model")) for row in rows)
        return replace(server, name="Ollama", loaded=loaded)
    if props.refused:
        return replace(server, name="llama.cpp", needs_key=True)
    if "default_generation_settings" in props.body or "chat_template" in props.body:
        return _llama_cpp(server, props.body)
    if server.name in {"vLLM", "SGLang"}:
        return _serving(server, server.name)
    return server


def _serving(server: FoundServer, name: str) -> FoundServer:
    """Name a kind of server that lists what it has loaded, and nothing else."""
    return replace(server, name=name, loaded=tuple(info.id for info in server.models))


def _is_lm_studio(rows: JsonValue, mark: str) -> bool:
    """Whether rows have what only LM Studio's own lists have; others may answer the same paths."""
    return any(mark in row for row in objects_in(rows))


def _lm_studio(server: FoundServer, native: JsonObject, older: JsonObject) -> FoundServer:
    loaded: list[str] = []
    rows: list[JsonValue] = []
    for row in objects_in(native.get("models")):
        key = as_text(row.get("key"))
        running = objects_in(row.get("loaded_instances"))
        lengths = [as_count(dig(one, "config.context_length")) for one in running]
        loaded += [key] if running else []
        rows.append({**row, "id": key, "loaded_context_length": next(iter(lengths), None)})
    for row in objects_in(older.get("data")) if not rows else []:
        loaded += [as_text(row.get("id"))] if row.get("state") == "loaded" else []
        rows.append(row)
    return replace(server, name="LM Studio", models=read_models(rows), loaded=tuple(loaded))


def _llama_cpp(server: FoundServer, props: JsonObject) -> FoundServer:
    length = as_count(dig(props, "default_generation_settings.n_ctx"))
    caps = as_object(props.get("chat_template_caps"))
    told = [flag for name, flag in caps.items() if "tool" in name and isinstance(flag, bool)]
    tools = any(told) if told else None
    models = tuple(
        replace(info, context_length=length or info.context_length, takes_tools=tools)
        for info in server.models
    )
    return _serving(replace(server, models=models), "llama.cpp")


async def _described(asked: _Asked, server: FoundServer) -> FoundServer:
    """Ask Ollama about its models: what they can, and how long their context is."""
    wanted = [info.id for info in server.chats][:_MOST_ASKED]
    answers = await asyncio.gather(*(asked.post("/api/show", {"model": name}) for name in wanted))
    known = {name: said.body for name, said in zip(wanted, answers, strict=True) if said.body}
    return replace(
        server, models=tuple(_of_ollama(info, known.get(info.id, {})) for info in server.models)
    )


def _of_ollama(info: ModelInfo, shown: JsonObject) -> ModelInfo:
    can = shown.get("capabilities")
    if not isinstance(can, list):
        return info
    facts = as_object(shown.get("model_info"))
    lengths = (as_count(facts[key]) for key in facts if key.endswith(".context_length"))
    return replace(
        info,
        takes_tools="tools" in can,
        context_length=next(filter(None, lengths), info.context_length),
        kind="chat" if "completion" in can else "other",
    )


class _Asked:
    """One server that is asked; a question that goes wrong has an empty answer."""

    def __init__(self, client: httpx.AsyncClient, root: str) -> None:
        self._client = client
        self.root = root

    async def get(self, path: str) -> _Said:
        """Ask for a path."""
        return await self._ask(self._client.build_request("GET", self.root + path))

    async def post(self, path: str, body: JsonObject) -> _Said:
        """Ask with a body."""
        data = encode_bytes(body)
        headers = {"Content-Type": "application/json"}
        return await self._ask(
            self._client.build_request("POST", self.root + path, content=data, headers=headers)
        )

    async def _ask(self, request: httpx.Request) -> _Said:
        import httpx

        data = b""
        try:
            response = await self._client.send(request, stream=True)
            try:
                async for piece in response.aiter_bytes():
                    data += piece
                    if len(data) > _MOST_BYTES:
                        return _Said()
            finally:
                await response.aclose()
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError):
            return _Said()  # nobody, or somebody else's server
        try:
            return _Said(response.status_code, decode(data))
        except ValueError:
            return _Said(response.status_code)
