"""`Mnemonics`: the letters of the menus are underlined while Alt is held, and not else."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenuBar, QProxyStyle, QStyle, QStyleHintReturn, QStyleOption, QWidget

__all__ = ["Mnemonics"]

_ENDS = (QEvent.Type.WindowDeactivate, QEvent.Type.Close)


class Mnemonics(QObject):
    """Watches the Alt key of a window for its menu bar. Alt and a letter work all the same.

    Menu bars of the system have ways of their own and are left alone.
    """

    def __init__(self, bar: QMenuBar, window: QWidget) -> None:
        super().__init__(bar)
        self._bar = bar
        if bar.isNativeMenuBar():
            return
        self._style = _AltStyle()
        self._style.setParent(self)  # a widget does not own its style
        bar.setStyle(self._style)
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyRelease):
            assert isinstance(event, QKeyEvent)
            if event.key() == Qt.Key.Key_Alt:
                self._show(shown=kind == QEvent.Type.ShortcutOverride)
        elif kind in _ENDS:
            self._show(shown=False)
        return False

    def _show(self, *, shown: bool) -> None:
        if self._style.held != shown:
            self._style.held = shown
            self._bar.update()


class _AltStyle(QProxyStyle):
    """The usual style, of this menu bar alone: each question to it goes through Python."""

    def __init__(self) -> None:
        super().__init__("Fusion")
        self.held = False

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,  # noqa: N803 - Qt's signature
    ) -> int:
        if hint == QStyle.StyleHint.SH_UnderlineShortcut:
            return int(self.held or (widget is not None and widget.hasFocus()))
        return super().styleHint(hint, option, widget, returnData)
