"""Chats that were held elsewhere: SillyTavern's `.jsonl`, and plain arrays of messages.

A line of a `.jsonl` has `mes`, `name`, `is_user` and `is_system`; `swipes` are other answers to
the same message, of which `swipe_id` is the one that counted. The first line only tells of the
chat. A plain array has `role` and `content`, as model servers take it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject, JsonValue, decode

__all__ = ["Chat", "open_chat", "read_chat"]

_MOST_BYTES = 128 * 1024 * 1024
_ROLES = {"user": "user", "assistant": "assistant", "model": "assistant", "char": "assistant"}
_MACRO = re.compile(r"\{\{(user|char)\}\}|<(USER|BOT|CHAR)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat as entries of a conversation: role and content, `rejected` for other answers.

    `left_out` counts what has no place here: system lines, empty messages. `cut` tells that the
    file broke off in its last line, of which nothing came in.
    """

    title: str
    entries: tuple[JsonObject, ...]
    left_out: int = 0
    cut: bool = False


def open_chat(place: Path, character: str = "") -> Chat:
    """Read the chat in a file, for a thread; raises StudioError, also where it cannot be read."""
    try:
        if not place.is_file():
            raise StudioError(f"{place} is no file; choose a .jsonl or .json file.")
        if place.stat().st_size > _MOST_BYTES:
            raise _too_large(place.name)
        data = place.read_bytes()
    except OSError as error:
        raise StudioError(f"{place} cannot be read: {error.strerror or error}.") from error
    return read_chat(data, place.name, character)


def read_chat(data: bytes, name: str, character: str = "") -> Chat:
    """Read a chat from the bytes of the file `name`; `{{char}}` becomes `character`.

    Of a group, what another than the character said begins with who it was. A last line that was
    cut off is left out. Raises StudioError, with the line, for what is no chat.
    """
    if len(data) > _MOST_BYTES:
        raise _too_large(name)
    try:
        return _read(_without_half_letter(data), name, character)
    except UnicodeDecodeError as error:
        raise StudioError(f"{name} is not UTF-8 text; save it as UTF-8.") from error


def _read(data: bytes, name: str, character: str) -> Chat:
    """Read a chat line by line: whatever took the whole text at once would hold the window up."""
    reader = _Reader(name, character)
    first = _decoded(next((line for line in _lines(data) if line.strip()), ""))
    is_lines = isinstance(first, dict) and not isinstance(first.get("messages"), list)
    whole = None if is_lines else _decoded(data.decode("utf-8-sig"))
    if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
        whole = whole["messages"]
    if isinstance(whole, list):
        entries = tuple(reader.plain(whole))
    elif is_lines or sum(1 for line in _lines(data) if line.strip()) > 1:
        entries = tuple(reader.lines(_lines(data)))
    else:
        raise StudioError(f"{name} is no chat: a .jsonl or an array of messages was expected.")
    if not entries:
        raise StudioError(f"{name} holds no message.")
    return Chat(reader.title or PurePosixPath(name).stem, entries, reader.left_out, reader.cut)


