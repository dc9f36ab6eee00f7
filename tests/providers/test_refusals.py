"""Errors: the shapes of their bodies, what they mean, and when an endpoint is asked again."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from studio_qt.errors import ModelError
from studio_qt.providers.client import HttpProvider
from studio_qt.providers.patience import Patience
from studio_qt.providers.refusal import read_retry_after
from tests.providers.asking import QUICK, Asked, ask, called, chat, result
from tests.support.model_server import (
    DONE,
    ModelServer,
    Reply,
    chunk,
    drop_after,
    event,
    failure,
    plain,
    raw,
    sse,
    text,
)

pytestmark = pytest.mark.clause("LOOP-08")


async def refused(provider: HttpProvider, model: ModelServer, *replies: Reply) -> ModelError:
    model.script(*replies)
    with pytest.raises(ModelError) as caught:
        await ask(provider)
    return caught.value


OPENROUTER = {
    "error": {
        "code": 400,
        "message": "Provider returned error",
        "metadata": {"raw": '{"error":{"message":"the seed is odd"}}', "provider_name": "P"},
    }
}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "odd", "type": "t", "param": None, "code": None}}, "odd"),
        ({"error": "odd"}, "odd"),
        ({"message": "odd"}, "odd"),
        ({"detail": "odd"}, "odd"),
        (
            {"detail": [{"loc": ["body", "messages", 1], "msg": "odd", "type": "x"}]},
            "messages.1: odd",
        ),
        ({"object": "error", "message": "odd", "code": 400}, "odd"),
        (
            {"object": "error", "message": {"detail": [{"loc": ["body", "x"], "msg": "odd"}]}},
            "x: odd",
        ),
        ([{"error": {"code": 400, "message": "odd", "status": "INVALID_ARGUMENT"}}], "odd"),
        (OPENROUTER, "Provider returned error: the seed is odd"),
        ({"error": {"message": "odd", "code": "some_code"}}, "odd"),
        ({"error": {"message": "odd", "code": 17}}, "odd"),
        ({"error": {"oops": 1}}, '{"oops":1}'),
        ("odd and plain", "odd and plain"),
        ({"error": "odd", "message": "really"}, "odd: really"),
        ('"odd"', "odd"),
    ],
)
async def test_the_words_of_every_shape_of_body_are_told(
    provider: HttpProvider, model: ModelServer, body: object, words: str
) -> None:
    error = await refused(provider, model, failure(400, body))
    assert f'It said: "{words}"' in str(error)
    assert error.status == 400


async def test_a_placeholder_for_a_key_leaves_the_words_as_they_are(model: ModelServer) -> None:
    local = HttpProvider(model.base_url, "ollama", patience=QUICK)
    error = await refused(local, model, failure(400, {"error": "ollama has no such model loaded"}))
    assert "ollama has no such model" in str(error)
    await local.close()


async def test_an_empty_body_leaves_the_status(provider: HttpProvider, model: ModelServer) -> None:
    error = await refused(provider, model, failure(400))
    assert str(error) == f"{model.base_url} refused the request (400)."


async def test_a_long_body_is_shortened(provider: HttpProvider, model: ModelServer) -> None:
    error = await refused(provider, model, failure(500, "word " * 100_000))
    assert len(str(error)) < 600


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, "", "Check the API key"),
        (403, "", "Check the API key"),
        (402, "", "no credit left"),
        (404, "", 'does not know the model "m" or this address'),
        (400, {"error": {"message": "bad", "code": "model_not_found"}}, "does not know the model"),
        (408, "", "took too long"),
        (504, "", "took too long"),
        (524, "", "took too long"),
        (413, "", "too long for the model"),
        (400, "This model's maximum context length is 4096 tokens", "too long for the model"),
        (400, {"error": {"message": "no", "code": "context_length_exceeded"}}, "too long for"),
        (500, "the request exceeds the available context size", "too long for the model"),
        (500, "oops", "look at the server's own log"),
        (301, "", "has moved"),
        (418, "", "refused the request (418)"),
    ],
)
async def test_a_status_says_what_to_do(
    provider: HttpProvider, model: ModelServer, status: int, body: object, words: str
) -> None:
    error = await refused(provider, model, failure(status, body))
    assert words in str(error)
    assert len(model.requests) == 1


async def test_a_redirect_names_the_new_address_and_is_not_followed(
    provider: HttpProvider, model: ModelServer
) -> None:
    moved = failure(308, "", {"Location": "https://new.example/v1"})
    assert "https://new.example/v1" in str(await refused(provider, model, moved))


INSIDE: list[dict[str, Any]] = [
    {"error": {"message": "odd", "code": 502}},
    {"error": "odd"},
    {
        "error": {"message": "odd"},
        "choices": [{"delta": {"content": ""}, "finish_reason": "error"}],
    },
    {"choices": [{"delta": {}, "error": {"message": "odd"}, "finish_reason": "error"}]},
    {"object": "error", "message": "odd"},
]


@pytest.mark.parametrize("body", INSIDE)
async def test_an_error_inside_a_stream_is_an_error(
    provider: HttpProvider, model: ModelServer, body: dict[str, Any]
) -> None:
    model.script(sse(chunk({"content": "So"}), event(body), DONE))
    asked = Asked()
    with pytest.raises(ModelError, match="odd"):
        await asked.feed(provider, chat("Hi"))
    assert asked.text == "So"


@pytest.mark.parametrize("data", [b'{"message":"odd"}', b"odd", b'"odd"'])
async def test_an_event_named_error_is_an_error(
    provider: HttpProvider, model: ModelServer, data: bytes
) -> None:
    error = await refused(provider, model, sse(b"event: error\ndata: " + data + b"\n\n", DONE))
    assert "odd" in str(error)


async def test_a_finish_reason_error_alone_is_an_error(
    provider: HttpProvider, model: ModelServer
) -> None:
    await refused(provider, model, sse(chunk({"content": "x"}, "error"), DONE))


@pytest.mark.parametrize("body", [INSIDE[0], [INSIDE[0]], {"choices": []}, {"ok": True}, []])
async def test_a_good_status_with_an_error_or_no_answer_is_an_error(
    provider: HttpProvider, model: ModelServer, body: object
) -> None:
    error = await refused(provider, model, plain(body))
    assert "odd" in str(error) or "no choices" in str(error)


async def test_a_line_that_is_no_json_is_an_error(
    provider: HttpProvider, model: ModelServer
) -> None:
    error = await refused(provider, model, sse(b"data: {oops\n\n", DONE))
    assert "no JSON: {oops" in str(error)


# -- asking again


@pytest.mark.parametrize("status", [429, 503, 529])
async def test_a_busy_endpoint_is_asked_again_visibly(
    provider: HttpProvider, model: ModelServer, slept: list[float], status: int
) -> None:
    model.script(failure(status, {"error": "slow down"}, {"Retry-After": "7"}), text("now"))
    asked = await ask(provider)
    assert asked.text == "now"
    assert [(w.seconds, w.reason) for w in asked.waits] == [
        (7.0, "The provider asks for patience: slow down")
    ]
    assert slept == [7.0]


async def test_retry_after_may_be_a_date(
    provider: HttpProvider, model: ModelServer, slept: list[float]
) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    model.script(failure(429, "", {"Retry-After": date}), text("now"))
    await ask(provider)
    assert 25 < slept[0] <= 30


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3", 3.0),
        (" 0.5 ", 0.5),
        ("-2", 0.0),
        ("Mon, 30 Nov 2026 12:00:10 GMT", 10.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("Mon, 30 Nov 2026 12:00:10 -0000", 10.0),
        ("", None),
        ("soon", None),
        ("nan", None),
        ("Mon, 99 Nov 2026", None),
    ],
)
def test_retry_after_is_read(value: str, seconds: float | None) -> None:
    assert read_retry_after(value, datetime(2026, 11, 30, 12, tzinfo=UTC)) == seconds


async def test_without_retry_after_the_wait_grows(
    provider: HttpProvider, model: ModelServer, slept: list[float]
) -> None:
    model.script(failure(429), failure(429), text("now"))
    assert (await ask(provider)).text == "now"
    assert 0.008 <= slept[0] <= 0.012
    assert 0.016 <= slept[1] <= 0.024


async def test_after_a_few_tries_it_is_an_error_with_the_wait(
    provider: HttpProvider, model: ModelServer, slept: list[float]
) -> None:
    error = await refused(provider, model, *[failure(429, "", {"Retry-After": "1"})] * 3)
    assert (error.status, error.retry_after) == (429, 1.0)
    assert slept == [1.0, 1.0]


async def test_a_wait_that_is_too_long_is_left_to_the_user(
    provider: HttpProvider, model: ModelServer, slept: list[float]
) -> None:
    error = await refused(provider, model, failure(429, "", {"Retry-After": "3600"}))
    assert (error.retry_after, slept) == (3600.0, [])


async def test_a_spent_quota_is_not_waited_for(provider: HttpProvider, model: ModelServer) -> None:
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    assert "credit" in str(await refused(provider, model, failure(429, body)))


async def test_a_payment_that_names_a_wait_is_waited_for(
    provider: HttpProvider, model: ModelServer, slept: list[float]
) -> None:
    model.script(failure(402, "", {"Retry-After": "2"}), text("now"))
    assert (await ask(provider)).text == "now"
    assert slept == [2.0]


@pytest.mark.parametrize(
    "words", ["Loading model", "The model is still loading", "server is starting"]
)
async def test_a_model_that_is_loading_is_waited_for_longer(
    provider: HttpProvider, model: ModelServer, slept: list[float], words: str
) -> None:
    model.script(*[failure(503, {"error": {"message": words}})] * 6, text("now"))
    asked = await ask(provider)
    assert (asked.text, len(slept)) == ("now", 6)
    assert asked.waits[0].reason.startswith("The model is still loading")


async def test_a_model_that_never_loads_is_an_error(model: ModelServer) -> None:
    patience = Patience(first_byte=0.3, backoff=0.0)
    provider = HttpProvider(model.base_url, patience=patience)
    model.always = failure(503, "Loading model")
    with pytest.raises(ModelError, match="still loading"):
        await ask(provider)
    await provider.close()


async def test_a_busy_error_inside_a_stream_is_waited_for_before_any_text(
    provider: HttpProvider, model: ModelServer, slept: list[float]
) -> None:
    busy = {"error": {"message": "Overloaded", "type": "overloaded_error"}}
    model.script(sse(b": hm\n\n", event(busy)), text("now"))
    assert (await ask(provider)).text == "now"
    assert len(slept) == 1


@pytest.mark.parametrize("delta", [{"content": "So"}, {"reasoning": "Hm"}])
async def test_nothing_is_asked_again_once_a_delta_was_given(
    provider: HttpProvider, model: ModelServer, delta: dict[str, str]
) -> None:
    busy = {"error": {"message": "overloaded", "code": 429}}
    error = await refused(provider, model, sse(chunk(delta), event(busy)))
    assert error.status == 429
    assert len(model.requests) == 1


async def test_nothing_is_asked_again_once_a_tool_has_run(
    provider: HttpProvider, model: ModelServer
) -> None:
    request = chat("Go", called(), result("4"), tools=["roll"])
    model.script(failure(429, "", {"Retry-After": "1"}), drop_after(0))
    with pytest.raises(ModelError) as caught:
        await ask(provider, request)
    assert caught.value.retry_after == 1.0
    with pytest.raises(ModelError, match="broke off"):
        await ask(provider, request)


async def test_waiting_can_be_cancelled(model: ModelServer) -> None:
    waiting = asyncio.Event()

    async def sleep(_: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    provider = HttpProvider(model.base_url, patience=QUICK, sleep=sleep)
    model.script(failure(429))
    task = asyncio.create_task(ask(provider))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await provider.close()


async def test_a_wait_in_the_body_counts(
    provider: HttpProvider, model: ModelServer, slept: list[float]
) -> None:
    google = [{"error": {"code": 429, "message": "x", "details": [{"retryDelay": "2.5s"}]}}]
    router = {"error": {"code": 429, "message": "x", "metadata": {"headers": {"Retry-After": "4"}}}}
    model.script(failure(429, google), failure(429, router), text("now"))
    await ask(provider)
    assert slept == [2.5, 4.0]


async def test_a_page_of_a_proxy_is_not_waited_for_when_it_is_no_busy_one(
    provider: HttpProvider, model: ModelServer
) -> None:
    page = raw(b"<html><head><title>502 Bad Gateway</title>", {"Content-Type": "text/html"}, 502)
    assert "502 Bad Gateway" in str(await refused(provider, model, page))
