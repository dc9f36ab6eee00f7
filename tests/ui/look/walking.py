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
    left_out_by_tab,
)


def walk(root: QWidget, *, high_contrast: bool = False, colours: bool = True) -> list[Fault]:
    """Return everything that is wrong with a widget that is shown, and with what is in it.

    Without `colours` contrasts and rings around the focus are left out.
    """
    found = [fault for check in _CHECKS for fault in check(root)]
    if colours:
        found += no_ring(root) + poor_contrast(root, HIGH if high_contrast else LEAST)
    return found
