"""A line of the agent log in words: what kind it is, what happened, what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from studio_qt.engine.storage import AgentLogLine
from studio_qt.jsontext import JsonValue, encode, encode_pretty

__all__ = ["LogRow", "details_text", "row_of"]

_MOST = 400


@dataclass(frozen=True, slots=True)
class LogRow:
    """What is shown of a line. `call` is the tool call id, None without one."""

    line: AgentLogLine
    time: str
    agent: str
    kind: str
    what: str
    tokens: str = ""
    duration: str = ""
    call: int | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        """What stands in the columns of the table."""
        return (self.time, self.agent, self.kind, self.what, self.tokens, self.duration)

    @property
    def text(self) -> str:
        """The row as text to copy."""
        return "  ".join(filter(None, self.cells))

    def has(self, words: str) -> bool:
        """Whether the row has the words, given in lower case."""
        return words in self.text.casefold()


def row_of(line: AgentLogLine) -> LogRow:
    """Return what is shown of a line."""
    kind, what = _told(line)
    details = line.details
    tokens, ms = details.get("tokens"), details.get("ms")
    call = details.get("toolCallId")
    free = details.get("unmetered") is True
    return LogRow(
        line,
        _clock(line.time),
        line.agent_id or "engine",
        kind,
        _one_line(what),
        f"{tokens:,}{' free' if free else ''}" if isinstance(tokens, int) else "",
        _duration(ms) if isinstance(ms, (int, float)) else "",
        call if isinstance(call, int) else None,
    )


def details_text(line: AgentLogLine) -> str:
    """Return everything that a line holds, for people."""
    head = f"{line.time}  {line.agent_id}  {line.kind}\n{line.message}\n"
    parts = [head.rstrip()]
    for key, value in line.details.items():
        told = value if isinstance(value, str) else encode_pretty(value).rstrip()
        parts.append(f"{key}: {told}" if "\n" not in told else f"{key}:\n{told}")
    return "\n".join(parts)


def _told(line: AgentLogLine) -> tuple[str, str]:
    details, message = line.details, line.message
    match line.kind:
        case "call":
            return _call(details, message)
        case "error":
            kind, _ = _call(details, message.partition(":")[0])
            return "error", f"{message} {_arguments(details)}" if kind == "tool" else message
        case "granted":
            return "tool", _with_result(f"{message} {_short(details.get('args'))}", details)
        case "round":
            return message, _round(details)
        case "sub-agent":
            return "done", _done(details, message)
    return line.kind, message


def _call(details: Mapping[str, JsonValue], handler: str) -> tuple[str, str]:
    if handler == "onToolCall":
        return "tool", _with_result(_arguments(details), details)
    how = details.get("invokedBy")
    kind = {"hook": "hook", "preload": "preload", "direct": "command"}.get(str(how), "call")
    args = details.get("args")
    told = args[0] if kind == "command" and isinstance(args, list) and args else ""
    return kind, _with_result(f"{handler} {told}".rstrip(), details)


def _arguments(details: Mapping[str, JsonValue]) -> str:
    """Return the tool and its arguments, which stand in the list of the handler's arguments."""
    args = details.get("args")
    if isinstance(args, list) and len(args) == 2 and isinstance(args[0], str):
        return f"{args[0]} {_short(args[1])}"
    return _short(args)


def _with_result(text: str, details: Mapping[str, JsonValue]) -> str:
    number, result = details.get("toolCallId"), details.get("result")
    text = f"{text} #{number}" if isinstance(number, int) else text
    return text if result in (None, "") else f"{text} → {_short(result)}"


def _round(details: Mapping[str, JsonValue]) -> str:
    tools = details.get("tools")
    if isinstance(tools, list) and tools:
        return f"asks for {', '.join(str(tool) for tool in tools)}"
    reason = details.get("finishReason")
    return "answers, finished by itself" if reason in ("stop", None, "") else f"answers ({reason})"


def _done(details: Mapping[str, JsonValue], message: str) -> str:
    parts = [
        message,
        f"{details['promptTokens']:,} tokens in"
        if isinstance(details.get("promptTokens"), int)
        else "",
        f"history {details.get('history')}" if details.get("history") else "",
        str(details.get("lane") or ""),
        "not metered" if details.get("unmetered") else "metered",
    ]
    return " · ".join(filter(None, parts))


def _short(value: JsonValue) -> str:
    text = value if isinstance(value, str) else encode(value)
    return text if len(text) <= _MOST else f"{text[:_MOST]}…"


def _one_line(text: str) -> str:
    return " ".join(text[: 4 * _MOST].split())


def _clock(time: str) -> str:
    try:
        return datetime.fromisoformat(time.replace("Z", "+00:00")).astimezone().strftime("%H:%M:%S")
    except ValueError:
        return ""


def _duration(ms: float) -> str:
    return f"{ms:,.0f} ms" if ms < 1000 else f"{ms / 1000:.2f} s"
