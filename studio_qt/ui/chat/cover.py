"""`Cover`: what stands in the place of a conversation as long as it is not there."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

__all__ = ["Cover"]


class Cover:
    """Shows another widget instead of the parts of a column.

    `foot` is where a message is written, the last in the column; it stays, unless all is covered.
    """

    def __init__(self, column: QVBoxLayout, foot: QWidget) -> None:
        self._column, self._foot = column, foot
        self._parts: Sequence[QWidget] = ()
        self._widget: QWidget | None = None

    @property
    def shown(self) -> bool:
        """Whether the conversation is covered."""
        return self._widget is not None and not self._widget.isHidden()

    def use(self, widget: QWidget) -> None:
        """Take what is to be shown; nothing is covered yet."""
        self._widget = widget
        self._column.insertWidget(self._column.count() - 1, widget, 1)
        self.lift()

    def take(self, parts: Sequence[QWidget]) -> None:
        """Take what makes way, when that has been made."""
        self._parts = parts
        for part in parts:
            part.setHidden(self.shown)

    def lay(self, *, wholly: bool = False) -> None:
        """Cover the conversation, `wholly` the field for messages too."""
        self._show(covered=True, foot=not wholly)

    def lift(self) -> None:
        """Show the conversation."""
        self._show(covered=False, foot=True)

    def _show(self, *, covered: bool, foot: bool) -> None:
        if self._widget is not None:
            self._widget.setVisible(covered)
        for part in self._parts:
            part.setHidden(covered)
        self._foot.setVisible(foot)
