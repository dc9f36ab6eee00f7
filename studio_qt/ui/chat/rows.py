"""From the entries of a conversation to the rows of a transcript. No Qt in here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeAlias

from studio_qt.jsontext import JsonObject, JsonValue, decode, encode
from studio_qt.ui.chat.pieces import LARGE, cut_text
from studio_qt.ui.prose.blocks import plain_text
from studio_qt.ui.prose.parse import parse

__all__ = [
    "Call",
    "Kind",
    "Part",
    "Row",
    "Said",
    "State",
    "Thought",
    "Used",
    "asked_text",
    "build_rows",
    "call_text",
    "compact_json",
    "inner_call",
    "local_time",
    "row_text",
    "shown_part",
    "shown_text",
    "split_row",
    "spoken_text",
]


_LONGEST_SHOWN = 4_000
_SIGNS = re.compile(r"[*_`~#>\[\]\\|\r\ufdd0-\ufdd3]|://|(?m:^(?:[ \t\f\v]|[-+]|\d+[.)])|[ \t]$)")
_BLANK_LINES = re.compile(r"\n{2,}")
"""What makes a text look different from its letters."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: `arguments` is JSON text, `result` None as long as it runs.

    `number` is its toolCallId, `failed` whether the result is an error; `seconds`
    and `changes` (of the agent's store, a line each) only for calls that this window has seen
    running. `inner` holds what a sub-agent called for its answer.
    """

    name: str
    arguments: str
    result: str | None = None
    agent: str = ""
    number: int | None = None
    failed: bool = False
    seconds: float | None = None
    inner: tuple[Call, ...] = ()
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """Text of a reply, in Markdown; `at` says how many entries after the row's first one it is."""

    text: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Used:
    """The tool calls of one message of the model."""

    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Thought:
    """Reasoning of the model, seen while it was written and stored nowhere."""

    text: str


Part: TypeAlias = Said | Used | Thought
Kind: TypeAlias = Literal["about", "user", "reply", "log", "error"]
State: TypeAlias = Literal["", "thinking", "waiting", "writing", "working"]


@dataclass(frozen=True, slots=True)
class Row:
    """What stands together in the transcript: a message, a reply with its tools, a log entry.

    `key` is the id of its first entry. `time` is as in the file (UTC, ISO), "" where it is not
    known. `follows`: the reply goes on after a log entry and needs no head of its own. `state` is
    what a running reply does, "" for all others, and `detail` a sentence to it. `stopped` and `cut`
    (at the length limit) tell that it broke off. `choice` is
    (which, of how many) responses of its turn this is, `foot` marks the last row of a reply, and a
    long row is `piece` of `pieces`.
    """

    kind: Kind
    key: str
    parts: tuple[Part, ...]
    turn: int = 0
    time: str = ""
    agent: str = ""
    stopped: bool = False
    cut: bool = False
    rejected: bool = False
    follows: bool = False
    state: State = ""
    detail: str = ""
    choice: tuple[int, int] = (0, 1)
    foot: bool = False
    piece: int = 0
    pieces: int = 1

    @property
    def unfinished(self) -> bool:
        """Whether it is an answer that broke off, and can go on."""
        ended = self.parts[-1] if self.parts else None
        return (self.stopped or self.cut) and not self.rejected and isinstance(ended, Said)

    @property
    def text(self) -> str:
        """The words of the row, in Markdown, without its tools."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Said))


def build_rows(entries: Sequence[JsonObject]) -> list[Row]:
    """Return the rows of a stretch of entries; it begins at a user entry, or anywhere.

    Replies that were put aside are left out where their turn has another reply (PERS-05).
    """
    answered = {
        entry.get("turn")
        for entry in entries
        if entry.get("role") == "assistant" and not entry.get("rejected")
    }
    rows: list[Row] = []
    for at, entry in enumerate(entries):
        if entry.get("rejected") and entry.get("turn") in answered and entry["role"] != "user":
            continue
        match entry.get("role"):
            case "user":
                rows.append(_row("user", entry, (Said(_text(entry)),)))
            case "log":
                rows.append(_row("log", entry, (Said(_text(entry)),)))
            case "assistant":
                _add_reply(rows, entry, _results(entries, at), at)
    return [row for row in rows if row.parts]


def spoken_text(row: Row, name: str, most: int) -> str:
    """Return the beginning of a row as plain text, `most` characters; the rest is not read."""
    short = [
        replace(part, text=part.text[: 4 * most]) if isinstance(part, Said) else part
        for part in row.parts
    ]
    return row_text(replace(row, parts=tuple(short)), name)[:most]


def row_text(row: Row, name: str) -> str:
    """Return a row as plain text for copying; `name` is the character's."""
    if row.kind in ("log", "error"):
        return row.text
    lines = ["You" if row.kind == "user" else name] if not row.follows else []
    for part in row.parts:
        if isinstance(part, Used):
            lines += [call_text(call) for call in part.calls]
        elif isinstance(part, Thought):
            continue
        elif row.kind == "user":
            lines.append(part.text)
        else:
            lines.append(shown_text(part.text))
    if row.stopped:
        lines.append("(stopped)")
    elif row.cut:
        lines.append("(cut at the length limit)")
    return "\n".join(lines)


def split_row(row: Row) -> list[Row]:
    """Return a row in pieces, where its text is long; the last one has its marks."""
    if all(not isinstance(part, Said) or len(part.text) <= LARGE for part in row.parts):
        return [row]
    groups: list[list[Part]] = [[]]
    for part in row.parts:
        if not isinstance(part, Said):
            groups[-1].append(part)
            continue
        for number, piece in enumerate(cut_text(part.text)):
            if number:
                groups.append([])
            groups[-1].append(Said(piece.of(part.text), part.at))
    last = len(groups) - 1
    return [
        replace(
            row,
            parts=tuple(parts),
            piece=place,
            pieces=len(groups),
            foot=row.foot and place == last,
            stopped=row.stopped and place == last,
            cut=row.cut and place == last,
            rejected=row.rejected and place == last,
        )
        for place, parts in enumerate(groups)
    ]


def shown_text(text: str) -> str:
    """Return what a reader sees of a text in Markdown; most texts of a talk are themselves."""
    if _SIGNS.search(text):
        return plain_text(parse(text))
    return _BLANK_LINES.sub("\n", text.strip("\n"))


def call_text(call: Call, indent: str = "") -> str:
    """Return a tool call as plain text: name, arguments, result, and inner calls below it."""
    number = f" #{call.number}" if call.number is not None else ""
    lines = [f"{indent}{call.name} {call.arguments}{number}"]
    lines += [call_text(inner, indent + "    ") for inner in call.inner]
    if call.result is not None:
        lines.append(f"{indent}→ {call.result}")
    return "\n".join(lines)


def shown_part(text: str) -> str:
    """Return what is shown of an argument or a result; copying always takes all."""
    more = len(text) - _LONGEST_SHOWN
    return text if more <= 0 else f"{text[:_LONGEST_SHOWN]}\n… {more} more characters"


def asked_text(arguments: str) -> str:
    """Return what a sub-agent was asked: a single text as it is, several by their names."""
    try:
        value = decode(arguments)
    except ValueError:
        return arguments
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        return arguments
    if len(value) == 1:
        return str(next(iter(value.values())))
    return "\n".join(f"{name}: {text}" for name, text in value.items())


def local_time(time: str) -> str:
    """Return hours and minutes of a stored time on the user's clock, "" for anything else."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return ""
    return moment.astimezone().strftime("%H:%M")


def _row(kind: Kind, entry: JsonObject, parts: tuple[Part, ...]) -> Row:
    turn = entry.get("turn")
    return Row(
        kind,
        str(entry.get("id", "")),
        parts,
        turn=turn if isinstance(turn, int) else 0,
        time=str(entry.get("time") or ""),
        agent=str(entry.get("agentId") or ""),
        stopped=bool(entry.get("stopped")),
        cut=bool(entry.get("cut")),
        rejected=bool(entry.get("rejected")),
    )


def _results(entries: Sequence[JsonObject], asked_at: int) -> dict[str, JsonObject]:
    """Return the results of the calls of one message by call id, which servers use again."""
    found: dict[str, JsonObject] = {}
    for entry in entries[asked_at + 1 :]:
        if entry.get("role") in ("user", "assistant"):
            break
        if entry.get("role") == "tool":
            found.setdefault(str(entry.get("tool_call_id")), entry)
    return found


def _add_reply(rows: list[Row], entry: JsonObject, results: dict[str, JsonObject], at: int) -> None:
    parts: list[Part] = [Said(_text(entry), at)] if _text(entry) else []
    asked = entry.get("tool_calls")
    if isinstance(asked, list) and asked:
        calls = [_call(call, results) for call in asked if isinstance(call, dict)]
        parts.append(Used(tuple(calls)))
    row = _row("reply", entry, tuple(parts))
    last = rows[-1] if rows else None
    if last and last.kind == "reply" and last.turn == row.turn and last.rejected == row.rejected:
        rows[-1] = replace(
            last,
            parts=_joined(last.parts, row.parts),
            stopped=last.stopped or row.stopped,
            cut=row.cut,
        )
        return
    spoken = next((other for other in reversed(rows) if other.kind != "log"), None)
    follows = spoken is not None and spoken.kind == "reply" and spoken.turn == row.turn
    rows.append(replace(row, follows=follows))


def _joined(first: tuple[Part, ...], second: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts one after the other; calls without text between them become one line."""
    if first and second and isinstance(first[-1], Used) and isinstance(second[0], Used):
        return (*first[:-1], Used(first[-1].calls + second[0].calls), *second[1:])
    return first + second


def _call(asked: JsonObject, results: dict[str, JsonObject]) -> Call:
    function = asked.get("function")
    made = function if isinstance(function, dict) else asked
    result = results.get(str(asked.get("id")), {})
    number = asked.get("toolCallId", result.get("toolCallId"))
    inner = result.get("inner")
    return Call(
        name=str(made.get("name", "")),
        arguments=compact_json(made.get("arguments", "")),
        result=str(result["content"]) if "content" in result else None,
        agent=str(result.get("agentId") or ""),
        number=number if isinstance(number, int) else None,
        failed=bool(result.get("error")),
        inner=tuple(inner_call(call) for call in inner if isinstance(call, dict))
        if isinstance(inner, list)
        else (),
    )


def inner_call(call: JsonObject) -> Call:
    """Return a call that a sub-agent made, as its tool entry keeps it."""
    number = call.get("toolCallId")
    return Call(
        name=str(call.get("toolName", "")),
        arguments=compact_json(call.get("args", {})),
        result=str(call.get("result", "")),
        agent=str(call.get("agentId") or ""),
        number=number if isinstance(number, int) else None,
    )


def compact_json(arguments: JsonValue) -> str:
    """Return arguments as one line of JSON, or as they came where they are none."""
    if not isinstance(arguments, str):
        return encode(arguments)
    try:
        return encode(decode(arguments)) if arguments.strip() else "{}"
    except ValueError:
        return arguments


def _text(entry: JsonObject) -> str:
    content = entry.get("content")
    if isinstance(content, str):
        return content
    return "" if content is None else encode(content)
