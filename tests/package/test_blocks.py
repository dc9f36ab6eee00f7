from __future__ import annotations

import ast
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.package.blocks import find_block
from studio_qt.package.docstring import module_docstring
from studio_qt.package.model import Language
from studio_qt.package.scanning import is_es_module, js_pieces

pytestmark = pytest.mark.clause("MAN-01")

YES = "/** YES */"


def block(text: str, language: Language) -> tuple[str, int] | None:
    found = find_block(text, language)
    if found is None:
        return None
    return "\n".join(line for _, line in found.lines).strip(), found.lines[0][0]


@pytest.mark.parametrize(
    "before",
    [
        "#!/usr/bin/env node\n",
        "// it's /** no */\n",
        "/* /** no */\n",
        "/**/\n",
        "/***/\n",
        "/*** banner /** ***/\n",
        "'use strict';\n",
        "\"/** no */\"; '/** no */';\n",
        "'it\\'s /** no */';\n",
        '"line \\\n /** no */";\n',
        "`/** no */ ${ `/** no */` + '}' + {a: {}} } /** no */`;\n",
        "const r = /[/**]/;\n",
        "const r = /'\"`/g, s = a / 2;\n",
        "f(/\\/**no*\\//);\n",
        "return /[']/.test(x);\n",
        "let a = b / c; let d = e / f; // '\n",
        "import x from 'y'; function f() { return 1 }\n",
        'a = (1) / 2; b = c[0] / 2; // "\n',
    ],
)
@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_the_first_doc_comment_outside_strings_and_other_comments_counts(
    before: str, language: Language
) -> None:
    expected = ("YES", before.count("\n") + 1)
    assert block(f"{before}{YES}\n/** no */", language) == expected


def test_code_around_and_before_the_comment_does_not_matter() -> None:
    assert block("foo(1, /** YES */ 2)", "javascript") == ("YES", 1)
    assert block("interface A<T> { x: T }\n/** YES */", "typescript") == ("YES", 2)


@pytest.mark.parametrize(
    "text", ["", "/**", "/** x", "`/** x */", "`${ /** x", "// /** x */", "/* x */", "'/** x */"]
)
def test_what_is_never_closed_is_no_block(text: str) -> None:
    assert block(text, "javascript") is None


@pytest.mark.parametrize(
    "before",
    [
        "#!/usr/bin/lua\n",
        "-- --[[ no ]]\n",
        "--[==[ --[[ no ]] ]==]\n",
        "--[=[ ]] ]=]\n",
        "local s = '--[[ no ]]'\n",
        'local s = "\\"--[[ no ]]"\n',
        "local s = [[ --[[ no ]]\n",
        "local s = [=[ --[[ no ]] ]=]\n",
        "t[x[1]] = 2\n",
        "---[[ no\n",
    ],
)
def test_the_first_plain_long_comment_of_lua_counts(before: str) -> None:
    assert block(f"{before}--[[ YES ]] --[[ no ]]", "lua") == ("YES", before.count("\n") + 1)


@pytest.mark.parametrize(
    "text", ["", "--[[ x", "--[==[ x ]==]", "-- x", "--[ [ x ]]", "'--[[ x ]]'"]
)
def test_lua_without_a_plain_long_comment_has_no_block(text: str) -> None:
    assert block(text, "lua") is None


@pytest.mark.parametrize(
    ("text", "content", "line"),
    [
        ('"""YES"""', "YES", 1),
        ("'''YES'''\nx = 1", "YES", 1),
        ('"YES"', "YES", 1),
        ("'YES'; x = 1", "YES", 1),
        ('#!/usr/bin/python\n# -*- coding: utf-8 -*-\n\n"""YES"""', "YES", 4),
        ('\f\n \\\n"""YES"""', "YES", 3),
        ('R"""YE\\S"""', "YE\\S", 1),
        ('u"YES"  # why', "YES", 1),
        ("'Y' \"E\" '''S'''", "YES", 1),
        ("('Y'\n # more\n 'ES')", "YES", 1),
        ("'Y' \\\n 'ES'", "YES", 1),
        ('"""Y\\\nES"""', "YES", 1),
        (r'"\x59\105\u0053"', "YES", 1),
        (r'"\N{LATIN CAPITAL LETTER Y}ES"', "YES", 1),
        (r"'Y\'E\"S'", "Y'E\"S", 1),
        ('"""Y"E""S"""', 'Y"E""S', 1),
        ('"""\r\nYES\r\n"""', "YES", 1),
        (r'"\d\q"', r"\d\q", 1),
    ],
)
def test_the_docstring_is_what_python_takes_for_it(text: str, content: str, line: int) -> None:
    assert block(text, "python") == (content, line)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1",
        "import os\n'no'",
        "f'no'",
        "b'no'",
        "rb'no'",
        "'no' % 1",
        "'no'.format()",
        "'no' + 'no'",
        "'no', 'no'",
        "('no'",
        "('no',)",
        "'no",
        '"""no',
        "'no\n'",
        "'''no' ''",
        "# 'no'",
    ],
)
def test_what_python_takes_for_no_docstring_is_none(text: str) -> None:
    assert block(text, "python") is None


@given(st.text(alphabet="'\"\\ \nru(#)ab;+0x", max_size=24))
def test_docstrings_agree_with_python_itself(text: str) -> None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    found = module_docstring(text)
    mine = None if found is None else "\n".join(line for _, line in found.cooked)
    assert mine == ast.get_docstring(tree, clean=False)


def test_lines_of_a_docstring_are_those_of_the_file() -> None:
    found = module_docstring('# x\n"""a\n\\\nb\\nc\n"""\n"""no"""')
    assert found is not None
    assert found.cooked == ((2, "a"), (3, "b"), (4, "c"), (5, ""))
    assert found.raw[:2] == ((2, "a"), (3, "\\"))


@given(st.text(alphabet="/*`'\"\\{}$[]()\n =ab1;", max_size=60))
def test_pieces_of_javascript_never_overlap_and_move_on(text: str) -> None:
    end = 0
    for piece in js_pieces(text):
        assert end <= piece.start < piece.end <= len(text)
        end = piece.end


HOSTILE = [
    "=/[",
    "/*",
    "`${",
    "'\\\n",
    '"',
    "/ ",
    "a/b[",
    "/**",
    "{",
    "}",
    "--[=[",
    "[[",
    "--[",
    "'\\",
    "(",
    "\\\n",
    '"" ',
    "[" + "=" * 50,
    "/=a\n",
]


@pytest.mark.parametrize("part", HOSTILE)
def test_no_text_takes_longer_than_its_length_warrants(part: str) -> None:
    text = part * (40_000 // len(part))
    languages: list[Language] = ["javascript", "python", "lua"]
    for language in languages:
        started = time.process_time()
        find_block(text + "/** x", language)
        is_es_module(text)
        assert time.process_time() - started < 1.5
