"""Lists of models in the shapes that servers give them."""

from __future__ import annotations

from typing import Any

import pytest

from studio_qt.errors import ModelError
from studio_qt.providers.client import HttpProvider
from studio_qt.providers.listing import read_models
from studio_qt.providers.model import ModelInfo
from tests.support.model_server import ModelServer, failure, plain, raw

ROWS: list[tuple[dict[str, Any], int | None, bool | None]] = [
    ({"id": "gpt", "object": "model"}, None, None),
    (
        {
            "id": "venice",
            "type": "text",
            "model_spec": {
                "availableContextTokens": 9,
                "capabilities": {"supportsFunctionCalling": True},
            },
        },
        9,
        True,
    ),
    (
        {
            "id": "router/x",
            "context_length": 9,
            "supported_parameters": ["tools", "top_p"],
            "architecture": {"output_modalities": ["text"]},
            "top_provider": {"context_length": 5},
        },
        9,
        True,
    ),
    ({"id": "router/y", "context_length": None, "supported_parameters": ["top_p"]}, None, False),
    ({"id": "llama", "meta": {"n_ctx_train": 9}}, 9, None),
    ({"id": "lm", "type": "llm", "loaded_context_length": 4, "max_context_length": 9}, 4, None),
    ({"id": "lm2", "capabilities": ["tool_use"], "max_context_length": 9}, 9, True),
    ({"id": "lm3", "capabilities": {"trained_for_tool_use": False}}, None, False),
    ({"id": "vllm", "max_model_len": 9}, 9, None),
    (
        {
            "id": "mistral",
            "max_context_length": 9,
            "capabilities": {"completion_chat": True, "function_calling": True},
        },
        9,
        True,
    ),
    ({"id": "groq", "context_window": 9}, 9, None),
]


@pytest.mark.parametrize(("row", "length", "tools"), ROWS)
async def test_context_length_and_tools_are_read_where_they_are_given(
    provider: HttpProvider,
    model: ModelServer,
    row: dict[str, Any],
    length: int | None,
    tools: bool | None,
) -> None:
    model.models = [row]
    assert list(await provider.list_models()) == [ModelInfo(row["id"], length, tools)]


@pytest.mark.parametrize(
    "body",
    [
        {"object": "list", "data": [{"id": "a"}, {"id": "b"}]},
        {"models": [{"name": "a"}, {"name": "models/b"}]},
        {"data": [], "models": [{"model": "a"}, {"id": "b"}]},
        [{"id": "a"}, {"id": "b"}],
        ["a", "b"],
        {"data": [{"id": "a"}, {"id": "a"}, None, {}, {"id": 7}, {"id": "b"}]},
    ],
)
async def test_every_shape_of_list_is_read(
    provider: HttpProvider, model: ModelServer, body: object
) -> None:
    model.models_reply = plain(body)
    assert [info.id for info in await provider.list_models()] == ["a", "b"]


@pytest.mark.parametrize(
    "row",
    [
        {"id": "text-embedding-3-small"},
        {"id": "x", "type": "embeddings"},
        {"id": "x", "type": "image"},
        {"id": "x", "architecture": {"output_modalities": ["image"]}},
        {"id": "x", "capabilities": {"completion_chat": False}},
        {"id": "whisper-1"},
        {"id": "tts-1-hd"},
        {"id": "BAAI/bge-m3"},
        {"id": "omni-moderation-latest"},
        {"id": "gpt-image-1"},
    ],
)
def test_models_that_do_not_chat_are_marked(row: dict[str, Any]) -> None:
    assert [info.kind for info in read_models([row])] == ["other"]


@pytest.mark.parametrize(
    "name", ["gpt-4o", "qwen2.5-vl", "deepseek-chat", "gemma-3-27b-it", "flax"]
)
def test_models_that_chat_are_not_marked(name: str) -> None:
    assert [info.kind for info in read_models([{"id": name, "type": "llm"}])] == ["chat"]


@pytest.mark.parametrize("status", [404, 405, 501])
async def test_an_endpoint_without_a_list_lists_nothing(
    provider: HttpProvider, model: ModelServer, status: int
) -> None:
    model.models_reply = failure(status, "not here")
    assert list(await provider.list_models()) == []


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (failure(401, {"error": "no"}), "Check the API key"),
        (raw(b"<html><title>Login</title>"), "web page"),
        (raw(b"oops"), "something else than was asked for.*oops"),
        (raw(b""), "something else.*ends with /v1"),
        (plain({"error": "odd"}), "odd"),
        (raw(b'{"data":[' + b'{"id":"a"},' * 2_000_000), "does not end.*write the name"),
    ],
)
async def test_a_list_that_cannot_be_had_is_an_error(
    provider: HttpProvider, model: ModelServer, reply: Any, words: str
) -> None:
    model.models_reply = reply
    with pytest.raises(ModelError, match=words):
        await provider.list_models()


async def test_the_list_is_asked_for_beside_the_chats_with_the_key(
    provider: HttpProvider, model: ModelServer
) -> None:
    await provider.list_models()
    assert model.others[0].path == "/v1/models"
    assert model.others[0].headers["authorization"] == "Bearer sk-secret-123456"


def test_thousands_of_rows_are_read() -> None:
    assert len(read_models({"data": [{"id": f"m{n}"} for n in range(5_000)]})) == 5_000
