"""The clause plugin: which rule of the product each test proves.

`@pytest.mark.clause("LOOP-04", ...)` names the rules; an id that is not in `clauses.json` is a
collection error. `pytest --clauses` ends with every clause and the number of passing tests that
prove it; `pytest --clause LOOP-04` runs only these tests. Both work with pytest-xdist: the ids
travel in the reports' user properties.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

__all__ = ["clause_groups", "clauses_of"]

_PROPERTY = "clauses"


def clause_groups() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return group → (title, ids), in the order in which they are printed."""
    rows = json.loads(Path(__file__).with_name("clauses.json").read_text(encoding="utf-8"))
    return {
        row["group"]: (
            row["title"],
            tuple(f"{row['group']}-{n:02}" for n in range(row["first"], row["last"] + 1)),
        )
        for row in rows
    }


def clauses_of(item: pytest.Item) -> tuple[str, ...]:
    """Return the ids that an item is marked with, its class and module included, each once."""
    found = (clause for mark in item.iter_markers("clause") for clause in mark.args)
    return tuple(dict.fromkeys(found))


def _known() -> frozenset[str]:
    return frozenset(clause for _, ids in clause_groups().values() for clause in ids)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("clauses")
    group.addoption(
        "--clauses",
        action="store_true",
        help="print every clause with the number of passing tests that prove it",
    )
    group.addoption(
        "--clause",
        action="append",
        default=[],
        metavar="ID",
        help="run only the tests that prove this clause; may be given several times",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "clause(*ids): the clauses that the test proves")
    unknown = sorted(set(config.getoption("clause")) - _known())
    if unknown:
        raise pytest.UsageError(f"--clause: there is no clause {', '.join(unknown)}")
    if config.getoption("clauses") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Tally(), "clause-tally")


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem() -> Generator[None, object, object]:
    """Refuse unknown ids while collecting, so that the fault names the test's module."""
    made = yield
    for item in made if isinstance(made, list) else ():
        if isinstance(item, pytest.Item):
            _check(item)
    return made


def _check(item: pytest.Item) -> None:
    for mark in item.iter_markers("clause"):
        if not mark.args or mark.kwargs:
            raise pytest.Collector.CollectError(f"{item.name}: clause() takes one id or more")
    if unknown := sorted(set(clauses_of(item)) - _known()):
        raise pytest.Collector.CollectError(
            f"{item.name}: there is no clause {', '.join(unknown)}; see tests/clauses.json"
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = set(config.getoption("clause"))
    kept, dropped = [], []
    for item in items:
        clauses = clauses_of(item)
        item.user_properties.append((_PROPERTY, list(clauses)))
        (kept if not wanted or wanted & set(clauses) else dropped).append(item)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


class _Tally:
    """Counts in the process that prints: the only one, or the controller of the workers."""

    def __init__(self) -> None:
        self._passed: dict[str, list[str]] = {}
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.add(report.nodeid)
        elif report.when == "call" and report.passed:
            self._passed[report.nodeid] = dict(report.user_properties).get(_PROPERTY, [])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("clauses")
        for line in self._lines():
            terminalreporter.write_line(line)

    def _lines(self) -> Iterator[str]:
        counts = Counter(
            clause
            for nodeid, clauses in self._passed.items()
            if nodeid not in self._failed
            for clause in clauses
        )
        for group, (title, ids) in clause_groups().items():
            yield f"{group}: {title}"
            yield from (f"  {clause:<9}{counts[clause]:>4}" for clause in ids)
        proven = sum(1 for clause in _known() if counts[clause])
        yield f"{proven} of {len(_known())} clauses are proven"
