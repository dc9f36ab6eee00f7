"""`PromptColumn`: the prompt body in an editor, with the macros that can be put into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import (
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from studio_qt.authoring.subagentchecks import FormProblem, granted_names, short_name
from studio_qt.authoring.subagentform import SubAgentForm
from studio_qt.providers.tokens import estimate
from studio_qt.ui.builder.flow import Flow
from studio_qt.ui.builder.rows import Said, Section
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.plain import document_text, to_document
from studio_qt.ui.highlight import Highlighter
from studio_qt.ui.widgets.basics import IconButton, give_icon, text_button

__all__ = ["PromptColumn"]

_MOST_MARKS = 100
_INSTRUCTIONS = "%%CHARACTER_INSTRUCTIONS%%"


class PromptColumn(QWidget):
    """The middle column. `changed`: the body is another; `mended` carries a mended form.

    `polish_wanted`: the body is to be polished.
    """

    changed = Signal()
    mended = Signal(object)
    polish_wanted = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._given: list[str] = []
        self._problems: list[FormProblem] = []
        self.body = QPlainTextEdit()
        self.said = Said(desk.theme, "builderBodySaid")
        self._build()
        self._highlighter = Highlighter(self.body.document(), "markdown", desk.theme, self.body)
        self.body.textChanged.connect(self.changed)
        self.said.mended.connect(self.mended)
        desk.theme.changed.connect(self._dress)
        self._dress()

    @property
    def settled(self) -> bool:
        """Whether the body has its colours."""
        return self._highlighter.settled

    def show_form(self, form: SubAgentForm) -> None:
        """Show the body of a form; one that is shown already is left alone."""
        if document_text(self.body.document()) != form.body:
            self.body.setPlainText(to_document(form.body))
            self.body.document().setModified(False)

    def read(self, form: SubAgentForm) -> SubAgentForm:
        """Return the form with this body."""
        return replace(form, body=document_text(self.body.document()))

    def take_body(self, text: str) -> None:
        """Put another body in, as one step that undo takes back."""
        cursor = self.body.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(to_document(text))

    def show_state(self, form: SubAgentForm, problems: Sequence[FormProblem]) -> None:
        """Show what is wrong with the body, and where."""
        count = estimate(form.body)
        self._section.hint.setText(f"{count:,} token{'' if count == 1 else 's'}")
        self._given = [short_name(agent_id) for agent_id, _ in granted_names(form)]
        self._problems = list(problems)
        self.said.show_problems(self._problems)
        self._underline()

    def offer_polish(self) -> None:
        """Show the button that asks for a polish; somebody has to answer it."""
        self.polish.show()

    # Building

    def _build(self) -> None:
        self.setObjectName("builderPrompt")
        self.setAccessibleName("Prompt")
        self._section = Section("Prompt")
        self._section.title.setBuddy(self.body)
        self._section.column.setSpacing(8)
        self.body.setObjectName("builderBody")
        self.body.setAccessibleName("Prompt")
        self.body.setAccessibleDescription("Markdown. What stands between %% is filled in.")
        self.body.setProperty("kind", "field")
        self.body.setTabChangesFocus(True)
        self.body.setPlaceholderText("You are …  Say who that is, what it knows, how it answers.")
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.body.setSizePolicy(policy)
        self._section.column.addLayout(self._chips())
        self._section.column.addWidget(self.body, 1)
        self._section.column.addWidget(self.said)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.addWidget(self._section)

    def _chips(self) -> Flow:
        row = Flow(4, to_right=True)
        for name, macro in (("Context", "%%CONTEXT%%"), ("History", "%%HISTORY%%")):
            chip = _chip(macro, f"builderChip{name}", f"Insert {macro}")
            chip.clicked.connect(lambda _checked=False, text=macro: self._insert(text))
            row.addWidget(chip)
        self.store = _chip("%%STORE:…%%", "builderChipStore", "Insert the store of a granted agent")
        self.store.clicked.connect(self._offer_stores)
        row.addWidget(self.store)
        more = IconButton(self._desk.theme, "more", "More macros", name="builderChipMore")
        more.clicked.connect(lambda: self._offer_more(more))
        row.addWidget(more)
        self.polish = text_button("Polish", "builderPolish", "quiet")
        give_icon(self._desk.theme, self.polish, "wand")
        self.polish.clicked.connect(self.polish_wanted)
        self.polish.hide()
        row.addWidget(self.polish)
        return row

    # Macros

    def _insert(self, text: str) -> None:
        self.body.textCursor().insertText(text)
        self.body.setFocus()

    def _offer_stores(self) -> None:
        menu = self._menu("Stores of granted agents")
        for name in self._given:
            macro = f"%%STORE:{name}%%"
            menu.addAction(macro).triggered.connect(lambda _=False, text=macro: self._insert(text))
        if not self._given:
            menu.addAction("Nothing is granted yet").setEnabled(False)
        menu.popup(self.store.mapToGlobal(self.store.rect().bottomLeft()))

    def _offer_more(self, button: QWidget) -> None:
        menu = self._menu("More macros")
        menu.addAction(_INSTRUCTIONS).triggered.connect(lambda: self._insert(_INSTRUCTIONS))
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    def _menu(self, accessible: str) -> QMenu:
        menu = QMenu(self)
        menu.setObjectName("builderMacros")
        menu.setAccessibleName(accessible)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    # Looks

    def _underline(self) -> None:
        marked: list[QTextEdit.ExtraSelection] = []
        document = self.body.document()
        waved = QTextCharFormat()
        waved.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        waved.setUnderlineColor(self._desk.theme.colour("warn"))
        for text in {problem.text for problem in self._problems if problem.text}:
            found = document.find(text)
            while not found.isNull() and len(marked) < _MOST_MARKS:
                selection = QTextEdit.ExtraSelection()
                selection.cursor, selection.format = found, waved
                marked.append(selection)
                found = document.find(text, found)
        self.body.setExtraSelections(marked)

    def _dress(self) -> None:
        self.body.setFont(self._desk.theme.mono(13))
        self.body.setMinimumHeight(self._desk.theme.scaled(240))
        self._underline()


def _chip(text: str, name: str, accessible: str) -> QPushButton:
    chip = text_button(text, name, "chip")
    chip.setAccessibleName(accessible)
    return chip
