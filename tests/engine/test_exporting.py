"""Export: what goes along, nothing swallowed whatever it looks like, JSON that can be read back."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from studio_qt import CharacterPlayer, StudioError
from studio_qt.engine.exporting import About, Chosen, export_pieces, export_text, read_json
from studio_qt.jsontext import JsonObject

ABOUT = About("conversation_03", "Storm night", "Ada", "2026-11-14T21:43:00Z", zone=UTC)
ALL = Chosen(logs=True, tools=True, inner=True, alternatives=True)
HOSTILE = [
    "</pre></div></body><script>alert(1)</script>",
    "<script>document.body.innerHTML = ''</script>",
    "<!-- nothing here is a comment -->",
    "<b>bold?</b> & <i>it</i> &amp; &lt;three&gt; &#65;",
    "List<int> and Map<String, List<int>>",
    "<think>Should I?</think> Yes.",
    "---",
    "before\n---\nafter",
    "title\n===\nafter",
    "***\n\n* * *\n\n___",
    "1986. A good year.",
    "# no heading\n> no quote",
    '[link]: https://example.org/ "swallowed"',
    "one\ntwo\nthree",
    "```\nan unclosed fence",
    "~~~~python\nx = '```'\n~~~~",
    "````\n```\n````\nafter",
    "`unclosed and ``two`` `one`",
    "a `code with <b>` b",
    "*stress* and **strong** and * star * and 2*3*4",
    "]]> <![CDATA[ x ]]>",
    "<?xml version='1.0'?>",
    "\u202eright to left\u202c and שלום עולם",
    "nul \x00, bell \x07, escape \x1b[31m, delete \x7f",
    "carriage\r\nreturn\ralone",
    "👩‍🚀 e\u0301 \u200b \ufeff",
    "\\*escaped\\* C:\\new\\table",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "{title} %s {{x}}",
    '" onmouseover="alert(1)',
]


def entry(role: str, content: object, **more: object) -> JsonObject:
    return {"role": role, "content": content, "time": "2026-11-14T21:41:00Z", **more}  # type: ignore[dict-item]


CALL = {"id": "c1", "type": "function", "function": {"name": "roll", "arguments": '{"sides":6}'}}
INNER = {"toolCallId": 8, "agentId": "x", "toolName": "peek", "args": {"at": 1}, "result": "seen"}
TALK = [
    entry("user", "Hello there."),
    entry("assistant", "I was put aside.", rejected=True),
    entry("assistant", "", tool_calls=[CALL]),
    entry("tool", "You rolled 4.", tool_call_id="c1", name="roll", inner=[INNER]),
    entry("log", "a log line", agentId="t.log"),
    entry("assistant", "Four it is.", stopped=True),
]
KINDS = ("markdown", "html", "json")


class _Reader(HTMLParser):
    """What a browser shows, and which tags and attributes there are."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.raw = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}
        self.raw = tag == "style"
        self.text += dict(attrs).get("class") or "" if tag == "code" else ""  # the language

    def handle_endtag(self, _tag: str) -> None:
        self.raw = False

    def handle_data(self, data: str) -> None:
        if not self.raw:
            self.text += data


def seen(text: str) -> str:
    """The letters of a text that a reader must show: all but blanks and the marks of Markdown."""
    shown = text.translate({code: 0x2400 + code for code in range(32) if code not in (9, 10, 13)})
    return re.sub(r"[\s*`~#>\\_|=-]", "", shown.replace("\x7f", "␡"))


def rendered(markdown: str) -> str:
    return _Reader(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)).text


@pytest.mark.parametrize("text", HOSTILE)
def test_html_shows_everything_that_was_written(text: str) -> None:
    html = export_text([entry("user", text), entry("assistant", "LAST")], ABOUT, "html")
    reader = _Reader(html)
    assert seen(text) in seen(reader.text)
    assert reader.tags <= {
        *("html", "head", "meta", "title", "style", "body", "main", "header", "h1", "p", "bdi"),
        *("article", "span", "div", "pre", "code", "em", "strong"),
    }
    assert reader.names <= {"lang", "charset", "name", "content", "http-equiv", "dir", "class"}
    assert html.count("<article") == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_everything_that_was_written(text: str) -> None:
    markdown = export_text([entry("user", text), entry("assistant", "LAST")], ABOUT, "markdown")
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    reader = _Reader(html)
    assert seen(text) in seen(reader.text.replace("language-", ""))
    assert "script" not in reader.tags
    assert html.count("<h3>") == 2, "a message runs into the next"
    assert html.rstrip().endswith("<p>LAST</p>")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("kind", ["html", "markdown"])
def test_results_of_tools_and_names_are_shown_as_well(kind: str, text: str) -> None:
    talk = [
        entry("assistant", None, tool_calls=[CALL]),
        entry("tool", text, tool_call_id="c1"),
        entry("assistant", "LAST"),
    ]
    about = About("conversation_03", text, text, zone=UTC)
    made = export_text(talk, about, kind, ALL)
    shown = _Reader(made).text if kind == "html" else rendered(made)
    assert seen(shown).count(seen(text)) >= 3
    assert seen(shown).endswith("LAST")


