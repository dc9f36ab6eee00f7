"""Kills a process that plays, again and again, and checks that nothing acknowledged was lost.

Acknowledged means: `send` returned, an event was emitted, or the next request has left. The child
(`python -m tests.support.killing FOLDER URL ROUND`) writes what was acknowledged to it line by
line; requests are what the server got.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from studio_qt import CharacterPlayer
from tests.support.model_server import ModelServer, Recorded, Reply, text, tool_call
from tests.support.packages import agent, build

__all__ = ["kill_rounds"]

COUNT = agent(
    "t.count",
    """export function onToolCall(n, a, store, studio) {
         store.n = (store.n ?? 0) + 1; store.all = [...(store.all ?? []), store.n];
         studio.log(`count ${store.n}`); return `${store.n}`; }""",
    tools=["count"],
)


def kill_rounds(place: Path, rounds: int, seed: int) -> int:
    """Play and kill `rounds` times in one data folder; returns how many acknowledgements held.

    Raises AssertionError with the round when something acknowledged is gone or a file is damaged.
    """
    chance = random.Random(seed)
    package = build(place / "package", {"agents/t.count.js": COUNT})
    held = 0
    for number in range(rounds):
        with ModelServer() as server:
            server.always = _answer
            acked = _play_and_kill(package, server.base_url, number, chance)
            asked = [_last_user(request) for request in server.requests if _whole(request)]
        _check_files(package / "conversations")
        held += asyncio.run(_check(package, acked, asked, number))
    return held


def _answer(request: Recorded) -> Reply:
    if request.messages[-1]["role"] == "tool":
        return text(f"It is {request.tool_results[-1]} now, and the tide is coming in.")
    return tool_call("count", content="Let me count.")


def _whole(request: Recorded) -> bool:
    """Whether the request came to its end before the kill."""
    return len(request.data) == int(request.headers.get("content-length", -1))


def _last_user(request: Recorded) -> str:
    return next(str(m["content"]) for m in reversed(request.messages) if m["role"] == "user")


def _play_and_kill(
    package: Path, url: str, number: int, chance: random.Random
) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tests.support.killing", str(package), url, str(number)]
    root = Path(__file__).parents[2]
    lines: list[bytes] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) as child:
        assert child.stdout is not None
        wanted = chance.randrange(1, 60)
        for line in child.stdout:
            lines.append(line)
            if len(lines) >= wanted:
                break
        until = time.perf_counter() + chance.random() * 0.01
        while time.perf_counter() < until:
            pass
        child.kill()
        lines += child.stdout.readlines()
    assert lines, f"round {number}: the child said nothing"
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def _check_files(folder: Path) -> None:
    """Every file parses; only the last line of a .jsonl may be torn."""
    for path in folder.iterdir():
        data = path.read_bytes()
        if path.suffix == ".json":
            json.loads(data)
        elif path.suffix == ".jsonl":
            for line in data.split(b"\n")[:-1]:
                json.loads(line)


async def _check(package: Path, acked: list[dict[str, Any]], asked: list[str], number: int) -> int:
    async with CharacterPlayer(package) as player:
        entries = player.get_conversation()
        store = player.store("t.count")
    where = f"round {number}, after {acked[-3:]}"
    texts = [entry["content"] for entry in entries]
    results = {e["toolCallId"]: e["content"] for e in entries if e.get("toolCallId")}
    ids = [entry["id"] for entry in entries]
    assert len(set(ids)) == len(ids), where
    assert list(results) == sorted(results), where
    assert store.get("all", []) == list(range(1, store.get("n", 0) + 1)), where
    streaming = ""
    for ack in acked:
        if ack["kind"] == "tool":
            assert results.get(ack["id"]) == ack["result"], f"{where}: {ack}"
            assert store["n"] >= int(ack["result"]), f"{where}: {ack}"
        elif ack["kind"] in ("log", "sent"):
            assert ack["text"] in texts, f"{where}: {ack}"
        streaming = streaming + ack["text"] if ack["kind"] == "token" else ""
    last = [str(e["content"]) for e in entries if e["role"] == "assistant"]
    assert not streaming or any(t.startswith(streaming) for t in last[-2:]), where
    assert all(user in texts for user in asked), where
    return len(acked) + len(asked)


async def _child(package: str, url: str, number: str) -> None:
    def say(kind: str, **more: object) -> None:
        os.write(1, json.dumps({"kind": kind, **more}).encode() + b"\n")

    async with CharacterPlayer(package, base_url=url, model="test-model") as player:
        player.on("token", lambda piece: say("token", text=piece))
        player.on("agentLog", lambda words: say("log", text=words))
        player.on("toolCall", lambda c: say("tool", id=c["toolCallId"], result=c["result"]))
        for turn in range(1000):
            reply = await player.send(f"round {number} turn {turn}")
            say("sent", text=reply["content"])


if __name__ == "__main__":
    asyncio.run(_child(*sys.argv[1:]))
