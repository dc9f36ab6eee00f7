"""`Crumbs`: the line above an editor that tells where the file lies, with room for tools."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, IconView, label
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["Crumbs"]


class Crumbs(QWidget):
    """Folders, a sign between them, and the file; on the right what others put there."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("breadcrumb")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(40)
        self._place = ElidedLabel("", "second")
        self._place.setObjectName("crumbsPlace")
        self._lock = IconView(theme, "lock", "fg3", 13)
        self._locked = label("Read only", "quiet", name="crumbsLocked")
        self._tools = QHBoxLayout()
        self._tools.setSpacing(4)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 0, 12, 0)
        row.setSpacing(6)
        row.addWidget(self._place, 1)
        row.addWidget(self._lock)
        row.addWidget(self._locked)
        row.addLayout(self._tools)
        self.set_locked("")

    def set_path(self, path: str) -> None:
        """Show a path of the project."""
        self._place.set_whole("  ›  ".join(path.split("/")))
        self._place.setAccessibleName(f"File {path}")

    def set_locked(self, reason: str) -> None:
        """Say that the file cannot be changed, and why; "" when it can."""
        self._lock.setVisible(bool(reason))
        self._locked.setVisible(bool(reason))
        self._locked.setToolTip(plain_tip(reason))
        self._locked.setAccessibleDescription(reason)

    def add_tool(self, tool: QWidget) -> None:
        """Put a control at the right end."""
        self._tools.addWidget(tool)
