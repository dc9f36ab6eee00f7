"""Desktop entry, MIME type and icons in the user's folders, after the rules of freedesktop.org.

Own types open with the Studio. For types of others it is offered, and what opens them now goes on
doing so: where that was never said it is written down, and on removal taken back.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from studio_qt.files.atomic import storage_errors, write_atomic
from studio_qt.resources import resource_names, resource_path, resource_text
from studio_qt.sentences import listed
from studio_qt.terminal.associating.defaults import (
    Folders,
    chosen,
    with_default,
    without_default,
)
from studio_qt.terminal.associating.entry import exec_line, with_values
from studio_qt.terminal.associating.ledger import Ledger, Part

__all__ = ["OWN", "SHARED", "install", "parts", "uninstall"]

OWN = ("application/x-charx",)
SHARED = {"application/zip": ".zip", "image/png": ".png", "application/json": ".json"}
"""Types that belong to others, with the ending by which users know them."""

_ENTRY = "studio-qt.desktop"
_SECONDS = 60


def install(ledger: Ledger, command: Sequence[str], folders: Folders) -> list[str]:
    """Let the user's desktop know the Studio; returns sentences on what it opens from now on.

    Raises StudioError for a file of somebody else at a place that is needed, StorageError.
    """
    claimed, pins = [], {}
    for kind in SHARED:
        now = chosen(folders, kind, without=_ENTRY)
        if now is None:
            continue  # offered alone, the Studio would open all files of the type
        claimed.append(kind)
        if not now.explicit:
            pins[kind] = now.program
    ledger.put(parts(command, folders.data, claimed))
    _pin(ledger, folders, pins)
    return [*_said(claimed), *_tell_desktop(folders.data)]


def uninstall(ledger: Ledger, folders: Folders) -> list[str]:
    """Take back what `install` did; returns sentences on what is left. Raises StorageError."""
    place = folders.config / "mimeapps.list"
    if ledger.defaults and place.is_file():
        text = before = _text(place)
        for kind, program in ledger.defaults.items():
            text = without_default(text, kind, program)
        if text != before:
            write_atomic(place, text)
    had = bool(ledger.files)
    left = ledger.take_away()
    told = [f"{one} was changed by somebody and is left." for one in left]
    told += _tell_desktop(folders.data) if had else []
    ledger.forget()
    return told


def parts(command: Sequence[str], data: Path, shared: Sequence[str]) -> dict[Path, Part]:
    """Return the files that are wanted below the user's data folder."""
    entry = with_values(
        resource_text(f"desktop/linux/{_ENTRY}"),
        {
            "Exec": exec_line(command),
            "TryExec": command[0].replace("\\", "\\\\"),
            "MimeType": "".join(f"{kind};" for kind in (*OWN, *shared)),
        },
    )
    made = {
        data / "applications" / _ENTRY: Part(entry.encode()),
        data / "mime/packages/studio-qt.xml": Part(_resource("linux/studio-qt.xml")),
    }
    icons = data / "icons/hicolor"
    made[icons / "scalable/apps/studio-qt.svg"] = Part(_resource("icons/studio-qt.svg"))
    for name in resource_names("desktop/icons"):
        if name.endswith(".png"):
            size = name.removesuffix(".png").rpartition("-")[2]
            place = icons / f"{size}x{size}/apps/studio-qt.png"
            made[place] = Part(_resource(f"icons/{name}"))
    return made


def _pin(ledger: Ledger, folders: Folders, pins: Mapping[str, str]) -> None:
    """Say by which programs types are opened that were so without a word."""
    if not pins:
        return
    place = folders.config / "mimeapps.list"
    text = _text(place)
    for kind, program in pins.items():
        text = with_default(text, kind, program)
    ledger.defaults |= pins
    ledger.write()
    with storage_errors(place.parent):
        place.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(place, text)


def _said(claimed: Sequence[str]) -> list[str]:
    told = ["Files that end in .charx open in Character Studio."]
    if claimed:
        endings = listed([SHARED[kind] for kind in claimed])
        told.append(f"For {endings} it is offered by “Open with”; what opens them stays as it is.")
    missing = [ending for kind, ending in SHARED.items() if kind not in claimed]
    if missing:
        told.append(
            f"No program opens {listed(missing)} files here yet, so that they are left alone. Run "
            f"this again when you have one."
        )
    return told


def _tell_desktop(data: Path) -> list[str]:
    """Have the desktop's own lists made anew; returns sentences on what could not be done."""
    told = []
    for tool, place, package in (
        ("update-mime-database", data / "mime", "shared-mime-info"),
        ("update-desktop-database", data / "applications", "desktop-file-utils"),
    ):
        program = shutil.which(tool)
        if program is None:
            told.append(f"{tool} is not there, so that it counts only later. Install {package}.")
        elif reason := _failure([program, str(place)]):
            told.append(f"{tool} failed: {reason}")
    return told


def _failure(words: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=_SECONDS, check=False, env=os.environ
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stderr.strip() or f"it ended with {done.returncode}" if done.returncode else ""


def _resource(name: str) -> bytes:
    return resource_path(f"desktop/{name}").read_bytes()


def _text(place: Path) -> str:
    try:
        return place.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return ""
