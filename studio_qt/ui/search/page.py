"""`SearchPage`: search and replace in all files of the project."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.search.engine import MOST, FileHits, Query, Skipped, search_project
from studio_qt.ui.search.model import ResultModel
from studio_qt.ui.search.replacing import replace_all
from studio_qt.ui.search.view import ResultView
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.bars import EmptyState
from studio_qt.ui.widgets.basics import IconButton, label, text_button
from studio_qt.ui.widgets.inputs import SearchField

if TYPE_CHECKING:
    from studio_qt.ui.documents.documents import Documents

__all__ = ["SearchPage"]

_QUIET_MS = 300
_BATCH_SECONDS = 0.05
_MOST_UNFOLDED = 200
"""Matches up to which files come unfolded."""


class SearchPage(QWidget):
    """A field, its options, and the results by file.

    `open_wanted` carries path, line and column, both from 1; columns are those of editors (UTF-16
    units). `notice` carries a sentence and its kind.
    """

    open_wanted = Signal(str, int, int)
    notice = Signal(str, str)

    def __init__(
        self, desk: Desk, documents: Documents | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._desk, self._documents = desk, documents
        self._root: Path | None = None
        self._model = ResultModel(self)
        self._task: asyncio.Task[None] | None = None
        self._stop = threading.Event()
        self._asked = Query("")
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_QUIET_MS)
        self._build()
        self._connect()
        self._add_actions()
        self._show_replace(on=False)

    @property
    def settled(self) -> bool:
        """Whether nothing is being searched."""
        return self._task is None and not self._quiet.isActive()

    @property
    def query(self) -> Query:
        """What the fields ask for."""
        return Query(
            self._field.text(),
            self._case.isChecked(),
            self._word.isChecked(),
            self._expression.isChecked(),
            self._include.text(),
            self._new.text() if self._replace.isChecked() else None,
        )

    def show_project(self, root: Path | None) -> None:
        """Search another project from now on; results of the old one go."""
        self.cancel()
        self._root = root
        self._model.begin(replacing=False)
        self._say("")
        self._show_state()

    def focus(self, text: str = "") -> None:
        """Put the focus into the field, with `text` in it where some is given."""
        if text:
            self._field.setText(text)
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def search(self) -> None:
        """Search now; a search that runs ends."""
        self.cancel()
        query = self.query
        self._asked = query
        self._model.begin(replacing=query.template is not None)
        self._say("")
        if self._root is not None and query.pattern:
            self._stop = threading.Event()
            self._task = self._desk.tasks.start(
                self._search(self._root, query, self._stop), name="search", on_error=self._on_error
            )
        self._show_state()

    def cancel(self) -> None:
        """End the search that runs; what was found stays."""
        self._quiet.stop()
        self._stop.set()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            self._say(f"Cancelled. {self._counted()}")
        self._cancel.hide()

    # Building

    def _build(self) -> None:
        self.setObjectName("searchPage")
        self.setAccessibleName("Search in files")
        theme = self._desk.theme
        self._field = SearchField(theme, "Search in files", "searchField")
        self._new = QLineEdit()
        self._new.setObjectName("searchReplacement")
        self._new.setPlaceholderText("Replace with")
        self._new.setAccessibleName("Replace with")
        self._include = QLineEdit()
        self._include.setObjectName("searchInclude")
        self._include.setPlaceholderText("Only in: agents, *.json, !notes")
        self._include.setAccessibleName("Only in these files")
        self._include.setAccessibleDescription(
            "Parts of paths or patterns with commas between them; ! leaves files out."
        )
        self._case = self._toggle("match-case", "Match case", "searchCase")
        self._word = self._toggle("whole-word", "Whole words", "searchWord")
        self._expression = self._toggle("regex", "Regular expression", "searchExpression")
        self._replace = self._toggle("replace", "Replace", "searchReplace")
        self._status = label("", "second", wrap=True, name="searchStatus")
        self._cancel = text_button("Cancel", "searchCancel", "link")
        self._run = text_button("Replace", "searchReplaceAll", "primary")
        self._view = ResultView(theme, self._model)
        self._empty = EmptyState(
            theme,
            "search",
            "Find a text in all files",
            "Unsaved text is searched first, then what is on the disk.",
            name="searchEmpty",
        )
        self._pages = QStackedWidget()
        self._pages.addWidget(self._view)
        self._pages.addWidget(self._empty)
        self._lay_out()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 6, 6, 6)
        head.setSpacing(0)
        head.addWidget(label("Search", "name"), 1)
        for button in (self._case, self._word, self._expression, self._replace):
            head.addWidget(button)
        fields = QVBoxLayout()
        fields.setContentsMargins(12, 0, 12, 0)
        fields.setSpacing(6)
        for field in (self._field, self._new, self._include):
            fields.addWidget(field)
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 8, 12, 8)
        foot.setSpacing(8)
        foot.addWidget(self._status, 1)
        foot.addWidget(self._cancel)
        foot.addWidget(self._run)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(fields)
        column.addLayout(foot)
        column.addWidget(self._pages, 1)
        self._cancel.hide()
        self._pages.setCurrentWidget(self._empty)

    def _toggle(self, icon: str, tip: str, name: str) -> IconButton:
        button = IconButton(self._desk.theme, icon, tip, name=name)
        button.setCheckable(True)
        return button

    def _connect(self) -> None:
        self._quiet.timeout.connect(self.search)
        for field in (self._field, self._new, self._include):
            field.textChanged.connect(lambda _text: self._quiet.start())
            field.returnPressed.connect(self.search)
        for button in (self._case, self._word, self._expression):
            button.toggled.connect(lambda _on: self.search())
        self._replace.toggled.connect(lambda on: self._show_replace(on=on))
        self._replace.toggled.connect(lambda _on: self.search())
        self._field.down_wanted.connect(self._enter_results)
        self._cancel.clicked.connect(self.cancel)
        self._run.clicked.connect(self._replace_now)
        self._view.opened.connect(self.open_wanted)
        self._model.rowsInserted.connect(self._unfold)

    def _add_actions(self) -> None:
        add = self._desk.actions.add
        place = Place("Edit", 7)
        add("nextResult", "Next result", lambda: self._view.step(1), place=place, keys="F4")
        text = "Previous result"
        add("previousResult", text, lambda: self._view.step(-1), place=place, keys="Shift+F4")

    # Searching

    async def _search(self, root: Path, query: Query, stop: threading.Event) -> None:
        if self._documents is not None:
            self._documents.flush()
        buffers = dict(self._documents.buffers) if self._documents is not None else {}
        self._cancel.show()
        self._say("Searching…")
        skipped: list[Skipped] = []
        results = search_project(root, buffers, query, stop)
        going = True
        while going:
            batch, going = await asyncio.to_thread(_take, results)
            self._model.add([one for one in batch if isinstance(one, FileHits)])
            skipped += [one for one in batch if isinstance(one, Skipped)]
            self._say(f"Searching… {self._counted()}")
            self._show_state()
        self._task = None
        self._cancel.hide()
        self._say(" ".join([self._counted(), _words_for(skipped)]).strip())
        self._show_state()

    def _on_error(self, error: Exception) -> None:
        self._task = None
        self._cancel.hide()
        self._say(sentence(error), "fieldError")
        self._show_state()

    # Replacing

    def _replace_now(self) -> None:
        files = self._model.checked
        if self._root is None or not files or self._task is not None:
            return
        query = replace(self._asked, template=self._new.text())
        self._run.setEnabled(False)
        self._task = self._desk.tasks.start(
            self._replace_in(self._root, files, query), name="replace", on_error=self._on_error
        )

    async def _replace_in(self, root: Path, files: list[FileHits], query: Query) -> None:
        done = await replace_all(root, self._documents, files, query)
        self._task = None
        self.notice.emit(done.words, "error" if done.failed else "ok")
        self.search()

    # Helpers

    def _show_replace(self, *, on: bool) -> None:
        self._new.setVisible(on)
        self._run.setVisible(on)

    def _unfold(self, _parent: QModelIndex, first: int, last: int) -> None:
        if self._model.count <= _MOST_UNFOLDED:
            for row in range(first, last + 1):
                self._view.expand(self._model.index(row, 0))

    def _enter_results(self) -> None:
        if self._model.files:
            self._view.setFocus(Qt.FocusReason.TabFocusReason)
            if not self._view.currentIndex().isValid():
                self._view.setCurrentIndex(self._model.index(0, 0))

    def _show_state(self) -> None:
        has_results = bool(self._model.files)
        self._pages.setCurrentWidget(self._view if has_results else self._empty)
        if self._root is None:
            self._empty.show_text("No project is open", "Open a project to search its files.")
        elif not self._field.text():
            self._empty.show_text(
                "Find a text in all files",
                "Unsaved text is searched first, then what is on the disk.",
            )
        elif self._task is None:
            self._empty.show_text("Nothing found", "Look at the options above, or type less.")
        self._run.setEnabled(has_results and self._task is None)
        count = sum(len(file.hits) for file in self._model.checked)
        self._run.setText(f"Replace {count:,}" if count else "Replace")

    def _counted(self) -> str:
        files, count = len(self._model.files), self._model.count
        if not count:
            return "No results."
        if count >= MOST:
            return f"The first {MOST:,} results, in {files:,} {'file' if files == 1 else 'files'}."
        words = f"{count:,} {'result' if count == 1 else 'results'} in "
        return words + f"{files:,} {'file' if files == 1 else 'files'}."

    def _say(self, text: str, role: str = "second") -> None:
        self._status.setText(text)
        if self._status.property("role") != role:
            self._status.setProperty("role", role)
            self._status.style().polish(self._status)


def _take(
    results: Iterator[FileHits | Skipped],
) -> tuple[list[FileHits | Skipped], bool]:
    """Take results for a while; returns them, and whether there may be more."""
    until = time.perf_counter() + _BATCH_SECONDS
    taken: list[FileHits | Skipped] = []
    for one in results:
        taken.append(one)
        if time.perf_counter() > until:
            return taken, True
    return taken, False


def _words_for(skipped: list[Skipped]) -> str:
    if not skipped:
        return ""
    if len(skipped) == 1:
        return f"{skipped[0].path} was left out: {skipped[0].why}"
    return f"{len(skipped)} files were left out, the first one {skipped[0].path}: {skipped[0].why}"
