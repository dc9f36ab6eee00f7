"""Lists of models in the shapes that servers give them."""

from __future__ import annotations

import re
from typing import Literal

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.lenient import as_count, as_list, as_object, as_text, dig
from studio_qt.providers.model import ModelInfo

__all__ = ["read_models"]

_LENGTHS = (
    "loaded_context_length",
    "context_length",
    "max_model_len",
    "max_context_length",
    "context_window",
    "model_spec.availableContextTokens",
    "meta.n_ctx",
    "meta.n_ctx_train",
    "top_provider.context_length",
    "inputTokenLimit",
)
_TOOL_FLAGS = (
    "capabilities.function_calling",
    "capabilities.trained_for_tool_use",
    "capabilities.tools",
    "model_spec.capabilities.supportsFunctionCalling",
    "supports_tools",
)
_OTHER_TYPES = re.compile(
    r"embed|image|video|tts|asr|audio|speech|rerank|moderation|upscale|inpaint|music", re.IGNORECASE
)
_OTHER_IDS = re.compile(
    r"embed|(^|[/_-])(bge|e5|gte|clip)[_-]|whisper|tts|dall-e|stable-diffusion|flux|moderation"
    r"|rerank|transcribe|gpt-image|imagen|sora|(^|[/-])veo-|realtime|babbage|davinci-00",
    re.IGNORECASE,
)


def read_models(body: JsonValue) -> tuple[ModelInfo, ...]:
    """Return the models of a list: `{"data"}`, `{"models"}` or a bare array; each id once."""
    rows = body
    if isinstance(body, dict):
        rows = as_list(body.get("data")) or as_list(body.get("models"))
    found: dict[str, ModelInfo] = {}
    for row in as_list(rows):
        model = _model(as_object({"id": row} if isinstance(row, str) else row))
        if model.id:
            found.setdefault(model.id, model)
    return tuple(found.values())


def _model(row: JsonObject) -> ModelInfo:
    named = as_text(row.get("id")) or as_text(row.get("name")) or as_text(row.get("model"))
    name = named.removeprefix("models/")
    lengths = (as_count(dig(row, path)) for path in _LENGTHS)
    return ModelInfo(
        name, next((length for length in lengths if length), None), _tools(row), _kind(row, name)
    )


def _tools(row: JsonObject) -> bool | None:
    for path in _TOOL_FLAGS:
        flag = dig(row, path)
        if isinstance(flag, bool):
            return flag
    for key, word in (("supported_parameters", r"tools"), ("capabilities", r"tools?|tool_use")):
        words = row.get(key)
        if isinstance(words, list):
            return any(re.fullmatch(word, as_text(item)) for item in words)
    return None


def _kind(row: JsonObject, name: str) -> Literal["chat", "other"]:
    outputs = as_list(dig(row, "architecture.output_modalities"))
    other = (
        bool(_OTHER_TYPES.search(as_text(row.get("type"))))
        or dig(row, "capabilities.completion_chat") is False
        or (bool(outputs) and "text" not in outputs)
        or bool(_OTHER_IDS.search(name))
    )
    return "other" if other else "chat"
