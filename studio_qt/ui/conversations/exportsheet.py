"""`ExportSheet`: writes a conversation into a file to read or to take elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QStandardPaths, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from studio_qt.errors import StudioError
from studio_qt.files.atomic import write_atomic
from studio_qt.files.names import name_fault
from studio_qt.ui.conversations.listing import Listed
from studio_qt.ui.desk import Desk
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.basics import label, text_button
from studio_qt.ui.widgets.inputs import FormRow, Segments
from studio_qt.ui.widgets.sheet import Sheet
from studio_qt.ui.widgets.tips import plain_tip

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["ExportSheet", "file_name"]

_SUFFIXES = {"markdown": ".md", "html": ".html", "json": ".json"}
_LONGEST_BYTES = 200
_AT_A_TIME = 200
"""Pieces that a thread makes before the bar moves on."""

_ABOUT = {
    "markdown": "To read and to edit. Everything that was written is in it.",
    "html": "One page for any browser, light and dark, without anything from elsewhere.",
    "json": "Every field of every entry, for programs and for the Studio itself.",
}
_CHOICES = (
    ("logs", "Log entries", "What agents logged."),
    ("tools", "Tool calls", "Each call with its arguments and its result."),
    ("inner", "Inner calls of sub-agents", "What a sub-agent called inside of its own call."),
    ("alternatives", "Responses put aside", "Earlier and rejected responses of the same turn."),
)


class ExportSheet(Sheet):
    """Asks for the format, what goes along and the file; the sheet deletes itself when it closes.

    `show_folder` is what opens a folder in the system's file manager.
    """

    widest = 560

    def __init__(
        self,
        desk: Desk,
        over: QWidget,
        player: CharacterPlayer,
        conversation: Listed,
        show_folder: Callable[[Path], object] | None = None,
    ) -> None:
        super().__init__(desk.theme, over, "Export the conversation")
        self.setObjectName("conversationExport")
        self._desk, self._player, self._one = desk, player, conversation
        self._show_folder = show_folder or _show_folder
        self._task: asyncio.Task[None] | None = None
        self._written: Path | None = None
        self._replacing = ""
        self.formats = Segments(
            (("markdown", "Markdown"), ("html", "HTML"), ("json", "JSON")),
            "conversationFormat",
            "Format",
        )
        self.place = QLineEdit()
        self.run_button = text_button("Export", "conversationExportRun", "primary")
        self.boxes = {name: QCheckBox(words) for name, words, _ in _CHOICES}
        self._build()
        self._connect()
        self._suggest()
        self._on_format(self.formats.choice)
        self.finished.connect(self.deleteLater)

    @property
    def busy(self) -> bool:
        """Whether the file is being written."""
        return self._task is not None

    def lay(self) -> None:
        super().lay()
        self.run_button.setFocus(Qt.FocusReason.PopupFocusReason)

    def done(self, result: int) -> None:
        """Close; what is being written is given up, and nothing of it stays."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        super().done(result)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run()
        else:
            super().keyPressEvent(event)

    def run(self) -> None:
        """Write the file; one that is there already is asked about first."""
        if self.busy:
            return
        if self._written is not None:
            self._show_folder(self._written)
            return
        self._set_busy(busy=True)
        self._task = self._desk.tasks.start(
            self._run(), name="export conversation", on_error=self._on_failure
        )

    # Slots

    def _on_format(self, kind: str) -> None:
        self._about.setText(_ABOUT[kind])
        text = self.place.text().strip()
        stem = re.sub(r"\.(md|html|json)$", "", text)
        self.place.setText(f"{stem}{_SUFFIXES[kind]}" if stem else "")
        self._changed()

    def _on_tools(self, *, checked: bool) -> None:
        self.boxes["inner"].setEnabled(checked)
        if not checked:
            self.boxes["inner"].setChecked(False)

    def _changed(self) -> None:
        """Begin anew after a change: what was written before was something else."""
        self._written, self._replacing = None, ""
        self.run_button.setText("Export")
        self.run_button.setAccessibleName("Export")
        self._row.show_state("", "")
        self.cover()

    def _choose(self) -> None:
        dialog = QFileDialog(self._over, "A file for the conversation")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # it is asked here
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        place = self._place()
        dialog.setDirectory(str(place.parent))
        dialog.selectFile(place.name)
        dialog.fileSelected.connect(self.place.setText)
        dialog.open()

    def _on_failure(self, error: Exception) -> None:
        self._task = None
        self._set_busy(busy=False)
        self._row.show_state("error", sentence(error))
        self.cover()

    # How it is done

    async def _run(self) -> None:
        place, kind = self._place(), self.formats.choice
        fault = await asyncio.to_thread(_fault, place, self._folder)
        if fault:
            raise StudioError(fault)
        if self._replacing != str(place) and await asyncio.to_thread(place.exists):
            self._ask_to_replace(place)
            return
        pieces = await self._pieces(kind)
        size = await asyncio.to_thread(_write, place, pieces)
        self._task = None
        self._set_busy(busy=False)
        self._written = place
        self.run_button.setText("Show in folder")
        self.run_button.setAccessibleName("Show in folder")
        self._row.show_state("", f"Written: {place.name}, {_size(size)}.")
        self.cover()
        self.run_button.setFocus(Qt.FocusReason.OtherFocusReason)

    async def _pieces(self, kind: str) -> list[str]:
        """Make the text in a thread, some hundred entries at a time."""
        await asyncio.to_thread(import_module, "studio_qt.engine.exporting")
        from studio_qt.engine.exporting import About, Chosen, export_pieces

        one = self._one
        entries = await self._player.conversation_entries(one.id)
        name = self._player.character.name
        user = (self._desk.preferences.player.persona_name or "").strip()
        about = About(one.id, one.title, name, one.updated, user or "You")
        chosen = Chosen(**{name: box.isChecked() for name, box in self.boxes.items()})
        pieces = export_pieces(entries, about, kind, chosen)
        self._bar.setRange(0, max(1, len(entries)))
        made: list[str] = []
        while more := await asyncio.to_thread(lambda: list(islice(pieces, _AT_A_TIME))):
            made += more
            self._bar.setValue(min(len(made), self._bar.maximum()))
        return made

    def _ask_to_replace(self, place: Path) -> None:
        self._task = None
        self._set_busy(busy=False)
        self._replacing = str(place)
        self.run_button.setText("Replace")
        self.run_button.setAccessibleName("Replace")
        self._row.show_state("warn", f"There is a {place.name} already; it would be replaced.")
        self.cover()

    # Helpers

    def _suggest(self) -> None:
        documents = QStandardPaths.StandardLocation.DocumentsLocation
        self._folder = Path(QStandardPaths.writableLocation(documents))
        self.place.setText(str(self._folder / f"{file_name(self._one.name)}.md"))

    def _place(self) -> Path:
        return Path(self.place.text().strip()).expanduser()

    def _set_busy(self, *, busy: bool) -> None:
        for field in (self.formats, self.place, self.run_button, *self.boxes.values()):
            field.setEnabled(not busy)
        if not busy:
            self._on_tools(checked=self.boxes["tools"].isChecked())
        self._bar.setValue(0)
        self._bar.setVisible(busy)
        self.cover()

    # Building

    def _build(self) -> None:
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.setSpacing(14)
        self.column.addWidget(label("Export the conversation", "title"))
        self.column.addWidget(label(self._one.name, "second", wrap=True))
        self._about = label("", "quiet", wrap=True, name="conversationFormatAbout")
        self.column.addWidget(self.formats, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addWidget(self._about)
        self.column.addLayout(self._build_choices())
        self.place.setObjectName("conversationExportPath")
        self._row = FormRow(self._theme, "File", self.place)
        choose = text_button("Choose…", "conversationExportChoose", "link")
        choose.clicked.connect(self._choose)
        self._row.side.addStretch(1)
        self._row.side.addWidget(choose)
        self.column.addWidget(self._row)
        self._bar = QProgressBar()
        self._bar.setObjectName("conversationExportBar")
        self._bar.setAccessibleName("How much is written")
        self._bar.setTextVisible(False)
        self._bar.hide()
        self.column.addWidget(self._bar)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        close = text_button("Close", "conversationExportClose")
        close.clicked.connect(self.reject)
        foot.addWidget(close)
        foot.addWidget(self.run_button)
        self.column.addLayout(foot)

    def _build_choices(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addWidget(label("Beside the talk, with", "name"))
        for name, words, about in _CHOICES:
            box = self.boxes[name]
            box.setObjectName(f"conversationExport{name.capitalize()}")
            box.setAccessibleName(words)
            box.setAccessibleDescription(about)
            box.setToolTip(plain_tip(about))
            column.addWidget(box, 0, Qt.AlignmentFlag.AlignLeft)
        self.boxes["inner"].setEnabled(False)
        return column

    def _connect(self) -> None:
        self.formats.chosen.connect(self._on_format)
        self.place.textEdited.connect(self._changed)
        self.place.textChanged.connect(lambda _text: self._changed())
        self.run_button.clicked.connect(self.run)
        self.boxes["tools"].toggled.connect(lambda on: self._on_tools(checked=on))
        for box in self.boxes.values():
            box.toggled.connect(lambda _on: self._changed())


def file_name(title: str) -> str:
    """Return a name for a file that every system takes."""
    name = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]+', " ", title)
    name = " ".join(name.split()).strip(". ")[:80]
    name = name.encode()[:_LONGEST_BYTES].decode(errors="ignore").rstrip(". ")
    if name_fault(name):  # one that a system keeps for itself, as CON
        name = f"Conversation {name}".strip()
    return name


def _write(place: Path, pieces: list[str]) -> int:
    """Write a file; returns its size in bytes. Raises StorageError."""
    data = "".join(pieces).encode()
    write_atomic(place, data)
    return len(data)


def _fault(place: Path, own: Path) -> str:
    """Say why nothing can be written there, "" where it can; the user's `own` folder is made."""
    if place.parent == own:
        with contextlib.suppress(OSError):  # told below
            own.mkdir(parents=True, exist_ok=True)
    if not place.is_absolute():
        return "Give the whole path of the file, or choose it."
    if place.is_dir():
        return f"{place} is a folder; add the name of a file."
    if not place.parent.is_dir():
        return f"There is no folder {place.parent}; choose one that is there."
    return ""


def _size(count: int) -> str:
    if count < 1024:
        return f"{count} bytes"
    return f"{count / 1024:.0f} KB" if count < 1 << 20 else f"{count / (1 << 20):.1f} MB"


def _show_folder(place: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(place.parent)))
