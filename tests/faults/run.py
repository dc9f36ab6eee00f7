"""Seeds faults in a copy of the product and tells which of them the tests notice.

Run `python tests/faults/run.py [--json] [-j N] [NAME …]` in the checkout; without names, all.

Each fault of `faults.toml` is put into a copy of the checkout, and the tests that are marked with
its clause have to fail there. Before that the same tests have to pass without any fault; one that
does not is told and does not count (`--unchecked` leaves this out). The exit code is 0 when every
test was sound and every fault caught, else 1.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the checkout, for `tests`

from tests.faults.table import ROOT, Fault, FaultError, load_faults

_LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", ".hypothesis", ".*_cache", "build", "dist", "conversations"
)
_LONG = ("test_kill.py", "test_machine.py")  # last, since a run ends with its first failure
_TEST_SECONDS = 60
_RUN_SECONDS = 400
_PASSED, _FAILED = 0, 1  # exit codes of pytest; every other one is no answer
_FAILING = re.compile(r"^(?:FAILED|ERROR) (tests/.*?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one fault; `by` holds the first test that failed, clause by clause."""

    name: str
    clauses: tuple[str, ...]
    caught: bool
    by: tuple[str, ...]
    seconds: float
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a whole run found: tests that fail without a fault, and a verdict for each fault."""

    unsound: list[str]
    verdicts: list[Verdict]

    @property
    def caught(self) -> int:
        """How many faults the tests noticed."""
        return sum(verdict.caught for verdict in self.verdicts)

    @property
    def good(self) -> bool:
        """Whether nothing is left to mend."""
        return not self.unsound and self.caught == len(self.verdicts)


class Copy:
    """A copy of the checkout in which tests are run; `root` is deleted by its owner."""

    def __init__(self, root: Path, source: Path) -> None:
        self.root = root
        self.passed_over: list[str] = []
        shutil.copytree(source, root, ignore=_LEFT_OUT)
        self._environment = {**os.environ, "PYTHONPATH": str(root)}
        place = self._python("-c", "import studio_qt, tests; print(studio_qt.__file__)").stdout
        if root.resolve() not in Path(place.strip()).resolve().parents:
            raise FaultError(f"the copy at {root} is not what runs: studio_qt is from {place}")

    def test(self, clauses: Iterable[str], *options: str) -> subprocess.CompletedProcess[str]:
        """Run the tests of these clauses; raises TimeoutExpired when they do not come to an end."""
        wanted = list(clauses)
        words = [word for clause in wanted for word in ("--clause", clause)]
        words += [f"--deselect={test}" for test in self.passed_over]
        return self.pytest(*options, *words, *self._files(wanted))

    def pytest(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run pytest in the copy."""
        how = ("-q", "-rfE", "--tb=line", "-p", "no:cacheprovider", f"--timeout={_TEST_SECONDS}")
        return self._python("-m", "pytest", *how, *words)

    @contextmanager
    def fault(self, fault: Fault) -> Iterator[None]:
        """Have the fault in the code of the body; raises FaultError where it does not fit."""
        path = fault.find(self.root)
        whole, found = path.read_bytes(), path.stat()
        path.write_bytes(fault.seeded(whole.decode()).encode())
        try:
            yield
        finally:
            path.write_bytes(whole)
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))  # as its bytecode knows it

    def keep_bytecode(self) -> None:
        """Write no bytecode from now on, so that none of a faulty file can outlive it."""
        self._environment["PYTHONDONTWRITEBYTECODE"] = "1"

    def _files(self, clauses: Sequence[str]) -> list[str]:
        """The test files that name one of the clauses; collecting the others takes long."""
        named = re.compile("|".join(re.escape(f'"{clause}"') for clause in clauses))
        files = sorted(
            (self.root / "tests").rglob("test_*.py"), key=lambda file: file.name in _LONG
        )
        return [str(file) for file in files if named.search(file.read_text(encoding="utf-8"))]

    def _python(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env=self._environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_RUN_SECONDS,
            check=False,
        )


