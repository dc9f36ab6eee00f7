"""The system's spelling dictionaries, asked one question at a time in the whole program.

The library behind them ends the program when two threads ask it at once, and also when one asks
while another lets go of a dictionary: so every call holds one lock, and none is ever let go.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from PySide6.QtCore import QLocale

__all__ = ["Dictionary", "Missing", "installed_languages", "load_dictionary"]

_LOCK = threading.Lock()
"""Held for each call of enchant, whichever window or page makes it."""


class Dictionary(Protocol):
    """What is used of a dictionary."""

    def check(self, word: str) -> bool:
        """Return whether the word is known."""

    def suggest(self, word: str) -> list[str]:
        """Return words that look like it, the best first."""


class Missing(Exception):  # noqa: N818  (a fact about the system)
    """There is no library or no dictionary; the text is a sentence for the user."""


class _OneAtATime:
    """A dictionary that waits for its turn."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary

    def check(self, word: str) -> bool:
        """Return whether the word is known; may wait."""
        with _LOCK:
            return self._dictionary.check(word)

    def suggest(self, word: str) -> list[str]:
        """Return words that look like it, the best first; may wait."""
        with _LOCK:
            return self._dictionary.suggest(word)


def load_dictionary(language: str) -> Dictionary:
    """Return a dictionary; "" is the language of the system. Slow.

    Raises Missing with a sentence where the library or the dictionary is not there.
    """
    wanted = [language] if language else _of_the_system()
    with _LOCK:
        library = _library()
        for name in wanted:
            if (found := _find(library, name)) is not None:
                return found
    raise Missing(
        f"Spelling is not checked: the system has no dictionary for {wanted[0]}. Install one, "
        "or choose another language in the settings."
    )


def installed_languages() -> list[str]:
    """Return the languages with a dictionary, sorted; none where the library is missing. Slow."""
    try:
        with _LOCK:
            return sorted(str(name) for name in _library().list_languages())
    except Missing:
        return []


class _Library(Hashable, Protocol):
    def dict_exists(self, name: str) -> bool: ...

    def Dict(self, name: str) -> Dictionary: ...

    def list_languages(self) -> list[str]: ...


@cache
def _find(library: _Library, name: str) -> Dictionary | None:
    """Return a dictionary by its name, the same one each time; the lock is held."""
    return _OneAtATime(library.Dict(name)) if library.dict_exists(name) else None


def _library() -> _Library:
    try:
        return cast("_Library", import_module("enchant"))
    except ImportError as error:
        raise Missing(
            "Spelling is not checked: the library enchant is not installed on this system."
        ) from error


def _of_the_system() -> list[str]:
    name = QLocale.system().name()
    return [name, name.partition("_")[0]] if name != "C" else ["en_US", "en"]
