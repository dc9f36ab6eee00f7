"""Kills a playing process 500 times (or `python tests/benchmarks/kill.py ROUNDS SEED`)."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # the checkout, for `tests`

from tests.support.killing import kill_rounds


def main() -> None:
    """Print what held; an AssertionError names the round where something was lost."""
    rounds, seed = (int(word) for word in (sys.argv[1:] + ["500", "1"][len(sys.argv) - 1 :]))
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        held = kill_rounds(Path(folder), rounds, seed)
    seconds = time.monotonic() - started
    print(f"{rounds} kills, {held} acknowledgements, nothing lost, {seconds:.0f} s")


if __name__ == "__main__":
    main()
