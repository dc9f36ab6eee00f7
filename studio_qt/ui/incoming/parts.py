"""Parts of the import sheet: who comes, what is in it, and why something does not come."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.authoring.arriving import Arrival
from studio_qt.sentences import listed
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView, label
from studio_qt.ui.widgets.portrait import Portrait

__all__ = ["Contents", "Refusal", "Who"]

_SHOWN = 600
"""Characters of a description that are shown."""

_PICTURE = 88


class Who(QWidget):
    """Picture, name, version, author, description."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("importWho")
        self._portrait = Portrait("?", size=theme.scaled(_PICTURE))
        self._name = label("", "title", wrap=True, name="importName")
        self._by = label("", "second", wrap=True, name="importBy")
        self._text = label("", "", wrap=True, name="importDescription")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addWidget(self._portrait, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(4)
        for part in (self._name, self._by, self._text):
            words.addWidget(part)
        words.addStretch(1)
        row.addLayout(words, 1)

    def show_arrival(self, arrival: Arrival, picture: QPixmap | None) -> None:
        """Show another character."""
        self._portrait.set_name(arrival.name)
        self._portrait.set_picture(picture)
        self._name.setText(arrival.name)
        by = [f"version {arrival.version}"] if arrival.version else []
        by += [f"by {arrival.author}"] if arrival.author else []
        by.append(f"{arrival.files:,} {'file' if arrival.files == 1 else 'files'}")
        by.append(_size(arrival.size))
        self._by.setText(" · ".join(by))
        text = arrival.description
        self._text.setText(f"{text[:_SHOWN].rstrip()} …" if len(text) > _SHOWN else text)
        if not text:
            self._text.setText("It has no description.")
        self.setAccessibleName(f"{arrival.name}. {self._by.text()}. {self._text.text()}")


class Contents(QFrame):
    """What is in it, whose code it has, and what only its file keeps."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("importContents")
        self.setProperty("role", "card")
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 10, 12, 10)
        self._column.setSpacing(8)
        self._inside = QWidget()
        self._column.addWidget(self._inside)

    def show_arrival(self, arrival: Arrival) -> None:
        """Show another character's."""
        before, self._inside = self._inside, QWidget()
        self._column.replaceWidget(before, self._inside)
        before.hide()
        before.deleteLater()
        grid = QGridLayout(self._inside)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for at, (title, words) in enumerate(arrival.rows):
            grid.addWidget(label(title, "second"), at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label(words, "", wrap=True), at, 1)
        at = grid.rowCount()
        if arrival.foreign:
            code = f"It brings code of its own in {listed(arrival.foreign)}. You are asked before "
            grid.addWidget(self._note("shield", "warn", f"{code}anything of it runs."), at, 0, 1, 2)
        for note in arrival.notes:
            at += 1
            grid.addWidget(self._note("info", "info", note), at, 0, 1, 2)
        told = [f"{title}: {words}" for title, words in arrival.rows]
        self.setAccessibleName("What is in it")
        self.setAccessibleDescription(". ".join([*told, *arrival.notes]))

    def _note(self, icon: str, token: str, sentence: str) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 4, 0, 0)
        row.setSpacing(8)
        row.addWidget(IconView(self._theme, icon, token, 14), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label(sentence, "", wrap=True, name="importNote"), 1)
        return line


class Refusal(QFrame):
    """Why a file is not let in, and how to go on."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("importRefusal")
        self.setProperty("role", "notice")
        self.setProperty("tone", "err")
        self.setProperty("plate", True)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 10, 12, 10)
        row.setSpacing(10)
        row.addWidget(IconView(theme, "alert", "err", 16), 0, Qt.AlignmentFlag.AlignTop)
        self._text = label("", "", wrap=True, name="importReason")
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row.addWidget(self._text, 1)

    def show_reason(self, reason: str) -> None:
        """Say another reason."""
        self._text.setText(reason)
        self.setAccessibleName(reason)


def _size(size: int) -> str:
    if size < 1024 * 1024:
        return f"{max(1, round(size / 1024)):,} KB"
    return f"{size / (1024 * 1024):,.1f} MB"
