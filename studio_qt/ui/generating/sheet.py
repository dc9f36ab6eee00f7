"""`GenerateSheet`: a name and a wish, and the worker model writes the file (STU-09)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio_qt.authoring.asking import Stream
from studio_qt.authoring.generating import LONGEST_WISH, Wish, wish_fault
from studio_qt.authoring.inventory import Inventory
from studio_qt.authoring.teaching_code import SUFFIXES
from studio_qt.package.ids import tool_name_of
from studio_qt.package.model import Language
from studio_qt.ui.desk import Desk
from studio_qt.ui.generating.head import written_head
from studio_qt.ui.generating.trouble import TroubleLine
from studio_qt.ui.generating.writing import Work, WritingView
from studio_qt.ui.widgets.basics import label, text_button
from studio_qt.ui.widgets.inputs import FormRow, Segments
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["GenerateSheet", "Given", "Kind", "Order"]

_LANGUAGES = (
    ("javascript", "JavaScript"),
    ("typescript", "TypeScript"),
    ("python", "Python"),
    ("lua", "Lua"),
)
_NAMED = frozenset({"subagent", "agent"})


@dataclass(frozen=True, slots=True)
class Kind:
    """What is to be written: its words for the dialog. `key` is "subagent", "agent" or a text's."""

    key: str
    title: str
    asks: str
    example: str
    sends: str


@dataclass(slots=True)
class Given:
    """What has been typed, kept while the program runs, until something came of it."""

    name: str = ""
    wish: str = ""
    language: Language = "javascript"


@dataclass(frozen=True, slots=True)
class Order:
    """What the dialog is given: who writes, and how. Without a `stream` there is no model.

    `work` and `draft` make something of the wish; `unready` is why nothing can be written at all.
    """

    kind: Kind
    writer: str
    inventory: Inventory
    work: Callable[[Wish, Language], Work]
    stream: Stream | None = None
    draft: Callable[[Wish, Language], object] | None = None
    unready: str = ""
    given: Given = field(default_factory=Given)


