"""The built-in agents and libraries that ship with the program (PKG-05, LIB-01, SUB-14)."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath

from studio_qt.package.model import Language
from studio_qt.resources import resource_names, resource_path, resource_text

__all__ = [
    "SUFFIXES",
    "Shipped",
    "builtin_agent",
    "builtin_library",
    "code_language",
    "is_builtin_name",
    "is_shipped_code",
    "is_shipped_digest",
]

SUFFIXES: dict[str, Language] = {
    ".js": "javascript",
    ".ts": "typescript",
    ".py": "python",
    ".lua": "lua",
}
"""The suffixes of agent files in the order in which they are looked for."""

_EARLIER = "agents/earlier.sha256"
"""SHA-256 and name of every version of built-in code, one a line; a changed file adds its own."""

_NAMED_IN_DOCUMENTS = frozenset(
    {
        "studio.agent-db",
        "studio.context-access",
        "studio.dice-roller",
        "studio.history-search",
        "studio.memory-store",
        "studio.sub-agent",
    }
)


@dataclass(frozen=True, slots=True)
class Shipped:
    """A file of the program; `file` begins with "studio:", so that it is never a package's path."""

    file: str
    language: Language
    source: str


def builtin_agent(name: str) -> Shipped | None:
    """Return the built-in agent of a `studio.` name."""
    if not name.startswith("studio."):
        return None
    shipped = _names("agents")
    for suffix, language in SUFFIXES.items():
        if name + suffix in shipped:
            return _shipped(f"agents/{name}{suffix}", language)
    return None


def builtin_library(name: str) -> Shipped | None:
    """Return the shipped library of that name."""
    for file in (f"{name}.js", f"{name}.min.js"):
        if file in _names("agents/lib"):
            return _shipped(f"agents/lib/{file}", "javascript")
    return None


def is_builtin_name(agent: str) -> bool:
    """Whether `agent` is the name of a built-in, of this program or in the documents (MAN-04)."""
    return agent in _NAMED_IN_DOCUMENTS or builtin_agent(agent) is not None


def is_shipped_code(content: bytes) -> bool:
    """Whether a file is a copy of one that ships with the program, to the byte (SUB-14).

    Those that shipped with an earlier release count as well.
    """
    return is_shipped_digest(hashlib.sha256(content).hexdigest())


def is_shipped_digest(digest: str) -> bool:
    """As `is_shipped_code`, of a file whose SHA-256 is known in hexadecimal digits."""
    return digest in _hashes()


def code_language(path: str) -> Language | None:
    """Return the language of a file that can be run, by its suffix; None for any other file.

    The suffix in any case: where names differ by more than case, `.JS` is opened as `.js`.
    """
    return SUFFIXES.get(PurePosixPath(path).suffix.lower())


def _shipped(path: str, language: Language) -> Shipped:
    return Shipped(f"studio:{path}", language, resource_text(path))


def _names(folder: str) -> tuple[str, ...]:
    parent, _, name = folder.rpartition("/")
    if parent and name not in resource_names(parent):
        return ()
    return resource_names(folder)


@functools.cache
def _hashes() -> frozenset[str]:
    paths = (f"{folder}/{name}" for folder in ("agents", "agents/lib") for name in _names(folder))
    code = (path for path in paths if PurePosixPath(path).suffix in SUFFIXES)
    now = (hashlib.sha256(resource_path(path).read_bytes()).hexdigest() for path in code)
    earlier = (line.split()[0] for line in resource_text(_EARLIER).splitlines() if line)
    return frozenset((*now, *earlier))
