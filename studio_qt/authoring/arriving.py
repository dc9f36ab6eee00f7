"""`Arrival`: what is said of a character before it is let in, and what a file may hold at all.

Nothing of it is written or run.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from studio_qt.authoring.cards.card import read_card
from studio_qt.authoring.chats import read_chat
from studio_qt.authoring.importing import Incoming
from studio_qt.authoring.incoming import ENDINGS
from studio_qt.authoring.recognizing import begins_as_card
from studio_qt.errors import PackageError, StudioError
from studio_qt.files.paths import safe_path
from studio_qt.jsontext import decode_object
from studio_qt.package import CharacterPackage, load_package
from studio_qt.package.foreign import LANGUAGE_NAMES
from studio_qt.package.model import Texts
from studio_qt.sentences import shortened

__all__ = ["Arrival", "FileKind", "IncomingSource", "describe", "kind_of"]

FileKind = Literal["character", "chat", "other"]

_LONGEST = 200
"""Characters of a name that are told: one of megabytes is laid out for seconds."""

_MOST_SNIFFED = 128 * 1024 * 1024
_SURE = (".zip", ".charx")
_BOOK = "context/.lorebook.json"
_CONSTANT = "context/lorebook.txt"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A character that could come in. `rows` are pairs of a title and words on what is in it.

    `foreign` are the languages of code that came with it, `notes` sentences on what is not played.
    `size` is in bytes.
    """

    name: str
    description: str
    version: str
    author: str
    rows: tuple[tuple[str, str], ...]
    foreign: tuple[str, ...]
    notes: tuple[str, ...]
    files: int
    size: int


class IncomingSource:
    """The files of an `Incoming` as a source that a package can be loaded from."""

    def __init__(self, incoming: Incoming) -> None:
        self._incoming = incoming

    @property
    def name(self) -> str:
        """What it is called."""
        return self._incoming.name

    def exists(self, path: str) -> bool:
        """Whether there is such a file; raises `UnsafePathError`."""
        return safe_path(path) in self._incoming.files

    def read_bytes(self, path: str) -> bytes:
        """Return a file's content; raises FileNotFoundError."""
        read = self._incoming.files.get(safe_path(path))
        if read is None:
            raise FileNotFoundError(path)
        return read()

    def list_folder(self, path: str) -> tuple[str, ...]:
        """Return the sorted names of the files directly in `path`."""
        folder = safe_path(path)
        prefix = f"{folder}/" if folder else ""
        inside = (
            one.removeprefix(prefix) for one in self._incoming.files if one.startswith(prefix)
        )
        return tuple(sorted(name for name in inside if "/" not in name))


def describe(incoming: Incoming) -> Arrival:
    """Return what is said of a character; raises PackageError where it cannot be loaded."""
    package = load_package(IncomingSource(incoming))
    config, texts = package.config, package.read_texts()
    sizes = {path: len(read()) for path, read in incoming.files.items()}
    wrong = [one for one in package.problems if one.severity == "error"]
    notes = list(incoming.notes)
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        notes.append(f"{wrong[0].file}: {wrong[0].message}{more}")
    return Arrival(
        name=_text(package.name) or package.name[:_LONGEST],
        description=(texts.description or "").strip(),
        version=_text(config.get("version")),
        author=_text(config.get("author")),
        rows=tuple(_rows(package, texts, incoming)),
        foreign=tuple(sorted(LANGUAGE_NAMES[one] for one in package.foreign_languages)),
        notes=tuple(notes),
        files=len(sizes),
        size=sum(sizes.values()),
    )


def kind_of(place: Path) -> FileKind:
    """Return what a file that was dropped or named may be, by its name and its content.

    Raises StudioError where it cannot be read. A zip counts as a character unseen: whoever opens
    it says why it is none.
    """
    ending = place.suffix.lower()
    if ending in _SURE:
        return "character"
    if ending == ".jsonl":
        return "chat"
    if ending and ending not in ENDINGS:
        return "other"
    try:
        if not place.is_file():
            return "other"  # a pipe or a device is not waited for
        if not ending and not _begins_as_card(place):
            return "other"
        if place.stat().st_size > _MOST_SNIFFED:
            return "other"
        data = place.read_bytes()
    except OSError as error:
        raise StudioError(f"{place} cannot be read: {error.strerror or error}.") from error
    try:
        read_card(data, place.name)
    except PackageError:
        return "chat" if ending == ".json" and _is_chat(data, place.name) else "other"
    return "character"


def _begins_as_card(place: Path) -> bool:
    with place.open("rb") as file:
        return begins_as_card(file.read(64))


def _is_chat(data: bytes, name: str) -> bool:
    try:
        read_chat(data, name)
    except StudioError:
        return False
    return True


def _rows(package: CharacterPackage, texts: Texts, incoming: Incoming) -> list[tuple[str, str]]:
    told = [
        title
        for title, text in (
            ("system prompt", texts.system_prompt),
            ("instructions", texts.instructions),
            ("greeting", texts.introduction),
            ("description", texts.description),
        )
        if text and text.strip()
    ]
    context = [path for path in incoming.files if path.startswith("context/")]
    rows = [
        ("Texts", ", ".join(told) or "none"),
        ("Context", _number(len(context), "file") if context else ""),
        ("Agents", _agents(package)),
        ("Sub-agents", _number(sum(a.sub_agent is not None for a in package.agents), "sub-agent")),
        ("Lorebook", _lorebook(incoming)),
        ("Picture", next((p for p in incoming.files if p.startswith("avatar.")), "")),
    ]
    return [(title, words) for title, words in rows if words and not words.startswith("0 ")]


def _agents(package: CharacterPackage) -> str:
    agents = [agent for agent in package.agents if agent.sub_agent is None]
    if not agents:
        return ""
    built_in = sum(agent.file.startswith("studio:") for agent in agents)
    counted = Counter(a.language for a in agents if not a.file.startswith("studio:"))
    words = [f"{count} in {LANGUAGE_NAMES[language]}" for language, count in counted.items()]
    if built_in:
        words.append(f"{built_in} built in")
    return f"{_number(len(agents), 'agent')}: {', '.join(words)}"


def _lorebook(incoming: Incoming) -> str:
    read = incoming.files.get(_BOOK)
    always = _CONSTANT in incoming.files
    if read is None:
        return "entries that are always there" if always else ""
    try:
        entries = decode_object(read().decode("utf-8")).get("entries")
    except ValueError:
        return ""
    count = _number(len(entries) if isinstance(entries, list) else 0, "entry", "entries")
    return f"{count}, and some that are always there" if always else count


def _number(count: int, noun: str, many: str = "") -> str:
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"


def _text(value: object) -> str:
    return shortened(" ".join(value.split()), _LONGEST) if isinstance(value, str) else ""
