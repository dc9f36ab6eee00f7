"""Markdown that keeps the author's text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument

from studio_qt.ui.chat.pieces import cut_text
from studio_qt.ui.chat.rows import shown_text
from studio_qt.ui.prose.blocks import Block, Span, mark_speech, plain_text
from studio_qt.ui.prose.draw import Look, ProseWriter
from studio_qt.ui.prose.parse import parse, split_live
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.theme.tokens import load_tokens

AS_WRITTEN = [
    "A List<int> of <tags> and <b>no bold</b>",
    "Dictionary<string, List<int>> map = new();",
    "if (a < b && b > c) { return a<b>c; }",
    "<think>What now?</think> Then I speak.",
    "<think>\nnever closed",
    "<|im_start|>assistant",
    "</s>[INST] <<SYS>>",
    "<!-- no comment --> <script>alert(1)</script>",
    "<!DOCTYPE html>",
    "<?php echo 1 ?>",
    "<div>\nlines in a block\n</div>",
    "<https://example.org/in-angles>",
    "<someone@example.org>",
    "one line\nand the next",
    "one\ntwo\nthree\n four",
    "a line that ends in a backslash\\\nand the next",
    "---\nname: not a rule",
    "---",
    "a head\n---\nis none",
    "Title\n===",
    "Title\n-----",
    "1986. A good year",
    "It was in\n1986. A good year",
    "7) Seven",
    "1.",
    "1) ",
    "-",
    "+ 5 gold, - 3 silver",
    "-5 degrees, +3 tomorrow",
    "–dash first",
    "AT&T &amp; &lt;co&gt; &copy; &#35;",
    "    an indented verse\n  and its second line",
    "\ta tab first",
    "  two blanks\n    four blanks\n  two",
    "a   wide    gap",
    "2*3*4 = 24 and snake_case_name and a_b_",
    "5 * 3 * 2 is 30",
    "* * *",
    "**",
    "****",
    "*not closed",
    "_ and __ and ` and ``",
    "``` ```",
    "~ a ~ b ~ c",
    "C:\\new\\table and \\\\server\\share",
    "C:\\_hidden\\file",
    "¯\\_(ツ)_/¯",
    "\\o/ and (╯°□°）╯︵ ┻━┻",
    ">:( and >_< and >.<",
    ">",
    "#hashtag and #1",
    "#",
    "##",
    "[x]: https://example.org\n[x]",
    "[x] and [ ] and [[link]] and [^1]",
    "[]()",
    "[](https://example.org)",
    "![a picture](https://example.org/track.png)",
    '![a picture](https://example.org/track.png "its title")',
    'He is 6" tall',
    "{{char}} and {{user}} and %%CONTEXT%% and $x$ and $$y$$",
    "a | b | c",
    "| a | b |\n|---|---|\n| 1 | 2 | 3 |",
    "```",
    "```What is this",
    "~~~~ and that",
    "emoji 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 and e\u0301 and \U0001f926\U0001f3fc\u200d\u2642\ufe0f",
    "\u202eright to left\u202c, zero\u200bwidth, 日本語「はい」",
    "שלום עולם, مرحبا بالعالم, 100%",
    "(c) (tm) ... -- --- 'quotes' \"too\"",
    "\u00a9 \u2122 \u2026 \ue0f3\ue0f4\ue0f5",
    "http://example.org/a_b_c(d)?x=1&y=2#z.",
    ":smile: :) ;-) :-* ^_^ o_O",
]
"""Shown as written, but for the blanks that are hard ones."""


def written(text: str) -> str:
    """Return what is to be seen of a text: a tab at the begin is four blanks."""
    return {"-": "–"}.get(text, text).rstrip(" ").replace("\t", "    ")


def test_the_table_is_long() -> None:
    assert len(AS_WRITTEN) >= 60


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_what_people_write_is_shown_as_it_was_written(text: str) -> None:
    shown = plain_text(parse(text)).replace("\u00a0", " ")
    assert shown == written(text)


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_the_document_holds_the_same_text(qapp: object, text: str) -> None:
    document = QTextDocument()
    ProseWriter(document, Look(load_tokens("dark"))).write(parse(text))
    shown = document.toPlainText().replace("\u00a0", " ")
    if text not in ("* * *", "****"):  # painted as a line
        marked = shown.replace(")  ", ") ").replace(".  ", ". ").replace("+  ", "+ ")
        assert marked.replace("\u2028", "\n").rstrip(" ") == written(text)


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_the_quick_way_for_plain_texts_says_the_same(text: str) -> None:
    assert shown_text(text) == plain_text(parse(text))


@pytest.mark.parametrize("words", ["x" * 1_000_000, "word " * 200_000])
def test_a_line_of_a_megabyte_is_there_from_end_to_end(words: str) -> None:
    shown = "".join(plain_text(parse(piece.of(words))) + " " for piece in cut_text(words))
    assert shown.replace(" ", "") == words.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("```\ncode without an end", ["code without an end"]),
        ("```py\nx = 1\n```", ["x = 1"]),
        ("```not a language\nx\n```", ["not a language", "x"]),
        ("- ```\n  x\n  ```", ["–", "x"]),
        ("- - a", ["–", "– a"]),
        ("* a\n*\n* b", ["• a", "•", "• b"]),
        ("> > deep", ["deep"]),
        ("# I learn C #", ["I learn C #"]),
    ],
)
def test_marks_around_little_or_nothing_swallow_nothing(text: str, lines: list[str]) -> None:
    assert plain_text(parse(text)).split("\n") == lines


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


@pytest.mark.parametrize(
    "text",
    [
        "One.\n\n- a\n- b\n\nTwo *three*.\n\n```\nx\n\ny\n```\n\n1. q\n\n   r\n\nEnd of it all.\n",
        "One.\n\n---\n\nTwo of them.\n\n***\n\nThree of them.\n",
        "\n\n---\nnot a rule\n\nTwo of them.\n",
        "- a\n\n one blank before it\n\nTwo of them.\n",
        "- a\n\n```\nx\n```\n\n    four blanks\n\nTwo of them.\n",
        "```py\n\n```py\n\nstill code of it\n\n```\n\nTwo of them.\n",
        "a\n\x0c\nstill the same paragraph\n\u2028\nand on and on\n\nTwo of them.\n",
    ],
)
def test_freezing_in_steps_gives_the_blocks_of_the_whole(text: str) -> None:
    frozen = 0
    blocks: list[Block] = []
    for end in [*range(1, len(text) + 1), len(text)]:
        place = split_live(text[:end], frozen) if end < len(text) else len(text)
        if place > frozen:
            goes_on = bool(text[:frozen].strip("\n"))
            blocks += parse(text[frozen:place], goes_on=goes_on)
        frozen = place
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


def test_another_theme_colours_what_was_parsed(
    view: ProseView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To parse all replies that are shown took half of what a change of the theme takes."""
    parsed: list[str] = []

    def note(text: str, *, live: bool = False) -> tuple[Block, ...]:
        parsed.append(text)
        return parse(text, live=live)

    monkeypatch.setattr("studio_qt.ui.prose.view.parse", note)
    view.show_text("A *lamp*.")
    view._theme.choose("dark" if view._theme.tokens.name == "light" else "light")
    assert parsed == ["A *lamp*."]
    assert view.document().begin().begin().fragment().charFormat().foreground().color() == (
        view._theme.colour("fg")
    )
    view.show_text("A rope.")
    assert parsed == ["A *lamp*.", "A rope."]
