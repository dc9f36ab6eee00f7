"""`walk`: every check over what is shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from tests.ui.look.pixels import HIGH, LEAST, no_ring, poor_contrast
from tests.ui.look.tabbing import left_out_by_tab
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
    no_ring,
    left_out_by_tab,
)


def walk(root: QWidget, *, high_contrast: bool = False) -> list[Fault]:
    """Return everything that is wrong with a widget that is shown, and with what is in it."""
    found = [fault for check in _CHECKS for fault in check(root)]
    return found + poor_contrast(root, HIGH if high_contrast else LEAST)
