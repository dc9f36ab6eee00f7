"""A request adapted to an endpoint: a pure function from request and profile to the body."""

from __future__ import annotations

from collections.abc import Sequence

from studio_qt.jsontext import JsonObject
from studio_qt.providers.lenient import as_object, as_text
from studio_qt.providers.messages import MessageWriter, called_names
from studio_qt.providers.model import ChatRequest
from studio_qt.providers.names import ToolNames
from studio_qt.providers.profile import Profile
from studio_qt.providers.roles import shaped
from studio_qt.providers.schema import wire_tool

__all__ = ["adapt", "offers_tools", "tool_names"]


def adapt(request: ChatRequest, profile: Profile, endpoint: str = "") -> JsonObject:
    """Return the body of `POST chat/completions` for `request`.

    Fields are left out where they are not set, empty or refused. `endpoint` is `Endpoint.base`;
    extras of messages go only to the endpoint and model that they came from.
    """
    names = tool_names(request)
    writer = MessageWriter(profile, names, endpoint, request.model, not _tools_refused(profile))
    body: JsonObject = {
        "model": request.model,
        "messages": [*shaped(writer.write(request.messages), profile)],
    }
    if tools := _tools(request, profile, names):
        body["tools"] = [*tools]
    body |= _sampling(request, profile)
    body["stream"] = request.stream
    if request.stream and not profile.refuses("stream_options"):
        body["stream_options"] = {"include_usage": True}
    extra = {key: value for key, value in profile.extra_body.items() if not profile.refuses(key)}
    return {**extra, **body}


def tool_names(request: ChatRequest) -> ToolNames:
    """Return the names of the tools of `request` on the wire and back."""
    return ToolNames(_name(tool) for tool in request.tools)


def offers_tools(request: ChatRequest, profile: Profile) -> bool:
    """Whether the tools of `request` go out with it."""
    return bool(request.tools) and not _tools_refused(profile)


def _tools(request: ChatRequest, profile: Profile, names: ToolNames) -> Sequence[JsonObject]:
    if _tools_refused(profile):
        return []
    tools = list(request.tools)
    if not tools and profile.tools_with_calls:
        tools = [{"function": {"name": name}} for name in called_names(request.messages)]
    return [wire_tool(tool, names.safe(_name(tool)), profile.refused_schema_keys) for tool in tools]


def _sampling(request: ChatRequest, profile: Profile) -> JsonObject:
    chosen: JsonObject = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        profile.max_tokens_field: request.max_tokens,
    }
    return {
        key: value
        for key, value in chosen.items()
        if value is not None and not profile.refuses(key)
    }


def _tools_refused(profile: Profile) -> bool:
    return profile.takes_tools is False


def _name(tool: JsonObject) -> str:
    return as_text(as_object(tool.get("function")).get("name"))
