"""Dictionaries: one question at a time, from whichever page or window it comes."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from studio_qt.ui import dictionaries
from studio_qt.ui.dictionaries import Missing, installed_languages, load_dictionary

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Library:
    """Stands for enchant; counts how many threads are inside it."""

    def __init__(self) -> None:
        self.inside = self.most = 0
        self.count = threading.Lock()

    def call(self, answer: object) -> object:
        with self.count:
            self.inside += 1
            self.most = max(self.most, self.inside)
        time.sleep(0.001)  # the time in which another thread could come
        with self.count:
            self.inside -= 1
        return answer

    def dict_exists(self, name: str) -> object:
        return self.call(name != "tlh")

    def list_languages(self) -> object:
        return self.call(["en_US", "de_DE"])

    def Dict(self, _name: str) -> object:
        answer = self.call
        return SimpleNamespace(
            check=lambda _word: answer(answer=True), suggest=lambda word: answer([word])
        )


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    made = Library()
    monkeypatch.setitem(sys.modules, "enchant", made)
    dictionaries._find.cache_clear()
    yield made
    dictionaries._find.cache_clear()


def test_the_library_is_never_asked_by_two_threads_at_once(library: Library) -> None:
    one, other = load_dictionary("en_US"), load_dictionary("de_DE")
    asked = [
        lambda: one.check("sea"),
        lambda: other.suggest("sea"),
        installed_languages,
        lambda: load_dictionary("fr_FR"),
    ]
    with ThreadPoolExecutor(4) as pool:
        for answer in [pool.submit(question) for question in asked * 5]:
            answer.result()
    assert library.most == 1


def test_no_dictionary_is_let_go_while_another_thread_asks(library: Library) -> None:
    assert load_dictionary("en_US") is load_dictionary("en_US")


def test_a_language_without_a_dictionary_is_told(library: Library) -> None:
    with pytest.raises(Missing, match="no dictionary for tlh"):
        load_dictionary("tlh")


def test_the_dictionaries_of_the_system_are_listed() -> None:
    pytest.importorskip("enchant")
    assert all(isinstance(name, str) for name in installed_languages())


def test_a_dictionary_of_the_system_knows_words() -> None:
    try:
        dictionary = load_dictionary("en_US")
    except Missing:
        pytest.skip("this system has no dictionary for en_US")
    assert dictionary.check("lantern")
    assert not dictionary.check("lanttern")
