"""A scripted OpenAI-compatible server on loopback: real HTTP, with control over every byte.

It runs on threads of its own, so that it serves coroutines, windows, the command line and child
processes alike::

    model.script(tool_call("roll", {"sides": 6}), text("A four!"))
    ...
    assert model.requests[-1].tool_results == ["4"]

Replies are used up in order; a request without a script is answered with a 500 that says so, and
`check()` (the fixture calls it) then fails the test.
"""

from __future__ import annotations

import asyncio
import json
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.support.replies import (
    DONE,
    Answer,
    Reply,
    Wait,
    blocked,
    chunk,
    compressed,
    drop_after,
    event,
    failure,
    plain,
    raw,
    sse,
    text,
    tool_call,
    tool_calls,
)

__all__ = [
    "DONE",
    "Answer",
    "ModelServer",
    "Recorded",
    "Reply",
    "Wait",
    "blocked",
    "chunk",
    "compressed",
    "drop_after",
    "event",
    "failure",
    "plain",
    "raw",
    "serve",
    "sse",
    "text",
    "tool_call",
    "tool_calls",
]

_PATIENCE = 20.0


class Recorded:
    """One request as it came. `dropped` is set when the client left before the end."""

    def __init__(self, method: str, path: str, headers: dict[str, str], data: bytes) -> None:
        self.method = method
        self.path = path
        self.headers = headers  # names in lower case
        self.data = data
        self.dropped = threading.Event()

    @property
    def body(self) -> dict[str, Any]:
        """The JSON object that was posted; {} when there was no body."""
        value = json.loads(self.data) if self.data else {}
        assert isinstance(value, dict), f"the body is no object: {self.data[:200]!r}"
        return value

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages that were sent."""
        return list(self.body.get("messages", []))

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools that were offered, [] when the field is missing."""
        return list(self.body.get("tools", []))

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools that were offered."""
        return [tool["function"]["name"] for tool in self.tools]

    @property
    def tool_results(self) -> list[str]:
        """The contents of the tool messages, oldest first."""
        return [m["content"] for m in self.messages if m["role"] == "tool"]

    async def wait_dropped(self) -> bool:
        """Wait until the server has noticed that the client is gone; False after 20 s."""
        return await asyncio.to_thread(self.dropped.wait, _PATIENCE)


class ModelServer:
    """The server. `requests` are the chats, `others` everything else that was asked.

    `models` are ids or whole rows for `GET /models`, None for a 404; `models_reply` replaces that
    answer as a whole. `always` answers what the script does not.
    """

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.others: list[Recorded] = []
        self.models: list[str | dict[str, Any]] | None = ["test-model"]
        self.models_reply: Reply | None = None
        self.always: Reply | Callable[[Recorded], Reply] | None = None
        self.faults: list[str] = []
        self.closing = threading.Event()
        self._script: deque[Reply | Callable[[Recorded], Reply]] = deque()
        self._changed = threading.Condition()
        self._connections: set[socket.socket] = set()
        self._http = _Http(self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def address(self) -> str:
        """`http://127.0.0.1:PORT`, without a path."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def base_url(self) -> str:
        """What a player is given as `base_url`."""
        return f"{self.address}/v1"

    @property
    def last(self) -> Recorded:
        """The latest chat request."""
        return self.requests[-1]

    def script(self, *replies: Reply | Callable[[Recorded], Reply]) -> None:
        """Queue replies; a function gets the request and returns its reply."""
        self._script.extend(replies)

    @property
    def left(self) -> int:
        """How many replies of the script have not been used."""
        return len(self._script)

    async def received(self, count: int) -> Recorded:
        """Wait until `count` chat requests have come in all; return the one of that number."""
        await asyncio.to_thread(self.wait_received, count)
        return self.requests[count - 1]

    def wait_received(self, count: int) -> None:
        """As `received`, for code without a loop; fails after 20 s."""
        with self._changed:
            came = self._changed.wait_for(lambda: len(self.requests) >= count, _PATIENCE)
        assert came, f"only {len(self.requests)} of {count} requests came"

    def check(self) -> None:
        """Fail when a request came that no script answered, or the server itself failed."""
        assert not self.faults, "; ".join(self.faults)

    def close(self) -> None:
        """Let go of everything that waits, and end; twice is harmless."""
        if self.closing.is_set():
            return
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        for connection in list(self._connections):
            _shut(connection)
        self._http.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def reply_to(self, request: Recorded) -> Reply:
        """Record `request` and return what is answered to it."""
        chat = request.method == "POST" and request.path.endswith("/chat/completions")
        with self._changed:
            (self.requests if chat else self.others).append(request)
            self._changed.notify_all()
        if chat:
            return self._next(request)
        if request.method == "GET" and request.path.partition("?")[0].endswith("/models"):
            return self._models()
        return failure(404, {"error": {"message": f"no such path: {request.path}"}})

    def fault(self, words: str) -> None:
        """Remember that something went wrong; `check` fails with it."""
        self.faults.append(words)

    def opened(self, connection: socket.socket) -> None:
        """A connection began."""
        self._connections.add(connection)
        if self.closing.is_set():
            _shut(connection)

    def ended(self, connection: socket.socket) -> None:
        """A connection is over."""
        self._connections.discard(connection)

    def _next(self, request: Recorded) -> Reply:
        chosen = self._script.popleft() if self._script else self.always
        if chosen is None:
            words = f"request {len(self.requests)} has no scripted reply: {request.data[-300:]!r}"
            self.fault(words)
            return failure(500, {"error": {"message": f"The test's server: {words}"}})
        return chosen if isinstance(chosen, Reply) else chosen(request)

    def _models(self) -> Reply:
        if self.models_reply is not None:
            return self.models_reply
        if self.models is None:
            return failure(404, {"error": {"message": "no list here"}})
        rows = [{"id": m, "object": "model"} if isinstance(m, str) else m for m in self.models]
        return plain({"object": "list", "data": rows})


class _Http(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 64

    def __init__(self, owner: ModelServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is no fault; `_Handler` reports the others."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def setup(self) -> None:
        super().setup()
        self.server.owner.opened(self.connection)

    def finish(self) -> None:
        self.server.owner.ended(self.connection)
        super().finish()

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited name
        """Say nothing."""

    def _serve(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Recorded(self.command, self.path, headers, data)
        try:
            body = request.body
            self._write(self.server.owner.reply_to(request).answer(body))
        except (_GoneError, OSError):
            request.dropped.set()
            self.close_connection = True
        except Exception as error:  # noqa: BLE001 - the border of a thread: kept for check()
            self.server.owner.fault(f"{type(error).__name__}: {error}")
            self.close_connection = True

    def _write(self, answer: Answer) -> None:
        if answer.wait_first:
            self._wait(answer.wait_first)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in answer.pieces:
            if isinstance(piece, Wait):
                self._wait(piece)
            elif piece:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if answer.broken:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _wait(self, wait: Wait) -> None:
        """Wait for the event, and raise when the client or the test is gone before."""
        end = time.monotonic() + _PATIENCE
        while not wait.event.wait(0.003):
            ready, _, _ = select.select([self.connection], [], [], 0)
            if ready and not self.connection.recv(1, socket.MSG_PEEK):
                raise _GoneError
            if self.server.owner.closing.is_set() or time.monotonic() > end:
                raise _GoneError


class _GoneError(Exception):
    """The client has closed the connection, or the server is closing."""


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the client was faster


async def serve() -> ModelServer:
    """Start a server; the caller closes it."""
    return ModelServer()
