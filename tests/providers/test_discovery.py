"""Model servers on this computer (the ports of the wire's section 7, on free ports here)."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from studio_qt.providers.discovery import USUAL_DOORS, Door, FoundServer, find_servers
from tests.support.local_servers import (
    LocalServer,
    kobold,
    llama_cpp,
    lm_studio,
    locked_llama_cpp,
    ollama,
)
from tests.support.replies import Wait, failure, plain, raw

pytestmark = pytest.mark.clause("STU-10")


async def found(server: LocalServer, hint: str = "?", **times: float) -> FoundServer | None:
    servers = await find_servers([Door(server.port, hint)], **times)
    return servers[0] if servers else None


KINDS: list[tuple[Callable[[], LocalServer], str, int, tuple[str, ...], bool, bool | None]] = [
    (lm_studio, "LM Studio", 2, ("qwen3-32b",), False, True),
    (ollama, "Ollama", 2, ("qwen3:8b",), False, True),
    (llama_cpp, "llama.cpp", 1, ("mistral.gguf",), False, True),
    (locked_llama_cpp, "llama.cpp", 1, (), True, None),
    (kobold, "KoboldCpp", 1, ("koboldcpp/tiefighter",), False, None),
]


@pytest.mark.parametrize(("make", "name", "chats", "loaded", "locked", "tools"), KINDS)
async def test_each_kind_of_server_is_told_by_its_routes(
    make: Callable[[], LocalServer],
    name: str,
    chats: int,
    loaded: tuple[str, ...],
    locked: bool,
    tools: bool | None,
) -> None:
    with make() as server:
        told = await found(server)
    assert told is not None
    assert (told.name, len(told.chats), told.loaded or ()) == (name, chats, loaded)
    assert (told.needs_key, told.takes_tools) == (locked, tools)
    assert told.base_url == f"http://127.0.0.1:{server.port}/v1"


def test_what_a_request_imports_can_be_imported_before_it() -> None:
    with lm_studio() as server:
        code = (
            "import asyncio, sys, studio_qt.providers.network; "
            "from studio_qt.providers.discovery import Door, find_servers; "
            "before = set(sys.modules); "
            f"found = asyncio.run(find_servers([Door({server.port}, '?')])); "
            "late = sorted(set(sys.modules) - before - {'concurrent.futures.thread'}); "
            "print(len(found), late)"
        )
        ran = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    assert ran.stdout.strip() == "1 []"


async def test_the_context_that_is_loaded_counts_not_the_longest() -> None:
    with lm_studio() as server:
        told = await found(server)
    assert told is not None
    assert [info.context_length for info in told.chats] == [24_576, 8_192]


async def test_an_older_lm_studio_is_known_too() -> None:
    row = {"id": "m", "type": "llm", "state": "loaded", "capabilities": ["tool_use"]}
    with LocalServer(
        {"/v1/models": {"data": [{"id": "m"}]}, "/api/v0/models": {"data": [row]}}
    ) as s:
        told = await found(s)
    assert told is not None
    assert (told.name, told.loaded, told.takes_tools) == ("LM Studio", ("m",), True)


async def test_an_older_ollama_without_the_common_list_is_known() -> None:
    routes = {
        "/v1/models": failure(404, "404 page not found"),
        "/api/tags": {"models": [{"name": "m"}]},
        "/api/ps": {"models": []},
    }
    with LocalServer(routes) as server:
        told = await found(server)
    assert told is not None
    assert (told.name, told.loaded) == ("Ollama", ())


async def test_a_server_that_wants_a_key_for_everything_is_found_locked() -> None:
    with LocalServer({"/v1/models": failure(401, {"error": "Unauthorized"})}) as server:
        told = await found(server, "vLLM")
    assert told is not None
    assert (told.name, told.needs_key, told.models) == ("vLLM", True, ())


@pytest.mark.parametrize(
    "answer",
    [
        failure(401, "<html>Log in</html>"),
        failure(403, ""),
        raw(b"<html><title>My site</title></html>", {"Content-Type": "text/html"}),
        plain({"message": "hello"}),
        failure(500, {"error": "x"}),
    ],
)
async def test_other_peoples_servers_are_left_alone(answer: object) -> None:
    with LocalServer({"/v1/models": answer}) as server:
        assert await found(server) is None
        assert len(server.others) == 1


async def test_nobody_behind_a_door_is_no_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert await find_servers([Door(taken.getsockname()[1], "x")]) == ()


async def test_a_server_that_never_answers_costs_only_its_patience() -> None:
    gate = threading.Event()
    slow = raw([Wait(gate), b"{}"])
    with LocalServer({"/v1/models": slow}) as mute, ollama() as server:
        began = time.monotonic()
        servers = await find_servers([Door(mute.port, "a"), Door(server.port, "b")], patience=0.5)
        assert time.monotonic() - began < 2
        gate.set()
    assert [one.name for one in servers] == ["Ollama"]


async def test_a_server_that_goes_mute_halfway_is_shown_with_what_it_told() -> None:
    gate = threading.Event()
    routes = {"/v1/models": {"data": [{"id": "m"}]}, "/props": raw([Wait(gate), b"{}"])}
    with LocalServer(routes) as server:
        told = await found(server, "llama.cpp", patience=0.4)
        gate.set()
    assert told is not None
    assert [info.id for info in told.models] == ["m"]


async def test_an_endless_answer_is_cut() -> None:
    with LocalServer({"/v1/models": raw([b"[" + b"0," * 500_000] * 6)}) as server:
        assert await found(server, patience=5) is None


async def test_no_key_is_ever_sent_in_the_search() -> None:
    with lm_studio() as server:
        await found(server)
        assert all("authorization" not in request.headers for request in server.others)


def test_the_usual_ports_are_those_of_the_handbook() -> None:
    ports = {door.port for door in USUAL_DOORS}
    assert {1234, 11434, 8080, 9931, 5001, 8000, 5000, 1337, 4891, 30000} == ports
