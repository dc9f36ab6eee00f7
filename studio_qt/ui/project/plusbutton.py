"""`PlusButton`: what stands at the right of a group, as a button that keys can reach."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer

from studio_qt.ui.project.model import ProjectModel
from studio_qt.ui.project.view import ProjectTree
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton

__all__ = ["PlusButton"]


class PlusButton(IconButton):
    """Stands where the tree paints the + of a group, or `before` it, and stays there."""

    def __init__(
        self,
        theme: Theme,
        tree: ProjectTree,
        model: ProjectModel,
        group: str,
        icon: str = "plus",
        tip: str = "New sub-agent",
        name: str = "subAgentNew",
        *,
        before: bool = False,
    ) -> None:
        super().__init__(theme, icon, tip, name=name, size=15, parent=tree.viewport())
        self._tree, self._model, self._group = tree, model, group
        self._before = before
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._place)
        for moved in (
            model.rowsInserted,
            model.rowsRemoved,
            model.layoutChanged,
            tree.expanded,
            tree.collapsed,
            tree.verticalScrollBar().valueChanged,
            tree.verticalScrollBar().rangeChanged,
        ):
            moved.connect(self._soon)
        tree.viewport().installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show) and watched is not self:
            self._soon()
        return False

    def _soon(self) -> None:
        self._timer.start(0)

    def _place(self) -> None:
        tree = self._tree
        index = self._model.index_of(self._group)
        row = tree.visualRect(index) if index.isValid() else QRect()
        shown = not row.isEmpty()
        if shown:
            whole = QRect(0, row.top(), tree.viewport().width(), row.height())
            place = tree.rows.plus_rect(index, whole)
            width = max(place.width(), self.minimumSizeHint().width())
            self.setGeometry(place.translated(-width, 0) if self._before else place)
        self.setVisible(shown)
