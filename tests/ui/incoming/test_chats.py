"""Chats from elsewhere, dropped on a real window, become conversations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from tests.support.qt import until
from tests.support.window import write_package
from tests.ui.conftest import OpenStage
from tests.ui.incoming.parcels import drop

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-11")]

LINES = [
    {"user_name": "Mara", "character_name": "Ada", "create_date": "x", "chat_metadata": {}},
    {"name": "Mara", "is_user": True, "mes": "Good evening."},
    {"name": "x", "is_user": False, "is_system": True, "mes": "hidden"},
    {"name": "Ada", "is_user": False, "mes": "Sit.", "swipes": ["Stand.", "Sit."], "swipe_id": 1},
]


def chat(place: Path, lines: list[dict[str, object]] | None = None) -> Path:
    place.write_text("\n".join(json.dumps(line) for line in lines or LINES), encoding="utf-8")
    return place


async def test_a_chat_is_gone_to_and_says_what_came(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    player = stage.window.session.player
    assert player is not None
    before = player.conversation_id
    assert drop(stage.window, chat(tmp_path / "Ada - 2025.jsonl"))
    await until(lambda: player.conversation_id != before)
    await stage.shows("Good evening.", "Sit.")
    assert "hidden" not in stage.text
    told = "\n".join(stage.window.pages.toasts.texts)
    assert "2 messages and 1 other answer as alternatives" in told
    assert "1 entry without a place here was left out" in told


async def test_other_answers_are_alternatives_that_can_be_chosen(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    player = stage.window.session.player
    assert player is not None
    before = player.conversation_id
    assert drop(stage.window, chat(tmp_path / "a.jsonl"))
    await until(lambda: player.conversation_id != before)
    tasks = stage.window.tasks  # the conversation is left only when it is written
    await until(lambda: not {"import chat", "load"} & set(tasks.names))
    found = player.alternatives(len(player) - 1)
    assert [(one["content"], one["active"]) for one in found] == [("Stand.", False), ("Sit.", True)]
    await player.choose(len(player) - 1, 0)
    await stage.shows("Stand.")


async def test_an_array_of_messages_is_a_chat_too(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    messages = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Yes."}]
    (tmp_path / "talk.json").write_text(json.dumps(messages), encoding="utf-8")
    assert drop(stage.window, tmp_path / "talk.json")
    await stage.shows("Hello?", "Yes.")


async def test_a_chat_without_a_character_says_what_to_open(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(None)
    assert drop(stage.window, chat(tmp_path / "a.jsonl"))
    await until(lambda: bool(stage.all("chatRefused")))
    words = " ".join(one.text() for one in stage.find("chatRefused").findChildren(QLabel))
    assert "Open the character first" in words


async def test_what_is_no_chat_is_refused_with_its_line(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    (tmp_path / "a.jsonl").write_text('{"mes": "Hi"}\nno json\n', encoding="utf-8")
    assert drop(stage.window, tmp_path / "a.jsonl")
    await until(lambda: bool(stage.all("chatRefused")))
    words = " ".join(one.text() for one in stage.find("chatRefused").findChildren(QLabel))
    assert "line 2" in words
