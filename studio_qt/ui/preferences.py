"""`Preferences`: what the user has chosen for the window and for playing, kept in one file."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

from PySide6.QtCore import QObject, Signal

from studio_qt.errors import StudioError
from studio_qt.files.atomic import write_atomic
from studio_qt.settings import PlayerSettings, Setting

__all__ = ["Chosen", "Preferences", "WindowSettings"]

_FILE = "settings.json"
_VERSION = 1
_log = logging.getLogger(__name__)
_Settings = TypeVar("_Settings", "WindowSettings", PlayerSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """How the window looks and edits. Sizes are in pixels; an empty face is the system's.

    Raises StudioError when a value is out of its range.
    """

    theme: Annotated[str, Setting("Theme")] = "system"
    interface_size: Annotated[int, Setting("Interface size", 10, 24)] = 13
    chat_face: Annotated[str, Setting("Chat face")] = ""
    chat_size: Annotated[int, Setting("Chat size", 10, 32)] = 14
    editor_face: Annotated[str, Setting("Editor face")] = ""
    editor_size: Annotated[int, Setting("Editor size", 8, 40)] = 13
    tab_width: Annotated[int, Setting("Tab width", 1, 8)] = 2
    spell_check: Annotated[bool, Setting("Check spelling in prose")] = True
    spell_language: Annotated[str, Setting("Language of the spelling check")] = ""
    restore_session: Annotated[bool, Setting("Open the last project at the start")] = True

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            kind, setting = get_args(hint)
            setting.check(name, getattr(self, name), kind)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Everything that is kept."""

    window: WindowSettings = field(default_factory=WindowSettings)
    player: PlayerSettings = field(default_factory=PlayerSettings)


class Preferences(QObject):
    """The choices in force. `changed` follows every change; `notices` tells what was not readable.

    `home` is where `settings.json` lies; None keeps nothing.
    """

    changed = Signal()

    def __init__(self, home: Path | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home = home
        self.notices: list[str] = []
        self._chosen = self._load()

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
        self._take(replace(self._chosen, window=_changed(self.window, values)))

    def change_player(self, **values: object) -> None:
        """Take and keep other values; raises StudioError for one out of range."""
        self._take(replace(self._chosen, player=_changed(self.player, values)))

    def _take(self, chosen: Chosen) -> None:
        if chosen == self._chosen:
            return
        self._chosen = chosen
        if self._home is not None:
            self._home.mkdir(parents=True, exist_ok=True)
            kept = {"version": _VERSION, **asdict(chosen)}
            write_atomic(self._home / _FILE, json.dumps(kept, indent=2) + "\n", durable=False)
        self.changed.emit()

    def _load(self) -> Chosen:
        if self._home is None:
            return Chosen()
        place = self._home / _FILE
        try:
            kept = json.loads(place.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Chosen()
        except (OSError, ValueError) as error:
            self.notices.append(
                f"{place} cannot be read, so every setting has its default: {error}"
            )
            return Chosen()
        groups = kept if isinstance(kept, dict) else {}
        return Chosen(
            self._read(WindowSettings(), groups.get("window")),
            self._read(PlayerSettings(), groups.get("player")),
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


def _changed(settings: _Settings, values: Mapping[str, object]) -> _Settings:
    given: dict[str, Any] = dict(values)  # each is checked by the class itself
    return replace(settings, **given)
