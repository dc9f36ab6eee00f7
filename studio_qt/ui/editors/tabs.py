"""`EditorTabs`: the row of tabs, each with its kind, its name, and a cross or a dot."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar, QTabWidget, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton
from studio_qt.ui.widgets.filekinds import icon_of
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["EditorTabs"]


class EditorTabs(QTabWidget):
    """`menu_wanted` carries a tab's number and a place on the screen."""

    menu_wanted = Signal(int, QPoint)

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
        theme.changed.connect(self._dress)

    def add(self, page: QWidget, path: str) -> int:
        """Add a tab after the current one and return its number."""
        icon, token = icon_of(path)
        title = path.rpartition("/")[2]
        number = self.insertTab(
            self.currentIndex() + 1, page, self._theme.icon(icon, token, 16), doubled(title)
        )
        cross = _Cross(self._theme)
        cross.clicked.connect(lambda: self.tabCloseRequested.emit(self.indexOf(page)))
        self.tabBar().setTabButton(number, QTabBar.ButtonPosition.RightSide, cross)
        self.show_tab(number, path, title, unsaved=False)
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
        cross = self.tabBar().tabButton(number, QTabBar.ButtonPosition.RightSide)
        if isinstance(cross, _Cross):
            cross.show_state(title, unsaved=unsaved)

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
