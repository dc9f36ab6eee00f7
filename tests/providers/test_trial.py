"""Trying a connection: what is told of it, and what is learned on the way."""

from __future__ import annotations

from itertools import count

import pytest

from studio_qt.errors import ModelError, StudioError
from studio_qt.providers.profile import Profile
from studio_qt.providers.profiles import ProfileStore
from studio_qt.providers.trial import Trial, offered_models, try_connection
from tests.providers.asking import QUICK
from tests.support.local_servers import lm_studio, ollama
from tests.support.model_server import ModelServer, Reply, failure, plain, text, tool_call

pytestmark = pytest.mark.clause("STU-10")
KEY = "sk-very-secret-0123456789"


async def tried(model: ModelServer, *replies: Reply, store: ProfileStore | None = None) -> Trial:
    model.script(*replies)
    ticks = count(step=0.25)
    return await try_connection(
        model.base_url, KEY, "m", profiles=store, patience=QUICK, clock=lambda: next(ticks)
    )


CALL = tool_call("note_word", {"word": "lantern"})


async def test_a_good_server_streams_calls_and_ends(model: ModelServer) -> None:
    trial = await tried(model, text("one two three"), CALL)
    assert (trial.works, trial.first_token, trial.calls_tools) == (True, 0.25, True)
    assert trial.sentence == (
        "First token after 250 ms, a tool call came back whole, streaming ends cleanly."
    )
    assert model.last.tool_names == ["note_word"]
    assert "temperature" not in model.last.body


async def test_an_answer_in_one_piece_is_no_stream(model: ModelServer) -> None:
    whole = plain({"choices": [{"message": {"content": "one two"}, "finish_reason": "stop"}]})
    assert "came in one piece" in (await tried(model, whole, CALL)).sentence


@pytest.mark.parametrize(
    "reply",
    [text("I will not."), tool_call("other", {}), tool_call("note_word", '{"word": ')],
)
async def test_a_call_that_is_none_is_told(model: ModelServer, reply: Reply) -> None:
    trial = await tried(model, text("one two"), reply)
    assert (trial.works, trial.calls_tools) == (True, False)
    assert "agents may not act" in trial.sentence


async def test_a_model_that_refuses_tools_is_learned(model: ModelServer) -> None:
    store = ProfileStore()
    refused = failure(400, {"error": {"message": "m does not support tools"}})
    trial = await tried(model, text("one two"), refused, text("No tools."), store=store)
    assert trial.calls_tools is False
    assert store.get(model.base_url, "m", Profile()).takes_tools is False


async def test_a_refused_key_is_not_repeated(model: ModelServer) -> None:
    trial = await tried(model, failure(401, {"error": {"message": f"bad {KEY}"}}))
    assert not trial.works
    assert "Check the API key" in trial.sentence
    assert KEY not in repr(trial)


@pytest.mark.parametrize("address", ["", "ftp://x", "not an address"])
async def test_an_address_that_is_none_is_a_sentence_too(address: str) -> None:
    assert "no base URL" in (await try_connection(address, None, "m")).sentence


async def test_rehearsal_can_be_tried() -> None:
    trial = await try_connection("rehearsal:", None, "rehearsal")
    assert (trial.works, trial.calls_tools) == (True, True)


async def test_nobody_at_the_address_is_told() -> None:
    trial = await try_connection("http://127.0.0.1:9/v1", None, "m", patience=QUICK)
    assert "Nothing answers" in trial.sentence


async def test_what_a_local_server_tells_on_its_own_routes_is_added_to_its_list() -> None:
    with ollama() as server:
        first, second = await offered_models(server.base_url, None)
    assert (first.id, first.context_length, first.takes_tools) == ("qwen3:8b", 40_960, True)
    assert second.id == "gemma3:4b"


async def test_models_that_do_not_chat_come_last() -> None:
    with lm_studio() as server:
        kinds = [info.kind for info in await offered_models(server.base_url, None)]
    assert kinds == ["chat", "chat", "other"]


async def test_a_list_that_cannot_be_had_raises(model: ModelServer) -> None:
    model.models_reply = failure(401, {"error": "no"})
    with pytest.raises(ModelError):
        await offered_models(model.base_url, KEY)
    with pytest.raises(StudioError):
        await offered_models("ftp://x", None)
