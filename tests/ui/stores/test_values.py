"""Values edited by path, laid side by side, and told in words."""

from __future__ import annotations

import random

import pytest

from studio_qt.ui.stores import values
from studio_qt.ui.stores.differing import differences, find_all, one_change, path_text
from studio_qt.ui.stores.pairing import MISSING, pairs_of, same, sign_of

STORE = {"items": [{"a": 1}, {"b": 2}], "n": 3}


def test_an_edit_leaves_the_old_value_and_shares_what_is_beside() -> None:
    fresh = values.put(STORE, ("items", 0, "a"), 9)
    assert fresh == {"items": [{"a": 9}, {"b": 2}], "n": 3}
    assert STORE["items"][0] == {"a": 1}
    assert fresh["items"][1] is STORE["items"][1]


def test_fields_keep_their_place_when_renamed_and_go_where_they_are_moved() -> None:
    three = {"a": 1, "b": 2, "c": 3}
    assert list(values.renamed(three, ("b",), "z")) == ["a", "z", "c"]
    assert list(values.moved(three, ("a",), 2)) == ["b", "c", "a"]
    assert values.moved({"l": [1, 2, 3]}, ("l", 2), 0) == {"l": [3, 1, 2]}
    assert list(values.inserted(three, (), 1, "new", 0)) == ["a", "new", "b", "c"]
    assert values.removed(STORE, ("items", 0)) == {"items": [{"b": 2}], "n": 3}


@pytest.mark.parametrize("path", [("nothing",), ("items", 2), ("n", "x"), ("items", "0")])
def test_a_path_that_leads_nowhere_is_refused(path: values.Path) -> None:
    with pytest.raises(LookupError):
        values.put(STORE, path, 1)


def test_a_name_that_is_taken_is_refused() -> None:
    with pytest.raises(LookupError, match="already"):
        values.renamed(STORE, ("n",), "items")
    with pytest.raises(LookupError, match="already"):
        values.inserted(STORE, (), 0, "n", 1)
    assert values.free_key(STORE, "n") == "n2"


@pytest.mark.parametrize(
    ("value", "kind", "wanted"),
    [
        ("12", "number", 12),
        ("twelve", "number", 0),
        (True, "number", 1),
        (0, "yes/no", False),
        ("no", "yes/no", False),
        ({"a": 1}, "list", [1]),
        ([5], "object", {"0": 5}),
        ("[1, 2]", "list", [1, 2]),
        ("word", "list", ["word"]),
        (None, "text", ""),
        (1.5, "text", "1.5"),
        ([1], "nothing", None),
    ],
)
def test_another_type_keeps_what_there_is_room_for(
    value: object, kind: values.Kind, wanted: object
) -> None:
    made = values.converted(value, kind)
    assert made == wanted
    assert type(made) is type(wanted)


@pytest.mark.parametrize("text", ["", "1e999", "true", "1 2", "NaN", '"1"'])
def test_what_is_no_number_is_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="number"):
        values.scalar_of("number", text)


def test_large_integers_stay_whole() -> None:
    assert values.scalar_of("number", "12345678901234567890") == 12345678901234567890


def test_true_is_not_one() -> None:
    assert not same({"a": [True]}, {"a": [1]})
    assert not same(1, 1.0)
    assert same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert sign_of(MISSING, 1) == "−"
    assert sign_of(1, MISSING) == "+"
    assert sign_of(1, 2) == "±"


def rows(left: object, right: object) -> list[tuple[object, object]]:
    return [(pair.left_key, pair.right_key) for pair in pairs_of(left, right).part(0, 99)]


def test_fields_meet_by_name_and_items_by_place() -> None:
    assert rows({"a": 1, "b": 2}, {"x": 0, "b": 3, "c": 4}) == [
        (None, "x"),
        ("a", None),
        ("b", "b"),
        (None, "c"),
    ]
    assert rows([1, 2, 3], [1]) == [(0, 0), (1, None), (2, None)]
    assert rows([1, 9, 2, 3], [1, 2, 3])[-2:] == [(2, 1), (3, 2)]


def test_pairs_hold_every_key_of_both_sides_once() -> None:
    dice = random.Random(7)
    for _ in range(500):
        left = [dice.randrange(3) for _ in range(dice.randrange(7))]
        right = [dice.randrange(3) for _ in range(dice.randrange(7))]
        found = rows(left, right)
        assert [one for one, _ in found if one is not None] == list(range(len(left)))
        assert [one for _, one in found if one is not None] == list(range(len(right)))


def test_differences_are_told_with_sign_and_path() -> None:
    before = {"memories": [{"key": "a"}], "next": 1, "old": True}
    after = {"memories": [{"key": "a"}, {"key": "rope", "text": "Forty fathoms."}], "next": 2}
    told = [(d.sign, path_text(d.path), d.words) for d in differences(before, after)]
    assert told == [
        ("+", "memories[1]", "rope: Forty fathoms."),
        ("±", "next", "1 → 2"),
        ("−", "old", "true"),
    ]
    assert len(differences({}, {str(n): n for n in range(50)}, most=10)) == 10


def test_words_are_found_in_names_and_values_in_any_case() -> None:
    found = find_all({"Rope": [{"text": "a ROPE"}, "none"], "n": 40}, "rope")
    assert [path_text(path) for path in found] == ["Rope", "Rope[0].text"]
    assert [path_text(path) for path in find_all({"n": 40, "t": True}, "true")] == ["t"]


def test_one_change_makes_the_new_text_of_the_old_one() -> None:
    dice = random.Random(3)
    for _ in range(2_000):
        old = "\n".join(dice.choice(["", "a", "ab"]) for _ in range(dice.randint(1, 6)))
        new = "\n".join(dice.choice(["", "a", "ab"]) for _ in range(dice.randint(1, 6)))
        lines, change = old.split("\n"), one_change(old, new)
        if change is not None:
            lines[change.first : change.stop] = change.lines
        assert "\n".join(lines) == new


def test_long_lists_meet_at_their_ends_however_the_items_are_spelled() -> None:
    dice = random.Random(11)
    for _ in range(40):
        count, at = dice.randrange(1_000, 1_800), dice.randrange(1_000)
        left = [{"n": n} for n in range(count)]
        right = [dict(one) if dice.random() < 0.5 else one for one in left]
        left[at:at] = ["new"] * dice.randrange(1, 4)
        more = len(left) - count
        found = pairs_of(left, right)
        assert len(found) == len(left)
        assert found.row_of(count - 1, 1) == len(left) - 1
        assert found.row_of(at, 1) == at + more
