"""`ImportSheet`: what comes, where it goes, and how far the work is; or why it does not come."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPixmap
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio_qt.authoring.arriving import Arrival
from studio_qt.ui.incoming.parts import Contents, Refusal, Who
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, IconView, give_icon, label, text_button
from studio_qt.ui.widgets.inputs import FormRow
from studio_qt.ui.widgets.sheet import Sheet
from studio_qt.ui.widgets.tallsheet import scrolled

__all__ = ["ImportSheet"]

_HEIGHT, _NARROW = 620, 520
_PROMISE = "Nothing is written before you choose."
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ImportSheet(Sheet):
    """`play_wanted` and `open_wanted` say what is to be done, `stop_wanted` that it is to end.

    `another_wanted` asks for another file, after one that was refused.
    """

    play_wanted = Signal()
    open_wanted = Signal()
    stop_wanted = Signal()
    another_wanted = Signal()

    widest = 640

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(theme, over, "Import a character")
        self.setObjectName("importSheet")
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self._busy = False
        self._title = label("", "title", name="importTitle")
        self._origin = label("", "second", name="importOrigin")
        self.who, self.contents, self.refusal = Who(theme), Contents(theme), Refusal(theme)
        self.place = QLineEdit()
        self.place.setObjectName("importPlace")
        self._place_row = FormRow(theme, "Folder", self.place, "made new, never written over")
        self._choose = text_button("Choose…", "importChoose")
        self._choose.setAccessibleDescription("Asks for the folder in which the new one is made.")
        self._place_row.beside.addWidget(self._choose)
        self._bar = QProgressBar()
        self._bar.setObjectName("importProgress")
        self._bar.setAccessibleName("How far it is")
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(4)
        self._said = label("", "second", wrap=True, name="importSaid")
        self.cancel = text_button("Cancel", "importCancel")
        self.another = text_button("Choose another file…", "importAnother")
        self.play_button = text_button("Play", "importPlay")
        give_icon(theme, self.play_button, "play")
        self.open_button = text_button("Open in the Studio", "importOpen", "primary")
        self._build()
        self._connect()

    # What is shown

    @property
    def where(self) -> Path:
        """The folder that is to be made."""
        return Path(self.place.text().strip()).expanduser()

    def begin(self, origin: str) -> None:
        """Say that a file is being read."""
        self._head_words(f"Reading {origin} …", "")
        self._show(arrival=False, refused=False)
        self.set_busy(busy=True, words="Looking at what is in it …")

    def show_arrival(
        self, arrival: Arrival, picture: QPixmap | None, origin: str, place: Path, *, plays: bool
    ) -> None:
        """Show what comes; `plays` says that it can be played as it is."""
        self._head_words(f"Import {arrival.name}", f"from {origin}")
        self.who.show_arrival(arrival, picture)
        self.contents.show_arrival(arrival)
        self.place.setText(str(place))
        self._place_row.show_state("", "")
        self._show(arrival=True, refused=False)
        self.play_button.setVisible(plays)
        self.set_busy(busy=False, words=_PROMISE)
        self.open_button.setFocus(Qt.FocusReason.OtherFocusReason)
        self.cover()

    def refuse(self, origin: str, reason: str) -> None:
        """Say why a file is not let in."""
        self._head_words("This is not imported", f"from {origin}")
        self.refusal.show_reason(reason)
        self._show(arrival=False, refused=True)
        self.set_busy(busy=False, words="Nothing was written.")
        self.another.setFocus(Qt.FocusReason.OtherFocusReason)
        self.cover()

    def refuse_place(self, sentence: str, *, words: str = "Nothing was written.") -> None:
        """Say what is wrong with the folder."""
        self.set_busy(busy=False, words=words)
        self._place_row.show_state("error", sentence)
        self.place.setFocus()
        self.place.selectAll()

    def set_busy(self, *, busy: bool, words: str) -> None:
        """Let nothing be changed while it is read or written."""
        self._busy = busy
        for field in (self.place, self._choose, self.play_button, self.open_button, self.another):
            field.setEnabled(not busy)
        ends = "Close" if self.refusal.isVisibleTo(self) else "Cancel"
        self.cancel.setText("Stop" if busy else ends)
        self.cancel.setAccessibleName(self.cancel.text())
        self._bar.setVisible(busy)
        self._bar.setRange(0, 0)
        self._said.setText(words)
        if busy:
            self.cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_progress(self, done: int, whole: int) -> None:
        """Show how many files are written."""
        if self._busy:
            self._bar.setRange(0, max(1, whole))
            self._bar.setValue(done)
            self._said.setText(f"Writing {done:,} of {whole:,} files …")

    # Qt

    def cover(self) -> None:
        """Be as high as what is shown needs, where the window lets it."""
        width = min(self._theme.scaled(self.widest), self._over.width() - 32)
        direction = QBoxLayout.Direction
        narrow = width < self._theme.scaled(_NARROW)
        self._foot_row.setDirection(direction.TopToBottom if narrow else direction.LeftToRight)
        needed = self._inside.totalHeightForWidth(width)
        around = self._head.sizeHint().height() + self._foot.sizeHint().height() + 2
        most = min(self._theme.scaled(_HEIGHT), self._over.height() - 32)
        self._area.setFixedHeight(max(80, min(max(needed, 120), most - around)))
        super().cover()

    def reject(self) -> None:
        """Stop the work that runs; else close."""
        if self._busy:
            self.stop_wanted.emit()
        else:
            super().reject()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ENTER and self.open_button.isVisible() and self.open_button.isEnabled():
            self.open_wanted.emit()
        else:
            super().keyPressEvent(event)

    # Building

    def _connect(self) -> None:
        self.cancel.clicked.connect(self.reject)
        self.another.clicked.connect(self.another_wanted)
        self.play_button.clicked.connect(self.play_wanted)
        self.open_button.clicked.connect(self.open_wanted)
        self._choose.clicked.connect(self._on_choose)
        self.place.textEdited.connect(lambda _text: self._place_row.show_state("", ""))

    def _on_choose(self) -> None:
        dialog = QFileDialog(self._over, "A place for the character")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._on_chosen)
        dialog.open()

    def _on_chosen(self, folder: str) -> None:
        """Take the folder above the new one."""
        self.place.setText(str(Path(folder) / self.where.name))
        self._place_row.show_state("", "")

    def _show(self, *, arrival: bool, refused: bool) -> None:
        for part in (self.who, self.contents, self._place_row):
            part.setVisible(arrival)
        self.refusal.setVisible(refused)
        self.open_button.setVisible(arrival)
        self.play_button.setVisible(False)
        self.another.setVisible(refused)

    def _head_words(self, title: str, origin: str) -> None:
        self._title.setText(title)
        self._origin.setText(origin)
        self._origin.setVisible(bool(origin))

    def _build(self) -> None:
        self._head, self._area, self._foot = self._make_head(), self._make_area(), self._make_foot()
        for part in (self._head, self._area, self._foot):
            self.column.addWidget(part)
        self._show(arrival=False, refused=False)

    def _make_head(self) -> QWidget:
        head = QFrame()
        head.setProperty("role", "sheetHead")
        row = QHBoxLayout(head)
        row.setContentsMargins(20, 10, 12, 10)
        row.setSpacing(12)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._title)
        words.addWidget(self._origin)
        close = IconButton(self._theme, "close", "Close", name="importClose")
        close.clicked.connect(self.reject)
        row.addWidget(IconView(self._theme, "download", "accent2", 20))
        row.addLayout(words, 1)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        return head

    def _make_area(self) -> QScrollArea:
        inside = QWidget()
        inside.setProperty("role", "inside")
        column = self._inside = QVBoxLayout(inside)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(16)
        for part in (self.who, self.contents, self._place_row, self.refusal):
            column.addWidget(part)
        column.addStretch(1)
        return scrolled(inside, "importArea", "What comes")

    def _make_foot(self) -> QWidget:
        foot = QFrame()
        foot.setProperty("role", "sheetFoot")
        column = QVBoxLayout(foot)
        column.setContentsMargins(0, 0, 0, 10)
        column.setSpacing(6)
        policy = self._bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._bar.setSizePolicy(policy)
        column.addWidget(self._bar)
        row = self._foot_row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        row.setContentsMargins(20, 0, 20, 0)
        row.setSpacing(8)
        row.addWidget(self._said, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self.cancel, self.another, self.play_button, self.open_button):
            buttons.addWidget(button)
        row.addLayout(buttons)
        column.addLayout(row)
        return foot
