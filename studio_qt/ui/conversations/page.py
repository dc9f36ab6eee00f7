"""`ConversationsPane`: all conversations of a character, as a page and as the foot of another."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.ui.conversations.commands import FOR_NONE, FOR_ONE, add_actions, offer
from studio_qt.ui.conversations.exportsheet import ExportSheet
from studio_qt.ui.conversations.foot import ConversationsFoot
from studio_qt.ui.conversations.listing import Listed
from studio_qt.ui.conversations.model import ConversationModel
from studio_qt.ui.conversations.modelsheet import ModelSheet
from studio_qt.ui.conversations.searching import ConversationSearch
from studio_qt.ui.conversations.sheets import TitleSheet, lay
from studio_qt.ui.conversations.view import ConversationList
from studio_qt.ui.conversations.work import ConversationWork, Deleted
from studio_qt.ui.desk import Desk
from studio_qt.ui.widgets.bars import EmptyState
from studio_qt.ui.widgets.basics import IconButton, label
from studio_qt.ui.widgets.uppersplit import UpperSplit

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["ConversationsPane", "Deleted"]


class ConversationsPane(QWidget):
    """The list under a field that searches all conversations; `foot` is the same list, small.

    `entry_wanted` carries a conversation and an entry to show; `notice` a sentence and its kind;
    `deleted` a sentence and what takes it back; `listed` follows each reading of the list,
    `another` each change of what is open or who answers in it. `settings_wanted` asks for the
    connections, `shown` for the page to be seen. `foot_moved`: the foot has another height.
    """

    entry_wanted = Signal(str, str)
    notice = Signal(str, str)
    deleted = Signal(str, object)
    listed = Signal()
    another = Signal()
    settings_wanted = Signal()
    shown = Signal()
    foot_moved = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._model = ConversationModel(self)
        self.work = ConversationWork(desk, self._model, self.window, self._is_naming, self)
        theme = desk.theme
        self.list = ConversationList(theme, self._model, "conversationsList", counts=True)
        self.foot = ConversationsFoot(theme, self._model)
        self.search = ConversationSearch(desk)
        self._count = label("", "second", name="conversationsTotal")
        self._pages = QStackedWidget()
        self._last: ConversationList | None = None
        self._ids: frozenset[str] = frozenset()
        self._foot_height = 0
        self._build()
        self._actions = add_actions(desk.actions, self._slots(), (self, self.foot))
        self._connect()
        self._on_listed()

    @property
    def settled(self) -> bool:
        """Whether the list is up to date and nothing is searched or done."""
        return self.work.settled and self.search.settled

    @property
    def rows(self) -> list[Listed]:
        """What is listed, from the top."""
        return list(self._model.rows)

    def set_place(self, place: Path | None) -> None:
        """Say where the character is; `show_player` follows."""
        self.work.set_place(place)

    def show_player(self, player: CharacterPlayer | None) -> None:
        """List an open player's conversations; None empties the page."""
        self.search.set_player(player)
        self.work.show_player(player)

    @property
    def foot_height(self) -> int:
        """How high the user made the foot, 0 for as it comes; for `set_foot_height`."""
        return self._foot_height

    def set_foot_height(self, height: int) -> None:
        """Give the foot a height that it had before."""
        both = self.foot.parentWidget()
        if isinstance(both, QSplitter) and height > 0:
            self._foot_height = height
            both.setSizes([max(1, both.height() - height - both.handleWidth()), height])

    def below(self, upper: QWidget) -> QSplitter:
        """Return a pane with another page above and the foot below it, which can be moved."""
        both = UpperSplit(Qt.Orientation.Vertical, upper)
        self.stand_below(both)
        return both

    def stand_below(self, both: QSplitter) -> None:
        """Put the foot below the page that a splitter has."""
        both.addWidget(self.foot)
        both.setChildrenCollapsible(False)
        both.setStretchFactor(0, 1)
        both.setStretchFactor(1, 0)
        both.setSizes([10_000, self.foot.sizeHint().height()])
        both.splitterMoved.connect(lambda *_: self._on_foot_moved(both))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the focus on to what is shown."""
        super().focusInEvent(event)
        shown = self._pages.currentWidget()
        (shown if shown in (self.list, self.search.results) else self.search.field).setFocus(
            event.reason()
        )

    # What the user asks for

    def choose_model(self) -> None:
        """Ask who answers in the conversation that is open."""
        if self.work.player is None:
            self.settings_wanted.emit()
            return
        sheet = ModelSheet(self._desk, self.window(), self.work.player)
        sheet.settings_wanted.connect(self.settings_wanted)
        lay(sheet)

    def export(self) -> None:
        """Ask how the chosen conversation is to be exported; the open one where none is chosen."""
        player, one = self.work.player, self._chosen()
        if player is None or one is None:
            self.notice.emit("Open a character first; then its conversations are listed.", "info")
        elif not one.readable:
            self.notice.emit(f"{one.id} is no conversation that can be read.", "error")
        else:
            lay(ExportSheet(self._desk, self.window(), player, one))

    def open_search(self) -> None:
        """Show the page, with the focus in the field that searches."""
        self.shown.emit()
        if self.isVisible():
            self.search.focus()
        else:
            text = "Conversations are searched beside the files of a folder; this is no folder."
            self.notice.emit(text, "info")

    def _open(self) -> None:
        if (one := self._chosen()) is not None:
            self._on_opened(one.id)

    def _rename(self) -> None:
        view = self._view_asked()
        one = self._chosen_in(view)
        if one is None:
            return
        if view is None:
            seen = [view for view in (self.list, self.foot.list) if view.isVisible()]
            view = seen[0] if seen else None
        if view is not None:
            view.name(one.id)
            return
        rename = partial(self.work.rename, one.id)
        lay(TitleSheet(self._desk.theme, self.window(), one.name, rename))

    def _delete(self) -> None:
        if (one := self._chosen()) is not None:
            self.work.delete(one.id)

    def _chosen(self) -> Listed | None:
        return self._chosen_in(self._view_asked())

    def _view_asked(self) -> ConversationList | None:
        """Return the list whose menu or keys were used last; None for what comes from elsewhere."""
        last, self._last = self._last, None
        asked = last or next((v for v in (self.list, self.foot.list) if v.hasFocus()), None)
        return asked if asked is not None and asked.isVisible() else None

    def _chosen_in(self, view: ConversationList | None) -> Listed | None:
        """Return the row that is chosen in a list; without one, the open conversation."""
        chosen = self._model.find(view.chosen) if view is not None else None
        return chosen or self._model.find(self._model.current)

    # Slots

    def _on_listed(self) -> None:
        count = len(self._model.rows)
        self._count.setText(f"{count:,}" if count else "")
        self._count.setAccessibleName("1 conversation" if count == 1 else f"{count} conversations")
        self._show_state()
        for view in (self.list, self.foot.list):
            if not view.chosen:
                view.choose(self._model.current)
        for name, action in self._actions.items():
            action.setEnabled(
                self.work.can_undo
                if name == "conversationBringBack"
                else self.work.player is not None
            )
        ids = frozenset(row.id for row in self._model.rows)
        if ids != self._ids:
            self._ids = ids
            if self.search.words and self.work.player is not None:
                self.search.search()  # so that nothing is shown that is gone
        self.listed.emit()

    def _on_foot_moved(self, both: QSplitter) -> None:
        self._foot_height = both.sizes()[1]
        self.foot_moved.emit()

    def _on_another(self) -> None:
        """Go to the conversation that is open now, where the keys are not in the list."""
        for view in (self.list, self.foot.list):
            if not view.hasFocus():
                view.choose(self._model.current)
        self.another.emit()

    def _show_state(self) -> None:
        if self.search.words:
            self._pages.setCurrentWidget(self.search.results)
        else:
            filled = bool(self._model.rows)
            self._pages.setCurrentWidget(self.list if filled else self._empty)

    def _on_opened(self, conversation: str) -> None:
        one = self._model.find(conversation)
        if one is not None and not one.readable:
            self.notice.emit(f"{one.id} is no conversation that can be read.", "error")
        else:
            self.work.open(conversation)

    def _on_wanted(self, conversation: str, entry: str) -> None:
        if entry:
            self.entry_wanted.emit(conversation, entry)
        else:
            self.work.open(conversation)

    def _on_deleted(self, deleted: Deleted) -> None:
        def bring_back() -> None:
            self.work.bring_back(deleted)

        self._actions["conversationBringBack"].setEnabled(True)
        self.deleted.emit(f"“{deleted.name}” is in the trash.", bring_back)

    def _on_menu(self, view: ConversationList, place: QPoint) -> None:
        self._last = view
        names = FOR_ONE if view.chosen else FOR_NONE
        offer(view, self._desk.actions, names, place)

    # Building

    def _slots(self) -> dict[str, Callable[[], object]]:
        return {
            "conversationOpen": self._open,
            "conversationRename": self._rename,
            "conversationDelete": self._delete,
            "conversationBringBack": self.work.undo,
            "conversationModel": self.choose_model,
            "conversationExport": self.export,
            "conversationSearch": self.open_search,
        }

    def _is_naming(self) -> bool:
        return self.list.naming or self.foot.list.naming

    def _connect(self) -> None:
        work = self.work
        work.notice.connect(self.notice)
        work.deleted.connect(self._on_deleted)
        work.listed.connect(self._on_listed)
        work.another.connect(self._on_another)
        self.search.searching_changed.connect(self._show_state)
        self.search.wanted.connect(self._on_wanted)
        self.foot.new_wanted.connect(work.new)
        self._empty.wanted.connect(work.new)
        for view in (self.list, self.foot.list):
            view.opened.connect(self._on_opened)
            view.naming_ended.connect(work.catch_up)
            view.menu_wanted.connect(lambda place, it=view: self._on_menu(it, place))

    def _build(self) -> None:
        self.setObjectName("conversationsPane")
        self.setAccessibleName("Conversations")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme = self._desk.theme
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 10, 8)
        head.setSpacing(6)
        head.addWidget(label("Conversations", "name"))
        head.addWidget(self._count)
        head.addStretch(1)
        for icon, tip, name, slot in (
            ("plus", "New conversation", "conversationsNew", self.work.new),
            ("upload", "Export the conversation", "conversationsExport", self.export),
        ):
            button = IconButton(theme, icon, tip, name=name, size=15)
            button.clicked.connect(lambda _=False, do=slot: do())
            head.addWidget(button)
        self._empty = EmptyState(
            theme,
            "chat",
            "There are no conversations",
            "Open a character and write to it: each conversation is kept, and listed here.",
            name="conversationsEmpty",
        )
        for page in (self.list, self.search.results, self._empty):
            self._pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.search)
        column.addWidget(self._pages, 1)
