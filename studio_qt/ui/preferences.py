"""`Preferences`: what the user has chosen for the window and for playing, kept in one file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar, get_args, get_type_hints

from PySide6.QtCore import QObject, Qt, Signal

from studio_qt.errors import StudioError
from studio_qt.files.atomic import storage_errors, write_atomic
from studio_qt.settings import PlayerSettings, Setting
from studio_qt.ui.keptfile import read_kept
from studio_qt.ui.keptwriter import KeptWriter

__all__ = ["Chosen", "Preferences", "WindowSettings", "stepped_up"]

_FILE = "settings.json"
_VERSION = 1
_Settings = TypeVar("_Settings", "WindowSettings", PlayerSettings)

Kept: TypeAlias = "dict[str, Any]"  # JSON
Step: TypeAlias = Callable[[Kept], Kept]

_STEPS: Mapping[int, Step] = {}
"""For each older version what makes a file of the next one of it."""

_THEMES = (
    ("system", "System"),
    ("light", "Light"),
    ("dark", "Dark"),
    ("contrast", "Contrast"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """How the window looks and edits. Sizes are in pixels; an empty face is the system's.

    Raises StudioError when a value is out of its range.
    """

    theme: Annotated[
        str,
        Setting(
            "Theme",
            help="System follows the colours of the desktop; contrast is light or dark as it is.",
            group="appearance",
            choices=_THEMES,
        ),
    ] = "system"
    interface_size: Annotated[
        int, Setting("Interface size", 10, 24, group="appearance", unit="pixels")
    ] = 13
    chat_face: Annotated[
        str, Setting("Chat face", group="appearance", unset="the system's", kind="face")
    ] = ""
    chat_size: Annotated[int, Setting("Chat size", 10, 32, group="appearance", unit="pixels")] = 14
    editor_face: Annotated[
        str, Setting("Editor face", group="editor", unset="the system's", kind="face")
    ] = ""
    editor_size: Annotated[int, Setting("Editor size", 8, 40, group="editor", unit="pixels")] = 13
    tab_width: Annotated[int, Setting("Tab width", 1, 8, group="editor", unit="columns")] = 2
    spell_check: Annotated[
        bool,
        Setting(
            "Check spelling in prose",
            help="In Markdown, plain texts and the prose of sub-agents.",
            group="editor",
        ),
    ] = True
    spell_language: Annotated[
        str,
        Setting(
            "Language of the spelling check",
            help="The dictionaries of this system.",
            group="editor",
            unset="as the system",
            kind="language",
        ),
    ] = ""
    restore_session: Annotated[
        bool,
        Setting(
            "Open the last project at the start",
            help="With its tabs and unsaved texts.",
            group="appearance",
        ),
    ] = True

    def __post_init__(self) -> None:
        for name, (kind, setting) in _declarations().items():
            setting.check(name, getattr(self, name), kind)


@cache
def _declarations() -> Mapping[str, tuple[type, Setting]]:
    """Return kind and setting of each value of the window; to find them takes a millisecond."""
    hints = get_type_hints(WindowSettings, include_extras=True)
    return {name: get_args(hint) for name, hint in hints.items()}


class Chosen(NamedTuple):
    """Everything that is kept."""

    window: WindowSettings
    player: PlayerSettings


class Preferences(QObject):
    """The choices in force.

    `changed` follows every change; `failed` says why a change is not kept: it is in force all the
    same, until the program ends. `notices` tells what was not readable at the start. `home` is
    where `settings.json` lies; None keeps nothing. It is written on a thread, after the change;
    `flush` waits until it is.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, home: Path | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home = home
        self._kept: Kept = {}
        self._broken = False
        self.notices: list[str] = []
        self._chosen = self._load()
        self._writer = KeptWriter(self._write, "The settings are not kept", self)
        self._writer.failed.connect(self._on_unkept, Qt.ConnectionType.QueuedConnection)

    @property
    def window(self) -> WindowSettings:
        """How the window looks and edits."""
        return self._chosen.window

    @property
    def player(self) -> PlayerSettings:
        """How characters are played."""
        return self._chosen.player

    def change_window(self, **values: object) -> None:
        """Take and keep other values; raises StudioError for one out of range."""
        self._take(self._chosen._replace(window=_changed(self.window, values)))

    def change_player(self, **values: object) -> None:
        """Take and keep other values; raises StudioError for one out of range."""
        self._take(self._chosen._replace(player=_changed(self.player, values)))

    def flush(self) -> None:
        """Wait until every change is on the disk; some milliseconds, or what the disk takes."""
        self._writer.flush()

    def _take(self, chosen: Chosen) -> None:
        if chosen == self._chosen:
            return
        self._chosen = chosen
        if self._home is not None:
            self._writer.put(self._kept_text())
        self.changed.emit()

    def _on_unkept(self, reason: str) -> None:
        self.failed.emit(f"The setting holds until the program ends: {reason}")

    def _kept_text(self) -> str:
        """Put what is chosen into what is kept; keys that we do not know stay."""
        version = self._kept.get("version")
        later = version if isinstance(version, int) and version > _VERSION else _VERSION
        groups = {
            name: {**_group(self._kept, name), **asdict(values)}
            for name, values in self._chosen._asdict().items()
        }
        self._kept = {**self._kept, "version": later, **groups}
        return json.dumps(self._kept, indent=2) + "\n"

    def _write(self, text: str) -> None:
        """Replace the file, on the writer's thread; one that could not be read is set aside."""
        assert self._home is not None
        place = self._home / _FILE
        with storage_errors(self._home):
            self._home.mkdir(parents=True, exist_ok=True)
            if self._broken:
                place.replace(_aside(place))
                self._broken = False
        write_atomic(place, text, durable=False)

    def _load(self) -> Chosen:
        if self._home is None:
            return Chosen(WindowSettings(), PlayerSettings())
        place = self._home / _FILE
        try:
            kept = read_kept(place)
            if not isinstance(kept, dict):
                raise ValueError("it is no JSON object")
        except FileNotFoundError:
            return Chosen(WindowSettings(), PlayerSettings())
        except (OSError, ValueError) as error:
            self._broken = True
            self.notices.append(
                f"{place} cannot be read, so every setting has its default: {error}"
            )
            return Chosen(WindowSettings(), PlayerSettings())
        self._kept = stepped_up(kept, _STEPS, _VERSION)
        return Chosen(
            self._read(WindowSettings(), self._kept.get("window")),
            self._read(PlayerSettings(), self._kept.get("player")),
        )

    def _read(self, settings: _Settings, kept: object) -> _Settings:
        """Take the values that are usable, one by one; the others keep their defaults."""
        if not isinstance(kept, Mapping):
            return settings
        for each in fields(settings):
            if each.name in kept:
                try:
                    settings = _changed(settings, {each.name: kept[each.name]})
                except StudioError as error:
                    self.notices.append(f"{_FILE}: {error} Its default is used.")
        return settings


def stepped_up(kept: Kept, steps: Mapping[int, Step], version: int) -> Kept:
    """Return a file of an older version as one of `version`, step by step; a later one as it is.

    A file that does not name its version is of the first one.
    """
    now = kept.get("version")
    at = now if isinstance(now, int) and not isinstance(now, bool) else 1
    for older in range(at, version):
        kept = {**steps[older](kept), "version": older + 1}
    return kept


def _changed(settings: _Settings, values: Mapping[str, object]) -> _Settings:
    given: dict[str, Any] = dict(values)  # each is checked by the class itself
    return replace(settings, **given)


def _group(kept: Kept, name: str) -> Kept:
    group = kept.get(name)
    return group if isinstance(group, dict) else {}


def _aside(place: Path) -> Path:
    number = 1
    while (name := place.with_name(f"{place.stem}.unreadable-{number}{place.suffix}")).exists():
        number += 1
    return name
