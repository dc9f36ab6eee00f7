"""What Windows is told for this user: values below `HKEY_CURRENT_USER`, computed as data.

A default that another program has is left to it; `.zip`, `.png` and `.json` only offer the Studio.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from studio_qt.resources import resource_path
from studio_qt.sentences import listed

__all__ = ["OFFERED", "OWN", "PROGRAM", "Registry", "Value", "install", "uninstall", "values"]

OWN = ".charx"
OFFERED = (".zip", ".png", ".json")
PROGRAM = "StudioQt.Character"
_NAME = "Character Studio"
_CLASSES = "Software\\Classes"
_APPLICATION = "Applications\\studio-qt.exe"
_TREES = (PROGRAM, _APPLICATION)
"""Keys that are ours with all that is below them."""


class Value(NamedTuple):
    """A text in the registry: `key` below the user's classes, `name` "" for the key's default.

    `if_free`: only where nobody else has put one.
    """

    key: str
    name: str
    text: str
    if_free: bool = False


class Registry(Protocol):
    """The keys below the user's classes."""

    def read(self, key: str, name: str) -> str | None:
        """Return a text; None where there is none."""

    def write(self, value: Value) -> None:
        """Put a text, making its key."""

    def remove(self, key: str, name: str) -> None:
        """Remove a text, and its key when nothing else is in it; none is no error."""

    def remove_tree(self, key: str) -> None:
        """Remove a key with all that is below it; none is no error."""

    def changed(self) -> None:
        """Have the desktop look again."""


def values(command: Sequence[str], icon: str) -> tuple[Value, ...]:
    """Return what is to be there, so that `command` opens files."""
    runs = f'{subprocess.list2cmdline(command)} "%1"'
    made = [
        Value(PROGRAM, "", "Character"),
        Value(PROGRAM, "FriendlyTypeName", "Character"),
        Value(f"{PROGRAM}\\DefaultIcon", "", f'"{icon}",0'),
        Value(f"{PROGRAM}\\Application", "ApplicationName", _NAME),
        Value(f"{PROGRAM}\\Application", "ApplicationIcon", f'"{icon}",0'),
    ]
    for key in _TREES:
        made += [
            Value(f"{key}\\shell\\open", "FriendlyAppName", _NAME),
            Value(f"{key}\\shell\\open\\command", "", runs),
        ]
    made.append(Value(_APPLICATION, "FriendlyAppName", _NAME))
    for ending in (OWN, *OFFERED):
        made.append(Value(f"{_APPLICATION}\\SupportedTypes", ending, ""))
        made.append(Value(f"{ending}\\OpenWithProgids", PROGRAM, ""))
    made.append(Value(OWN, "", PROGRAM, if_free=True))
    made.append(Value(OWN, "Content Type", "application/x-charx", if_free=True))
    return tuple(made)


def install(registry: Registry, command: Sequence[str]) -> list[str]:
    """Register the program; returns sentences on what it opens. Raises OSError."""
    for value in values(command, str(resource_path("desktop/icons/studio-qt.ico"))):
        found = registry.read(value.key, value.name)
        if found != value.text and not (value.if_free and found):
            registry.write(value)
    registry.changed()
    is_ours = registry.read(OWN, "") == PROGRAM
    opened = (
        f"Files that end in {OWN} open in {_NAME}."
        if is_ours
        else f"Files that end in {OWN} stay with the program that opens them now."
    )
    return [
        opened,
        f"For {listed(OFFERED)} it is offered by “Open with”; what opens them stays as it is.",
    ]


def uninstall(registry: Registry) -> list[str]:
    """Take all of it back, but what others have put there since. Raises OSError."""
    for value in values(["-"], "-"):
        if value.key.startswith(_TREES):
            continue
        if registry.read(value.key, value.name) == value.text:
            registry.remove(value.key, value.name)
    for key in _TREES:
        registry.remove_tree(key)
    registry.changed()
    return []


if sys.platform == "win32":
    import ctypes
    import winreg
    from contextlib import suppress

    _ASSOCIATIONS_CHANGED = 0x08000000

    class UserClasses:
        """The registry of this user."""

        def read(self, key: str, name: str) -> str | None:
            """See `Registry`."""
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _below(key)) as opened:
                    return str(winreg.QueryValueEx(opened, name)[0])
            except FileNotFoundError:
                return None

        def write(self, value: Value) -> None:
            """See `Registry`."""
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, _below(value.key)) as opened:
                winreg.SetValueEx(opened, value.name, 0, winreg.REG_SZ, value.text)

        def remove(self, key: str, name: str) -> None:
            """See `Registry`."""
            with suppress(FileNotFoundError):
                access = winreg.KEY_SET_VALUE
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _below(key), access=access) as opened:
                    winreg.DeleteValue(opened, name)
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _below(key)) as opened:
                    keys, texts, _ = winreg.QueryInfoKey(opened)
                if not keys and not texts:
                    winreg.DeleteKey(winreg.HKEY_CURRENT_USER, _below(key))

        def remove_tree(self, key: str) -> None:
            """See `Registry`."""
            with suppress(FileNotFoundError):
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _below(key)) as opened:
                    count = winreg.QueryInfoKey(opened)[0]
                    inside = [winreg.EnumKey(opened, at) for at in range(count)]
                for name in inside:
                    self.remove_tree(f"{key}\\{name}")
                winreg.DeleteKey(winreg.HKEY_CURRENT_USER, _below(key))

        def changed(self) -> None:
            """See `Registry`."""
            ctypes.windll.shell32.SHChangeNotify(_ASSOCIATIONS_CHANGED, 0, None, None)

    def _below(key: str) -> str:
        return f"{_CLASSES}\\{key}"
