"""`ChatView`: the rows of a conversation of any length; only those in sight are widgets."""

from __future__ import annotations

from time import perf_counter

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QPushButton, QWidget

from studio_qt.ui.chat.cells import Cell
from studio_qt.ui.chat.composer import WIDEST
from studio_qt.ui.chat.facts import CallFacts
from studio_qt.ui.chat.heights import Heights
from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.pool import CellPool
from studio_qt.ui.theme.dressing import hold, wear
from studio_qt.ui.theme.theme import Theme

__all__ = ["ChatView"]

_SIDE = 20
_ABOVE, _BELOW = 16, 20
_MARGIN = 240
"""Pixels above and below the visible part that are built as well."""

_SLICE_SECONDS = 0.006
"""What one turn of the loop takes for rows that come into sight, but for one that is begun."""

_REST_MS, _AGAIN_MS = 150, 30
"""Milliseconds without a change after which a cell is made for a row that may come, and another."""

_NEAR = 12
"""Pixels from the end within which new text keeps the view at the end."""

_FAR = 100_000
_AROUND = (-8, -4, 8, 4)
"""Pixels by which the mark of a chosen message stands out."""


class ChatView(QAbstractScrollArea):
    """A scrolled column of cells. It stays at the end as long as the reader is there.

    Heights are guesses until a row comes into sight; when a guess was wrong, what is in sight
    stays where it is. Rows for which a turn of the loop has no time come in the next ones, those
    out of sight last; until all in sight are there, the picture stays as it was. A cell that has
    the focus, a selection or an edit is never given to another row.
    """

    retry_wanted = Signal()
    link_wanted = Signal(QUrl)
    deed_wanted = Signal(str, int)
    edit_saved = Signal(object, list, bool)
    edit_left = Signal(object, list)
    key_pressed = Signal(object)  # a QKeyEvent, to be accepted
    keys_came = Signal()  # the focus, by Tab
    laid = Signal()  # cells stand somewhere else

    def __init__(self, theme: Theme, model: ChatModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model
        self._name = ""
        self._heights = Heights()
        self._cells: dict[int, Cell] = {}
        self._pinned = False
        self._anchor = (0, 0)
        self._width = 0
        self._laying = self._unmade = self._unseen = False
        self._made, self._deadline = 0, 0.0
        self._last: int | None = None
        self._broken: int | None = None
        self._build()
        self._pool = CellPool(theme, self.viewport(), self._adopt)
        model.spliced.connect(self._on_spliced)
        model.touched.connect(self._on_touched)
        model.flushed.connect(self._on_flushed)
        model.replaced.connect(self.reset)

    def _build(self) -> None:
        self.setObjectName("chatView")
        self.setAccessibleName("Conversation")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        # Python takes a viewport that Qt made for gone as soon as a window around it begins to go.
        self.setViewport(QWidget())
        self.viewport().setObjectName("transcript")
        self.viewport().setAutoFillBackground(False)
        hold(self, self.viewport())
        self.verticalScrollBar().setSingleStep(24)
        self.verticalScrollBar().setAccessibleName("Scroll the conversation")
        self._jump = QPushButton("Jump to latest", self)
        self._jump.setObjectName("chatJump")
        bars = self.findChildren(QWidget, "qt_scrollarea_vcontainer")
        wear("base", "buttons", widgets=[self._jump, *bars])
        self._jump.setAccessibleName("Jump to the latest message")
        self._jump.setProperty("kind", "float")
        self._jump.setCursor(Qt.CursorShape.PointingHandCursor)
        self._jump.hide()
        self._jump.clicked.connect(self.go_to_end)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self.lay)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.timeout.connect(self._make_spare)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._theme.changed.connect(self._on_theme)
        self._dress()

    # What it shows

    @property
    def model(self) -> ChatModel:
        """The rows that it shows."""
        return self._model

    @property
    def settled(self) -> bool:
        """Whether every row in sight, or nearly, has its cell and its place."""
        return not self._later.isActive()

    @property
    def at_end(self) -> bool:
        """Whether new text keeps the view at the end."""
        return self._pinned

    @property
    def cells(self) -> list[Cell]:
        """The cells that are there, from top to bottom."""
        return [self._cells[row] for row in sorted(self._cells)]

    @property
    def name(self) -> str:
        """The character's name."""
        return self._name

    def items(self) -> list[tuple[int, Cell]]:
        """Return the rows that have a cell, with it."""
        return list(self._cells.items())

    def rows_in_sight(self, foot: int) -> list[int]:
        """Return the rows that are wholly above `foot` in the viewport, or begin there."""
        seen = [row for row, cell in self._cells.items() if 0 <= cell.y() < foot]
        return sorted(row for row in seen if self._cells[row].geometry().bottom() <= foot) or (
            sorted(seen)
        )

    def row_under(self, spot: QPoint) -> int | None:
        """Return the row at a place of the view."""
        return next(
            (row for row, cell in self._cells.items() if cell.geometry().contains(spot)), None
        )

    def cell(self, row: int) -> Cell | None:
        """Return the cell of a row, None where it has none."""
        return self._cells.get(row)

    def row_of(self, cell: QWidget) -> int | None:
        """Return the row of a cell."""
        return next((row for row, one in self._cells.items() if one is cell), None)

    def toPlainText(self) -> str:
        """Return the whole transcript as a reader sees it, also what is out of sight."""
        texts = (self._pool.text(row, self._name) for row in self._model.texts())
        return "\n\n".join(text for text in texts if text)

    def set_name(self, name: str) -> None:
        """Say who is played; only before rows of another conversation come."""
        self._name = name
        self._pool.set_name(name)

    def set_facts(self, facts: CallFacts) -> None:
        """Say where more is known of tool calls; before the first rows come."""
        self._pool.facts = facts

    def set_face(self, face: str, larger: int) -> None:
        """Show texts in another face, "" for that of the interface, so many pixels `larger`."""
        self._pool.set_face(face, larger)
        for cell in self._cells.values():
            cell.set_face(face, larger)
        self.place_later()

    def set_picture(self, picture: object) -> None:
        """Show a picture (QPixmap), or None, in the place of initials."""
        self._pool.set_picture(picture)
        for cell in self._cells.values():
            cell.set_picture(picture)

    def reset(self) -> None:
        """Show other rows, from their end."""
        for cell in self._cells.values():
            self._pool.give(cell)
        self._cells = {}
        self._pool.forget_folds()
        self._heights = Heights(self._guesses())
        self._pinned = self._model.slot_count > 0
        self._anchor = (0, 0)
        self.lay()

    def go_to_end(self) -> None:
        """Show the end, and stay there."""
        self._pinned = True
        self.lay()

    def show_row(self, row: int, *, top: bool = False) -> None:
        """Scroll as far as needed to see a row; with `top`, to its beginning."""
        if not 0 <= row < len(self._heights):
            return
        height, view = self._heights[row], self.viewport().height()
        place = _ABOVE + self._heights.before(row) - self.verticalScrollBar().value()
        if row in self._cells and place >= 0 and place + height <= view and not top:
            return
        self._pinned = False
        above = place < 0 or top or height > view
        self._anchor = (row, -8 if above else height - view + _BELOW)
        self.lay()
        if not above:  # now that its height is known
            self._anchor = (row, self._heights[row] - view + _BELOW)
            self.lay()

    def place_later(self) -> None:
        """Lay the cells again when this event is over."""
        if not self._later.isActive():
            self._later.start(0)

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()
        self.key_pressed.emit(event)
        if event.isAccepted():
            return
        bar = self.verticalScrollBar()
        match event.key():
            case Qt.Key.Key_Home:
                bar.setValue(0)
            case Qt.Key.Key_End:
                self.go_to_end()
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.keys_came.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the marks around chosen messages, below the cells."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for cell in self._cells.values():
            if not cell.chosen or cell.is_editing:
                continue
            many = cell.chosen == "many"
            painter.setPen(Qt.PenStyle.NoPen if many else QPen(self._theme.colour("ring"), 2))
            painter.setBrush(self._theme.colour("sel") if many else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(cell.geometry()).adjusted(*_AROUND), 8, 8)
        painter.end()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """Nothing: the cells are laid anew, and paint what is new of them."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FontChange:
            self._width = 0
        return super().event(event)

    # Laying

    def lay(self, *, near: bool = True) -> None:
        """Give every row in sight its cell and its place; what is in sight stays where it is.

        What there is no time for follows by itself, without `near` all rows out of sight.
        """
        if self._laying:
            return
        self._laying = True
        self._later.stop()
        self._unmade = self._unseen = False
        self._made, self._deadline = int(not near), perf_counter() + _SLICE_SECONDS
        self._fit_width()
        self._let_go()
        self._last, self._broken = self._model.last_reply_at(), self._model.unfinished_at()
        places = self._fill()
        self._put(places)
        if self._unmade:
            self._pool.put_aside(-_FAR)
        else:
            self._pool.hide_rest()
        bar, view = self.verticalScrollBar(), self.viewport().height()
        total = _ABOVE + self._heights.total + _BELOW
        bar.setPageStep(view)
        bar.setRange(0, max(0, total - view))
        if places and not bar.isSliderDown():
            first = min(places)
            bar.setValue(_ABOVE + self._heights.before(first) - places[first])
        self._pinned = self._pinned or bar.maximum() == 0
        self._laying = False
        self._show_jump()
        if self.viewport().updatesEnabled() is self._unseen:
            self.viewport().setUpdatesEnabled(not self._unseen)
        if self._unmade:
            self.place_later()
        else:
            self._rest.start(_REST_MS)
        self.laid.emit()

    def _make_spare(self) -> None:
        """Make one cell for a row that may come, as long as the conversation rests."""
        if self.isVisible() and len(self._heights) and self._pool.make_spare():
            self._rest.start(_AGAIN_MS)

    def _fill(self) -> dict[int, int]:
        """Measure the rows in sight; returns the top of each, in pixels of the viewport."""
        count, view = len(self._heights), self.viewport().height()
        if not count:
            return {}
        places: dict[int, int] = {}
        if self._pinned:
            row, top = count, view - _BELOW
        else:
            row = min(self._anchor[0], count - 1)
            top = -self._anchor[1]
            self._measure(row, seen=True)  # first: somebody wants to see it
        high, bottom = (count, view - _BELOW) if self._pinned else self._down(row, top, places)
        low, low_top = self._upwards(row, top, places)
        if not self._pinned and high == count and bottom < view - _BELOW:
            shift = view - _BELOW - bottom  # the end does not stand above the view's foot
            places = {at: place + shift for at, place in places.items()}
            low, low_top = self._upwards(low, low_top + shift, places)
        if low == 0 and low_top > _ABOVE:
            places = {at: place + _ABOVE - low_top for at, place in places.items()}
            last = max(places)
            self._down(last + 1, places[last] + self._heights[last], places)
        if not self._unseen:
            self._remember(places)
        return places

    def _upwards(self, row: int, top: int, places: dict[int, int]) -> tuple[int, int]:
        """Measure rows above `row`, whose top is `top`; returns the last one and its top."""
        while row > 0 and top > -_MARGIN:
            row -= 1
            top -= self._measure(row, seen=top > 0)
            places[row] = top
        return row, top

    def _down(self, row: int, top: int, places: dict[int, int]) -> tuple[int, int]:
        """Measure rows from `row` on; returns the row after them and its top."""
        view = self.viewport().height()
        while row < len(self._heights) and top < view + _MARGIN:
            places[row] = top
            top += self._measure(row, seen=top < view)
            row += 1
        return row, top

    def _measure(self, row: int, *, seen: bool) -> int:
        """Return the height of a row; a guess where there is no time to make its cell."""
        cell = self._cells.get(row)
        if cell is None:
            if self._made and (not seen or perf_counter() > self._deadline):
                self._unmade = True
                self._unseen = self._unseen or seen
                return self._heights[row]
            self._made += 1
            cell = self._cells[row] = self._pool.take(self._model.name(row), self._model.row(row))
        cell.set_last(row == self._last, goes_on=row == self._broken)
        height = cell.space_above + cell.height_for(self._width)
        self._heights.set(row, height)
        return height

    def _remember(self, places: dict[int, int]) -> None:
        """Remember what is topmost in sight, for when something changes."""
        if not places:
            return
        seen = [at for at, top in places.items() if top + self._heights[at] > 0]
        first = min(seen) if seen else max(places)
        self._anchor = (first, -places[first])

    def _put(self, places: dict[int, int]) -> None:
        left = max(0, (self.viewport().width() - self._width) // 2)
        offset = None
        for row, cell in self._cells.items():
            top = places.get(row)
            if top is None:  # kept out of sight
                if offset is None:
                    first = min(places)
                    offset = self._heights.before(first) - places[first]
                top = max(-_FAR, min(self._heights.before(row) - offset, _FAR))
            cell.place(left, top, self._width, self._heights[row])

    def _let_go(self) -> None:
        """Give back the cells of rows that will be out of sight, as far as is known."""
        count, view = len(self._heights), self.viewport().height()
        if not count:
            return
        if self._pinned:
            top = self._heights.total + _BELOW - view
        else:
            row = min(self._anchor[0], count - 1)
            top = self._heights.before(row) + self._anchor[1]
        low, high = self._heights.at(top - _MARGIN), self._heights.at(top + view + _MARGIN)
        for row in [row for row in self._cells if not low - 1 <= row <= high + 1]:
            if not _is_used(self._cells[row]):
                self._pool.give(self._cells.pop(row))

    def _fit_width(self) -> None:
        bar = self.verticalScrollBar().sizeHint().width()
        whole = self.width() - bar  # the same with and without the bar
        width = max(min(WIDEST, whole - 2 * _SIDE), 80)
        if width != self._width:
            self._width = self._pool.width = width
            known = {row: self._heights[row] for row in self._cells}
            self._heights = Heights(self._guesses())
            for row, height in known.items():
                self._heights.set(row, height)

    def _guesses(self) -> list[int]:
        width = self._width or WIDEST
        return [self._model.guess(row, width) for row in range(len(self._model))]

    # Slots

    def _on_spliced(self, start: int, removed: int, added: int) -> None:
        """Take rows in and out; cells go on with the rows that they show."""
        model, width = self._model, self._width or WIDEST
        old = self._cells
        self._cells = {
            row if row < start else row + added - removed: cell
            for row, cell in old.items()
            if not start <= row < start + removed
        }
        loose = {row: old[row] for row in sorted(old) if start <= row < start + removed}
        self._heights.splice(start, removed, [model.guess(start + n, width) for n in range(added)])
        for row, cell in loose.items():
            if removed == added and self._goes_on(cell, row):
                self._cells[row] = cell
            else:
                self._pool.give(cell)
        anchor, offset = self._anchor
        if anchor >= start + removed:
            self._anchor = (anchor + added - removed, offset)
        elif anchor >= start + added:
            self._anchor = (max(0, start + added - 1), 0)

    def _goes_on(self, cell: Cell, at: int) -> bool:
        """Let a cell show the row that came in the place of its own, where it is of its kind."""
        row = self._model.row(at)
        if cell.kind != row.kind or cell.is_editing:
            return False
        self._pool.show(cell, self._model.name(at), row)
        return True

    def _on_flushed(self) -> None:
        if not (self._unseen and self._later.isActive()):  # else this turn has had its time
            self.lay(near=not self._unmade)

    def _on_touched(self, row: int) -> None:
        if cell := self._cells.get(row):
            self._pool.show(cell, self._model.name(row), self._model.row(row))
        else:
            self._heights.set(row, self._model.guess(row, self._width or WIDEST))

    def _on_scrolled(self, value: int) -> None:
        if self._laying:
            return
        bar = self.verticalScrollBar()
        self._pinned = value >= bar.maximum() - _NEAR
        if len(self._heights):
            row = self._known_at(value - _ABOVE)
            self._anchor = (row, value - _ABOVE - self._heights.before(row))
        self.lay(near=False)

    def _known_at(self, top: int) -> int:
        """Return the first row from a place on that has a cell; the one there, where none has."""
        first = self._heights.at(top)
        end = self._heights.at(top + self.viewport().height())
        return min((row for row in self._cells if first <= row <= end), default=first)

    def _adopt(self, cell: Cell) -> None:
        cell.resized.connect(self.place_later)
        cell.link_wanted.connect(self.link_wanted)
        cell.retry_wanted.connect(self.retry_wanted)
        cell.deed_wanted.connect(lambda deed: self._on_deed(cell, deed))
        cell.edit_saved.connect(lambda texts, resend: self.edit_saved.emit(cell, texts, resend))
        cell.edit_left.connect(lambda texts: self.edit_left.emit(cell, texts))

    def _on_deed(self, cell: Cell, deed: str) -> None:
        row = self.row_of(cell)
        if row is not None:
            self.deed_wanted.emit(deed, row)

    def _show_jump(self) -> None:
        bar = self.verticalScrollBar()
        self._jump.setVisible(not self._pinned and bar.maximum() - bar.value() > 160)
        if not self._jump.isHidden():
            self._jump.adjustSize()
            spot = QPoint((self.width() - self._jump.width()) // 2, self.height() - 42)
            self._jump.move(spot)
            self._jump.raise_()

    def _on_theme(self) -> None:
        self._pool.drop_free()
        self._dress()

    def _dress(self) -> None:
        self._jump.setIcon(self._theme.icon("arrow-down", "fg2", 14))


def _is_used(cell: Cell) -> bool:
    """Whether the user is at something in a cell that would be lost with it."""
    focus = QApplication.focusWidget()
    return cell.is_editing or cell.has_selection or (focus is not None and cell.isAncestorOf(focus))
