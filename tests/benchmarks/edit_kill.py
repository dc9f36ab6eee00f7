"""Kills an editing process 100 times (or `python tests/benchmarks/edit_kill.py ROUNDS SEED`)."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # the checkout, for `tests`

from tests.support.edit_killing import kill_edits


def main() -> None:
    """Print what held; an AssertionError names the round where something was lost."""
    rounds, seed = (int(word) for word in (sys.argv[1:] + ["100", "1"][len(sys.argv) - 1 :]))
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(STUDIO_QT_HOME=f"{folder}/home", QT_QPA_PLATFORM="offscreen")
        edits, worst = kill_edits(Path(folder), rounds, seed)
    seconds = time.monotonic() - started
    print(f"{rounds} kills, {edits} edits, no file damaged, {seconds:.0f} s")
    print(f"unsaved text that was lost: {worst:.2f} s at most, 2 are allowed")


if __name__ == "__main__":
    main()
