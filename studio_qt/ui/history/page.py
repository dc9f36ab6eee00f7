"""`HistoryPage`: the earlier versions of one file, to compare and to take back."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from studio_qt.errors import StudioError
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.documents.history import Version
from studio_qt.ui.history.rows import (
    REASON,
    SIZE,
    VersionRows,
    reason_words,
    size_words,
    time_words,
)
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.bars import EmptyState
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton, give_icon, label, text_button
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["HistoryPage"]


class HistoryPage(QWidget):
    """Lists what a file was, the newest first. Enter compares, the buttons do that and restore.

    `compare_wanted` carries title, name and text of the left side, name and text of the right, as
    `ComparePage.show_texts` takes them. `restored` carries the path that was taken back, open and
    not saved; `notice` a sentence and its tone; `closed` follows the cross and Escape.
    """

    compare_wanted = Signal(str, str, str, str, str)
    restored = Signal(str)
    notice = Signal(str, str)
    closed = Signal()

    def __init__(self, desk: Desk, documents: Documents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk, self._documents = desk, documents
        self._path = ""
        self.setObjectName("historyPage")
        self.setAccessibleName("Earlier versions")
        self._title = ElidedLabel("", "name")
        self._count = label("", "second", name="historyCount")
        self._close = IconButton(
            desk.theme, "close", "Close the earlier versions", name="historyClose"
        )
        self._list = QListWidget()
        self._rows = VersionRows(desk.theme)
        self._empty = EmptyState(desk.theme, "history", "", "", name="historyEmpty")
        self._compare = text_button("Compare", "historyCompare", "primary")
        self._restore = text_button("Restore", "historyRestore")
        self._stack = QStackedLayout()
        self._build()
        self._connect()
        self.show_path("")

    @property
    def path(self) -> str:
        """The file whose versions are listed; "" for none."""
        return self._path

    @property
    def versions(self) -> list[Version]:
        """What is listed, from the top."""
        return [
            self._list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self._list.count())
        ]

    def show_path(self, path: str) -> None:
        """List the versions of another file."""
        self._path = path
        name = path.rpartition("/")[2]
        self._title.set_whole(f"Earlier versions of {name}" if path else "Earlier versions")
        self._title.setToolTip(plain_tip(path))
        self._fill("")

    def refresh(self) -> None:
        """Look again what there is; the chosen version stays chosen."""
        chosen = self._chosen()
        self._fill(chosen.id if chosen else "")

    def focus(self) -> None:
        """Give the keyboard to the list."""
        self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill(self, chosen: str) -> None:
        versions = self._documents.history.versions(self._path) if self._path else []
        now = time.time()
        self._list.clear()
        for version in versions:
            self._list.addItem(_item(version, now))
        ids = [version.id for version in versions]
        if versions:
            self._list.setCurrentRow(ids.index(chosen) if chosen in ids else 0)
        count = len(versions)
        self._count.setText("" if not count else "1 version" if count == 1 else f"{count} versions")
        self._stack.setCurrentIndex(0 if versions else 1)
        self._say_empty()
        self._allow()

    def _say_empty(self) -> None:
        if self._path:
            title, text = (
                "There are no earlier versions yet",
                (
                    "Each save, and each change by another program, keeps what was there before. "
                    "Save the file, and its last version stands here."
                ),
            )
        else:
            title, text = "No file is chosen", "Open a file to see what it was before."
        self._empty.show_text(title, text)

    def _allow(self) -> None:
        for button in (self._compare, self._restore):
            button.setEnabled(self._chosen() is not None)

    def _chosen(self) -> Version | None:
        item = self._list.currentItem()
        version = None if item is None else item.data(Qt.ItemDataRole.UserRole)
        return version if isinstance(version, Version) else None

    def _on_compare(self) -> None:
        if (version := self._chosen()) is not None:
            self._desk.tasks.start(
                self._compare_with_now(version), name="compare a version", on_error=self._fail
            )

    def _on_restore(self) -> None:
        if (version := self._chosen()) is not None:
            self._desk.tasks.start(
                self._take_back(version), name="restore a version", on_error=self._fail
            )

    async def _compare_with_now(self, version: Version) -> None:
        then = await self._documents.history.text(version)
        unsaved = version.path in self._documents.unsaved
        try:
            now = await self._documents.text_now(version.path)
            right = "Now, not saved" if unsaved else "Now"
        except StudioError:
            now, right = "", "There is no such text now"
        self.compare_wanted.emit(version.path, f"Until {_when(version)}", then, right, now)

    async def _take_back(self, version: Version) -> None:
        await self._documents.take_back(version)
        self.refresh()
        self.restored.emit(version.path)
        text = f"{version.path} is as it was until {_when(version)}. Undo takes that back."
        self.notice.emit(text, "ok")

    def _fail(self, error: Exception) -> None:
        self.notice.emit(sentence(error), "error")

    def _on_history_changed(self, path: str) -> None:
        if path == self._path and self.isVisible():
            self.refresh()

    def _connect(self) -> None:
        self._close.clicked.connect(self.closed)
        self._compare.clicked.connect(self._on_compare)
        self._restore.clicked.connect(self._on_restore)
        self._list.itemActivated.connect(lambda _item: self._on_compare())
        self._list.currentItemChanged.connect(lambda *_: self._allow())
        self._documents.history_changed.connect(self._on_history_changed)
        self._desk.theme.changed.connect(self._list.viewport().update)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head())
        column.addLayout(self._stack, 1)  # before anything is in it, which else is a window
        filled = QWidget()
        inside = QVBoxLayout(filled)
        inside.setContentsMargins(8, 8, 8, 12)
        inside.setSpacing(8)
        self._list.setObjectName("historyList")
        self._list.setAccessibleName("Versions, the newest first")
        self._list.setAccessibleDescription("Enter compares a version with the text as it is now.")
        self._list.setItemDelegate(self._rows)
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setMouseTracking(True)
        inside.addWidget(self._list, 1)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(8, 0, 8, 0)
        buttons.setSpacing(8)
        give_icon(self._desk.theme, self._compare, "diff", "onaccent")
        give_icon(self._desk.theme, self._restore, "undo")
        self._compare.setAccessibleDescription(
            "Shows this version and the text as it is now side by side."
        )
        self._restore.setAccessibleDescription(
            "Takes the text of this version into the editor; undo takes it back."
        )
        buttons.addWidget(self._compare, 1)
        buttons.addWidget(self._restore, 1)
        inside.addLayout(buttons)
        self._stack.addWidget(filled)
        self._stack.addWidget(self._empty)

    def _head(self) -> QFrame:
        head = QFrame()
        head.setObjectName("historyHead")
        row = QHBoxLayout(head)
        row.setContentsMargins(16, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(self._title, 1)
        row.addWidget(self._count)
        row.addWidget(self._close)
        return head


def _when(version: Version) -> str:
    words = time_words(version.time, time.time())
    return words[:1].lower() + words[1:] if words[:1] in "TY" else words


def _item(version: Version, now: float) -> QListWidgetItem:
    when, why, size = time_words(version.time, now), reason_words(version), size_words(version.size)
    item = QListWidgetItem(when)
    item.setData(Qt.ItemDataRole.UserRole, version)
    item.setData(REASON, why)
    item.setData(SIZE, size)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, f"Until {when}. {why}. {size}")
    return item