@pytest.mark.parametrize("text", HOSTILE)
def test_json_reads_back_as_it_was(text: str) -> None:
    talk = [*TALK, entry("user", text), entry("tool", text, inner=[{**INNER, "result": text}])]
    assert read_json(export_text(talk, ABOUT, "json", ALL)) == talk


def test_json_can_be_played_again(tmp_path: Path) -> None:
    value = json.loads(export_text(TALK, ABOUT, "json", ALL))
    assert set(value) == {"id", "title", "character", "updated", "messages"}
    assert json.loads(export_text([], ABOUT, "json"))["messages"] == []


async def test_an_exported_file_is_a_conversation(tmp_path: Path) -> None:
    package, data = tmp_path / "package", tmp_path / "data"
    package.mkdir()
    data.mkdir()
    (package / "config.json").write_text('{"name": "Ada"}', encoding="utf-8")
    (data / "conversation_03.json").write_text(
        export_text(TALK, ABOUT, "json", ALL), encoding="utf-8"
    )
    async with CharacterPlayer(package, data_dir=data) as player:
        assert [one["title"] for one in await player.list_conversations()] == ["Storm night"]
        contents = [one["content"] for one in await player.conversation_entries("conversation_03")]
    assert contents == [one["content"] for one in TALK]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("logs", "a log line"),
        ("tools", "You rolled 4."),
        ("alternatives", "I was put aside."),
    ],
)
def test_logs_tools_and_what_was_put_aside_come_only_when_asked_for(
    kind: str, name: str, words: str
) -> None:
    assert words not in export_text(TALK, ABOUT, kind)
    assert words in export_text(TALK, ABOUT, kind, Chosen(**{name: True}))
    assert "Hello there." in export_text(TALK, ABOUT, kind)


@pytest.mark.clause("STU-03")
@pytest.mark.parametrize("kind", KINDS)
def test_inner_calls_of_private_agents_never_come_unless_asked_for(kind: str) -> None:
    for chosen in (Chosen(), Chosen(logs=True, tools=True, alternatives=True)):
        assert "peek" not in export_text(TALK, ABOUT, kind, chosen)
    assert "peek" in export_text(TALK, ABOUT, kind, ALL)


@pytest.mark.parametrize("kind", ["markdown", "html"])
def test_a_call_stands_with_what_was_given_and_what_came(kind: str) -> None:
    made = export_text(TALK, ABOUT, kind, ALL)
    shown = _Reader(made).text if kind == "html" else rendered(made)
    order = ["roll", '"sides": 6', "You rolled 4.", "peek", '"at": 1', "seen", "Four it is."]
    places = [shown.index(word) for word in order]
    assert places == sorted(places)
    assert "stopped" in shown


@pytest.mark.parametrize("kind", ["markdown", "html"])
def test_a_call_without_a_result_is_told(kind: str) -> None:
    made = export_text(TALK[:3], ABOUT, kind, ALL)
    assert "no result" in made
    assert "roll" in made


def test_names_times_and_the_title_are_told() -> None:
    markdown = export_text(TALK, ABOUT, "markdown")
    assert markdown.startswith("# Storm night\n\nAda · conversation\\_03 · 2026-11-14 21:43\n")
    assert "### **You** · 2026-11-14 21:41\n\nHello there.\n" in markdown


def test_html_is_one_file_that_asks_for_nothing() -> None:
    html = export_text(TALK, ABOUT, "html", ALL)
    assert "prefers-color-scheme: dark" in html
    assert "default-src 'none'" in html
    for word in ("http:", "https:", "url(", "@import", "<script", "<link", "src=", "javascript:"):
        assert word not in html


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "line",
    ["x" * 1_000_000, "*a" * 500_000, "` " * 500_000, "<" * 1_000_000, "``` `" * 200_000],
    ids=["letters", "stars", "ticks", "angles", "fences"],
)
def test_a_line_of_a_million_letters_is_written_whole_and_soon(kind: str, line: str) -> None:
    begun = time.perf_counter()
    made = export_text([entry("user", line)], ABOUT, kind)
    assert time.perf_counter() - begun < 5
    assert len(made) >= len(line)


def test_a_long_conversation_comes_in_pieces() -> None:
    talk = [entry("user", f"Message {number}") for number in range(10_000)]
    for kind in KINDS:
        assert 10_000 <= sum(1 for _ in export_pieces(talk, ABOUT, kind)) <= 10_005


def test_odd_entries_are_shown_and_break_nothing() -> None:
    odd: list[JsonObject] = [
        entry("user", [{"type": "text", "text": "in parts"}]),
        entry("assistant", "x", tool_calls="no list", time=7),
        entry("assistant", None, tool_calls=[{"id": 3}, "x"]),
        entry("tool", "orphan", inner="x"),
        {"role": "narrator"},
    ]
    for kind in ("markdown", "html"):
        made = export_text(odd, ABOUT, kind, ALL)
        assert "in parts" in made
        assert "orphan" in made
    assert read_json(export_text(odd, ABOUT, "json", ALL)) == odd


def test_what_is_no_export_is_refused() -> None:
    with pytest.raises(StudioError, match="no format 'pdf'"):
        list(export_pieces([], ABOUT, "pdf"))
    for text in ("{", '{"a": 1}', "3"):
        with pytest.raises(StudioError):
            read_json(text)
    assert read_json('[{"role": "user"}, 3]') == [{"role": "user"}]
