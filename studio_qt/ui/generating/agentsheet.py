"""`AgentSheet`: an agent that a model wrote and that has run, before it joins the character."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from studio_qt.authoring.generating_code import Example, GeneratedAgent
from studio_qt.jsontext import encode
from studio_qt.ui.desk import Desk
from studio_qt.ui.generating.head import written_head
from studio_qt.ui.generating.trouble import TroubleLine
from studio_qt.ui.highlight import Highlighter, language_of
from studio_qt.ui.widgets.basics import ElidedLabel, IconView, label, text_button
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["AgentSheet"]


class AgentSheet(Sheet):
    """Shows the code, and each example call with its result; `added` says that it is wanted.

    `another` asks for the dialog again, with what was typed.
    """

    added = Signal(object)
    another = Signal()
    widest = 900

    def __init__(self, desk: Desk, over: QWidget, agent: GeneratedAgent) -> None:
        super().__init__(desk.theme, over, "A new agent")
        self.setObjectName("generatedAgent")
        self._desk, self.agent = desk, agent
        self.code = QPlainTextEdit()
        self.trouble = TroubleLine(desk.theme, "generatedTrouble")
        self.add_button = text_button("Add to the character", "generatedAdd", "primary")
        self._build()
        self.finished.connect(self.deleteLater)

    def lay(self) -> None:
        super().lay()
        self.add_button.setFocus(Qt.FocusReason.PopupFocusReason)

    def tell(self, error: Exception) -> None:
        """Say why it could not be added."""
        self.add_button.setEnabled(True)
        self.trouble.tell_error(error)
        self.cover()

    def _build(self) -> None:
        file = self.agent.file
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.setSpacing(12)
        title = label(file.path, "title", name="generatedPath")
        about = label(self._about(), "second", wrap=True, name="generatedAbout")
        self.column.addLayout(written_head(self._theme, title, about))
        self.column.addWidget(self._code_view(), 1)
        if self.agent.examples:
            self.column.addWidget(self._examples())
        self.column.addWidget(self.trouble)
        if file.notes:
            self.trouble.tell(" ".join(file.notes), "info")
        self.column.addLayout(self._foot())

    def _about(self) -> str:
        if self.agent.file.draft:
            return "A draft. Nothing has been saved yet."
        return (
            "It was started in the sandbox and its example calls were made. Read it before you add "
            "it: it was written by a model. Nothing has been saved yet."
        )

    def _code_view(self) -> QWidget:
        code = self.code
        code.setObjectName("generatedCode")
        code.setAccessibleName(f"Text of {self.agent.file.path}")
        code.setPlainText(self.agent.file.text)
        code.setReadOnly(True)
        code.setTabChangesFocus(True)
        code.setProperty("kind", "field")
        code.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._theme.changed.connect(self._dress)
        self._dress()
        language = language_of(self.agent.file.path)
        self._highlighter = Highlighter(code.document(), language, self._theme, code)
        return code

    def _dress(self) -> None:
        self.code.setFont(self._theme.mono(12))
        self.code.setFixedHeight(min(self._theme.scaled(300), self._over.height() // 2))

    def _examples(self) -> QWidget:
        frame = QFrame()
        frame.setObjectName("generatedExamples")
        frame.setAccessibleName("Example calls")
        frame.setProperty("role", "plate")
        column = QVBoxLayout(frame)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        column.addWidget(label("EXAMPLE CALLS", "caps"))
        for example in self.agent.examples:
            column.addLayout(self._example(example))
        return frame

    def _example(self, example: Example) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(IconView(self._theme, "check", "ok", 13))
        row.addWidget(label(example.tool, "toolName"))
        row.addWidget(ElidedLabel(encode(example.args), "mono"), 2)
        row.addWidget(ElidedLabel(f"→ {example.result}", "second"), 3)
        return row

    def _foot(self) -> QHBoxLayout:
        foot = QHBoxLayout()
        foot.setSpacing(8)
        again = text_button("Change the wish…", "generatedAgain", "link")
        cancel = text_button("Discard", "generatedDiscard")
        again.clicked.connect(self._on_again)
        cancel.clicked.connect(self.reject)
        self.add_button.clicked.connect(lambda: self.added.emit(self.agent))
        foot.addWidget(again)
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self.add_button)
        return foot

    def _on_again(self) -> None:
        self.reject()
        self.another.emit()
