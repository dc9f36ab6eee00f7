"""What unfolds below a card: the key that a found server asks for, or another provider."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio_qt.errors import StudioError
from studio_qt.providers.connections import SavedConnection, likely_name
from studio_qt.providers.discovery import FoundServer
from studio_qt.providers.endpoint import Endpoint
from studio_qt.providers.model import ModelInfo
from studio_qt.providers.trial import Trial
from studio_qt.ui.connections import Connections, model_words
from studio_qt.ui.desk import Desk
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.basics import IconView, label, text_button
from studio_qt.ui.widgets.keyfield import KeyField

__all__ = ["ProviderForm", "ServerForm"]


class ServerForm(QWidget):
    """For a server that was found: its key where it asks for one, and its model."""

    used = Signal()

    def __init__(self, desk: Desk, connections: Connections) -> None:
        super().__init__()
        self._connections = connections
        self._server: FoundServer | None = None
        self._model = _model_field("answeringModel")
        self._key = KeyField(desk.theme, "answeringServerKey", stacked=True)
        self._use = text_button("Use it", "answeringServerUse", "primary")
        self._use.setAccessibleDescription("Lets this server answer, with this key.")
        self._words = _Words(desk, "answeringServerWords")
        self._use.clicked.connect(self._on_use)
        self._key.field.returnPressed.connect(self._on_use)
        self._model.activated.connect(lambda _index: self._on_model())
        column = _column(self)
        self._key_head = label("Key", "second")
        self._model_head = label("Model", "second")
        column.addWidget(self._key_head)
        column.addWidget(self._key)
        column.addWidget(self._model_head)
        column.addWidget(self._model)
        column.addWidget(self._use, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._words)

    @property
    def worth_showing(self) -> bool:
        """Whether there is anything to decide about the server."""
        server = self._server
        return server is not None and (server.needs_key or len(server.chats) > 1)

    def show_server(self, server: FoundServer, saved: SavedConnection | None) -> None:
        """Show what there is to decide; `saved` is the connection that is kept for it."""
        new = self._server is None or self._server.base_url != server.base_url
        self._server = server
        for widget in (self._key_head, self._key, self._use):
            widget.setVisible(server.needs_key)
        kept = saved.key if saved else None
        if new or kept != self._key.kept:
            self._key.show_kept(kept)
        if new:
            self._words.say("", "")
        chats = server.chats
        self._model_head.setVisible(len(chats) > 1)
        self._model.setVisible(len(chats) > 1)
        _fill(self._model, chats, saved.model if saved else None, server.loaded or ())

    def show_keychain(self, name: str | None) -> None:
        """Say which keychain there is."""
        self._key.show_keychain(name)

    def focus_first(self) -> None:
        """Put the focus where something is to be typed."""
        if self._server is not None and self._server.needs_key:
            self._key.field.setFocus()

    def _on_use(self) -> None:
        if self._server is None:
            return
        try:
            self._connections.use(
                self._server,
                model=self._model.currentData() or None,
                key=self._key.key or None,
                key_in_file=self._key.in_file.isChecked(),
            )
        except StudioError as error:
            self._words.say(str(error), "err")
            return
        self._words.say("It answers from now on.", "ok")
        self.used.emit()

    def _on_model(self) -> None:
        if self._server is not None:
            self._connections.use(self._server, model=self._model.currentData() or None)


class ProviderForm(QWidget):
    """For any other address: the address, its key, a test, and the model."""

    used = Signal(str)  # the name of the connection

    def __init__(self, desk: Desk, connections: Connections) -> None:
        super().__init__()
        self._desk, self._connections = desk, connections
        self._running: asyncio.Task[None] | None = None
        self.address = QLineEdit()
        self.address.setObjectName("answeringAddress")
        self.address.setAccessibleName("Address")
        self.address.setPlaceholderText("https://openrouter.ai/api/v1")
        self._key = KeyField(desk.theme, "answeringKey", stacked=True)
        self._model = _model_field("answeringProviderModel")
        self._model.setLineEdit(_named_line("answeringProviderModelText"))
        self._model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._test = text_button("Test", "answeringTest")
        self._use = text_button("Use it", "answeringUse", "primary")
        self._words = _Words(desk, "answeringWords")
        self._test.clicked.connect(lambda: self._start(self._try_out))
        self._use.clicked.connect(self._on_use)
        self.address.returnPressed.connect(lambda: self._start(self._list_models))
        self._key.field.returnPressed.connect(lambda: self._start(self._list_models))
        self._build()

    def show_keychain(self, name: str | None) -> None:
        """Say which keychain there is."""
        self._key.show_keychain(name)

    def focus_first(self) -> None:
        """Put the focus into the address."""
        self.address.setFocus()

    def _build(self) -> None:
        column = _column(self)
        column.addWidget(label("Address", "second"))
        column.addWidget(self.address)
        column.addWidget(label("Key", "second"))
        column.addWidget(self._key)
        column.addWidget(label("Model", "second"))
        column.addWidget(self._model)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._test)
        row.addWidget(self._use)
        row.addStretch(1)
        column.addLayout(row)
        column.addWidget(self._words)

    def _start(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Start a test, or stop the one that runs; the fields stay as they are."""

        if self._running is not None:
            self._running.cancel()
            return

        async def run() -> None:
            self._test.setText("Stop")
            try:
                await work()
            except asyncio.CancelledError:
                self._words.say("The test was stopped.", "")
                raise
            finally:
                self._running = None
                self._test.setText("Test")

        self._running = self._desk.tasks.start(run(), name="test connection", on_error=self._failed)

    def _failed(self, error: Exception) -> None:
        self._words.say(sentence(error), "err")

    async def _list_models(self) -> None:
        self._words.say("Asking for the models …", "")
        chats = await self._offered()
        self._words.say(
            f"It lists {len(chats)} models." if chats else "It lists no models; type an id.", "ok"
        )

    async def _offered(self) -> list[ModelInfo]:
        base_url = Endpoint.parse(self.address.text()).base
        listed = await self._connections.offered(base_url, self._key.key or None)
        chats = [info for info in listed if info.kind == "chat"]
        _fill(self._model, chats, self._typed_model() or None, ())
        return chats

    async def _try_out(self) -> None:
        self._words.say("Asking …", "")
        base_url = Endpoint.parse(self.address.text()).base
        if not self._typed_model():
            chats = await self._offered()
            if len(chats) != 1:
                self._words.say(
                    f"It answers and lists {len(chats)} models. Choose one, then test it.", "ok"
                )
                return
        trial = await self._connections.test(
            base_url,
            self._typed_model() or "",
            self._key.key or None,
            told=lambda reason: self._words.say(f"{reason} It is asked again in a moment.", ""),
        )
        self._show_trial(trial)

    def _show_trial(self, trial: Trial) -> None:
        if not trial.works:
            self._words.say(trial.sentence, "err")
        elif trial.calls_tools is False:
            self._words.say(f"Works. {trial.sentence}", "warn")
        else:
            self._words.say(f"Works. {trial.sentence}", "ok")

    def _on_use(self) -> None:
        try:
            wish = likely_name(self.address.text())
            saved = SavedConnection(
                name=self._connections.free_name(wish),
                base_url=self.address.text().strip(),
                model=self._typed_model() or None,
            )
            self._connections.save(
                saved,
                key=self._key.key or None,
                key_in_file=self._key.in_file.isChecked(),
                choose=True,
            )
        except StudioError as error:
            self._words.say(str(error), "err")
            return
        self._key.clear()
        self.address.clear()
        self._words.say("", "")
        self.used.emit(saved.name)

    def _typed_model(self) -> str:
        return self._model.currentText().split("  ")[0].strip()


