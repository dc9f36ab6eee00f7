"""The Lantern Keeper's signals: a TypeScript agent."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from .stage import Opener

TYPESCRIPT = "keeper.signals.ts"


@pytest.mark.clause("EXP-01", "LANG-01")
async def test_words_go_out_in_morse_and_stand_in_the_state(sample: Opener) -> None:
    stage = await sample(TYPESCRIPT)
    assert await stage.preload() is None
    assert await stage.tool("send_signal", {"text": "Come,  Été!"}, call=1) == (
        "Sent to the pilot's lookout. By the hand lamp, 15 seconds at the shutter: "
        "-.-. --- -- . / . - ."
    )
    assert stage.logs == ["Signal by lamp to the pilot's lookout: Come, Été!"]
    assert stage.store["sent"][0]["toolCallId"] == 1
    assert str(await stage.preload()).endswith("- to the pilot's lookout, by lamp: Come, Été!")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("P", "One hoist from the card, P: “Pilot wanted”."),
        ("We want a pilot: pilot wanted", "One hoist from the card, P: “Pilot wanted”."),
        ("yes, understood", "One hoist from the card, YS: “Yes, understood”."),
        ("Tea", "The card has no hoist for it, so it is spelled flag by flag: T E A."),
    ],
)
async def test_flags_say_it_in_one_hoist_where_the_card_has_one(
    sample: Opener, text: str, said: str
) -> None:
    stage = await sample(TYPESCRIPT)
    given = {"text": text, "means": "flags", "to": "Annis"}
    assert await stage.tool("send_signal", given) == f"Sent to Annis. {said}"


@pytest.mark.parametrize(
    ("signal", "said"),
    [
        ("... --- ...", "It reads: SOS"),
        ("•−• −−− •−−• • / -.-. --- -- .", "It reads: ROPE COME"),
        (".- ........ -...", "It reads: A(?)B"),
        ("bt", "BT on the card: “Bar passable, come in”."),
        ("toString", "No hoist on the card is toString, and it is no Morse."),
        ("", "There is nothing to read: give the dots and dashes, or the flags."),
        ("." * 2000, "Too long to be read in one go. Give it in parts."),
    ],
)
async def test_what_comes_in_is_read(sample: Opener, signal: str, said: str) -> None:
    stage = await sample(TYPESCRIPT)
    assert await stage.tool("read_signal", {"signal": signal}) == said
    assert stage.store == {}


async def test_what_is_sent_can_be_read(sample: Opener) -> None:
    stage = await sample(TYPESCRIPT)
    sent = await stage.tool("send_signal", {"text": "THE 4TH OF THE TEETH?"})
    back = await stage.tool("read_signal", {"signal": sent.split(": ")[-1]})
    assert back == "It reads: THE 4TH OF THE TEETH?"


@pytest.mark.clause("EXP-03")
async def test_the_command_sends_and_refuses(sample: Opener) -> None:
    stage = await sample(TYPESCRIPT)
    assert await stage.command("signalCommand", "flags Doctor wanted") is None
    assert await stage.command("signalCommand", "Lamplight") is None
    assert [one["means"] for one in stage.store["sent"]] == ["flags", "lamp"]
    assert [one["text"] for one in stage.store["sent"]] == ["Doctor wanted", "Lamplight"]
    assert len(stage.toasts) == 2
    for text in ("", "lamp", "日本", "x" * 121):
        assert isinstance(await stage.command("signalCommand", text), str)
    assert len(stage.store["sent"]) == 2


@pytest.mark.clause("HOOK-05")
async def test_signals_of_removed_calls_were_never_sent(sample: Opener) -> None:
    stage = await sample(TYPESCRIPT)
    for call in (1, 2, 3):
        await stage.tool("send_signal", {"text": f"word {call}"}, call=call)
    await stage.command("signalCommand", "stays")
    await stage.remove_calls(2, 3)
    assert [one["text"] for one in stage.store["sent"]] == ["word 1", "stays"]
    await stage.tool("send_signal", {"text": "next"}, call=4)
    assert [one["id"] for one in stage.store["sent"]] == [1, 4, 5]


@pytest.mark.clause("EXP-07")
@pytest.mark.parametrize(
    "store",
    [
        {"sent": 3, "nextId": "x"},
        {"sent": [None, 4, {"text": "a"}, {"id": 1, "to": "x", "means": "tube", "text": "a"}]},
        {"sent": {"0": {}}, "nextId": 1e300},
    ],
)
async def test_a_damaged_store_is_an_empty_one(sample: Opener, store: Any) -> None:
    stage = await sample(TYPESCRIPT, store=copy.deepcopy(store))
    assert await stage.preload() is None
    await stage.hook("onAfterUserEdit", {"deletedToolCallIds": None})
    assert (await stage.tool("send_signal", {"text": "x"})).startswith("Sent to ")
    assert [one["id"] for one in stage.store["sent"]] == [1]
    assert (await stage.tool("send_signal", None)).startswith("Nothing was signalled")


async def test_the_list_of_signals_is_bounded(sample: Opener) -> None:
    sent = [{"id": n, "to": "x", "means": "lamp", "text": f"{n}"} for n in range(1, 101)]
    stage = await sample(TYPESCRIPT, store={"sent": sent})
    await stage.tool("send_signal", {"text": "last"})
    assert [one["id"] for one in stage.store["sent"]] == list(range(42, 102))
