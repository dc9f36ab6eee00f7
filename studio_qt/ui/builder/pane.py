"""`Pane`: a column of the form that scrolls by itself where it stands beside others."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QScrollArea, QWidget

__all__ = ["Pane"]


class Pane(QScrollArea):
    """A column; it scrolls by itself beside others, else it is as high as what is in it."""

    def __init__(self, *, last: bool = False) -> None:
        super().__init__()
        self._inside: QWidget | None = None
        self._alone = True
        self.setProperty("role", "builderColumn" if not last else "builderLastColumn")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def hold(self, inside: QWidget) -> None:
        """Take what is to be shown; dressing that takes some milliseconds."""
        self._inside = inside
        inside.setProperty("role", "inside")
        self.setWidget(inside)
        inside.installEventFilter(self)
        self._fit()

    def stand_among(self, count: int) -> None:
        """Take as much room as it has among so many columns."""
        self._alone = count < 3
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOff if self._alone else policy.ScrollBarAsNeeded
        )
        self._fit()

    def sizeHint(self) -> QSize:
        """Want no more than it needs: what is below the columns is to be seen as well."""
        return self.minimumSize()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._inside and event.type() in (
            QEvent.Type.LayoutRequest,
            QEvent.Type.Resize,
        ):
            self._fit()
        return False

    def _fit(self) -> None:
        if (inside := self._inside) is None:
            return
        least = inside.minimumSizeHint()
        tall = inside.heightForWidth(self.viewport().width())  # -1 where it does not depend on it
        self.setMinimumHeight(max(least.height(), tall) if self._alone else 0)
        self.setMinimumWidth(least.width() if self._alone else 0)
