"""What goes out: known fields, roles as a profile says, addresses, keys, proxies."""

from __future__ import annotations

import logging
import traceback
from typing import Any

import pytest

from studio_qt.errors import ClosedError, ModelError, StudioError
from studio_qt.providers.adapt import adapt
from studio_qt.providers.client import HttpProvider
from studio_qt.providers.endpoint import Endpoint
from studio_qt.providers.profile import Profile, guessed
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


def messages(profile: Profile, *said: str | dict[str, Any]) -> list[tuple[str, Any]]:
    body = adapt(chat(*said, tools=["roll"]), profile)
    sent = body["messages"]
    assert isinstance(sent, list)
    return [(m["role"], m["content"]) for m in sent if isinstance(m, dict)]


@pytest.mark.clause("SYS-08")
async def test_is_file_is_left_off_the_wire(provider: HttpProvider, model: ModelServer) -> None:
    model.script(text("x"))
    await ask(provider, chat(user("notes", isFile=True), "Hi"))
    assert model.last.messages == [user("notes"), user("Hi")]


@pytest.mark.clause("SYS-08")
async def test_is_file_is_sent_where_the_connection_takes_it(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x"))
    provider.override(send_is_file=True)
    await ask(provider, chat(user("notes", isFile=True), user("Hi", isFile=False)))
    assert model.last.messages == [user("notes", isFile=True), user("Hi")]


async def test_only_known_keys_are_sent(provider: HttpProvider, model: ModelServer) -> None:
    odd = {"toolCallId": 3, "id": "e1", "rejected": False, "stopped": True, "timestamp": 1}
    message = called(**odd)
    message["tool_calls"][0]["toolCallId"] = 3
    model.script(text("x"))
    history = [user("Go", **odd), message, {**result("4"), **odd}]
    await ask(provider, chat(*history, tools=["roll"]))
    sent = model.last.messages
    assert [sorted(m) for m in sent] == [
        ["content", "role"],
        ["content", "role", "tool_calls"],
        ["content", "role", "tool_call_id"],
    ]
    assert sorted(sent[1]["tool_calls"][0]) == ["function", "id", "type"]


async def test_entries_of_other_roles_are_left_out(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x"))
    await ask(provider, chat({"role": "log", "content": "note"}, "Hi"))
    assert model.last.messages == [user("Hi")]


async def test_sampling_fields_are_sent_only_when_they_are_set(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x"), text("x"))
    await ask(provider, chat("Hi", temperature=0.0, max_tokens=5))
    assert model.last.body["temperature"] == 0.0
    assert model.last.body["max_tokens"] == 5
    await ask(provider)
    assert sorted(model.last.body) == ["messages", "model", "stream", "stream_options"]


def test_the_usual_layout_is_sent_as_it_is_unless_a_profile_says_otherwise() -> None:
    said = [system("s"), user("context"), user("preload"), assistant("intro"), user("Hi")]
    assert messages(Profile(), *said) == [(m["role"], m["content"]) for m in said]


def test_adjacent_messages_of_one_role_are_merged_where_the_profile_says_so() -> None:
    said = [system("s"), user("context"), user("Hi"), assistant("a"), assistant("b"), user("Go")]
    assert messages(Profile(merge_same_role=True), *said) == [
        ("system", "s"),
        ("user", "context\n\nHi"),
        ("assistant", "a\n\nb"),
        ("user", "Go"),
    ]


def test_merging_never_joins_calls_or_results() -> None:
    said = [user("Go"), called(), result("4"), called(call_id="c2"), result("5", "c2")]
    roles = [role for role, _ in messages(Profile(merge_same_role=True), *said)]
    assert roles == ["user", "assistant", "tool", "assistant", "tool"]


def test_merging_puts_text_and_the_calls_after_it_together() -> None:
    profile = Profile(merge_same_role=True)
    said = [user("Go"), assistant("I roll."), called(), result("4")]
    assert messages(profile, *said)[1:] == [("assistant", "I roll."), ("tool", "4")]
    assert messages(profile, user("Go"), assistant(""), called(), result("4"))[1][1] is None


def test_merging_keeps_parts_and_drops_a_flag_that_is_not_of_all() -> None:
    profile = Profile(merge_same_role=True, takes_is_file=True)
    parts = [{"type": "image_url", "image_url": {"url": "data:"}}]
    body = adapt(chat(user("notes", isFile=True), user(parts)), profile)
    assert body["messages"] == [user([{"type": "text", "text": "notes"}, *parts])]


def test_one_system_message_holds_the_first_and_later_ones_become_user_text() -> None:
    said = [system("a"), system("b"), user("Hi"), system("late"), assistant("x")]
    assert messages(Profile(single_system=True), *said) == [
        ("system", "a\n\nb"),
        ("user", "Hi"),
        ("user", "late"),
        ("assistant", "x"),
    ]


def test_without_a_system_role_its_text_goes_into_the_first_user_message() -> None:
    profile = Profile(no_system=True)
    assert messages(profile, system("s"), "Hi") == [("user", "s\n\nHi")]
    assert messages(profile, system("s"), assistant("intro"))[0] == ("user", "s")


def test_the_first_message_is_the_users_where_the_profile_says_so() -> None:
    sent = messages(Profile(user_first=True), system("s"), assistant("intro"), "Hi")
    assert [role for role, _ in sent] == ["system", "user", "assistant", "user"]
    assert messages(Profile(user_first=True), system("s"), "Hi") == [
        ("system", "s"),
        ("user", "Hi"),
    ]


def test_the_last_message_is_the_users_where_the_profile_says_so() -> None:
    assert messages(Profile(user_last=True), "Hi", assistant("So"))[-1][0] == "user"
    assert messages(Profile(), "Hi", assistant("So"))[-1][0] == "assistant"


def test_a_reply_stands_between_tool_and_user_where_the_profile_says_so() -> None:
    sent = messages(guessed("mistral"), "Go", called(), result("4"), "And?")
    assert [role for role, _ in sent] == ["user", "assistant", "tool", "assistant", "user"]


def test_the_names_of_speakers_are_left_out_for_templates_that_refuse_them() -> None:
    for profile, there in ((Profile(), True), (guessed("mistral"), False)):
        sent = adapt(chat(user("Hi", name="Ann")), profile)["messages"]
        assert isinstance(sent, list)
        assert ("name" in str(sent[0])) is there


def test_without_tools_earlier_calls_are_told_as_text() -> None:
    profile = Profile(takes_tools=False)
    assert messages(profile, "Go", called(), result("4"), "And?") == [
        ("user", "Go"),
        ("assistant", "(called roll)"),
        ("user", "(result of roll: 4)"),
        ("user", "And?"),
    ]
    assert "tools" not in adapt(chat("Go", tools=["roll"]), profile)


def test_a_kind_of_server_starts_with_its_own_profile() -> None:
    request = chat("Hi", max_tokens=5)
    assert adapt(request, guessed("openai"))["max_completion_tokens"] == 5
    venice = adapt(request, guessed("venice"))["venice_parameters"]
    assert venice == {"include_venice_system_prompt": False}
    ollama = adapt(chat("Go", called(), result("4"), tools=["roll"]), guessed("ollama"))
    assert '"content": ""' in str(ollama).replace("'", '"')


def test_gemini_gets_schemas_without_what_it_refuses() -> None:
    schema = {
        "$schema": "x",
        "$id": "y",
        "type": "object",
        "properties": {"default": {"default": 1}},
    }
    body = adapt(chat("Go", tools=[tool("roll", schema)]), guessed("gemini"))
    sent = body["tools"][0]["function"]["parameters"]  # type: ignore[index,call-overload]
    assert sent == {"type": "object", "properties": {"default": {}}}


async def test_what_is_shown_as_the_body_is_what_goes_out(
    provider: HttpProvider, model: ModelServer
) -> None:
    request = chat(system("Größe"), "Hi", tools=["roll"], temperature=0.5)
    model.script(text("x"))
    shown = provider.body(request)
    await ask(provider, request)
    assert model.last.data == shown


@pytest.mark.parametrize(
    ("typed", "base", "kind"),
    [
        ("http://127.0.0.1:1234", "http://127.0.0.1:1234/v1", "lmstudio"),
        ("http://127.0.0.1:1234/", "http://127.0.0.1:1234/v1", "lmstudio"),
        ("http://127.0.0.1:1234/v1/", "http://127.0.0.1:1234/v1", "lmstudio"),
        (" http://localhost:11434/v1 \n", "http://127.0.0.1:11434/v1", "ollama"),
        ("localhost:11434", "http://127.0.0.1:11434/v1", "ollama"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000/v1", "vllm"),
        ("nas.local:8080", "http://nas.local:8080/v1", "unknown"),
        ("mybox:8080/v1", "http://mybox:8080/v1", "unknown"),
        ("192.168.1.5:8080", "http://192.168.1.5:8080/v1", "llamacpp"),
        ("http://[::1]:8000", "http://[::1]:8000/v1", "vllm"),
        ("https://api.openai.com", "https://api.openai.com/v1", "openai"),
        ("https://API.OpenAI.com/v1/chat/completions", "https://api.openai.com/v1", "openai"),
        ("https://api.openai.com/v1/chat/completions/", "https://api.openai.com/v1", "openai"),
        ("https://api.openai.com/v1/models", "https://api.openai.com/v1", "openai"),
        ("api.mistral.ai/v1", "https://api.mistral.ai/v1", "mistral"),
        ("https://openrouter.ai", "https://openrouter.ai/api/v1", "openrouter"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1", "openrouter"),
        ("https://api.venice.ai/api/v1", "https://api.venice.ai/api/v1", "venice"),
        (
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "gemini",
        ),
        ("https://host.example/my//proxy/", "https://host.example/my/proxy", "unknown"),
        ("https://me:pass@host.example/v1", "https://host.example/v1", "unknown"),
    ],
)
def test_base_urls_are_made_whole(typed: str, base: str, kind: str) -> None:
    endpoint = Endpoint.parse(typed)
    assert (endpoint.base, endpoint.kind) == (base, kind)
    assert endpoint.url("chat/completions").endswith("/chat/completions")
    assert endpoint.url("chat/completions").count("chat/completions") == 1


def test_a_query_in_the_base_url_is_kept() -> None:
    endpoint = Endpoint.parse("https://host.example/v1?api-version=2")
    assert endpoint.url("models") == "https://host.example/v1/models?api-version=2"


@pytest.mark.parametrize(
    "typed",
    ["", "ftp://host/v1", "file:///tmp", "http://", "http://a b/", "http://h:port", "mock:x"],
)
def test_what_is_no_base_url_says_what_is_expected(typed: str) -> None:
    with pytest.raises(StudioError, match="no base URL: use http:// or https://"):
        HttpProvider(typed)


async def test_proxies_are_bypassed_on_loopback(
    model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    provider = HttpProvider(model.base_url, patience=QUICK)
    model.script(text("direct"))
    assert (await ask(provider)).text == "direct"
    await provider.close()


@pytest.mark.parametrize(
    ("name", "value"), [("ALL_PROXY", "socks5://127.0.0.1:9"), ("HTTPS_PROXY", "odd://127.0.0.1:9")]
)
async def test_a_proxy_that_cannot_be_used_is_an_error(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    provider = HttpProvider("https://host.invalid", patience=QUICK)
    with pytest.raises(ModelError, match=r"cannot be prepared.*ALL_PROXY"):
        await ask(provider)
    await provider.close()


@pytest.mark.parametrize("typed", [" sk-1\n", "sk-1\r\n", "Bearer sk-1", "\tsk-1"])
async def test_keys_are_trimmed(model: ModelServer, typed: str) -> None:
    provider = HttpProvider(model.base_url, typed, patience=QUICK)
    model.script(text("x"))
    await ask(provider)
    assert model.last.headers["authorization"] == "Bearer sk-1"
    await provider.close()


@pytest.mark.parametrize("typed", [None, "", " \n"])
async def test_without_a_key_no_header_is_sent(model: ModelServer, typed: str | None) -> None:
    provider = HttpProvider(model.base_url, typed, patience=QUICK)
    model.script(text("x"))
    await ask(provider)
    assert "authorization" not in model.last.headers
    await provider.close()


def test_a_key_with_odd_characters_is_refused_before_it_is_sent() -> None:
    with pytest.raises(StudioError, match="Copy it again") as caught:
        HttpProvider("http://127.0.0.1:1", "“sk-secret”")
    assert "sk-secret" not in str(caught.value)


async def test_the_key_is_in_no_log_message_or_repr(
    provider: HttpProvider, model: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = "Incorrect API key provided: sk-secret-123456, see sk-other-99999999"
    model.script(text("x"), failure(401, {"error": {"message": echo}}))
    await ask(provider)
    with pytest.raises(StudioError) as caught:
        await ask(provider)
    assert "Incorrect API key provided: (key), see (key)" in str(caught.value)
    trace = "".join(traceback.format_exception(caught.value))
    assert "sk-secret" not in f"{caplog.text}{trace}{provider!r}"


async def test_a_key_of_any_form_is_taken_out_of_errors(model: ModelServer) -> None:
    provider = HttpProvider(model.base_url, "hunter2hunter2", patience=QUICK)
    model.script(failure(401, "the key hunter2hunter2 is unknown"))
    with pytest.raises(ModelError, match=r"the key \(key\) is unknown"):
        await ask(provider)
    await provider.close()


async def test_a_closed_provider_says_so(provider: HttpProvider) -> None:
    await provider.close()
    await provider.close()
    with pytest.raises(ClosedError):
        await ask(provider)
    with pytest.raises(ClosedError):
        await provider.list_models()
