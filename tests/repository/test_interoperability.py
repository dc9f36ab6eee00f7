"""The handbook's table of what players owe: each demand has its clauses and real tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from tests.clauses import clause_groups
from tests.interoperability import PAGE, ROOT, Row, rows

GROUPS = (
    "PKG", "SYS", "MAN", "EXP", "BR", "CTX", "HOOK", "LOOP", "PERS", "CAP", "SUB", "LIB", "LANG",
    "BOX", "CONS",
)  # fmt: skip
Nodes = list[ast.expr]

SPEAK_OF_LANGUAGES = ("MAN", "EXP", "BR", "CTX", "HOOK", "CAP", "LIB", "LANG", "BOX")


@cache
def clauses_in(file: str) -> dict[str, frozenset[str]]:
    """Return a file's tests with the clauses that they, their class or module are marked with."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    whole = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    ]
    return dict(_functions(tree.body, whole, ""))


def _functions(
    body: list[ast.stmt], marks: Nodes, before: str
) -> Iterator[tuple[str, frozenset[str]]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(
                node.body, [*marks, *node.decorator_list], f"{before}{node.name}::"
            )
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield before + node.name, _clauses([*marks, *node.decorator_list])


def _clauses(marks: Nodes) -> frozenset[str]:
    calls = (node for mark in marks for node in ast.walk(mark) if isinstance(node, ast.Call))
    return frozenset(
        argument.value
        for call in calls
        if ast.unparse(call.func) == "pytest.mark.clause"
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    )


def test_every_named_test_exists_and_together_they_prove_the_clauses_of_their_row() -> None:
    assert [fault for row in rows() for fault in _faults(row)] == []


def _faults(row: Row) -> Iterator[str]:
    proven: set[str] = set()
    for test in row.tests:
        file, _, name = test.partition("::")
        if name not in clauses_in(file):
            yield f"{test} does not exist"
        proven |= clauses_in(file).get(name, frozenset())
    if lacking := set(row.clauses) - proven:
        yield f"{row.demand}: no test named there is marked with {', '.join(sorted(lacking))}"


def test_every_clause_that_binds_a_player_has_a_row() -> None:
    known = {clause for group in GROUPS for clause in clause_groups()[group][1]}
    assert {clause for row in rows() for clause in row.clauses} == known


def test_every_clause_that_speaks_of_languages_is_proven_in_all_of_them() -> None:
    proven = {
        clause
        for file in (ROOT / "tests" / "languages").glob("test_*.py")
        for function in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(function, ast.AsyncFunctionDef)
        if {"play", "play_short", "language"} & {argument.arg for argument in function.args.args}
        for clause in _clauses(function.decorator_list)
    }
    known = {clause for group in SPEAK_OF_LANGUAGES for clause in clause_groups()[group][1]}
    assert known - proven == set()


SUITES = {
    "named": "def test_named(): pass",
    "parametrised": "import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_named(n): pass",
    "skipped": "import pytest\ndef test_named(): pytest.skip('not today')",
    "renamed": "def test_renamed(): pass",
}


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project of its own with a table of one row, which names one test."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeconftest('pytest_plugins = ["tests.clauses", "tests.interoperability"]')
    pytester.makeini("[pytest]\ntestpaths = tests")
    page = pytester.path / PAGE
    page.parent.mkdir(parents=True)
    page.write_text("| a | LOOP-04 | `tests/test_it.py::test_named` |", encoding="utf-8")
    pytester.mkdir("tests")
    return pytester


def fill(suite: pytest.Pytester, case: str) -> None:
    (suite.path / "tests" / "test_it.py").write_text(SUITES[case], encoding="utf-8")


@pytest.mark.parametrize(
    ("case", "workers"), [*((case, "0") for case in SUITES), ("named", "2"), ("skipped", "2")]
)
def test_a_full_run_fails_when_a_named_test_did_not_pass(
    suite: pytest.Pytester, case: str, workers: str
) -> None:
    fill(suite, case)
    result = suite.runpytest_subprocess("-n", workers)
    missing = case in ("skipped", "renamed")
    assert result.ret == int(missing)
    assert ("names a test that did not pass" in str(result.stdout)) is missing


def test_a_part_of_the_suite_is_not_asked_for_the_named_tests(suite: pytest.Pytester) -> None:
    fill(suite, "renamed")
    assert suite.runpytest_subprocess("tests").ret == 0
    assert suite.runpytest_subprocess("-k", "renamed").ret == 0
