"""`StatusLine`: who answers, where the project is, and where the cursor stands."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from studio_qt.ui.theme.dressing import wear
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, label
from studio_qt.ui.widgets.dot import Dot
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["EditorFacts", "StatusLine"]

_LEAST = (560, 680, 780, 880)
"""Widths in pixels from which language, tokens, format and indentation have room."""

_REHEARSAL = "Rehearsal"
_STATES = {"ok": "okfill", "busy": "warnfill", "failed": "err", "": "ctl"}


class EditorFacts(Protocol):
    """What the line shows of an editor, each in words; "" has no place in the line."""

    @property
    def place(self) -> str:
        """Line and column."""

    @property
    def language_name(self) -> str:
        """The language."""

    @property
    def format(self) -> str:
        """Encoding and line ends."""

    @property
    def indentation(self) -> str:
        """The step of indentation."""

    @property
    def weight(self) -> str:
        """The estimate of tokens."""


class StatusLine(QFrame):
    """28 px at the foot of the window.

    `connection_wanted` asks for the choice of who answers, `line_wanted` for another line,
    `hint_wanted` is the link at the right of a hint.
    """

    connection_wanted = Signal()
    line_wanted = Signal()
    hint_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusLine")
        wear("base", "buttons", "bars", widgets=[self])
        self.setAccessibleName("Status")
        self.setFixedHeight(28)
        self._dot = Dot(theme)
        self._connection = _button("statusModel", "Who answers")
        self._models = ElidedLabel("", "second")
        self._models.setObjectName("statusModels")
        self._place = ElidedLabel("", "quiet")
        self._place.setObjectName("statusPlace")
        self._place.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._tokens = label("", "second", name="statusTokens")
        self._line = _button("statusLineColumn", "Line and column")
        self._language = label("", "second", name="statusLanguage")
        self._format = label("", "second", name="statusFormat")
        self._indent = label("", "second", name="statusIndent")
        self._hint = _button("statusHint", "")
        self._build()
        self._connection.clicked.connect(self.connection_wanted)
        self._line.clicked.connect(self.line_wanted)
        self._hint.clicked.connect(self.hint_wanted)
        self._texts: dict[QLabel, str] = {}
        self.show_player("", None)
        self.show_editor(None)
        self.show_hint("")

    def show_player(self, model: str, place: Path | None) -> None:
        """Show the model's name and the project's folder or file."""
        words = "Rehearsal: built in, offline, no key" if model == _REHEARSAL else model
        self.show_connection(words, state="ok" if model else "")
        self._place.set_whole(_short(place) if place else "")

    def show_connection(
        self, name: str, main: str = "", worker: str = "", *, state: str = "ok"
    ) -> None:
        """Show who answers and the two models; `state` is "ok", "busy", "failed" or ""."""
        self._dot.show_token(_STATES[state])
        self._dot.setVisible(bool(name))
        self._connection.setVisible(bool(name))
        self._connection.setText(name)
        self._connection.setAccessibleName(f"Who answers: {name}")
        words = [f"main {main}"] if main else []
        words += [f"worker {worker}"] if worker else []
        self._models.set_whole(" · ".join(words))
        said = {"busy": "is being tried", "failed": "does not answer"}.get(state, "")
        tip = f"{name} {said}".strip() if said else "Choose who answers"
        self._connection.setToolTip(plain_tip(tip))

    def show_editor(self, status: EditorFacts | None) -> None:
        """Show where the cursor of the open editor stands, or that no text is open."""
        there = status is not None
        self._place.setVisible(not there)
        self._texts = {
            self._language: status.language_name if status else "",
            self._tokens: status.weight if status else "",
            self._format: status.format if status else "",
            self._indent: status.indentation if status else "",
        }
        self._fit()
        line = status.place if status else ""
        self._line.setText(line)
        self._line.setVisible(bool(line))
        self._line.setAccessibleName(f"Go to another line; now {line}" if line else "")

    def show_hint(self, text: str, link: str = "") -> None:
        """Show a sentence in place of who answers, and a link at the right; "" takes them away."""
        if text:
            self.show_connection("")
            self._models.set_whole(text)
        self._hint.setText(link)
        self._hint.setAccessibleName(link)
        self._hint.setVisible(bool(link))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave out what there is no room for, the least needed first."""
        for least, (words, text) in zip(_LEAST, self._texts.items(), strict=False):
            _show(words, text if self.width() >= least else "")

    def _build(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 11, 0)
        row.setSpacing(8)
        row.addWidget(self._dot)
        row.addWidget(self._connection)
        row.addWidget(self._models, 3)
        row.addWidget(self._place, 2)
        for widget in (self._tokens, self._line, self._language, self._format, self._indent):
            row.addSpacing(4)
            row.addWidget(widget)
        row.addSpacing(5)
        row.addWidget(self._hint)


def _button(name: str, accessible: str) -> QPushButton:
    button = QPushButton()
    button.setObjectName(name)
    button.setAccessibleName(accessible)
    button.setProperty("kind", "quiet")
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    return button


def _show(words: QLabel, text: str) -> None:
    words.setText(text)
    words.setAccessibleName(text)
    words.setVisible(bool(text))


def _short(place: Path) -> str:
    """Return a path with the user's home folder as ~."""
    home = Path.home()
    return str(Path("~") / place.relative_to(home)) if place.is_relative_to(home) else str(place)
