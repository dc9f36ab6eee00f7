"""`studio-qt new`: a project from a template."""

from __future__ import annotations

import sys
from pathlib import Path

from studio_qt.errors import StorageError, StudioError
from studio_qt.resources import copy_resources, resource_names

__all__ = ["new_project", "template_names"]


def template_names() -> tuple[str, ...]:
    """Return the names that `--template` takes."""
    return resource_names("templates")


def new_project(folder: Path, template: str) -> int:
    """Copy a template into a new or empty folder and say what to do next; returns 0.

    Raises StudioError when something is there already, StorageError when it cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StudioError(f"{folder} is not empty. Name a folder that is not there yet.")
    try:
        copy_resources(f"templates/{template}", folder)
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error}. Choose another place.") from error
    quoted = f'"{folder}"' if " " in str(folder) else str(folder)
    sys.stdout.write(
        f"Made {folder} from the template {template}.\n"
        f"Play it:    studio-qt play {quoted}\n"
        f"Change it:  studio-qt {quoted}\n"
        f"Check it:   studio-qt validate {quoted}\n"
    )
    return 0
