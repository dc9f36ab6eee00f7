"""`SettingsDialog`: every choice of the user, on one sheet over the window."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio_qt.ui.connections import Connections
from studio_qt.ui.desk import Desk
from studio_qt.ui.settings.connection_page import ConnectionPage
from studio_qt.ui.settings.facts import AgentsPage, ModelsPage, TrustPage
from studio_qt.ui.settings.results import ResultsPage
from studio_qt.ui.settings.sections import (
    SECTIONS,
    Growing,
    RowsPage,
    Section,
    SystemLists,
    scrolled,
)
from studio_qt.ui.theme.dressing import hold
from studio_qt.ui.widgets.basics import IconButton, IconView, Separator, label
from studio_qt.ui.widgets.inputs import SearchField
from studio_qt.ui.widgets.sheet import Sheet
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["SettingsDialog"]

_HEIGHT = 760
_EDGE = 48
_SIDE = 224
_SIDE_NARROW = 64
_WIDE = 760
_UNLIMITED = 16_777_215  # Qt's own


class SettingsDialog(Sheet):
    """Pages at the left, their settings at the right; a search looks through all of them.

    A page is made when it is first shown. Open it with `open_on`.
    """

    widest = 1160

    def __init__(self, desk: Desk, connections: Connections, over: QWidget) -> None:
        super().__init__(desk.theme, over, "Settings")
        self._desk, self._connections = desk, connections
        self._lists = SystemLists(desk)
        self._narrow = False
        self._places: dict[str, QWidget] = {}
        self._pages: list[Growing] = []
        self.setObjectName("settingsDialog")
        self.search = SearchField(desk.theme, "Search settings", "settingsSearch")
        self.pages = QListWidget()
        self._stack = QStackedWidget()
        self._results = ResultsPage(desk, self._lists)
        hold(self, self.card, self._stack)
        self._build()
        desk.theme.dress(self)
        self.search.textChanged.connect(self._on_search)
        self.search.down_wanted.connect(self.pages.setFocus)
        self.pages.currentRowChanged.connect(self._on_row)
        self._results.page_wanted.connect(self.show_page)

    @property
    def settled(self) -> bool:
        """Whether every page that was asked for is made as a whole."""
        return all(page.grown for page in self._pages)

    def open_on(self, page: str = "") -> None:
        """Lay the sheet over the window, on a page by its name: "persona"; "" is the last one."""
        self.search.clear()
        self.lay()
        if page or self.pages.currentRow() < 0:
            self.show_page(page or SECTIONS[0].name)
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_page(self, page: str) -> None:
        """Show a page by its name; an unknown one shows the first."""
        names = [section.name for section in SECTIONS]
        row = names.index(page) if page in names else 0
        self.search.clear()
        if self.pages.currentRow() == row:
            self._on_row(row)
        self.pages.setCurrentRow(row)

    def cover(self) -> None:
        """Be as large as the window allows."""
        over = self._over
        self.setGeometry(over.rect())
        width = max(320, min(self.widest, over.width() - _EDGE))
        height = max(240, min(_HEIGHT, over.height() - _EDGE))
        self.card.setFixedWidth(width)
        self._make_room(narrow=width < self._theme.scaled(_WIDE))
        self.card.setGeometry(
            (over.width() - width) // 2, (over.height() - height) // 2, width, height
        )

    def _make_room(self, *, narrow: bool) -> None:
        """Leave the pages their icons where there is little room; the search goes to the head."""
        if narrow == self._narrow:
            return
        self._narrow = narrow
        if narrow:
            self._head.insertWidget(2, self.search, 100)  # the empty end has 1
        else:
            self._side_column.insertWidget(0, self.search)
        self._foot.setVisible(not narrow)
        self._dress()

    # Slots ----------------------------------------------------------------------------------

    def _on_row(self, row: int) -> None:
        if row < 0:
            return
        section = SECTIONS[row]
        if self.search.text():
            self.search.clear()
        if section.name not in self._places:
            page = self._make(section)
            area = scrolled(page, f"settingsScroll_{section.name}")
            self._places[section.name] = area
            self._pages.append(page)
            self._stack.addWidget(area)
            self._desk.theme.dress(area)
            self._desk.tasks.start(page.grow(), name="make settings")
        self._stack.setCurrentWidget(self._places[section.name])

    def _on_search(self, text: str) -> None:
        if text.strip():
            self._results.show_matches(text)
            self._stack.setCurrentWidget(self._found)
        elif self.pages.currentRow() >= 0:
            self._on_row(self.pages.currentRow())

    # Helpers --------------------------------------------------------------------------------

    def _make(self, section: Section) -> Growing:
        desk, connections, lists = self._desk, self._connections, self._lists
        if section.name == "connections":
            page = ConnectionPage(desk, connections, section)
            page.page_wanted.connect(self.show_page)
            return page
        if section.name == "models":
            return ModelsPage(desk, connections, section, lists)
        if section.name == "agents":
            return AgentsPage(desk, section, lists)
        if section.name == "trust":
            return TrustPage(desk, connections, section, lists)
        return RowsPage(desk, section, lists)

    def _build(self) -> None:
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self.column.addWidget(self._build_head())
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self._build_side())
        line = Separator()
        line.setFixedSize(1, _UNLIMITED)
        line.setMinimumHeight(0)
        body.addWidget(line)
        body.addWidget(self._stack, 1)
        self.column.addLayout(body, 1)
        self._found = scrolled(self._results, "settingsScroll_results")
        self._stack.addWidget(self._found)

    def _build_head(self) -> QWidget:
        head = QFrame()
        head.setProperty("role", "sheetHead")
        row = self._head = QHBoxLayout(head)
        row.setContentsMargins(22, 0, 14, 0)
        row.setSpacing(12)
        row.addWidget(IconView(self._desk.theme, "gear", "fg2", 18))
        row.addWidget(label("Settings", "title"))
        row.addStretch(1)
        close = IconButton(self._desk.theme, "close", "Close the settings", name="settingsClose")
        close.clicked.connect(self.reject)
        row.addWidget(close)
        return head

    def _build_side(self) -> QWidget:
        side = self._side = QFrame()
        side.setObjectName("settingsSide")
        self.pages.setObjectName("settingsPages")
        self.pages.setAccessibleName("Pages of the settings")
        self.pages.setSpacing(1)
        self.pages.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for section in SECTIONS:
            item = QListWidgetItem(section.title)
            self.pages.addItem(item)
        self._desk.theme.changed.connect(self._dress)
        self._dress()
        column = self._side_column = QVBoxLayout(side)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(10)
        column.addWidget(self.search)
        column.addWidget(self.pages, 1)
        foot = "Settings are yours alone; no character can change them."
        self._foot = label(foot, "quiet", wrap=True)
        column.addWidget(self._foot)
        return side

    def _dress(self) -> None:
        theme = self._desk.theme
        pixels = theme.scaled(16)
        self._side.setFixedWidth(theme.scaled(_SIDE_NARROW if self._narrow else _SIDE))
        self.pages.setIconSize(QSize(pixels, pixels))
        for place, section in enumerate(SECTIONS):
            item = self.pages.item(place)
            item.setSizeHint(QSize(0, theme.scaled(32)))
            item.setIcon(theme.icon(section.icon, "fg2", pixels))
            item.setText("" if self._narrow else section.title)
            item.setToolTip(plain_tip(section.title if self._narrow else ""))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, section.title)
