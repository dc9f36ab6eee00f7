"""`InspectorHead`: totals, the three views, what is searched for, and the bar of shares."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QVBoxLayout

from studio_qt.engine.inspecting import InspectedRequest
from studio_qt.ui.inspector.shares import Shares
from studio_qt.ui.inspector.wording import sent_line
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton, give_icon, label, text_button
from studio_qt.ui.widgets.inputs import SearchField, Segments

__all__ = ["InspectorHead"]


class InspectorHead(QFrame):
    """`view_chosen` carries "blocks", "json" or "body"; `found_wanted` a text and the direction."""

    view_chosen = Signal(str)
    copy_wanted = Signal()
    message_wanted = Signal()
    found_wanted = Signal(str, bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "paneHead")
        self._total = label("", "display", name="inspectorTotal")
        self._facts = ElidedLabel("", "second")
        self._line = ElidedLabel("", "second")
        self._view = Segments(
            [("blocks", "Blocks"), ("json", "Messages"), ("body", "As sent")],
            "inspectorView",
            "View of the request",
        )
        self._tries = QComboBox()
        self._search = _Search(theme, "Find in the request", "inspectorSearch")
        self._found = label("", "second", name="inspectorFound")
        self._copy = IconButton(
            theme, "copy", "Copy the request as it is shown", name="inspectorCopyAll"
        )
        self.message = text_button("Show in the chat", "inspectorShowMessage", "link")
        self.message.setAccessibleDescription("Goes to the message that this request led to.")
        give_icon(theme, self.message, "chat", "accent2")
        self.message.clicked.connect(self.message_wanted)
        self._shares = Shares(theme)
        self._facts.setObjectName("inspectorFacts")
        self._line.setObjectName("inspectorSent")
        self._build()
        self._view.chosen.connect(self.view_chosen)
        self._copy.clicked.connect(self.copy_wanted)
        self._search.step.connect(lambda back: self.found_wanted.emit(self._search.text(), back))
        self._search.textChanged.connect(lambda _text: self.show_found(""))
        self._tries.activated.connect(lambda _at: self.view_chosen.emit(self.view))

    @property
    def view(self) -> str:
        """The view that is chosen."""
        return self._view.choice

    @property
    def chosen_try(self) -> int:
        """The position of the try that is chosen; -1 for the last one."""
        return self._tries.currentIndex() if self._tries.count() > 1 else -1

    def show_request(self, shown: InspectedRequest, other: str) -> None:
        """Tell the totals of a request; `other` names what marks compare with."""
        about = shown.about
        counted = about.usage is not None and not about.usage.estimated
        self._total.setText(f"{about.tokens:,}")
        words = f"tokens of {shown.window:,}" if shown.window else "tokens"
        facts = [f"{words}, {'counted by the server' if counted else 'estimated'}"]
        if other:
            facts.append(f"marks compare with {other}")
        self._facts.set_whole(" · ".join(facts))
        self._line.set_whole(sent_line(about, len(shown.bodies[-1])))

    def show_shares(self, tokens: Mapping[str, int], window: int, reserve: int) -> None:
        """Show what takes which part of the window."""
        self._shares.show_shares(tokens, window, reserve)

    def show_tries(self, count: int) -> None:
        """Offer the tries of a request, where there are several."""
        if self._tries.count() != count:
            self._tries.clear()
            self._tries.addItems([f"Try {at + 1} of {count}" for at in range(count)])
            self._tries.setCurrentIndex(count - 1)
        self._tries.setVisible(count > 1)

    def show_found(self, words: str) -> None:
        """Tell what the search has found."""
        self._found.setText(words)

    def focus_search(self) -> None:
        """Go to the field of the search."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def _build(self) -> None:
        self._tries.setObjectName("inspectorTries")
        self._tries.setAccessibleName("Which try is shown")
        self._tries.hide()
        self._search.setPlaceholderText("Find")
        self._search.setMinimumWidth(110)
        self._search.setMaximumWidth(240)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self._total)
        top.addWidget(self._facts, 1, Qt.AlignmentFlag.AlignVCenter)
        top.addWidget(self._copy)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._view)
        row.addWidget(self._tries)
        row.addStretch(1)
        row.addWidget(self._found)
        row.addWidget(self._search, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 10)
        column.setSpacing(8)
        column.addLayout(top)
        column.addWidget(self._shares)
        told = QHBoxLayout()
        told.setSpacing(8)
        told.addWidget(self._line, 1)
        told.addWidget(self.message)
        column.addLayout(told)
        column.addLayout(row)


class _Search(SearchField):
    """Enter goes to the next place, with Shift to the one before; `step` carries whether back."""

    step = Signal(bool)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step.emit(bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)
