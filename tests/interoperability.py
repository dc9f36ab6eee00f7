"""The handbook's table of what players owe to packages, and whether each named test has passed.

A full run (`pytest` without paths and filters) fails when a test that the table names was not
passed, because it was renamed, skipped or left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["PAGE", "Row", "rows"]

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path("resources", "handbook", "interoperability.md")
_TEST = re.compile(r"`(tests/[\w/]+\.py::[\w:]+)`")
_CLAUSE = re.compile(r"[A-Z]+-\d\d")


@dataclass(frozen=True, slots=True)
class Row:
    """A demand in our words, the clauses it comes from, and the tests that prove it."""

    demand: str
    clauses: tuple[str, ...]
    tests: tuple[str, ...]


def rows(root: Path = ROOT) -> tuple[Row, ...]:
    """Return every row of every table on the page of the project in `root`."""
    found = []
    for line in (root / PAGE).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and _CLAUSE.match(cells[1]):
            demand, clauses, tests = cells
            found.append(Row(demand, tuple(_CLAUSE.findall(clauses)), tuple(_TEST.findall(tests))))
    return tuple(found)


def pytest_configure(config: pytest.Config) -> None:
    if _is_full(config) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Ran(rows(config.rootpath)), "interoperability-ran")


def _is_full(config: pytest.Config) -> bool:
    chosen = ("keyword", "markexpr", "deselect", "collectonly", "clause", "ignore", "ignore_glob")
    return (
        (config.rootpath / PAGE).is_file()
        and config.args_source is pytest.Config.ArgsSource.TESTPATHS
        and not any(config.getoption(name) for name in chosen)
    )


class _Ran:
    """Counts in the process that prints: the only one, or the controller of the workers."""

    def __init__(self, table: tuple[Row, ...]) -> None:
        self._named = {test for row in table for test in row.tests}
        self._passed: set[str] = set()
        self._other: set[str] = set()
        self._missing: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.partition("[")[0]
        if not report.passed:
            self._other.add(name)
        elif report.when == "call":
            self._passed.add(name)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._missing = sorted(self._named - (self._passed - self._other))
        if self._missing and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for test in self._missing:
            terminalreporter.write_line(f"{PAGE.name} names a test that did not pass: {test}")
