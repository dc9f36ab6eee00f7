"""`WhoAnswers`: the panel beside the start page in which a model is chosen."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.providers.connections import SavedConnection
from studio_qt.providers.discovery import FoundServer
from studio_qt.ui.answering.detail import ProviderForm, ServerForm
from studio_qt.ui.connections import Connections
from studio_qt.ui.desk import Desk
from studio_qt.ui.widgets.basics import IconView, label, text_button
from studio_qt.ui.widgets.choicecard import ChoiceCard
from studio_qt.ui.widgets.keyfield import place_words

__all__ = ["WhoAnswers"]

_REHEARSAL, _OTHER = "rehearsal", "other"
_FRESH_SECONDS = 60.0
"""How old a search may be before showing the panel begins another."""
_TICK_MS = 30_000
_KEYS = "Keys go into the system's keychain, never into a project."
_NO_KEYCHAIN = "There is no keychain here: keys are kept until the program ends, or where you say."


class WhoAnswers(QWidget):
    """Cards to choose from: Rehearsal, what is saved, what was found, another provider.

    A choice is taken at once; what needs a key first unfolds below its card. `settings_wanted`
    asks for the settings of connections.
    """

    settings_wanted = Signal()

    def __init__(self, desk: Desk, connections: Connections, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk, self._connections = desk, connections
        self._cards: dict[str, ChoiceCard] = {}
        self._picked: str | None = None  # the card whose form is being filled in
        self._group = QButtonGroup(self)
        self._server_form = ServerForm(desk, connections)
        self._provider_form = ProviderForm(desk, connections)
        self._tick = QTimer(self)
        self._tick.setInterval(_TICK_MS)
        self.setObjectName("whoAnswers")
        self.setAccessibleName("Who answers?")
        self._build()
        self._connect()
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Look for servers when the panel comes up, unless that was done just now."""
        super().showEvent(event)
        self._tick.start()
        looked = self._connections.looked_at
        if looked is None or time.time() - looked > _FRESH_SECONDS:
            self.look()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._tick.stop()

    def look(self) -> None:
        """Look for servers again."""
        self._desk.tasks.start(self._look(), name="look for servers")

    # Building -------------------------------------------------------------------------------

    def _build(self) -> None:
        self._column = QVBoxLayout(self)  # whoever shows it scrolls, and gives the edges
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(12)
        self._column.addWidget(label("Who answers?", "title"))
        hint = "Choose a model to play with. You can change it at any time."
        self._column.addWidget(label(hint, "", wrap=True))
        self._card(_REHEARSAL, "play").show_words(
            "Rehearsal", "Built in, works at once, costs nothing", "no network"
        )
        self._column.addWidget(self._cards[_REHEARSAL])
        about = (
            "Rehearsal is no language model: it calls your agents for real and answers in your "
            "character's words, so that you can try everything offline."
        )
        self._column.addWidget(label(about, "quiet", wrap=True))
        self._saved_head, self._saved_rows = self._section("YOUR CONNECTIONS", "answeringSaved")
        _, self._found_rows = self._section("FOUND ON THIS COMPUTER", "answeringFound")
        self._column.addLayout(self._build_looked())
        self._section("WITH A KEY OF YOUR OWN", "answeringOwn")
        self._card(_OTHER, "globe").show_words(
            "Another provider", "Any address that speaks the OpenAI format"
        )
        self._column.addWidget(self._cards[_OTHER])
        self._column.addWidget(self._provider_form)
        self._column.addWidget(self._build_keys())
        more = text_button("Connections in the settings", "answeringSettings", "link")
        more.setAccessibleDescription("Names, worker models, and what was learned of each server.")
        more.clicked.connect(self.settings_wanted)
        self._column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addStretch(1)

    def _build_keys(self) -> QWidget:
        """Say where a key would go, as long as no form does."""
        self._keys = QWidget()
        row = QHBoxLayout(self._keys)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(IconView(self._desk.theme, "key", "fg3", 14))
        self._keys_text = label(_KEYS, "quiet", wrap=True, name="answeringKeys")
        row.addWidget(self._keys_text, 1)
        return self._keys

    def _build_looked(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self._looked = label("", "quiet", wrap=True, name="answeringLooked")
        self._again = text_button("Look again", "answeringLookAgain", "link")
        self._again.setAccessibleDescription("Looks for model servers on the usual ports.")
        row.addWidget(self._looked, 1)
        row.addWidget(self._again)
        return row

    def _section(self, title: str, name: str) -> tuple[QWidget, QVBoxLayout]:
        self._column.addSpacing(4)
        head = label(title, "caps", name=name)
        self._column.addWidget(head)
        rows = QVBoxLayout()
        rows.setSpacing(12)
        self._column.addLayout(rows)
        return head, rows

    def _card(self, key: str, icon: str) -> ChoiceCard:
        card = ChoiceCard(self._desk.theme, f"answering-{key}", icon=icon)
        card.clicked.connect(lambda _on=False: self._pick(key))
        card.step_wanted.connect(lambda step: self._step(key, step))
        self._group.addButton(card)
        self._cards[key] = card
        return card

    def _connect(self) -> None:
        self._again.clicked.connect(self.look)
        self._connections.changed.connect(self._refresh)
        self._connections.found_changed.connect(self._refresh)
        self._provider_form.used.connect(self._on_used)
        self._server_form.used.connect(self._on_used)
        self._tick.timeout.connect(self._tell_looked)
        self._desk.theme.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self._again.setIcon(self._desk.theme.icon("refresh", "accent2", 14))

    # Choosing -------------------------------------------------------------------------------

    def _pick(self, key: str) -> None:
        """Take a choice; what has to be asked first is asked below its card."""
        saved, server = self._saved(key), self._server(key)
        asks = key == _OTHER or (server is not None and server.needs_key and saved is None)
        self._picked = key if asks else None
        if key == _REHEARSAL:
            self._connections.choose(None)
        elif saved is not None:
            self._connections.choose(saved.name)
        elif server is not None and not asks:
            self._connections.use(server)
        self._refresh()
        if asks:
            (self._provider_form if key == _OTHER else self._server_form).focus_first()

    def _on_used(self) -> None:
        self._picked = None
        self._refresh()

    def _step(self, key: str, step: int) -> None:
        """Go to the next card, or the one before; from the last to the first."""
        order = [one for one in self._order() if one in self._cards]
        target = order[(order.index(key) + step) % len(order)]
        self._pick(target)
        self._cards[target].setFocus(Qt.FocusReason.TabFocusReason)

    def _chosen_key(self) -> str:
        chosen = self._connections.chosen
        if chosen is None:
            return _REHEARSAL
        server = next((s for s in self._connections.found if s.base_url == chosen.base_url), None)
        return _found_key(server) if server else _saved_key(chosen)

    def _saved(self, key: str) -> SavedConnection | None:
        """Return the saved connection that a card stands for."""
        server = self._server(key)
        for one in self._connections.saved:
            if key == _saved_key(one) or (
                server is not None
                and one.base_url == server.base_url
                and (one.key is not None or not server.needs_key)
            ):
                return one
        return None

    def _server(self, key: str) -> FoundServer | None:
        return next((one for one in self._connections.found if _found_key(one) == key), None)

    # Showing --------------------------------------------------------------------------------

    def _order(self) -> list[str]:
        found = self._connections.found
        addresses = {server.base_url for server in found}
        saved = [_saved_key(s) for s in self._connections.saved if s.base_url not in addresses]
        return [_REHEARSAL, *saved, *map(_found_key, found), _OTHER]

    def _refresh(self) -> None:
        order = self._order()
        for key in [key for key in self._cards if key not in order]:
            card = self._cards.pop(key)
            self._group.removeButton(card)
            card.hide()
            card.deleteLater()
        for saved in self._connections.saved:
            if _saved_key(saved) in order:
                self._show_saved(saved)
        for place, server in enumerate(self._connections.found):
            self._show_found(server, place)
        self._saved_head.setVisible(any(key.startswith("saved-") for key in order))
        shown = self._picked if self._picked in self._cards else self._chosen_key()
        self._cards[shown].setChecked(True)
        self._show_forms(shown)
        self._tell_looked()

    def _show_saved(self, saved: SavedConnection) -> None:
        key = _saved_key(saved)
        if key not in self._cards:
            self._saved_rows.addWidget(self._card(key, "plug" if saved.local else "globe"))
        host = saved.endpoint.split("/")[2]
        kept = f"key {place_words(saved.key)}" if saved.key else ""
        line = " · ".join(filter(None, (host, saved.model, kept)))
        self._cards[key].show_words(saved.name, line)

    def _show_found(self, server: FoundServer, place: int) -> None:
        key = _found_key(server)
        if key not in self._cards:
            self._found_rows.insertWidget(place, self._card(key, "plug"))
        pill, role = "", "pill"
        if server.needs_key and self._saved(key) is None:
            pill, role = "needs a key", "pillWarn"
        elif server.takes_tools:
            pill, role = "takes tools", "pillOk"
        self._cards[key].show_words(server.name or "A model server", _line(server), pill, role)

    def _show_forms(self, key: str) -> None:
        self._provider_form.setVisible(key == _OTHER)
        self._keys.setVisible(key != _OTHER)
        server = self._server(key)
        if server is None:
            self._server_form.hide()
            return
        known = next((s for s in self._connections.saved if s.base_url == server.base_url), None)
        self._server_form.show_server(server, known)
        self._found_rows.removeWidget(self._server_form)
        self._found_rows.insertWidget(
            self._found_rows.indexOf(self._cards[key]) + 1, self._server_form
        )
        self._server_form.setVisible(self._server_form.worth_showing)

    def _tell_looked(self) -> None:
        looking = self._connections.looking
        self._again.setEnabled(not looking)
        self._looked.setText(_looked_words(looking, self._connections))

    async def _look(self) -> None:
        name = await self._connections.keychain_name()
        self._server_form.show_keychain(name)
        self._provider_form.show_keychain(name)
        self._keys_text.setText(_KEYS if name else _NO_KEYCHAIN)
        await self._connections.look()


def _saved_key(saved: SavedConnection) -> str:
    return f"saved-{saved.name}"


def _found_key(server: FoundServer) -> str:
    return f"found-{server.address}"


def _line(server: FoundServer) -> str:
    if server.needs_key and not server.models:
        return f"{server.address} · asks for a key"
    count = len(server.chats)
    parts = [server.address, "1 model" if count == 1 else f"{count} models"]
    if server.loaded:
        more = len(server.loaded) - 1
        parts.append(f"{server.loaded[0]} is loaded" + (f", {more} more" if more else ""))
    elif server.loaded is not None:
        parts.append("none loaded")
    return " · ".join(parts)


def _looked_words(looking: bool, connections: Connections) -> str:  # noqa: FBT001
    if looking:
        return "Looking on the usual ports …"
    if connections.looked_at is None:
        return "Not looked yet"
    minutes = int((time.time() - connections.looked_at) // 60)
    when = "just now" if minutes < 1 else f"{minutes} min ago"
    if not connections.found:
        return (
            f"No server answered on the usual ports {when}. Start LM Studio, Ollama or llama.cpp, "
            "then look again."
        )
    return f"Looked on the usual ports {when}"
