"""File names of a data folder; an id never becomes a path elsewhere."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from studio_qt.errors import StudioError

__all__ = [
    "JOURNAL",
    "LAST_PLAYED",
    "agent_log_path",
    "agent_of_store",
    "check_agent_id",
    "check_conversation_id",
    "conversation_files",
    "conversation_ids",
    "counter_path",
    "free_conversation_id",
    "journal_path",
    "now",
    "number_of",
    "order",
    "segment_numbers",
    "segment_path",
    "set_aside_path",
    "snapshot_path",
    "store_path",
    "tokens_path",
]

JOURNAL = "journal"
LAST_PLAYED = "last-played.json"
_CONVERSATION = re.compile(r"conversation_(\d{2,9})")
_STORE_SUFFIX = ".agent.json"
_LONGEST_AGENT_ID = 241  # two ids of 120 characters and the dot between them
_LONGEST_NAME = 240  # bytes; systems take 255, and a set aside file has a longer name
_KEPT_OF_LONG_NAME = 160
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f\ud800-\udfff<>:"/\\|?*]|\.\.|^[. ]|[. ]$|^$')


def now() -> str:
    """The time of entries and files: UTC in ISO form with seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def check_conversation_id(conversation_id: str) -> str:
    """Return the id; raises StudioError unless it is `conversation_NN` in lower case."""
    if not isinstance(conversation_id, str) or not _CONVERSATION.fullmatch(conversation_id):
        raise StudioError(
            f"There is no conversation {conversation_id!r}; "
            "their names are conversation_01, conversation_02 and so on."
        )
    return conversation_id


def check_agent_id(agent_id: str) -> str:
    """Return the id; raises StudioError for one that could lead out of the folder."""
    if (
        not isinstance(agent_id, str)
        or len(agent_id) > _LONGEST_AGENT_ID
        or _FORBIDDEN.search(agent_id)
    ):
        raise StudioError(
            f"{agent_id!r} cannot be the id of an agent: it may not be empty or longer than 120 "
            "characters, begin or end with a dot or a space, or hold '..' or one of "
            '< > : " / \\ | ? *.'
        )
    return agent_id


def snapshot_path(folder: Path, conversation_id: str) -> Path:
    """The file with the message array."""
    return folder / f"{conversation_id}.json"


def store_path(folder: Path, conversation_id: str, agent_id: str) -> Path:
    """The file with an agent's store (PERS-01); raises StudioError for a dangerous id.

    A name that no system would take is cut, and ends with a hash of the id.
    """
    name = f"{conversation_id}.{check_agent_id(agent_id)}"
    if len(name.encode()) > _LONGEST_NAME - len(_STORE_SUFFIX):
        short = name.encode()[:_KEPT_OF_LONG_NAME].decode(errors="ignore").rstrip(". ")
        name = f"{short}~{hashlib.sha256(agent_id.encode()).hexdigest()[:16]}"
    return folder / f"{name}{_STORE_SUFFIX}"


def agent_of_store(name: str, conversation_id: str) -> str | None:
    """The agent whose store the file `name` holds in this conversation, else None."""
    prefix = f"{conversation_id}."
    if not name.startswith(prefix) or not name.endswith(_STORE_SUFFIX):
        return None
    agent_id = name[len(prefix) : -len(_STORE_SUFFIX)]
    return None if _FORBIDDEN.search(agent_id) else agent_id


def counter_path(folder: Path, conversation_id: str) -> Path:
    """The file with the last tool call id (CTX-02)."""
    return folder / f"{conversation_id}.tool-call-ids.json"


def tokens_path(folder: Path, conversation_id: str) -> Path:
    """The file with the tokens that agents have spent."""
    return folder / f"{conversation_id}.agent-tokens.json"


def agent_log_path(folder: Path, conversation_id: str) -> Path:
    """The agent log, one JSON object a line."""
    return folder / f"{conversation_id}.agent-log.jsonl"


def journal_path(folder: Path, conversation_id: str) -> Path:
    """The journal that is being written."""
    return folder / f"{conversation_id}.{JOURNAL}.jsonl"


def segment_path(folder: Path, conversation_id: str, number: int) -> Path:
    """A finished part of the journal, numbered from 1."""
    return folder / f"{conversation_id}.{JOURNAL}.{number:04}.jsonl"


def segment_numbers(folder: Path, conversation_id: str) -> list[int]:
    """The numbers of the finished parts of a journal, ascending."""
    pattern = re.compile(rf"{re.escape(conversation_id)}\.{JOURNAL}\.(\d{{4,9}})\.jsonl")
    found = (pattern.fullmatch(path.name) for path in folder.glob(f"{conversation_id}.{JOURNAL}.*"))
    return sorted(int(match[1]) for match in found if match)


def set_aside_path(path: Path) -> Path:
    """A name beside `path` that is free: `stem.set-aside-20260131-101500.suffix`."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    for attempt in range(1, 10_000):
        more = "" if attempt == 1 else f"-{attempt}"
        free = path.with_name(f"{path.stem}.set-aside-{stamp}{more}{path.suffix}")
        if not free.exists():
            return free
    raise StudioError(f"There are too many files set aside beside {path}; remove some.")


def conversation_ids(folder: Path) -> list[str]:
    """The ids of the conversations that are there, by number; raises OSError."""
    names = (path.stem for path in folder.glob("conversation_*.json"))
    return sorted(filter(_CONVERSATION.fullmatch, names), key=order)


def conversation_files(folder: Path, conversation_id: str) -> list[str]:
    """The names of all files of a conversation, its own first, then sorted; raises OSError."""
    own = f"{conversation_id}.json"
    found = (path.name for path in folder.glob(f"{conversation_id}.*") if path.is_file())
    return sorted(found, key=lambda name: (name != own, name))


def number_of(conversation_id: str) -> int:
    """The number in an id, 0 where it is none."""
    match = _CONVERSATION.match(conversation_id)
    return int(match[1]) if match else 0


def order(conversation_id: str) -> tuple[int, str]:
    """What conversations are sorted by: their numbers."""
    return number_of(conversation_id), conversation_id


def free_conversation_id(names: Iterable[str], above: int = 0) -> str:
    """The id after the highest that any of the file names bears, leftovers included.

    It is also higher than `above`: what was deleted may come back.
    """
    numbers = [number_of(name.lower()) for name in names]
    return f"conversation_{max([above, *numbers]) + 1:02}"
