"""Rows of a request, their marks against another one, and the lines that are shown of them."""

from __future__ import annotations

from studio_qt.engine.inspecting import BlockPart, InspectedRequest, RequestBlock
from studio_qt.engine.requests import SentRequest, Usage
from studio_qt.ui.inspector.lines import against, alone
from studio_qt.ui.inspector.shaping import Piece, Row, shape
from studio_qt.ui.inspector.wording import (
    compared_with,
    listed,
    ordinal,
    request_line,
    request_title,
    sent_line,
)
from studio_qt.ui.widgets.marked import BREAK, LONGEST, Line, lay, whole


def about(number: int = 1, turn: int = 1, **changes: object) -> SentRequest:
    values: dict[str, object] = {
        "conversation_id": "c", "lane": "main", "agent_id": "", "round": 1, "model": "m",
        "time": 0.0, "state": "answered", "tokens": 5, **changes,
    }  # fmt: skip
    return SentRequest(number=number, turn=turn, **values)  # type: ignore[arg-type]


def block(kind: str, key: str, text: str, **changes: object) -> RequestBlock:
    parts = (BlockPart("file", key, text, 1),)
    values: dict[str, object] = {"role": "user", "parts": parts, "tokens": 3, **changes}
    return RequestBlock(kind, key, text=text, **values)  # type: ignore[arg-type]


def past(turn: int, text: str) -> RequestBlock:
    return block("past", f"entry e{turn}", text, turn=turn, to_turn=turn)


def request(*blocks: RequestBlock) -> InspectedRequest:
    return InspectedRequest(about(), blocks, {}, (b"{}",), 9, 100, 10)


def marks(now: InspectedRequest, before: InspectedRequest) -> list[tuple[str, str]]:
    return [(row.title, row.mark) for row in shape(now, before)]


def test_blocks_are_marked_as_new_changed_and_gone() -> None:
    before = request(block("system", "system", "old"), block("context", "context", "c"))
    now = request(block("system", "system", "new"), past(1, "hi"))
    assert marks(now, before) == [
        ("Context", "gone"), ("System prompt", "changed"), ("Turn 1", "new"),
    ]  # fmt: skip


def test_without_another_request_nothing_is_marked() -> None:
    assert [row.mark for row in shape(request(past(1, "a"), past(2, "b")), None)] == ["", ""]


def test_turns_that_are_as_they_were_are_joined_and_unfold_to_their_messages() -> None:
    turns = [past(turn, f"text {turn}") for turn in range(1, 6)]
    rows = shape(request(*turns, past(6, "new")), request(*turns))
    assert [row.title for row in rows] == ["Turns 1 to 5", "Turn 6"]
    assert [row.title for row in rows[0].rows] == [f"Turn {turn}" for turn in range(1, 6)]
    assert rows[0].tokens == 15


def test_a_changed_message_parts_the_turns_around_it() -> None:
    turns = [past(turn, f"text {turn}") for turn in range(1, 10)]
    other = [*turns[:4], past(5, "other"), *turns[5:]]
    assert [row.title for row in shape(request(*turns), request(*other))] == [
        "Turns 1 to 4", "Turn 5", "Turns 6 to 9",
    ]  # fmt: skip


def test_turns_that_were_cut_are_told_once() -> None:
    cut = block("past", "cut", "", turn=1, to_turn=2, cut="Cut: no room.", entries=2)
    rows = shape(request(cut, past(3, "c")), request(past(1, "a"), past(2, "b"), past(3, "c")))
    assert [(row.title, row.cut) for row in rows] == [
        ("Turns 1 to 2", "Cut: no room."),
        ("Turn 3", ""),
    ]


def test_parts_are_compared_with_those_of_the_same_origin() -> None:
    def loaded(**texts: str) -> RequestBlock:
        parts = tuple(BlockPart("agent", name, text, 1) for name, text in texts.items())
        return block("preload", "preload", "\n\n".join(texts.values()), parts=parts)

    (row,) = shape(request(loaded(a="1", c="3")), request(loaded(a="1", b="2")))
    assert row.pieces == (
        Piece("agent", "a", "1", "1"), Piece("agent", "c", "3", None), Piece("agent", "b", "", "2"),
    )  # fmt: skip
    lines = list(against(row))
    assert [(line.kind, line.text) for line in lines] == [
        ("head", "a"), ("same", "1"), ("head", "c"), ("add", "3"), ("head", "b"), ("del", "2"),
    ]  # fmt: skip


def row_of(text: str, before: str | None = None) -> Row:
    return Row("k", "T", "user", "", "", 1, "turns", (Piece("file", "f", text, before),))


def test_what_is_far_from_a_change_is_folded() -> None:
    old = [f"line {number}" for number in range(40)]
    new = [*old[:20], "changed", *old[21:]]
    lines = list(against(row_of("\n".join(new), "\n".join(old))))
    assert [line.text for line in lines if line.kind == "fold"] == [
        "⋯ 17 lines as before", "⋯ 16 lines as before",
    ]  # fmt: skip
    assert [line.text for line in lines if line.kind in ("add", "del")] == ["line 20", "changed"]


def test_a_long_line_goes_on_in_further_blocks_without_losing_a_character() -> None:
    text = "word " * LONGEST
    laid = lay(whole(text))
    assert len(laid.kinds) == len(laid.goes_on) == laid.text.count("\n") + 1 > 4
    assert laid.text.replace("\n", "") == text
    assert laid.goes_on[-1] is False


def test_an_empty_text_is_one_empty_line() -> None:
    assert lay([Line("same", "")]).kinds == ("same",)
    assert [line.text for line in alone(row_of(""))] == []


def test_requests_are_put_in_words() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "21st",
    ]  # fmt: skip
    assert listed(["a", "b", "c", "d", "e"], 3) == "a, b and 3 others"
    assert request_title(about(round=2)) == "Narrator, 2nd"
    assert request_title(about(agent_id="marcus", round=2)) == "marcus, round 2"
    assert request_line(about(after=("roll",)), None) == "after roll answered"
    assert request_line(about(), about(2, after=("roll",))) == "asked for roll"
    assert request_line(about(state="failed", error="no key"), None) == "failed: no key"
    assert "7 written" in sent_line(about(usage=Usage(5, 7, 12)), 10)
    assert "10 bytes" in sent_line(about(), 10)


def test_marks_compare_with_the_last_request_of_an_earlier_turn_by_the_same_asker() -> None:
    sent = [about(1, 1), about(2, 1, agent_id="m"), about(3, 1), about(4, 2), about(5, 2)]
    assert compared_with(sent[4], sent) is sent[2]
    assert compared_with(sent[2], sent) is sent[0]
    assert compared_with(sent[0], sent) is None
    assert compared_with(sent[1], sent) is None
    assert compared_with(about(0, 0, state="next"), sent) is sent[4]


def test_many_lines_share_blocks_and_none_is_lost() -> None:
    lines = [f"line {number}" for number in range(6_000)]
    lines[100], lines[200] = "with \u2028 in it", "long " * LONGEST
    laid = lay([Line("head", "a"), Line("same", "\n".join(lines)), Line("add", "new")])
    assert len(laid.kinds) == len(laid.goes_on) == len(laid.holds) == laid.text.count("\n") + 1
    assert len(laid.kinds) < 500
    found = []
    pieces = zip(laid.text.split("\n"), laid.holds, laid.goes_on, strict=True)
    before = ""
    for piece, holds, more in pieces:
        whole_piece = before + piece
        before = whole_piece if more else ""
        if not more:
            found += whole_piece.split(BREAK) if holds > 1 else [whole_piece]
    assert found == ["a", *lines, "new"]
