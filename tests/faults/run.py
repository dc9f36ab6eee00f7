"""Seeds faults in a copy of the product and tells which of them the tests notice.

Run `python tests/faults/run.py [--json] [-j N] [NAME …]` in the checkout; without names, all.

Each fault of `faults.toml` is put into a copy of the checkout, and the tests that are marked with
its clause have to fail there. In the end the tests that failed have to pass without any fault; one
that does not is no witness. The exit code is 0 when every fault was caught, else 1.
"""

from __future__ import annotations

import argparse
import compileall
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
from dataclasses import asdict, dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the checkout, for `tests`

from tests.faults.table import ROOT, Fault, FaultError, load_faults

_LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".hypothesis", ".*_cache", "build", "dist")
_LONG = ("test_kill.py", "test_machine.py", "test_edit_kill.py", "test_window_kill.py")
"""Run last, since a run ends with its first failure."""
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


class Copy:
    """A copy of the checkout in which tests are run; `root` is deleted by its owner."""

    def __init__(self, root: Path, source: Path) -> None:
        self.root = root
        shutil.copytree(source, root, ignore=_LEFT_OUT)
        self._environment = {
            **os.environ,
            "PYTHONPATH": str(root),
            "PYTHONDONTWRITEBYTECODE": "1",  # that of a faulty file could outlive it
        }
        compileall.compile_dir(root / "studio_qt", quiet=2)
        place = self._python("-c", "import studio_qt, tests; print(studio_qt.__file__)").stdout
        if root.resolve() not in Path(place.strip()).resolve().parents:
            raise FaultError(f"the copy at {root} is not what runs: studio_qt is from {place}")

    def test(self, clauses: Iterable[str], *options: str) -> subprocess.CompletedProcess[str]:
        """Run the tests of these clauses; raises TimeoutExpired when they do not come to an end."""
        wanted = list(clauses)
        words = [word for clause in wanted for word in ("--clause", clause)]
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

    def _files(self, clauses: Sequence[str]) -> list[str]:
        """The test files that name one of the clauses; collecting the others takes long."""
        named = re.compile("|".join(re.escape(f'"{clause}"') for clause in clauses))
        files = sorted((self.root / "tests").rglob("test_*.py"))
        files.sort(key=lambda file: file.name in _LONG)
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


def judge_all(faults: Sequence[Fault], jobs: int, *, quiet: bool) -> list[Verdict]:
    """Judge the faults side by side, a copy for each job, then the tests that caught them."""
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder:
        copies: queue.Queue[Copy] = queue.Queue()
        for number in range(jobs):
            copies.put(Copy(Path(folder) / str(number), ROOT))

        def judge_one(fault: Fault) -> Verdict:
            copy = copies.get()
            try:
                verdict = judge(copy, fault)
            finally:
                copies.put(copy)
            say(line_of(verdict), quiet=quiet)
            return verdict

        with ThreadPoolExecutor(jobs) as pool:
            verdicts = list(pool.map(judge_one, faults))
        witnesses = sorted({_function(test) for verdict in verdicts for test in verdict.by})
        say(f"Running the {len(witnesses)} tests that caught one without any fault …", quiet=quiet)
        false = false_witnesses(copies.get(), witnesses, jobs)
    return [_without(verdict, false) for verdict in verdicts]


def false_witnesses(copy: Copy, tests: Sequence[str], jobs: int) -> set[str]:
    """Return those of the test functions that fail without a fault: they would catch anything.

    What fails is run a second time by itself, since a busy machine makes some tests unsteady.
    """
    if not tests:
        return set()
    done = copy.pytest("-n", str(jobs), *tests)
    failing = sorted({_function(test) for test in _FAILING.findall(done.stdout)})
    if done.returncode == _FAILED and failing:
        done = copy.pytest(*failing)
    if done.returncode not in (_PASSED, _FAILED):
        raise FaultError(f"the tests cannot run without a fault: {_last_lines(done)}")
    return {_function(test) for test in _FAILING.findall(done.stdout)}


def _without(verdict: Verdict, false: set[str]) -> Verdict:
    named = [test for test in verdict.by if _function(test) in false]
    if not named:
        return verdict
    trouble = f"{', '.join(named)} fails without a fault too"
    return replace(verdict, caught=False, trouble=trouble)


def _function(test: str) -> str:
    """The id of a test without its parameters, which may hold anything."""
    return test.partition("[")[0]


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
    given = parser.parse_args()
    started = time.monotonic()
    try:
        faults = load_faults()
        if unknown := sorted(set(given.names) - {fault.name for fault in faults}):
            parser.error(f"there is no fault {', '.join(unknown)}")
        chosen = [fault for fault in faults if not given.names or fault.name in given.names]
        verdicts = judge_all(chosen, max(1, given.jobs), quiet=given.json)
    except (FaultError, subprocess.TimeoutExpired) as error:
        print(str(error)[:500], file=sys.stderr)
        return 1
    missed = [verdict for verdict in verdicts if not verdict.caught]
    caught, seconds = len(verdicts) - len(missed), round(time.monotonic() - started)
    if given.json:
        rows = [asdict(verdict) for verdict in verdicts]
        print(json.dumps({"caught": caught, "seconds": seconds, "faults": rows}, indent=2))
    else:
        print("\n".join(line_of(verdict) for verdict in missed), end="\n" if missed else "")
        print(f"{caught} of {len(verdicts)} faults were caught, in {seconds} s.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
