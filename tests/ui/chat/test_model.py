"""Rows that follow a conversation, whatever happens to it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.rows import Row, Said, row_text, split_row
from tests.ui.chat.talk import Entry, Talk, long_talk


@pytest.fixture
def model(qapp: object) -> ChatModel:
    return ChatModel()


class Mirror:
    """Rows as a view has them that knows nothing but the model's signals."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.rows: list[Row] = []
        model.replaced.connect(self._all)
        model.spliced.connect(self._splice)
        model.touched.connect(self._touch)

    def _all(self) -> None:
        self.rows = [self._model.row(at) for at in range(len(self._model))]

    def _splice(self, start: int, removed: int, added: int) -> None:
        fresh = [self._model.row(at) for at in range(start, start + added)]
        self.rows[start : start + removed] = fresh

    def _touch(self, at: int) -> None:
        self.rows[at] = self._model.row(at)


def fresh_rows(talk: Talk) -> list[Row]:
    model = ChatModel()
    model.follow(talk)  # type: ignore[arg-type]
    rows = [model.row(at) for at in range(len(model))]
    model.leave()
    return rows


@pytest.mark.parametrize("seed", range(40))
def test_what_a_view_is_told_is_what_the_conversation_is(model: ChatModel, seed: int) -> None:
    chance = random.Random(seed)
    mirror, talk = Mirror(model), long_talk(12)
    model.follow(talk)  # type: ignore[arg-type]
    for _ in range(40):
        start = chance.randint(0, len(talk))
        stop = min(len(talk), start + chance.randint(0, 3))
        if start == 0 and stop == len(talk):
            continue
        turn = talk.entries(start - 1, start)[0]["turn"] if start else 0
        fresh: list[Entry] = []
        for _ in range(start % 3):
            last = fresh[-1]["turn"] if fresh else turn
            fresh.append(some_entry(chance, talk, last, ends=_ends(talk, stop)))
        talk.replace(start, stop, fresh)
        if chance.random() < 0.6:
            model.flush()
    model.flush()
    assert mirror.rows == fresh_rows(talk)


def _ends(talk: Talk, at: int) -> bool:
    """Return whether a turn ends before an entry."""
    return all(entry["role"] == "user" for entry in talk.entries(at, at + 1))


def some_entry(chance: random.Random, talk: Talk, turn: int, *, ends: bool) -> Entry:
    role = chance.choice(["user" if ends else "log", "assistant", "assistant", "log"])
    text = chance.choice(["short", "longer " * 30, "very long\n\n" * 600])
    more: dict[str, Any] = {}
    if role == "assistant" and chance.random() < 0.4:
        more = {"rejected": True, "response": chance.randint(1, 3)}
    entry = talk.entry(role, text, turn, **more)
    if role == "user":
        entry["turn"] = 1_000 + int(entry["id"][1:])  # as no other turn
    return entry


def test_a_growing_reply_touches_one_row_and_becomes_its_entry(model: ChatModel) -> None:
    mirror, talk = Mirror(model), long_talk(4)
    model.follow(talk)  # type: ignore[arg-type]
    talk.append(talk.entry("user", "Go on.", 3))
    talk.turn("started")
    for word in ("So ", "it ", "goes."):
        talk.say("token", word)
        model.flush()
    assert mirror.rows[-1].text == "So it goes."
    assert mirror.rows[-1].state == "writing"
    talk.append(talk.entry("assistant", "So it goes.", 3))
    talk.turn("finished")
    model.flush()
    assert [row.text for row in mirror.rows[-2:]] == ["Go on.", "So it goes."]
    assert mirror.rows == fresh_rows(talk)


def test_a_long_reply_grows_in_its_last_piece_alone(model: ChatModel) -> None:
    talk = long_talk(2)
    model.follow(talk)  # type: ignore[arg-type]
    talk.append(talk.entry("user", "Go on.", 2))
    talk.turn("started")
    talk.say("token", "A paragraph of words.\n\n" * 2_000)
    model.flush()
    told: list[object] = []
    model.touched.connect(told.append)
    model.spliced.connect(lambda *what: told.append(what))
    talk.say("token", "And more")
    model.flush()
    assert told == [len(model) - 1]
    assert len(model) > 10
    assert model.row(len(model) - 1).text.endswith("And more")


