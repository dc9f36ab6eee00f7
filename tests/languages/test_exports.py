"""What agents export, how it is called, and what becomes of what it returns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio_qt import AgentError
from tests.engine.conftest import MakePlayer, faults
from tests.languages.agents import BRIEF, RETURNER, SPEAKER
from tests.languages.conftest import Play
from tests.languages.peers import SUFFIXES, manifest
from tests.support.model_server import ModelServer, text, tool_call

RESULTS = {
    "text": "from give",
    "number": "42",
    "fraction": "2.5",
    "truth": "true",
    "list": '[1,"two",[3]]',
    "object": '{"a":{"b":"ü"}}',
    "nothing": "null",
}
CONTENTS = pytest.mark.parametrize("language", ["javascript", "typescript"])


@pytest.mark.clause("EXP-02")
async def test_a_result_is_text_and_anything_else_goes_as_json(play: Play) -> None:
    player = await play(RETURNER)
    assert faults(player) == []
    assert {kind: await player.call_tool("give", {"kind": kind}) for kind in RESULTS} == RESULTS
    assert player.store("t.peer") == {"calls": len(RESULTS)}


@pytest.mark.clause("EXP-02", "LOOP-02", "PERS-01")
async def test_a_failing_tool_is_told_to_the_model_the_user_and_the_log(
    play: Play, model: ModelServer, language: str, tmp_path: Path
) -> None:
    player = await play(RETURNER)
    errors: list[Exception] = []
    player.on("error", errors.append)
    model.script(
        tool_call("give", {"kind": "text"}), tool_call("give", {"kind": "throw"}), text("Well.")
    )
    assert (await player.send("Give"))["content"] == "Well."
    told = model.requests[-1].tool_results[-1]
    assert told.startswith("Error: give failed. ")
    assert "the handler gave up" in told
    assert f"{RETURNER.path(language)}:{RETURNER.line(language, 'the handler gave up')}" in told
    (error,) = errors
    assert isinstance(error, AgentError)
    assert "the handler gave up" in str(error)
    log = tmp_path / "package/conversations/conversation_01.agent-log.jsonl"
    assert "the handler gave up" in log.read_text("utf-8")
    assert player.store("t.peer") == {"calls": 1}


@pytest.mark.clause("EXP-01", "EXP-04", "SYS-05", "SYS-06", "CTX-01")
async def test_a_preload_text_is_injected_and_nothing_is_not(
    play: Play, model: ModelServer
) -> None:
    player = await play(SPEAKER)
    model.always = text("Ok.")
    await player.send("Hello")
    assert [m["content"] for m in model.requests[0].messages] == ["Hello"]
    assert (await player.command("@note the tide is in")).ok
    await player.send("Again")
    assert model.requests[1].messages[0]["role"] == "user"
    assert model.requests[1].messages[0]["content"] == "I was told: the tide is in"
    messages = (await player.prepare_request("x"))["messages"]
    assert isinstance(messages, list)
    assert messages[0] == {
        "role": "user",
        "content": "I was told: the tide is in",
        "isFile": True,
    }


@pytest.mark.clause("EXP-03", "EXP-04", "MAN-02")
async def test_commands_get_the_rest_of_the_line_and_answer_with_an_error_or_nothing(
    play: Play,
) -> None:
    player = await play(SPEAKER)
    assert player.commands() == [*SPEAKER.commands]
    results = {
        line: await player.command(line)
        for line in ('@note  "a  b" {c} ', "@refuse this", "@fail", "@odd", "@hush")
    }
    assert {line: result.ok for line, result in results.items()} == {
        '@note  "a  b" {c} ': True,
        "@refuse this": False,
        "@fail": False,
        "@odd": True,
        "@hush": True,
    }
    assert results["@refuse this"].error == "Usage: @refuse something, not this"
    assert "no command today" in str(results["@fail"].error)
    assert player.store("t.peer") == {"said": '"a  b" {c}', "by": "direct"}


@pytest.mark.clause("EXP-03", "BR-01", "BR-02")
async def test_commands_speak_by_log_and_toast_without_an_api(play: Play) -> None:
    player = await play(SPEAKER)
    said: list[str] = []
    player.on("agentLog", said.append)
    player.on("agentToast", said.append)
    assert (await player.command("@say hey")).ok
    assert said == ["log: hey", "toast"]
    assert [(e["role"], e["content"]) for e in player.get_conversation()] == [("log", "log: hey")]


@pytest.mark.clause("EXP-04")
async def test_trailing_parameters_may_be_left_out(play: Play) -> None:
    player = await play(BRIEF)
    assert faults(player) == []
    assert await player.call_tool("brief", {}) == "only brief"
    assert (await player.command("@bare ignored")).ok
    assert (await player.command("@whole line")).error == "4 line string"
    messages = (await player.prepare_request("x"))["messages"]
    assert isinstance(messages, list)
    assert messages[0] == {"role": "user", "content": "nothing asked", "isFile": True}


FORMS = """
function hidden() { return 'alias'; }
async function later() { return 'later'; }
export function declared() { return 'declared'; }
export async function asynchronous() { await null; return 'asynchronous'; }
export const constant = () => 'constant';
export { hidden as alias, later };
export default {
  onToolCall() { return Promise.resolve('from the default object'); },
  inDefault() { return 'inDefault'; },
  declared() { return 'not this one'; },
};
"""


@CONTENTS
@pytest.mark.clause("EXP-05", "EXP-02")
async def test_exports_of_every_form_are_called_and_awaited(
    make_player: MakePlayer, language: str
) -> None:
    handlers = ["declared", "asynchronous", "constant", "alias", "later", "inDefault"]
    head = manifest(language, "@agent t.x", "@tool x", *(f"@command @{h} {h}" for h in handlers))
    player = await make_player({f"agents/t.x{SUFFIXES[language]}": head + FORMS})
    assert faults(player) == []
    assert [(await player.command(f"@{h}")).error for h in handlers] == handlers
    assert await player.call_tool("x", {}) == "from the default object"


@pytest.mark.clause("EXP-04", "EXP-05")
@pytest.mark.parametrize(
    ("language", "body"),
    [
        ("javascript", "export function on_tool_call() { return 1; }"),
        ("javascript", "function onToolCall() { return 1; }"),
        ("typescript", "const onToolCall = (): number => 1;"),
        ("python", "def onToolCall(): return 1"),
        ("python", "def make():\n    def on_tool_call(): return 1"),
        ("lua", "function onToolCall() return 1 end"),
        ("lua", "local function on_tool_call() return 1 end"),
    ],
)
async def test_only_exports_under_the_languages_own_names_count(
    make_player: MakePlayer, language: str, body: str
) -> None:
    source = manifest(language, "@agent t.x", "@tool x") + body
    player = await make_player({f"agents/t.x{SUFFIXES[language]}": source})
    (problem,) = faults(player)
    assert problem.file == f"agents/t.x{SUFFIXES[language]}"
    assert player.tools() == []


@pytest.mark.clause("MAN-01", "MAN-02", "LOOP-01", "STU-05")
async def test_the_manifest_makes_tools_commands_and_a_debug_log(
    play: Play, model: ModelServer, tmp_path: Path
) -> None:
    tags = "@version 1.0\n@description A peer.\n@debug true\n@tool plain\n@unknown x"
    player = await play(RETURNER.but(tags=tags))
    assert faults(player) == []
    model.script(tool_call("give", {"kind": "number"}), text("Ok."))
    await player.send("Give")
    give, plain = (tool["function"] for tool in model.requests[0].tools)
    assert (give["name"], give["description"]) == ("give", "Does give")
    assert give["parameters"]["required"] == ["kind"]
    assert plain["parameters"] == {"type": "object", "properties": {}}
    log = (tmp_path / "package/conversations/conversation_01.agent-log.jsonl").read_text()
    (line,) = (json.loads(line) for line in log.splitlines())
    assert (line["agentId"], line["kind"], line["result"]) == ("t.peer", "call", 42)
