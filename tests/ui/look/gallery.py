"""A page with every kind of control in every state, to be looked at and to be walked over."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGroupBox,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QRadioButton,
    QSlider,
    QSplitter,
    QTabBar,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bars import EmptyState, Meter, NoticeBar, SectionTitle
from studio_qt.ui.widgets.basics import Avatar, IconButton, Separator, give_icon, label, text_button
from studio_qt.ui.widgets.inputs import (
    Card,
    DecimalField,
    FormRow,
    NumberField,
    Pill,
    SearchField,
    Segments,
)

__all__ = ["Gallery"]

_KINDS = ("plain", "primary", "warn", "danger", "quiet", "link", "float", "fold", "jump")


class Gallery(QWidget):
    """Every control of the sheet; as wide as a window, in four columns."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("gallery")
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowTitle("Gallery")
        self.setMinimumSize(600, 400)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for tone, text in (
            ("warn", "marcus overrides model and history in config.json."),
            ("err", "keeper.omens.py does not load; the one before keeps running."),
            ("info", "Another program changed intro.txt."),
            ("ok", "The zip was read back and played."),
        ):
            bar = NoticeBar(theme)
            column.addWidget(bar)
            bar.show_notice(text, tone=tone, action="Show the entry", link="Later")
        column.addWidget(self._editor_tabs())
        columns = QHBoxLayout()
        columns.setContentsMargins(20, 16, 20, 16)
        columns.setSpacing(24)
        for make in (self._buttons, self._fields, self._choices, self._views):
            columns.addLayout(make(), 1)
        column.addLayout(columns, 1)

    def _editor_tabs(self) -> QTabBar:
        tabs = QTabBar()
        tabs.setObjectName("editorTabs")
        tabs.setAccessibleName("Open files")
        tabs.setTabsClosable(True)
        tabs.setExpanding(False)
        for icon, token, name in (
            ("file-text", "key", "instructions.txt"),
            ("sub-agent", "accent2", "marcus.subagent.md"),
            ("code", "quote", "keeper.omens.py"),
        ):
            tabs.addTab(self._theme.icon(icon, token, 16), name)
        tabs.setCurrentIndex(1)
        return tabs

    def _buttons(self) -> QVBoxLayout:
        column = _column()
        column.addWidget(SectionTitle("Buttons"))
        for kind in _KINDS:
            row = QHBoxLayout()
            button = text_button(kind.capitalize(), f"{kind}Button", kind)
            off = text_button(f"No {kind}", f"{kind}Off", kind)
            off.setEnabled(False)
            row.addWidget(button)
            row.addWidget(off)
            row.addStretch(1)
            column.addLayout(row)
        play = text_button("Test the connection", "testButton")
        give_icon(self._theme, play, "play")
        go = text_button("Set default", "goButton", "primary")
        give_icon(self._theme, go, "check", "onaccent")
        row = QHBoxLayout()
        row.addWidget(play)
        row.addWidget(go)
        row.addStretch(1)
        column.addLayout(row)
        row = QHBoxLayout()
        row.addWidget(IconButton(self._theme, "refresh", "Look again", name="iconButton"))
        row.addWidget(
            IconButton(self._theme, "close", "Close", name="tinyButton", size=13, kind="tiny")
        )
        rail = IconButton(self._theme, "folder", "Project", name="rail1", size=20, kind="rail")
        rail.setCheckable(True)
        rail.setChecked(True)
        row.addWidget(rail)
        row.addWidget(
            IconButton(self._theme, "search", "Search", name="rail2", size=20, kind="rail")
        )
        row.addWidget(
            IconButton(self._theme, "send", "Send", name="send", token="onaccent", kind="send")
        )
        pick = QToolButton()
        pick.setObjectName("pick")
        pick.setText("qwen3-32b")
        pick.setProperty("kind", "pick")
        pick.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(pick)
        menu.addAction("qwen3-4b")
        pick.setMenu(menu)
        row.addWidget(pick)
        row.addStretch(1)
        column.addLayout(row)
        column.addWidget(SectionTitle("Cards"))
        card = Card("card", "The Orchard Judge")
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(Avatar("Orchard", size=40))
        card.column.addLayout(head)
        card.add(label("The Orchard Judge", "name"))
        card.add(
            label(
                "Settles quarrels between neighbours and remembers every verdict.",
                "second",
                wrap=True,
            )
        )
        column.addWidget(card)
        taken = Card("takenCard", "Rehearsal", checkable=True)
        taken.add(label("Rehearsal", "name"))
        taken.add(label("Built in, works at once, costs nothing", "second"))
        taken.setChecked(True)
        column.addWidget(taken)
        row = QHBoxLayout()
        for tone in ("accent", "quiet", "ok", "warn", "err", "info"):
            row.addWidget(Pill(tone, tone))
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(1)
        return column

    def _fields(self) -> QVBoxLayout:
        column = _column()
        column.addWidget(SectionTitle("Fields"))
        column.addWidget(SearchField(self._theme, "Filter files", "search"))
        full = SearchField(self._theme, "Search settings", "searchFull")
        full.setText("model")
        column.addWidget(full)
        for state, text, sentence in (
            ("", "http://127.0.0.1:1234/v1", ""),
            ("error", "9,000", "9,000 is over 8,192, the most an answer may have."),
            ("warn", "31", "This is large and sent whole with each call."),
            ("locked", "marcus", "The name is locked while editing."),
        ):
            field = QLineEdit(text)
            field.setObjectName(f"field{state}")
            row = FormRow(self._theme, f"State {state or 'plain'}", field, "a hint")
            field.setReadOnly(state == "locked")
            row.show_state(state, sentence)
            column.addWidget(row)
        off = QLineEdit("disabled")
        off.setObjectName("fieldOff")
        off.setAccessibleName("Disabled field")
        off.setEnabled(False)
        column.addWidget(off)
        area = QPlainTextEdit("Marcus Vane, harbour pilot of Graypoint.\nCall him whenever.")
        area.setProperty("kind", "field")
        area.setObjectName("area")
        area.setFixedHeight(72)
        column.addWidget(FormRow(self._theme, "Description", area))
        column.addWidget(SectionTitle("Meters"))
        for share, words in ((0.27, "8.6k of 32k"), (0.94, "23.2k of 24.6k"), (1.2, "39k of 32k")):
            meter = Meter(self._theme, "Context", "meter")
            meter.show_value(share, words)
            column.addWidget(meter)
        bar = QProgressBar()
        bar.setValue(60)
        bar.setTextVisible(False)
        column.addWidget(bar)
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setObjectName("slider")
        slider.setAccessibleName("Temperature")
        slider.setValue(40)
        column.addWidget(slider)
        column.addStretch(1)
        return column

    def _choices(self) -> QVBoxLayout:
        column = _column()
        column.addWidget(SectionTitle("Choices"))
        combo = QComboBox()
        combo.setObjectName("combo")
        combo.addItems(["qwen3-32b", "qwen3-4b", "Rehearsal"])
        column.addWidget(FormRow(self._theme, "Main model", combo, "32,768 tokens"))
        loose = QComboBox()
        loose.setEditable(True)
        loose.addItems(["editable"])
        loose.setObjectName("loose")
        loose.setAccessibleName("Editable")
        column.addWidget(loose)
        off = QComboBox()
        off.setObjectName("comboOff")
        off.setAccessibleName("Disabled choice")
        off.addItem("disabled")
        off.setEnabled(False)
        column.addWidget(off)
        row = QHBoxLayout()
        spin = NumberField("spin", "Rounds", 1, 10)
        spin.setValue(10)
        double = DecimalField("double", "Top P", 0.0, 1.0)
        double.setValue(0.9)
        dead = NumberField("dead", "Off", 0, 1)
        dead.setEnabled(False)
        for each in (spin, double, dead):
            row.addWidget(each)
        column.addLayout(row)
        for kind in (QCheckBox, QRadioButton):
            for text, on, able in (
                ("taken", True, True),
                ("not taken", False, True),
                ("off, taken", True, False),
                ("off", False, False),
            ):
                box = kind(text)
                box.setObjectName(f"{kind.__name__}{text}")
                box.setAutoExclusive(False)
                box.setChecked(on)
                box.setEnabled(able)
                column.addWidget(box)
        part = QCheckBox("some of them")
        part.setObjectName("partly")
        part.setTristate(True)
        part.setCheckState(Qt.CheckState.PartiallyChecked)
        column.addWidget(part)
        parts = [("tree", "Tree"), ("raw", "Raw text"), ("card", "Card V3")]
        row = QHBoxLayout()
        row.addWidget(Segments(parts, "form", "Form"))
        row.addStretch(1)
        column.addLayout(row)
        group = QGroupBox("A group")
        inside = QVBoxLayout(group)
        inside.addWidget(label("What belongs together", "second"))
        column.addWidget(group)
        column.addWidget(
            EmptyState(
                self._theme,
                "search",
                "Nothing was found",
                "Try fewer letters, or search in all files.",
                "Search in files",
                name="empty",
            )
        )
        column.addStretch(1)
        return column

    def _views(self) -> QVBoxLayout:
        column = _column()
        column.addWidget(SectionTitle("Views"))
        split = QSplitter(Qt.Orientation.Horizontal)
        tree = QTreeWidget()
        tree.setObjectName("tree")
        tree.setAccessibleName("Files")
        tree.setHeaderHidden(True)
        tree.ensurePolished()
        for group in ("Character", "Context"):
            top = QTreeWidgetItem([group])
            tree.addTopLevelItem(top)
            for name in ("config.json", "intro.txt", "a-very-long-name.subagent.md"):
                child = QTreeWidgetItem([name])
                child.setIcon(0, self._theme.icon("file-text", "key", 15))
                child.setToolTip(0, name)
                top.addChild(child)
            top.setExpanded(group == "Character")
        tree.setCurrentItem(tree.topLevelItem(0).child(1))
        lines = QListWidget()
        lines.setObjectName("lines")
        lines.setAccessibleName("Lines")
        lines.ensurePolished()
        lines.addItems(["Storm night", "First visit", "Rope refused"])
        lines.setCurrentRow(0)
        split.addWidget(tree)
        split.addWidget(lines)
        split.setFixedHeight(190)
        column.addWidget(split)
        column.addWidget(Separator())
        table = QTableWidget(4, 3)
        table.setObjectName("table")
        table.setAccessibleName("Profile")
        table.setHorizontalHeaderLabels(["What it takes", "Now", "Known from"])
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(30)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)  # else Tab never leaves the table
        table.setAlternatingRowColors(True)
        table.horizontalHeader().setStretchLastSection(True)
        for row in range(4):
            for place, text in enumerate(("System messages", "one", "refused once")):
                table.setItem(row, place, QTableWidgetItem(text))
        table.setColumnWidth(0, 140)
        table.setCurrentCell(1, 0)
        table.setFixedHeight(160)
        column.addWidget(table)
        tabs = QTabWidget()
        tabs.setObjectName("bottomTabs")
        tabs.setAccessibleName("Panels")
        for name in ("Problems 2", "Agent Log", "Prompt", "Stores"):
            page = QWidget()
            QVBoxLayout(page).addWidget(label(f"{name} stand here.", "second"))
            tabs.addTab(page, name)
        tabs.setCurrentIndex(1)
        tabs.setFixedHeight(110)
        column.addWidget(tabs)
        for role in (
            "title",
            "name",
            "second",
            "quiet",
            "caps",
            "ok",
            "warn",
            "err",
            "info",
            "mono",
        ):
            column.addWidget(label(f"A label: {role}", role))
        column.addStretch(1)
        return column


def _column() -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(8)
    return column
