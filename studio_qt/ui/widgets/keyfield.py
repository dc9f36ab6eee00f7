"""`KeyField`: the field for a provider's key, which always says where the key is kept."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, IconView, label

__all__ = ["KeyField", "place_words"]

_PLACES = {
    "keychain": "in the system's keychain",
    "session": "until the program ends",
    "file": "in keys.json of your own folder",
}


def place_words(place: str | None) -> str:
    """Return where a key is, for people; "" for nowhere."""
    return _PLACES.get(place or "", "")


class KeyField(QWidget):
    """Takes a key, hidden unless the user looks at it; shows a kept one only as dots.

    `edited` follows every change by the user.
    """

    edited = Signal()

    def __init__(self, theme: Theme, name: str, *, stacked: bool = False) -> None:
        super().__init__()
        self._kept: str | None = None
        self._chain: str | None = ""
        self.field = QLineEdit()
        self.field.setObjectName(name)
        self.field.setAccessibleName("Key")
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setInputMethodHints(
            Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText
        )
        self.field.setMaxLength(4096)
        self.field.textEdited.connect(lambda _text: self.edited.emit())
        self.look = IconButton(theme, "eye", "Show the key", name=f"{name}Look")
        self.look.setCheckable(True)
        self.look.toggled.connect(self._show)
        self._icon = IconView(theme, "key", "fg3", 14)
        self._where = label("", "quiet", wrap=stacked, name=f"{name}Place")
        self.in_file = QCheckBox("Keep it in a file of mine")
        self.in_file.setObjectName(f"{name}InFile")
        self.in_file.setAccessibleName(self.in_file.text())
        self.in_file.setAccessibleDescription(
            "There is no keychain. The file keys.json in your own folder can be read by you alone."
        )
        self.in_file.toggled.connect(lambda _on: self._tell())
        self._build(stacked=stacked)
        self._tell()

    @property
    def kept(self) -> str | None:
        """Where the key is kept that is shown as dots; None for none."""
        return self._kept

    @property
    def key(self) -> str:
        """What was typed; "" for nothing."""
        return self.field.text()

    def clear(self) -> None:
        """Forget what was typed."""
        self.field.clear()
        self.look.setChecked(False)

    def show_kept(self, place: str | None) -> None:
        """Say where a key is kept; None for no key. What was typed is forgotten."""
        self._kept = place
        self.in_file.setChecked(place == "file")
        self.clear()
        self._tell()

    def show_keychain(self, name: str | None) -> None:
        """Say which keychain there is; None for none."""
        self._chain = name
        self._tell()

    def _show(self, shown: bool) -> None:  # noqa: FBT001 - a slot
        mode = QLineEdit.EchoMode.Normal if shown else QLineEdit.EchoMode.Password
        self.field.setEchoMode(mode)
        self.look.set_icon("eye-off" if shown else "eye")
        self.look.setAccessibleName("Hide the key" if shown else "Show the key")

    def _tell(self) -> None:
        self.in_file.setVisible(self._chain is None)
        if self._kept:
            self.field.setPlaceholderText("••••••••••••")
            where = f"kept {place_words(self._kept)}"
        else:
            self.field.setPlaceholderText("none")
            where = self._promise()
        self._where.setText(where)
        self.field.setAccessibleDescription(where)

    def _promise(self) -> str:
        if self._chain is not None:
            return "Keys go into the system's keychain, never into a project."
        if self.in_file.isChecked():
            return "There is no keychain: the key goes into keys.json, which only you can read."
        return "There is no keychain: the key is kept until the program ends."

    def _build(self, *, stacked: bool) -> None:
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(6)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.field, 1)
        row.addWidget(self.look)
        where = QHBoxLayout()
        where.setSpacing(8)
        where.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        where.addWidget(self._where, 1 if stacked else 0)
        outer.addLayout(row)
        outer.addLayout(where)
        if not stacked:
            where.addStretch(1)
        outer.addWidget(self.in_file, 0, Qt.AlignmentFlag.AlignLeft)
