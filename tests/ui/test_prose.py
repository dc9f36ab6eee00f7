"""Markdown that keeps the author's text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument

from studio_qt.ui.prose.blocks import Block, Span, mark_speech, plain_text
from studio_qt.ui.prose.draw import Look, ProseWriter
from studio_qt.ui.prose.parse import parse, split_live
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.theme.tokens import load_tokens

AS_WRITTEN = [
    "A List<int> of <tags> and <b>no bold</b>",
    "one line\nand the next",
    "---\nname: not a rule",
    "a head\n---\nis none",
    "Title\n===",
    "1986. A good year",
    "7) Seven",
    "AT&T &amp; &lt;co&gt; &copy;",
    "    an indented verse\n  and its second line",
    "<!-- no comment --> <script>alert(1)</script>",
    "<https://example.org/in-angles>",
    "2*3*4 = 24 and snake_case_name and __init__ alone is bold",
    "C:\\new\\table and \\\\server\\share",
    "¯\\_(ツ)_/¯",
    "[x]: https://example.org\n[x]",
    "#hashtag and #1",
    'He is 6" tall',
    "![a picture](https://example.org/track.png)",
    "* * *",
    "a ~ b ~ c",
    "\u202eright to left\u202c, zero\u200bwidth, 日本語「はい」",
]


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_what_people_write_is_shown_as_it_was_written(text: str) -> None:
    shown = plain_text(parse(text)).replace("\u00a0", " ")
    assert shown == text.replace("__init__ alone", "init alone")


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_the_document_holds_the_same_text(qapp: object, text: str) -> None:
    document = QTextDocument()
    ProseWriter(document, Look(load_tokens("dark"))).write(parse(text))
    shown = document.toPlainText().replace("\u00a0", " ")
    if text != "* * *":  # painted as a line
        assert shown.replace("7)  ", "7) ").replace("1986.  ", "1986. ") == text.replace(
            "__init__ alone", "init alone"
        )


def test_what_markdown_is_for_still_works() -> None:
    blocks = parse(
        "# Head\n\n- a *b*\n  1. c\n\n> q **r**\n\n```py\nx < y\n```\n\n|a|b|\n|-|-|\n|1|2|"
    )
    assert [block.kind for block in blocks] == ["heading", "text", "text", "text", "code", "table"]
    assert [block.marker for block in blocks[1:3]] == ["–", "1."]
    assert (blocks[3].quoted, blocks[3].spans[-1].bold) == (1, True)
    assert blocks[4].text == "x < y"
    assert plain_text(blocks[5:]) == "a\tb\n1\t2"


def test_numbers_of_a_list_stay_those_of_the_author() -> None:
    assert [block.marker for block in parse("1. a\n5. b\n5. c")] == ["1.", "5.", "5."]


def test_speech_is_marked_also_across_bold_and_stage_directions() -> None:
    (block,) = parse("*She says* “it is **dry**” and *nods “yes” twice*.")
    spoken = [span.text for span in block.spans if span.speech]
    assert spoken == ["“it is ", "dry", "”", "“yes”"]


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ('"Hello," she said.', ['"Hello,"']),
        ('a 6" pipe and 5" more', []),
        ("„Guten Tag“, sagte er", ["„Guten Tag“"]),
        ("« Bonjour »", ["« Bonjour »"]),
        ("“It goes on", ["“It goes on"]),
        ("don't and ’tis", []),
    ],
)
def test_speech_is_found_in_the_quotation_marks_of_several_languages(
    text: str, spoken: list[str]
) -> None:
    assert [span.text for span in mark_speech([Span(text)]) if span.speech] == spoken


def test_code_is_no_speech() -> None:
    (block,) = parse('`"a"` "b"')
    assert [span.text for span in block.spans if span.speech] == ['"b"']


def test_emphasis_that_is_still_being_written_is_closed_for_the_eye() -> None:
    (block,) = parse("*The tube **cough", live=True)
    assert all(span.italic for span in block.spans)
    assert block.spans[-1].bold
    assert block.text == "The tube cough"


def test_a_growing_text_is_final_up_to_a_blank_line_that_nothing_can_change() -> None:
    assert split_live("a\n\nbe sure of this") == 3
    assert split_live("a\n\n- item of a list") == 0
    assert split_live("a\n\n```\nx\n\ny\n\nz") == 3
    assert split_live("a\n\n    deep\n") == 0
    assert split_live("a\n\n12") == 0


def test_freezing_in_steps_gives_the_blocks_of_the_whole() -> None:
    text = (
        "One.\n\n- a\n- b\n\nTwo *three*.\n\n```\nx\n\ny\n```\n\n1. q\n\n   r\n\nEnd of it all.\n"
    )
    frozen, blocks = 0, []
    for end in range(1, len(text) + 1):
        place = split_live(text[:end], frozen)
        blocks += parse(text[frozen:place])
        frozen = place
    blocks += parse(text[frozen:])
    assert blocks == list(parse(text))


@pytest.fixture
def view(qtbot: object) -> ProseView:
    made = ProseView(Theme("dark"))
    qtbot.addWidget(made)
    made.resize(400, 50)
    return made


def test_a_growing_view_shows_the_same_as_a_whole_one(view: ProseView) -> None:
    text = "First *part*.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThen “speech” and more to come.\n"
    for end in range(3, len(text) + 1, 3):
        view.grow_to(text[:end])
    view.grow_to(text)
    assert view.toPlainText().endswith("▍")
    view.show_text(text)
    grown = view.toHtml()
    view.show_text("")
    view.show_text(text)
    assert view.toHtml() == grown
    assert view.shown_text() == plain_text(parse(text))


def test_nothing_remote_or_local_is_ever_loaded(view: ProseView) -> None:
    view.show_text("![x](https://example.org/a.png) ![y](file:///etc/passwd)")
    assert view.loadResource(2, QUrl("file:///etc/passwd")) is None
    assert "￼" not in view.toPlainText()


def test_a_copy_is_plain_text_with_line_breaks(view: ProseView) -> None:
    view.show_text("*one*\ntwo\n\n- three")
    view.selectAll()
    data = view.createMimeDataFromSelection()
    assert data.text() == "one\ntwo\n–  three"
    assert not data.hasHtml()


def test_a_view_is_as_high_as_its_text_at_each_width(view: ProseView) -> None:
    view.show_text("word " * 100)
    assert view.heightForWidth(200) > view.heightForWidth(600) > 20
    assert view.hasHeightForWidth()


def test_a_rule_in_the_middle_is_a_rule() -> None:
    assert [block.kind for block in parse("a\n\n---\n\nb")] == ["text", "rule", "text"]
    assert parse("a\n\n***\n\nb")[1] == Block("rule", marker="***")
