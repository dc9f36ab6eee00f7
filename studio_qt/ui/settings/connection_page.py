"""The page of connections: cards of those that there are, the fields of one, its profile."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QVBoxLayout, QWidget

from studio_qt.providers.connections import REHEARSAL, SavedConnection
from studio_qt.providers.discovery import FoundServer
from studio_qt.ui.connections import Connections
from studio_qt.ui.desk import Desk
from studio_qt.ui.settings.connection_form import ConnectionForm
from studio_qt.ui.settings.profile_table import ProfilePanel
from studio_qt.ui.settings.sections import Growing, Section, titled
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton, Separator, label, text_button
from studio_qt.ui.widgets.choicecard import ChoiceCard
from studio_qt.ui.widgets.keyfield import place_words
from studio_qt.ui.widgets.sheet import MessageSheet

__all__ = ["ConnectionPage"]

_COLUMNS = 3
_CARD = 230
_NEW = ""


class ConnectionPage(Growing):
    """A card shows its connection below; "Let it answer" chooses it.

    `page_wanted` carries the name of another page of the settings.
    """

    page_wanted = Signal(str)

    def __init__(self, desk: Desk, connections: Connections, section: Section) -> None:
        super().__init__(section)
        self._desk, self._connections = desk, connections
        self._cards: dict[str, ChoiceCard] = {}
        self._group = QButtonGroup(self)
        chosen = connections.chosen
        self._shown: str = chosen.name if chosen else REHEARSAL
        self.column.setSpacing(12)

    def pieces(self) -> Iterator[None]:
        self._build_head()
        yield
        self._form = ConnectionForm(self._desk, self._connections)
        self._form.hide()
        self.column.addWidget(self._form)
        yield
        self.column.addWidget(self._build_rehearsal())
        self.column.addWidget(Separator())
        self._profile = ProfilePanel(self._desk, self._connections)
        self.column.addWidget(self._profile)
        self.column.addStretch(1)
        yield
        self._form.kept.connect(self._on_kept)
        self._form.remove_wanted.connect(self._on_remove)
        self._form.models_known.connect(self._show_profile)
        self._profile.context_wanted.connect(lambda: self.page_wanted.emit("models"))
        self._connections.changed.connect(self.refresh)
        self._connections.found_changed.connect(self.refresh)
        self.refresh()
        self._desk.tasks.start(self._ask_keychain(), name="keychain")
        if self._connections.looked_at is None:
            self._look()

    def refresh(self) -> None:
        """Show what there is now."""
        names = {one.name for one in self._connections.saved}
        if self._shown not in {*names, REHEARSAL, _NEW}:
            self._shown = REHEARSAL
        self._show_cards()
        saved = self._connections.find(self._shown)
        self._form.setVisible(self._shown != REHEARSAL)
        self._rehearsal.setVisible(self._shown == REHEARSAL)
        self._profile.setVisible(saved is not None)
        self._use_rehearsal.setEnabled(self._connections.chosen is not None)
        if self._shown != REHEARSAL:
            self._form.show_connection(saved)
        self._show_profile()
        self._found.set_whole(self._found_words())
        self._again.setEnabled(not self._connections.looking)

    # Slots ----------------------------------------------------------------------------------

    def _pick(self, key: str) -> None:
        server = next((one for one in self._unsaved() if _found_key(one) == key), None)
        if server is not None:
            name = self._connections.free_name(server.name or server.address)
            self._shown = name
            self._connections.save(SavedConnection(name=name, base_url=server.base_url))
            return
        self._shown = key
        self.refresh()

    def _on_new(self) -> None:
        self._shown = _NEW
        self.refresh()
        self._form.focus_first()

    def _on_remove(self) -> None:
        """Ask before a connection goes: with it goes its key."""
        saved = self._connections.find(self._shown)
        if saved is None:
            return
        key = ", and its key" if saved.key else ""
        ask = MessageSheet(
            self._desk.theme,
            self.window(),
            f"Remove {saved.name}?",
            f"Its address and models are forgotten{key}. Conversations stay as they are.",
            name="removeConnection",
            yes="Remove",
        )
        ask.accepted.connect(lambda: self._connections.remove(saved.name))
        ask.lay()

    def _on_kept(self, name: str) -> None:
        self._shown = name
        self.refresh()

    def _step(self, key: str, step: int) -> None:
        order = list(self._cards)
        target = order[(order.index(key) + step) % len(order)]
        if self._connections.find(target) is not None or target == REHEARSAL:
            self._pick(target)
        self._cards[target].setFocus()

    # Showing --------------------------------------------------------------------------------

    def _show_cards(self) -> None:
        saved = {one.name: one for one in self._connections.saved}
        found = {_found_key(server): server for server in self._unsaved()}
        order = [*saved, *found, REHEARSAL]
        for key in [key for key in self._cards if key not in order]:
            card = self._cards.pop(key)
            self._group.removeButton(card)
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()
        for key in order:
            if key not in self._cards:
                self._cards[key] = self._card(key)
        self._cards = {key: self._cards[key] for key in order}
        self._lay_cards()
        for key, one in saved.items():
            self._show_saved(self._cards[key], one)
        for key, server in found.items():
            name = server.name or "A server"
            self._cards[key].show_words(name, f"found, {server.address}", "new")
            self._cards[key].show_light("info")
        self._show_rehearsal(self._cards[REHEARSAL])
        self._group.setExclusive(False)
        for key, card in self._cards.items():
            card.setChecked(key == self._shown)
        self._group.setExclusive(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._cards:
            self._lay_cards()

    def _lay_cards(self) -> None:
        """Put as many cards beside each other as there is room for."""
        columns = max(1, min(_COLUMNS, self.width() // self._desk.theme.scaled(_CARD)))
        for place, card in enumerate(self._cards.values()):
            self._grid.addWidget(card, place // columns, place % columns)
        self._grid.addWidget(self._new, 0, columns)
        for column in range(_COLUMNS + 1):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def _card(self, key: str) -> ChoiceCard:
        card = ChoiceCard(self._desk.theme, f"connection_{key}", radio=False)
        card.clicked.connect(lambda _on=False: self._pick(key))
        card.step_wanted.connect(lambda step: self._step(key, step))
        self._group.addButton(card)
        return card

    def _show_saved(self, card: ChoiceCard, one: SavedConnection) -> None:
        server = next((s for s in self._connections.found if s.base_url == one.base_url), None)
        if server is not None:
            line = f"this computer, {len(server.chats)} models"
        elif one.key:
            line = f"key {place_words(one.key)}"
        else:
            line = "this computer" if one.local else one.endpoint.split("/")[2]
        chosen = self._connections.chosen
        answers = chosen is not None and chosen.name == one.name
        card.show_words(one.name, line, "answers" if answers else "")
        card.show_light("okfill" if server or one.key or not one.local else "ctl")

    def _show_rehearsal(self, card: ChoiceCard) -> None:
        answers = self._connections.chosen is None
        card.show_words(REHEARSAL, "built in, offline", "answers" if answers else "")
        card.show_light("ctl")

    def _show_profile(self) -> None:
        self._profile.show_connection(self._connections.find(self._shown), self._form.told_window())

    def _unsaved(self) -> list[FoundServer]:
        kept = {one.base_url for one in self._connections.saved}
        return [server for server in self._connections.found if server.base_url not in kept]

    def _found_words(self) -> str:
        if self._connections.looking:
            return "Looking on this computer …"
        names = [server.name or server.address for server in self._connections.found]
        if not names:
            return "No server was found on this computer"
        verb = "was" if len(names) == 1 else "were"
        return f"{' and '.join(names)} {verb} found by itself"

    def _look(self) -> None:
        self._desk.tasks.start(self._connections.look(), name="look for servers")

    async def _ask_keychain(self) -> None:
        self._form.show_keychain(await self._connections.keychain_name())

    def _build_head(self) -> None:
        self._found = ElidedLabel("", "second")
        self._found.setObjectName("connectionsFound")
        self._found.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._again = IconButton(
            self._desk.theme, "refresh", "Look for servers on this computer", name="connectionsLook"
        )
        self._again.clicked.connect(self._look)
        head = titled(self.column, "Connections")
        head.addWidget(self._found, 100)  # the empty middle has 1
        head.addWidget(self._again)
        self._new = IconButton(self._desk.theme, "plus", "New connection", name="connectionNew")
        self._new.clicked.connect(self._on_new)
        self._grid = QGridLayout()
        self._grid.setSpacing(8)
        self._grid.addWidget(self._new, 0, _COLUMNS)
        self.column.addLayout(self._grid)

    def _build_rehearsal(self) -> QWidget:
        self._rehearsal = QWidget()
        column = QVBoxLayout(self._rehearsal)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(10)
        about = (
            "Rehearsal is no language model: it calls your agents for real and answers in your "
            "character's words, so that you can try everything offline. It needs no key and costs "
            "nothing."
        )
        column.addWidget(label(about, "", wrap=True))
        self._use_rehearsal = text_button("Let it answer", "rehearsalUse", "primary")
        self._use_rehearsal.clicked.connect(lambda: self._connections.choose(None))
        row = QGridLayout()
        row.addWidget(self._use_rehearsal, 0, 0)
        row.setColumnStretch(1, 1)
        column.addLayout(row)
        return self._rehearsal


def _found_key(server: FoundServer) -> str:
    return f"found {server.address}"
