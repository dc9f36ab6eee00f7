"""Servers of the kinds that people run at home, each on a free port of loopback."""

from __future__ import annotations

from typing import Any

from tests.support.model_server import ModelServer, Recorded, Reply, failure, plain

__all__ = ["LocalServer", "kobold", "llama_cpp", "lm_studio", "locked_llama_cpp", "ollama"]


class LocalServer(ModelServer):
    """A model server with routes of its own, by path; what it has not of /api is 404."""

    def __init__(self, routes: dict[str, Reply | Any]) -> None:
        self.routes = routes
        super().__init__()

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def reply_to(self, request: Recorded) -> Reply:
        found = self.routes.get(request.path)
        if found is None and request.path.startswith(("/api/", "/props")):
            found = failure(404, "no such page")
        if found is None:
            return super().reply_to(request)
        self.others.append(request)
        return found if isinstance(found, Reply) else plain(found)


def ollama() -> LocalServer:
    """Two models; one is loaded and takes tools."""
    shown = {
        "capabilities": ["completion", "tools"],
        "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960},
    }
    rows = [{"id": "qwen3:8b", "owned_by": "library"}, {"id": "gemma3:4b", "owned_by": "library"}]
    return LocalServer(
        {
            "/v1/models": {"object": "list", "data": rows},
            "/api/tags": {"models": [{"name": "qwen3:8b"}, {"name": "gemma3:4b"}]},
            "/api/ps": {"models": [{"name": "qwen3:8b", "model": "qwen3:8b"}]},
            "/api/show": shown,
        }
    )


def lm_studio() -> LocalServer:
    """A loaded model with tools, one that is not loaded, and one for embeddings."""
    rows = [
        {
            "key": "qwen3-32b",
            "type": "llm",
            "max_context_length": 32_768,
            "loaded_instances": [{"id": "qwen3-32b", "config": {"context_length": 24_576}}],
            "capabilities": {"trained_for_tool_use": True},
        },
        {
            "key": "gemma-3-4b",
            "type": "llm",
            "max_context_length": 8_192,
            "loaded_instances": [],
            "capabilities": {"trained_for_tool_use": False},
        },
        {"key": "nomic-embed", "type": "embedding", "loaded_instances": []},
    ]
    listed = [{"id": row["key"]} for row in rows]
    return LocalServer({"/v1/models": {"data": listed}, "/api/v1/models": {"models": rows}})


def llama_cpp() -> LocalServer:
    """One model, told by /props."""
    return LocalServer(
        {
            "/v1/models": {"data": [{"id": "mistral.gguf", "owned_by": "llamacpp"}]},
            "/props": {
                "default_generation_settings": {"n_ctx": 16_384},
                "chat_template_caps": {"supports_tools": True},
            },
        }
    )


def locked_llama_cpp() -> LocalServer:
    """It lists its model to everybody, and asks for a key everywhere else."""
    refused = failure(401, {"error": {"code": 401, "message": "Invalid API Key"}})
    return LocalServer({"/v1/models": {"data": [{"id": "secret.gguf"}]}, "/props": refused})


def kobold() -> LocalServer:
    """It plays Ollama as well."""
    return LocalServer(
        {
            "/v1/models": {"data": [{"id": "koboldcpp/tiefighter", "owned_by": "koboldcpp"}]},
            "/api/extra/version": {"result": "KoboldCpp", "version": "1.99"},
            "/api/ps": {"models": [{"name": "koboldcpp/tiefighter"}]},
        }
    )
