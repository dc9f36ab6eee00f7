"""What the writer writes, every YAML parser reads alike, and the body stays (SUB-01)."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from studio_qt.package.subagents import (
    DEFAULT_PARAMS,
    read_prompt,
    rewrite_prompt,
    write_frontmatter,
)
from studio_qt.package.subagents.effective import effective_meta
from studio_qt.package.subagents.writing import unknown_value

pytestmark = pytest.mark.clause("SUB-01")


def strictly(head: str) -> Any:
    """What a strict parser makes of a frontmatter."""
    assert head.startswith("---\n") and head.endswith("\n---\n")
    return yaml.safe_load(head[4:-5])


def test_only_what_differs_from_the_defaults_is_written_in_the_documents_order() -> None:
    fields = {
        "maxTokens": 400,
        "history": "recent:10",
        "description": "Finds a name.",
        "contextFiles": [".names.json", "@x: y.txt"],
        "model": "worker",
        "params": DEFAULT_PARAMS,
        "debug": False,
        "temperature": None,
        "maxRounds": 5,
    }
    assert write_frontmatter(fields) == (
        "---\ndescription: Finds a name.\nhistory: recent:10\ncontextFiles:\n  - .names.json\n"
        '  - "@x: y.txt"\nmaxTokens: 400\n---\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        "Finds: a name",
        "%x",
        "@x",
        "*x*",
        "`x`",
        "no",
        "null",
        "~",
        "08",
        "12:30",
        "1e3",
        "2024-01-01",
        "=",
        "<<",
        "a # b",
        "a #1",
        "ends:",
        " blank ",
        "",
        "a\nb",
        "a\n\n b\n",
        "# a\nb",
        "\ta\n\tb",
        "a \nb",
        "a\r\nb",
        "a\u2028b",
        "a\x07b",
        "---",
        "---\nx",
        "[a]",
        "{a}",
        "a\\b\"c'd",
        "größe 🎲",
        "\u00a0a",
        "x" * 3000,
        "...",
        "y",
        "? a",
        "- a",
        ".5",
        ".inf",
    ],
)
def test_a_text_is_read_alike_by_a_strict_parser_and_by_us(text: str) -> None:
    head = write_frontmatter({"note": text, "description": text, "debug": True})
    assert strictly(head) == {"note": text, "description": text, "debug": True}
    prompt = read_prompt(head + "Body")
    assert (unknown_value(prompt.fields["note"]), prompt.body) == (text, "Body")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=40),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=20), inner, max_size=4)
    ),
    max_leaves=12,
)
NAMES = st.sampled_from(["note", "author", "x-1", "a.b", "no", "true", "null", "Größe", "y"])


@settings(max_examples=200)
@given(st.dictionaries(NAMES, JSON, max_size=4), st.text(st.characters(codec="utf-8")))
def test_whatever_is_written_is_read_alike(fields: dict[str, Any], body: str) -> None:
    head = write_frontmatter(fields)
    assert (strictly(head) or {}) == fields
    prompt = read_prompt(head + body)
    assert {name: unknown_value(field) for name, field in prompt.fields.items()} == fields
    assert (prompt.head, prompt.body) == (head, body)


@given(
    description=st.text(st.characters(codec="utf-8"), min_size=1).map(str.strip).filter(bool),
    history=st.sampled_from(["none", "full", "recent:3"]),
    files=st.lists(st.sampled_from(["a.txt", ".no", "no", "08", "@x", "a, b", "sub/c #1"])),
    tokens=st.integers(1, 8192),
    temperature=st.floats(0, 2),
    debug=st.booleans(),
)
def test_every_field_comes_back_as_it_was_written(**given_fields: Any) -> None:
    names = {"files": "contextFiles", "tokens": "maxTokens"}
    fields = {names.get(name, name): value for name, value in given_fields.items()}
    text = write_frontmatter(fields) + "Body"
    meta, problems = effective_meta("m", read_prompt(text), "m.subagent.md")
    assert problems == () and meta is not None
    assert {name: meta.as_json()[name] for name in fields} == fields


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_rewriting_keeps_the_body_and_what_others_keep_in_the_file(
    line_break: str, mark: str
) -> None:
    old = "---\ndescription: a\nauthor: Wren: the first\ntags: [a, 08]\n# note\n---\n\n---\n B \n"
    text = mark + old.replace("\n", line_break)
    new = rewrite_prompt(text, {"description": "b: c", "maxTokens": 5})
    expected = (
        '---\ndescription: "b: c"\nmaxTokens: 5\nauthor: "Wren: the first"\n'
        'tags: ["a", "08"]\n---\n\n---\n B \n'
    )
    assert new == mark + expected.replace("\n", line_break)


@given(st.text(st.characters(codec="utf-8")))
def test_a_body_is_kept_to_the_letter_whatever_the_file(text: str) -> None:
    before = read_prompt(text)
    body = before.body.removeprefix("\ufeff") if not before.head else before.body
    assert read_prompt(rewrite_prompt(text, {"description": "x"})).body == body


def test_writing_is_stable() -> None:
    fields = {"description": "a\nb", "params": {"type": "object", "x": 1e20}, "own": {"a": [1]}}
    once = rewrite_prompt("Body", fields)
    assert rewrite_prompt(once, fields) == once


@pytest.mark.parametrize("name", ["", "a b", "a:b", "1a", "a\nb"])
def test_a_name_that_no_field_can_have_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name"):
        write_frontmatter({name: 1})


def test_a_value_that_is_no_json_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON"):
        write_frontmatter({"own": float("nan")})


def test_a_very_long_name_in_a_schema_is_written_so_that_yaml_finds_its_colon() -> None:
    params: dict[str, Any] = {"type": "object", "properties": {"x" * 2000: {"type": "string"}}}
    head = write_frontmatter({"description": "x", "params": params})
    assert strictly(head)["params"] == params
    meta, _ = effective_meta("m", read_prompt(head), "m.subagent.md")
    assert meta is not None and meta.params == params
