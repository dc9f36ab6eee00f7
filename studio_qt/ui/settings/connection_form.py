"""The fields of one connection: each is taken when it is left, and tells what is wrong below."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, QTime, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio_qt.errors import StudioError
from studio_qt.providers.connections import SavedConnection, likely_name
from studio_qt.providers.model import ModelInfo
from studio_qt.providers.trial import Trial
from studio_qt.ui.connections import Connections, model_words
from studio_qt.ui.desk import Desk
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.basics import IconView, give_icon, label, text_button
from studio_qt.ui.widgets.inputs import FormRow
from studio_qt.ui.widgets.keyfield import KeyField

__all__ = ["ConnectionForm"]

_WIDE = 620


class ConnectionForm(QWidget):
    """Shows a saved connection, or takes a new one.

    `kept` carries the name under which a connection was saved; `remove_wanted` asks for the end of
    the one that is shown; `models_known` comes when the list
    of models is there.
    """

    kept = Signal(str)
    remove_wanted = Signal()
    models_known = Signal()

    def __init__(self, desk: Desk, connections: Connections) -> None:
        super().__init__()
        self._desk, self._connections = desk, connections
        self._saved: SavedConnection | None = None
        self._listed: dict[str, tuple[ModelInfo, ...]] = {}
        self._asked: dict[str, object] = {}
        self._trials: dict[str, tuple[str, str, str]] = {}
        self._testing: asyncio.Task[None] | None = None
        self._wide: bool | None = None
        self._name = _line("connectionName")
        self._address = _line("connectionAddress")
        self._address.setPlaceholderText("https://openrouter.ai/api/v1")
        self._key = KeyField(desk.theme, "connectionKey", stacked=True)
        self._main = _models("connectionModel", "as the character suggests")
        self._worker = _models("connectionWorker", "the main model")
        theme = desk.theme
        self._name_row = FormRow(theme, "Name", self._name)
        self._address_row = FormRow(theme, "Address", self._address)
        self._key_row = FormRow(theme, "Key", self._key)
        self._main_row = FormRow(theme, "Main model", self._main)
        self._worker_row = FormRow(theme, "Worker model", self._worker)
        self._use = text_button("Let it answer", "connectionUse", "primary")
        self._remove = text_button("Remove", "connectionRemove")
        self._no_key = text_button("Remove the key", "connectionKeyRemove", "link")
        self._test = text_button("Test the connection", "connectionTest")
        self._verdict = _Verdict(desk)
        self._build()
        self._connect()

    @property
    def saved(self) -> SavedConnection | None:
        """The connection that is shown; None for a new one."""
        return self._saved

    def told_window(self) -> int | None:
        """Return the context length that the list tells of the main model."""
        info = self._known(self._saved.model if self._saved else None)
        return info.context_length if info else None

    def show_connection(self, saved: SavedConnection | None) -> None:
        """Show a connection; None is a new one. What is being typed into it stays."""
        same = saved is not None and self._saved is not None and saved.name == self._saved.name
        before, self._saved = self._saved, saved
        self._put(self._name, saved.name if saved else "", keep=same)
        self._put(self._address, saved.base_url if saved else "", keep=same)
        kept = saved.key if saved else None
        if not same or (before is not None and before.key != kept):
            self._key.show_kept(kept)
        self._key_row.set_hint("not needed here" if saved and saved.local and not kept else "")
        self._no_key.setVisible(kept is not None)
        for row in (self._name_row, self._address_row, self._key_row, self._main_row):
            if not same:
                row.show_state("")
        chosen = self._connections.chosen
        answers = saved is not None and chosen is not None and chosen.name == saved.name
        self._use.setVisible(saved is not None)
        self._use.setEnabled(not answers)
        self._use.setText("It answers now" if answers else "Let it answer")
        self._remove.setVisible(saved is not None)
        self._test.setEnabled(saved is not None or self._testing is not None)
        self._verdict.say(*self._trials.get(saved.name if saved else "", ("", "", "")))
        self._show_models()
        if saved is not None and saved.base_url not in self._listed:
            self._listed[saved.base_url] = ()
            self._desk.tasks.start(self._list_models(saved), name="list models")

    def show_keychain(self, name: str | None) -> None:
        """Say which keychain there is."""
        self._key.show_keychain(name)

    def focus_first(self) -> None:
        """Put the focus where a new connection begins."""
        self._address.setFocus()

    # Taking what was given ------------------------------------------------------------------

    def _on_name(self) -> None:
        name = self._name.text().strip()
        if self._saved is None or name == self._saved.name:
            return
        old = self._saved.name
        self._attempt(self._name_row, lambda: self._connections.change(old, name=name), name)

    def _on_address(self) -> None:
        address = self._address.text().strip()
        if self._saved is not None:
            old = self._saved
            if address != old.base_url:
                change = self._connections.change
                self._attempt(
                    self._address_row, lambda: change(old.name, base_url=address), old.name
                )
            return
        if not address:
            return
        try:
            wish = self._name.text().strip() or likely_name(address)
        except StudioError as error:
            self._address_row.show_state("error", str(error))
            return
        name = self._connections.free_name(wish)
        key = self._key.key or None

        def add() -> None:
            fresh = SavedConnection(name=name, base_url=address)
            in_file = self._key.in_file.isChecked()
            self._connections.save(fresh, key=key, key_in_file=in_file)

        self._attempt(self._address_row, add, name)

    def _on_key(self) -> None:
        if self._saved is not None and self._key.key:
            saved = self._saved
            self._listed.pop(saved.base_url, None)
            self._attempt(
                self._key_row,
                lambda: self._connections.save(
                    saved, key=self._key.key, key_in_file=self._key.in_file.isChecked()
                ),
                saved.name,
            )

    def _on_place(self) -> None:
        """Move a key that is kept in memory or in the file to where the user wants it now."""
        saved = self._saved
        if saved is None or saved.key not in {"session", "file"}:
            return
        in_file = self._key.in_file.isChecked()

        async def move() -> None:
            if (kept := await self._connections.key_of(saved.base_url)) is not None:
                self._connections.save(saved, key=kept.key, key_in_file=in_file)

        self._desk.tasks.start(move(), name="move key")

    def _on_no_key(self) -> None:
        if self._saved is not None:
            self._connections.save(self._saved, key="")

    def _on_model(self, field: QComboBox, which: str) -> None:
        model = _typed(field)
        saved = self._saved
        if saved is not None and model != getattr(saved, which):
            self._connections.change(saved.name, **{which: model})

    def _attempt(self, row: FormRow, act: Callable[[], None], name: str) -> None:
        try:
            act()
        except StudioError as error:
            row.show_state("error", str(error))
            return
        row.show_state("")
        self.kept.emit(name)

    # Asking ---------------------------------------------------------------------------------

    async def _list_models(self, saved: SavedConnection) -> None:
        """Ask a server for its models; its answer counts unless it is asked once more meanwhile.

        What is told is told while this address is shown: another may be by then.
        """
        place, mark = saved.base_url, object()
        self._asked[place] = mark
        self._main_row.set_hint("asking …")
        offered: tuple[ModelInfo, ...] = ()
        fault = ""
        try:
            offered = tuple(await self._connections.offered(place))
        except StudioError as error:
            fault = str(error)
        if self._asked.get(place) is not mark:
            return
        if fault:
            self._listed.pop(place, None)
        else:
            self._listed[place] = tuple(info for info in offered if info.kind == "chat")
        if self._saved is not None and self._saved.base_url == place:
            self._show_listed(fault)
        if not fault:
            self.models_known.emit()

    def _show_listed(self, fault: str) -> None:
        if fault:
            self._main_row.set_hint("the list cannot be had")
            self._main_row.show_state("warn", fault)
            return
        self._main_row.show_state("")
        self._show_models()
        if self._saved is not None and not self._listed.get(self._saved.base_url):
            self._main_row.set_hint("none is listed: write its name")

    def _on_test(self) -> None:
        saved = self._saved
        if self._testing is not None:
            self._testing.cancel()
            return
        if saved is None:
            return
        offered = self._listed.get(saved.base_url, ())
        only = offered[0].id if len(offered) == 1 else ""
        model = saved.model or only
        if not model:
            self._verdict.say("warn", "Choose a main model, then test it.", "")
            self._main.setFocus()
            return
        self._test.setText("Stop the test")
        self._verdict.say("", "Asking for a few words and a tool call …", "")
        self._testing = self._desk.tasks.start(
            self._try_out(saved, model), name="test connection", on_error=self._on_test_failed
        )

    async def _try_out(self, saved: SavedConnection, model: str) -> None:
        def told(reason: str) -> None:
            if self._saved is not None and self._saved.name == saved.name:
                self._verdict.say("", f"{reason} It is asked again in a moment.", "")

        try:
            trial = await self._connections.test(saved.base_url, model, told=told)
        except asyncio.CancelledError:
            self._verdict.say("", "The test was stopped.", "")
            raise
        finally:
            self._testing = None
            self._test.setText("Test the connection")
        self._trials[saved.name] = _verdict_of(trial)
        if self._saved is not None and self._saved.name == saved.name:
            self._verdict.say(*self._trials[saved.name])
            self.models_known.emit()

    def _on_test_failed(self, error: Exception) -> None:
        self._verdict.say("err", sentence(error), "")

    # Showing --------------------------------------------------------------------------------

    def _show_models(self) -> None:
        saved = self._saved
        offered = self._listed.get(saved.base_url, ()) if saved else ()
        for field, row, chosen in (
            (self._main, self._main_row, saved.model if saved else None),
            (self._worker, self._worker_row, saved.worker_model if saved else None),
        ):
            _offer(field, offered)
            _choose(field, chosen)
            info = self._known(chosen or (saved.model if saved else None))
            row.set_hint(self._hint(info) if info else "")

    def _hint(self, info: ModelInfo) -> str:
        own = self._desk.preferences.player.context_window
        words = model_words(info)
        if own is not None and info.context_length and own < info.context_length:
            return f"{own:,} of {words}"
        return words

    def _known(self, model: str | None) -> ModelInfo | None:
        offered = self._listed.get(self._saved.base_url, ()) if self._saved else ()
        return next((info for info in offered if info.id == model), None)

    def _put(self, field: QLineEdit, text: str, *, keep: bool) -> None:
        if not (keep and (field.hasFocus() or field.property("state") == "error")):
            field.setText(text)

    def _connect(self) -> None:
        self._name.editingFinished.connect(self._on_name)
        self._address.editingFinished.connect(self._on_address)
        self._key.field.editingFinished.connect(self._on_key)
        self._no_key.clicked.connect(self._on_no_key)
        self._key.in_file.clicked.connect(lambda _on: self._on_place())
        for field, which in ((self._main, "model"), (self._worker, "worker_model")):
            field.activated.connect(lambda _at, f=field, w=which: self._on_model(f, w))
            line = field.lineEdit()
            assert line is not None
            line.editingFinished.connect(lambda f=field, w=which: self._on_model(f, w))
        self._test.clicked.connect(self._on_test)
        self._use.clicked.connect(
            lambda: self._connections.choose(self._saved.name if self._saved else None)
        )
        self._remove.clicked.connect(self.remove_wanted)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay(wide=event.size().width() >= self._desk.theme.scaled(_WIDE))

    def _lay(self, *, wide: bool) -> None:
        """Put the fields in two columns, or below each other where there is no room for two."""
        if wide == self._wide:
            return
        self._wide = wide
        left = (self._name_row, self._address_row, self._key_row)
        right = (self._main_row, self._worker_row, self._buttons)
        for widget in (*left, *right):
            self._grid.removeWidget(widget)
        for place, widget in enumerate((*left, *right)):
            row, column = (place % 3, place // 3) if wide else (place, 0)
            self._grid.addWidget(widget, row, column, Qt.AlignmentFlag.AlignTop)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1 if wide else 0)

    def _build(self) -> None:
        give_icon(self._desk.theme, self._test, "play")
        give_icon(self._desk.theme, self._remove, "trash")
        self._key_row.side.addWidget(self._no_key)
        grid = QGridLayout()
        grid.setHorizontalSpacing(20)
        grid.setVerticalSpacing(8)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(0, 20, 0, 0)
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self._remove)
        buttons.addWidget(self._use)
        self._buttons = QWidget()
        self._buttons.setLayout(buttons)
        self._grid = grid
        self._lay(wide=True)
        test = QHBoxLayout()
        test.setSpacing(10)
        test.addWidget(self._test, 0, Qt.AlignmentFlag.AlignTop)
        test.addWidget(self._verdict, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addLayout(grid)
        column.addLayout(test)


class _Verdict(QWidget):
    """What came of a test, and when."""

    _ICONS = {"ok": "check", "warn": "warning", "err": "alert", "": "info"}  # noqa: RUF012

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._icon = IconView(desk.theme, "info", "fg3", 15)
        self._first = label("", "ok")
        self._text = label("", "", wrap=True, name="connectionVerdict")
        self._time = label("", "second")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 5, 0, 0)
        row.setSpacing(8)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(self._icon, 0, top)
        row.addWidget(self._first, 0, top)
        row.addWidget(self._text, 1, top)
        row.addWidget(self._time, 0, top)

    def say(self, tone: str, text: str, time: str) -> None:
        """Show a sentence; `tone` is "ok", "warn", "err" or ""."""
        self._icon.set_icon(self._ICONS[tone], tone or "fg3")
        self._icon.setVisible(bool(text))
        self._first.setText("Works." if tone in ("ok", "warn") and time else "")
        self._first.setVisible(bool(self._first.text()))
        self._text.setText(text)
        self._text.setAccessibleName(text)
        if text:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
        self._time.setText(time)


def _verdict_of(trial: Trial) -> tuple[str, str, str]:
    now = QTime.currentTime().toString("HH:mm")
    if not trial.works:
        return "err", trial.sentence, now
    return ("warn" if trial.calls_tools is False else "ok"), trial.sentence, now


def _line(name: str) -> QLineEdit:
    field = QLineEdit()
    field.setObjectName(name)
    return field


def _models(name: str, nothing: str) -> QComboBox:
    field = QComboBox()
    field.setObjectName(name)
    field.setLineEdit(_line(f"{name}Text"))
    field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    field.addItem(nothing, None)
    field.setMaxVisibleItems(16)
    return field


def _offer(field: QComboBox, offered: Sequence[ModelInfo]) -> None:
    ids = [info.id for info in offered]
    if [field.itemData(place) for place in range(1, field.count())] == ids:
        return
    while field.count() > 1:
        field.removeItem(1)
    for info in offered:
        words = model_words(info)
        field.addItem(f"{info.id}  ({words})" if words else info.id, info.id)


def _choose(field: QComboBox, model: str | None) -> None:
    line = field.lineEdit()
    if line is not None and line.hasFocus() and line.isModified():
        return  # it is being typed into
    place = field.findData(model)
    field.setCurrentIndex(place if model is not None else 0)
    field.setEditText(model or field.itemText(0))


def _typed(field: QComboBox) -> str | None:
    """Return the model that stands in a field; None for the first line and an empty one."""
    text = field.currentText().strip()
    place = field.findText(text)
    if place >= 0:
        data = field.itemData(place)
        return data if isinstance(data, str) else None
    return text.split("  (")[0] or None
