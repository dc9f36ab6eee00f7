"""`Theme`: which token table is in force, and the application dressed in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from studio_qt.ui.theme.dressing import Dressing
from studio_qt.ui.theme.fonts import BASE_SIZE, interface_font, mono_font, scaled
from studio_qt.ui.theme.icons import living_icon, make_icon
from studio_qt.ui.theme.style import Sheets, frame_sheet
from studio_qt.ui.theme.tokens import Tokens, load_tokens

__all__ = ["CHOICES", "Theme"]

CHOICES = ("system", "light", "dark", "contrast")
"""What may be chosen. "contrast" is high contrast, light or dark as the desktop is."""

_KEPT = 3
"""Looks whose sheets are kept, for whoever goes to and fro."""

_FOLLOWING = ("system", "contrast")
_SCHEMES = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
_ROLES = {
    QPalette.ColorRole.Window: "bg1",
    QPalette.ColorRole.WindowText: "fg",
    QPalette.ColorRole.Base: "bg2",
    QPalette.ColorRole.AlternateBase: "bg1",
    QPalette.ColorRole.Text: "fg",
    QPalette.ColorRole.PlaceholderText: "fg3",
    QPalette.ColorRole.Button: "bg3",
    QPalette.ColorRole.ButtonText: "fg",
    QPalette.ColorRole.BrightText: "err",
    QPalette.ColorRole.Highlight: "btn",
    QPalette.ColorRole.HighlightedText: "onaccent",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Link: "accent2",
    QPalette.ColorRole.LinkVisited: "accent2",
    QPalette.ColorRole.ToolTipBase: "bg3",
    QPalette.ColorRole.ToolTipText: "fg",
    QPalette.ColorRole.Light: "line2",
    QPalette.ColorRole.Midlight: "line",
    QPalette.ColorRole.Mid: "line2",
    QPalette.ColorRole.Dark: "line2",
    QPalette.ColorRole.Shadow: "bg0",
}


class _Inks:
    """Where living icons take their colours from: it outlives the theme that changes it."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens

    def of(self, token: str) -> tuple[str, str]:
        """Return the colour of a token, and that of what is disabled."""
        return self.tokens[token], self.tokens["fg3"]


