"""`StillTabs`: tabs that ask nobody above them for another layout when they are resized."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QStyleOptionTabWidgetFrame, QTabWidget

__all__ = ["StillTabs"]


class StillTabs(QTabWidget):
    """A tab widget in document mode whose parts are placed here while its size changes.

    Qt's own would then tell its parent that it wants another size, which it does not: each layout
    up to the window would be computed anew, at every step of a resize, after it was painted.
    """

    def resizeEvent(self, event: QResizeEvent) -> None:
        if not self.isVisible():
            super().resizeEvent(event)  # notes that all is to be placed on the next show
            return
        from PySide6.QtWidgets import QStyle  # slow to import, and not needed by the first layout

        places_of = QStyle.SubElement
        option, style = QStyleOptionTabWidgetFrame(), self.style()
        self.initStyleOption(option)
        places = (
            (self.tabBar(), places_of.SE_TabWidgetTabBar),
            (self.findChild(QStackedWidget, "qt_tabwidget_stackedwidget"),
             places_of.SE_TabWidgetTabContents),
            (self.cornerWidget(), places_of.SE_TabWidgetRightCorner),
        )  # fmt: skip
        for part, place in places:
            if part is not None:
                part.setGeometry(style.subElementRect(place, option, self))
