"""Character Studio for the desktop: an engine that plays characters, and a window that builds them.

The names below are the public interface for programs that embed a character. They are imported on
first use, so that ``import studio_qt`` costs nothing and never loads Qt.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer, CommandResult
    from studio_qt.errors import (
        AgentError,
        BudgetExhausted,
        ClosedError,
        ModelError,
        PackageError,
        Problem,
        StorageError,
        StudioError,
    )
    from studio_qt.settings import PlayerSettings

__version__ = "0.1.0"

_HOMES = {
    "CharacterPlayer": "studio_qt.engine.player",
    "CommandResult": "studio_qt.engine.player",
    "PlayerSettings": "studio_qt.settings",
}
_ERRORS = "studio_qt.errors"

__all__ = [
    "AgentError",
    "BudgetExhausted",
    "CharacterPlayer",
    "ClosedError",
    "CommandResult",
    "ModelError",
    "PackageError",
    "PlayerSettings",
    "Problem",
    "StorageError",
    "StudioError",
    "__version__",
]


def __getattr__(name: str) -> object:
    """Import a public name on first use; raises AttributeError for any other."""
    if name not in __all__:
        raise AttributeError(f"module 'studio_qt' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, _ERRORS)), name)
