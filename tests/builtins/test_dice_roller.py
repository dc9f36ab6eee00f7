"""Dice: what notations mean, what is refused, and what is kept."""

from __future__ import annotations

import re

import pytest

from .stage import Opener, Stage

DICE = "studio.dice-roller"


async def _total(stage: Stage, notation: str) -> int:
    result = await stage.tool("roll_dice", {"notation": notation})
    found = re.match(r"Rolled [^=]+ = (-?\d+) \(", result)
    assert found, result
    return int(found[1])


@pytest.mark.clause("EXP-02")
@pytest.mark.parametrize(
    ("notation", "low", "high"),
    [
        ("2d6+1", 3, 13),
        ("d20", 1, 20),
        ("4d6kh3", 3, 18),
        ("4d6dl1", 3, 18),
        ("2d20kl", 1, 20),
        ("d%", 1, 100),
        ("4dF", -4, 4),
        ("1d8+2d6-1", 2, 19),
        ("5-d4", 1, 4),
        ("3d1", 3, 3),
        ("4d6k0", 0, 0),
    ],
)
async def test_every_total_lies_within_what_the_notation_allows(
    opened: Opener, notation: str, low: int, high: int
) -> None:
    stage = await opened(DICE)
    totals = [await _total(stage, notation) for _ in range(25)]
    assert min(totals) >= low
    assert max(totals) <= high
    assert low == high or len(set(totals)) > 1


async def test_every_face_of_a_die_comes_up(opened: Opener) -> None:
    stage = await opened(DICE)
    result = await stage.tool("roll_dice", {"notation": "40d6"})
    faces = re.findall(r"\d+", result.partition("(")[2])
    assert len(faces) == 40
    assert set(faces) == set("123456")


async def test_what_is_dropped_is_shown_and_not_counted(opened: Opener) -> None:
    stage = await opened(DICE)
    result = await stage.tool("roll_dice", {"notation": "4d6kh3"})
    kept, dropped = re.search(r"\((.+), dropped (\d)\)", result).groups()  # type: ignore[union-attr]
    faces = [int(face) for face in kept.split(", ")]
    assert f" = {sum(faces)} " in result
    assert int(dropped) <= min(faces)


@pytest.mark.parametrize(
    ("args", "start"),
    [
        ({"count": 3, "sides": 10}, "Rolled 3d10 = "),
        ({"count": 2}, "Rolled 2d6 = "),
        ({"sides": 20, "modifier": -2}, "Rolled 1d20-2 = "),
        ({}, "Rolled 1d6 = "),
        (None, "Rolled 1d6 = "),
        ({"notation": " 2D6 + 1 "}, "Rolled 2d6+1 = "),
        ({"notation": "2d6", "modifier": 3}, "Rolled 2d6+3 = "),
        ({"notation": "2d6+3", "modifier": 3}, "Rolled 2d6+3 = "),
        ({"notation": "please roll two dice for me"}, "Rolled 2d6 = "),
        ({"notation": "three ten-sided dice plus 4"}, "Rolled 3d10+4 = "),
        ({"notation": "a d20 with advantage"}, "Rolled d20 with advantage = "),
        ({"notation": "d20", "advantage": "disadvantage"}, "Rolled d20 with disadvantage = "),
        ({"notation": "d20", "advantage": "none"}, "Rolled d20 = "),
    ],
)
async def test_a_roll_can_be_said_in_many_ways(opened: Opener, args: object, start: str) -> None:
    stage = await opened(DICE)
    assert (await stage.tool("roll_dice", args)).startswith(start)  # type: ignore[arg-type]


async def test_advantage_keeps_the_better_of_two_rolls(opened: Opener) -> None:
    stage = await opened(DICE)
    for luck, better in (("advantage", max), ("disadvantage", min)):
        result = await stage.tool("roll_dice", {"notation": "d20", "advantage": luck})
        total, first, other = map(
            int,
            re.search(r"= (\d+) \((\d+); the other roll was (\d+)\)", result).groups(),  # type: ignore[union-attr]
        )
        assert total == first == better(first, other)


