"""`FieldRow`: a row of the form that shows what is wrong with its field, and offers the mend."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from studio_qt.authoring.subagentchecks import FormProblem, Mend
from studio_qt.errors import Severity
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView, label, text_button
from studio_qt.ui.widgets.inputs import FormRow

__all__ = ["FieldRow", "Said", "Section", "mend_link"]


_STATES: Mapping[Severity, str] = {"error": "error", "warning": "warn"}


class FieldRow(FormRow):
    """`mended` carries the form after the mend that was chosen."""

    mended = Signal(object)

    def __init__(self, theme: Theme, title: str, field: QWidget, hint: str = "") -> None:
        super().__init__(theme, title, field, hint)
        self._mend: Mend | None = None
        self.link = mend_link(f"{field.objectName()}Mend")
        self.link.hide()
        self.link.clicked.connect(self._on_mend)
        self.side.addWidget(self.link, 0, Qt.AlignmentFlag.AlignTop)

    def mend_beside(self) -> None:
        """Put the mend at the end of the field's own line."""
        self.side.removeWidget(self.link)
        self.beside.addStretch(1)
        self.beside.addWidget(self.link)

    def show_problem(self, problem: FormProblem | None, quiet: str = "", state: str = "") -> None:
        """Show what is wrong; without a problem the `quiet` sentence in the look of `state`."""
        self._mend = problem.mend if problem is not None else None
        self.link.setVisible(self._mend is not None)
        if self._mend is not None:
            self.link.setText(self._mend.words)
            self.link.setAccessibleName(self._mend.words)
        if problem is None:
            self.show_state(state, quiet)
        else:
            self.show_state(_STATES[problem.severity], problem.sentence)

    def _on_mend(self) -> None:
        if self._mend is not None:
            self.mended.emit(self._mend.form)


class Said(QWidget):
    """The problems of a field one below the other, each with its mend; nothing where all is well.

    `mended` carries the form after the mend that was chosen.
    """

    mended = Signal(object)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName(name)
        self._shown: list[FormProblem] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self.hide()

    @property
    def sentences(self) -> list[str]:
        """What is said."""
        return [problem.sentence for problem in self._shown]

    def show_problems(self, problems: list[FormProblem]) -> None:
        """Show these instead of those before."""
        if problems == self._shown:
            return
        self._shown = list(problems)
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for problem in problems:
            self._column.addWidget(self._line(problem))
        self.setVisible(bool(problems))

    def _line(self, problem: FormProblem) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        wrong = problem.severity == "error"
        icon = IconView(self._theme, "alert" if wrong else "warning", "err" if wrong else "warn")
        row.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        words = label(problem.sentence, "fieldError" if wrong else "fieldWarn", wrap=True)
        row.addWidget(words, 1)
        if (mend := problem.mend) is not None:
            link = mend_link(f"{self.objectName()}Mend")
            link.setText(mend.words)
            link.setAccessibleName(mend.words)
            link.clicked.connect(lambda _checked=False: self.mended.emit(mend.form))
            row.addWidget(link, 0, Qt.AlignmentFlag.AlignTop)
        return line


class Section(QWidget):
    """A title with a hint at its right; what belongs to it goes into `column`."""

    def __init__(self, title: str, hint: str = "") -> None:
        super().__init__()
        self.title = label(title, "name")
        self.hint: QLabel = label(hint, "quiet")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.hint)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(4)
        self.column.addLayout(head)


def mend_link(name: str) -> QPushButton:
    """Return the link that mends a field."""
    return text_button("", name, "link")
