"""`ShortcutSheet`: every key of the window, menu by menu."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QScrollArea, QWidget

from studio_qt.ui.actions import MENUS, Actions, keys_text, plain_title
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label, text_button
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["ShortcutSheet", "key_lines"]

_FIXED = {
    "Message field": (
        ("Enter", "Send the message"),
        ("Shift+Enter", "Break the line"),
        ("@", "Run a command of the character, in the empty field"),
        ("Esc", "Stop the reply, close a dialog"),
    )
}
"""Keys of a field itself, which are no actions."""


class ShortcutSheet(Sheet):
    """Lists the keys of the window's actions; typing narrows the list. It deletes itself."""

    widest = 620

    def __init__(
        self, theme: Theme, over: QWidget, actions: Actions, others: Sequence[QAction] = ()
    ) -> None:
        super().__init__(theme, over, "Keyboard shortcuts")
        self.setObjectName("shortcuts")
        self._sections = key_lines(actions, others)
        self.field = QLineEdit()
        self._scroll = QScrollArea()
        self._build()
        self._fill()
        self.finished.connect(self.deleteLater)

    @property
    def texts(self) -> list[str]:
        """The lines that are listed: key, two blanks, what it does."""
        wanted = self.field.text().casefold().split()
        return [
            f"{keys}  {words}"
            for lines in self._sections.values()
            for keys, words in lines
            if all(part in f"{keys} {words}".casefold() for part in wanted)
        ]

    def lay(self) -> None:
        super().lay()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def cover(self) -> None:
        """Leave the list as much height as the window has."""
        self._scroll.setFixedHeight(max(120, min(520, self._over.height() - 200)))
        super().cover()

    def _fill(self) -> None:
        wanted = self.texts
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, 12, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(7)
        grid.setColumnStretch(0, 1)
        for head, lines in self._sections.items():
            shown = [line for line in lines if "  ".join(line) in wanted]
            if shown:
                at = grid.rowCount()
                grid.setRowMinimumHeight(at, 30)
                grid.addWidget(label(head.upper(), "caps"), at, 0, Qt.AlignmentFlag.AlignBottom)
            for keys, words in shown:
                at = grid.rowCount()
                grid.addWidget(label(words, wrap=True), at, 0)
                grid.addWidget(label(keys, "key"), at, 1, Qt.AlignmentFlag.AlignRight)
        if not wanted:
            grid.addWidget(label("No key does that.", "quiet"), 0, 0)
        grid.setRowStretch(grid.rowCount(), 1)
        self._scroll.setWidget(inside)

    def _build(self) -> None:
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.addWidget(label("Keyboard shortcuts", "title"))
        self.field.setObjectName("shortcutsFilter")
        self.field.setAccessibleName("Find a shortcut")
        self.field.setPlaceholderText("Find a shortcut")
        self.field.textChanged.connect(self._fill)
        self.column.addWidget(self.field)
        self._scroll.setObjectName("shortcutsList")
        self._scroll.setAccessibleName("Shortcuts")
        self._scroll.setWidgetResizable(True)
        self.column.addWidget(self._scroll)
        row = QHBoxLayout()
        row.addStretch(1)
        close = text_button("Close", "shortcutsClose")
        close.clicked.connect(self.reject)
        row.addWidget(close)
        self.column.addLayout(row)


def key_lines(
    actions: Actions, others: Sequence[QAction] = ()
) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return lines of keys and words under the titles of the menus."""
    listed: dict[str, list[QAction]] = {name: [] for name in MENUS}
    for action in actions.all():
        listed[actions.place(action).menu].append(action)
    listed["Conversation"].extend(others)
    lines = {
        name: tuple((keys_text(one), plain_title(one)) for one in found if one.shortcuts())
        for name, found in listed.items()
    }
    return {**{name: found for name, found in lines.items() if found}, **_FIXED}
