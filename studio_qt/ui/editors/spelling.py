"""`Speller`: asks the system's dictionaries, off the UI thread, and remembers the answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio_qt.files.atomic import write_atomic
from studio_qt.settings import home_folder
from studio_qt.ui.desk import Desk
from studio_qt.ui.dictionaries import Dictionary, Missing, load_dictionary

__all__ = ["Speller"]

_FILE = "dictionary.txt"
_SUGGESTIONS = 6
_log = logging.getLogger(__name__)


class Speller(QObject):
    """One for all editors. `changed`: what is known, or whether anything is checked, is different.

    Words are checked in threads, one at a time; an answer is remembered until the language
    changes. Words that the user added lie in `dictionary.txt` of the application's home.
    """

    changed = Signal()

    def __init__(self, desk: Desk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._dictionary: Dictionary | None = None
        self._known: dict[str, bool] = {}
        self._own: set[str] = set()
        self._asked: set[str] = set()
        self._choice: tuple[bool, str] | None = None
        self._loading = False
        self._note = ""
        desk.preferences.changed.connect(self._on_preferences)

    @property
    def note(self) -> str:
        """Why nothing is checked, as a sentence; "" while spelling is checked."""
        return self._note

    @property
    def active(self) -> bool:
        """Whether words are looked up now; `start` makes it so."""
        return self._dictionary is not None

    def start(self) -> None:
        """Load the dictionary in the background, where it is wanted and not there yet."""
        wanted = (self._desk.preferences.window.spell_check,
                  self._desk.preferences.window.spell_language)  # fmt: skip
        if self._choice == wanted or self._loading:
            return
        self._choice = wanted
        if not wanted[0]:
            self._take(None, "Spelling is not checked: it is turned off in the settings.")
            return
        self._loading = True
        self._desk.tasks.start(self._load(wanted[1]), name="load the dictionary")

    def is_wrong(self, word: str) -> bool | None:
        """Return whether a word is misspelt; None while nobody has looked."""
        if not self.active:
            return False
        if word in self._own or word.lower() in self._own:
            return False
        known = self._known.get(word)
        return None if known is None else not known

    def ask(self, words: Iterable[str]) -> None:
        """Look words up; `changed` comes when the answers are there."""
        new = {word for word in words if self.is_wrong(word) is None} - self._asked
        if new:
            self._asked |= new
            self._desk.tasks.start(self._check(new), name="check spelling")

    async def suggest(self, word: str) -> list[str]:
        """Return what may have been meant, the best first."""
        if (dictionary := self._dictionary) is None:
            return []
        return await asyncio.to_thread(_suggest, dictionary, word)

    def ignore(self, word: str) -> None:
        """Take a word as right until the window closes."""
        self._own.add(word)
        self.changed.emit()

    def add(self, word: str) -> None:
        """Take a word as right for good."""
        self.ignore(word)
        self._desk.tasks.start(asyncio.to_thread(_keep, word), name="add to the dictionary")

    # Helpers

    def _on_preferences(self) -> None:
        if self._choice is not None:
            self.start()

    def _take(self, dictionary: Dictionary | None, note: str) -> None:
        self._dictionary, self._note = dictionary, note
        self._known.clear()
        self._asked.clear()
        self.changed.emit()

    async def _load(self, language: str) -> None:
        try:
            own = await asyncio.to_thread(_kept)
            self._own |= own
            dictionary = await asyncio.to_thread(load_dictionary, language)
        except Missing as missing:
            self._take(None, str(missing))
        else:
            self._take(dictionary, "")
        finally:
            self._loading = False
        self.start()  # the choice may have changed meanwhile

    async def _check(self, words: set[str]) -> None:
        dictionary = self._dictionary
        if dictionary is None:
            return
        answers = await asyncio.to_thread(_look_up, dictionary, words)
        if dictionary is self._dictionary:
            self._known.update(answers)
            self._asked -= words
            self.changed.emit()


def _look_up(dictionary: Dictionary, words: set[str]) -> dict[str, bool]:
    return {word: dictionary.check(word.replace("’", "'")) for word in words}


def _suggest(dictionary: Dictionary, word: str) -> list[str]:
    return dictionary.suggest(word.replace("’", "'"))[:_SUGGESTIONS]


def _kept() -> set[str]:
    """Return the words that the user added; none where they cannot be read."""
    try:
        return set(_place().read_text(encoding="utf-8", errors="replace").split())
    except FileNotFoundError:
        return set()
    except OSError as error:
        _log.warning("The words of %s are not known: %s", _place(), error)
        return set()


def _keep(word: str) -> None:
    words = sorted(_kept() | {word})
    _place().parent.mkdir(parents=True, exist_ok=True)
    write_atomic(_place(), "\n".join(words) + "\n")


def _place() -> Path:
    return home_folder() / _FILE
