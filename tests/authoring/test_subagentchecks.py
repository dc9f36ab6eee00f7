"""What a form finds wrong, and what it offers to mend it (STU-06)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from studio_qt.authoring.subagentchecks import FormProblem, check_form
from studio_qt.authoring.subagentfacts import SubAgentFacts, read_facts
from studio_qt.authoring.subagentform import SubAgentForm, new_form, read_form
from studio_qt.authoring.subagentpreview import preview_of
from studio_qt.errors import Problem
from tests.authoring.forms import PATH, FakeSource, source_of

pytestmark = pytest.mark.clause("STU-06")

ROLLER = """/**
 * @agent test.roller
 * @tool roll
 * @tool-description Rolls dice.
 */
"""
GOOD = SubAgentForm("poet", "Writes verses. Call it when a song is wanted.", "Rhyme.")


@pytest.fixture
def source() -> FakeSource:
    return source_of(
        "---\ndescription: Speaks as Marcus.\n---\nBe.",
        "test.roller",
        "marcus.subagent.md",
        "test.gone",
        **{
            "agents/test.roller.js": ROLLER,
            "agents/test.spare.js": ROLLER.replace("roller", "spare"),
            "context/.tides.txt": "tide " * 400,
            "context/town.txt": "town",
        },
    ).put({"instructions.txt": "Be Ada."})


@pytest.fixture
def facts(source: FakeSource) -> SubAgentFacts:
    return read_facts(source)


def found(facts: SubAgentFacts, **changes: object) -> list[FormProblem]:
    return check_form(replace(GOOD, **changes), facts, new_form())


def only(facts: SubAgentFacts, **changes: object) -> FormProblem:
    problems = found(facts, **changes)
    assert len(problems) == 1, problems
    return problems[0]


def test_a_good_form_has_no_problem(facts: SubAgentFacts) -> None:
    assert found(facts) == []


def test_the_facts_tell_what_can_be_chosen(source: FakeSource, facts: SubAgentFacts) -> None:
    assert [one.id for one in facts.shared] == ["test.roller", "marcus", "test.gone"]
    assert facts.shared[0].tools == ("roll",)
    assert facts.shared[1].is_sub_agent
    assert "test.gone" in facts.shared[2].fault
    assert "studio.memory-store" in [one.id for one in facts.private]
    assert "test.spare" in [one.id for one in facts.private]
    assert "studio.sub-agent" not in [one.id for one in facts.private]
    assert [(one.name, one.tokens) for one in facts.context] == [
        (".tides.txt", 500),
        ("town.txt", 1),
    ]
    assert [one.id for one in read_facts(source, "marcus").shared] == ["test.roller", "test.gone"]


def test_what_only_a_running_character_shows_is_a_reason_too(source: FakeSource) -> None:
    broken = Problem("error", "agents/test.roller.js", 3, "does not compile.")
    facts = read_facts(source, problems=[broken])
    assert facts.shared[0].fault == "agents/test.roller.js does not compile."
    assert only(facts, shared=("test.roller",)).mend.form.shared == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "Give it a name"),
        ("studio.poet", "kept for built-in"),
        ("a/b", "cannot be in a file name"),
        ("two words", "letters, digits"),
        ("Marcus", "already"),
        ("test.roller", "has an agent"),
        ("test.gone", "has an agent"),
        ("con", "Windows"),
        ("a..b", "'..'"),
        ("x" * 130, "too long"),
        ("my.roll", "test.roller's"),
        ("a." + "x" * 70, "at most 64"),
    ],
)
def test_a_name_that_cannot_be_is_told(facts: SubAgentFacts, name: str, words: str) -> None:
    problem = only(facts, name=name)
    assert (problem.field, problem.severity) == ("name", "error")
    assert words in problem.sentence


def test_a_name_with_blanks_is_mended(facts: SubAgentFacts) -> None:
    problem = only(facts, name="find unused name")
    assert problem.mend.words == "Use find-unused-name"
    assert problem.mend.form.name == "find-unused-name"


def test_a_name_is_not_looked_at_while_it_is_locked(source: FakeSource) -> None:
    opened = read_form(source, PATH)
    facts = read_facts(source, opened.agent_id)
    problems = check_form(opened.form, facts, opened)
    assert [one.field for one in problems] == ["description"]
    assert "short" in problems[0].sentence


@pytest.mark.parametrize(
    ("changes", "severity", "words", "mended"),
    [
        ({"description": "  "}, "error", "decides by this alone", None),
        ({"description": "Rhymes."}, "warning", "short", None),
        ({"description": "x" * 25_000}, "error", "24,000", None),
        ({"max_tokens": 9000}, "error", "9,000 is over 8,192", {"max_tokens": 8192}),
        ({"max_tokens": 0}, "error", "0 is under 1", {"max_tokens": 1}),
        ({"temperature": 2.5}, "error", "0 to 2", {"temperature": None}),
        ({"top_p": -0.1}, "error", "0 to 1", {"top_p": None}),
        ({"history": "recent:0"}, "error", "one message", {"history": "recent:10"}),
        ({"context_files": (".gone.txt",)}, "warning", "no .gone.txt", {"context_files": ()}),
        ({"context_files": ("../x",)}, "error", "../x", {"context_files": ()}),
        ({"shared": ("nobody",)}, "error", "no agent “nobody”", {"shared": ()}),
        ({"shared": ("marcus",)}, "error", "is a sub-agent", {"shared": ()}),
        ({"shared": ("test.gone",)}, "error", "does not load", {"shared": ()}),
        ({"private": ("nobody",)}, "error", "no agent “nobody”", {"private": ()}),
        ({"private": ("marcus.subagent.md",)}, "error", "A sub-agent", {"private": ()}),
        ({"private": (7,)}, "error", "no name, nor an object", {"private": ()}),
        (
            {"private": ("studio.dice-roller",) * 2},
            "error",
            "given twice",
            {"private": ("studio.dice-roller",)},
        ),
        (
            {"shared": ("test.roller",), "max_rounds": 11},
            "error",
            "1 to 10",
            {"shared": ("test.roller",), "max_rounds": 10},
        ),
        ({"max_rounds": 11}, None, "", None),
        ({"body": " "}, "warning", "without a prompt", None),
        ({"body": "%%CONTEXT%%"}, "warning", "no context file", None),
        (
            {"body": "%%HISTORY%%"},
            "warning",
            "sees nothing",
            {"body": "%%HISTORY%%", "history": "recent:10"},
        ),
        ({"body": "%%STOER:a%%"}, "warning", "is no macro", None),
        ({"body": "%%STORE:x%%"}, "warning", "nothing is granted", None),
        (
            {"body": "%%STORE:diary%%", "private": ("studio.memory-store",)},
            "warning",
            "Granted: memory-store",
            None,
        ),
    ],
)
def test_each_field_has_its_sentence_and_its_mend(
    facts: SubAgentFacts,
    changes: dict[str, object],
    severity: str | None,
    words: str,
    mended: dict[str, object] | None,
) -> None:
    if severity is None:
        assert found(facts, **changes) == []
        return
    problem = only(facts, **changes)
    assert problem.severity == severity
    assert words in problem.sentence
    assert problem.sentence.endswith((".", "!"))
    assert (problem.mend and problem.mend.form) == (mended and replace(GOOD, **mended))


@pytest.mark.clause("SUB-05")
@pytest.mark.parametrize(
    "reference", ["studio.memory-store", "memory-store", "swords", "studio.context-access"]
)
def test_a_store_is_meant_by_its_id_the_end_of_it_or_its_code(
    facts: SubAgentFacts, reference: str
) -> None:
    composed = {"id": "swords", "implementation": "studio.context-access"}
    private = ("studio.memory-store", composed)
    assert found(facts, body=f"%%STORE:{reference}%%", private=private) == []


@pytest.mark.clause("SUB-11")
def test_files_over_the_threshold_are_told(source: FakeSource) -> None:
    facts = read_facts(source, threshold=400)
    assert "large from 400" in only(facts, context_files=(".tides.txt",)).sentence


def test_a_value_that_could_not_be_read_is_told_until_the_field_is_changed(
    source: FakeSource,
) -> None:
    source.put({PATH: f"---\ndescription: {GOOD.description}\nmaxTokens: lots\n---\nBe."})
    opened = read_form(source, PATH)
    facts = read_facts(source, "marcus")
    assert "lots" in check_form(opened.form, facts, opened)[0].sentence
    assert check_form(replace(opened.form, max_tokens=5), facts, opened) == []


def test_the_previews_tell_tool_call_and_entry(facts: SubAgentFacts) -> None:
    form = replace(
        GOOD,
        body="Rhyme. %%STORE:memory-store%%",
        context_files=(".tides.txt",),
        history="recent:2",
        private=("studio.memory-store",),
    )
    preview = preview_of(
        form,
        new_form(),
        facts,
        messages=[9, 3, 5],
        stores={"poet.studio.memory-store": 7},
    )
    assert preview.tool["name"] == "poet"
    assert [(part.words, part.tokens) for part in preview.parts[:3]] == [
        ("prompt and .tides.txt", 508),
        ("the store of memory-store", 7),
        ("the last 2 messages", 8),
    ]
    assert preview.parts[3].words.endswith("granted tools")
    assert preview.tokens > 523
    assert preview.entry["private-agents"] == ["studio.memory-store"]
    assert preview.form_reason == "object form: it has grants"
    assert preview.fields == 2
