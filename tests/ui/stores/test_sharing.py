"""A store that is read anew shares with the one before what is the same in both (STU-04)."""

from __future__ import annotations

import json

import pytest
from PySide6.QtTest import QSignalSpy

from studio_qt.engine.store_sharing import shared
from studio_qt.engine.store_text import dense_store_text, pretty_store_text, read_store_text
from studio_qt.jsontext import JsonValue
from studio_qt.ui.stores import values
from studio_qt.ui.stores.model import LEFT, StoreModel


def large() -> dict[str, JsonValue]:
    """A store beyond the size that is read at once."""
    items: list[JsonValue] = [{"n": n, "text": "words " * 20, "tags": ["a"]} for n in range(1_500)]
    return {"items": items, "next": 1_500}


@pytest.mark.parametrize("write", [json.dumps, pretty_store_text, dense_store_text])
def test_only_what_another_text_changed_is_new(write) -> None:
    before = large()
    told = values.removed(values.put(before, ("items", 700, "n"), "other"), ("items", 3))
    after = read_store_text(write(told), before)
    assert after == told
    old = {id(one) for one in before["items"]}
    fresh = [one for one in after["items"] if id(one) not in old]
    assert fresh == [{"n": "other", "text": "words " * 20, "tags": ["a"]}]


@pytest.mark.parametrize(
    ("value", "like"),
    [
        ({"a": True}, {"a": 1}),
        ({"a": 1.0}, {"a": 1}),
        ({"a": -0.0}, {"a": 0.0}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": [{}, []]}, {"a": [[], {}]}),
        ([1, 2], [1, 2, 3]),
        ({"a": None}, {}),
    ],
)
def test_what_spells_something_else_is_never_shared(value: JsonValue, like: JsonValue) -> None:
    made = shared(value, like)
    assert json.dumps(made) == json.dumps(value)
    assert made is not like


def test_what_spells_the_same_is_the_one_that_was_there() -> None:
    like = {"a": [{"b": "text"}, 1, None], "c": {"d": False}}
    assert shared(json.loads(json.dumps(like)), like) is like


def test_views_hear_of_the_rows_that_changed_alone(qapp: object) -> None:
    model, before = StoreModel(), large()
    model.show(before, before)
    model.index_of(("items", 20, "n"), LEFT)
    model.index_of(("items", 1_020, "n"), LEFT)
    told = QSignalSpy(model.dataChanged)
    model.show(values.put(before, ("items", 1_020, "n"), 7), before)
    rows = sum(
        last.row() - first.row() + 1 for first, last, *_ in map(told.at, range(told.count()))
    )
    assert rows == 4, "the list, its group, the item and the value"
