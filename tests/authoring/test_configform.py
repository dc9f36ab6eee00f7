"""The form of config.json: what it shows, and edits that leave all else to the letter."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.authoring.configform import (
    ConfigForm,
    add_entry,
    change_entry,
    map_text,
    move_entry,
    read_config_form,
    remove_entry,
    set_word,
)

pytestmark = pytest.mark.clause("PKG-12")

TEXT = """{
  "name": "K", "mine": 1.50,
  "agents": [
    "studio.dice-roller", "k.maps",
    { "id": "k.tides", "implementation": "studio.context-access",  "contextFile": ".tides.json" },
    {"id": "k.marcus", "implementation": "studio.sub-agent", "promptFile": "marcus.subagent.md",
     "shared-agents": ["k.tides"], "private-agents": ["studio.memory-store"]},
    "ann.subagent.md", {"id": "k.two", "implementation": "k.maps"}, 7
  ]
}
"""


def form() -> ConfigForm:
    return read_config_form(TEXT)


def test_every_entry_is_shown_as_what_it_is() -> None:
    shown = [(one.id, one.kind, one.bare) for one in form().agents]
    assert shown == [
        ("studio.dice-roller", "builtin", True),
        ("k.maps", "code", True),
        ("k.tides", "lookup", False),
        ("k.marcus", "subagent", False),
        ("ann", "subagent", True),
        ("k.two", "instance", False),
        ("", "unknown", False),
    ]
    marcus = form().agents[3]
    assert (marcus.file, marcus.shared, marcus.private) == ("marcus.subagent.md", 1, 1)
    assert form().agents[2].context_file == ".tides.json"


def test_moving_an_entry_changes_the_order_and_no_entry() -> None:
    moved = move_entry(form().agents[2], 0)(TEXT)
    assert [one.id for one in read_config_form(moved).agents][:3] == [
        "k.tides",
        "studio.dice-roller",
        "k.maps",
    ]
    assert '{ "id": "k.tides", "implementation": "studio.context-access",  "contextFile"' in moved
    assert '"mine": 1.50' in moved


def test_an_instance_takes_another_data_file_and_another_id_with_its_grants() -> None:
    entry = form().agents[2]
    assert change_entry(entry, contextFile=".moon.json")(TEXT) == TEXT.replace(".tides.", ".moon.")
    assert change_entry(entry, id="k.sea")(TEXT) == TEXT.replace('"k.tides"', '"k.sea"')


@pytest.mark.parametrize(("new", "why"), [("k.maps", "another agent"), ("a/b", "file name")])
def test_an_id_that_cannot_be_is_refused(new: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        change_entry(form().agents[2], id=new)(TEXT)


def test_an_entry_is_found_where_it_went_and_one_that_is_gone_is_told() -> None:
    entry = form().agents[1]
    above = add_entry("studio.memory-store", 0)(TEXT)
    assert "k.maps" not in {one.id for one in read_config_form(remove_entry(entry)(above)).agents}
    with pytest.raises(ValueError, match="changed meanwhile"):
        remove_entry(entry)(remove_entry(entry)(TEXT))


def test_words_and_mappings_come_and_go() -> None:
    mapped = map_text("Introduction", "texts/a.txt")(set_word("version", "2")(TEXT))
    read = read_config_form(mapped)
    assert (read.version, read.mappings) == ("2", {"Introduction": "texts/a.txt"})
    back = set_word("version", "")(map_text("Introduction", "")(mapped))
    assert json.loads(back) == json.loads(TEXT)
    assert '"studio.dice-roller", "k.maps",' in back


def test_what_is_no_object_is_told() -> None:
    for text in ("[]", "{", ""):
        with pytest.raises(ValueError):
            read_config_form(text)
    with pytest.raises(ValueError, match="no list"):
        add_entry("a.b")('{"agents": {}}')


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=6))
def test_any_moves_keep_every_entry_and_every_other_key(moves: list[tuple[int, int]]) -> None:
    text = TEXT
    for start, stop in moves:
        text = move_entry(read_config_form(text).agents[start], stop)(text)
    before, after = json.loads(TEXT), json.loads(text)
    assert sorted(map(repr, before.pop("agents"))) == sorted(map(repr, after.pop("agents")))
    assert before == after
