"""Where a worker process begins: walls first, then the service of its role until its input ends."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable

from studio_qt.sandbox.workers.channel import Channel
from studio_qt.sandbox.workers.stale import StaleError
from studio_qt.sandbox.workers.walls import raise_walls, watch_parent

__all__ = ["main"]

_STACK_BYTES = 64 << 20  # deep JSON must reach the engine's own limit, not the end of the stack
_SERVICES = {  # all other roles run native agents
    "schemas": "schemas",
    "typescript": "typescript",
    "python": "interpreters",
    "python sub-agents": "interpreters",
    "compile": "compiler",
}

Serve = Callable[[Channel], None]


def main(role: str, parent: int, *given: str) -> None:
    """Serve as a worker of `role` until the host goes; never returns.

    `role` is "agents", "sub-agents", "schemas" or "typescript", `parent` the process id of the
    host. The service runs on a thread of its own, because only such a thread gets a stack that is
    large enough everywhere.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the application
    channel = _take_over()
    code = _guarded(lambda: _run(role, parent, channel, *given), channel)
    os._exit(code)


def _take_over() -> Channel:
    """Move the pipes away from 0 and 1, so that stray reads and prints cannot break frames."""
    incoming, outgoing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return Channel(incoming, outgoing)


def _run(role: str, parent: int, channel: Channel, *given: str) -> None:
    name = _SERVICES.get(role, "agents")
    module = importlib.import_module(f"studio_qt.sandbox.workers.{name}")
    serve: Serve = module.prepare(*given) if given else module.serve
    walls = () if role == "compile" else raise_walls(bounded=name != "interpreters")
    watch_parent(parent)
    channel.send({"op": "ready", "walls": list(walls)})
    threading.stack_size(_STACK_BYTES)
    service = threading.Thread(target=_serve, args=(serve, channel), name="service")
    service.start()
    service.join()


def _serve(serve: Serve, channel: Channel) -> None:
    if code := _guarded(lambda: serve(channel), channel):
        os._exit(code)


def _guarded(work: Callable[[], None], channel: Channel) -> int:
    """Do `work` and return an exit code; the host reads the reason of a failure from stderr."""
    try:
        work()
    except (BrokenPipeError, ConnectionResetError):
        return 0  # the host is gone; so are we
    except ImportError as error:
        channel.send({"op": "failed", "reason": f"a library is missing: {error}"})
        return 1
    except StaleError as error:
        channel.send({"op": "failed", "reason": str(error), "stale": True})
        return 1
    except BaseException:  # noqa: BLE001 - the border of the process
        traceback.print_exc(file=sys.stderr)
        sys.stderr.flush()
        return 1
    return 0