class _Reader:
    def __init__(self, name: str, character: str) -> None:
        self.title = ""
        self.left_out = 0
        self.cut = False
        self._name = name
        self._character = character
        self._names = {"char": character or "Character", "user": "the user"}

    def plain(self, messages: list[JsonValue]) -> Iterator[JsonObject]:
        """Yield the entries of an array of messages."""
        for number, message in enumerate(messages, 1):
            if not isinstance(message, dict) or not isinstance(message.get("role"), str):
                raise StudioError(f"{self._name}: message {number} has no role.")
            role = _ROLES.get(str(message["role"]))
            content = _content(message.get("content"))
            if role is None or not content.strip():
                self.left_out += 1
                continue
            rejected: JsonObject = {"rejected": True} if message.get("rejected") is True else {}
            yield {"role": role, "content": self._said(content), **rejected}

    def lines(self, lines: Iterable[str]) -> Iterator[JsonObject]:
        """Yield the entries of a `.jsonl`."""
        messages = [*self._objects(lines)]
        said = [one for one in messages if "mes" in one]
        is_group = len({name for one in said if (name := _speaker(one))}) > 1
        for message in messages:
            if "mes" not in message:
                self._take_head(message)
            else:
                yield from self._message(message, _speaker(message) if is_group else "")

    def _objects(self, lines: Iterable[str]) -> Iterator[JsonObject]:
        broken = 0
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            if broken:
                raise self._no_object(broken)
            message = _decoded(line)
            if isinstance(message, dict):
                yield message
            elif number > 1 and message is None and line.lstrip().startswith("{"):
                broken = number
            else:
                raise self._no_object(number)
        self.cut = bool(broken)

    def _no_object(self, number: int) -> StudioError:
        return StudioError(f"{self._name}, line {number}: a JSON object was expected.")

    def _take_head(self, head: JsonObject) -> None:
        for key, field in (("char", "character_name"), ("user", "user_name")):
            value = head.get(field)
            if isinstance(value, str) and value.strip() and value != "unused":
                self._names[key] = value
        title = head.get("title")
        if isinstance(title, str):
            self.title = self.title or title.strip()

    def _message(self, message: JsonObject, speaker: str) -> Iterator[JsonObject]:
        content = message.get("mes")
        if message.get("is_system") is True or not isinstance(content, str) or not content.strip():
            self.left_out += 1
            return
        if message.get("is_user") is True:
            yield self._entry("user", content, message)
            return
        for other in _others(message, content):
            yield {**self._entry("assistant", other, message, speaker), "rejected": True}
        yield self._entry("assistant", content, message, speaker)

    def _entry(self, role: str, content: str, message: JsonObject, speaker: str = "") -> JsonObject:
        said = self._said(content, speaker)
        who = f"{speaker}: " if speaker and speaker != self._character else ""
        entry: JsonObject = {"role": role, "content": f"{who}{said}"}
        if time := _time(message.get("send_date")):
            entry["time"] = time
        return entry

    def _said(self, text: str, speaker: str = "") -> str:
        def name(found: re.Match[str]) -> str:
            word = (found[1] or found[2]).lower()
            return self._names["user"] if word == "user" else speaker or self._names["char"]

        return _MACRO.sub(name, text)


def _speaker(message: JsonObject) -> str:
    """Return which character said something, "" for the user, a narrator and a system line."""
    extra = message.get("extra")
    tells = isinstance(extra, dict) and extra.get("type") == "narrator"
    if message.get("is_user") is True or message.get("is_system") is True or tells:
        return ""
    name = message.get("name")
    return " ".join(name.split()) if isinstance(name, str) else ""


def _others(message: JsonObject, content: str) -> Iterator[str]:
    swipes = message.get("swipes")
    for swipe in swipes if isinstance(swipes, list) else ():
        if isinstance(swipe, str) and swipe.strip() and swipe != content:
            yield swipe


def _content(value: JsonValue) -> str:
    """Return a message's text; of parts, those that are text."""
    if isinstance(value, list):
        texts = (part.get("text") for part in value if isinstance(part, dict))
        return "\n".join(text for text in texts if isinstance(text, str))
    return value if isinstance(value, str) else ""


def _time(value: JsonValue) -> str:
    """Return a time as entries have it; "" for one in words that differ from version to version."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value / 1000, UTC)
        elif isinstance(value, str):
            moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
        else:
            return ""
        return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"
    except (ValueError, OverflowError, OSError):
        return ""


def _lines(data: bytes) -> Iterator[str]:
    """Yield the lines; other ends of lines, such as U+2028, may stand within a JSON text."""
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig")


def _without_half_letter(data: bytes) -> bytes:
    """Return UTF-8 without the last letter where the file breaks off within it."""
    for back in range(1, min(4, len(data) + 1)):
        start = data[-back]
        if start >= 0xC0:
            is_half = back < 2 + (start >= 0xE0) + (start >= 0xF0)
            return data[:-back] if is_half else data
        if start < 0x80:
            break
    return data


def _too_large(name: str) -> StudioError:
    return StudioError(f"{name} has more than {_MOST_BYTES // 1024**2} MB; split it.")


def _decoded(text: str) -> JsonValue:
    try:
        return decode(text)
    except ValueError:
        return None
