"""Whatever is done in whatever order, a conversation is what a plain model of it says."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from studio_qt.engine.storage import Conversation, DataFolder
from tests.storage.model import AGENTS, Model, perform, seen

WORDS = st.text(max_size=20)
PLACES = st.integers(0, 30)
STORES = st.dictionaries(st.sampled_from("abc"), st.text("xyz", max_size=400), max_size=3)


class Machine(RuleBasedStateMachine):
    """A conversation on disk and the model beside it."""

    base: Path

    @initialize()
    def begin(self) -> None:
        self.place = Path(tempfile.mkdtemp(dir=self.base))
        self.runner = asyncio.Runner()
        self.model = Model()
        self.folder, self.conversation = self.run(self.open("conversation_01", new=True))

    def run(self, coroutine):  # type: ignore[no-untyped-def]
        return self.runner.run(coroutine)

    async def open(self, name: str, *, new: bool = False) -> tuple[DataFolder, Conversation]:
        folder = await DataFolder.open(self.place, package_hash="p1")
        return folder, await (folder.create() if new else folder.load(name))

    def both(self, *step: object) -> None:
        self.run(perform(self.conversation, step))
        self.model.do(step)

    @rule(role=st.sampled_from(["user", "assistant", "tool", "log"]), words=WORDS)
    def append(self, role: str, words: str) -> None:
        self.both("append", role, words)

    @rule(at=PLACES, words=WORDS)
    def amend(self, at: int, words: str) -> None:
        if self.model.entries:
            self.both("amend", at % len(self.model.entries), words)

    @rule(one=PLACES, other=PLACES)
    def cut(self, one: int, other: int) -> None:
        size = len(self.model.entries)
        start, stop = sorted((one % (size + 1), other % (size + 1)))
        self.both("cut", start, stop)

    @rule(words=WORDS)
    def draft(self, words: str) -> None:
        self.both("draft", words)

    @rule(agent=st.sampled_from(AGENTS), store=STORES)
    def put(self, agent: str, store: dict[str, str]) -> None:
        text = str(store).replace("'", '"')
        self.both("put", agent, text)

    @rule(agent=st.sampled_from(AGENTS))
    def remove(self, agent: str) -> None:
        self.both("remove", agent)

    @rule()
    def issue(self) -> None:
        self.both("issue")

    @rule(count=st.integers(0, 1000))
    def spend(self, count: int) -> None:
        self.both("spend", count)

    @rule(words=WORDS)
    def rename(self, words: str) -> None:
        self.both("title", words)

    @rule()
    def checkpoint(self) -> None:
        self.both("checkpoint")
        self.run(self.conversation.snapshot_done())  # a thread would make the steps random

    @rule()
    def reopen(self) -> None:
        self.run(self.folder.close())
        self.folder, self.conversation = self.run(self.open("conversation_01"))
        self.model.reopen()

    @rule()
    def crash(self) -> None:
        """Go on with a copy of the files, made while the conversation was open."""
        copy = Path(tempfile.mkdtemp(dir=self.base))
        shutil.copytree(self.place, copy, dirs_exist_ok=True)
        self.run(self.folder.close())
        self.place = copy
        self.folder, self.conversation = self.run(self.open("conversation_01"))
        self.model.reopen()

    @invariant()
    def agree(self) -> None:
        assert seen(self.conversation) == self.model.facts()
        assert self.conversation.notices == ()

    def teardown(self) -> None:
        self.run(self.folder.close())
        self.runner.close()
        shutil.rmtree(self.place)


@pytest.mark.clause("PERS-01", "PERS-02", "PERS-04")
def test_random_changes_agree_with_a_plain_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio_qt.engine.storage.keeper._SEGMENT_SIZE", 4000)
    Machine.base = tmp_path
    test = Machine.TestCase()
    test.settings = settings(
        max_examples=40, stateful_step_count=40, suppress_health_check=list(HealthCheck)
    )
    test.runTest()
