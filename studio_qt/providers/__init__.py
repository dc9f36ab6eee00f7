"""Providers: one streaming client for OpenAI-compatible servers, and the Rehearsal model.

Its names are imported on first use: counting tokens needs none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio_qt.providers.connect import open_provider
    from studio_qt.providers.patience import Patience
    from studio_qt.providers.profile import Overrides, Profile
    from studio_qt.providers.profiles import ProfileStore

__all__ = ["Overrides", "Patience", "Profile", "ProfileStore", "open_provider"]

_HOMES = {
    "open_provider": "connect",
    "Patience": "patience",
    "Overrides": "profile",
    "Profile": "profile",
    "ProfileStore": "profiles",
}


def __getattr__(name: str) -> object:
    """Import a public name on first use; raises AttributeError for any other."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
