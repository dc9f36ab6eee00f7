"""`walk`: every check over what is shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from tests.ui.look.pixels import no_ring, poor_contrast
from tests.ui.look.walker import (
    Fault,
    clipped,
    elided,
    low_rows,
    overlapping,
    unnamed,
    unreachable,
)

__all__ = ["walk"]

_CHECKS = (
    clipped,
    overlapping,
    elided,
    low_rows,
    unnamed,
    unreachable,
    poor_contrast,
    no_ring,
)


def walk(root: QWidget) -> list[Fault]:
    """Return everything that is wrong with a widget that is shown, and with what is in it."""
    return [fault for check in _CHECKS for fault in check(root)]
