"""`CellPool`: the cells that are there, given to one row after another."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from studio_qt.ui.chat.about import AboutCell, about_text
from studio_qt.ui.chat.cells import Cell, ErrorCell, LogCell
from studio_qt.ui.chat.facts import CallFacts
from studio_qt.ui.chat.messages import ReplyCell, UserCell
from studio_qt.ui.chat.rows import Kind, Row, local_time, row_text
from studio_qt.ui.theme.dressing import wear
from studio_qt.ui.theme.theme import Theme

__all__ = ["CellPool"]

_MOST = 12
"""Cells of a kind that wait for a row."""

_WANTED: tuple[Kind, ...] = ("reply", "user")
"""Of what kind the next rows are: one cell of each waits for them."""


class CellPool:
    """Makes cells inside `holder`, keeps those that no row has, and what was unfolded where."""

    def __init__(self, theme: Theme, holder: QWidget, adopt: Callable[[Cell], None]) -> None:
        self._theme, self._holder, self._adopt = theme, holder, adopt
        self.facts: CallFacts | None = None
        self.width = 0  # pixels of a cell
        self._free: dict[str, list[Cell]] = {}
        self._folds: dict[str, frozenset[int]] = {}
        self._name = ""
        self._picture: object = None
        self._face: tuple[str, int] = ("", 0)

    def set_name(self, name: str) -> None:
        """Say who is played; cells that wait are made anew."""
        if name != self._name:
            self._name = name
            self.drop_free()

    def drop_free(self) -> None:
        """Delete the cells that no row has: they would cost a change of the theme its time."""
        for cells in self._free.values():
            for cell in cells:
                cell.hide()
                cell.deleteLater()
        self._free.clear()

    def set_face(self, face: str, larger: int) -> None:
        """Let every cell that is made from now on show texts in a face, so much `larger`."""
        self._face = (face, larger)
        for cells in self._free.values():
            for cell in cells:
                cell.set_face(face, larger)

    def set_picture(self, picture: object) -> None:
        """Give every cell that is made from now on a picture (QPixmap), or None."""
        self._picture = picture
        for cells in self._free.values():
            for cell in cells:
                cell.set_picture(picture)

    def text(self, row: Row, name: str) -> str:
        """Return what a row says."""
        if row.kind == "about":
            return about_text(row)
        return row_text(row, name)

    def take(self, name: str, row: Row) -> Cell:
        """Return a cell that shows a row; `name` is what no other row has."""
        waiting = self._free.get(row.kind)
        cell = waiting.pop() if waiting else self._make(row.kind)
        self.show(cell, name, row)
        return cell

    def make_ready(self, kind: Kind) -> bool:
        """Make a cell of a kind, dressed, where none waits for a row; whether that was so."""
        if self._free.get(kind):
            return False
        cell = self._make(kind)
        for part in (cell, *cell.findChildren(QWidget)):
            part.ensurePolished()
        self._free[kind] = [cell]
        return True

    def make_spare(self) -> bool:
        """Make a cell for a row that may come; False where all that is wanted waits."""
        return any(self.make_ready(kind) for kind in _WANTED)

    def show(self, cell: Cell, name: str, row: Row) -> None:
        """Let a cell show a row, or another state of the one that it shows."""
        if cell.name != name:
            self._keep_folds(cell)
            cell.rest()
            cell.name = name
            cell.show_row(row)
            cell.set_folds(self._folds.get(name, frozenset()))
        else:
            cell.show_row(row)
        cell.setAccessibleName(_spoken(row, self._name))
        cell.freshen()

    def give(self, cell: Cell) -> None:
        """Take a cell back; it stays where it is until `hide_rest`, for the next row."""
        self._keep_folds(cell)
        cell.rest()
        cell.name = ""
        waiting = self._free.setdefault(cell.kind, [])
        if len(waiting) < _MOST and cell.made_for == self._name:
            waiting.append(cell)
        else:
            cell.hide()
            cell.deleteLater()

    def put_aside(self, top: int) -> None:
        """Move the cells that no row has out of sight, shown as they are: one has them soon."""
        for cells in self._free.values():
            for cell in cells:
                if not cell.isHidden():
                    cell.move(cell.x(), top)

    def hide_rest(self) -> None:
        """Hide the cells that no row has."""
        for cells in self._free.values():
            for cell in cells:
                if not cell.isHidden():
                    cell.hide()

    def forget_folds(self) -> None:
        """Forget what was unfolded."""
        self._folds.clear()

    def _keep_folds(self, cell: Cell) -> None:
        if folds := cell.folds():
            self._folds[cell.name] = folds
        else:
            self._folds.pop(cell.name, None)

    def _make(self, kind: Kind) -> Cell:
        cell: Cell
        match kind:
            case "about":
                cell = AboutCell(self._theme)
            case "user":
                cell = UserCell(self._theme)
            case "reply":
                cell = ReplyCell(self._theme, self._name, self.facts)
            case "log":
                cell = LogCell(self._theme)
            case _:
                cell = ErrorCell(self._theme)
        cell.kind, cell.made_for = kind, self._name
        cell.hide()
        cell.setParent(self._holder)
        wear("base", "texts", "buttons", "chat", widgets=[cell])
        self._theme.dress(cell)
        cell.set_picture(self._picture)
        cell.set_face(*self._face)
        cell.expect(self.width)
        self._adopt(cell)
        return cell


def _spoken(row: Row, name: str) -> str:
    """Return what assistive technology says of a row before its parts."""
    who = {"user": "You", "reply": name, "log": "Log entry", "error": "Error"}
    at = local_time(row.time)
    said = who.get(row.kind, f"About {name}")
    return f"{said}, {at}" if at else said
