"""The files that ship with the program: built-in agents, templates, handbook, icons.

In a checkout they are the top-level folder `resources/`; a wheel carries them inside the package.
Everything reads them through here, so that both work alike.
"""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath

from studio_qt.errors import StudioError

__all__ = ["copy_resources", "resource_names", "resource_path", "resource_text"]

_HERE = Path(__file__).resolve().parent


def resource_path(relative: str) -> Path:
    """Return where a shipped file or folder lies; `relative` has forward slashes.

    Raises StudioError when there is none, or when the path would lead out of the resources.
    """
    inside = PurePosixPath(relative)
    if inside.is_absolute() or ".." in inside.parts or "\\" in relative or ":" in relative:
        raise StudioError(f"{relative!r} is not a resource; give a path inside resources/.")
    path = _root().joinpath(*inside.parts)
    if not path.exists():
        raise StudioError(
            f"The file {relative} that belongs to the program is missing; install it again."
        )
    return path


def resource_text(relative: str) -> str:
    """Return a shipped text file, decoded as UTF-8; raises StudioError as `resource_path`."""
    return resource_path(relative).read_text(encoding="utf-8")


def resource_names(folder: str) -> tuple[str, ...]:
    """Return the names directly in a shipped folder, sorted; files and folders, no dot-names.

    Raises StudioError as `resource_path`, and when `folder` is a file.
    """
    path = resource_path(folder)
    if not path.is_dir():
        raise StudioError(f"{folder!r} is a file of the program; name the folder that holds it.")
    names = (entry.name for entry in path.iterdir())
    return tuple(sorted(name for name in names if not name.startswith((".", "__"))))


def copy_resources(folder: str, target: Path) -> None:
    """Copy what is in a shipped folder; `target` may be there already.

    What installers compile from Python files stays behind. Raises OSError when `target` cannot be
    written, else StudioError as `resource_path`.
    """
    compiled = shutil.ignore_patterns("__pycache__")
    shutil.copytree(resource_path(folder), target, ignore=compiled, dirs_exist_ok=True)


def _root() -> Path:
    packed = _HERE / "_resources"
    return packed if packed.is_dir() else _HERE.parent / "resources"
