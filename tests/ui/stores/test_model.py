"""The rows of two values: built when looked at, kept when the values become others."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from studio_qt.jsontext import JsonValue
from studio_qt.ui.stores import values
from studio_qt.ui.stores.model import LEFT, RIGHT, StoreModel


@pytest.fixture
def model(qapp: object) -> StoreModel:
    made = StoreModel()
    made.tester = QAbstractItemModelTester(
        made, QAbstractItemModelTester.FailureReportingMode.Warning, made
    )
    return made


def texts(model: StoreModel, side: int, above: QModelIndex | None = None) -> list[str]:
    """Every row of a side, from the top."""
    found = []
    above = above or QModelIndex()
    for row in range(model.rowCount(above)):
        index = model.index(row, 0, above)
        if words := model.index(row, side, above).data():
            found.append(words)
        found += texts(model, side, index)
    return found


def expected(value: JsonValue, key: str | None = None) -> list[str]:
    rows = [] if key is None else [f"{key}  {values.short_text(value)}"]
    if isinstance(value, dict):
        for name, one in value.items():
            rows += expected(one, name)
    elif isinstance(value, list):
        for at, one in enumerate(value):
            rows += expected(one, str(at))
    return rows


def test_both_sides_are_level_and_say_what_differs(model: StoreModel) -> None:
    model.show({"a": 1, "new": True, "l": [1, 2]}, {"a": 2, "l": [1], "old": None})
    signs = []
    for row in range(model.rowCount()):
        signs.append(model.sign(model.node(model.index(row, 0))))
    assert signs == ["±", "+", "±", "−"]
    assert texts(model, RIGHT) == ["a  2", "l  1 item", "0  1", "old  null"]


def test_rows_are_built_when_they_are_looked_at(model: StoreModel) -> None:
    big = {"items": [{"n": n} for n in range(20_000)]}
    fresh = StoreModel()
    fresh.show(big, {})
    assert len(fresh._nodes) == 1
    assert fresh.rowCount(fresh.index(0, 0)) == 100
    assert fresh.index(3, 0, fresh.index(0, 0)).data() == "600 … 799"
    assert len(fresh._nodes) < 110
    found = fresh.index_of(("items", 1_777, "n"), LEFT)
    assert found.data() == "n  1777"
    assert len(fresh._nodes) < 320


def test_a_row_that_stays_is_the_same_row(model: StoreModel) -> None:
    value = {"items": [{"n": 0}, {"n": 1}, {"n": 2}]}
    model.show(value, value)
    last = QPersistentModelIndex(model.index_of(("items", 2), LEFT))
    model.show(values.removed(value, ("items", 0)), value)
    assert last.isValid()
    assert model.path(last) == ("items", 1)
    value = {"items": [{"n": 0}], "x": 1}
    model.show(value, {})
    row = QPersistentModelIndex(model.index_of(("items",), LEFT))
    model.show(values.moved(value, ("items",), 1), {})
    assert model.path(row) == ("items",)
    assert row.row() == 1


def test_whatever_is_edited_the_rows_are_those_of_the_values(model: StoreModel) -> None:
    dice = random.Random(11)
    left: JsonValue = {"a": [1, {"b": "x"}], "c": {"d": None}, "e": 2}
    right: JsonValue = {"a": [1], "c": {"d": None}}
    model.show(left, right)
    texts(model, LEFT)  # so that all rows are built
    for step in range(300):
        left = _edited(left, dice, step)
        if step % 5 == 0:
            right = _edited(right, dice, step)
        model.show(left, right)
        assert texts(model, LEFT) == expected(left)
        assert sorted(texts(model, RIGHT)) == sorted(expected(right))


def _edited(root: JsonValue, dice: random.Random, step: int) -> JsonValue:
    holders = [()] + [p for p, v in _paths(root) if isinstance(v, (dict, list))]
    holder = dice.choice(holders)
    held = values.value_at(root, holder)
    act = dice.choice(["insert", "remove", "move", "put", "rename"])
    if act == "insert" or not held:
        fresh = dice.choice([1, "t", [1, 2], {"k": []}, None])
        key = values.free_key(held, f"k{step}")
        return values.inserted(root, holder, dice.randint(0, len(held)), key, fresh)
    key = dice.choice(list(held) if isinstance(held, dict) else range(len(held)))
    path = (*holder, key)
    if act == "remove":
        return values.removed(root, path)
    if act == "move":
        return values.moved(root, path, dice.randrange(len(held)))
    if act == "rename" and isinstance(key, str):
        return values.renamed(root, path, values.free_key(held, f"r{step}"))
    return values.put(root, path, dice.choice([step, {"z": step}, [step]]))


def _paths(value: JsonValue, path: values.Path = ()) -> list[tuple[values.Path, JsonValue]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, one in pairs:
        found.append(((*path, key), one))
        if isinstance(one, (dict, list)):
            found += _paths(one, (*path, key))
    return found


def test_what_is_typed_keeps_its_type(model: StoreModel) -> None:
    heard = []
    model.typed.append(lambda *told: heard.append(told))
    model.show({"n": 1, "t": "1"}, {})
    assert model.setData(model.index(0, LEFT), "12", Qt.ItemDataRole.EditRole)
    assert not model.setData(model.index(0, LEFT), "twelve", Qt.ItemDataRole.EditRole)
    assert model.setData(model.index(1, LEFT), "12", Qt.ItemDataRole.EditRole)
    assert heard == [(LEFT, ("n",), 12), (LEFT, ("t",), "12")]


def test_assistive_technology_hears_value_type_and_difference(model: StoreModel) -> None:
    model.show({"n": 1}, {"n": 2})
    said = model.index(0, LEFT).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "n, 1, number, differs"
