"""`StartPage`: go on with a project, begin a new one, take the first steps, choose who answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio_qt.settings import home_folder
from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.recents import Recent, Recents
from studio_qt.ui.start.facts import (
    ProjectFacts,
    TemplateFacts,
    read_project,
    read_templates,
    when_text,
)
from studio_qt.ui.start.newsheet import NewSheet
from studio_qt.ui.start.reflow import Reflow
from studio_qt.ui.start.tiles import GoneTile, Mark, ProjectTile, StepTile, TemplateTile
from studio_qt.ui.theme.dressing import hold
from studio_qt.ui.widgets.basics import give_icon, label, text_button
from studio_qt.ui.widgets.dropveil import DropVeil
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["StartPage"]

_FEW, _MANY = 4, 20
"""Recent projects that are shown at first, and at most; the library has all."""
_WIDEST = 1000
_SIDE_FROM, _SIDE, _SIDE_WIDE = 960, 340, 456
_SAMPLE = "lantern-keeper"
_NOTHING = (
    "Nothing has been opened yet. Begin with the sample, a template, or a folder of your own: you "
    "can also drop it here."
)


class StartPage(QWidget):
    """What stands in the window before a project is open.

    `open_wanted` carries a folder or a zip: from the list, dropped here, or just made.
    `template_wanted` tells which template was chosen; the page itself asks for name and place
    then. `handbook_wanted` carries the name of a page, without `.md`.
    """

    open_wanted = Signal(Path)
    template_wanted = Signal(str)
    folder_wanted = Signal()
    zip_wanted = Signal()
    library_wanted = Signal()
    sample_wanted = Signal()
    handbook_wanted = Signal(str)

    def __init__(
        self, desk: Desk, recents: Recents | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._desk, self._theme = desk, desk.theme
        self.recents = recents or Recents(home_folder(), self)
        self._templates: tuple[TemplateFacts, ...] = ()
        self._facts: dict[Path, ProjectFacts] = {}
        self._tiles: dict[Path, ProjectTile] = {}
        self._all = False
        self._asked = 0
        self._reading = 0
        self._given: QWidget | None = None
        self.setObjectName("startPage")
        self.setAccessibleName("Start")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAcceptDrops(True)
        self._build()
        self._connect()
        self._fill_recent()

    @property
    def settled(self) -> bool:
        """Whether everything that is known is drawn."""
        return self._reading == 0

    def set_side(self, widget: QWidget) -> None:
        """Show a widget at the right, or below where the page is narrow."""
        self._given = widget
        widget.setParent(None)
        self._side_column.insertWidget(0, widget)
        self._arrange()

    def refresh(self) -> None:
        """Read the projects that are listed again."""
        self._asked += 1
        self._reading += 1
        if self._desk.tasks.start(self._read(self._asked), name="start page") is None:
            self._reading -= 1

    def ask_new(self, template: str = "blank") -> None:
        """Ask for name and place of a new character, and make it."""
        self._desk.tasks.start(self._ask_new(template), name="new character sheet")

    # Qt

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        if self.focusWidget() is None:
            next(iter(self._tiles.values()), self._new).setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event) is not None:
            event.acceptProposedAction()
            self._veil.lay()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._veil.hide()
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self._veil.hide()
        place = _dropped(event)
        if place is not None:
            event.acceptProposedAction()
            self.open_wanted.emit(place)

    # Slots

    def _on_recents(self) -> None:
        self._fill_recent()
        if self.isVisible():
            self.refresh()

    def _on_all(self) -> None:
        self._all = not self._all
        self._fill_recent()
        self.refresh()

    # Reading

    async def _read(self, asked: int) -> None:
        """Read templates and projects one after another, and show each when it is known."""
        try:
            if not self._templates:
                self._show_templates(await asyncio.to_thread(read_templates))
            for recent in self._shown():
                facts = await asyncio.to_thread(read_project, recent.path)
                if asked != self._asked:
                    return
                self._show_facts(recent.path, facts)
        finally:
            self._reading -= 1

    async def _ask_new(self, template: str) -> None:
        if not self._templates:
            self._show_templates(await asyncio.to_thread(read_templates))
        if any(sheet.come_up() for sheet in self.window().findChildren(NewSheet)):
            return
        sheet = NewSheet(self._desk, self.window(), self._templates, template)
        sheet.made.connect(self.open_wanted)
        sheet.lay()

    def _show_templates(self, templates: tuple[TemplateFacts, ...]) -> None:
        if self._templates:
            return
        self._templates = templates
        for facts in templates:
            tile = TemplateTile(self._theme, facts)
            tile.clicked.connect(lambda _=False, to=facts.name: self.template_wanted.emit(to))
            self._template_grid.addWidget(tile)
        self._settle()

    def _show_facts(self, place: Path, facts: ProjectFacts) -> None:
        before = self._facts.get(place)
        self._facts[place] = facts
        if before is not None and before.there != facts.there:
            self._fill_recent()  # another kind of tile
        elif place in self._tiles:
            if facts.there:
                self._tiles[place].show_facts(facts)
            else:
                self._fill_recent()

    # Building

    def _build(self) -> None:
        self._main = QWidget()
        self._column = QVBoxLayout(self._main)
        self._column.setSpacing(12)
        hold(self)
        self._scroll = _scroll(self._main, "startScroll", "Start")
        self._recent_grid = Reflow(300, 2)
        self._template_grid = Reflow(176, 5)
        self._step_grid = Reflow(230, 3)
        self._build_head()
        self._build_recent()
        self._section("Start from a template", self._template_grid)
        self._build_steps()
        self._stacked = QVBoxLayout()
        self._column.addLayout(self._stacked)
        self._column.addStretch(1)
        self._side = QFrame()
        self._side.setObjectName("startSide")
        self._side_column = QVBoxLayout(self._side)
        self._side_column.setContentsMargins(24, 24, 24, 24)
        self._side_column.addStretch(1)
        self._side.setVisible(False)
        self._side_scroll = _scroll(QWidget(), "startSideScroll", "Who answers")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._scroll, 1)
        row.addWidget(self._side_scroll)
        self._side_scroll.hide()
        self._veil = DropVeil(self._theme, self, "startVeil", "Drop it here to open it")

    def _build_head(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(Mark(self._theme, "Character Studio", 48, icon="lantern"))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(label("Character Studio", "display"))
        words.addWidget(label("Write a character, give it agents, and play it.", wrap=True))
        head.addLayout(words, 1)
        self._column.addLayout(head)
        buttons = QWidget()
        row = Reflow(128, 3, 8)
        buttons.setLayout(row)
        buttons.setMaximumWidth(560)
        self._new = text_button("New character", "startNew", "primary")
        self._folder = text_button("Open a folder", "startFolder")
        self._zip = text_button("Import a zip or card", "startZip")
        for button, icon, token in (
            (self._new, "plus", "onaccent"),
            (self._folder, "folder", "fg2"),
            (self._zip, "package", "fg2"),
        ):
            give_icon(self._theme, button, icon, token)
            row.addWidget(button)
        self._column.addSpacing(4)
        self._column.addWidget(buttons)

    def _build_recent(self) -> None:
        self._more = text_button("All projects", "startAll", "link")
        self._library = text_button("Library", "startLibrary", "link")
        self._library.setAccessibleDescription("All characters that were opened, to search.")
        links = QWidget()
        row = QHBoxLayout(links)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addWidget(self._more)
        row.addWidget(self._library)
        self._section("Recent", self._recent_grid, links)
        self._none = label(_NOTHING, "second", wrap=True, name="startNone")
        self._column.addWidget(self._none)

    def _build_steps(self) -> None:
        book = self._book = text_button("Handbook", "startHandbook", "link")
        give_icon(self._theme, book, "book", "accent2")
        book.clicked.connect(lambda: self.handbook_wanted.emit("index"))
        self._section("First steps", self._step_grid, book)
        steps = (
            ("stepPlay", "Play the sample", "Ask the Keeper for two dice.", "2 min"),
            ("stepMake", "Make it yours", "Change a line; it plays at once.", "5 min"),
            ("stepSecret", "Give it a secret", "A sub-agent with its own memory.", "10 min"),
        )
        self._steps = [StepTile(step[0], at, *step[1:]) for at, step in enumerate(steps, 1)]
        for tile in self._steps:
            self._step_grid.addWidget(tile)

    def _section(self, title: str, grid: QLayout, side: QWidget | None = None) -> None:
        head = QHBoxLayout()
        head.addWidget(label(title, "section"))
        head.addStretch(1)
        if side is not None:
            head.addWidget(side)
        self._column.addSpacing(14)
        self._column.addLayout(head)
        self._column.addLayout(grid)

    def _connect(self) -> None:
        self.recents.changed.connect(self._on_recents)
        self.template_wanted.connect(self.ask_new)
        self._new.clicked.connect(lambda: self.template_wanted.emit("blank"))
        self._folder.clicked.connect(self.folder_wanted)
        self._zip.clicked.connect(self.zip_wanted)
        self._library.clicked.connect(self.library_wanted)
        self._more.clicked.connect(self._on_all)
        play, make, secret = self._steps
        play.clicked.connect(self.sample_wanted)
        make.clicked.connect(lambda: self.template_wanted.emit(_SAMPLE))
        secret.clicked.connect(lambda: self.handbook_wanted.emit("sub-agents"))
        self._desk.actions.add(
            "newCharacter",
            "&New character…",
            lambda: self.template_wanted.emit("blank"),
            place=Place("File"),
            keys="Ctrl+Shift+N",
        )

    # Helpers

    def _shown(self) -> tuple[Recent, ...]:
        entries = self.recents.entries
        return entries[: _MANY if self._all else _FEW]

    def _fill_recent(self) -> None:
        focused = next((place for place, tile in self._tiles.items() if tile.hasFocus()), None)
        self._recent_grid.clear()
        self._tiles.clear()
        now = datetime.now().astimezone()
        for recent in self._shown():
            facts = self._facts.get(recent.path) or ProjectFacts(recent.path.stem)
            tile: ProjectTile | GoneTile
            if facts.there:
                tile = self._project_tile(recent, facts, when_text(recent.opened, now))
            else:
                tile = GoneTile(self._theme, facts)
            tile.remove_wanted.connect(lambda place=recent.path: self.recents.remove(place))
            self._recent_grid.addWidget(tile)
            tile.show()  # now, so that it can have the focus
        count = len(self.recents.entries)
        self._none.setVisible(count == 0)
        self._more.setVisible(count > _FEW)
        self._more.setText("Fewer" if self._all else "All projects")
        self._none.setText(f"{self.recents.notice} {_NOTHING}".strip())
        self._settle()
        if focused is not None:
            self._tiles.get(focused, self._new).setFocus()

    def _project_tile(self, recent: Recent, facts: ProjectFacts, when: str) -> ProjectTile:
        tile = ProjectTile(self._theme, facts.name, when)
        tile.show_facts(facts)
        tile.setToolTip(plain_tip(str(recent.path)))
        tile.clicked.connect(lambda: self.open_wanted.emit(recent.path))
        self._tiles[recent.path] = tile
        return tile

    def _settle(self) -> None:
        """Let the grids have the height that their new content needs, and Tab go down the page."""
        grids = (self._recent_grid, self._template_grid, self._step_grid)
        for grid in grids:
            grid.invalidate()
        self._column.invalidate()
        recent, templates, steps = (list(_buttons(grid)) for grid in grids)
        head = [self._new, self._folder, self._zip, self._more, self._library]
        for before, after in pairwise([*head, *recent, *templates, self._book, *steps]):
            QWidget.setTabOrder(before, after)

    def _arrange(self) -> None:
        """Give the side its place: a pane at the right, or the end of the page."""
        beside = self.width() >= _SIDE_FROM and self._given is not None
        self._side_scroll.setVisible(beside)
        if beside:
            self._side_scroll.setFixedWidth(_SIDE_WIDE if self.width() >= 1400 else _SIDE)
            if self._side_scroll.widget() is not self._side:
                self._side_scroll.setWidget(self._side)
        elif self._side_scroll.widget() is self._side:
            self._stacked.addWidget(self._side_scroll.takeWidget())
        elif self._stacked.count() == 0:
            self._stacked.addWidget(self._side)
        self._side.setVisible(self._given is not None)
        room = self.width() - (self._side_scroll.width() if beside else 0)
        edge = 72 if room > 1100 else 48 if room > 800 else 28
        right = max(edge, room - edge - _WIDEST - 16)
        self._column.setContentsMargins(edge, max(28, edge - 16), right, 32)


def _dropped(event: QDropEvent) -> Path | None:
    """Return the folder or zip that is being dropped, None for anything else."""
    urls = event.mimeData().urls()
    for url in urls:
        place = Path(url.toLocalFile()) if url.isLocalFile() else None
        if place is not None and (place.is_dir() or place.suffix.lower() == ".zip"):
            return place
    return None


def _buttons(grid: Reflow) -> Iterator[QAbstractButton]:
    """Yield what can be pressed in a grid, in its order."""
    for at in range(grid.count()):
        item = grid.itemAt(at)
        widget = item.widget() if item is not None else None
        if isinstance(widget, QAbstractButton):
            yield widget
        elif widget is not None:
            yield from widget.findChildren(QAbstractButton)


def _scroll(inside: QWidget, name: str, accessible: str) -> QScrollArea:
    area = QScrollArea()
    area.setObjectName(name)
    area.setAccessibleName(accessible)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    return area
