"""The words that start this installation from a desktop, where no folder and no PATH is given."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["launcher"]


def launcher() -> tuple[str, ...]:
    """Return program and arguments, before which no shell stands; files come after them.

    Python never looks for the program in the folder in which a file was clicked, and on Windows
    opens no console.
    """
    if getattr(sys, "frozen", False):
        return (sys.executable,)
    python = Path(os.path.abspath(sys.executable))  # noqa: PTH100 - links lead out of a venv
    if sys.platform == "win32":
        silent = python.with_name("pythonw.exe")
        return (str(silent if silent.is_file() else python), "-P", "-m", "studio_qt")
    script = python.with_name("studio-qt")
    if os.access(script, os.X_OK):
        return (str(script),)
    return (str(python), "-P", "-m", "studio_qt")
