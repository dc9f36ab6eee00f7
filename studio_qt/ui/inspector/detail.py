"""`BlockDetail`: one block in full, against what was sent before or alone, with its origins."""

from __future__ import annotations

import asyncio
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from studio_qt.ui.desk import Desk
from studio_qt.ui.inspector.lines import against, alone
from studio_qt.ui.inspector.shaping import Piece, Row
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton, IconView, label, text_button
from studio_qt.ui.widgets.inputs import Segments
from studio_qt.ui.widgets.marked import lay
from studio_qt.ui.widgets.textpane import TextPane

__all__ = ["BlockDetail"]

_MOST_ORIGINS = 40


class BlockDetail(QWidget):
    """`origin_wanted` carries kind and name of where a text comes from."""

    origin_wanted = Signal(str, str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._row: Row | None = None
        self._other = ""
        self._turn = 0
        self._settled = True
        self._wanted = ""
        self.setObjectName("inspectorDetail")
        self.setAccessibleName("Block")
        self._title = ElidedLabel("", "title")
        self._facts = ElidedLabel("", "second")
        self._open = text_button("Open", "inspectorOrigin", "link")
        self._copy = IconButton(desk.theme, "copy", "Copy this block", name="inspectorCopyBlock")
        self._view = Segments(
            [("against", "Changes"), ("alone", "Text alone")], "inspectorAgainst", "How it is shown"
        )
        self._count = label("", "second", name="inspectorChanged")
        self._choice = QWidget()
        self.pane = TextPane(desk.theme, "inspectorText", "Text of the block")
        self._foot = label("", "second", wrap=True, name="inspectorFoot")
        self._build()
        self._view.chosen.connect(lambda _choice: self._fill())
        self._copy.clicked.connect(self.copy)
        self._open.clicked.connect(self.open_origin)

    @property
    def settled(self) -> bool:
        """Whether the text of the row is shown."""
        return self._settled

    def show_row(
        self,
        row: Row | None,
        other: str,
        *,
        foot: str = "",
    ) -> None:
        """Show a row; `other` names what marks compare with, `foot` says what all this is."""
        self._row, self._other = row, other
        self._title.set_whole(row.title if row else "")
        self._facts.set_whole(_facts(row) if row else "")
        names = _origins(row)
        self._open.setVisible(bool(names))
        stores = row is not None and row.tone == "preload"
        what = "Open the store" if stores else "Open"
        self._open.setText(what if len(names) == 1 else "Open a store…" if stores else "Open…")
        self._open.setAccessibleName(f"Open {names[0].name}" if len(names) == 1 else "Open a part")
        self._choice.setVisible(bool(other) and row is not None)
        self._copy.setEnabled(row is not None)
        self._foot.setText(foot)
        self._fill()

    def seek(self, text: str) -> None:
        """Select a text in the block, now and in what is shown next; "" ends that."""
        self._wanted = text
        if self._settled:
            self._desk.tasks.start(self.pane.seek(text), name="inspector find")

    def copy(self) -> None:
        """Copy the whole text of the block."""
        if self._row is not None:
            QGuiApplication.clipboard().setText(self._row.text)

    def open_origin(self) -> None:
        """Go to where the text comes from; with several origins, offer them."""
        names = _origins(self._row)
        if len(names) == 1:
            self.origin_wanted.emit(names[0].kind, names[0].name)
        elif names:
            self._offer(names)

    def _offer(self, names: list[Piece]) -> None:
        menu = QMenu(self)
        menu.setObjectName("inspectorOrigins")
        menu.setAccessibleName("Origins of the block")
        for piece in names[:_MOST_ORIGINS]:
            shown = piece.name.replace("&", "&&")
            menu.addAction(shown, partial(self.origin_wanted.emit, piece.kind, piece.name))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._open.mapToGlobal(self._open.rect().bottomLeft()))

    def _fill(self) -> None:
        self._turn += 1
        self._settled = False
        self._desk.tasks.start(self._show(self._turn), name="inspector text")

    async def _show(self, turn: int) -> None:
        row, compares = self._row, bool(self._other) and self._view.choice == "against"
        make = against if compares else alone
        laid = await asyncio.to_thread(lambda: lay(make(row) if row is not None else ()))
        if turn == self._turn and await self.pane.show_laid(laid):
            self._settled = True
            if self._wanted:
                await self.pane.seek(self._wanted)
            self._count.setText(_changed(laid.changed) if compares else "")

    def _build(self) -> None:
        names = QVBoxLayout()
        names.setSpacing(1)
        names.addWidget(self._title)
        names.addWidget(self._facts)
        head = QHBoxLayout()
        head.setContentsMargins(16, 10, 12, 8)
        head.setSpacing(8)
        head.addLayout(names, 1)
        head.addWidget(self._open)
        head.addWidget(self._copy)
        choice = QHBoxLayout(self._choice)
        choice.setContentsMargins(16, 0, 16, 8)
        choice.addWidget(self._view)
        choice.addStretch(1)
        choice.addWidget(self._count)
        foot = QFrame()
        foot.setProperty("role", "paneFoot")
        line = QHBoxLayout(foot)
        line.setContentsMargins(16, 7, 16, 7)
        line.setSpacing(8)
        line.addWidget(IconView(self._desk.theme, "lock", "fg2", 14))
        line.addWidget(self._foot, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._choice)
        column.addWidget(self.pane, 1)
        column.addWidget(foot)


def _origins(row: Row | None) -> list[Piece]:
    """Return the parts that lead to a file, an agent or the settings, each once."""
    if row is None:
        return []
    found = {
        (piece.kind, piece.name): piece
        for piece in row.pieces
        if (piece.kind in ("file", "agent") and piece.name) or piece.kind == "settings"
    }
    return list(found.values())


def _facts(row: Row) -> str:
    facts = [f"{row.role} message" if row.role in _ROLES else "", "isFile" if row.is_file else ""]
    facts.append(f"about {row.tokens:,} tokens")
    if row.side:
        facts.append(row.side)
    return " · ".join(fact for fact in facts if fact)


_ROLES = ("system", "user", "assistant", "tool")


def _changed(count: int) -> str:
    if not count:
        return "as before"
    return "1 line changed" if count == 1 else f"{count:,} lines changed"
