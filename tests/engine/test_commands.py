"""@ commands: validation, success, failure."""

from __future__ import annotations

import pytest

from tests.engine.conftest import MakePlayer, faults
from tests.support.packages import agent

COMMANDS = agent(
    "t.cmd",
    """
export async function remember(args, store, studio) {
  if (!args) return "Say what to remember.";
  store.seen = args;
  studio.log(`kept ${args}`);
}
export const empty = () => "";
export const number = () => 7;
export function fail(args, store) { store.seen = "spoiled"; throw new Error("broke"); }
""",
    commands={
        "@keep": "remember",
        "@empty": "empty",
        "@number": "number",
        "@fail": "fail",
        "@lost": "gone",
    },
)
FILES = {"agents/t.cmd.js": COMMANDS}


@pytest.mark.clause("EXP-03")
async def test_the_rest_of_the_line_reaches_the_handler_unparsed(make_player: MakePlayer) -> None:
    player = await make_player(FILES)
    result = await player.command('@keep  "a  b" {c: 1}  @x')
    assert (result.ok, result.error) == (True, None)
    assert player.store("t.cmd") == {"seen": '"a  b" {c: 1}  @x'}
    assert player.get_conversation()[0]["content"] == 'kept "a  b" {c: 1}  @x'


@pytest.mark.clause("EXP-03")
async def test_a_returned_text_is_the_error(make_player: MakePlayer) -> None:
    player = await make_player(FILES)
    result = await player.command("@keep")
    assert (result.ok, result.error) == (False, "Say what to remember.")


@pytest.mark.clause("EXP-03")
@pytest.mark.parametrize("line", ["@empty", "@number", "empty"])
async def test_an_empty_text_or_no_text_is_success(make_player: MakePlayer, line: str) -> None:
    player = await make_player(FILES)
    assert (await player.command(line)).ok


@pytest.mark.clause("EXP-03")
async def test_a_handler_that_throws_is_an_error_and_spoils_nothing(
    make_player: MakePlayer,
) -> None:
    player = await make_player(FILES)
    await player.command("@keep x")
    result = await player.command("@fail now")
    assert not result.ok
    assert "broke" in (result.error or "")
    assert player.store("t.cmd") == {"seen": "x"}


@pytest.mark.clause("EXP-03")
@pytest.mark.parametrize("line", ["@nosuch x", "@KEEP x", "", "@", "  "])
async def test_an_unknown_command_is_an_error_that_names_those_there_are(
    make_player: MakePlayer, line: str
) -> None:
    player = await make_player(FILES)
    result = await player.command(line)
    assert not result.ok
    assert "@keep" in (result.error or "")


@pytest.mark.clause("EXP-03", "MAN-02")
async def test_a_command_without_its_handler_is_a_problem_and_not_offered(
    make_player: MakePlayer,
) -> None:
    player = await make_player(FILES)
    assert player.commands() == ["@keep", "@empty", "@number", "@fail"]
    (problem,) = faults(player)
    assert ("gone" in problem.message, problem.file) == (True, "agents/t.cmd.js")
    assert not (await player.command("@lost")).ok
