"""The table of faults: what each changes in the code, and what goes wrong with it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Fault", "FaultError", "load_faults"]

ROOT = Path(__file__).resolve().parents[2]


class FaultError(Exception):
    """A fault that cannot be seeded: the table does not fit the code any more."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong change of one file, which the tests of every clause in `clauses` must notice.

    `old` stands exactly once in the file at `file` (from the root, with slashes); `new` takes its
    place. `wrong` says in a sentence what goes wrong then.
    """

    name: str
    clauses: tuple[str, ...]
    file: str
    old: str
    new: str
    wrong: str

    def seeded(self, text: str) -> str:
        """Return the file's text with the fault in it; raises FaultError."""
        if (count := text.count(self.old)) != 1:
            raise FaultError(f"{self.name}: its old text is {count} times in {self.file}, not once")
        return text.replace(self.old, self.new)


def load_faults() -> tuple[Fault, ...]:
    """Return the faults of `faults.toml` in order; raises FaultError for a name used twice."""
    rows = tomllib.loads(Path(__file__).with_name("faults.toml").read_text(encoding="utf-8"))
    faults = tuple(Fault(**{**row, "clauses": tuple(row["clauses"])}) for row in rows["fault"])
    names = [fault.name for fault in faults]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise FaultError(f"there are two faults called {', '.join(twice)}")
    return faults