async def test_exploding_dice_throw_every_highest_face_again_and_end(opened: Opener) -> None:
    stage = await opened(DICE)
    result = await stage.tool("roll_dice", {"notation": "30d2!"})
    faces = re.findall(r"\d+", result.partition("(")[2])
    assert faces.count("1") <= 30
    assert len(faces) > 30
    assert "more" in await stage.tool("roll_dice", {"notation": "200d2!"})


@pytest.mark.clause("EXP-02")
@pytest.mark.parametrize(
    "args",
    [
        {"notation": "banana"},
        {"notation": "2d"},
        {"notation": "20"},
        {"notation": "201d6"},
        {"notation": "0d6"},
        {"notation": "d0"},
        {"notation": "d10001"},
        {"notation": "d1!"},
        {"notation": "d6+1000001"},
        {"notation": "+".join(["d6"] * 21)},
        {"notation": "9" * 190 + "d6"},
        {"notation": "d6" + "+1" * 500},
        {"notation": "((((2d6"},
        {"count": 1.5},
        {"count": "two", "sides": []},
        {"modifier": 1e12},
        {"modifier": "lots"},
    ],
)
async def test_a_roll_that_cannot_be_made_is_answered_with_a_sentence(
    opened: Opener, args: dict[str, object]
) -> None:
    stage = await opened(DICE)
    result = await stage.tool("roll_dice", args)  # type: ignore[arg-type]
    if args == {"notation": "((((2d6"}:
        assert result.startswith("Rolled 2d6")
        return
    assert not result.startswith("Rolled")
    assert result.endswith(".")
    assert stage.logs == []
    assert stage.store == {}


@pytest.mark.clause("EXP-03")
async def test_the_command_rolls_into_the_log_and_refuses_nonsense(opened: Opener) -> None:
    stage = await opened(DICE)
    assert await stage.command("rollCommand", "2d6+1") is None
    assert stage.logs[0].startswith("Dice: 2d6+1 = ")
    assert stage.toasts[0].startswith("2d6+1 = ")
    for nonsense in ("", "   ", "what?"):
        assert isinstance(await stage.command("rollCommand", nonsense), str)
    assert len(stage.logs) == 1


@pytest.mark.clause("EXP-01")
async def test_the_model_is_told_of_the_users_own_rolls_for_a_while(opened: Opener) -> None:
    stage = await opened(DICE, length=10)
    await stage.tool("roll_dice", {"notation": "d6"})
    assert await stage.preload() is None
    await stage.command("rollCommand", "d20")
    text = await stage.preload()
    assert isinstance(text, str)
    assert "d20 = " in text
    stage.length = 40
    assert await stage.preload() is None


@pytest.mark.clause("HOOK-05")
async def test_rolls_of_removed_calls_are_forgotten(opened: Opener) -> None:
    stage = await opened(DICE)
    for call in (1, 2, 3):
        await stage.tool("roll_dice", {"notation": f"{call}d6"}, call=call)
    await stage.command("rollCommand", "d4")
    await stage.remove_calls(2, 3, 99)
    assert [roll["notation"] for roll in stage.store["rolls"]] == ["1d6", "d4"]


async def test_only_the_latest_rolls_are_kept(opened: Opener) -> None:
    stage = await opened(DICE)
    for n in range(25):
        await stage.tool("roll_dice", {"notation": "d6", "reason": f"no. {n}"})
    assert [roll["reason"] for roll in stage.store["rolls"]] == [f"no. {n}" for n in range(5, 25)]


@pytest.mark.clause("EXP-07")
@pytest.mark.parametrize("rolls", [{}, [], None, "x", [None, 3, {"notation": 2}]])
async def test_a_damaged_store_is_as_good_as_none(opened: Opener, rolls: object) -> None:
    stage = await opened(DICE, store={"rolls": rolls})
    assert await stage.preload() is None
    await stage.remove_calls(1)
    assert (await stage.tool("roll_dice", {"notation": "d6"})).startswith("Rolled d6")
    assert len(stage.store["rolls"]) == 1