class Theme(QObject):
    """The look of the application; one of them a process, given to whoever paints.

    `choice` is one of `CHOICES`; the environment variable `STUDIO_QT_THEME` decides over whatever
    `choose` is given. "system" follows the desktop: its colour scheme, and its wish for high
    contrast where Qt tells of it.

    A theme that belongs to a widget dresses the window of that: five times faster than the whole
    application, whose widgets Qt dresses in the order of a hash, children before their parents.
    """

    changed = Signal()
    resized = Signal()
    """The interface has another size; `changed` follows."""

    def __init__(self, choice: str = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asked = choice
        self._choice = _allowed(choice)
        self._size = self._told = BASE_SIZE
        self._styled = False
        self._looks: dict[tuple[str, int], Sheets] = {}
        self._icons: dict[tuple[str, str, int, int], QIcon] = {}
        self._dressing = Dressing(parent.window()) if isinstance(parent, QWidget) else None
        self._tokens = load_tokens(self._wanted())
        self._inks = _Inks(self._tokens)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_scheme_changed)
        if hasattr(hints, "accessibility"):  # from Qt 6.10 on
            hints.accessibility().contrastPreferenceChanged.connect(self._on_scheme_changed)

    @property
    def choice(self) -> str:
        """What is in force, one of `CHOICES`."""
        return self._choice

    @property
    def asked(self) -> str:
        """What the user chose; the environment may have decided otherwise."""
        return self._asked

    @property
    def tokens(self) -> Tokens:
        """The colours in force."""
        return self._tokens

    @property
    def settled(self) -> bool:
        """Whether all that is shown of the window has the look in force."""
        return self._dressing is None or self._dressing.settled

    @property
    def interface_size(self) -> int:
        """Pixels of the interface's text; 13 is what all sizes are given for."""
        return self._size

    def set_sizes(self, interface_size: int) -> None:
        """Take another size for the text of the interface, in pixels."""
        if interface_size != self._size:
            self._size = interface_size
            self.apply()

    def begin(self, interface_size: int) -> None:
        """Give the application style, palette and face before the parts of a window are made.

        They are dressed by `apply`, when all are there: the sheet is read once for each.
        """
        self._size = self._told = interface_size
        self._prepare(_application())

    def scaled(self, pixels: int) -> int:
        """Return a length that is given for an interface of 13 px, at the size in force."""
        return scaled(pixels, self._size)

    def font(self, pixels: int = BASE_SIZE, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """Return the face of the interface; `pixels` as at an interface size of 13."""
        return interface_font(self.scaled(pixels), weight)

    def mono(self, pixels: int = 12, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """Return the monospaced face; `pixels` as at an interface size of 13."""
        return mono_font(self.scaled(pixels), weight)

    def colour(self, token: str) -> QColor:
        """Return a token's colour for painting.

        It belongs to all who ask for it: take a copy to change it.
        """
        return _colour(self._tokens[token])

    def icon(self, name: str, token: str = "fg2", size: int = 16, room: int = 0) -> QIcon:
        """Return the icon `name` in the colour of `token`; `size` is in pixels.

        `room` pixels stay empty at its right.
        """
        return make_icon(name, self._tokens[token], self._tokens["fg3"], size, room)

    def living_icon(self, name: str, token: str = "fg2", size: int = 16, room: int = 0) -> QIcon:
        """Return an icon as `icon` does that has the colours in force whenever it is painted.

        A control keeps it: hundreds of them are hidden when the theme changes.
        """
        key = name, token, size, room
        if key not in self._icons:
            self._icons[key] = living_icon(name, partial(self._inks.of, token), size, room)
        return self._icons[key]

    def choose(self, choice: str) -> None:
        """Take another theme; raises ValueError for an unknown one."""
        self._choice = _allowed(choice)
        self._asked = choice
        self.apply()

    def take(self, choice: str, interface_size: int) -> None:
        """Take a theme and a size in one step: each dressing of a full window takes long."""
        if (choice, interface_size) != (self._asked, self._size):
            self._choice = _allowed(choice)
            self._asked, self._size = choice, interface_size
            self.apply()

    def apply(self) -> None:
        """Dress the application: style, palette, faces and stylesheet."""
        app = _application()
        self._ask_desktop()
        self._tokens = self._inks.tokens = load_tokens(self._wanted())
        sheets = self._look()
        worn = self._dressing.sheet if self._dressing else app.styleSheet()
        if worn != sheets.of():
            self._prepare(app)
            if self._dressing is None:
                app.setStyleSheet(sheets.of())
            else:
                _wear(app, frame_sheet())
                self._dressing.put(sheets)
        if self._size != self._told:
            self._told = self._size
            self.resized.emit()
        self.changed.emit()

    def stand(self, *frame: QWidget) -> None:
        """Name what only holds the parts of the window, so that each is dressed when it is shown.

        Only for a theme that belongs to a window.
        """
        if self._dressing is not None:
            self._dressing.stand(*frame)

    def dress(self, part: QWidget) -> None:
        """Dress a new part of the window before it is measured; see `stand`."""
        if self._dressing is not None:
            self._dressing.dress(part)

    def rest_when(self, may: Callable[[], bool]) -> None:
        """Dress what is hidden only while `may` says that nothing is under way in the window."""
        if self._dressing is not None:
            self._dressing.rest_when(may)

    def retire(self) -> None:
        """Dress nothing of the window any more: it closes."""
        if self._dressing is not None:
            self._dressing.stop()

    def _look(self) -> Sheets:
        """Return the sheets of the look in force; those of the last looks are kept."""
        key = self._tokens.name, self._size
        found = self._looks.pop(key, None) or Sheets(self._tokens, self._size)
        self._looks[key] = found
        if len(self._looks) > _KEPT:
            del self._looks[next(iter(self._looks))]
        return found

    def _prepare(self, app: QApplication) -> None:
        if not self._styled:  # each time it would dress every widget once more
            if app.property("style") != "Fusion":  # else it has had it from its start
                app.setStyle("Fusion")
            self._styled = True
        app.setPalette(_palette(self._tokens.name))
        app.setFont(interface_font(self._size))

    def _on_scheme_changed(self) -> None:
        if self._choice in _FOLLOWING and self._wanted() != self._tokens.name:
            self.apply()

    def _ask_desktop(self) -> None:
        """Let title bars and native dialogs have the same scheme."""
        hints = QGuiApplication.styleHints()
        if self._choice in _FOLLOWING:
            hints.unsetColorScheme()
        else:
            hints.setColorScheme(_SCHEMES[self._choice])

    def _wanted(self) -> str:
        if self._choice not in _FOLLOWING:
            return self._choice
        dark = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
        scheme = "dark" if dark else "light"
        high = self._choice == "contrast" or _desktop_wants_contrast()
        return f"high-contrast-{scheme}" if high else scheme


@cache
def _colour(text: str) -> QColor:
    return QColor(text)


def _application() -> QApplication:
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        raise RuntimeError("A theme needs a QApplication.")
    return app


def _wear(app: QApplication, sheet: str) -> None:
    if app.styleSheet() != sheet:
        app.setStyleSheet(sheet)


def _allowed(choice: str) -> str:
    forced = os.environ.get("STUDIO_QT_THEME", "").strip().lower()
    if forced in CHOICES:
        return forced
    if choice not in CHOICES:
        raise ValueError(f"There is no theme {choice!r}; take one of {', '.join(CHOICES)}.")
    return choice


def _desktop_wants_contrast() -> bool:
    hints = QGuiApplication.styleHints()
    if not hasattr(hints, "accessibility"):
        return False
    return hints.accessibility().contrastPreference() is Qt.ContrastPreference.HighContrast


@cache
def _palette(theme: str) -> QPalette:
    palette, tokens = QPalette(), load_tokens(theme)
    for role, token in _ROLES.items():
        palette.setColor(role, QColor(tokens[token]))
    for role in (
        QPalette.ColorRole.Text,
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.ButtonText,
    ):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens["fg3"]))
    return palette
