"""`NewSheet`: asks for template, name and folder, and makes a new character."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QLineEdit, QWidget

from studio_qt.authoring.trust import note_made_here
from studio_qt.package.projects import make_project
from studio_qt.settings import home_folder
from studio_qt.ui.desk import Desk
from studio_qt.ui.start.facts import TemplateFacts
from studio_qt.ui.start.naming import LONGEST, free_place, name_fault, place_fault
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.basics import label, text_button
from studio_qt.ui.widgets.inputs import FormRow
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["NewSheet"]


class NewSheet(Sheet):
    """`made` carries the folder of the new character. The sheet deletes itself when it closes."""

    made = Signal(Path)
    widest = 560

    def __init__(
        self, desk: Desk, over: QWidget, templates: Sequence[TemplateFacts], chosen: str
    ) -> None:
        super().__init__(desk.theme, over, "New character")
        self.setObjectName("newCharacter")
        self._desk = desk
        self._templates = templates
        self._own_place = False
        self._busy = False
        self._asked = 0
        self.template = QComboBox()
        self.name = QLineEdit()
        self.place = QLineEdit()
        self.create_button = text_button("Create", "newCreate", "primary")
        self._build()
        self._connect()
        at = next((at for at, one in enumerate(templates) if one.name == chosen), 0)
        self.template.setCurrentIndex(at)
        self._on_template()
        self.finished.connect(self.deleteLater)

    def lay(self) -> None:
        super().lay()
        self.name.setFocus(Qt.FocusReason.PopupFocusReason)
        self.name.selectAll()

    def reject(self) -> None:
        """Close; not while the character is being made."""
        if not self._busy:
            super().reject()

    def done(self, result: int) -> None:
        """Close; what is still being looked at does not matter any more."""
        self._asked += 1
        super().done(result)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._create()
        else:
            super().keyPressEvent(event)

    # Slots

    def _on_template(self) -> None:
        facts = self._chosen()
        self._template_row.show_state("", facts.description if facts else "")
        self.cover()

    def _on_name(self) -> None:
        self._name_row.show_state("", "")
        if not self._own_place:
            self._look(suggest=True)

    def _on_place(self) -> None:
        self._own_place = bool(self.place.text().strip())
        self._look()

    def _create(self) -> None:
        fault = name_fault(self.name.text())
        self._name_row.show_state("error" if fault else "", fault)
        if fault:
            self.name.setFocus()
            self.cover()
        elif not self._busy:
            self._desk.tasks.start(self._make(), name="new character", on_error=self._on_failure)

    def _on_failure(self, error: Exception) -> None:
        self._set_busy(busy=False)
        self._place_row.show_state("error", sentence(error))
        self.cover()

    def _choose(self) -> None:
        """Ask for the folder in which the character's own folder is made."""
        dialog = QFileDialog(self._over, "A place for the new character")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._on_chosen)
        dialog.open()

    def _on_chosen(self, folder: str) -> None:
        self._parent = Path(folder)
        self._own_place = False
        self._look(suggest=True)

    # Helpers

    async def _make(self) -> None:
        facts, name = self._chosen(), self.name.text().strip()
        self._set_busy(busy=True)
        fault = await asyncio.to_thread(place_fault, self.place.text())
        if fault or facts is None:
            self._set_busy(busy=False)
            self._show_place(fault)
            self.place.setFocus()
            return
        place = self._place()
        await asyncio.to_thread(make_project, place, facts.name, name=name)
        await asyncio.to_thread(note_made_here, home_folder(), place)
        self._set_busy(busy=False)
        self.accept()
        self.made.emit(place)

    def _look(self, *, suggest: bool = False) -> None:
        """Look at the place in a thread, at one that is free where none was written."""
        self._asked += 1
        self._desk.tasks.start(self._look_at(self._asked, suggest=suggest), name="new place")

    async def _look_at(self, asked: int, *, suggest: bool) -> None:
        if asked != self._asked:
            return
        text = self.place.text()
        if suggest:
            free = await asyncio.to_thread(free_place, self._parent, self.name.text())
            text = str(free)
        fault = await asyncio.to_thread(place_fault, text)
        if asked != self._asked:
            return
        if suggest:
            self.place.blockSignals(True)
            self.place.setText(text)
            self.place.blockSignals(False)
        self._show_place(fault)

    def _show_place(self, fault: str) -> None:
        self._place_row.show_state("error" if fault else "", fault)
        self.cover()

    def _set_busy(self, *, busy: bool) -> None:
        self._busy = busy
        for field in (self.template, self.name, self.place, self.create_button):
            field.setEnabled(not busy)
        self.create_button.setText("Creating …" if busy else "Create")

    def _place(self) -> Path:
        return Path(self.place.text().strip()).expanduser()

    def _chosen(self) -> TemplateFacts | None:
        at = self.template.currentIndex()
        return self._templates[at] if 0 <= at < len(self._templates) else None

    def _build(self) -> None:
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.setSpacing(16)
        self.column.addWidget(label("New character", "title"))
        self.template.setObjectName("newTemplate")
        self.template.addItems([facts.title for facts in self._templates])
        self.name.setObjectName("newName")
        self.name.setMaxLength(LONGEST + 20)
        self.name.setText("New Character")
        self.place.setObjectName("newPlace")
        documents = QStandardPaths.StandardLocation.DocumentsLocation
        self._parent = Path(QStandardPaths.writableLocation(documents)) / "Characters"
        self._template_row = FormRow(self._theme, "Template", self.template)
        self._name_row = FormRow(self._theme, "Name", self.name, "what the character is called")
        self._place_row = FormRow(self._theme, "Folder", self.place, "where its files are kept")
        choose = text_button("Choose another place…", "newChoose", "link")
        choose.clicked.connect(self._choose)
        self._place_row.side.addStretch(1)
        self._place_row.side.addWidget(choose)
        for row in (self._template_row, self._name_row, self._place_row):
            self.column.addWidget(row)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        cancel = text_button("Cancel", "newCancel")
        cancel.clicked.connect(self.reject)
        foot.addWidget(cancel)
        foot.addWidget(self.create_button)
        self.column.addLayout(foot)
        self._look(suggest=True)

    def _connect(self) -> None:
        self.template.currentIndexChanged.connect(self._on_template)
        self.name.textChanged.connect(self._on_name)
        self.place.textEdited.connect(self._on_place)
        self.create_button.clicked.connect(self._create)
