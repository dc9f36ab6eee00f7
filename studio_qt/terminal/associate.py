"""`studio-qt associate`: the user's desktop learns which files the Studio opens."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from studio_qt.errors import StorageError
from studio_qt.settings import home_folder
from studio_qt.terminal.associating.launching import launcher
from studio_qt.terminal.associating.ledger import Ledger

__all__ = ["associate"]


def associate(*, remove: bool) -> int:
    """Tell the desktop, or take it back, and say what holds from now on; returns 0.

    Only what belongs to this user is written, nothing over files of others. Raises StudioError
    where something else is in the way, StorageError.
    """
    try:
        told = _remove() if remove else _install()
    except OSError as error:
        raise StorageError(f"The desktop cannot be told: {error.strerror or error}.") from error
    if remove:
        told.insert(0, "Character Studio opens no files by a double click any more.")
    sys.stdout.write("".join(f"{one}\n" for one in told))
    return 0


def _install() -> list[str]:
    command = launcher()
    if sys.platform == "win32":
        from studio_qt.terminal.associating import windows

        return windows.install(windows.UserClasses(), command)
    ledger = Ledger.read(home_folder())
    if sys.platform == "darwin":
        from studio_qt.terminal.associating import macos

        return macos.install(ledger, command, Path.home() / "Applications")
    from studio_qt.terminal.associating import linux
    from studio_qt.terminal.associating.defaults import Folders

    return linux.install(ledger, command, Folders.of(os.environ, Path.home()))


def _remove() -> list[str]:
    if sys.platform == "win32":
        from studio_qt.terminal.associating import windows

        return windows.uninstall(windows.UserClasses())
    ledger = Ledger.read(home_folder())
    if sys.platform == "darwin":
        from studio_qt.terminal.associating import macos

        return macos.uninstall(ledger, Path.home() / "Applications")
    from studio_qt.terminal.associating import linux
    from studio_qt.terminal.associating.defaults import Folders

    return linux.uninstall(ledger, Folders.of(os.environ, Path.home()))
