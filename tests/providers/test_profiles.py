"""Profiles on disk, in two processes, and against the user's own choices."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from studio_qt.jsontext import decode_object
from studio_qt.providers.profile import Overrides, Profile, guessed
from studio_qt.providers.profiles import Note, ProfileStore

FRESH = Profile()
ODD = Profile(
    takes_tools=False,
    empty_content="text",
    max_tokens_field="max_completion_tokens",
    refused_fields=("seed", "top_p"),
    token_ratio=1.5,
    extra_body={"a": {"b": [1]}},
)


def test_a_profile_survives_as_json() -> None:
    assert FRESH.updated(ODD.learned_since(FRESH)) == ODD
    assert FRESH.learned_since(FRESH) == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"takes_tools": "no"},
        {"refused_fields": "top_p"},
        {"refused_fields": [1]},
        {"empty_content": "maybe"},
        {"token_ratio": "x"},
        {"unknown": 1},
    ],
)
def test_what_does_not_fit_in_a_saved_profile_is_ignored(wrong: dict[str, object]) -> None:
    saved = {**wrong, "no_system": True}
    assert FRESH.updated(saved) == Profile(no_system=True)  # type: ignore[arg-type]


def test_only_what_was_learned_is_kept_so_that_better_guesses_arrive(tmp_path: Path) -> None:
    path = tmp_path / "profiles.json"
    start = guessed("mistral")
    store = ProfileStore(path, today=lambda: date(2026, 11, 28))
    store.put("e", "m", replace(start, no_system=True), start)
    saved = decode_object(path.read_bytes())
    assert saved == {
        "version": 1,
        "profiles": {"e": {"m": {"no_system": True}}},
        "notes": {"e": {"m": {"no_system": {"by": "answer", "on": "2026-11-28"}}}},
    }
    better = replace(start, user_last=True)
    assert ProfileStore(path).get("e", "m", better) == replace(better, no_system=True)


def test_a_guess_can_be_unlearned(tmp_path: Path) -> None:
    start = Profile(reply_after_tool=True)
    store = ProfileStore(tmp_path / "p.json")
    store.put("e", "m", FRESH, start)
    assert ProfileStore(tmp_path / "p.json").get("e", "m", start) == FRESH


def test_forgetting_begins_again(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    store = ProfileStore(path)
    store.put("e", "m", ODD, FRESH)
    store.forget("e", "m")
    assert store.get("e", "m", FRESH) == ProfileStore(path).get("e", "m", FRESH) == FRESH


def test_two_stores_on_one_file_keep_what_both_learned(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    one, two = ProfileStore(path), ProfileStore(path)
    assert one.get("e", "a", FRESH) == two.get("e", "b", FRESH) == FRESH
    one.put("e", "a", ODD, FRESH)
    two.put("e", "b", ODD, FRESH)
    fresh = ProfileStore(path)
    assert fresh.get("e", "a", FRESH) == fresh.get("e", "b", FRESH) == ODD


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"profiles": 7}', '{"profiles": {"e": []}}'])
def test_a_broken_file_counts_as_empty_and_is_written_anew(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "p.json"
    path.write_text(broken)
    store = ProfileStore(path)
    assert store.get("e", "m", FRESH) == FRESH
    store.put("e", "m", ODD, FRESH)
    assert ProfileStore(path).get("e", "m", FRESH) == ODD


def test_a_file_that_cannot_be_written_is_told_and_kept_in_memory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    store = ProfileStore(tmp_path / "file" / "p.json")
    with caplog.at_level(logging.WARNING):
        store.put("e", "m", ODD, FRESH)
    assert "cannot be written" in caplog.text
    assert store.get("e", "m", FRESH) == ODD


def test_writing_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    ProfileStore(tmp_path / "p.json").put("e", "m", ODD, FRESH)
    assert [path.name for path in tmp_path.iterdir()] == ["p.json"]


def test_in_memory_a_store_touches_no_file() -> None:
    store = ProfileStore()
    store.put("e", "m", ODD, FRESH)
    assert store.get("e", "m", FRESH) == ODD
    assert ProfileStore().get("e", "m", FRESH) == FRESH


def test_the_users_choices_win_in_both_directions() -> None:
    for chosen in (True, False):
        learned = Profile(takes_tools=not chosen, takes_is_file=not chosen)
        profile = Overrides(chosen, chosen, chosen).applied(learned)
        assert (profile.takes_is_file, profile.merge_same_role, profile.takes_tools) == (
            chosen,
        ) * 3
    assert Overrides().applied(ODD) == ODD


def test_another_stores_change_is_seen_and_not_undone_by_what_was_read_before(
    tmp_path: Path,
) -> None:
    path = tmp_path / "p.json"
    one, two = ProfileStore(path), ProfileStore(path)
    one.put("e", "a", ODD, FRESH)
    assert two.get("e", "a", FRESH) == ODD
    one.put("e", "a", Profile(no_system=True), FRESH, by="user")
    assert two.get("e", "a", FRESH) == Profile(no_system=True)
    two.put("e", "b", ODD, FRESH)
    assert one.get("e", "a", FRESH) == Profile(no_system=True)


def test_who_set_a_field_and_when_is_kept_until_it_changes_again(tmp_path: Path) -> None:
    days = iter([date(2026, 11, 28), date(2026, 11, 29), date(2026, 11, 30)])
    store = ProfileStore(tmp_path / "p.json", today=lambda: next(days))
    store.put("e", "m", Profile(no_system=True), FRESH)
    store.put("e", "m", Profile(no_system=True, user_last=True), FRESH, by="user")
    told = ProfileStore(tmp_path / "p.json").notes("e", "m")
    assert told == {
        "no_system": Note("answer", "2026-11-28"),
        "user_last": Note("user", "2026-11-29"),
    }
    store.forget("e", "m")
    assert store.notes("e", "m") == {}
