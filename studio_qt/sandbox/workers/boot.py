"""Where a worker process begins: walls first, then the service of its role until its input ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback

from studio_qt.sandbox.workers.channel import Channel
from studio_qt.sandbox.workers.walls import raise_walls, watch_parent

__all__ = ["main"]

_STACK_BYTES = 64 << 20  # deep JSON must reach the engine's own limit, not the end of the stack


def main(role: str, parent: int) -> None:
    """Serve as a worker of `role` until the host goes; never returns.

    `role` is "agents", "sub-agents" or "schemas", `parent` the process id of the host. The service
    runs on a thread of its own, because only such a thread gets a stack that is large enough
    everywhere.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the application
    channel = _take_over()
    watch_parent(parent)
    threading.stack_size(_STACK_BYTES)
    thread = threading.Thread(target=_serve, args=(role, channel), name="service")
    thread.start()
    thread.join()
    os._exit(0)


def _take_over() -> Channel:
    """Move the pipes away from 0 and 1, so that stray reads and prints cannot break frames."""
    incoming, outgoing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return Channel(incoming, outgoing)


def _serve(role: str, channel: Channel) -> None:
    try:
        if role == "schemas":
            from studio_qt.sandbox.workers import schemas as service
        else:
            from studio_qt.sandbox.workers import agents as service  # type: ignore[no-redef]
        walls = raise_walls()
        channel.send({"op": "ready", "walls": list(walls)})
        service.serve(channel)
    except (BrokenPipeError, ConnectionResetError):
        os._exit(0)  # the host is gone; so are we
    except ImportError as error:
        channel.send({"op": "failed", "reason": f"a library is missing: {error}"})
        os._exit(1)
    except BaseException:  # noqa: BLE001 - the border of the process: the host reads the reason from stderr
        traceback.print_exc(file=sys.stderr)
        sys.stderr.flush()
        os._exit(1)
