"""What refusals teach: asked again without what was refused, and remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio_qt.errors import ModelError
from studio_qt.providers.client import HttpProvider
from studio_qt.providers.profile import Profile
from studio_qt.providers.profiles import ProfileStore
from tests.providers.asking import (
    QUICK,
    ask,
    assistant,
    called,
    chat,
    result,
    system,
    tool,
    user,
)
from tests.support.model_server import ModelServer, failure, text


def refusal(words: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    return {
        "error": {"message": words, "type": "invalid_request_error", "param": param, "code": code}
    }


def extra(*path: object) -> dict[str, Any]:
    """What FastAPI servers say to a key that they do not know."""
    row = {
        "type": "extra_forbidden",
        "loc": ["body", *path],
        "msg": "Extra inputs are not permitted",
    }
    return {"detail": [row]}


async def learned(
    provider: HttpProvider, model: ModelServer, body: object, request: Any, status: int = 400
) -> Profile:
    """Refuse once, answer, and answer a second request that must need no refusal."""
    model.script(failure(status, body), text("x"), text("x"))
    assert (await ask(provider, request)).text == "x"
    await ask(provider, request)
    assert len(model.requests) == 3
    assert model.requests[1].data == model.requests[2].data != model.requests[0].data
    return provider.profile("m")


@pytest.mark.parametrize(
    ("field", "more", "body", "status"),
    [
        ("temperature", {"temperature": 0.5}, refusal("Unsupported parameter", "temperature"), 400),
        ("temperature", {"temperature": 0.5}, refusal("'temperature' is not supported"), 400),
        ("top_p", {"top_p": 0.5}, extra("top_p"), 422),
        ("stream_options", {}, refusal("Unrecognized request argument: stream_options"), 400),
        ("stream_options", {}, extra("stream_options"), 422),
        ("max_tokens", {"max_tokens": 5}, refusal("unknown field max_tokens"), 400),
    ],
)
async def test_a_field_that_is_refused_is_left_out_from_then_on(
    provider: HttpProvider,
    model: ModelServer,
    field: str,
    more: dict[str, Any],
    body: object,
    status: int,
) -> None:
    profile = await learned(provider, model, body, chat("Hi", **more), status)
    assert profile.refuses(field)
    assert field in model.requests[0].body
    assert field not in model.last.body


async def test_max_tokens_is_renamed_where_the_new_name_is_wanted(
    provider: HttpProvider, model: ModelServer
) -> None:
    words = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    await learned(provider, model, refusal(words, "max_tokens"), chat("Hi", max_tokens=5))
    assert model.last.body["max_completion_tokens"] == 5
    assert "max_tokens" not in model.last.body


async def test_a_field_refused_under_both_names_is_left_out(
    provider: HttpProvider, model: ModelServer
) -> None:
    first = refusal("Use 'max_completion_tokens' instead of 'max_tokens'.")
    second = refusal("unknown field max_completion_tokens, did you mean max_tokens?")
    model.script(failure(400, first), failure(400, second), text("x"))
    await ask(provider, chat("Hi", max_tokens=5))
    assert not {"max_tokens", "max_completion_tokens"} & set(model.last.body)


async def test_a_refused_value_is_left_out_once_and_told(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(failure(400, refusal("temperature must be between 0 and 1")), text("x"), text("x"))
    asked = await ask(provider, chat("Hi", temperature=1.8))
    assert asked.completion.notices == (
        "The provider refused the value of temperature; it was left out.",
    )
    await ask(provider, chat("Hi", temperature=0.8))
    assert model.last.body["temperature"] == 0.8


async def test_nothing_is_learned_from_a_try_that_fails_too(
    provider: HttpProvider, model: ModelServer
) -> None:
    words = refusal("temperature is not supported")
    model.script(failure(400, words), failure(400, refusal("something else")))
    with pytest.raises(ModelError, match="something else"):
        await ask(provider, chat("Hi", temperature=0.5))
    assert provider.profile("m") == Profile()


async def test_a_refusal_that_names_nothing_sent_is_an_error_at_once(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(failure(400, refusal("logit_bias is odd")))
    with pytest.raises(ModelError, match="logit_bias"):
        await ask(provider, chat("Hi", temperature=0.5))
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": "registry.ollama.ai/library/x:7b does not support tools"}),
        (500, refusal("tools param requires --jinja flag")),
        (
            400,
            refusal('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'),
        ),
        (404, refusal('No endpoints found that support tool use. Try disabling "roll".')),
        (400, refusal("Function calling is not enabled for this model")),
        (400, refusal("This model does not support function calling.")),
        (400, refusal("Unrecognized request argument supplied: tools")),
    ],
)
async def test_a_model_without_tools_is_asked_without_them_and_that_is_told(
    provider: HttpProvider, model: ModelServer, status: int, body: object
) -> None:
    model.script(failure(status, body), text("x"), text("x"))
    request = chat("Hi", tools=["roll"])
    said = (await ask(provider, request)).completion
    assert "does not take tools" in said.notices[0]
    assert said.tools_offered is False
    again = (await ask(provider, request)).completion
    assert (again.notices, again.tools_offered) == ((), False)
    assert [bool(r.tools) for r in model.requests] == [True, False, False]


async def test_the_user_can_say_that_a_model_takes_tools_or_not(
    provider: HttpProvider, model: ModelServer
) -> None:
    request = chat("Hi", tools=["roll"])
    provider.override(model_takes_tools=False)
    model.script(text("x"), failure(400, {"error": "x does not support tools"}))
    await ask(provider, request)
    provider.override(model_takes_tools=True)
    with pytest.raises(ModelError, match="does not support tools"):
        await ask(provider, request)
    assert [bool(r.tools) for r in model.requests] == [False, True]


HISTORY = ("Go", called(), result("4"))


@pytest.mark.parametrize(
    "words",
    [
        "invalid message content type: <nil>",
        "messages.1.content: Input should be a valid string",
        "content must be a string, got null",
    ],
)
async def test_content_beside_calls_becomes_text_where_null_is_refused(
    provider: HttpProvider, model: ModelServer, words: str
) -> None:
    await learned(provider, model, refusal(words), chat(*HISTORY, tools=["roll"]))
    assert [r.messages[1]["content"] for r in model.requests] == [None, "", ""]


async def test_content_beside_calls_becomes_null_where_empty_text_is_refused(
    model: ModelServer,
) -> None:
    store = ProfileStore()
    store.put(model.base_url, "m", Profile(empty_content="text"), Profile())
    provider = HttpProvider(model.base_url, profiles=store, patience=QUICK)
    words = "messages: text content blocks must be non-empty, content is empty"
    await learned(provider, model, refusal(words), chat(*HISTORY, tools=["roll"]))
    assert [r.messages[1]["content"] for r in model.requests] == ["", None, None]
    await provider.close()


async def test_messages_without_content_are_skipped_where_they_are_refused(
    provider: HttpProvider, model: ModelServer
) -> None:
    words = refusal("messages.1: content must not be empty")
    await learned(provider, model, words, chat("Hi", assistant(""), "Go"))
    assert model.last.messages == [user("Hi"), user("Go")]


@pytest.mark.parametrize(
    ("words", "roles"),
    [
        (
            "Conversation roles must alternate user/assistant/user/assistant/...",
            ["system", "user", "assistant", "user"],
        ),
        (
            "System message must be at the beginning.",
            ["system", "user", "user", "assistant", "user", "user"],
        ),
        ("System role not supported", ["user", "user", "assistant", "user", "user"]),
        (
            "Unexpected role 'system' after role 'user'",
            ["system", "user", "user", "assistant", "user", "user"],
        ),
    ],
)
async def test_the_order_of_roles_is_learned_from_the_words_of_templates(
    provider: HttpProvider, model: ModelServer, words: str, roles: list[str]
) -> None:
    said = [
        system("s"),
        user("context"),
        user("preload"),
        assistant("intro"),
        system("x"),
        user("Hi"),
    ]
    await learned(provider, model, {"error": {"code": 500, "message": words}}, chat(*said), 500)
    assert [m["role"] for m in model.last.messages] == roles


async def test_a_first_message_of_the_user_is_learned(
    provider: HttpProvider, model: ModelServer
) -> None:
    words = refusal("The first message must use the role user")
    await learned(provider, model, words, chat(assistant("intro"), "Hi"))
    assert [m["role"] for m in model.last.messages] == ["user", "assistant", "user"]


@pytest.mark.parametrize(
    "words",
    [
        "Expected last role User or Tool for serving but got assistant",
        "This model does not support assistant message prefill.",
    ],
)
async def test_a_last_message_of_the_user_is_learned(
    provider: HttpProvider, model: ModelServer, words: str
) -> None:
    await learned(provider, model, refusal(words), chat("Hi", assistant("So")))
    assert model.last.messages[-1]["role"] == "user"


async def test_a_reply_between_tool_and_user_is_learned(
    provider: HttpProvider, model: ModelServer
) -> None:
    words = refusal("Unexpected role 'user' after role 'tool'")
    await learned(provider, model, words, chat(*HISTORY, "And?", tools=["roll"]))
    assert [m["role"] for m in model.last.messages][-3:] == ["tool", "assistant", "user"]


async def test_tools_are_declared_for_earlier_calls_where_that_is_wanted(
    provider: HttpProvider, model: ModelServer
) -> None:
    words = refusal("Anthropic expects the `tools=` param to be passed in when calls are present")
    await learned(provider, model, words, chat(*HISTORY))
    assert model.last.tool_names == ["roll"]


@pytest.mark.clause("SYS-08")
async def test_is_file_is_dropped_where_it_is_refused(model: ModelServer) -> None:
    store = ProfileStore()
    store.put(model.base_url, "m", Profile(takes_is_file=True), Profile())
    provider = HttpProvider(model.base_url, profiles=store, patience=QUICK)
    request = chat(user("notes", isFile=True), "Hi")
    await learned(provider, model, extra("messages", 0, "user", "isFile"), request, 422)
    assert "isFile" not in str(model.last.messages)
    await provider.close()


async def test_names_of_speakers_are_dropped_where_they_are_refused(
    provider: HttpProvider, model: ModelServer
) -> None:
    request = chat(user("Hi", name="Ann"))
    await learned(provider, model, extra("messages", 0, "user", "name"), request, 422)
    assert "name" not in model.last.messages[0]


async def test_reasoning_is_not_sent_back_where_it_is_refused(
    provider: HttpProvider, model: ModelServer
) -> None:
    extras = {
        "endpoint": model.base_url,
        "model": "m",
        "message": {"reasoning_content": "deep"},
        "calls": {},
    }
    request = chat("Go", called(extras=extras), result("4"), tools=["roll"])
    words = refusal("property 'messages.1.reasoning_content' is unsupported")
    await learned(provider, model, words, request)
    assert "deep" not in str(model.last.messages)


@pytest.mark.parametrize("key", ["$schema", "default", "additionalProperties"])
async def test_a_keyword_of_a_schema_is_dropped_where_it_is_refused(
    provider: HttpProvider, model: ModelServer, key: str
) -> None:
    schema = {"type": "object", key: False, "properties": {"a": {"type": "object", key: False}}}
    words = f"Unknown name \"{key}\" at 'tools.function_declarations[0].parameters'"
    await learned(provider, model, [refusal(words)], chat("Go", tools=[tool("roll", schema)]))
    assert key not in str(model.last.tools)


async def test_a_refusal_of_a_schema_never_drops_another_field(
    provider: HttpProvider, model: ModelServer
) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}
    request = chat("Go", tools=[tool("roll", schema)], temperature=0.5)
    model.script(failure(400, refusal("roles are mixed up by default")))
    with pytest.raises(ModelError):
        await ask(provider, request)


async def test_two_lessons_in_a_row_are_both_kept(
    provider: HttpProvider, model: ModelServer
) -> None:
    one, two = refusal("no stream_options here"), refusal("temperature is not supported")
    model.script(failure(400, one), failure(400, two), text("x"))
    await ask(provider, chat("Hi", temperature=0.5))
    assert provider.profile("m").refused_fields == ("stream_options", "temperature")


async def test_the_same_refusal_twice_ends_the_tries(
    provider: HttpProvider, model: ModelServer
) -> None:
    words = refusal("Conversation roles must alternate")
    model.script(failure(400, words), failure(400, words))
    with pytest.raises(ModelError, match="alternate"):
        await ask(provider, chat(user("a"), user("b")))
    assert len(model.requests) == 2


async def test_what_was_learned_belongs_to_the_model_alone(
    provider: HttpProvider, model: ModelServer
) -> None:
    await learned(provider, model, extra("temperature"), chat("Hi", temperature=0.5), 422)
    assert provider.profile("other") == Profile()


async def test_what_was_learned_outlives_the_provider(model: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "cache" / "profiles.json"
    for refused in (True, False):
        provider = HttpProvider(model.base_url, profiles=ProfileStore(path), patience=QUICK)
        if refused:
            model.script(failure(400, refusal("temperature is not supported")))
        model.script(text("x"))
        await ask(provider, chat("Hi", temperature=0.5))
        await provider.close()
    assert ["temperature" in r.body for r in model.requests] == [True, False, False]


async def test_a_busy_answer_between_lessons_is_waited_for(
    provider: HttpProvider, model: ModelServer, slept: list[float]
) -> None:
    words = refusal("temperature is not supported")
    model.script(failure(429), failure(400, words), failure(503), text("x"))
    assert (await ask(provider, chat("Hi", temperature=0.5))).text == "x"
    assert len(slept) == 2


async def test_merging_can_be_switched_on_by_the_user(
    provider: HttpProvider, model: ModelServer
) -> None:
    provider.override(merge_same_role=True)
    model.script(text("x"))
    await ask(provider, chat("context", "Hi"))
    assert model.last.messages == [user("context\n\nHi")]
