"""`EditorTabs`: the row of tabs, each with its kind, its name, and a cross or a dot."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QTabBar, QWidget

from studio_qt.ui.theme.dressing import wear
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton
from studio_qt.ui.widgets.filekinds import icon_of, kind_of
from studio_qt.ui.widgets.stilltabs import StillTabs
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["EditorTabs"]


class EditorTabs(StillTabs):
    """`menu_wanted` carries a tab's number and a place on the screen.

    `edit_wanted` carries the path of a sub-agent whose pencil was pressed (STU-06).
    """

    menu_wanted = Signal(int, QPoint)
    edit_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("editorTabs")
        self.setAccessibleName("Open files")
        bar = _Bar(self)
        bar.setAccessibleName("Open files")
        self.setTabBar(bar)
        self.setDocumentMode(True)
        self.setMovable(True)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        bar.menu_wanted.connect(self._on_menu)
        bar.middle_clicked.connect(self.tabCloseRequested)
        self.currentChanged.connect(self._show_pencil)
        theme.changed.connect(self._dress)

    def add(self, page: QWidget, path: str) -> int:
        """Add a tab after the current one and return its number."""
        icon, token = icon_of(path)
        title = path.rpartition("/")[2]
        number = self.insertTab(
            self.currentIndex() + 1, page, self._theme.icon(icon, token, 16), doubled(title)
        )
        end = _End(self._theme)
        end.cross.clicked.connect(lambda: self.tabCloseRequested.emit(self.indexOf(page)))
        end.edit_wanted.connect(lambda: self._on_pencil(page))
        end.show_kind(kind_of(path))
        self.tabBar().setTabButton(number, QTabBar.ButtonPosition.RightSide, end)
        self.show_tab(number, path, title, unsaved=False)
        self._show_pencil(self.currentIndex())
        return number

    def show_tab(self, number: int, path: str, title: str, *, unsaved: bool) -> None:
        """Show name and state of a tab; costs nothing where it shows them already.

        Each change makes Qt lay out all tabs once more.
        """
        if self.tabBar().tabData(number) == (state := (path, title, unsaved)):
            return
        before = self.tabBar().tabData(number)
        self.tabBar().setTabData(number, state)
        if before is not None and icon_of(path) != icon_of(before[0]):
            icon, token = icon_of(path)
            self.setTabIcon(number, self._theme.icon(icon, token, 16))
        if self.tabText(number) != doubled(title):
            self.setTabText(number, doubled(title))
        self.setTabToolTip(number, plain_tip(f"{path}, not saved" if unsaved else path))
        spoken = f"{title}, not saved" if unsaved else title
        self.tabBar().setAccessibleTabName(number, spoken)
        if (end := self._end(number)) is not None:
            end.cross.show_state(title, unsaved=unsaved)
            if end.show_kind(kind_of(path)):
                self.tabBar().setTabButton(number, QTabBar.ButtonPosition.RightSide, end)

    def _end(self, number: int) -> _End | None:
        end = self.tabBar().tabButton(number, QTabBar.ButtonPosition.RightSide)
        return end if isinstance(end, _End) else None

    def _show_pencil(self, current: int) -> None:
        """Let the tab in front have a pencil, where it is a sub-agent's."""
        for number in range(self.count()):
            if (end := self._end(number)) is not None:
                end.show_pencil(shown=number == current)

    def _on_pencil(self, page: QWidget) -> None:
        path, *_ = self.tabBar().tabData(self.indexOf(page))
        self.edit_wanted.emit(path)

    def _on_menu(self, number: int, place: QPoint) -> None:
        self.menu_wanted.emit(number, place)

    def _dress(self) -> None:
        for number in range(self.count()):
            path, *_ = self.tabBar().tabData(number)
            icon, token = icon_of(path)
            self.setTabIcon(number, self._theme.icon(icon, token, 16))


def doubled(title: str) -> str:
    """Return a title of which no "&" is taken for the mark of a key."""
    return title.replace("&", "&&")


class _Bar(QTabBar):
    menu_wanted = Signal(int, QPoint)
    middle_clicked = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("editorTabBar")
        wear("base", "buttons", "views", widgets=[self])
        self.setIconSize(QSize(16, 16))
        self.setExpanding(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._pressed = -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton:
            self._pressed = self.tabAt(event.position().toPoint())
        elif event.button() == Qt.MouseButton.RightButton:
            number = self.tabAt(event.position().toPoint())
            if number >= 0:
                self.menu_wanted.emit(number, event.globalPosition().toPoint())
        else:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton:
            number = self.tabAt(event.position().toPoint())
            if number >= 0 and number == self._pressed:
                self.middle_clicked.emit(number)
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The menu key opens the tab's menu, Delete closes it, Enter goes into the editor."""
        number = self.currentIndex()
        if event.key() == Qt.Key.Key_Menu or (
            event.key() == Qt.Key.Key_F10 and event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        ):
            place = self.mapToGlobal(self.tabRect(number).bottomLeft())
            self.menu_wanted.emit(number, place)
        elif event.key() == Qt.Key.Key_Delete:
            self.middle_clicked.emit(number)
        else:
            super().keyPressEvent(event)


class _End(QWidget):
    """What a tab ends in: the cross, and before it the pencil of a sub-agent."""

    edit_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.cross = _Cross(theme)
        self._pencil: IconButton | None = None
        self._is_sub_agent = False
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self._row.addWidget(self.cross)

    def show_kind(self, kind: str) -> bool:
        """Have room for a pencil or not; returns whether that is news."""
        before, self._is_sub_agent = self._is_sub_agent, kind == "subagent"
        if before == self._is_sub_agent:
            return False
        if self._pencil is None:
            self._pencil = self._make_pencil()
        policy = self._pencil.sizePolicy()
        policy.setRetainSizeWhenHidden(self._is_sub_agent)
        self._pencil.setSizePolicy(policy)
        self.show_pencil(shown=True)
        self.adjustSize()
        return True

    def show_pencil(self, *, shown: bool) -> None:
        """Show the pencil of a sub-agent's tab."""
        if self._pencil is not None:
            visible = shown and self._is_sub_agent
            self._pencil.setObjectName("subAgentEdit" if visible else "subAgentEditHidden")
            self._pencil.setVisible(visible)

    def _make_pencil(self) -> IconButton:
        """Make it where it is needed: a tab of each file would have one, and few show it."""
        words = "Edit in the Sub-Agent Builder"
        pencil = IconButton(
            self._theme, "pencil", words, name="subAgentEdit", token="accent2", size=13, kind="tiny"
        )
        pencil.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the tab's keys are those of the bar
        pencil.clicked.connect(self.edit_wanted)
        self._row.insertWidget(0, pencil)
        return pencil


class _Cross(IconButton):
    """Closes a tab; a dot while its text is not saved and the mouse is elsewhere."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "close", "Close", name="tabClose", size=13, kind="tiny")
        self._unsaved = False
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_state(self, title: str, *, unsaved: bool) -> None:
        self._unsaved = unsaved
        self.setAccessibleName(f"Close {title}")
        self.setToolTip(plain_tip(f"Close {title}"))
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._unsaved or self.underMouse():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("warnfill"))
        middle = self.rect().center()
        painter.drawEllipse(QPoint(middle.x() + 1, middle.y() + 1), 4, 4)