class GenerateSheet(Sheet):
    """Asks, lets write, and says why not; what was typed stays until something came of it.

    `made` carries what the work returned; whoever takes it closes the sheet.
    """

    made = Signal(object)
    settings_wanted = Signal()
    widest = 640

    def __init__(self, desk: Desk, over: QWidget, order: Order) -> None:
        super().__init__(desk.theme, over, order.kind.title)
        self.setObjectName("generateDialog")
        self._desk, self._order = desk, order
        self._named = order.kind.key in _NAMED
        self._tried = False
        self._go_on: Callable[[], None] | None = None
        self.name = QLineEdit()
        self.wish = QPlainTextEdit()
        self.languages = Segments(_LANGUAGES, "generateLanguage", "Language")
        self.writing = WritingView(desk, "generateProgress")
        self.trouble = TroubleLine(desk.theme, "generateTrouble")
        self.run_button = text_button("Generate", "generateRun", "primary")
        self.stop_button = text_button("Cancel", "generateStop")
        self._sends = label(order.kind.sends, "quiet", wrap=True, name="generateSends")
        self._build()
        self._take_given()
        self._connect()
        self._on_typed()
        self._show_state()
        self.finished.connect(self.deleteLater)

    def lay(self) -> None:
        super().lay()
        self.cover()  # now that every part has its look, and so its height
        first = self.name if self._named and not self.name.text() else self.wish
        first.setFocus(Qt.FocusReason.PopupFocusReason)

    def set_writer(self, words: str) -> None:
        """Say who writes."""
        self._writer.setText(words)

    def run(self) -> None:
        """Let it be written, where what was typed allows that."""
        if self._go_on is not None:
            self.accept()
            self._go_on()
            return
        if self.writing.busy or self._order.unready:
            return
        self._tried = True
        if not self._check():
            return
        self.trouble.tell("")
        wish = Wish(self.name.text().strip(), self.wish.toPlainText())
        language = self._language()
        order = self._order
        if order.stream is None:
            if order.draft is not None:
                self.made.emit(order.draft(wish, language))
            return
        self.writing.run(order.stream, order.work(wish, language), "generate")
        self._show_state()
        self.stop_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_notes(self, notes: Sequence[str], words: str, go_on: Callable[[], None]) -> None:
        """Say what the author should know of what was written; a button goes on with it."""
        self._go_on = go_on
        self._pages.setCurrentWidget(self.writing)
        self.trouble.tell(" ".join(notes), "info")
        self._sends.hide()
        self.run_button.setText(words)
        self.run_button.setAccessibleName(words)
        self.cover()
        self.run_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def reject(self) -> None:
        """Stop what is being written; close when nothing is."""
        if self.writing.busy:
            self.writing.stop()
        else:
            self._keep()
            super().reject()

    def done(self, result: int) -> None:
        """Close; a model that still writes is left alone."""
        self.writing.stop()
        super().done(result)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if enter and (held or self.name.hasFocus()):
            self.run()
        else:
            super().keyPressEvent(event)

    @property
    def _can_write(self) -> bool:
        """Whether there is a model, or a draft can be made without one."""
        order = self._order
        return not order.unready and (order.stream is not None or order.draft is not None)

    # Slots

    def _on_failed(self, error: Exception) -> None:
        self.trouble.tell_error(error)
        self._show_state(again=True)
        self.run_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_stopped(self) -> None:
        self.trouble.tell("Stopped. What you typed is still here.", "info")
        self._show_state(again=True)
        self.wish.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_typed(self) -> None:
        self._keep()
        if self._tried:
            self._check()
        elif self._named and self.name.text().strip():
            self._check_name()
        else:
            self._name_row.show_state("", "")
        count = len(self.wish.toPlainText())
        near = count > LONGEST_WISH - 500
        self._wish_row.set_hint(f"{count:,} of {LONGEST_WISH:,}" if near else "")

    # Helpers

    def _check(self) -> bool:
        """Whether all is well; else what is not is said, and the first such field has the focus."""
        fault = wish_fault(self.wish.toPlainText())
        self._wish_row.show_state("error" if fault else "", fault or "")
        good = self._check_name() if self._named else True
        self.cover()
        if not good:
            self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        elif fault and not self.wish.hasFocus():
            self.wish.setFocus(Qt.FocusReason.OtherFocusReason)
        return good and not fault

    def _check_name(self) -> bool:
        name = self.name.text().strip()
        ending = ".subagent.md" if self._order.kind.key == "subagent" else self._suffix()
        fault = self._order.inventory.fault_of(name, ending)
        if fault:
            self._name_row.show_state("error", fault)
            return False
        tool = tool_name_of(name)
        said = f"tool {tool}  ·  command @{tool}" if self._order.kind.key == "subagent" else ""
        self._name_row.show_state("", said or f"agents/{name}{self._suffix()}")
        return True

    def _suffix(self) -> str:
        return SUFFIXES[self._language()]

    def _language(self) -> Language:
        choice = self.languages.choice
        return next(language for language in SUFFIXES if language == choice)

    def _keep(self) -> None:
        given = self._order.given
        given.name, given.wish = self.name.text(), self.wish.toPlainText()
        given.language = self._language()

    def _take_given(self) -> None:
        given = self._order.given
        self.languages.choose(given.language)
        self.name.setText(given.name)
        self.wish.setPlainText(given.wish)

    def _show_state(self, *, again: bool = False) -> None:
        busy, order = self.writing.busy, self._order
        self._pages.setCurrentWidget(self.writing if busy else self._form)
        self.stop_button.setText("Stop" if busy else "Cancel")
        self.stop_button.setAccessibleName("Stop" if busy else "Cancel")
        words = "Try again" if again else "Generate"
        if order.stream is None:
            words = "Make a draft"
        self.run_button.setText(words)
        self.run_button.setAccessibleName(words)
        self.run_button.setVisible(not busy and self._can_write)
        self._sends.setVisible(not busy and order.stream is not None)
        if not busy and not again:
            self._tell_writer()
        self.cover()

    def _tell_writer(self) -> None:
        order = self._order
        if order.unready:
            self.trouble.tell(order.unready, "warn")
        elif order.stream is None and order.draft is not None:
            self.trouble.tell(
                "No language model is connected, so that nothing can be written for you. A draft "
                "can be made of your own words: it loads as it is, and you go on from there.",
                "info",
                "Connect a model…",
            )
        elif order.stream is None:
            self.trouble.tell(
                "This needs a language model, and none is connected: Rehearsal cannot write. "
                "Connect one, then come back; what you type stays here.",
                "info",
                "Connect a model…",
            )

    def _connect(self) -> None:
        self.writing.written.connect(self._on_written)
        self.writing.failed.connect(self._on_failed)
        self.writing.stopped.connect(self._on_stopped)
        self.trouble.settings_wanted.connect(self.settings_wanted)
        self.run_button.clicked.connect(self.run)
        self.stop_button.clicked.connect(self.reject)
        self.name.textChanged.connect(self._on_typed)
        self.wish.textChanged.connect(self._on_typed)
        self.languages.chosen.connect(lambda _choice: self._on_typed())

    def _on_written(self, result: object) -> None:
        self._show_state()
        self.made.emit(result)

    # Building

    def _build(self) -> None:
        kind = self._order.kind
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.setSpacing(14)
        self._writer = label(self._order.writer, "second", name="generateWriter")
        title = label(kind.title, "title")
        self.column.addLayout(written_head(self._theme, title, self._writer))
        self._pages = QStackedWidget()
        self._form = self._build_form()
        self._pages.addWidget(self._form)
        self._pages.addWidget(self.writing)
        self.column.addWidget(self._pages)
        self.column.addWidget(self.trouble)
        self.column.addWidget(self._sends)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        foot.addWidget(self.stop_button)
        foot.addWidget(self.run_button)
        self.column.addLayout(foot)

    def _build_form(self) -> QWidget:
        kind = self._order.kind
        form = QWidget()
        column = QVBoxLayout(form)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        self.name.setObjectName("generateName")
        self.name.setPlaceholderText("tide-keeper" if kind.key == "subagent" else "my.tide-table")
        self.name.setMaxLength(160)
        self._name_row = FormRow(
            self._theme, "Name", self.name, "becomes the file, its id and its tool"
        )
        self.wish.setObjectName("generateWish")
        self.wish.setProperty("kind", "field")
        self.wish.setTabChangesFocus(True)
        self.wish.setPlaceholderText(kind.example)
        self.wish.setFixedHeight(self._theme.scaled(132))
        self._wish_row = FormRow(self._theme, kind.asks, self.wish)
        column.addWidget(self._name_row)
        column.addWidget(self.languages, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._wish_row)
        column.addStretch(1)
        self._name_row.setHidden(not self._named)
        self.languages.setHidden(kind.key != "agent")
        return form
