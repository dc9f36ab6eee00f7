"""`Palette`: go anywhere and do anything by typing a few letters of its name."""

from __future__ import annotations

import asyncio
import re
import time
from itertools import islice

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from studio_qt.settings import home_folder
from studio_qt.ui.actions import Place, keys_text, plain_title
from studio_qt.ui.desk import Desk
from studio_qt.ui.palette.entries import (
    COMMANDS,
    KINDS,
    Entry,
    Found,
    Lately,
    Source,
    best,
    find,
    pools,
    taken,
)
from studio_qt.ui.palette.matching import Match
from studio_qt.ui.palette.rows import ROW, Head, Row, RowPainter, Rows
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, IconView, Separator, label
from studio_qt.ui.widgets.keyhints import KeyHints
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["Entry", "Palette", "PaletteField"]

_MOST = 200
_AT_ONCE = 400
"""Entries that are looked through in one go; more of them in slices, so that keys get through."""
_SLICE, _STEP = 0.004, 100
_LINE = re.compile(r":\s*(\d{1,9})\s*(?:[:,]\s*(\d{1,6}))?\s*")
_LATELY, _OF_A_KIND = 6, 50
_NOTHING = "There is nothing to choose here"
_NO_SOURCE = "Open a character to go to its files, agents and conversations"


