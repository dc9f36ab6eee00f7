"""The clause plugin, run on small suites of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clauses import clause_groups

ROOT = Path(__file__).resolve().parents[2]
SUITE = """
    import pytest

    pytestmark = pytest.mark.clause("SYS-01")

    @pytest.mark.clause("LOOP-04", "LOOP-05")
    def test_two(): pass

    @pytest.mark.clause("LOOP-04")
    @pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.clause("BR-11"))])
    def test_many(n): pass

    @pytest.mark.clause("BR-01")
    def test_fails(): assert False
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeconftest('pytest_plugins = ["tests.clauses"]')
    pytester.makepyfile(SUITE)
    return pytester


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_table_counts_passing_tests_in_one_process_and_in_several(
    suite: pytest.Pytester, workers: str
) -> None:
    result = suite.runpytest_subprocess("--clauses", "-n", workers)
    result.stdout.re_match_lines_random(
        [r"  SYS-01 +3", r"  LOOP-04 +3", r"  LOOP-05 +1", r"  BR-11 +1", r"  BR-01 +0"]
    )
    assert f"4 of {sum(len(ids) for _, ids in clause_groups().values())} clauses" in str(
        result.stdout
    )


def test_a_test_that_fails_in_its_teardown_proves_nothing(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import pytest

        @pytest.fixture
        def torn():
            yield
            assert False

        @pytest.mark.clause("CAP-01")
        def test_torn(torn): pass
        """
    )
    result = suite.runpytest_subprocess("--clauses")
    result.stdout.re_match_lines_random([r"  CAP-01 +0"])


def test_an_unknown_clause_is_a_collection_error(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import pytest

        class TestIt:
            @pytest.mark.clause("LOOP-99")
            def test_it(self): pass
        """
    )
    result = suite.runpytest_subprocess("--collect-only")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*test_it: there is no clause LOOP-99*"])


def test_a_clause_selects_its_tests(suite: pytest.Pytester) -> None:
    result = suite.runpytest_subprocess("--clause", "LOOP-05", "--clause", "BR-11")
    result.assert_outcomes(passed=2, deselected=2)
    assert suite.runpytest_subprocess("--clause", "LOOP-5").ret == pytest.ExitCode.USAGE_ERROR
