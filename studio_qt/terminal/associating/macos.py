"""An application in the user's folder that starts this installation, and tells macOS what it opens.

Cards that end in .charx are its own; zips, pictures and JSON name it as an alternative only.
"""

from __future__ import annotations

import plistlib
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from studio_qt import __version__
from studio_qt.resources import resource_path
from studio_qt.terminal.associating.ledger import Ledger, Part

__all__ = ["APPLICATION", "information", "install", "parts", "uninstall"]

APPLICATION = "Character Studio.app"
_REGISTER = (
    "/System/Library/Frameworks/CoreServices.framework/Frameworks/LaunchServices.framework"
    "/Support/lsregister"
)
_SECONDS = 60


def install(ledger: Ledger, command: Sequence[str], applications: Path) -> list[str]:
    """Make the application and register it; returns sentences on what it opens.

    Raises StudioError for an application of that name that is not ours, StorageError.
    """
    place = applications / APPLICATION
    ledger.put(parts(command, place))
    told = [
        f"{place} opens files that end in .charx.",
        "For .zip, .png and .json it is offered by “Open With”; what opens them stays as it is.",
    ]
    if reason := _register("-f", place):
        told.append(f"macOS learns of it when it was started once ({reason}).")
    return told


def uninstall(ledger: Ledger, applications: Path) -> list[str]:
    """Remove the application; returns sentences on what is left. Raises StorageError."""
    if ledger.files:
        _register("-u", applications / APPLICATION)
    told = [f"{one} was changed by somebody and is left." for one in ledger.take_away()]
    ledger.forget()
    return told


def information() -> bytes:
    """Return the application's Info.plist."""
    said = plistlib.loads(resource_path("desktop/macos/Info.plist").read_bytes())
    said["CFBundleShortVersionString"] = said["CFBundleVersion"] = __version__
    return plistlib.dumps(said)


def parts(command: Sequence[str], place: Path) -> dict[Path, Part]:
    """Return the files of the application."""
    inside = place / "Contents"
    starts = f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n'
    icon = resource_path("desktop/icons/studio-qt.icns").read_bytes()
    return {
        inside / "Info.plist": Part(information()),
        inside / "PkgInfo": Part(b"APPL????"),
        inside / "MacOS/studio-qt": Part(starts.encode(), executable=True),
        inside / "Resources/studio-qt.icns": Part(icon),
    }


def _register(option: str, place: Path) -> str:
    """Tell Launch Services of an application; returns why it could not be told."""
    try:
        subprocess.run(
            [_REGISTER, option, str(place)], capture_output=True, timeout=_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return ""
