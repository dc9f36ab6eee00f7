"""Chats from elsewhere: `.jsonl` with swipes, plain arrays, and what is none."""

from __future__ import annotations

import json
import threading
import time

import pytest

from studio_qt.authoring.chats import read_chat
from studio_qt.errors import StudioError

HEAD = {"user_name": "Mara", "character_name": "Hanne", "create_date": "x", "chat_metadata": {}}
LINES = [
    HEAD,
    {"name": "Hanne", "is_user": False, "is_system": False, "mes": "Come in, {{user}}."},
    {"name": "Mara", "is_user": True, "mes": "Thank you, <BOT>.", "send_date": 1760000000000},
    {"name": "x", "is_user": False, "is_system": True, "mes": "hidden"},
    {
        "name": "Hanne",
        "is_user": False,
        "mes": "Sit.",
        "swipes": ["Stand.", "Sit.", ""],
        "swipe_id": 1,
        "send_date": "2025-10-09T08:53:20.000Z",
    },
]


def jsonl(*lines: object) -> bytes:
    return "\n".join(json.dumps(line) for line in lines).encode()


def test_lines_become_entries_with_other_answers_rejected() -> None:
    chat = read_chat(jsonl(*LINES), "Hanne - 2025.jsonl")
    assert chat.title == "Hanne - 2025"
    assert list(chat.entries) == [
        {"role": "assistant", "content": "Come in, Mara."},
        {"role": "user", "content": "Thank you, Hanne.", "time": "2025-10-09T08:53:20Z"},
        {
            "role": "assistant",
            "content": "Stand.",
            "time": "2025-10-09T08:53:20Z",
            "rejected": True,
        },
        {"role": "assistant", "content": "Sit.", "time": "2025-10-09T08:53:20Z"},
    ]
    assert chat.left_out == 1


@pytest.mark.parametrize("wrapped", [False, True])
def test_plain_arrays_keep_what_user_and_character_said(*, wrapped: bool) -> None:
    messages = [
        {"role": "system", "content": "Be Hanne."},
        {"role": "user", "content": [{"type": "text", "text": "Hello"}, {"type": "image_url"}]},
        {"role": "assistant", "content": "Yes?"},
        {"role": "tool", "content": "4"},
    ]
    data = json.dumps({"messages": messages} if wrapped else messages).encode()
    chat = read_chat(b"\xef\xbb\xbf" + data, "talk.json")
    assert [(one["role"], one["content"]) for one in chat.entries] == [
        ("user", "Hello"),
        ("assistant", "Yes?"),
    ]
    assert chat.left_out == 2


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{", "no chat"),
        (b"", "no chat"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[]", "no message"),
        (b'[{"content": "x"}]', "message 1 has no role"),
        (jsonl(HEAD, LINES[1]) + b"\n{oops\n" + jsonl(LINES[2]), "line 3"),
        (jsonl(HEAD, LINES[1]) + b"\noops", "line 3"),
        (jsonl(HEAD)[:-9], "no chat"),
        (jsonl(HEAD) + b'\n{"mes', "no message"),
        (b"[\xff]", "not UTF-8"),
        (jsonl(HEAD, "x"), "line 2"),
    ],
)
def test_what_is_no_chat_is_told_with_its_line(data: bytes, why: str) -> None:
    with pytest.raises(StudioError, match=why):
        read_chat(data, "talk.jsonl")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_they_do_in_files_and_nowhere_else(end: str) -> None:
    said = "one\u2028two\u2029three\x85four\x0b"
    lines = [json.dumps({"mes": said, "is_user": True}, ensure_ascii=False), '{"mes": "Yes."}']
    chat = read_chat(end.join(lines).encode(), "talk.jsonl")
    assert [entry["content"] for entry in chat.entries] == [said, "Yes."]


@pytest.mark.parametrize(
    ("date", "time"),
    [
        (-1000, "1969-12-31T23:59:59Z"),
        (True, None),
        (10**30, None),
        ("0900-01-01T00:00:00Z", "0900-01-01T00:00:00Z"),
        ("0001-01-01T00:00:00+14:00", None),
        ([], None),
    ],
)
def test_times_are_whole_ones_or_none(date: object, time: str | None) -> None:
    line = {"mes": "x", "is_user": True, "send_date": date}
    (entry,) = read_chat(jsonl({"title": {"a": 1}}, line), "talk.jsonl").entries
    assert entry.get("time") == time


def test_a_title_is_a_text_or_the_name_of_the_file() -> None:
    line = {"mes": "x", "is_user": True}
    assert read_chat(jsonl({"title": {"a": 1}}, line), "talk.jsonl").title == "talk"
    assert read_chat(jsonl({"title": " Storm "}, line, {}), "talk.jsonl").title == "Storm"


@pytest.mark.parametrize("cut", [b"\n{", b'\n{"mes": "It is la', '\n{"mes": "é'.encode()[:-1]])
@pytest.mark.parametrize("after", [b"", b"\n\n"])
def test_a_chat_that_breaks_off_comes_in_without_its_last_line(cut: bytes, after: bytes) -> None:
    if cut[-1] > 127 and after:
        return  # then it is not cut, but damaged
    chat = read_chat(jsonl(*LINES) + cut + after, "talk.jsonl")
    assert len(chat.entries) == 4
    assert chat.cut
    assert not read_chat(jsonl(*LINES), "talk.jsonl").cut


def test_in_a_group_it_is_told_who_said_what() -> None:
    head = {"user_name": "Mara", "character_name": "unused"}
    tide = {"name": "Narrator", "mes": "The tide turns.", "extra": {"type": "narrator"}}
    lines = [
        {"name": "Hanne", "mes": "I am {{char}}."},
        {"name": "Bo  Ek", "mes": "I am {{char}}.", "swipes": ["{{char}}, {{user}}."]},
        {"name": "Mara", "is_user": True, "mes": "Hello."},
        tide,
    ]
    chat = read_chat(jsonl(head, *lines), "group.jsonl", "Hanne")
    assert [one["content"] for one in chat.entries] == [
        "I am Hanne.",
        "Bo Ek: Bo Ek, Mara.",
        "Bo Ek: I am Bo Ek.",
        "Hello.",
        "The tide turns.",
    ]
    alone = read_chat(jsonl(HEAD, lines[0], tide), "alone.jsonl", "Somebody")
    assert [one["content"] for one in alone.entries] == ["I am Hanne.", "The tide turns."]


def test_a_large_chat_holds_up_nobody_for_long() -> None:
    line = jsonl({"name": "Hanne", "mes": "word " * 200, "swipes": ["other " * 200]})
    data = jsonl(HEAD) + (b"\n" + line) * 20_000
    waits, ended = [0.0], threading.Event()

    def beat() -> None:
        while not ended.is_set():
            began = time.perf_counter()
            time.sleep(0.001)
            waits.append(time.perf_counter() - began)

    beating = threading.Thread(target=beat)
    beating.start()
    try:
        assert len(read_chat(data, "large.jsonl").entries) == 40_000
    finally:
        ended.set()
        beating.join()
    assert max(waits) < 0.5  # it was 0.7 s and more, twice: one call made all lines
