"""The user's choices: kept, read back value by value, and never lost to a broken file."""

from __future__ import annotations

import json
import threading
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from studio_qt.errors import StudioError
from studio_qt.files.atomic import write_atomic
from studio_qt.settings import PlayerSettings, Setting
from studio_qt.ui.preferences import Preferences, WindowSettings, stepped_up
from tests.support.qt import until

pytestmark = pytest.mark.clause("STU-10")


def kept(home: Path) -> dict:
    return json.loads((home / "settings.json").read_text(encoding="utf-8"))


def test_choices_are_in_force_at_once_and_come_back(tmp_path: Path) -> None:
    preferences = Preferences(tmp_path / "new")
    told: list[int] = []
    preferences.changed.connect(lambda: told.append(preferences.window.chat_size))
    preferences.change_window(chat_size=18, theme="dark")
    preferences.change_player(max_rounds=3, persona="Ada")
    preferences.flush()
    again = Preferences(tmp_path / "new")
    assert told == [18, 18]
    assert (again.window.chat_size, again.window.theme) == (18, "dark")
    assert (again.player.max_rounds, again.player.persona) == (3, "Ada")


def test_the_same_value_again_is_no_change(tmp_path: Path) -> None:
    preferences = Preferences(tmp_path)
    told: list[int] = []
    preferences.changed.connect(lambda: told.append(1))
    preferences.change_window(chat_size=14)
    assert (told, list(tmp_path.iterdir())) == ([], [])


@pytest.mark.parametrize(
    ("group", "values"),
    [
        ("window", {"chat_size": 5}),
        ("window", {"theme": "pink"}),
        ("window", {"tab_width": True}),
        ("player", {"max_rounds": 0}),
        ("player", {"temperature": float("nan")}),
        ("player", {"top_p": float("inf")}),
        ("player", {"web_access": 1}),
        ("player", {"persona": 7}),
    ],
)
def test_a_value_that_cannot_be_is_refused_and_nothing_changes(
    group: str, values: dict[str, object]
) -> None:
    preferences = Preferences(None)
    change = preferences.change_window if group == "window" else preferences.change_player
    with pytest.raises(StudioError, match=next(iter(values))):
        change(**values)
    assert (preferences.window, preferences.player) == (WindowSettings(), PlayerSettings())


def test_a_broken_value_falls_back_alone_with_a_notice(tmp_path: Path) -> None:
    values = {"window": {"chat_size": "big", "tab_width": 4}, "player": {"max_rounds": 9}}
    (tmp_path / "settings.json").write_text(json.dumps({"version": 1, **values}))
    preferences = Preferences(tmp_path)
    assert (preferences.window.chat_size, preferences.window.tab_width) == (14, 4)
    assert preferences.player.max_rounds == 9
    assert ["chat_size" in notice for notice in preferences.notices] == [True]


@pytest.mark.parametrize("broken", ["", "{", "[1]", "7", "[" * 100_000])
def test_a_broken_file_is_told_and_set_aside(tmp_path: Path, broken: str) -> None:
    (tmp_path / "settings.json").write_text(broken)
    preferences = Preferences(tmp_path)
    assert len(preferences.notices) == 1
    preferences.change_window(chat_size=18)
    preferences.flush()
    assert (tmp_path / "settings.unreadable-1.json").read_text() == broken
    assert Preferences(tmp_path).window.chat_size == 18


def test_what_a_later_version_wrote_stays(tmp_path: Path) -> None:
    later = {"version": 7, "window": {"glow": 1, "chat_size": 15}, "party": {"a": [1]}}
    (tmp_path / "settings.json").write_text(json.dumps(later))
    preferences = Preferences(tmp_path)
    preferences.change_window(chat_size=16)
    preferences.flush()
    saved = kept(tmp_path)
    assert (saved["version"], saved["party"]) == (7, {"a": [1]})
    assert (saved["window"]["glow"], saved["window"]["chat_size"]) == (1, 16)


def test_older_files_are_stepped_up_one_version_at_a_time() -> None:
    steps = {
        1: lambda file: {**file, "b": file["a"] * 10},
        2: lambda file: {**file, "c": file["b"] + 1},
    }
    assert stepped_up({"version": 1, "a": 4}, steps, 3) == {"version": 3, "a": 4, "b": 40, "c": 41}
    assert stepped_up({"a": 4}, steps, 2)["b"] == 40
    assert stepped_up({"version": 9, "a": 4}, steps, 3) == {"version": 9, "a": 4}


@pytest.mark.qt_loop
async def test_a_choice_that_cannot_be_kept_holds_all_the_same_and_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    preferences = Preferences(tmp_path / "file" / "x")
    told: list[str] = []
    preferences.failed.connect(told.append)
    preferences.change_window(chat_size=18)
    assert preferences.window.chat_size == 18
    await until(lambda: bool(told))
    assert "cannot be written" in told[0]


def test_no_choice_waits_for_the_disk_and_the_last_one_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that answers late holds up a thread, never the window."""
    answers, threads, written = threading.Event(), set(), []

    def slow(place: Path, text: str, **_: object) -> None:
        assert answers.wait(20)
        threads.add(threading.current_thread())
        written.append(json.loads(text)["window"]["chat_size"])
        write_atomic(place, text)

    monkeypatch.setattr("studio_qt.ui.preferences.write_atomic", slow)
    preferences = Preferences(tmp_path)
    for size in range(15, 32):
        preferences.change_window(chat_size=size)
    assert (written, preferences.window.chat_size) == ([], 31)
    answers.set()
    preferences.flush()
    assert threading.main_thread() not in threads
    assert (written[-1], written == sorted(written), len(written) <= 2) == (31, True, True)
    assert kept(tmp_path)["window"]["chat_size"] == 31


@pytest.mark.parametrize("kind", [WindowSettings, PlayerSettings])
def test_every_setting_has_words_a_page_and_a_default_within_its_range(kind: type) -> None:
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        setting = get_args(hints[each.name])[1]
        assert isinstance(setting, Setting)
        assert setting.label, each.name
        assert setting.group, each.name
        assert "." not in setting.label
        assert not setting.help or setting.help.endswith("."), each.name
    kind()
