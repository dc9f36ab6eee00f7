"""Parts of the export sheet: rows of what goes in and stays, a warning, the steps of the work."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from studio_qt.authoring.exporting import ExportStep, ExportWarning, Progress, SummaryRow
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bars import SectionTitle
from studio_qt.ui.widgets.basics import ElidedLabel, IconView, Separator, label, text_button

__all__ = ["Contents", "Steps", "WarningBar", "size_words"]

_ICONS = {
    "text": ("file-text", "key"),
    "context": ("book", "key"),
    "agent": ("code", "quote"),
    "subagent": ("sub-agent", "accent2"),
    "builtin": ("robot", "fg2"),
    "library": ("package", "fg2"),
    "default": ("database", "fg2"),
    "conversations": ("lock", "fg3"),
    "unused": ("file", "fg3"),
    "tools": ("eye-off", "fg3"),
}
_RUNNING: dict[ExportStep, str] = {
    "check": "Looking for problems",
    "build": "Reading and compiling",
    "pack": "Packing",
    "prove": "Loading the zip and playing one turn with Rehearsal, without network",
}


def size_words(size: int) -> str:
    """Return a size for people."""
    if size < 1024 * 1024:
        return f"{max(1, round(size / 1024)):,} KB" if size else "0 KB"
    return f"{size / (1024 * 1024):,.1f} MB"


class Contents(QFrame):
    """What goes in, and what stays."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("exportContents")
        self.setAccessibleName("What goes in and what stays")
        self.setProperty("role", "card")
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 8, 12, 8)
        self._column.setSpacing(2)

    def show_rows(self, goes: Sequence[SummaryRow], stays: Sequence[SummaryRow], sum_: str) -> None:
        """Show these rows; `sum_` stands at the right of the first heading."""
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        title = SectionTitle("Goes in")
        title.side.addWidget(label(sum_, "second", name="exportSum"))
        self._column.addWidget(title)
        for row in goes:
            self._column.addWidget(self._row(row))
        self._column.addSpacing(4)
        self._column.addWidget(Separator())
        self._column.addSpacing(6)
        self._column.addWidget(SectionTitle("Stays here"))
        for row in stays:
            self._column.addWidget(self._row(row))

    def _row(self, row: SummaryRow) -> QWidget:
        line = QWidget()
        line.setFixedHeight(self._theme.scaled(26))
        layout = QHBoxLayout(line)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        icon, token = _ICONS[row.kind]
        layout.addWidget(IconView(self._theme, icon, token, 14))
        layout.addWidget(label(row.title, ""))
        details = ElidedLabel(row.details, "second")
        layout.addWidget(details, 1)
        layout.addWidget(label("–" if row.size is None else size_words(row.size), "mono"))
        size = "" if row.size is None else f", {size_words(row.size)}"
        line.setAccessibleName(f"{row.title} {row.details}{size}")
        return line


class WarningBar(QFrame):
    """A warning with the button that leaves its file out; `left_out` carries the path."""

    left_out = Signal(str)

    def __init__(self, theme: Theme, warning: ExportWarning) -> None:
        super().__init__()
        self.setObjectName("exportWarning")
        self.setProperty("role", "notice")
        self.setProperty("tone", "warn")
        self.setProperty("plate", True)
        self.setAccessibleName(warning.sentence)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(IconView(theme, "warning", "warn", 15))
        row.addWidget(label(warning.sentence, "", wrap=True), 1)
        if warning.path:
            button = text_button("Leave it out", "exportLeaveOut", "warn")
            button.setAccessibleDescription(warning.sentence)
            button.clicked.connect(lambda: self.left_out.emit(warning.path))
            row.addWidget(button)


class Steps(QFrame):
    """The steps of the work with the time that each took, and a bar for all of them."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("exportSteps")
        self.setAccessibleName("Progress")
        self.setProperty("role", "card")
        self._theme = theme
        self._lines: dict[ExportStep, QWidget] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 8, 12, 8)
        self._column.setSpacing(2)
        self._bar = QProgressBar()
        self._bar.setObjectName("exportProgress")
        self._bar.setAccessibleName("How far it is")
        self._bar.setTextVisible(False)
        self._bar.setMaximum(2 * len(_RUNNING))
        self._bar.setFixedHeight(4)

    def begin(self) -> None:
        """Take away the steps of a former run."""
        while self._column.takeAt(0) is not None:
            pass
        for line in self._lines.values():
            line.hide()
            line.deleteLater()
        self._lines.clear()
        self._bar.setValue(0)
        self._column.addWidget(self._bar)
        self.show()

    def show_progress(self, progress: Progress) -> None:
        """Show a step that has begun or ended."""
        done = progress.seconds is not None
        words = progress.words if done else _RUNNING[progress.step]
        line = self._line(words, "" if progress.seconds is None else f"{progress.seconds:.1f} s")
        before = self._lines.get(progress.step)
        if before is not None:
            self._column.replaceWidget(before, line)
            before.hide()
            before.deleteLater()
        else:
            self._column.insertWidget(self._column.count() - 1, line)
        self._lines[progress.step] = line
        self._bar.setValue(2 * list(_RUNNING).index(progress.step) + (2 if done else 1))

    def _line(self, words: str, seconds: str) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 2, 0, 2)
        row.setSpacing(8)
        icon, token = ("check", "ok") if seconds else ("play", "accent2")
        row.addWidget(IconView(self._theme, icon, token, 14))
        row.addWidget(label(words, "second" if seconds else "name", wrap=True), 1)
        row.addWidget(label(seconds, "mono"))
        line.setAccessibleName(f"{words} {seconds}".strip())
        return line
