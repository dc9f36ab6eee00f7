"""What each language colours, and that a line needs nothing but the state before it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from studio_qt.ui.highlight.grammar import LONGEST, Grammar, lex
from studio_qt.ui.highlight.kinds import LOOKS
from studio_qt.ui.highlight.languages import is_prose
from studio_qt.ui.theme.tokens import load_tokens
from tests.ui.highlight.samples import SAMPLES


def coloured(grammar: Grammar, text: str) -> list[tuple[str, str]]:
    """Return text and kind of all spans."""
    lines = text.split("\n")
    found = zip(lines, lex(grammar, lines), strict=True)
    return [
        (line.encode("utf-16-le")[2 * start : 2 * (start + length)].decode("utf-16-le"), kind)
        for line, spans in found
        for start, length, kind in spans
    ]


def kinds(grammar: Grammar, text: str) -> dict[str, str]:
    return dict(coloured(grammar, text))


@pytest.mark.parametrize("language", SAMPLES)
def test_spans_are_in_order_apart_and_of_known_kinds(
    grammars: Mapping[str, Grammar], language: str
) -> None:
    lines = SAMPLES[language].split("\n")
    for line, spans in zip(lines, lex(grammars[language], lines), strict=True):
        place = 0
        for start, length, kind in spans:
            assert place <= start
            assert length > 0
            assert kind in LOOKS
            place = start + length
        assert place <= len(line.encode("utf-16-le")) // 2


def test_every_kind_is_drawn_in_a_token_of_both_themes() -> None:
    for tokens in (load_tokens("dark"), load_tokens("light")):
        for look in LOOKS.values():
            assert look.token is None or tokens[look.token]
            assert look.plate is None or tokens[look.plate]


def test_javascript_tells_division_from_an_expression(grammars: Mapping[str, Grammar]) -> None:
    found = coloured(grammars["javascript"], "a = b / c / d;\ne = /[/]x/g.test(s);")
    assert [text for text, kind in found if kind == "string.escape"] == ["/[/]x/g"]


def test_javascript_words_are_names_where_they_mean_nothing(
    grammars: Mapping[str, Grammar],
) -> None:
    text = 'import a from "a"; for (const one of from) x.delete(of); y = {default: as, get: from}'
    found = [one for one, kind in coloured(grammars["javascript"], text) if kind == "keyword"]
    assert found == ["import", "from", "for", "const", "of"]


def test_a_template_holds_code_that_holds_a_template(grammars: Mapping[str, Grammar]) -> None:
    found = coloured(grammars["javascript"], "x = `a ${f({b: `c ${1}`})} d\ne` + g")
    assert ("f", "name") in found
    assert ("b", "key") in found
    assert ("1", "number") in found
    assert [text for text, kind in found if kind == "string"] == ["`a ", "`c ", "`", " d", "e`"]


def test_a_comment_without_end_reaches_to_the_end(grammars: Mapping[str, Grammar]) -> None:
    for language, opening in (("javascript", "/*"), ("lua", "--[["), ("markdown", "<!--")):
        found = coloured(grammars[language], f"{opening} a\nb\n\nc")
        assert {kind for _, kind in found} == {"comment"}, language
        assert [text for text, _ in found][1:] == ["b", "c"]


def test_a_string_that_is_not_closed_ends_with_its_line(grammars: Mapping[str, Grammar]) -> None:
    for language in ("javascript", "typescript", "python", "lua", "json"):
        found = coloured(grammars[language], 'x = "open\n12')
        assert found[-1] == ("12", "number"), language


def test_manifest_tags_stand_out_in_comments(grammars: Mapping[str, Grammar]) -> None:
    for language, text in (
        ("javascript", "/**\n * @agent a.b\n */"),
        ("lua", "--[[\n@agent a.b\n]]"),
        ("python", '"""\n@agent a.b\n"""'),
    ):
        assert kinds(grammars[language], text)["@agent"].endswith(".tag"), language


def test_lua_closes_long_brackets_of_the_same_length_alone(
    grammars: Mapping[str, Grammar],
) -> None:
    found = coloured(grammars["lua"], "x = [==[ a ]] b ]=]\nc ]==] nil")
    assert found[:3] == [("[==[ a ]] b ]=]", "string"), ("c ]==]", "string"), ("nil", "keyword")]


def test_lua_compares_without_taking_it_for_an_attribute(grammars: Mapping[str, Grammar]) -> None:
    assert ("and", "keyword") in coloured(grammars["lua"], "if a < b and c > d then end")


def test_json_tells_keys_from_strings(grammars: Mapping[str, Grammar]) -> None:
    found = coloured(grammars["json"], '{"a b": "c\\n", "d": [1, true]}')
    assert found == [
        ('"a b"', "key"),
        ('"c', "string"),
        ("\\n", "string.escape"),
        ('"', "string"),
        ('"d"', "key"),
        ("1", "number"),
        ("true", "keyword"),
    ]


def test_yaml_keeps_a_block_until_it_is_indented_less(grammars: Mapping[str, Grammar]) -> None:
    found = coloured(grammars["yaml"], "a: >\n  x: 1 # y\n\n  z\nb: 12\nc: 12 apples\nd: true")
    assert found == [
        ("a", "key"),
        ("x: 1 # y", "string"),
        ("z", "string"),
        ("b", "key"),
        ("12", "number"),
        ("c", "key"),
        ("12 apples", "string"),
        ("d", "key"),
        ("true", "keyword"),
    ]


@pytest.mark.parametrize("language", ["yaml", "python"])
def test_lines_alone_are_coloured_as_pygments_colours_the_whole(
    grammars: Mapping[str, Grammar], language: str
) -> None:
    """For the languages with tables of Pygments, whose docstrings end at an escaped quote."""
    from pygments.lexers.data import YamlLexer
    from pygments.lexers.python import PythonLexer

    text = SAMPLES[language].replace('\\"""', "")
    lexer = {"yaml": YamlLexer, "python": PythonLexer}[language]()
    grammar = grammars[language]
    whole = [
        grammar._kind(token)
        for _, token, value in lexer.get_tokens_unprocessed(text)
        for character in value
        if character != "\n"
    ]
    ours: list[str] = []
    lines = text.split("\n")
    for line, spans in zip(lines, lex(grammar, lines), strict=True):
        kinds = [""] * len(line)
        for start, length, kind in spans:
            kinds[start : start + length] = [kind] * length
        ours += kinds
    same = {"plain": "string", "string.tag": "string"}
    told = [
        (mine, theirs)
        for mine, theirs in zip(ours, whole, strict=True)
        if same.get(mine, mine) != same.get(theirs, theirs)
    ]
    assert {mine for mine, _ in told} <= ({"number", "keyword"} if language == "yaml" else {"name"})