def test_a_reply_that_follows_its_tools_is_one_row_while_it_grows(model: ChatModel) -> None:
    talk = long_talk(2)
    model.follow(talk)  # type: ignore[arg-type]
    talk.append(talk.entry("user", "Roll.", 2))
    talk.turn("started")
    call = {"id": "c", "type": "function", "function": {"name": "roll", "arguments": "{}"}}
    talk.append(talk.entry("assistant", "", 2, tool_calls=[call]))
    talk.append(talk.entry("tool", "4", 2, tool_call_id="c"))
    talk.say("token", "Four.")
    model.flush()
    row = model.row(len(model) - 1)
    assert [type(part).__name__ for part in row.parts] == ["Used", "Said"]
    assert row.parts[-1] == Said("Four.")


def test_of_several_responses_the_active_one_is_shown_and_counted(model: ChatModel) -> None:
    talk = Talk()
    talk.kept = [
        talk.entry("user", "Q", 1),
        talk.entry("assistant", "first", 1, response=1, rejected=True),
        talk.entry("assistant", "second", 1, response=2),
        talk.entry("assistant", "third", 1, response=3, rejected=True),
    ]
    model.follow(talk)  # type: ignore[arg-type]
    assert [model.row(at).text for at in range(len(model))] == ["Q", "second"]
    assert model.row(1).choice == (1, 3)
    assert model.row(1).foot


def test_of_responses_that_were_all_put_aside_the_last_one_stays(model: ChatModel) -> None:
    talk = Talk()
    talk.kept = [
        talk.entry("user", "Q", 1),
        talk.entry("assistant", "first", 1, response=1, rejected=True),
        talk.entry("assistant", "second", 1, response=2, rejected=True),
    ]
    model.follow(talk)  # type: ignore[arg-type]
    assert [model.row(at).text for at in range(len(model))] == ["Q", "second"]
    assert model.row(1).rejected


def test_a_response_that_is_answered_again_is_hidden_while_the_new_one_comes(
    model: ChatModel,
) -> None:
    talk = long_talk(2)
    model.follow(talk)  # type: ignore[arg-type]
    talk.turn("started")
    (old,) = talk.entries(1, 2)
    talk.replace(1, 2, [{**old, "rejected": True}])
    talk.say("token", "Anew")
    model.flush()
    assert [model.row(at).text for at in range(len(model))] == ["question 0. ", "Anew"]


def test_the_entries_of_another_conversation_are_not_read_before_it_is_told_of(
    model: ChatModel,
) -> None:
    talk = long_talk(4)
    model.follow(talk)  # type: ignore[arg-type]
    talk.conversation_id = "conversation_02"
    talk.kept = [talk.entry("user", "elsewhere", 1)]
    assert all("elsewhere" not in row.text for row in model.texts())
    talk.say("entries", {"start": 0, "removed": 4, "added": 1})
    assert [row.text for row in model.texts()][:1] == ["elsewhere"]


def test_an_entry_is_found_in_its_row(model: ChatModel) -> None:
    talk = long_talk(6)
    talk.entries(0, 6)
    talk.kept[3]["content"] = "long\n\n" * 3_000
    model.follow(talk, [Row("about", "about", ())])  # type: ignore[arg-type]
    assert model.at_entry(0) == 1
    assert model.at_entry(3) == 4
    after = model.at_entry(4)
    assert after is not None
    assert model.row(after).text.startswith("question 2.")
    assert model.at_entry(6) is None


def test_the_whole_text_is_there_also_while_a_long_reply_grows(model: ChatModel) -> None:
    talk = long_talk(2)
    head = split_row(Row("reply", "introduction", (Said("The beginning.\n\n" * 900),)))
    model.follow(talk, head)  # type: ignore[arg-type]
    talk.append(talk.entry("user", "Go on.", 2))
    talk.turn("started")
    talk.say("token", "".join(f"Paragraph {at}.\n\n" for at in range(900)))
    model.flush()
    said = "\n".join(row_text(row, "Ada") for row in model.texts())
    assert all(f"Paragraph {at}." in said for at in range(900))
    assert said.count("The beginning.") == 900
    assert said.count("Ada") == 3  # the introduction, the first reply, and this one


def test_an_endless_failure_is_told_in_part(model: ChatModel) -> None:
    model.follow(long_talk(2))  # type: ignore[arg-type]
    model.show_error("x" * 500_000, retry=True)
    assert len(model.row(len(model) - 1).text) < 3_000
