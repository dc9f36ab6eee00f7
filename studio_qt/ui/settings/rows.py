"""`SettingRow`: one setting with its field, its unit, its default, and what is wrong with it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.errors import StudioError
from studio_qt.ui.desk import Desk
from studio_qt.ui.settings.declared import Declared, shown
from studio_qt.ui.settings.fields import Field, Lists, make_field
from studio_qt.ui.widgets.basics import IconButton, IconView, label

__all__ = ["SettingRow"]

_FIELD_WIDTH = 250
_FIELD_LEAST = 80
_UNIT_WIDTH = 60
_GAP = 12
_WIDE = 620


class SettingRow(QWidget):
    """Shows a setting and takes what is given for it at once.

    What cannot be is told below the field and not taken; it stays there to be mended. The arrow
    at the end goes back to the default.
    """

    def __init__(self, desk: Desk, declared: Declared, lists: Lists) -> None:
        super().__init__()
        self._desk, self.declared = desk, declared
        self._wrong = False
        self._shown: object = self  # no value
        self._dressed_at = 0
        self._top: QBoxLayout | None = None
        self.field: Field = make_field(declared, lists)
        self.setObjectName(f"row_{declared.name}")
        self._trouble = label("", "fieldError", wrap=True, name=f"trouble_{declared.name}")
        self._unit = label(declared.setting.unit, "quiet")
        self._mark = IconView(desk.theme, "alert", "err", 14)
        self._reset = IconButton(
            desk.theme, "undo", "Reset to default", name=f"reset_{declared.name}", kind="icon"
        )
        self._reset.setAccessibleDescription(
            f"{declared.setting.label}: {self._default_words()} is the default."
        )
        policy = self._reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._reset.setSizePolicy(policy)
        self._build()
        self.field.entered.connect(self._on_entered)
        self._reset.clicked.connect(self._on_reset)
        desk.preferences.changed.connect(self._on_preferences)
        self.refresh()

    def refresh(self) -> None:
        """Show the value in force, unless another is being typed or is wrong."""
        value = self._shown = self.declared.value(self._desk.preferences)
        self._reset.setVisible(value != self.declared.default or self._wrong)
        if not self.field.pending and not self._wrong:
            self.field.show_value(value)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the field stand below its name where there is no room beside it."""
        super().resizeEvent(event)
        if self._top is not None:
            wide = event.size().width() >= self._desk.theme.scaled(_WIDE)
            way = QBoxLayout.Direction
            self._top.setDirection(way.LeftToRight if wide else way.TopToBottom)
            self._fit_field()

    def hideEvent(self, event: QHideEvent) -> None:
        """Take what was typed last."""
        if self.field.pending:
            self._on_entered()
        super().hideEvent(event)

    def _on_preferences(self) -> None:
        """Show another value; a change of one setting is told to the rows of all."""
        if self.declared.value(self._desk.preferences) != self._shown:
            self.refresh()

    def _on_theme(self) -> None:
        if self._dressed_at != self._desk.theme.interface_size:
            self._dress()

    def _on_entered(self) -> None:
        try:
            value = self.field.value()
            self.declared.take(self._desk.preferences, value)
        except StudioError as error:
            self._show_trouble(str(error))
        else:
            self._show_trouble("")
        self.refresh()

    def _on_reset(self) -> None:
        self._show_trouble("")
        self.declared.take(self._desk.preferences, self.declared.default)
        self.field.show_value(self.declared.default)
        self.refresh()
        self.field.setFocus()

    def _show_trouble(self, sentence: str) -> None:
        self._wrong = bool(sentence)
        self._trouble.setText(sentence)
        self._trouble.setVisible(self._wrong)
        self._mark.setVisible(self._wrong)
        control = self.field.control
        control.setProperty("state", "error" if self._wrong else None)
        control.setAccessibleDescription(sentence or self.declared.setting.help)
        control.style().polish(control)

    def _dress(self) -> None:
        """Let fields and units of all rows stand below each other, at the size of the words."""
        scaled = self._desk.theme.scaled
        self._dressed_at = self._desk.theme.interface_size
        self._unit.setFixedSize(scaled(_UNIT_WIDTH), scaled(28))
        self._fit_field()

    def _fit_field(self) -> None:
        """Give the field its width, or what the row has for it."""
        scaled = self._desk.theme.scaled
        room = self.width() - self._reset.sizeHint().width() - _GAP
        if self.declared.setting.choices:
            self.field.setMaximumWidth(max(_FIELD_LEAST, room))
        else:
            beside = self._top is None or self._top.direction() == QBoxLayout.Direction.LeftToRight
            self._unit.setVisible(beside or bool(self._unit.text()))
            if not self._unit.isHidden():
                room -= scaled(_UNIT_WIDTH) + _GAP
            self.field.setFixedWidth(max(_FIELD_LEAST, min(scaled(_FIELD_WIDTH), room)))

    def _default_words(self) -> str:
        default = self.declared.default
        for value, words in self.declared.setting.choices:
            if value == default:
                return words
        if isinstance(default, bool):
            return "On" if default else "Off"
        if default is None or default == "":
            return self.declared.setting.unset
        return f"{shown(default)} {self.declared.setting.unit}".strip()

    def _build(self) -> None:
        setting = self.declared.setting
        head = label(setting.label, "name")
        head.setBuddy(self.field.control)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(head)
        if setting.help:
            words.addWidget(label(setting.help, "quiet", wrap=True))
        words.addStretch(1)
        trouble = QHBoxLayout()
        trouble.setSpacing(6)
        trouble.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        trouble.addWidget(self._trouble, 1)
        side = QVBoxLayout()
        side.setSpacing(4)
        side.addWidget(self.field)
        side.addLayout(trouble)
        side.addStretch(1)
        wide = setting.kind == "text"
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 12)
        outer.setSpacing(8)
        top = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        top.setSpacing(8)
        top.addLayout(words, 1)
        outer.addLayout(top)
        if wide:
            top.addWidget(self._reset, 0, Qt.AlignmentFlag.AlignTop)
            outer.addLayout(side)
        else:
            self._top = top
            end = QHBoxLayout()
            end.setSpacing(_GAP)
            end.addLayout(side)
            if not setting.choices:
                end.addWidget(self._unit, 0, Qt.AlignmentFlag.AlignTop)
                self._desk.theme.changed.connect(self._on_theme)
            end.addWidget(self._reset, 0, Qt.AlignmentFlag.AlignTop)
            top.addLayout(end)
            if not setting.choices:  # not before all have their place: they would be windows
                self._dress()
        self._show_trouble("")
