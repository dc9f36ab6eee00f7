"""`studio-qt new`: a project from a template."""

from __future__ import annotations

import sys
from pathlib import Path

from studio_qt.package.projects import make_project

__all__ = ["new_project"]


def new_project(folder: Path, template: str) -> int:
    """Copy a template into a new or empty folder and say what to do next; returns 0.

    Raises as `make_project`.
    """
    make_project(folder, template)
    quoted = f'"{folder}"' if " " in str(folder) else str(folder)
    sys.stdout.write(
        f"Made {folder} from the template {template}.\n"
        f"Play it:    studio-qt play {quoted}\n"
        f"Change it:  studio-qt {quoted}\n"
        f"Check it:   studio-qt validate {quoted}\n"
    )
    return 0
