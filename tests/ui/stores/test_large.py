"""A store of 5 MB: what would make the window wait does not happen on its thread (STU-04)."""

from __future__ import annotations

import json
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio_qt.engine import store_text
from studio_qt.engine.store_text import (
    dense_store_text,
    pretty_store_text,
    read_store_text,
    store_text_of,
)
from studio_qt.jsontext import encode, encode_pretty
from studio_qt.ui.stores import live, raw
from tests.benchmarks.stores_bench import large_store
from tests.support.qt import until
from tests.ui.stores.conftest import OpenShelf
from tests.ui.stores.shelf import MEMORY


@pytest.mark.qt_loop
@pytest.mark.clause("STU-04")
async def test_a_large_store_is_read_and_written_off_the_windows_thread(
    shelf_on: OpenShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = await shelf_on()
    await shelf.player.set_store(MEMORY, large_store())
    shelf.page.show_agent("test.marcus")
    await shelf.settle()
    threads: set[int] = set()

    def watched(work):
        def run(*arguments):
            threads.add(threading.get_ident())
            return work(*arguments)

        return run

    for module, name in (
        (live, "read_store_text"),
        (live, "store_text_of"),
        (raw, "dense_store_text"),
        (raw, "read_store_text"),
    ):
        monkeypatch.setattr(module, name, watched(getattr(store_text, name)))
    shelf.page.show_agent(MEMORY)
    await shelf.settle()
    shelf.at("memories", 30_000, "weight")
    assert len(shelf.detail.panes.model._nodes) < 1_500
    assert not shelf.editor.toPlainText(), "the text is written when it is looked at"
    shelf.press("F2")
    await shelf.write("7")
    shelf.click("storeModesRaw")
    await shelf.settle()
    assert shelf.editor.blockCount() < 60_000
    shelf.editor.setFocus()
    QTest.keyClick(shelf.editor, Qt.Key.Key_Space)
    await until(lambda: shelf.page.settled, 30)
    assert shelf.store["memories"][30_000]["weight"] == 7
    assert threads
    assert threading.get_ident() not in threads


VALUES = [
    {},
    {"a": []},
    {"": {"b": {}}, 'quote"\n': [None, True, 1.5, 12345678901234567890]},
    {"deep": [[[[[{"x": [1]}]]]]]},
    {"many": [{"n": n} for n in range(500)], "text": "é𝄞\u2028" * 30_000},
    {"long": ["x" * 300, {"y": "z" * 300}]},
]


@pytest.mark.parametrize("value", VALUES)
def test_pieces_together_are_the_text_of_the_whole(value: dict[str, object]) -> None:
    assert store_text_of(value) == encode(value)
    assert pretty_store_text(value) == encode_pretty(value)
    assert read_store_text(dense_store_text(value)) == value
    assert read_store_text(f"\n\t {encode_pretty(value)} ") == value


def test_what_large_text_cannot_be_read_as_is_told_with_its_place() -> None:
    text = json.dumps(large_store(0.2), indent=1)
    with pytest.raises(ValueError, match="line 4 column 11"):
        read_store_text(text.replace('"key": "memory_0"', '"key": oops'))
    with pytest.raises(ValueError, match="object"):
        read_store_text(f"[{text}]")
    with pytest.raises(ValueError, match="NaN"):
        read_store_text(text.replace('"weight": 9,', '"weight": NaN,'))


def test_half_a_pair_becomes_the_sign_for_what_cannot_be_shown() -> None:
    text = json.dumps({"a": ["x" * 70_000, "\ud800"]})
    assert read_store_text(text)["a"][1] == "\ufffd"
