from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.package.rewrite import rewrite_config

pytestmark = pytest.mark.clause("PKG-12")

Change = Callable[[dict[str, Any]], None]

TEXT = """{
    "zeta": {"b": 1.50,   "a": [1,2,
        3]},
    "name": "Aria",
    "agents": [
        "studio.memory-store",
        { "id": "x.y", "implementation": "z",  "extra": true }
    ],
    "big": 123456789012345678901234567890, "e": 1E5
}
"""


def add_agent(config: dict[str, Any]) -> None:
    config["agents"].append("my.a")


def test_an_added_agent_changes_its_list_alone() -> None:
    assert rewrite_config(TEXT, add_agent) == TEXT.replace(
        '"extra": true }\n', '"extra": true },\n        "my.a"\n'
    )


def test_elements_that_share_a_line_go_on_sharing_it() -> None:
    text = '{"agents": [\n  "a", "b",\n  "c", "d"\n]}'
    assert rewrite_config(text, lambda c: c["agents"].pop(1)) == text.replace(' "b",', "")
    assert rewrite_config(text, lambda c: c["agents"].pop(0)) == text.replace('"a", ', "")
    turned = '{"agents": [\n  "d",\n  "c", "b",\n  "a"\n]}'
    assert rewrite_config(text, lambda c: c["agents"].reverse()) == turned


def test_without_a_change_nothing_changes() -> None:
    assert rewrite_config(TEXT, lambda config: None) == TEXT


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        (lambda c: c.update(name="Eve"), '"Aria"', '"Eve"'),
        (lambda c: c.update(name="Ève\n"), '"Aria"', '"Ève\\n"'),
        (
            lambda c: c["zeta"].update(b=2),
            '{"b": 1.50,   "a"',
            '{"b": 2,   "a": [1,2,\n        3]}',
        ),
        (lambda c: c.pop("name"), '    "name": "Aria",\n', ""),
        (lambda c: c["agents"].pop(0), '        "studio.memory-store",\n', ""),
        (lambda c: c["agents"].__setitem__(0, "q"), '"studio.memory-store"', '"q"'),
        (lambda c: c.update(agents=[]), None, '"agents": [],'),
        (lambda c: c.update(new={"k": [1]}), None, '"new": {\n        "k": [\n            1'),
    ],
)
def test_a_change_touches_its_place_and_keeps_the_rest(
    change: Change, old: str | None, new: str
) -> None:
    changed = rewrite_config(TEXT, change)
    expected = json.loads(TEXT)
    change(expected)
    assert json.loads(changed) == expected
    assert list(json.loads(changed)) == list(expected)
    assert new in changed
    if old is not None:
        assert old not in changed
    assert "123456789012345678901234567890" in changed and "1E5" in changed


def test_bom_and_crlf_are_kept() -> None:
    text = "\ufeff" + TEXT.replace("\n", "\r\n")
    changed = rewrite_config(text, add_agent)
    assert changed.startswith("\ufeff{\r\n") and changed.endswith("}\r\n")
    assert changed.count("\n") == changed.count("\r\n")


@pytest.mark.parametrize("indent", [1, 3, 8, "\t"])
def test_new_lines_are_indented_like_the_old_ones(indent: int | str) -> None:
    config: dict[str, Any] = {"name": "A", "agents": ["b"], "x": {"deep": [{}]}}
    text = json.dumps(config, indent=indent)
    config["x"]["deep"][0] = {"more": [1, {"y": 2}]}
    config["agents"] = ["b", {"id": "c"}]

    def change(found: dict[str, Any]) -> None:
        found.update(config)

    assert rewrite_config(text, change) == json.dumps(config, indent=indent)


def test_a_config_on_one_line_stays_on_one_line() -> None:
    assert rewrite_config('{"agents": ["a"]}', lambda c: c.update(new={"k": [1, 2]})) == (
        '{"agents": ["a"], "new": {"k": [1, 2]}}'
    )
    assert rewrite_config("{}", lambda c: c.update(a=1)) == '{"a": 1}'


def test_types_that_compare_equal_are_still_a_change() -> None:
    assert rewrite_config('{"a": 1}', lambda c: c.update(a=True)) == '{"a": true}'
    assert rewrite_config('{"a": 1}', lambda c: c.update(a=1.0)) == '{"a": 1.0}'


