"""Random sequences of everything that changes a conversation keep what is promised."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio_qt import CharacterPlayer, StudioError
from tests.support.packages import agent, build

COUNT = agent(
    "t.count",
    """export const onToolCall = (name, args, store, studio, context) => {
         (store.calls ??= []).push(context.toolCallId ?? 0); studio.log("counted"); return "ok"; };
       export function onAfterUserEdit(event, store) {
         store.calls = (store.calls ?? []).filter(id => !event.deletedToolCallIds.includes(id)); }
       export function onAfterResponse(event, store) { store.turns = (store.turns ?? 0) + 1; }
       export function mark(args, store) { store.mark = args; }""",
    tools=["count"],
    commands={"@mark": "mark"},
    tags="@hook afterUserEdit\n@hook afterResponse",
)

EDITS = ("edit", "delete", "truncate", "then", "reject", "choose", "choose then", "clear")
STEPS = (
    "send", "call", "regenerate", "resubmit", "command", "undo", "redo", "fork", "reload",
    "restart", "kill", "new", "load", *EDITS,
)  # fmt: skip


class Run:
    """One player under a sequence of steps, with what it must be able to go back to."""

    def __init__(self, place: Path) -> None:
        self.root = build(place / "package", {"agents/t.count.js": COUNT})
        self.data = place / "data"
        self.copies = (place / f"copy{number}" for number in itertools.count())
        self.player = CharacterPlayer(self.root, data_dir=self.data)
        self.past: list[tuple[Any, Any]] = []
        self.future: list[tuple[Any, Any]] = []
        self.highest: dict[str, int] = {}

    def state(self) -> tuple[Any, Any]:
        return self.player.get_conversation(), self.player.store("t.count")

    async def step(self, name: str, at: int) -> None:
        """Do one step at a position; a StudioError is a refusal that must change nothing."""
        before = self.state()
        index = at % len(self.player) if len(self.player) else 0
        try:
            await self.act(name, index, at)
        except StudioError:
            if name in (*EDITS, "undo", "redo", "fork", "load"):
                assert self.state() == before, name
            return
        if name in EDITS:
            self.past.append(before)
            self.future.clear()
        elif name not in ("undo", "redo", "fork", "reload", "kill"):
            self.past.clear()
            self.future.clear()

    async def act(self, name: str, index: int, at: int) -> None:
        player = self.player
        match name:
            case "send":
                await player.send(f"[[say answer {at}]]")
            case "call":
                await player.send(f"[[call count]] [[call count]] [[say called {at}]]")
            case "regenerate":
                await player.regenerate()
            case "resubmit":
                await player.resubmit(index)
            case "command":
                await player.command(f"@mark {at}")
            case "edit":
                await player.edit(index, f"changed {at}")
            case "delete":
                await player.delete(index)
            case "truncate":
                await player.truncate(index)
            case "then":
                await player.truncate(index, stores="then")
            case "reject":
                await player.reject(index)
            case "choose" | "choose then":
                count = len(player.alternatives(index))
                stores: Any = "then" if name == "choose then" else "keep"
                await player.choose(index, at % count, stores)
            case "clear":
                await player.clear()
            case "undo" | "redo":
                await self.back(name)
            case "fork":
                await player.fork(index, stores="then" if at % 2 else "now")
            case "reload":
                await player.reload()
            case "restart":
                before = self.state()
                await self.reopen()
                assert self.state() == before
            case "kill":
                await self.compare_copy()
            case "new":
                await player.new_conversation()
            case "load":
                await player.load_conversation(f"conversation_{1 + at % 3:02}")

    async def back(self, name: str) -> None:
        source, target = (self.past, self.future) if name == "undo" else (self.future, self.past)
        present = self.state()
        await (self.player.undo() if name == "undo" else self.player.redo())
        assert self.state() == source.pop(), name
        target.append(present)

    async def reopen(self) -> None:
        await self.player.close()
        self.player = CharacterPlayer(self.root, data_dir=self.data)
        await self.player.open()

    async def compare_copy(self) -> None:
        """What is on disk at this instant opens to what is in memory."""
        copy = next(self.copies)
        copy.mkdir()
        files = [path for path in self.data.iterdir() if path.suffix in (".json", ".jsonl")]
        for path in sorted(files, key=lambda path: "journal" in path.name):
            shutil.copy2(path, copy)  # journals last, as a kill leaves no snapshot ahead of them
        async with CharacterPlayer(self.root, data_dir=copy) as other:
            await other.load_conversation(self.player.conversation_id)
            assert (other.get_conversation(), other.store("t.count")) == self.state()

    def check(self) -> None:
        entries, _ = self.state()
        ids = [entry["id"] for entry in entries]
        assert len(ids) == len(set(ids))
        calls = [
            call["toolCallId"]
            for entry in entries
            for call in entry.get("tool_calls", [])
            if "toolCallId" in call
        ]
        assert calls == sorted(calls)
        assert len(calls) == len(set(calls))
        key = self.player.conversation_id
        fresh = max(calls, default=0)
        self.highest[key] = max(self.highest.get(key, 0), fresh)


@pytest.mark.timeout(240)
@pytest.mark.clause("PERS-05", "PERS-04", "CTX-02", "HOOK-05")
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 30)), min_size=6, max_size=16))
def test_random_sequences_keep_ids_undo_and_the_disk_right(steps: list[tuple[str, int]]) -> None:
    async def play(place: Path) -> None:
        run = Run(place)
        await run.player.open()
        try:
            await run.step("call", 0)
            for name, at in steps:
                await run.step(name, at)
                run.check()
            await run.compare_copy()
        finally:
            await run.player.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder)))