@pytest.mark.clause("SUB-01")
def test_a_sub_agent_is_yaml_between_its_fences_and_markdown_below(
    grammars: Mapping[str, Grammar],
) -> None:
    text = "\n---\nid: 5\n---\n# Hi\n---\nid: 5"
    assert coloured(grammars["subagent"], text) == [
        ("---", "mark"),
        ("id", "key"),
        ("5", "number"),
        ("---", "mark"),
        ("# Hi", "heading"),
        ("---", "mark"),
    ]


def test_a_prompt_without_frontmatter_is_markdown(grammars: Mapping[str, Grammar]) -> None:
    assert coloured(grammars["subagent"], "# Hi\n---\nid: 5")[0] == ("# Hi", "heading")


@pytest.mark.parametrize("language", ["subagent", "markdown", "text"])
def test_macros_stand_out_in_prose_wherever_they_are(
    grammars: Mapping[str, Grammar], language: str
) -> None:
    text = "a %%CONTEXT%% *b %%STORE:x y%% c* `%%HISTORY%%`\n```js\n'%%HISTORY%%'\n```\n%%no%%"
    found = coloured(grammars[language], text)
    macros = [one for one, kind in found if kind == "macro"]
    assert macros == ["%%CONTEXT%%", "%%STORE:x y%%", "%%HISTORY%%", "%%HISTORY%%"]


