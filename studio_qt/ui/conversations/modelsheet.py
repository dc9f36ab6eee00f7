"""`ModelSheet`: which model answers in the conversation that is open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QWidget

from studio_qt.ui.desk import Desk
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.basics import label, text_button
from studio_qt.ui.widgets.inputs import SearchField
from studio_qt.ui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["ModelSheet"]

_HEIGHT = 260


class ModelSheet(Sheet):
    """Lists what the endpoint offers, below whoever answers everywhere else.

    `settings_wanted` asks for the connections; the sheet deletes itself when it closes.
    """

    settings_wanted = Signal()
    widest = 480

    def __init__(self, desk: Desk, over: QWidget, player: CharacterPlayer) -> None:
        super().__init__(desk.theme, over, "Who answers in this conversation")
        self.setObjectName("conversationModels")
        self._desk, self._player = desk, player
        self._offered: Sequence[str] = ()
        self.field = SearchField(desk.theme, "Filter models", "conversationModelsFilter")
        self.list = QListWidget()
        self._says = label("", "second", wrap=True, name="conversationModelsText")
        self._use = text_button("Use", "conversationModelsUse", "primary")
        self._build()
        self._connect()
        self._fill()
        self.finished.connect(self.deleteLater)

    def lay(self) -> None:
        super().lay()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        self._says.setText("Asking which models there are …")
        self._desk.tasks.start(
            self._ask(), name="offered models", on_error=lambda error: self._say(sentence(error))
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take()
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._step(1 if event.key() == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)

    async def _ask(self) -> None:
        self._offered = await self._player.offered_models()
        if self.is_open:
            self._fill()
            if self._offered:
                self._say("It is kept with the conversation. Others are not changed by it.")
            elif self._player.character.model_label == "Rehearsal":
                self._say("The built-in Rehearsal answers. Choose a connection to have models.")
            else:
                self._say("The endpoint lists no models. The settings name the one that answers.")

    def _say(self, text: str) -> None:
        if self.is_open:
            self._says.setText(text)
            self.cover()

    def _fill(self) -> None:
        chosen, words = self._player.main_model, self.field.text().casefold()
        self.list.clear()
        self._add("", "As everywhere: what the settings say")
        offered = list(self._offered)
        if chosen and chosen not in offered:
            offered.insert(0, chosen)
        for model in offered:
            if words in model.casefold():
                gone = model not in self._offered and bool(self._offered)
                self._add(model, f"{model}   (not offered any more)" if gone else model)
        rows = range(self.list.count())
        ids = [self.list.item(row).data(Qt.ItemDataRole.UserRole) for row in rows]
        at = ids.index(chosen) if chosen in ids else 0
        self.list.setCurrentRow(1 if words and len(ids) > 1 else at)

    def _add(self, model: str, words: str) -> None:
        item = QListWidgetItem(words)
        item.setData(Qt.ItemDataRole.UserRole, model)
        self.list.addItem(item)

    def _step(self, by: int) -> None:
        row = self.list.currentRow() + by
        if 0 <= row < self.list.count():
            self.list.setCurrentRow(row)

    def _take(self) -> None:
        items = self.list.selectedItems()
        model = str(items[0].data(Qt.ItemDataRole.UserRole)) if items else ""
        self._desk.tasks.start(
            self._choose(model or None),
            name="choose model",
            on_error=lambda error: self._say(sentence(error)),
        )

    async def _choose(self, model: str | None) -> None:
        await self._player.choose_model(model)
        self.accept()

    def _on_settings(self) -> None:
        self.reject()
        self.settings_wanted.emit()

    def _connect(self) -> None:
        self.field.textChanged.connect(lambda _text: self._fill())
        self.field.down_wanted.connect(lambda: self._step(1))
        self.list.itemDoubleClicked.connect(lambda _item: self._take())
        self._use.clicked.connect(self._take)

    def _build(self) -> None:
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.addWidget(label("Who answers in this conversation", "title", wrap=True))
        self.column.addWidget(self.field)
        self.list.setObjectName("conversationModelsList")
        self.list.setAccessibleName("Models")
        self.list.setAccessibleDescription("Enter lets the model answer in this conversation.")
        self.list.setFixedHeight(_HEIGHT)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.column.addWidget(self.list)
        self.column.addWidget(self._says)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        settings = text_button("Connections…", "conversationModelsSettings", "link")
        settings.clicked.connect(self._on_settings)
        foot.addWidget(settings)
        foot.addStretch(1)
        cancel = text_button("Cancel", "conversationModelsClose")
        cancel.clicked.connect(self.reject)
        foot.addWidget(cancel)
        foot.addWidget(self._use)
        self.column.addLayout(foot)
