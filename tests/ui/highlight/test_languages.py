"""Which language a path has, and what comes with it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from studio_qt.ui.highlight.languages import (
    FENCED,
    LANGUAGES,
    comment_marks,
    is_prose,
    language_of,
)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("config.json", "json"),
        ("agents/marcus.subagent.md", "subagent"),
        ("agents/Marcus.SubAgent.MD", "subagent"),
        ("README.md", "markdown"),
        ("agents/keeper.maps.ts", "typescript"),
        ("agents/lib/x.mjs", "javascript"),
        ("agents/keeper.omens.py", "python"),
        ("agents\\keeper.boats.lua", "lua"),
        ("a.b/context.yml", "yaml"),
        (".tides.json", "json"),
        ("context/graypoint.txt", "text"),
        ("a.lua/notes", "text"),
        ("LICENSE", "text"),
        ("", "text"),
    ],
)
def test_the_ending_of_a_path_says_its_language(path: str, language: str) -> None:
    assert language_of(path) == language


def test_comments_have_the_marks_of_their_language() -> None:
    assert comment_marks("lua") == ("--", ("--[[", "]]"))
    assert comment_marks("python") == ("#", None)
    assert comment_marks("markdown") == (None, ("<!--", "-->"))
    assert comment_marks("json") == (None, None)
    assert comment_marks("no such language") == (None, None)


def test_prose_is_what_is_mostly_sentences() -> None:
    assert [name for name in LANGUAGES if is_prose(name)] == ["markdown", "subagent", "text"]


def test_fenced_blocks_name_languages_that_there_are() -> None:
    assert set(FENCED.values()) <= set(LANGUAGES)


def test_pygments_is_not_imported_with_the_highlighter() -> None:
    code = "import sys, studio_qt.ui.highlight; assert 'pygments' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