@pytest.mark.parametrize("language", ["yaml", "json", "javascript", "lua", "python"])
def test_macros_mean_nothing_in_code(grammars: Mapping[str, Grammar], language: str) -> None:
    assert "macro" not in dict(coloured(grammars[language], "%%CONTEXT%%")).values()


def test_markdown_marks_what_it_means_and_nothing_else(grammars: Mapping[str, Grammar]) -> None:
    text = "*a b* **c d** ***e*** `f` ~~g~~ _h_ snake_case_name 2 * 3 * 4 \\*no\\* [i](j)"
    assert coloured(grammars["markdown"], text) == [
        ("*a b*", "emphasis"),
        ("**c d**", "strong"),
        ("***e***", "strong.emphasis"),
        ("`f`", "code"),
        ("~~g~~", "struck"),
        ("_h_", "emphasis"),
        ("[", "mark"),
        ("i", "link"),
        ("](", "mark"),
        ("j", "link.address"),
        (")", "mark"),
    ]


def test_a_fenced_block_has_the_colours_of_its_language(grammars: Mapping[str, Grammar]) -> None:
    text = "```js\nlet a = /* b\nc */ 1;\n```\nlet"
    found = coloured(grammars["markdown"], text)
    assert ("let", "keyword") in found
    assert ("c */", "comment") in found
    assert found[-1] == ("```", "code")


def test_a_longer_fence_holds_a_shorter_one(grammars: Mapping[str, Grammar]) -> None:
    found = coloured(grammars["markdown"], "````\n```\n# a\n```\n````\n# b")
    assert found[2] == ("# a", "code")
    assert found[-1] == ("# b", "heading")


def test_places_are_counted_as_qt_counts_them(grammars: Mapping[str, Grammar]) -> None:
    (spans,) = lex(grammars["markdown"], ["🌊 *🌊* a"])
    assert spans == ((3, 4, "emphasis"),)


@pytest.mark.parametrize("language", SAMPLES)
def test_a_very_long_line_stays_plain(grammars: Mapping[str, Grammar], language: str) -> None:
    line = "[1, " * LONGEST
    first, second = lex(grammars[language], [line, "%%CONTEXT%%"])
    assert first == ()
    assert (list(second) == [(0, 11, "macro")]) == is_prose(language)


@pytest.mark.parametrize(("language", "piece"), [("yaml", "&a"), ("python", "`"), ("lua", "(")])
def test_a_line_of_very_many_tokens_is_coloured_in_part(
    grammars: Mapping[str, Grammar], language: str, piece: str
) -> None:
    """What is coloured depends on the line alone, never on the time that it took."""
    line = f"1 {piece * 4000} 1"
    spans, second = lex(grammars[language], [line, "1"])
    assert spans == next(lex(grammars[language], [line]))
    assert not any(start > 7000 for start, _, _ in spans)
    assert second[-1][:2] == (0, 1)


def test_what_only_opens_stays_cheap(grammars: Mapping[str, Grammar]) -> None:
    """A state cannot grow with the text."""
    grammar = grammars["javascript"]
    state = grammar.start
    for _ in range(1000):
        _, state = grammar.line("`${ {", state)
    assert isinstance(state[0], tuple)
    assert len(state[0]) <= 100


def test_typescript_and_lua_tell_keys_names_and_words(grammars: Mapping[str, Grammar]) -> None:
    found = coloured(grammars["typescript"], "type A = {b?: string; readonly c: D; e?(f: g): void}")
    assert {("A", "name"), ("b", "key"), ("c", "key")} <= set(found)
    assert {("e", "name"), ("f", "key"), ("string", "keyword"), ("void", "keyword")} <= set(found)
    found = coloured(grammars["lua"], "t = {a = 1, b = f 'x', [c] = 2} local x <const> = 3")
    assert {("a", "key"), ("b", "key"), ("f", "name"), ("const", "keyword")} <= set(found)
    assert ("x", "key") not in found
