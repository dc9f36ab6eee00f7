"""Who is played: the card above the first message (STU-00)."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from studio_qt.ui.chat.cells import Cell
from studio_qt.ui.chat.portrait import Portrait
from studio_qt.ui.chat.rows import Row
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView, Separator, label

__all__ = ["AboutCell", "about_text", "who_answers"]

REHEARSAL = "Rehearsal"
NO_MODEL = "no model chosen"
_NO_DESCRIPTION = "This character has no description yet."


def who_answers(model: str) -> str:
    """Return a sentence that says who writes the replies."""
    if model == REHEARSAL:
        return (
            "Rehearsal answers: a stand-in that is built in. It uses the character's real tools "
            "and texts, needs no key and no network, and is not a language model."
        )
    if model == NO_MODEL:
        return "No model is chosen yet. The endpoint is asked with the first message."
    return f"{model} answers."


class AboutCell(Cell):
    """The character's name and description, and who answers."""

    def __init__(self, theme: Theme, name: str, description: str, model: str) -> None:
        super().__init__(theme)
        self._avatar = Portrait(name, size=52)
        self._text = ProseView(theme, colour="fg2" if description else "fg3", plain=True)
        self.setAccessibleName(f"About {name}")
        card = QFrame()
        card.setObjectName("aboutCard")
        column = QVBoxLayout(card)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addLayout(self._title(name, description))
        column.addWidget(Separator())
        column.addLayout(self._model_line(model))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 4, 0, 0)
        outer.addWidget(card)

    @property
    def space_above(self) -> int:
        return 0

    @property
    def views(self) -> list[ProseView]:
        return [self._text]

    def set_picture(self, picture: object) -> None:
        self._avatar.set_picture(picture if isinstance(picture, QPixmap) else None)

    def show_row(self, row: Row) -> None:
        """The card shows no row."""

    def _title(self, name: str, description: str) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(self._avatar, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addWidget(label(name, "display"))
        text = self._text
        text.setAccessibleName(f"Description: {description[:200]}")
        text.show_text(description or _NO_DESCRIPTION)
        text.link_wanted.connect(self.link_wanted)
        column.addWidget(text)
        row.addLayout(column, 1)
        return row

    def _model_line(self, model: str) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(IconView(self._theme, "chat", "accent2", 15), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label(who_answers(model), "second", wrap=True), 1)
        return row


def about_text(name: str, description: str, model: str) -> str:
    """Return the words of the card."""
    return "\n".join([name, description or _NO_DESCRIPTION, who_answers(model)])
