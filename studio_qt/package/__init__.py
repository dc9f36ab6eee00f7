"""The character package: text on disk becomes a frozen `CharacterPackage` with its problems."""

from __future__ import annotations

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
