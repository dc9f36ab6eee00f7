"""What a library says of a character that was opened: read without loading it, for threads."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from studio_qt.engine.places import default_data_folder
from studio_qt.errors import StorageError, StudioError
from studio_qt.files.there import is_folder, is_there
from studio_qt.package.projects import outline

__all__ = ["ShelfFacts", "carry_conversations", "read_shelf", "stamp_of"]

_CONVERSATION = re.compile(r"conversation_\d{2,9}\.json")


@dataclass(frozen=True, slots=True)
class ShelfFacts:
    """A character's folder or zip. `there` is False for one that is gone.

    `fault` says why one that is there cannot be opened. `played` has its time zone, and is None
    where nobody has written to it yet.
    """

    name: str
    description: str = ""
    agents: int = 0
    sub_agents: int = 0
    conversations: int = 0
    played: datetime | None = None
    is_zip: bool = False
    there: bool = True
    fault: str = ""


def read_shelf(place: Path) -> ShelfFacts:
    """Return what is known of a place; raises nothing, since what is broken is listed as well."""
    is_zip = place.suffix.lower() == ".zip"
    try:
        if not place.exists():
            return ShelfFacts(place.stem, is_zip=is_zip, there=False)
        is_zip = place.is_file()
        count, played = _conversations(place)
        said = outline(place)
    except (StudioError, OSError) as error:
        return ShelfFacts(place.stem, is_zip=is_zip, fault=str(error))
    return ShelfFacts(
        name=said.name,
        description=said.description,
        agents=said.agents,
        sub_agents=said.sub_agents,
        conversations=count,
        played=played,
        is_zip=is_zip,
    )


def stamp_of(place: Path) -> tuple[float, ...]:
    """Return what changes whenever `read_shelf` might say something else of a place."""
    parts = (place, place / "config.json", place / "description.txt", default_data_folder(place))
    return tuple(map(_time, parts))


def carry_conversations(old: Path, new: Path) -> bool:
    """Let a zip that is found at another place have its conversations; whether it had any.

    Those that are there for the new place already stay, and the others as well. Raises
    StorageError.
    """
    before, after = default_data_folder(old), default_data_folder(new)
    if is_folder(new) or before == after or not is_folder(before) or is_there(after):
        return False
    try:
        before.replace(after)
    except OSError as error:
        reason = error.strerror or error
        raise StorageError(f"The conversations in {before} cannot be moved: {reason}.") from error
    return True


def _conversations(place: Path) -> tuple[int, datetime | None]:
    """Count the conversations; when one was written to last."""
    try:
        with os.scandir(default_data_folder(place)) as entries:
            times = [one.stat().st_mtime for one in entries if _CONVERSATION.fullmatch(one.name)]
    except OSError:
        return 0, None  # never played, or nothing that this user may look at
    return len(times), datetime.fromtimestamp(max(times), UTC) if times else None


def _time(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except OSError:
        return 0.0
