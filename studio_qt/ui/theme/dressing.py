"""`Dressing`: puts the stylesheet on the parts of a window, on hidden ones when they are shown."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QMenu, QSplitterHandle, QWidget

__all__ = ["SLICE", "Dressing"]

SLICE = 100
"""How many widgets are dressed in one turn of the loop, but for a part that has more."""

_SHEET = 25
"""How many widgets could be dressed in the time that reading the sheet for a part takes."""


class Dressing(QObject):
    """Dresses one window; where it has a frame, part by part.

    A change of the sheet costs about 0.1 ms for each widget below the one that has it, hidden
    ones included. So with a frame (the window and the stacks and splitters in it) each child of
    the frame that is not itself frame is a part with the sheet of its own: parts that are shown
    change in the next turns of the loop, unseen until all have, the others on their next show.
    The frame takes its colours from the palette.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("dressing")
        self._window = window
        self._sheet = ""
        self._frame: tuple[QWidget, ...] = ()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._dress_new)
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.timeout.connect(self._dress_shown)

    @property
    def sheet(self) -> str:
        """The stylesheet in force."""
        return self._sheet

    def stand(self, *frame: QWidget) -> None:
        """Name the widgets between the window and its parts; from now on parts are dressed."""
        self._window.setStyleSheet("")
        self._frame = (self._window, *frame)
        for widget in self._frame:
            widget.installEventFilter(self)
        self._dress_new()

    def put(self, sheet: str) -> None:
        """Dress what is shown in another sheet; see `settled`."""
        self._sheet = sheet
        if not self._frame:
            self._window.setStyleSheet(sheet)
            return
        for widget in self._frame:
            widget.style().polish(widget)  # its rules have taken colours of the palette before
            widget.update()
        self._window.setUpdatesEnabled(False)  # so that nobody sees a part of it in each look
        self._turn.start(0)

    @property
    def settled(self) -> bool:
        """Whether all that is shown has the sheet in force."""
        return not self._turn.isActive()

    def parts(self) -> list[QWidget]:
        """Return the children of the frame that have a sheet each."""
        return [
            child
            for widget in self._frame
            for child in widget.children()
            if isinstance(child, QWidget) and self._is_part(child)
        ]

    def dress(self, part: QWidget) -> None:
        """Give a part the sheet in force; nothing happens to what is none, or has it."""
        if part.parent() in self._frame and self._is_part(part):
            part.installEventFilter(self)
            if part.styleSheet() != self._sheet:
                part.setStyleSheet(self._sheet)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Dress new parts, and those that are shown."""
        kind = event.type()
        if kind == QEvent.Type.Show and isinstance(watched, QWidget):
            self.dress(watched)
        elif kind == QEvent.Type.ChildAdded and watched in self._frame:
            self._later.start(0)  # it may be half made
        elif isinstance(event, QChildEvent) and kind == QEvent.Type.ChildPolished:
            child = event.child()
            if isinstance(child, QWidget):
                self._meet(child)
        return False

    def _meet(self, part: QWidget) -> None:
        """Dress a new part, or later what is hidden: menus, pages behind others, closed panes."""
        if part.parent() not in self._frame or not self._is_part(part):
            return
        part.installEventFilter(self)
        if isinstance(part, QMenu):
            if not part.property("met"):
                part.setProperty("met", True)
                part.aboutToShow.connect(partial(self.dress, part))  # it is measured after that
        elif not _is_put_away(part):
            self.dress(part)

    def _dress_shown(self) -> None:
        """Dress what one turn of the loop has time for; at the end let the window be painted."""
        room = SLICE
        for part in self._stale():
            count = len(part.findChildren(QWidget)) + 1
            if room < SLICE and count > room:
                self._turn.start(0)
                return
            self.dress(part)
            room -= count + _SHEET
        self._window.setUpdatesEnabled(True)

    def _is_part(self, child: QWidget) -> bool:
        if child in self._frame or isinstance(child, QSplitterHandle):  # the splitter draws it
            return False
        return child.property("undressed") is not True  # it paints itself

    def _stale(self) -> list[QWidget]:
        return [one for one in self.parts() if one.isVisible() and one.styleSheet() != self._sheet]

    def _dress_new(self) -> None:
        for part in self.parts():
            if not part.styleSheet():
                self._meet(part)


def _is_put_away(part: QWidget) -> bool:
    """Whether somebody has hidden a part, which is then dressed when it is shown."""
    return part.isHidden() and part.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)
