"""The Studio window. Its names are imported on first use, so that importing this costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio_qt.ui.window import StudioWindow, create_window

__all__ = ["StudioWindow", "create_window"]


def __getattr__(name: str) -> object:
    """Import a public name on first use; raises AttributeError for any other."""
    if name not in __all__:
        raise AttributeError(f"module 'studio_qt.ui' has no attribute {name!r}")
    from studio_qt.ui.importing import import_directly

    return getattr(import_directly("studio_qt.ui.window"), name)
