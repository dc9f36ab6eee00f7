"""`FindBar`: the fields to find and to replace in the text of one tab."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLineEdit, QWidget

from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.editors.finder import Finder
from studio_qt.ui.editors.searching import MOST, Query
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, label, text_button

__all__ = ["FindBar"]

_LONGEST_GUESS = 200
"""Characters of a selection that is taken for the pattern; a longer one limits the search."""

_WIDE = 560
"""Pixels from which on the buttons stand beside the fields."""

_TOGGLES = (
    ("match-case", "Match case", "findCase"),
    ("whole-word", "Whole word", "findWord"),
    ("regex", "Regular expression", "findExpression"),
    ("list", "Find in selection", "findInSelection"),
)


class FindBar(QFrame):
    """Hidden until `open`. `searched` carries each `Query`; `notice` a sentence for the user."""

    searched = Signal(object)
    notice = Signal(str)

    def __init__(self, theme: Theme, tasks: Tasks, editor: CodeEditor) -> None:
        super().__init__()
        self._theme, self._editor = theme, editor
        self.finder = Finder(tasks, editor)
        self._pattern = QLineEdit()
        self._template = QLineEdit()
        self._count = label("", "quiet", name="findCount")
        self._error = label("", "fieldError", wrap=True, name="findError")
        self._case, self._word, self._expression, self._in_selection = (
            self._toggle(*each) for each in _TOGGLES
        )
        self._replace_row: list[QWidget] = []
        self._wide: bool | None = None
        self._build()
        self._connect()
        self.hide()

    @property
    def query(self) -> Query:
        """What the fields say."""
        return Query(
            self._pattern.text(),
            case=self._case.isChecked(),
            word=self._word.isChecked(),
            expression=self._expression.isChecked(),
        )

    def open(self, *, replace: bool, earlier: Query | None = None) -> None:
        """Show the bar with the selection as pattern, else with what was looked for `earlier`."""
        if not self.isVisible() and earlier is not None:
            self._put(earlier)
        chosen = self._editor.textCursor()
        text = chosen.selectedText()
        lines = "\u2029" in text or len(text) > _LONGEST_GUESS
        if text and not lines and not (self.isVisible() and self._in_selection.isChecked()):
            self._pattern.setText(text)
        self._in_selection.setChecked(lines)
        for widget in self._replace_row:
            widget.setVisible(replace)
        self._replace_toggle.set_icon("chevron-down" if replace else "chevron-right")
        self.show()
        self._search()
        self._pattern.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._pattern.selectAll()

    def close_bar(self) -> None:
        """Hide the bar and give the keys back to the editor; the query stays for F3."""
        self.hide()
        self._in_selection.setChecked(False)
        self.finder.stop()
        self._editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def step(self, by: int) -> None:
        """Go to the next or the earlier match, also while the bar is hidden."""
        self.finder.step(by)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(wide=self.width() >= _WIDE)
        self._fit_error()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._on_key(watched, event)
        return False

    # Slots

    def _on_key(self, field: QObject, event: QKeyEvent) -> bool:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return False
        if field is self._template:
            self._replace_one()
        else:
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.finder.step(-1 if back else 1)
        return True

    def _search(self) -> None:
        scope = None
        if self._in_selection.isChecked():
            scope = self._scope()
        self.finder.marking = True
        self.finder.search(self.query, scope)
        if self.query.pattern:
            self.searched.emit(self.query)

    def _scope(self) -> QTextCursor | None:
        """Return the part that is searched: the one of before, else what is selected now."""
        if self.finder.scope is not None:
            kept = QTextCursor(self._editor.document())
            kept.setPosition(self.finder.scope[0])
            kept.setPosition(self.finder.scope[1], QTextCursor.MoveMode.KeepAnchor)
            return kept
        chosen = self._editor.textCursor()
        return QTextCursor(chosen) if chosen.hasSelection() else None

    def _show(self) -> None:
        if not self.isVisible():
            return
        finder = self.finder
        count, more = len(finder.found.spans), finder.found.more
        if not finder.query.pattern or finder.error:
            words = ""
        elif count == 0:
            words = "no match"
        else:
            total = f"over {MOST:,}" if more else f"{count:,}"
            number = finder.current
            words = f"{number:,} of {total}" if number else f"{total} found"
        self._count.setText(words)
        self._error.setText(finder.error)
        self._error.setVisible(bool(finder.error))
        self._fit_error()
        state = "error" if finder.error else None
        if self._pattern.property("state") != state:
            self._pattern.setProperty("state", state)
            self._pattern.style().polish(self._pattern)
        self._pattern.setAccessibleDescription(finder.error or words)

    def _replace_one(self) -> None:
        self.finder.replace_one(self._template.text())

    def _replace_all(self) -> None:
        self.finder.replace_all(self._template.text())

    def _on_replaced(self, count: int) -> None:
        few = {0: "Nothing matches, so nothing was replaced.", 1: "1 match was replaced."}
        self.notice.emit(few.get(count, f"{count:,} matches were replaced."))

    def _toggle_replace(self) -> None:
        self.open(replace=self._template.isHidden())

    # Helpers

    def _fit_error(self) -> None:
        """Give the error all its lines; a grid alone gives a wrapped label too few."""
        width = self.width() - self._pattern.x() - self._grid.contentsMargins().right()
        self._error.setMinimumHeight(max(0, self._error.heightForWidth(width)))

    def _put(self, query: Query) -> None:
        self._pattern.setText(query.pattern)
        self._case.setChecked(query.case)
        self._word.setChecked(query.word)
        self._expression.setChecked(query.expression)

    def _toggle(self, icon: str, tip: str, name: str) -> IconButton:
        button = IconButton(self._theme, icon, tip, name=name)
        button.setCheckable(True)
        return button

    def _connect(self) -> None:
        self._pattern.textChanged.connect(self._search)
        for button in (self._case, self._word, self._expression):
            button.toggled.connect(self._search)
        self._in_selection.clicked.connect(self._search)
        self.finder.changed.connect(self._show)
        self.finder.replaced.connect(self._on_replaced)
        self._pattern.installEventFilter(self)
        self._template.installEventFilter(self)

    def _build(self) -> None:
        self.setObjectName("findBar")
        self.setAccessibleName("Find and replace")
        for field, name, text in (
            (self._pattern, "findField", "Find"),
            (self._template, "replaceField", "Replace with"),
        ):
            field.setObjectName(name)
            field.setAccessibleName(text)
            field.setPlaceholderText(text)
        grid = QGridLayout(self)
        grid.setContentsMargins(10, 6, 12, 6)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(6)
        self._replace_toggle = IconButton(
            self._theme, "chevron-right", "Show or hide replacing", name="findReplaceToggle",
            size=14, kind="tiny",
        )  # fmt: skip
        self._replace_toggle.clicked.connect(self._toggle_replace)
        grid.addWidget(self._replace_toggle, 0, 0)
        self._grid = grid
        self._find_tools, self._replace_tools = self._buttons(), self._replace_buttons()
        self._arrange(wide=True)
        grid.setColumnStretch(1, 1)
        self._error.hide()

    def _arrange(self, *, wide: bool) -> None:
        """Put the buttons beside their fields, or below them where there is little room."""
        if wide == self._wide:
            return
        self._wide = wide
        rows = (0, 0, 2, 2, 1) if wide else (0, 1, 3, 4, 2)
        pieces = (self._pattern, self._find_tools, self._template, self._replace_tools, self._error)
        for piece, row in zip(pieces, rows, strict=True):
            self._grid.removeWidget(piece)
            beside = wide and piece in (self._find_tools, self._replace_tools)
            span = 2 if piece is self._error else 1
            self._grid.addWidget(piece, row, 2 if beside else 1, 1, span)

    def _buttons(self) -> QWidget:
        tools = QWidget()
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        self._count.setMinimumWidth(86)
        for button in (self._case, self._word, self._expression, self._in_selection):
            row.addWidget(button)
        row.addSpacing(4)
        row.addWidget(self._count)
        row.addStretch(1)
        for icon, tip, name, slot in (
            ("arrow-up", "Previous match (Shift+F3)", "findPrevious", lambda: self.step(-1)),
            ("arrow-down", "Next match (F3)", "findNext", lambda: self.step(1)),
            ("close", "Close (Esc)", "findClose", self.close_bar),
        ):
            button = IconButton(self._theme, icon, tip, name=name)
            button.clicked.connect(lambda _checked=False, run=slot: run())
            row.addWidget(button)
        return tools

    def _replace_buttons(self) -> QWidget:
        tools = QWidget()
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        one = text_button("Replace", "replaceOne")
        every = text_button("Replace all", "replaceAll")
        one.clicked.connect(self._replace_one)
        every.clicked.connect(self._replace_all)
        row.addWidget(one)
        row.addWidget(every)
        row.addStretch(1)
        self._replace_row += [self._template, tools]
        return tools
