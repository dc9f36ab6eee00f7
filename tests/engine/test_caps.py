"""What agents may spend of the user's tokens: how much, what counts, and when it ends."""

from __future__ import annotations

import pytest

from studio_qt import PlayerSettings
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text, tool_call
from tests.support.packages import agent

THINKER = agent(
    "t.think",
    """
export async function onToolCall(name, args, store, studio) {
  return await studio.callModel("Think.", []).catch((error) => error.message);
}
""",
    tools=["think"],
    tags="@api studio.model",
)
FILES = {"agents/t.think.js": THINKER}


@pytest.mark.clause("CAP-01")
def test_the_caps_are_those_of_the_documents_unless_the_user_sets_others() -> None:
    settings = PlayerSettings()
    assert settings.agent_tokens_per_response == 32_000
    assert settings.agent_tokens_per_conversation == 1_000_000


@pytest.mark.clause("CAP-01")
async def test_the_total_of_a_conversation_goes_on_after_a_restart(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    model.script(tool_call("think"), text("Hm.", usage=(30, 12)), text("Done."))
    await player.send("Think")
    await player.close()
    player = await make_player()
    assert player.usage()["agentTokensThisConversation"] == 42
    await player.new_conversation()
    assert player.usage()["agentTokensThisConversation"] == 0


@pytest.mark.clause("CAP-03")
async def test_a_cap_that_is_used_up_to_the_token_is_spent(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, settings=PlayerSettings(agent_tokens_per_response=42))
    model.script(tool_call("think"), text("Hm.", usage=(30, 12)), tool_call("think"), text("Done."))
    await player.send("Think twice")
    assert model.requests[-1].tool_results == ["Hm.", "budget exhausted for this response"]


@pytest.mark.clause("CAP-03")
async def test_the_cap_of_a_conversation_holds_over_its_responses(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, settings=PlayerSettings(agent_tokens_per_conversation=42))
    model.script(tool_call("think"), text("Hm.", usage=(30, 12)), text("Done."))
    await player.send("Think")
    model.script(tool_call("think"), text("Done."))
    await player.send("Think again")
    assert model.requests[-1].tool_results == ["budget exhausted for this conversation"]


@pytest.mark.clause("CAP-02")
async def test_model_calls_of_a_preload_are_metered(
    make_player: MakePlayer, model: ModelServer
) -> None:
    body = "export const onLoad = (store, studio) => studio.callModel('Sum up.', []);"
    source = agent("t.sum", body, tags="@preload true\n@api studio.model")
    player = await make_player({"agents/t.sum.js": source})
    model.script(text("Sum.", usage=(30, 12)), text("Hi."), text("Sum.", usage=(5, 3)))
    await player.send("Hello")
    assert player.usage()["agentTokensThisResponse"] == 50
