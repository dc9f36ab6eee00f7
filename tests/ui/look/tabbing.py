"""Whether Tab goes round all controls, and stays in the sheet that lies over a window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit, QWidget

from tests.ui.look.walker import Fault, _fault, _led_by_arrows, controls

__all__ = ["left_out_by_tab"]

_ROUNDS = 3
"""So many times as there are controls, Tab is pressed: cells and pages may have more stops."""


def left_out_by_tab(root: QWidget) -> list[Fault]:
    """Press Tab until it comes round; tell what it leaves out, and where it leaves `root`.

    A field in which Tab writes is passed by, as a user passes it with a shortcut. The focus is put
    back. Raises AssertionError while the window is not the active one.
    """
    assert root.isActiveWindow(), "the window is not active"
    before = QApplication.focusWidget()
    wanted = [
        widget
        for widget in controls(root)
        if widget.isEnabled() and _stops_tab(widget) and not _led_by_arrows(widget)
    ]
    faults = []
    visited: set[QWidget] = set()
    if wanted:
        wanted[0].setFocus(Qt.FocusReason.TabFocusReason)
    stops = [one for one in root.findChildren(QWidget) if one.isVisibleTo(root) and _stops_tab(one)]
    for _ in range(_ROUNDS * max(len(wanted), len(stops))):  # some may be scrolled out of sight
        at = QApplication.focusWidget()
        if at is None or (at is wanted[0] and visited.issuperset(wanted)):
            break
        if at is not root and not root.isAncestorOf(at):
            faults.append(_fault("unreachable", root, f"Tab leaves it for {at.objectName()}"))
            break
        visited.add(at)
        if _takes_tab(at):
            _after(at, root).setFocus(Qt.FocusReason.TabFocusReason)
        else:
            QTest.keyClick(at, Qt.Key.Key_Tab)
    left = [one for one in wanted if one not in visited and one.focusProxy() not in visited]
    faults += [_fault("unreachable", one, "Tab goes past it") for one in left if one.isVisible()]
    if before is not None:
        before.setFocus()
    return faults


def _stops_tab(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _takes_tab(widget: QWidget) -> bool:
    return isinstance(widget, QPlainTextEdit | QTextEdit) and not widget.tabChangesFocus()


def _after(widget: QWidget, root: QWidget) -> QWidget:
    """Return the next control that Tab would come to."""
    following = widget.nextInFocusChain()
    while following is not widget:
        usable = following.isVisible() and following.isEnabled() and root.isAncestorOf(following)
        if usable and following.focusPolicy() & Qt.FocusPolicy.TabFocus:
            return following
        following = following.nextInFocusChain()
    return widget
