"""Where the window keeps what belongs to one project: unsaved text, open tabs, earlier versions."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from studio_qt.settings import home_folder

__all__ = ["project_memory"]


def project_memory(project: Path) -> Path:
    """Return the folder below the application's home that belongs to a project's place.

    It need not be there yet. Nothing of it lies in the project, and it never travels with one.
    """
    place = str(project.resolve())
    mark = hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    readable = re.sub(r"[^\w-]+", "-", project.stem).strip("-")[:40] or "project"
    return home_folder() / "projects" / f"{readable}-{mark}"