class Palette(Sheet):
    """A field and what fits it. Commands are the window's actions; all else comes from sources.

    Adds its own actions. `line_wanted` carries a line and a column, both from 1.
    """

    line_wanted = Signal(int, int)
    widest = 680

    def __init__(self, desk: Desk, over: QWidget) -> None:
        super().__init__(desk.theme, over, "Go to a file, an agent or a command")
        self._desk = desk
        self._sources: dict[str, Source] = {COMMANDS: self._commands}
        self._entries: list[tuple[str, Entry]] = []
        self._lately: Lately | None = None
        self._asked = 0
        self._searching = False
        self._run_best = False
        self.setObjectName("palette")
        self.input = QLineEdit()
        self._rows = Rows(self)
        self._list = QListView()
        self._painter = RowPainter(desk.theme, self._list)
        self._build()
        place = Place("View")
        add = desk.actions.add
        self._go = add("goTo", "&Go to…", self.open_everything, place=place, keys="Ctrl+P")
        add("palette", "&Command palette…", self.open_commands, place=place, keys="Ctrl+Shift+P")

    @property
    def keys(self) -> str:
        """The keys that open it, as this system writes them."""
        return keys_text(self._go)

    def set_source(self, kind: str, source: Source) -> None:
        """Take entries of a kind (see `KINDS`) from a function that is asked at each opening.

        It is asked on the window's thread, so it returns what is known already. Raises ValueError
        for an unknown kind.
        """
        if kind not in KINDS:
            raise ValueError(f"The palette has no {kind!r}; take one of {', '.join(KINDS)}.")
        self._sources[kind] = source

    def open_everything(self) -> None:
        """Open on files, agents, tools, commands and conversations."""
        self.open_with("")

    def open_commands(self) -> None:
        """Open on the window's commands."""
        self.open_with(">")

    def open_with(self, text: str) -> None:
        """Open with a text in the field: `>` for commands, `@` for the character's, `:` a line."""
        if self._lately is None:
            self._lately = Lately(home_folder(), self)
        self._entries = [
            (kind, entry)
            for kind in KINDS
            for entry in (self._sources[kind]() if kind in self._sources else ())
        ]
        self.input.setText(text)
        self._fill()
        self.lay()
        self.input.setFocus(Qt.FocusReason.PopupFocusReason)

    def flush(self) -> None:
        """Wait until what was chosen lately is written."""
        if self._lately is not None:
            self._lately.flush()

    def cover(self) -> None:
        """Stand near the top of the window, where the field is."""
        rows = max(self._rows.height(), ROW) + 2
        room = self._over.height() - 220
        self._list.setFixedHeight(max(ROW + 2, min(rows, room, ROW * 11)))
        super().cover()
        self.card.move(self.card.x(), max(8, min(48, self.card.y())))

    def reject(self) -> None:
        """Close, and look for nothing any more."""
        self._asked += 1
        super().reject()

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.input and event.type() == QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            return self._on_key(event)
        return super().eventFilter(watched, event)

    # Slots

    def _on_key(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_Escape:
                self.reject()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._take()
            case Qt.Key.Key_Down | Qt.Key.Key_Tab:
                self._step(1)
            case Qt.Key.Key_Up | Qt.Key.Key_Backtab:
                self._step(-1)
            case Qt.Key.Key_PageDown:
                self._step(8, around=False)
            case Qt.Key.Key_PageUp:
                self._step(-8, around=False)
            case _:
                return False
        return True

    def _take(self) -> None:
        """Do what the chosen row says; while the search runs, as soon as it has ended."""
        if self._searching:
            self._run_best = True
            return
        row = self._rows.row(self._list.currentIndex().row())
        if not isinstance(row, Found):
            return
        self.reject()
        if self._lately is not None and not row.entry.text.startswith("Go to line "):
            self._lately.note(row.name)
        row.entry.run()

    def _step(self, by: int, *, around: bool = True) -> None:
        choices = self._rows.choices()
        if not choices:
            return
        now = self._list.currentIndex().row()
        at = choices.index(now) + by if now in choices else 0
        at = at % len(choices) if around else max(0, min(at, len(choices) - 1))
        self._choose(choices[at])

    def _fill(self) -> None:
        self._asked += 1
        self._run_best = False
        text = self.input.text()
        if text.startswith(":"):
            self._show([self._line_row(text)])
            return
        kinds, query = pools(text)
        pool = [(kind, entry) for kind, entry in self._entries if kind in kinds]
        if not query:
            self._show(self._browsed(pool))
            return
        self._searching = len(pool) > _AT_ONCE
        if self._searching:
            self._desk.tasks.start(self._search(self._asked, query, pool), name="palette")
        else:
            self._show(self._listed(query, best(find(query, pool), _MOST, self._names())))

    async def _search(self, asked: int, query: str, pool: list[tuple[str, Entry]]) -> None:
        """Look through a long list in slices; a later question ends it."""
        lately, found = self._names(), list[Found]()
        begun = time.perf_counter()
        for at in range(0, len(pool), _STEP):
            more = list(find(query, pool[at : at + _STEP]))
            found = best([*found, *more], _MOST, lately) if more else found
            if time.perf_counter() - begun > _SLICE:
                await asyncio.sleep(0)
                begun = time.perf_counter()
            if asked != self._asked:
                return
        self._show(self._listed(query, found))
        if self._run_best:
            self._run_best = False
            self._take()

    # Helpers

    def _names(self) -> list[str]:
        return self._lately.names if self._lately is not None else []

    def _commands(self) -> list[Entry]:
        ours = ("goTo", "palette")
        return [
            Entry(
                plain_title(action),
                self._desk.actions.place(action).menu,
                "terminal",
                action.trigger,
                keys_text(action).partition(", ")[0],
            )
            for action in self._desk.actions.all()
            if action.isEnabled() and action.isVisible() and action.objectName() not in ours
        ]

    def _line_row(self, text: str) -> Row:
        found = _LINE.fullmatch(text)
        if found is None or int(found[1]) < 1:
            return Head("Write the number of a line, and a column if you like: 120:8")
        line, column = int(found[1]), max(1, int(found[2] or 1))
        words = f"Go to line {line}" + (f", column {column}" if found[2] else "")
        entry = Entry(
            words, "in the open file", "goto", lambda: self.line_wanted.emit(line, column)
        )
        return Found("files", entry, Match(0))

    def _listed(self, query: str, found: list[Found]) -> list[Row]:
        """Return the rows for a query."""
        self._painter.tell_kinds = True
        return [*found] if found else [Head(f"Nothing fits “{query}”")]

    def _browsed(self, pool: list[tuple[str, Entry]]) -> list[Row]:
        """Return the rows without a query: what was taken lately, then the first of each kind."""
        self._painter.tell_kinds = False
        lately = taken(pool, self._names(), _LATELY)
        rows: list[Row] = [Head("Lately"), *lately] if lately else []
        shown = {id(one.entry) for one in lately}
        for kind, head in KINDS.items():
            entries = (entry for its, entry in pool if its == kind and id(entry) not in shown)
            few = [Found(kind, entry, Match(0)) for entry in islice(entries, _OF_A_KIND)]
            rows += [Head(head), *few] if few else []
        return rows or [Head(_NO_SOURCE if len(self._sources) == 1 else _NOTHING)]

    def _show(self, rows: list[Row]) -> None:
        self._searching = False
        self._rows.show_rows(rows)
        choices = self._rows.choices()
        self._choose(choices[0] if choices else -1)
        self._list.scrollToTop()
        if self.is_open:
            self.cover()

    def _choose(self, at: int) -> None:
        self._list.setCurrentIndex(self._rows.index(at) if at >= 0 else QModelIndex())
        row = self._rows.row(at)
        if isinstance(row, Found):
            self.input.setAccessibleDescription(row.entry.text)

    def _build(self) -> None:
        self.column.setSpacing(8)
        self.input.setObjectName("paletteInput")
        self.input.setAccessibleName("Go to a file, an agent or a command")
        self.input.setPlaceholderText("Go to a file, an agent or a command")
        self.input.textChanged.connect(self._fill)
        self.input.installEventFilter(self)
        self._list.setObjectName("paletteList")
        self._list.setProperty("ledBy", "paletteInput")
        self._list.setAccessibleName("What fits")
        self._list.setModel(self._rows)
        self._list.setItemDelegate(self._painter)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setMouseTracking(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.clicked.connect(lambda _index: self._take())
        self.column.addWidget(self.input)
        self.column.addWidget(self._list)
        self.column.addWidget(Separator())
        self.column.addWidget(_foot())


class PaletteField(QPushButton):
    """Stands in the top bar like a field; pressing it opens the palette."""

    def __init__(self, theme: Theme, palette: Palette, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("paletteField")
        self.setProperty("kind", "jump")
        self.setAccessibleName("Go to a file, an agent or a command")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaximumWidth(400)
        self.setMinimumWidth(120)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 10, 0)
        row.setSpacing(9)
        words = ElidedLabel("Go to a file, an agent or a command", "second")
        keys = label(palette.keys, "mono")
        for part in (IconView(theme, "search", "fg3", 14), words, keys):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            row.addWidget(part)
        row.setStretchFactor(words, 1)
        self.clicked.connect(palette.open_everything)

    def sizeHint(self) -> QSize:
        return QSize(400, 28)


def _foot() -> KeyHints:
    return KeyHints(
        (("↑↓", "choose"), ("Enter", "goes there"), ("Esc", "closes")),
        ((">", "commands"), ("@", "of the character"), (":", "line")),
    )
