"""Who is played: the card above the first message (STU-00)."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from studio_qt.ui.chat.cells import Card, Cell
from studio_qt.ui.chat.pieces import LARGE
from studio_qt.ui.chat.rows import Row, Said
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView, Separator, label
from studio_qt.ui.widgets.portrait import Portrait

__all__ = ["AboutCell", "about_row", "about_text", "who_answers"]

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
    """The character's name and description, and who answers; its row is an `about_row`."""

    beside = 108

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._avatar = Portrait("?", size=52)
        self._name = label("", "display", wrap=True)
        self._model = label("", "second", wrap=True)
        self._text = ProseView(theme, colour="fg2", plain=True)
        self._text.link_wanted.connect(self.link_wanted)
        card = Card()
        card.setObjectName("aboutCard")
        column = QVBoxLayout(card)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addLayout(self._title())
        column.addWidget(Separator())
        column.addLayout(self._model_line())
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 4, 0, 0)
        outer.addWidget(card)
        self.nested, self.frames = [*self._texts, column], [card]

    @property
    def space_above(self) -> int:
        return 0

    @property
    def views(self) -> list[ProseView]:
        return [self._text]

    def set_picture(self, picture: object) -> None:
        self._avatar.set_picture(picture if isinstance(picture, QPixmap) else None)

    def show_row(self, row: Row) -> None:
        description = row.text
        if len(description) > LARGE:
            description = f"{description[:LARGE]}… The rest is in the description's file."
        self._avatar.set_name(row.agent)
        self._name.setText(row.agent)
        self._text.setAccessibleName(f"Description: {description[:200]}")
        self._text.show_text(description or _NO_DESCRIPTION)
        self._model.setText(who_answers(row.detail))

    def _title(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(self._avatar, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addWidget(self._name)
        column.addWidget(self._text)
        row.addLayout(column, 1)
        self._texts = [column, row]
        return row

    def _model_line(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(IconView(self._theme, "chat", "accent2", 15), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._model, 1)
        return row


def about_row(name: str, description: str, model: str) -> Row:
    """Return the row of the card."""
    return Row("about", "about", (Said(description),), agent=name, detail=model)


def about_text(row: Row) -> str:
    """Return the words of the card."""
    return "\n".join([row.agent, row.text or _NO_DESCRIPTION, who_answers(row.detail)])
