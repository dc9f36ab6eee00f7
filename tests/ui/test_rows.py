"""From entries to rows, and what the transcript says as text."""

from __future__ import annotations

from typing import Any

import pytest

from studio_qt.engine.roster import LoadedAgent
from studio_qt.ui.chat.rows import Said, Used, build_rows, call_text, local_time, row_text
from studio_qt.ui.commands.matching import Offer, complete, offers, ranked, token


def user(text: str, turn: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": f"u{turn}", "turn": turn, "role": "user", "content": text, **more}


def said(text: str, turn: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": f"a{text}", "turn": turn, "role": "assistant", "content": text, **more}


def asked(*calls: tuple[str, str, str], turn: int = 1, text: str = "") -> dict[str, Any]:
    made = [
        {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}
        for key, name, arguments in calls
    ]
    return {"id": "t", "turn": turn, "role": "assistant", "content": text, "tool_calls": made}


def result(key: str, text: str, turn: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": "r", "turn": turn, "role": "tool", "tool_call_id": key, "content": text, **more}


def log(text: str, turn: int = 1) -> dict[str, Any]:
    return {"id": f"l{text}", "turn": turn, "role": "log", "content": text, "agentId": "x.y"}


def test_a_reply_is_one_row_with_its_tools_before_its_text() -> None:
    rows = build_rows(
        [user("roll"), asked(("c", "roll", '{ "sides": 6 }')), result("c", "4"), said("Four.")]
    )
    assert [row.kind for row in rows] == ["user", "reply"]
    used, text = rows[1].parts
    assert isinstance(used, Used)
    assert (used.calls[0].arguments, used.calls[0].result) == ('{"sides":6}', "4")
    assert text == Said("Four.")


def test_calls_of_several_rounds_become_one_line() -> None:
    entries = [user("x"), asked(("c", "a", "")), result("c", "1"), asked(("c", "b", "{}"))]
    (_, reply) = build_rows([*entries, result("c", "2"), said("ok")])
    (used, _) = reply.parts
    assert isinstance(used, Used)
    assert [(call.name, call.result) for call in used.calls] == [("a", "1"), ("b", "2")]


def test_a_call_id_that_a_server_uses_again_finds_its_own_result() -> None:
    first = [user("x"), asked(("call_0", "a", "{}")), result("call_0", "one"), said("1")]
    second = [
        user("y", 2),
        asked(("call_0", "a", "{}"), turn=2),
        result("call_0", "two", 2),
        said("2", 2),
    ]
    replies = [row for row in build_rows(first + second) if row.kind == "reply"]
    assert "→ one" in row_text(replies[0], "A")
    assert "→ two" in row_text(replies[1], "A")


def test_a_log_entry_stands_alone_and_the_reply_goes_on_without_a_head() -> None:
    rows = build_rows(
        [user("x"), asked(("c", "a", "{}")), log("done"), result("c", "1"), said("ok")]
    )
    assert [(row.kind, row.follows) for row in rows] == [
        ("user", False),
        ("reply", False),
        ("log", False),
        ("reply", True),
    ]
    assert "→ 1" in row_text(rows[1], "A")


def test_a_reply_put_aside_is_hidden_only_when_another_took_its_place() -> None:
    aside = said("old", rejected=True)
    assert [row.text for row in build_rows([user("x"), aside])] == ["x", "old"]
    assert [row.text for row in build_rows([user("x"), aside, said("new")])] == ["x", "new"]


def test_a_stopped_reply_and_an_unfinished_call_are_told() -> None:
    rows = build_rows([user("x"), asked(("c", "slow", "{}")), said("half", stopped=True)])
    assert rows[1].stopped
    assert row_text(rows[1], "Ada") == "Ada\nslow {}\nhalf\n(stopped)"


def test_inner_calls_of_a_sub_agent_are_one_level_deeper() -> None:
    inner = [
        {"toolCallId": 4, "agentId": "i", "toolName": "recall", "args": {"q": 1}, "result": "r"}
    ]
    rows = build_rows([user("x"), asked(("c", "marcus", "{}")), result("c", "yes", inner=inner)])
    part = rows[1].parts[0]
    assert isinstance(part, Used)
    assert call_text(part.calls[0]) == 'marcus {}\n    recall {"q":1} #4\n    → r\n→ yes'


@pytest.mark.parametrize("content", [None, 7, ["a"], {"x": 1}])
def test_odd_entries_of_other_programs_do_no_harm(content: object) -> None:
    entries = [{"role": "user", "content": content}, {"role": "odd"}, {"role": "tool"}, {}]
    for row in build_rows([*entries, {"role": "assistant", "tool_calls": [1, {"id": 2}]}]):
        assert row_text(row, "A")


def test_a_time_that_is_none_is_not_shown() -> None:
    assert local_time("yesterday") == local_time("") == ""
    assert local_time("2026-01-01T10:00:00Z").endswith(":00")


def test_commands_that_the_line_begins_come_first() -> None:
    commands = ["@log", "@memory", "@roll"]
    assert ranked("@ro", commands) == (["@roll"], ["@log", "@memory"])
    assert ranked("@", commands) == ([], commands)
    assert ranked("@zz x", commands) == ([], commands)
    assert ranked("@mem a", commands)[0] == ["@memory"]


def test_completion_keeps_what_follows_the_command() -> None:
    assert complete("@ro 2d6 +1", "@roll") == ("@roll 2d6 +1", 6)
    assert complete("@", "@roll") == ("@roll ", 6)
    assert token("  roll x") == token("@roll\tx") == "@roll"
    assert token("") == "@"


@pytest.mark.parametrize(
    ("typed", "fits"),
    [
        ("@fun", True),
        ("@findname", True),
        ("unused", True),
        ("@FUN", True),
        ("@nun", False),
        ("@fux", False),
        ("@f" + "a" * 40, False),
    ],
)
def test_the_beginnings_of_the_words_of_a_command_find_it(typed: str, fits: bool) -> None:
    long = "@f" + "_a" * 38  # with many ways to be read, and none that ends
    fitting, _ = ranked(typed, ["@find_unused_name", long])
    assert ("@find_unused_name" in fitting) == fits


def test_a_command_is_that_of_the_first_agent_that_has_it() -> None:
    one = LoadedAgent("a.one", "agents/a.one.js", (), ("@roll",), False, description="Rolls.")
    two = LoadedAgent("a.two", "agents/a.two.js", (), ("@roll", "@note"), False)
    kept = LoadedAgent("b.kept", "agents/x.js", (), ("@own",), False, owner="b")
    found = offers(["@roll", "@note", "@own"], [one, two, kept])
    assert found == [
        Offer("@roll", "a.one", "Rolls."),
        Offer("@note", "a.two"),
        Offer("@own"),
    ]