class _Words(QWidget):
    """A sentence with its icon; hidden when there is nothing to say."""

    _ICONS = {"ok": "check", "err": "alert", "warn": "warning", "": "info"}  # noqa: RUF012

    def __init__(self, desk: Desk, name: str) -> None:
        super().__init__()
        self._icon = IconView(desk.theme, "info", "fg3", 14)
        self._text = label("", "second", wrap=True, name=name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        self.hide()

    def say(self, text: str, tone: str) -> None:
        """Show a sentence; `tone` is "ok", "warn", "err" or ""."""
        self._icon.set_icon(self._ICONS[tone], tone or "fg3")
        self._text.setText(text)
        self._text.setAccessibleName(text)
        if text:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
        self.setVisible(bool(text))


def _column(inside: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(inside)
    column.setContentsMargins(2, 4, 2, 8)
    column.setSpacing(6)
    return column


def _model_field(name: str) -> QComboBox:
    field = QComboBox()
    field.setObjectName(name)
    field.setAccessibleName("Model")
    field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    field.setMinimumContentsLength(12)
    return field


def _named_line(name: str) -> QLineEdit:
    line = QLineEdit()
    line.setObjectName(name)
    line.setAccessibleName("Model")
    return line


def _fill(
    field: QComboBox, chats: Sequence[ModelInfo], chosen: str | None, loaded: Sequence[str]
) -> None:
    """List models with what is known of them; the chosen one, or the first, is current."""
    rows = [(info.id, _row(info, loaded)) for info in chats]
    if [field.itemData(index) for index in range(field.count())] != [name for name, _ in rows]:
        field.clear()
        for name, text in rows:
            field.addItem(text, name)
    place = field.findData(chosen)
    if place >= 0:
        field.setCurrentIndex(place)
    elif chosen and field.isEditable():
        field.setEditText(chosen)


def _row(info: ModelInfo, loaded: Sequence[str]) -> str:
    known = " · ".join(filter(None, (model_words(info), "loaded" if info.id in loaded else "")))
    return f"{info.id}  ({known})" if known else info.id
