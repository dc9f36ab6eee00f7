"""The table of faults: what each changes in the code, and what goes wrong with it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Fault", "FaultError", "load_faults"]

ROOT = Path(__file__).resolve().parents[2]
_CODE = (".py", ".js", ".lua", ".txt")


class FaultError(Exception):
    """A fault that cannot be seeded: the table does not fit the code any more."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong change of one file, which the tests of every clause in `clauses` must notice.

    `old` stands exactly once in `place`, a file or everything below a folder (from the root, with
    slashes), so that code may move inside a folder; `new` replaces it. `wrong` says in a sentence
    what goes wrong then.
    """

    name: str
    clauses: tuple[str, ...]
    place: str
    old: str
    new: str
    wrong: str

    def find(self, root: Path) -> Path:
        """Return the file below `root` that the fault belongs into; raises FaultError."""
        counts = {path: path.read_bytes().count(self.old.encode()) for path in self._files(root)}
        found = [path for path, count in counts.items() if count]
        if sum(counts.values()) != 1:
            times = sum(counts.values())
            raise FaultError(
                f"{self.name}: its old text is {times} times in {self.place}, not once"
            )
        return found[0]

    def seeded(self, text: str) -> str:
        """Return the text of that file with the fault in it."""
        return text.replace(self.old, self.new)

    def _files(self, root: Path) -> list[Path]:
        place = root / self.place
        if place.is_file():
            return [place]
        return [path for path in sorted(place.rglob("*")) if path.suffix in _CODE]


def load_faults() -> tuple[Fault, ...]:
    """Return the faults of `faults.toml` in order; raises FaultError for a name used twice."""
    rows = tomllib.loads(Path(__file__).with_name("faults.toml").read_text(encoding="utf-8"))
    faults = tuple(Fault(**{**row, "clauses": tuple(row["clauses"])}) for row in rows["fault"])
    names = [fault.name for fault in faults]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise FaultError(f"there are two faults called {', '.join(twice)}")
    return faults
