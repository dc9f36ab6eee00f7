"""The character's texts and context files, read when they are asked for."""

from __future__ import annotations

from studio_qt.package.model import Texts
from studio_qt.package.resolver import Resolver

__all__ = ["read_context_file", "read_texts"]


def read_texts(resolver: Resolver) -> Texts:
    """Read everything that the system message and the context block need."""
    raise NotImplementedError


def read_context_file(resolver: Resolver, name: str) -> str | None:
    """Return the text of one file below the context folder, None when it cannot be had."""
    raise NotImplementedError
