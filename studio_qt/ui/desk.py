"""`Desk`: what every page of the window is given."""

from __future__ import annotations

from typing import NamedTuple

from studio_qt.ui.actions import Actions
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme

__all__ = ["Desk"]


class Desk(NamedTuple):
    """The look, the door to coroutines, the actions, and what the user has chosen."""

    theme: Theme
    tasks: Tasks
    actions: Actions
    preferences: Preferences
