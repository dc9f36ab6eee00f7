"""Messages in wire form: known keys only, every call answered, extras only where they came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studio_qt.jsontext import JsonObject, JsonValue, encode
from studio_qt.providers.calls import parse_arguments
from studio_qt.providers.lenient import as_object, as_text, objects_in
from studio_qt.providers.names import ToolNames
from studio_qt.providers.profile import Profile

__all__ = ["MessageWriter", "called_names"]

_ROLES = ("system", "user", "assistant", "tool", "developer")
_NOT_RUN = "(This call was not run.)"


def called_names(messages: Iterable[JsonObject]) -> list[str]:
    """Return the names of the tools that the messages call, in order, each once."""
    calls = [call for m in messages for call in objects_in(m.get("tool_calls"))]
    names = [as_text(as_object(call.get("function")).get("name")) for call in calls]
    return list(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class MessageWriter:
    """Writes messages for one endpoint and model; `with_tools` False tells calls as text."""

    profile: Profile
    names: ToolNames
    endpoint: str
    model: str
    with_tools: bool

    def write(self, messages: Sequence[JsonObject]) -> list[JsonObject]:
        """Return the messages in wire form; unknown roles are left out.

        After an assistant message stand the results of its calls, in the order of the calls; one
        without a result gets a note instead, and a result that belongs to no call is left out,
        because either is refused.
        """
        made: list[JsonObject] = []
        results: dict[str, JsonObject] = {}
        for position, message in enumerate(messages):
            if message.get("role") == "tool" or message.get("role") not in _ROLES:
                continue
            written = self._message(message)
            if written["content"] or written.get("tool_calls") or not self.profile.skips_empty:
                made.append(written)
            calls = objects_in(message.get("tool_calls"))
            if message.get("role") == "assistant" and calls:
                results = _results_after(messages[position + 1 :])
                made += [self._result(call, results) for call in calls]
        return made

    def _message(self, message: JsonObject) -> JsonObject:
        made: JsonObject = {"role": message["role"], "content": message.get("content")}
        if "name" in message and not self.profile.refuses("messages.name"):
            made["name"] = message["name"]
        if message.get("isFile") and self.profile.takes_is_file:
            made["isFile"] = True
        if message["role"] == "assistant" and objects_in(message.get("tool_calls")):
            self._add_calls(made, message)
        elif made["content"] is None:
            made["content"] = ""
        return made

    def _add_calls(self, made: JsonObject, message: JsonObject) -> None:
        calls = objects_in(message.get("tool_calls"))
        if not self.with_tools:
            made["content"] = made["content"] or f"(called {', '.join(called_names([message]))})"
            return
        extras = self._extras(message)
        by_call = as_object(extras.get("calls"))
        made["content"] = made["content"] or (None if self.profile.empty_content == "null" else "")
        made |= as_object(extras.get("message"))
        made["tool_calls"] = [self._call(call, by_call) for call in calls]

    def _call(self, call: JsonObject, extras: JsonObject) -> JsonObject:
        function = as_object(call.get("function"))
        call_id = as_text(call.get("id"))
        return {
            **as_object(extras.get(call_id)),
            "id": call_id,
            "type": "function",
            "function": {
                "name": self.names.safe(as_text(function.get("name"))),
                "arguments": _arguments(function.get("arguments")),
            },
        }

    def _result(self, call: JsonObject, results: dict[str, JsonObject]) -> JsonObject:
        call_id = as_text(call.get("id"))
        content = _as_string(results.get(call_id, {}).get("content", _NOT_RUN))
        if self.with_tools:
            return {"role": "tool", "tool_call_id": call_id, "content": content}
        name = as_text(as_object(call.get("function")).get("name"))
        return {"role": "user", "content": f"(result of {name}: {content})"}

    def _extras(self, message: JsonObject) -> JsonObject:
        extras = as_object(message.get("extras"))
        here = (extras.get("endpoint"), extras.get("model")) == (self.endpoint, self.model)
        return extras if here and self.profile.returns_extras else {}


def _results_after(messages: Sequence[JsonObject]) -> dict[str, JsonObject]:
    """Return the results up to the next assistant message by call id."""
    found: dict[str, JsonObject] = {}
    for message in messages:
        if message.get("role") == "assistant":
            break
        if message.get("role") == "tool":
            found.setdefault(as_text(message.get("tool_call_id")), message)
    return found


def _arguments(arguments: JsonValue) -> str:
    """Return arguments as text that spells an object, since many servers read it again."""
    if not isinstance(arguments, str):
        return encode(as_object(arguments))
    value = parse_arguments(arguments)
    if value is None:
        return encode({"unreadable": arguments})
    return arguments if arguments.lstrip().startswith("{") else encode(value)


def _as_string(content: JsonValue) -> str:
    if isinstance(content, str):
        return content
    return "" if content is None else encode(content)
