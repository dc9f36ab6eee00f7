"""`studio-qt new`: a project from a template."""

from __future__ import annotations

import sys
from pathlib import Path

from studio_qt.authoring.trust import note_made_here
from studio_qt.package.projects import make_project
from studio_qt.settings import home_folder

__all__ = ["new_project"]


def new_project(folder: Path, template: str) -> int:
    """Copy a template into a new or empty folder and say what to do next; returns 0.

    The window does not ask about its code, since it was made here.

    Raises as `make_project`.
    """
    make_project(folder, template)
    note_made_here(home_folder(), folder)
    quoted = f'"{folder}"' if " " in str(folder) else str(folder)
    sys.stdout.write(
        f"Made {folder} from the template {template}.\n"
        f"Play it:    studio-qt play {quoted}\n"
        f"Change it:  studio-qt {quoted}\n"
        f"Check it:   studio-qt validate {quoted}\n"
    )
    return 0