def judge(copy: Copy, fault: Fault) -> Verdict:
    """Seed one fault and run the tests of each of its clauses, to the first that fails."""
    started = time.monotonic()
    by, trouble = [], ""
    try:
        with copy.fault(fault):
            for clause in fault.clauses:
                done = copy.test([clause], "-x")
                if done.returncode not in (_PASSED, _FAILED):
                    raise FaultError(f"the tests of {clause} cannot run: {_last_lines(done)}")
                by += _FAILING.findall(done.stdout)[:1] if done.returncode == _FAILED else []
    except (FaultError, subprocess.TimeoutExpired) as error:
        trouble = str(error)
    caught = not trouble and len(by) == len(fault.clauses)
    seconds = round(time.monotonic() - started, 1)
    return Verdict(fault.name, fault.clauses, caught, tuple(by), seconds, trouble)


def judge_all(faults: Sequence[Fault], jobs: int, *, checked: bool, quiet: bool) -> Findings:
    """Check the tests without a fault, then judge the faults side by side, a copy for each job."""
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder:
        first = Copy(Path(folder) / "0", ROOT)
        unsound: list[str] = []
        if checked:
            say(f"Running the tests of {len(faults)} faults without any fault …", quiet=quiet)
            unsound = unsound_tests(first, faults, jobs)
            for test in unsound:
                say(f"UNSOUND    {test} fails without a fault and does not count", quiet=quiet)
        copies: queue.Queue[Copy] = queue.Queue()
        for number in range(jobs):
            copy = first if not number else Copy(Path(folder) / str(number), first.root)
            copy.keep_bytecode()
            copy.passed_over = unsound
            copies.put(copy)

        def judge_one(fault: Fault) -> Verdict:
            copy = copies.get()
            try:
                verdict = judge(copy, fault)
            finally:
                copies.put(copy)
            say(line_of(verdict), quiet=quiet)
            return verdict

        with ThreadPoolExecutor(jobs) as pool:
            return Findings(unsound, list(pool.map(judge_one, faults)))


def unsound_tests(copy: Copy, faults: Sequence[Fault], jobs: int) -> list[str]:
    """Return the tests that fail without a fault: they would catch anything.

    What fails is run a second time by itself, since a busy machine makes some tests unsteady.
    """
    clauses = dict.fromkeys(clause for fault in faults for clause in fault.clauses)
    done = copy.test(clauses, "-n", str(jobs))
    if done.returncode == _FAILED and (failing := _FAILING.findall(done.stdout)):
        done = copy.pytest(*failing)
    if done.returncode not in (_PASSED, _FAILED):
        raise FaultError(f"the tests cannot run without a fault: {_last_lines(done)}")
    return _FAILING.findall(done.stdout)


def line_of(verdict: Verdict) -> str:
    """Return a line for people."""
    how = "caught" if verdict.caught else "NOT CAUGHT"
    why = verdict.trouble or ", ".join(verdict.by)
    clauses = ", ".join(verdict.clauses)
    return f"{how:<10} {verdict.name} ({clauses}, {verdict.seconds} s) {why}".rstrip()


def say(line: str, *, quiet: bool) -> None:
    """Print at once, unless only JSON is wanted."""
    if not quiet:
        print(line, flush=True)


def _last_lines(done: subprocess.CompletedProcess[str]) -> str:
    return " | ".join(f"{done.stdout}\n{done.stderr}".strip().splitlines()[-3:])


def main() -> int:
    """Judge the faults that are named; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults; all when left out")
    parser.add_argument("--json", action="store_true", help="print the verdicts as JSON")
    parser.add_argument("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1), metavar="N")
    parser.add_argument("--unchecked", action="store_true", help="take the tests to be sound")
    given = parser.parse_args()
    started = time.monotonic()
    try:
        faults = load_faults()
        if unknown := sorted(set(given.names) - {fault.name for fault in faults}):
            parser.error(f"there is no fault {', '.join(unknown)}")
        chosen = [fault for fault in faults if not given.names or fault.name in given.names]
        jobs = max(1, given.jobs)
        found = judge_all(chosen, jobs, checked=not given.unchecked, quiet=given.json)
    except FaultError as error:
        print(error, file=sys.stderr)
        return 1
    seconds = round(time.monotonic() - started)
    if given.json:
        print(json.dumps({"caught": found.caught, "seconds": seconds, **asdict(found)}, indent=2))
    else:
        print(f"{found.caught} of {len(chosen)} faults were caught, in {seconds} s.")
    return 0 if found.good else 1


if __name__ == "__main__":
    sys.exit(main())
