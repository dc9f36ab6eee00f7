"""What is said of a package's own code where nobody is asked: one line (SUB-14)."""

from __future__ import annotations

from collections.abc import Mapping

from studio_qt.package.character import CharacterPackage
from studio_qt.package.model import Language

__all__ = ["LANGUAGE_NAMES", "foreign_code_sentence"]

LANGUAGE_NAMES: Mapping[Language, str] = {
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "python": "Python",
    "lua": "Lua",
}
"""The languages of agents as people write them."""


def foreign_code_sentence(package: CharacterPackage) -> str:
    """Return in which languages a package brings code that is not ours; "" where it brings none."""
    if not package.foreign_languages:
        return ""
    names = ", ".join(sorted(LANGUAGE_NAMES[one] for one in package.foreign_languages))
    said = f"{package.name} brings agent code of its own ({names}); it runs in the sandbox."
    return " ".join(said.split())
