"""`ShelfModel`: the characters that were opened, the latest first, as far as they match words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QPixmap

from studio_qt.authoring.shelf import ShelfFacts
from studio_qt.ui.recents import Recent

__all__ = ["ShelfModel", "Shelved", "ShelvedRole", "count_words", "when_words"]

ShelvedRole = int(Qt.ItemDataRole.UserRole) + 1

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Shelved:
    """A character on the shelf; `known` says that its facts were read."""

    path: Path
    opened: datetime
    facts: ShelfFacts
    picture: QPixmap | None = None
    known: bool = False

    @property
    def latest(self) -> datetime:
        """When it was last played, else opened."""
        return self.facts.played or self.opened

    def matches(self, words: Sequence[str]) -> bool:
        """Whether all words are in what is known of it; they are folded already."""
        said = f"{self.facts.name}\n{self.facts.description}\n{self.path}".casefold()
        return all(word in said for word in words)


class ShelfModel(QAbstractListModel):
    """Rows of `Shelved`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[Shelved, ...] = ()
        self._words: tuple[str, ...] = ()
        self.rows: tuple[Shelved, ...] = ()

    @property
    def count(self) -> int:
        """How many there are, whatever is searched."""
        return len(self._all)

    def show(self, recents: Sequence[Recent], known: Mapping[Path, Shelved]) -> None:
        """Take other characters; of `known` ones the facts are shown."""
        self._all = tuple(
            known.get(one.path) or Shelved(one.path, one.opened, ShelfFacts(one.path.stem))
            for one in recents
        )
        self._filter()

    def learn(self, one: Shelved) -> None:
        """Take what was read of a character."""
        self._all = tuple(one if other.path == one.path else other for other in self._all)
        places = [row.path for row in self.rows]
        if one.path in places and one.matches(self._words):
            at = places.index(one.path)
            self.rows = (*self.rows[:at], one, *self.rows[at + 1 :])
            self.dataChanged.emit(self.index(at), self.index(at))
        elif (one.path in places) != one.matches(self._words):
            self._filter()

    def search(self, text: str) -> None:
        """Show those that have all of these words."""
        self._words = tuple(text.casefold().split())
        self._filter()

    def index_of(self, path: Path | None) -> QModelIndex:
        """Return the row of a place; one that is not valid where it is not shown."""
        at = next((at for at, one in enumerate(self.rows) if one.path == path), -1)
        return self.index(at) if at >= 0 else QModelIndex()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        one = self.rows[index.row()]
        if role == ShelvedRole:
            return one
        if role == Qt.ItemDataRole.DisplayRole:
            return one.facts.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            gone = "" if one.facts.there else ", not there any more"
            return f"{one.facts.name}{gone}, {count_words(one)}, {when_words(one.latest)}"
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return one.facts.description
        return None

    def _filter(self) -> None:
        self.beginResetModel()
        self.rows = tuple(one for one in self._all if one.matches(self._words))
        self.endResetModel()


def count_words(one: Shelved) -> str:
    """Return how many conversations there are, in words."""
    count = one.facts.conversations
    if not count:
        return "no conversations"
    return f"{count:,} conversation" if count == 1 else f"{count:,} conversations"


def when_words(then: datetime, now: datetime | None = None) -> str:
    """Return a time as people say it: "today 21:43", "yesterday", "Saturday", "12 Nov 2025"."""
    now = now or datetime.now().astimezone()
    then = then.astimezone(now.tzinfo)
    days = (now.date() - then.date()).days
    if days <= 0:
        return f"today {then:%H:%M}"
    if days < 7:
        return "yesterday" if days == 1 else _DAYS[then.weekday()]
    year = f" {then.year}" if then.year != now.year else ""
    return f"{then.day} {_MONTHS[then.month - 1]}{year}"
