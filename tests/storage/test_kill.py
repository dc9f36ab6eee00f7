"""Killed at any instant, a conversation opens with everything that was handed over (PERS-04)."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio_qt.engine.storage import DataFolder
from tests.storage.model import Model, random_step, seen

ROOT = Path(__file__).parents[2]


def play_and_kill(place: Path, seed: int, chance: random.Random) -> int | None:
    """Let a child work and kill it; returns how many steps it had finished, None before any."""
    command = [sys.executable, "-m", "tests.storage.child", str(place), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as child:
        assert child.stdout is not None
        wanted = chance.choice([1, 2, 5, 30, 200, 400])
        lines = [child.stdout.readline() for _ in range(wanted)]
        until = time.perf_counter() + chance.random() * 0.004
        while time.perf_counter() < until:
            pass
        child.kill()
        lines += child.stdout.readlines()
    assert lines[0] == b"open\n"
    return int(lines[-1]) + 1 if lines[-1] != b"open\n" else 0


def check_files(place: Path) -> None:
    """Every file parses; only the last line of a .jsonl may be torn."""
    for path in place.iterdir():
        if path.suffix == ".json":
            json.loads(path.read_bytes())
        elif path.suffix == ".jsonl":
            for line in path.read_bytes().split(b"\n")[:-1]:
                json.loads(line)


def may_be(start: Model, seed: int, done: int) -> Iterator[dict[str, object]]:
    """What a conversation may hold after `done` steps, the next one begun or not."""
    model, chance = start.copy(), random.Random(seed)
    for number in range(done + 1):
        if number == done:
            before = model.copy()
            before.reopen()
            yield before.facts()
        model.do(random_step(chance, model))
    model.reopen()
    yield model.facts()


@pytest.mark.timeout(180)
@pytest.mark.clause("PERS-04", "PERS-01", "LOOP-06", "CTX-02")
async def test_twenty_kills_lose_nothing_that_was_handed_over(place: Path) -> None:
    chance = random.Random(11)
    async with await DataFolder.open(place, package_hash="p1") as folder:
        start = Model.of(await folder.create())
    steps = 0
    for seed in range(20):
        done = play_and_kill(place, seed, chance)
        assert done is not None
        check_files(place)
        async with await DataFolder.open(place, package_hash="p1") as folder:
            conversation = await folder.load("conversation_01")
            found = seen(conversation)
            assert found in list(may_be(start, seed, done)), f"round {seed} after {done} steps"
            assert conversation.notices == (), f"round {seed}"
            start = Model.of(conversation)
        steps += done
    assert steps > 1000


@pytest.mark.clause("PERS-04")
async def test_a_reader_beside_a_writer_sees_a_whole_conversation(place: Path) -> None:
    command = [sys.executable, "-m", "tests.storage.child", str(place), "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as child:
        assert child.stdout is not None
        for _ in range(100):
            child.stdout.readline()
        lengths = []
        for _ in range(25):
            async with await DataFolder.open(place, package_hash="p2") as folder:
                assert f"process {child.pid}" in str(folder.refusal)
                lengths.append(len((await folder.load("conversation_01")).entries()))
            for _ in range(20):
                child.stdout.readline()
        child.kill()
    assert lengths[-1] > 5
    assert not list(place.glob("*set-aside*"))
