"""The sample character, copied to the user's folder when it is first opened."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from pathlib import Path

from studio_qt.authoring.trust import note_made_here
from studio_qt.files.atomic import storage_errors
from studio_qt.resources import copy_resources

__all__ = ["SAMPLE", "sample_project"]

SAMPLE = "lantern-keeper"


def sample_project(home: Path) -> Path:
    """Return the sample's folder below `home`, made where it is not there yet.

    The copy appears as a whole or not at all; what the user changed in it stays. It counts as made
    here. Raises StorageError where it cannot be written.
    """
    folder = home / "samples" / SAMPLE
    if not (folder / "config.json").exists():
        _make(folder)
    note_made_here(home, folder)
    return folder


def _make(folder: Path) -> None:
    with storage_errors(folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = folder.with_name(f".{SAMPLE}-{secrets.token_hex(4)}")
        try:
            copy_resources(f"templates/{SAMPLE}", fresh)
            with contextlib.suppress(FileNotFoundError):
                folder.rmdir()  # an empty folder of that name is in nobody's way
            fresh.replace(folder)
        except OSError:
            if not (folder / "config.json").exists():  # else another window was faster
                raise
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
