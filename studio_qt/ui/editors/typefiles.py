"""Types of the bridge for other editors: put into the project, where an author wants them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from studio_qt.errors import StudioError
from studio_qt.resources import resource_text
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.documents.rewriting import Rewritten, rewrite

__all__ = ["add_types"]

_TYPES = "types/studio.d.ts"
_SETTINGS = ("jsconfig.json", "tsconfig.json")
_JSCONFIG = """{
  "compilerOptions": {
    "target": "es2023",
    "lib": ["es2023"],
    "module": "es2022",
    "types": []
  },
  "include": ["agents", "types"]
}
"""


async def add_types(documents: Documents) -> Rewritten:
    """Write the declaration file, and settings that name it where there are none yet.

    Raises StudioError without a project, and where they cannot be written.
    """
    root = documents.root
    if root is None:
        raise StudioError("Open a project first; the types are put into it.")
    changes = {_TYPES: await asyncio.to_thread(resource_text, _TYPES)}
    if not await asyncio.to_thread(_has_settings, root):
        changes[_SETTINGS[0]] = _JSCONFIG
    return await rewrite(documents, changes)


def _has_settings(root: Path) -> bool:
    return any((root / name).exists() for name in _SETTINGS)
