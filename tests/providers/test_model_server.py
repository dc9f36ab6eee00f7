"""The scripted server itself: what other tests rely on."""

from __future__ import annotations

import json
import threading

import httpx
import pytest

from tests.support.model_server import (
    ModelServer,
    blocked,
    drop_after,
    failure,
    text,
    tool_call,
)

STREAM = {"model": "m", "messages": [], "stream": True, "stream_options": {"include_usage": True}}


def post(model: ModelServer, body: dict[str, object]) -> httpx.Response:
    return httpx.post(f"{model.base_url}/chat/completions", json=body, trust_env=False)


def test_a_stream_has_role_pieces_finish_usage_and_done(model: ModelServer) -> None:
    model.script(text("Hello there."))
    lines = [line for line in post(model, STREAM).text.split("\n\n") if line]
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    assert chunks[0]["choices"][0]["delta"]["role"] == "assistant"
    assert [c["choices"][0]["delta"]["content"] for c in chunks[1:3]] == ["Hello ", "there."]
    assert chunks[3]["choices"][0]["finish_reason"] == "stop"
    assert chunks[4]["usage"]["total_tokens"] == 15
    assert lines[-1] == "data: [DONE]"


def test_a_request_without_stream_gets_one_body(model: ModelServer) -> None:
    model.script(tool_call("roll", {"sides": 6}))
    said = post(model, {"model": "m", "messages": []}).json()
    call = said["choices"][0]["message"]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"sides": 6}


def test_requests_are_recorded(model: ModelServer) -> None:
    model.script(text("ok"))
    tool = {"type": "function", "function": {"name": "roll", "parameters": {}}}
    post(model, {"messages": [{"role": "tool", "content": "4"}], "tools": [tool]})
    assert model.last.tool_results == ["4"]
    assert model.last.tool_names == ["roll"]


def test_an_unscripted_request_is_a_500_and_a_fault() -> None:
    with ModelServer() as model:
        assert post(model, STREAM).status_code == 500
        with pytest.raises(AssertionError, match="no scripted reply"):
            model.check()


def test_a_failure_has_status_body_and_headers(model: ModelServer) -> None:
    model.script(failure(429, {"error": "slow down"}, {"Retry-After": "3"}))
    said = post(model, STREAM)
    assert (said.status_code, said.json(), said.headers["retry-after"]) == (
        429,
        {"error": "slow down"},
        "3",
    )


def test_a_dropped_stream_ends_in_the_middle(model: ModelServer) -> None:
    model.script(drop_after(2))
    with pytest.raises(httpx.RemoteProtocolError):
        post(model, STREAM)


def test_a_blocked_reply_waits_and_notices_that_the_client_left(model: ModelServer) -> None:
    gate = threading.Event()
    model.script(blocked(gate, after=2))
    url = f"{model.base_url}/chat/completions"
    with httpx.stream("POST", url, json=STREAM, trust_env=False) as response:
        assert b"assistant" in next(response.iter_raw())
    assert model.last.dropped.wait(10)


def test_the_list_of_models_is_what_the_test_says(model: ModelServer) -> None:
    model.models = ["a", {"id": "b", "context_length": 9}]
    rows = httpx.get(f"{model.base_url}/models", trust_env=False).json()["data"]
    assert [row["id"] for row in rows] == ["a", "b"]
