"""`Dressing`: puts the stylesheet on the parts of a window, on hidden ones when it rests."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QSplitterHandle, QWidget
from shiboken6 import Shiboken

from studio_qt.ui.theme.resting import Rest
from studio_qt.ui.theme.style import SHEETS, Sheets
from studio_qt.ui.theme.unveiling import Unveiling

__all__ = ["SLICE", "Dressing", "hold", "wear"]

SLICE = 50
"""How many widgets are dressed in one turn of the loop, but for a part that has more."""

_SHEET = 20
"""How many widgets could be dressed in the time that reading the sheet for a part takes."""

_TURN_SECONDS = 0.005
"""After so much computing no other part is begun in a turn."""

_MOST = 2 * SLICE
"""Widgets of a hidden part that is dressed in a rest; a larger one waits for its show."""

_HOLDS, _WEARS, _WORN = "holdsParts", "wearsSheets", "wornSheet"
_POLISHED = Qt.WidgetAttribute.WA_WState_Polished


def hold(*widgets: QWidget) -> None:
    """Mark widgets as holders: their children are parts of the window with a sheet each.

    For what would be too much for one turn. A holder itself is dressed by the sheet of the frame,
    whose colours are those of the palette; say it before it has a parent that is dressed.
    """
    for widget in widgets:
        widget.setProperty(_HOLDS, True)


def wear(*names: str, widgets: Iterable[QWidget]) -> None:
    """Say which of the sheets `widgets` and all that ever is in them need, as parts of a window.

    Without that a part reads all of them, which takes longer than to dress most small parts.
    """
    for widget in widgets:
        widget.setProperty(_WEARS, " ".join(names))


class Dressing(QObject):
    """Dresses one window; where it has a frame, part by part.

    A change of the sheet costs about 0.1 ms for each widget below the one that has it, hidden
    ones included. So with a frame (the window, the stacks and splitters in it, and what pages
    `hold`) each child of the frame that is not itself frame is a part with the sheet of its own.
    Parts that are shown change in the next turns of the loop, unseen until all have; the others
    follow one by one while the window rests, or on their next show. The frame takes its colours
    from the palette.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("dressing")
        self._window = window
        self._sheets: Sheets | None = None
        self._number = 0
        self._frame: dict[QWidget, None] = {}  # in the order from the window inwards
        self._panes: tuple[QWidget, ...] = ()
        self._grown: dict[QWidget, None] = {}
        self._unveiling = Unveiling(window)
        self._ended = False
        self._room = SLICE  # in this turn, for what is shown
        self._next = self._timer(self._take_room)
        self._later = self._timer(self._dress_new)
        self._turn = self._timer(self._dress_shown)
        self._rest = Rest(window, self._dress_hidden)
        self._hidden = deque[QWidget]()  # what may be left to do in this rest

    def _timer(self, then: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(0)
        timer.timeout.connect(then)
        return timer

    @property
    def sheet(self) -> str:
        """The stylesheet in force, as a whole."""
        return self._sheets.of() if self._sheets is not None else ""

    def sheet_for(self, part: QWidget) -> str:
        """Return what a part wears of the stylesheet in force."""
        if self._sheets is None:
            return ""
        return self._sheets.of(str(part.property(_WEARS) or "").split() or SHEETS)

    def stand(self, *frame: QWidget) -> None:
        """Name the widgets between the window and its parts; from now on parts are dressed."""
        self._window.setStyleSheet("")
        self._panes = (self._window, *frame)
        hold(*self._panes)
        for widget in self._panes:
            self._take_in(widget)

    def put(self, sheets: Sheets) -> None:
        """Dress what is shown in other sheets; see `settled`."""
        if self._ended:
            return
        self._sheets = sheets
        self._number += 1
        if not self._frame:
            self._window.setStyleSheet(sheets.of())
            return
        if self._number == 1:  # holders have taken the first colours as they are
            for holder in self._holders():
                holder.setProperty(_WORN, self._number)
            if not any(self._stale(shown=True)):
                self._rest.want()
                return
        self._unveiling.veil(self._shown_panes())  # so that nobody sees a part of it in each look
        self._turn.start()

    @property
    def settled(self) -> bool:
        """Whether all that is shown has the sheet in force, and can be seen."""
        return not self._turn.isActive() and self._unveiling.done

    @property
    def rested(self) -> bool:
        """Whether what is hidden has the sheet in force, too."""
        return self.settled and not self._rest.wanted

    def rest_when(self, may: Callable[[], bool]) -> None:
        """Dress what is hidden only while `may` says that nothing is under way in the window."""
        self._rest.only_when(may)

    def stop(self) -> None:
        """Dress nothing any more: the window closes."""
        self._ended = True
        self._rest.stop()
        self._later.stop()
        self._turn.stop()
        self._next.stop()
        for widget in (*self._inside(), *self._holders()):
            widget.removeEventFilter(self)
        self._frame.clear()

    def parts(self) -> list[QWidget]:
        """Return the children of the frame that have a sheet each."""
        return [child for child in self._inside() if child not in self._frame]

    def dress(self, part: QWidget) -> None:
        """Give a part the sheet in force; nothing happens to what is none, or has it.

        Of a holder all parts that are not put away are dressed.
        """
        if part.parent() not in self._frame or not self._is_part(part):
            return
        if part.property(_HOLDS):
            if part.styleSheet():  # it came to be one
                part.setStyleSheet("")
            self._take_in(part)
            for child in part.children():
                if isinstance(child, QWidget) and not _is_put_away(child):
                    self.dress(child)
            return
        part.installEventFilter(self)
        if part.property(_WORN) != self._number:
            part.setProperty(_WORN, self._number)
            part.setStyleSheet(self.sheet_for(part))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Dress new parts, and those that are shown."""
        if isinstance(event, QShowEvent):  # five times faster than its type; most are of no concern
            if isinstance(watched, QWidget) and self._may_dress(watched):
                self._freshen(watched)
        elif isinstance(event, QChildEvent) and watched in self._frame:
            if event.polished():
                self._come(event.child())
            elif event.added():  # not asked for: PySide would look through all kinds of objects
                self._grown[watched] = None
                self._later.start()  # it may be half made
        return False

    def _come(self, child: QObject) -> None:
        if isinstance(child, QWidget) and child.property(_HOLDS):
            self._take_in(child, at_once=False)  # nobody has said yet whether it is hidden
        elif isinstance(child, QWidget):
            self._meet(child)

    def _meet(self, part: QWidget) -> None:
        """Dress a new part, or later what is hidden: menus, pages behind others, closed panes."""
        if part.parent() not in self._frame or not self._is_part(part):
            return
        if part.property(_HOLDS):
            self._take_in(part)
            return
        part.installEventFilter(self)
        if isinstance(part, QMenu):
            if not part.property("met"):
                part.setProperty("met", True)
                part.aboutToShow.connect(partial(self.dress, part))  # it is measured after that
        elif self._is_out_of_sight(part):
            self._rest.want()
        elif self._may_dress(part):
            self.dress(part)

    def _take_in(self, holder: QWidget, *, at_once: bool = True) -> None:
        """Take a holder into the frame, once, and meet what it holds, now or in the next turn.

        Until then what it holds is dressed when it is shown.
        """
        if self._ended or holder in self._frame:
            return
        if holder not in self._panes and holder.parent() not in self._frame:
            return
        self._frame[holder] = None
        holder.destroyed.connect(partial(self._frame.pop, holder, None))
        holder.setProperty(_WORN, self._number)
        holder.installEventFilter(self)
        if at_once:
            self._look_into(holder)
            return
        self._grown[holder] = None
        self._later.start()
        for child in holder.children():
            if isinstance(child, QWidget) and child.property(_HOLDS):
                self._take_in(child, at_once=False)
            elif isinstance(child, QWidget) and self._is_part(child):
                child.installEventFilter(self)

    def _look_into(self, holder: QWidget) -> None:
        for child in holder.children():
            if isinstance(child, QWidget):
                self._meet(child)

    def _freshen(self, shown: QWidget) -> None:
        """Give a part, or a holder, that is shown the look in force."""
        if shown not in self._frame:
            self.dress(shown)
        elif shown.property(_WORN) != self._number:
            shown.setProperty(_WORN, self._number)
            shown.style().polish(shown)  # its rules have taken colours of the palette before
            shown.update()

    def _may_dress(self, part: QWidget) -> bool:
        """Whether this turn has time for a part that is shown; else its pane waits unseen for it.

        Sheets, and what else lies over the frame, are measured when they open: they never wait.
        """
        if part in self._frame or part.property(_WORN) == self._number:
            return True
        cost, fresh = self._cost(part), self._room == SLICE
        if not fresh and cost > self._room:
            pane = self._pane_of(part)
            if pane is not None:
                self._unveiling.veil([pane], alone=True)
                self._turn.start()
                return False
        self._room = max(0, self._room - cost)
        self._next.start()
        return True

    def _cost(self, part: QWidget) -> int:
        return len(part.findChildren(QWidget)) + _SHEET

    def _take_room(self) -> None:
        self._room = SLICE

    def _pane_of(self, part: QWidget) -> QWidget | None:
        """Return what stands in the frame that was named and has a part in it, where it is seen."""
        pane, above = part, part.parentWidget()
        while above is not None and above not in self._panes:
            pane, above = above, above.parentWidget()
        seen = above is not None and above is not self._window and above.isVisible()
        return pane if seen and pane not in self._panes else None

    def _dress_shown(self) -> None:
        """Dress what one turn of the loop has time for; at the end let the window be painted.

        Holders come first, in a turn of their own: what they hold takes the size of its text from
        them, and only once.
        """
        holders = [one for one in self._holders() if one.property(_WORN) != self._number]
        for holder in holders:
            self._freshen(holder)
        if holders:
            self._turn.start()
            return
        room, until = SLICE, time.thread_time() + _TURN_SECONDS
        for one in self._stale(shown=True):
            cost = self._cost(one)
            if room < SLICE and (cost > room or time.thread_time() > until):
                self._turn.start()
                return
            self._freshen(one)
            room -= cost
        self._unveiling.start()
        self._rest.want()

    def _dress_hidden(self) -> bool:
        """Make one hidden part ready for its show, which then costs little."""
        if not self.settled:
            self._rest.disturb()
            return True
        if not self._hidden:
            self._hidden.extend(self._stale(shown=False))
            if not self._hidden:
                return False
        one = self._hidden.popleft()
        if Shiboken.isValid(one) and not one.isVisible() and one.parent() in self._frame:
            self._freshen(one)
            one.ensurePolished()
        return True

    def _stale(self, *, shown: bool) -> Iterator[QWidget]:
        """Yield what has not the look in force, or (where it is hidden) has none at all yet."""
        for one in self._inside():
            if one.isVisible() != shown or one in self._frame or isinstance(one, QMenu):
                continue
            if not shown and len(one.findChildren(QWidget)) >= _MOST:
                continue
            if one.property(_WORN) != self._number or not (shown or one.testAttribute(_POLISHED)):
                yield one

    def _holders(self) -> list[QWidget]:
        """Return the frame without what has ended; not all of it has told of that."""
        for gone in [one for one in self._frame if not Shiboken.isValid(one)]:
            del self._frame[gone]
        return list(self._frame)

    def _inside(self) -> list[QWidget]:
        return [
            child
            for widget in self._holders()
            for child in widget.children()
            if isinstance(child, QWidget) and self._is_part(child)
        ]

    def _shown_panes(self) -> list[QWidget]:
        """Return what stands in the frame that was named, each of which is painted for itself."""
        return [
            child
            for widget in self._panes
            for child in widget.children()
            if isinstance(child, QWidget)
            and child not in self._panes
            and child.isVisible()
            and self._is_part(child)
        ]

    def _is_out_of_sight(self, part: QWidget) -> bool:
        """Whether a part, or one of the holders around it, has been put away."""
        one: QWidget | None = part
        while one is not None and one is not self._window:
            if _is_put_away(one):
                return True
            one = one.parentWidget()
        return False

    def _is_part(self, child: QWidget) -> bool:
        if isinstance(child, QSplitterHandle):  # the splitter draws it
            return False
        return child.property("undressed") is not True  # it paints itself

    def _dress_new(self) -> None:
        grown, self._grown = self._grown, {}
        for widget in grown:
            if Shiboken.isValid(widget) and widget in self._frame:
                self._look_into(widget)


def _is_put_away(part: QWidget) -> bool:
    """Whether somebody has hidden a part, which is then dressed when it is shown."""
    return part.isHidden() and part.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)
