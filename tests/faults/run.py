"""Seeds faults in a copy of the product and tells which of them the tests notice.

Run `python tests/faults/run.py [--json] [-j N] [NAME …]` in the checkout; without names, all.

Each fault of `faults.toml` is put into a copy of the checkout, and the tests that are marked with
its clause have to fail there. Before that the same tests have to pass without any fault. The exit
code is 0 when every fault was caught, else 1.
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
_TEST_SECONDS = 60
_RUN_SECONDS = 400
_PASSED, _FAILED = 0, 1  # exit codes of pytest; every other one is no answer
_FAILING = re.compile(r"^(?:FAILED|ERROR) (?:tests/)?(.*?)(?: - .*)?$", re.MULTILINE)


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
        self._environment = {**os.environ, "PYTHONPATH": str(root)}
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
        path = self.root / fault.file
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
        files = sorted((self.root / "tests").rglob("test_*.py"))
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
    """Check the tests without a fault, then judge the faults side by side, a copy for each job."""
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder:
        first = Copy(Path(folder) / "0", ROOT)
        say(f"Running the tests of {len(faults)} faults without any fault …", quiet=quiet)
        check_soundness(first, faults, jobs)
        copies: queue.Queue[Copy] = queue.Queue()
        for number in range(jobs):
            copy = first if not number else Copy(Path(folder) / str(number), first.root)
            copy.keep_bytecode()
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
            return list(pool.map(judge_one, faults))


def check_soundness(copy: Copy, faults: Sequence[Fault], jobs: int) -> None:
    """Raise FaultError where a test fails without a fault: it would catch anything.

    What fails is run a second time by itself, since a busy machine makes some tests unsteady.
    """
    clauses = dict.fromkeys(clause for fault in faults for clause in fault.clauses)
    done = copy.test(clauses, "-n", str(jobs))
    if done.returncode == _FAILED and (failing := _FAILING.findall(done.stdout)):
        done = copy.pytest(*(f"tests/{test}" for test in failing))
    if done.returncode != _PASSED:
        still = ", ".join(_FAILING.findall(done.stdout)) or _last_lines(done)
        raise FaultError(f"without any fault these tests fail: {still}")


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
    except FaultError as error:
        print(error, file=sys.stderr)
        return 1
    caught = sum(verdict.caught for verdict in verdicts)
    seconds = round(time.monotonic() - started)
    if given.json:
        rows = [asdict(verdict) for verdict in verdicts]
        print(json.dumps({"caught": caught, "seconds": seconds, "faults": rows}, indent=2))
    else:
        print(f"{caught} of {len(verdicts)} faults were caught, in {seconds} s.")
    return 0 if caught == len(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
