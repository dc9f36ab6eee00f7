"""`AddressSheet`: asks for the address of a character, and shows how much of it has come."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QProgressBar, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label, text_button
from studio_qt.ui.widgets.inputs import FormRow
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["AddressSheet"]

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEPS = 1000
_MB = 1024 * 1024


class AddressSheet(Sheet):
    """`fetch_wanted` carries the address; `stop_wanted` asks to end what runs."""

    fetch_wanted = Signal(str)
    stop_wanted = Signal()

    widest = 560

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(theme, over, "Import from an address")
        self.setObjectName("addressSheet")
        self.column.setContentsMargins(20, 18, 20, 16)
        self._busy = False
        self.address = QLineEdit()
        self.address.setObjectName("importAddress")
        self.address.setPlaceholderText("https://…")
        self._row = FormRow(theme, "Address", self.address, "a zip or a card, by https")
        self._bar = QProgressBar()
        self._bar.setObjectName("addressProgress")
        self._bar.setAccessibleName("How much has come")
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(4)
        self._said = label("", "second", wrap=True, name="addressSaid")
        self.cancel = text_button("Cancel", "addressCancel")
        self.fetch = text_button("Fetch", "addressFetch", "primary")
        self.fetch.setAccessibleDescription("Fetches the file and shows what is in it.")
        self._build()

    def begin(self, address: str) -> None:
        """Show the sheet with an address to start from; one that is open keeps what is typed."""
        if self.address.text().strip() and self.come_up():
            return
        self.address.setText(address)
        self._row.show_state("", "")
        self.set_busy(busy=False)
        self.lay()
        self.address.setFocus(Qt.FocusReason.PopupFocusReason)
        self.address.selectAll()

    def set_busy(self, *, busy: bool) -> None:
        """Let nothing be changed while it comes."""
        self._busy = busy
        self.address.setEnabled(not busy)
        self.fetch.setEnabled(not busy)
        self.cancel.setText("Stop" if busy else "Cancel")
        self.cancel.setAccessibleName(self.cancel.text())
        self._bar.setVisible(busy)
        self._bar.setRange(0, 0)
        self._said.setText("Asking for it …" if busy else "It is checked before it is opened.")
        if busy:
            self._row.show_state("", "")
            self.cancel.setFocus(Qt.FocusReason.OtherFocusReason)
        self.cover()

    def show_progress(self, come: int, whole: int) -> None:
        """Show how many bytes have come; `whole` 0 is not known."""
        if not self._busy:
            return
        words = f"{come / _MB:,.1f} MB have come"
        if whole:
            self._bar.setRange(0, _STEPS)
            self._bar.setValue(min(_STEPS, come * _STEPS // whole))
            words = f"{come / _MB:,.1f} of {whole / _MB:,.1f} MB have come"
        self._said.setText(words)

    def refuse(self, reason: str) -> None:
        """Say why it did not come."""
        self.set_busy(busy=False)
        self._row.show_state("error", reason)
        self.cover()
        self.address.setFocus()

    def reject(self) -> None:
        """Stop what runs; else close."""
        if self._busy:
            self.stop_wanted.emit()
        else:
            super().reject()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ENTER:
            self._on_fetch()
        else:
            super().keyPressEvent(event)

    def _on_fetch(self) -> None:
        address = self.address.text().strip()
        if self._busy:
            return
        if address:
            self.fetch_wanted.emit(address)
        else:
            self.refuse("Write the address of a zip or a card, such as https://example.org/a.zip.")

    def _build(self) -> None:
        self.column.addWidget(label("Import from an address", "title"))
        self.column.addWidget(self._row)
        self.column.addWidget(self._bar)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self._said, 1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.fetch)
        self.column.addLayout(foot)
        self.cancel.clicked.connect(self.reject)
        self.fetch.clicked.connect(self._on_fetch)
        self.address.textEdited.connect(lambda _text: self._row.show_state("", ""))
