"""The character package: text on disk becomes a frozen `CharacterPackage` with its problems.

Its names are imported on first use: the window needs few of them at its start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio_qt.package.character import CharacterPackage
    from studio_qt.package.config import CONFIG_SCHEMA
    from studio_qt.package.loader import load_package, open_source
    from studio_qt.package.manifest import parse_manifest
    from studio_qt.package.model import (
        AgentSpec,
        Command,
        ContextFile,
        Language,
        Library,
        Manifest,
        SubAgentMeta,
        SubAgentSpec,
        Texts,
        Tool,
    )
    from studio_qt.package.registration import OwnedCommand, OwnedTool, Registration, register
    from studio_qt.package.resolver import Resolver
    from studio_qt.package.rewrite import rewrite_config

__all__ = [
    "CONFIG_SCHEMA",
    "AgentSpec",
    "CharacterPackage",
    "Command",
    "ContextFile",
    "Language",
    "Library",
    "Manifest",
    "OwnedCommand",
    "OwnedTool",
    "Registration",
    "Resolver",
    "SubAgentMeta",
    "SubAgentSpec",
    "Texts",
    "Tool",
    "load_package",
    "open_source",
    "parse_manifest",
    "register",
    "rewrite_config",
]

_HOMES = {
    "CharacterPackage": "character",
    "CONFIG_SCHEMA": "config",
    "load_package": "loader",
    "open_source": "loader",
    "parse_manifest": "manifest",
    "AgentSpec": "model",
    "Command": "model",
    "ContextFile": "model",
    "Language": "model",
    "Library": "model",
    "Manifest": "model",
    "SubAgentMeta": "model",
    "SubAgentSpec": "model",
    "Texts": "model",
    "Tool": "model",
    "OwnedCommand": "registration",
    "OwnedTool": "registration",
    "Registration": "registration",
    "register": "registration",
    "Resolver": "resolver",
    "rewrite_config": "rewrite",
}


def __getattr__(name: str) -> object:
    """Import a public name on first use; raises AttributeError for any other."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