@pytest.mark.parametrize("text", ["[]", "{", "", '{"a": NaN}'])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        rewrite_config(text, lambda config: None)


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), b"x"])
def test_a_value_that_is_no_json_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="JSON"):
        rewrite_config("{}", lambda config: config.update(a=value))  # type: ignore[dict-item]


def test_a_key_that_is_given_twice_ends_as_one() -> None:
    changed = rewrite_config('{"a": 1, "a": 2, "b": 3}', lambda c: c.update(b=4))
    assert json.loads(changed) == {"a": 2, "b": 4}


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
VALUES = st.recursive(
    SCALARS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=5)


@given(old=OBJECTS, new=OBJECTS, indent=st.sampled_from([None, 2, "\t"]))
def test_any_change_of_any_config_says_what_was_meant(
    old: dict[str, Any], new: dict[str, Any], indent: int | str | None
) -> None:
    def change(config: dict[str, Any]) -> None:
        kept = {key: value for key, value in config.items() if len(key) % 2}
        config.clear()
        config.update(kept, **new)

    expected = json.loads(json.dumps(old))
    change(expected)
    changed = json.loads(rewrite_config(json.dumps(old, indent=indent), change))
    assert json.dumps(changed) == json.dumps(expected)


def test_ten_thousand_changed_entries_are_followed_each_from_its_own() -> None:
    entries = ",\n ".join(f'{{ "id":"a{at}",  "n": {at} }}' for at in range(10_000))

    def count(config: dict[str, Any]) -> None:
        for entry in config["agents"]:
            entry["n"] += 1
        config["agents"].reverse()

    begun = time.thread_time()
    changed = rewrite_config(f'{{"agents": [\n {entries}]}}', count)
    assert time.thread_time() - begun < 20  # it was hours
    assert changed.startswith('{"agents": [\n { "id":"a9999",  "n": 10000 },\n { "id":"a9998"')


def test_a_number_that_is_too_large_for_this_machine_stays_as_it_is() -> None:
    text = '{"huge": [1e400, -1e999], "name": "A"}'
    assert rewrite_config(text, lambda c: c.update(name="B")) == text.replace('"A"', '"B"')


def test_a_change_that_lies_too_deep_is_refused() -> None:
    def deepen(config: dict[str, Any]) -> None:
        inner = config["a"]
        while inner:
            inner = inner[0]
        inner.append(1)

    with pytest.raises(ValueError, match="nested too deeply"):
        rewrite_config(f'{{"a": {"[" * 900}{"]" * 900}}}', deepen)


SPACES = st.sampled_from(["", " ", "\n", "\r\n    ", "\t", "  \n\n  "])
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=6),
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "a", "b,", "ü}", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def spelled(draw: st.DrawFn, value: Any) -> str:
    """Spell a value with odd spacing, and some keys of objects twice."""

    def blank() -> str:
        return draw(SPACES)

    if isinstance(value, dict):
        parts = [
            f"{blank()}{json.dumps(key)}{blank()}:{blank()}{draw(spelled(inner))}{blank()}"
            for key, inner in value.items()
        ]
        if parts and draw(st.booleans()):
            parts.insert(0, f"{blank()}{json.dumps(draw(st.sampled_from([*value])))}: [1,2]")
        return "{" + (",".join(parts) or blank()) + "}"
    if isinstance(value, list):
        items = [f"{blank()}{draw(spelled(inner))}{blank()}" for inner in value]
        return "[" + (",".join(items) or blank()) + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


OBJECTS = st.dictionaries(st.sampled_from(["agents", "name", "q", "ä"]), VALUES, max_size=4)


@given(st.data(), OBJECTS, OBJECTS)
def test_whatever_is_changed_in_whatever_text_comes_out_as_the_changed_value(
    data: st.DataObject, old: dict[str, Any], new: dict[str, Any]
) -> None:
    text = data.draw(spelled(old))

    def change(config: dict[str, Any]) -> None:
        config.clear()
        config.update(new)

    assert json.dumps(json.loads(rewrite_config(text, change))) == json.dumps(new)
    assert rewrite_config(text, lambda config: None) == text
