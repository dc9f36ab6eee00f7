"""`ExportSheet`: where to, what goes in, what stays, and how far the work is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from studio_qt.authoring.exporting import (
    Exported,
    ExportPlan,
    ExportWarning,
    Fields,
    Progress,
    SummaryRow,
    goes_in,
)
from studio_qt.ui.exporting.parts import Contents, Steps, WarningBar, size_words
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import give_icon, label, text_button
from studio_qt.ui.widgets.inputs import FormRow, Segments
from studio_qt.ui.widgets.tallsheet import TallSheet, scrolled

__all__ = ["ExportSheet"]

_LICENSES = (
    "",
    "CC0-1.0",
    "CC BY 4.0",
    "CC BY-SA 4.0",
    "CC BY-NC 4.0",
    "CC BY-NC-SA 4.0",
    "MIT",
    "All rights reserved",
)
_PROMISE = "The file is called done only when a turn was answered."
_CARD_PROMISE = "A card holds texts and a lorebook; what it cannot carry stands above."
KINDS = (
    ("package", "Character package"),
    ("v3", "Card V3"),
    ("v2", "Card V2"),
    ("charx", "CHARX"),
)
_SUFFIXES = {"package": (".zip",), "v3": (".png", ".json"), "v2": (".png", ".json"),
             "charx": (".charx",)}  # fmt: skip
"""How the files of a kind end, the usual one first."""

_LITTLE = {"package": "plays anywhere, holds nothing private"}
_OTHERS = "for programs that know characters as cards"


class ExportSheet(TallSheet):
    """Tells what the user wants: `run_wanted`, `stop_wanted`, `show_wanted`.

    `left_out` carries the path of a file that is not to go in. `problem_wanted` asks for the place
    of what keeps it from being exported, `kind_chosen` carries a kind of file. `assemble` it first.
    """

    run_wanted = Signal()
    stop_wanted = Signal()
    left_out = Signal(str)
    show_wanted = Signal()
    problem_wanted = Signal()
    kind_chosen = Signal(str)

    widest = 760
    tallest = 824

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(theme, over, "Export", "package", "export")
        self.setObjectName("exportSheet")
        self._busy = False
        self._said = label(_PROMISE, "second", wrap=True, name="exportSaid")
        self.problem = text_button("Show it", "exportProblem", "link")
        self.cancel = text_button("Cancel", "exportCancel")
        self.show_file = text_button("Show the file", "exportShow")
        self.run_button = text_button("Export", "exportRun", "primary")
        give_icon(theme, self.run_button, "package", "onaccent")
        self._build()

    async def assemble(self) -> None:
        """Make what stands between head and foot, part by part: the window goes on meanwhile."""
        for make in (self._make_fields, self._make_parts, self._make_inside):
            await asyncio.sleep(0)
            make()
        self._connect()

    # What is shown

    @property
    def fields(self) -> Fields:
        """What is given for the package."""
        return Fields(
            self.author.text().strip(),
            self.version.text().strip(),
            self.license.currentText().strip(),
        )

    @property
    def where(self) -> Path:
        """The file that is to be written, with an ending that its kind has."""
        path = _path(self.place.text().strip())
        endings = _SUFFIXES[self.kinds.choice]
        if not path.name or path.suffix.lower() in endings:
            return path
        return path.with_name(path.name + endings[0])

    def begin(self, name: str, place: Path, fields: Fields) -> None:
        """Fill in what is known before the plan is made."""
        self.title.setText(f"Export {name}")
        self.place.setText(str(place))
        self.author.setText(fields.author or "")
        self.version.setText(fields.version or "")
        self.license.setCurrentText(fields.license or "")
        self.steps.hide()
        self.show_file.hide()
        self.kinds.choose("package")
        self.show_kind()

    def show_kind(self) -> None:
        """Show what the chosen kind needs, and end the file's name as it does."""
        kind = self.kinds.choice
        is_package = kind == "package"
        self.subtitle.setText(_LITTLE.get(kind, _OTHERS))
        for part in (self._fields, self.contents):
            part.setVisible(is_package)
        self.sources.setVisible(is_package and bool(self.sources.text()))
        self.steps.hide()
        self.show_file.hide()
        self.say(_PROMISE if is_package else _CARD_PROMISE)
        path = Path(self.place.text().strip())
        if path.suffix.lower() not in _SUFFIXES[kind] and path.name:
            known = {ending for endings in _SUFFIXES.values() for ending in endings}
            stem = path.stem if path.suffix.lower() in known else path.name
            self.place.setText(str(path.with_name(stem + _SUFFIXES[kind][0])))

    def show_left(self, sentences: Sequence[str]) -> None:
        """Name what a card cannot carry."""
        self._clear_warnings()
        for sentence in sentences:
            self._warnings.addWidget(WarningBar(self._theme, ExportWarning(sentence)))

    def show_plan(self, plan: ExportPlan, stays: Sequence[SummaryRow]) -> None:
        """Show what goes in and what stays."""
        count = f"{len(plan.files):,} files, {size_words(plan.size)}"
        self.contents.show_rows(goes_in(plan), stays, count)
        names = ", ".join(path.rpartition("/")[2] for path in plan.sources)
        words = f"Put the sources ({names}) into a second zip beside it" if names else ""
        self.sources.setText(words)
        self.sources.setVisible(bool(words))
        self._clear_warnings()
        for warning in plan.warnings:
            bar = WarningBar(self._theme, warning)
            bar.left_out.connect(self.left_out)
            self._warnings.addWidget(bar)
        if plan.faults:
            fault = plan.faults[0]
            where = fault.file if fault.line is None else f"{fault.file}, line {fault.line}"
            self.say(f"Mend this first: {where}: {fault.message}", "fieldError", problem=True)
        self.run_button.setEnabled(not plan.faults)

    def _clear_warnings(self) -> None:
        while (item := self._warnings.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    def say(self, sentence: str, state: str = "second", *, problem: bool = False) -> None:
        """Say something at the foot; with `problem` beside a link that shows its place."""
        self._said.setText(sentence)
        self._said.setProperty("role", state)
        self._said.style().polish(self._said)
        self.problem.setVisible(problem)

    def set_busy(self, *, busy: bool) -> None:
        """Let nothing be changed while it is packed."""
        self._busy = busy
        fields = (self.kinds, self.place, self.choose, self._fields, self.sources)
        for field in (*fields, self.run_button):
            field.setEnabled(not busy)
        self.cancel.setText("Cancel" if busy else "Close")
        self.cancel.setAccessibleName(self.cancel.text())
        if busy:
            if self.kinds.choice == "package":
                self.steps.begin()
                self.say(_PROMISE)
            self.show_file.hide()
            self.cancel.setFocus()

    def show_progress(self, progress: Progress) -> None:
        """Show a step."""
        self.steps.show_progress(progress)

    def show_done(self, done: Exported) -> None:
        """Say that it is there, and that it plays."""
        beside = f" The sources are in {done.sources.name}." if done.sources else ""
        self.show_written(
            f"{done.place.name} is there, {size_words(done.size)}, and it plays.{beside}"
        )

    def show_written(self, sentence: str) -> None:
        """Say what was written."""
        self.say(sentence, "ok")
        self.show_file.show()
        self.show_file.setFocus()

    def lay(self) -> None:
        super().lay()
        self.place.setFocus()
        self.place.selectAll()

    def reject(self) -> None:
        """Stop the work that runs; else close."""
        if self._busy:
            self.stop_wanted.emit()
        else:
            super().reject()

    # Building

    def _connect(self) -> None:
        self.kinds.chosen.connect(self.kind_chosen)
        self.choose.clicked.connect(self._choose)
        self.run_button.clicked.connect(self.run_wanted)
        self.cancel.clicked.connect(self.reject)
        self.show_file.clicked.connect(self.show_wanted)
        self.problem.clicked.connect(self.problem_wanted)
        self.place.textChanged.connect(lambda _text: self._place_row.show_state("", ""))

    def refuse_place(self, sentence: str) -> None:
        """Say what is wrong with the place."""
        self._place_row.show_state("error", sentence)
        self.place.setFocus()

    def _choose(self) -> None:
        dialog = QFileDialog(
            self._over, "A file for the package", filter=_filter(self.kinds.choice)
        )
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setDirectory(str(self.where.parent))
        dialog.selectFile(self.where.name)
        dialog.fileSelected.connect(self.place.setText)
        dialog.open()

    def _build(self) -> None:
        self._area = scrolled(None, "exportArea", "What is exported")
        self.middle.addWidget(self._area)
        self.foot.addWidget(self._said, 1)
        self.foot.addWidget(self.problem)
        for button in (self.show_file, self.cancel, self.run_button):
            self.foot.addWidget(button)

    def _make_fields(self) -> None:
        self.kinds = Segments(KINDS, "exportKind", "Kind")
        self.place = _field("exportPath", "Save as")
        self.choose = text_button("Choose…", "exportChoose")
        self.author = _field("exportAuthor", "Author")
        self.version = _field("exportVersion", "Version")
        self.license = QComboBox()
        self.license.setObjectName("exportLicense")
        self.license.setEditable(True)
        self.license.addItems(_LICENSES)

    def _make_parts(self) -> None:
        theme = self._theme
        self._place_row = FormRow(theme, "Save as", self.place)
        self._place_row.beside.addWidget(self.choose)
        self._fields = QWidget()
        row = QHBoxLayout(self._fields)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(FormRow(theme, "Author", self.author), 3)
        row.addWidget(FormRow(theme, "Version", self.version), 1)
        row.addWidget(FormRow(theme, "Licence", self.license), 3)
        self.sources = QCheckBox()
        self.sources.setObjectName("exportSources")
        self.contents, self.steps = Contents(theme), Steps(theme)
        self._warnings = QVBoxLayout()
        self._warnings.setSpacing(8)

    def _make_inside(self) -> None:
        inside = QWidget()
        inside.setProperty("role", "inside")
        column = QVBoxLayout(inside)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        column.addWidget(self.kinds, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._place_row)
        column.addWidget(self._fields)
        column.addWidget(self.sources)
        column.addWidget(self.contents)
        column.addLayout(self._warnings)
        column.addWidget(self.steps)
        column.addStretch(1)
        self._area.setWidget(inside)


def _path(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # "~somebody", whom this system does not know
        return Path(text)


def _filter(kind: str) -> str:
    words = dict(KINDS)[kind]
    return f"{words} ({' '.join(f'*{ending}' for ending in _SUFFIXES[kind])})"


def _field(name: str, accessible: str) -> QLineEdit:
    field = QLineEdit()
    field.setObjectName(name)
    field.setAccessibleName(accessible)
    return field
